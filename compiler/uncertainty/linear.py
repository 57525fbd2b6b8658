"""
The law of propagation as one linear model: outputs y = J z, so Cov(y) = J Cov(z) Jᵀ (GUM 5.2, JCGM 102 6.2).

First order only.  Where a derivative vanishes at the best values (a norm, a distance, a product of two zeros) this says
u = 0 and is wrong; :mod:`r2s.compiler.uncertainty.validation` finds that out by Monte Carlo.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from r2s.compiler.uncertainty.budget import Budget, Contribution, Output, Part
from r2s.compiler.uncertainty.state import State

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Propagated:
    """
    The outputs' budgets, and their joint *covariance* (m, m) in the product of their units.

    The diagonal is infinite for an output that an unbounded component reaches; off the diagonal infinite with the sign
    of the common sensitivity, and nan where two unbounded components disagree about that sign.
    """

    budgets: tuple[Budget, ...]
    covariance: Floats


def propagate(state: State, outputs: Sequence[Output], jacobian: ArrayLike, level: float = 0.95) -> Propagated:
    """
    Return what *state* (n components) does to *outputs* (m) through *jacobian* (m, n) of ∂y/∂z.

    Raises ValueError for a Jacobian of another shape or with a value that is not finite.
    """
    j = np.asarray(jacobian, dtype=np.float64)
    if j.shape != (len(outputs), len(state.components)):
        raise ValueError(f"a Jacobian of {len(outputs)} outputs by {len(state.components)} components, not {j.shape}")
    if not np.isfinite(j).all():
        raise ValueError("a sensitivity must be finite")
    budgets = tuple(_budget(state, output, row, level) for output, row in zip(outputs, j, strict=True))
    return Propagated(budgets, j @ state.covariance @ j.T + _unbounded(state, j))


def _budget(state: State, output: Output, row: Floats, level: float) -> Budget:
    parts_of_u = row * state.u
    correlation = state.correlation
    unbounded = np.array([c.unbounded and s != 0 for c, s in zip(state.components, row, strict=True)], dtype=bool)
    if unbounded.any():
        # Beside these nothing else counts, and nothing tells which of several is the largest: they share alike.
        parts_of_u, correlation = unbounded.astype(np.float64), np.eye(len(row))
    sets = [(ids, _variance(parts_of_u, correlation, ids)) for ids in state.independent]
    total = math.fsum(v for _, v in sets)
    scale = math.inf if unbounded.any() else 1.0
    parts = [
        Part(
            tuple(state.components[i] for i in ids if parts_of_u[i] != 0),
            math.sqrt(v) * scale,
            v / total,
        )
        for ids, v in sets
        if v > 0
    ]
    shares = parts_of_u * (correlation @ parts_of_u) / (total or 1.0)
    contributions = tuple(
        Contribution(c, float(s), float(s) * c.u if s else 0.0, float(share))
        for c, s, share in zip(state.components, row, shares, strict=True)
    )
    # the sort is stable: equal shares stay in the state's order
    by_share = tuple(sorted(parts, key=lambda part: -part.share))
    return Budget(output, math.sqrt(total) * scale, level, contributions, by_share)


def _variance(parts_of_u: Floats, correlation: Floats, ids: tuple[int, ...]) -> float:
    """Return what one independent set adds to u²; never below zero, where the rounding of a cancelled sum would be."""
    part = parts_of_u[list(ids)]
    return max(0.0, float(part @ correlation[np.ix_(ids, ids)] @ part))


def _unbounded(state: State, j: Floats) -> Floats:
    """Return what unbounded components add to the covariance: ±∞ where two outputs share one, else 0."""
    added = np.zeros((len(j), len(j)))
    for i, component in enumerate(state.components):
        if component.unbounded:
            shared = np.outer(np.sign(j[:, i]), np.sign(j[:, i]))
            with np.errstate(invalid="ignore"):  # ∞ - ∞ is nan, as said
                added += np.where(shared != 0, shared * math.inf, 0.0)
    return added
