"""The weights of a mean whose uncertainty holds at every correlation of the errors that its readings may share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from r2s.compiler.scale_pair import Pair


def best_weights(pairs: Sequence[Pair], prior_u: float | None) -> tuple[tuple[float, ...], float]:
    """
    Return the weights (n) that make wᵀΣw least among those at or above 0, Σ fully shared, and 1/u² of their mean.

    With its multiplier set to 1, a weight is (1 - s·t)/v of its own variance v and shared part s, or 0, where
    t = Σ s·w over the instrument; so instruments do not meet.  Put in: (1 + Σ s_j(s_j - s)/v_j)/(1 + Σ s_j²/v_j)/v
    over those j whose weight is not 0.  They are the smaller s: the largest, of the shortest lengths, leave one by one
    until the rest stays positive.  *prior_u* is one more reading that shares nothing.
    """
    found = [0.0] * len(pairs)
    for instrument in dict.fromkeys(p.instrument for p in pairs):
        members = [i for i, p in enumerate(pairs) if p.instrument == instrument]
        members.sort(key=lambda i: (pairs[i].shared, i))
        of = [pairs[i] for i in members]
        while _left(of, of[-1].shared) <= 0:
            of.pop()
        inner = 1 + math.fsum((p.shared / p.u_alone) ** 2 for p in of)
        for i, p in zip(members, of, strict=False):
            found[i] = _left(of, p.shared) / inner / p.u_alone**2
    total = math.fsum(found) + (prior_u**-2 if prior_u else 0.0)
    return tuple(w / total for w in found), total


def _left(of: Sequence[Pair], shared: float) -> float:
    """Return what is left to a reading with that shared part; 1 for one alone, so the search always ends."""
    return 1 + math.fsum(p.shared / p.u_alone * ((p.shared - shared) / p.u_alone) for p in of)


def u_shared(pairs: Sequence[Pair], weights: Sequence[float]) -> float:
    """Return the standard uncertainty of the mean from shared parts alone: one error that moves all of a caliper's."""
    moved: dict[str, float] = {}
    for weight, pair in zip(weights, pairs, strict=True):
        moved[pair.instrument] = moved.get(pair.instrument, 0.0) + weight * pair.shared
    return math.hypot(*moved.values())
