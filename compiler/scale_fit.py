"""
The scale that caliper readings ask for, how sure it is, and what to do with it; arithmetic only.

Each pair of a caliper value C and a scan value S observes ln s = ln(C/S).  How much of a maker's limit is one error
shared by all readings of an instrument is not known, so each use takes the side that promises less: the uncertainty
takes the limit as fully shared, and no number of readings averages it away; the test of consistency takes it as
independent, and does not call readings contradictory that two honest uses of one ruler would give.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

LOD_FACTOR = 3.605  # two-sided 5 % false alarms and 95 % power: 1.960 + 1.645
_SMALLEST_U = 1e-9


@dataclass(frozen=True, slots=True)
class Pair:
    """
    One feature by caliper and by scan, metres.

    *u_indep* is the part of the caliper's standard uncertainty that every reading draws anew, *u_common* the part that
    it shares with all readings of the same *instrument*, *u_scan* the scan's own.
    """

    id: str
    instrument: str
    caliper: float
    u_indep: float
    u_common: float
    scan: float
    u_scan: float

    @property
    def log_ratio(self) -> float:
        """ln(C/S)."""
        return math.log(self.caliper / self.scan)

    @property
    def u_alone(self) -> float:
        """Standard uncertainty of the log ratio without the shared part."""
        return max(math.hypot(self.u_indep / self.caliper, self.u_scan / self.scan), _SMALLEST_U)

    @property
    def shared(self) -> float:
        """The shared part, as a relative standard uncertainty."""
        return self.u_common / self.caliper

    @property
    def u(self) -> float:
        """Standard uncertainty of the log ratio."""
        return math.hypot(self.u_alone, self.shared)


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
class ScaleFit:
    """
    The fitted ln s with its standard uncertainty *u* (grown by the Birge ratio where the readings scatter more than
    they may) and *u_internal* before that.

    *chi2* with *dof* degrees of freedom and its upper tail *p* tell whether one scale explains all readings; p is nan
    where there is nothing to compare.  *prior_u* is None where no device promised anything.
    """

    ids: tuple[str, ...]
    ln_s: float
    u: float
    u_internal: float
    chi2: float
    dof: int
    p: float
    left_out: tuple[LeftOut, ...]
    prior_u: float | None

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
        """Degrees of freedom of *u*: those of the scatter where that set it, else infinite."""
        return float(self.dof) if self.u > self.u_internal else math.inf


def fit_scale(pairs: Sequence[Pair], prior_u: float | None) -> ScaleFit:
    """
    Return the weighted mean of the log ratios, a device's promise (ln s = 0 ± *prior_u*) being one more of them.

    Weights are 1/u²; u² of the mean is wᵀΣw with the shared parts fully correlated within an instrument.  Weights
    from the inverse of that Σ could be negative: they would extrapolate from a short length and a long one to a
    caliper without error, on the strength of a correlation that is only a bound.

    Raises ValueError without pairs, or where a length is not positive.
    """
    if not pairs or any(not (p.caliper > 0 and p.scan > 0) for p in pairs):
        raise ValueError("a scale needs a positive caliper and scan length")
    mean, u_internal = _mean(pairs, prior_u)
    weights = [p.u**-2 for p in pairs]
    chi2 = math.fsum(w * (p.log_ratio - mean) ** 2 for w, p in zip(weights, pairs, strict=True))
    chi2 += (mean / prior_u) ** 2 if prior_u else 0.0
    dof = len(pairs) - 1 + (1 if prior_u else 0)
    birge = math.sqrt(chi2 / dof) if dof else 1.0
    return ScaleFit(
        ids=tuple(p.id for p in pairs),
        ln_s=mean,
        u=u_internal * max(1.0, birge),
        u_internal=u_internal,
        chi2=chi2,
        dof=dof,
        p=chi2_tail(chi2, dof) if dof else math.nan,
        left_out=_left_out(pairs, prior_u),
        prior_u=prior_u or None,
    )


def _mean(pairs: Sequence[Pair], prior_u: float | None) -> tuple[float, float]:
    """Return the weighted mean and its standard uncertainty."""
    weights = [p.u**-2 for p in pairs]
    total = math.fsum(weights) + (prior_u**-2 if prior_u else 0.0)
    mean = math.fsum(w * p.log_ratio for w, p in zip(weights, pairs, strict=True)) / total
    variance = math.fsum((w * p.u_alone) ** 2 for w, p in zip(weights, pairs, strict=True))
    variance += math.fsum(s**2 for s in _shared(pairs, weights).values())
    variance += prior_u**-2 if prior_u else 0.0
    return mean, math.sqrt(variance) / total


def _shared(pairs: Sequence[Pair], weights: Sequence[float]) -> dict[str, float]:
    """Return per instrument the weighted sum of shared parts: one error that moves all its readings."""
    found: dict[str, float] = {}
    for weight, pair in zip(weights, pairs, strict=True):
        found[pair.instrument] = found.get(pair.instrument, 0.0) + weight * pair.shared
    return found


def _left_out(pairs: Sequence[Pair], prior_u: float | None) -> tuple[LeftOut, ...]:
    """Return each pair against the fit through the others; shared errors count as independent, as in the test."""
    if len(pairs) + (1 if prior_u else 0) < 2:
        return ()
    weights = [p.u**-2 for p in pairs]
    total = math.fsum(weights) + (prior_u**-2 if prior_u else 0.0)
    moment = math.fsum(w * p.log_ratio for w, p in zip(weights, pairs, strict=True))
    found = []
    for weight, pair in zip(weights, pairs, strict=True):
        rest = total - weight
        predicted = (moment - weight * pair.log_ratio) / rest
        found.append(LeftOut(pair.id, pair.log_ratio - predicted, math.hypot(pair.u, rest**-0.5)))
    return tuple(found)


def chi2_tail(chi2: float, dof: int) -> float:
    """
    Return the probability that a chi² with *dof* degrees of freedom exceeds *chi2*.

    Finite sums for whole dof (Abramowitz and Stegun 26.4.4 and 26.4.5).

    >>> round(chi2_tail(3.841459, 1), 4), round(chi2_tail(5.991465, 2), 4), round(chi2_tail(7.814728, 3), 4)
    (0.05, 0.05, 0.05)
    """
    x = chi2 / 2
    if x <= 0:
        return 1.0
    start = 0.0 if dof % 2 == 0 else 0.5
    tail = 0.0 if dof % 2 == 0 else math.erfc(math.sqrt(x))
    terms = (start + k for k in range(dof // 2))
    return min(1.0, tail + math.fsum(math.exp(a * math.log(x) - x - math.lgamma(a + 1)) for a in terms))
