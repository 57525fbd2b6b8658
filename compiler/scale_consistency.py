"""
Whether one scale explains all readings, however much of a maker's limit they share, and which of them stands out.

How much that is nobody knows.  Readings count as inconsistent where they are so at every correlation, and as too
consistent where they are that at every correlation and without any assumption of ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from r2s.compiler.chi2 import chi2_tail
from r2s.compiler.gls import Solution, Weighing, deleted, least_favourable, regress
from r2s.compiler.scale_pair import Pair, errors_of, log_ratios

# Upper tails of chi²: below the one the uncertainty grows by the scatter, below the other no scale explains it.
INCONSISTENT, CONTRADICTORY = 0.05, 0.003
SUSPECT = 3.0  # standard uncertainties of the left-out residual


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What the fit through all others predicts for one pair, and misses by *residual* (of ln) with *u*."""

    id: str
    residual: float
    u: float

    @property
    def normalised(self) -> float:
        """|residual| over its standard uncertainty; over 2 is worth a look, over 3 suspect."""
        return abs(self.residual) / self.u


@dataclass(frozen=True, slots=True)
class Consistency:
    """chi² of one scale for all readings at one *correlation*, with its *dof*, and the *left_out* residuals."""

    chi2: float
    dof: int
    correlation: float
    left_out: tuple[LeftOut, ...]

    @property
    def p(self) -> float:
        """Upper tail of chi²; nan where there is nothing to compare."""
        return chi2_tail(self.chi2, self.dof) if self.dof else math.nan


def consistency(
    pairs: Sequence[Pair],
    prior_u: float | None = None,
    prior_offset: float | None = None,
    *,
    correlation: float | None = None,
    assumed: bool = True,
) -> Consistency:
    """
    Return how well one scale explains *pairs*, with or without what is *assumed* of their uncertainties.

    *correlation* is how much of the makers' limits readings of one instrument share.  Where that is the truth and the
    uncertainties are normal, chi² follows its distribution exactly.  None takes the one that reconciles them best.
    """
    columns, priors = [[1.0] * len(pairs)], [prior_u]
    if prior_offset:
        columns.append([p.per_offset for p in pairs])
        priors.append(prior_offset)
    observed, errors = log_ratios(pairs), errors_of(pairs, assumed=assumed)

    def fitted(of: float) -> tuple[Solution, Weighing, int]:
        weighing = Weighing(errors, of)
        for count in (len(columns), 1):  # an offset that moves all lengths alike is no other thing than a scale
            solution = regress(observed, columns[:count], priors[:count], weighing)
            if solution is not None:
                return solution, weighing, count
        raise ValueError("a scale needs uncertainties that are finite")

    if correlation is None:
        correlation = least_favourable(lambda of: fitted(of)[0].chi2, errors)
    solution, weighing, count = fitted(correlation)
    missed = zip(pairs, deleted(solution, columns[:count], weighing), strict=True)
    left_out = tuple(LeftOut(p.id, residual, u) for p, (residual, u) in missed if math.isfinite(u))
    return Consistency(solution.chi2, len(pairs) - 1 + (1 if prior_u else 0), correlation, left_out)


def inflation_of(chi2: float, dof: int) -> float:
    """
    Return what the fit's own uncertainty is multiplied by where the readings contradict each other.

    The Birge ratio, and from four observations on the standard deviation of the posterior that Bodnar and Elster gave
    for it (Metrologia 51, 516, 2014): √((n - 1)/(n - 3)) more.  With fewer that has no standard deviation, and
    Student's factor for the few degrees of freedom must do.
    """
    if not dof or chi2_tail(chi2, dof) >= INCONSISTENT:
        return 1.0
    birge = math.sqrt(chi2 / dof)
    return max(1.0, birge * math.sqrt(dof / (dof - 2)) if dof >= 3 else birge)


def least_p(pairs: Sequence[Pair]) -> float:
    """
    Return the least p of the pairs among themselves, over all correlations and without what is assumed.

    chi² is convex in the correlation, so its largest is at an end.
    """
    return min(consistency(pairs, correlation=end, assumed=False).p for end in (0.0, 1.0))


def suspect_of(
    pairs: Sequence[Pair], prior_u: float | None, prior_offset: float | None, test: Consistency
) -> tuple[str, float]:
    """Return the id of the one reading without which the others agree, and p of those; empty and nan if none is."""
    if len(pairs) < 3 or not test.p < INCONSISTENT:
        return "", math.nan
    worst = max(test.left_out, key=lambda left: left.normalised)
    p_without = consistency([pair for pair in pairs if pair.id != worst.id], prior_u, prior_offset).p
    return (worst.id if worst.normalised > SUSPECT and p_without >= CONTRADICTORY else ""), p_without
