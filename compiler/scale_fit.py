"""
The scale that caliper readings ask for, how sure it is, and whether one scale explains them; arithmetic only.

Each pair of a caliper value C and a scan value S observes ln s = ln(C/S).  How much of a maker's limit is one error
that all readings of an instrument share is not known, so each question is put to the answer that promises least:

- the **uncertainty** takes the limit as fully shared, and no number of readings averages it away;
- **inconsistent** are readings that contradict each other at every correlation, from none to full;
- **too consistent** are those that agree too well at every correlation, and without any assumption of ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from r2s.compiler.chi2 import chi2_tail
from r2s.compiler.scale_consistency import LeftOut, consistency, inflation_of, least_p, suspect_of
from r2s.compiler.scale_offset import OffsetFit, fit_offset
from r2s.compiler.scale_pair import Pair
from r2s.compiler.scale_weights import best_weights, u_shared

__all__ = ["LOD_FACTOR", "LeftOut", "Pair", "ScaleFit", "chi2_tail", "fit_scale"]

LOD_FACTOR = 3.605  # two-sided 5 % false alarms and 95 % power: 1.960 + 1.645


@dataclass(frozen=True, slots=True)
class ScaleFit:
    """
    The fitted ln s with its standard uncertainty *u*, and *u_internal* before the scatter of the readings widened it.

    Of *u_internal*, *u_shared* is what more readings by the same instruments would leave, *u_offset* what a surface
    offset adds; *inflation* is what scatter multiplied the rest by.  *weights* (n) sum to 1, with the prior's where
    there is one.

    *chi2* with *dof* degrees of freedom and its upper tail *p* tell whether one scale explains all readings, at the
    *correlation* of the makers' limits that makes the least of it; p is nan where there is nothing to compare.
    *p_readings* is the same without the device's promise of ln s.  *p_least* is the least that any correlation gives
    when nothing assumed excuses a difference.  *left_out* are the deleted residuals; *suspect* names the one reading
    without which the others agree, with *p_without* it.
    *offset* is the fit of scale and surface offset together, None where the readings cannot make one.
    *prior_u* and *prior_offset* (m) are None where no device promised anything.
    """

    ids: tuple[str, ...]
    ln_s: float
    u: float
    u_internal: float
    u_shared: float
    u_offset: float
    inflation: float
    weights: tuple[float, ...]
    chi2: float
    dof: int
    p: float
    p_readings: float
    p_least: float
    correlation: float
    left_out: tuple[LeftOut, ...]
    suspect: str
    p_without: float
    offset: OffsetFit | None
    prior_u: float | None
    prior_offset: float | None

    @property
    def factor(self) -> float:
        """What the scan's lengths must be multiplied by."""
        return math.exp(self.ln_s)

    @property
    def birge(self) -> float:
        """The Birge ratio √(chi²/dof); 1 where there is nothing to compare."""
        return math.sqrt(self.chi2 / self.dof) if self.dof else 1.0

    @property
    def lod95(self) -> float:
        """The smallest scale error that would be detected with 95 % power at 5 % false alarms."""
        return LOD_FACTOR * self.u

    @property
    def dof_of_u(self) -> float:
        """Degrees of freedom of *u*: those of the scatter where that alone set it, else infinite."""
        return float(self.dof) if self.inflation > 1 and self.dof < 3 else math.inf

    @property
    def worst(self) -> LeftOut | None:
        """The reading that the others predict worst; None where there is nothing to compare."""
        return max(self.left_out, key=lambda left: left.normalised, default=None)


def fit_scale(pairs: Sequence[Pair], prior_u: float | None, prior_offset: float | None = None) -> ScaleFit:
    """
    Return the weighted mean of the log ratios, a device's promise (ln s = 0 ± *prior_u*) being one more of them.

    The weights are those of generalised least squares kept at or above 0.  For such weights the fully shared
    covariance is the worst of all that a maker's limit allows, so u holds whatever the correlation is, and these
    weights make it the smallest that does.  The unrestricted inverse would give negative ones: it extrapolates from a
    short length and a long one to a caliper without error, on the strength of a correlation that is only a bound.

    *prior_offset* is the standard uncertainty of the surface offset that the device promises, m.  It moves outside and
    inside readings by known amounts, so it excuses what differs with length and enters u.

    Raises ValueError without pairs, or where a length is not positive.
    """
    if not pairs or any(not (p.caliper > 0 and p.scan > 0) for p in pairs):
        raise ValueError("a scale needs a positive caliper and scan length")
    prior, offset_prior = prior_u or None, prior_offset or None
    weights, total = best_weights(pairs, prior)
    mean = math.fsum(w * p.log_ratio for w, p in zip(weights, pairs, strict=True))
    test = consistency(pairs, prior, offset_prior)
    offset = fit_offset(pairs, weights, prior, offset_prior)
    explained = offset is not None and offset.preferred != "scale"
    inflation = inflation_of(
        *((offset.chi2, offset.dof) if offset is not None and explained else (test.chi2, test.dof))
    )
    u_offset = _u_offset(pairs, weights, offset, offset_prior)
    suspect, p_without = suspect_of(pairs, prior, offset_prior, test)
    return ScaleFit(
        ids=tuple(p.id for p in pairs),
        ln_s=mean,
        u=math.hypot(total**-0.5 * inflation, u_offset),
        u_internal=math.hypot(total**-0.5, u_offset),
        u_shared=u_shared(pairs, weights),
        u_offset=u_offset,
        inflation=inflation,
        weights=weights,
        chi2=test.chi2,
        dof=test.dof,
        p=test.p,
        p_readings=test.p if prior is None else consistency(pairs, None, offset_prior).p,
        p_least=least_p(pairs),
        correlation=test.correlation,
        left_out=test.left_out,
        suspect=suspect,
        p_without=p_without,
        offset=offset,
        prior_u=prior,
        prior_offset=offset_prior,
    )


def _u_offset(
    pairs: Sequence[Pair], weights: Sequence[float], offset: OffsetFit | None, prior_offset: float | None
) -> float:
    """
    Return what the surface offset adds to u of ln s.

    An offset that the readings ask for is not corrected, so it counts in full with its own uncertainty (GUM F.2.4.5);
    else what is left of the device's promise after the readings narrowed it, if they could.
    """
    moves = abs(math.fsum(w * p.per_offset for w, p in zip(weights, pairs, strict=True)))
    if offset is not None and offset.preferred != "scale":
        return moves * math.hypot(offset.d, offset.u_d)
    if prior_offset is None:
        return 0.0
    if offset is not None and offset.identifiable:
        return moves / math.hypot(1 / offset.u_d, 1 / prior_offset)
    return moves * prior_offset
