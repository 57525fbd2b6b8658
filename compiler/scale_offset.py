"""
Scale or surface offset: whether the readings tell them apart, and which of the two they ask for.

A scan whose faces lie d too far in (spray, edge bleed, probing size) reads outside lengths 2d short, inside lengths 2d
long and steps right; a scale moves all in proportion.  So C = s·S + g·d with g = 2, -2 or 0, and only lengths of
different size or kind can tell.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from r2s.compiler.chi2 import chi2_tail
from r2s.compiler.gls import Solution, Weighing, regress
from r2s.compiler.scale_pair import Pair, errors_of

SIGNIFICANT = 2.0  # standard uncertainties of d
AIC_DROP = 2.0
NO_MODEL = 0.003  # upper tail of chi²: what is left under this, scale and offset do not explain either
SPREAD = 0.5  # of the largest g/C: as much as lengths of one kind differ that are 2 to 1
_LEAST = 3  # readings: with two, both parameters fit exactly and nothing is left to test them
_ROUNDS = 20
_SETTLED = 1e-12  # m


@dataclass(frozen=True, slots=True)
class OffsetFit:
    """
    Scale and offset fitted together, beside the scale alone.

    *d* is how much further out the object's faces lie than the scaled scan's, m, with *u_d*; *ln_s* with *u_ln_s*;
    *correlation* is between the two.  *aic_drop* is by how much Akaike's criterion prefers both over scale alone.
    *identifiable* tells whether the readings determine d, and *why* in words why or why not.  *preferred* is the model
    that the rule takes: ``scale`` unless d is identifiable, over 2 u from 0, worth its parameter, and both together
    explain the readings: *chi2* with *dof* has the upper tail *p*, nan without a degree of freedom.
    *bias* is what scale alone has wrong in ln s if d is true.
    """

    ln_s: float
    u_ln_s: float
    d: float
    u_d: float
    correlation: float
    chi2: float
    dof: int
    p: float
    aic_drop: float
    spread: float
    identifiable: bool
    why: str
    preferred: str
    bias: float


def fit_offset(
    pairs: Sequence[Pair], weights: Sequence[float], prior_u: float | None, prior_offset: float | None
) -> OffsetFit | None:
    """
    Return the fit of scale and offset to *pairs*, or None where no two readings differ in what an offset does to them.

    Effective variance: the uncertainties of caliper and scan both count, at the lengths that the fit gives, until d
    stays.  Of no sharing and full sharing of the makers' limits the one that knows less of d is taken.  *weights* are
    those of the scale alone; *prior_u* is the device's promise of ln s.  Its promise of the offset, *prior_offset*,
    does not enter: the readings count as knowing d only if they know it better (and from 2 to 1 in length on).
    """
    per = [p.per_offset for p in pairs]
    largest = max(map(abs, per), default=0.0)
    spread = (max(per) - min(per)) / largest if largest > 0 else 0.0
    fits = [fit for c in (0.0, 1.0) if (fit := _fit(pairs, prior_u, c)) is not None]
    if len(pairs) < 2 or not fits:
        return None
    solution, alone = max(fits, key=lambda fit: fit[0].u(1))
    d, u_d = solution.values[1], solution.u(1)
    why = _against(pairs, spread, u_d, prior_offset)
    aic_drop = alone - solution.chi2 - 2
    dof = len(pairs) - 2 + (1 if prior_u else 0)
    p = chi2_tail(solution.chi2, dof) if dof else math.nan
    wanted = not why and abs(d) > SIGNIFICANT * u_d and aic_drop > AIC_DROP and p >= NO_MODEL
    return OffsetFit(
        ln_s=solution.values[0],
        u_ln_s=solution.u(0),
        d=d,
        u_d=u_d,
        correlation=solution.covariance[0][1] / (solution.u(0) * u_d),
        chi2=solution.chi2,
        dof=dof,
        p=p,
        aic_drop=aic_drop,
        spread=spread,
        identifiable=not why,
        why=why or "the readings differ enough in what an offset does to them",
        preferred="scale and offset" if wanted else "scale",
        bias=d * math.fsum(w * x for w, x in zip(weights, per, strict=True)),
    )


def _against(pairs: Sequence[Pair], spread: float, u_d: float, prior_offset: float | None) -> str:
    """Return why the readings do not determine the offset, empty if they do."""
    if len(pairs) < _LEAST:
        return f"{len(pairs)} readings fit a scale and an offset exactly, {_LEAST} are needed"
    if spread < SPREAD:
        lengths = [p.caliper * 1e3 for p in pairs]
        return f"lengths of {min(lengths):.3g} to {max(lengths):.3g} mm of one kind are too alike, 2 to 1 is needed"
    if prior_offset and u_d > prior_offset:
        return f"they leave it ± {u_d * 1e3:.2g} mm, the device promises ± {prior_offset * 1e3:.2g} mm"
    return ""


def _fit(pairs: Sequence[Pair], prior_u: float | None, correlation: float) -> tuple[Solution, float] | None:
    """Return both parameters at that correlation, and chi² of the scale alone there; None where one is undetermined."""
    d = 0.0
    solution = None
    for _ in range(_ROUNDS):
        true = [p.caliper - p.gain * d for p in pairs]
        if min(true, default=0.0) <= 0:
            return None
        errors = errors_of([_at(p, length) for p, length in zip(pairs, true, strict=True)])
        column = [p.gain / length for p, length in zip(pairs, true, strict=True)]
        observed = [math.log(t / p.scan) + x * d for t, p, x in zip(true, pairs, column, strict=True)]
        weighing = Weighing(errors, correlation)
        solution = regress(observed, ([1.0] * len(pairs), column), (prior_u, None), weighing)
        if solution is None:
            return None
        moved, d = solution.values[1] - d, solution.values[1]
        if abs(moved) < _SETTLED:
            break
    observed = [p.log_ratio for p in pairs]
    alone = regress(observed, ([1.0] * len(pairs),), (prior_u,), Weighing(errors_of(pairs), correlation))
    return (solution, alone.chi2) if solution is not None and alone is not None else None


def _at(pair: Pair, length: float) -> Pair:
    """Return *pair* with its uncertainties relative to *length* in place of the caliper's value."""
    return replace(pair, caliper=length)
