"""
Whether the linear model may be believed for an output: JCGM 101 clause 8.

Both intervals must agree to the digits that the uncertainty is quoted with; where they do not, the interval of the
Monte Carlo is what gets published.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from r2s.compiler.uncertainty.intervals import Interval, numerical_tolerance
from r2s.compiler.uncertainty.monte_carlo import Drawn, IntervalKind

Verdict = Literal["validated", "not validated", "undecided"]


@dataclass(frozen=True, slots=True)
class Validation:
    """
    The *linear* interval against that of the *monte_carlo*: how far the ends lie apart, and how far they may.

    *tolerance* is half a unit of the last significant digit of u, *numerical_error* how far the ends and the figures
    of the Monte Carlo may still move with other draws.
    """

    linear: Interval
    monte_carlo: Interval
    tolerance: float
    numerical_error: float

    @property
    def low_distance(self) -> float:
        """Distance of the low ends."""
        return abs(self.linear.low - self.monte_carlo.low)

    @property
    def high_distance(self) -> float:
        """Distance of the high ends."""
        return abs(self.linear.high - self.monte_carlo.high)

    @property
    def verdict(self) -> Verdict:
        """
        Validated where both ends agree within the tolerance, not where one differs by more.

        Undecided where the numerical error leaves room for either; a fifth of the tolerance counts as none (8.2).
        """
        furthest = max(self.low_distance, self.high_distance)
        if furthest <= self.tolerance and self.numerical_error <= max(self.tolerance / 5, self.tolerance - furthest):
            return "validated"
        return "not validated" if furthest - self.numerical_error > self.tolerance else "undecided"

    @property
    def published(self) -> Interval:
        """The interval to publish: the linear one where it is validated, else that of the Monte Carlo."""
        return self.linear if self.verdict == "validated" else self.monte_carlo


def validate_lpu(
    value: float, expanded: float, drawn: Drawn, *, digits: int = 2, kind: IntervalKind = "symmetric"
) -> Validation:
    """
    Return *value* ± *expanded* of linear propagation against what was *drawn*, both at the level of the draws.

    The tolerance is that of *digits* significant digits of the standard uncertainty of the draws, which has digits even
    where the linear one is zero.
    """
    return Validation(
        linear=Interval(value - expanded, value + expanded, drawn.level),
        monte_carlo=drawn.interval(kind),
        tolerance=numerical_tolerance(drawn.u, digits),
        numerical_error=drawn.numerical_error(kind).largest,
    )
