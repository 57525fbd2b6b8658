"""
Whether the linear model may be believed for an output: JCGM 101 clause 8.

Both intervals must agree to the digits that the uncertainty is quoted with; where they do not, the interval of the
Monte Carlo is what gets published.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from r2s.compiler.uncertainty.intervals import Interval, numerical_tolerance
from r2s.compiler.uncertainty.monte_carlo import Drawn


@dataclass(frozen=True, slots=True)
class Validation:
    """
    The *linear* interval against that of the *monte_carlo*: how far the ends lie apart, and how far they may.

    *tolerance* is half a unit of the last significant digit of u.  *resolved* tells whether there were enough draws to
    say so; without that nothing is validated.
    """

    linear: Interval
    monte_carlo: Interval
    tolerance: float
    resolved: bool

    @property
    def low_distance(self) -> float:
        """Distance of the low ends."""
        return abs(self.linear.low - self.monte_carlo.low)

    @property
    def high_distance(self) -> float:
        """Distance of the high ends."""
        return abs(self.linear.high - self.monte_carlo.high)

    @property
    def validated(self) -> bool:
        """Whether both distances are within the tolerance, and known well enough to say so."""
        return self.resolved and max(self.low_distance, self.high_distance) <= self.tolerance

    @property
    def published(self) -> Interval:
        """The interval to publish: the linear one where it is validated, else that of the Monte Carlo."""
        return self.linear if self.validated else self.monte_carlo


def validate_lpu(
    value: float,
    expanded: float,
    drawn: Drawn,
    *,
    digits: int = 2,
    interval: Literal["symmetric", "shortest"] = "symmetric",
) -> Validation:
    """
    Return *value* ± *expanded* of linear propagation against what was *drawn*, both at the level of the draws.

    The tolerance is that of *digits* significant digits of the standard uncertainty of the draws, which has digits even
    where the linear one is zero.
    """
    found = drawn.symmetric if interval == "symmetric" else drawn.shortest
    linear = Interval(value - expanded, value + expanded, drawn.level)
    return Validation(linear, found, numerical_tolerance(drawn.u, digits), drawn.resolved(digits))
