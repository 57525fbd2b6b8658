"""
Circles around an axis: the outermost and the innermost wall of a section.

Each of 36 sectors names its outermost (or innermost) point; the median sector starts a circle that is then fitted to
the wall's points alone, so that a handle, a lid or the other wall has no say.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from r2s.compiler.ir import Bools, Floats

_SECTORS = 36
_SEEN = 0.5  # of the sectors must show the wall
_ENOUGH = 24

Wall = Literal["outer", "inner"]


@dataclass(frozen=True, eq=False)
class Ring:
    """
    A circle of a section: *radius* at *along*, its standard uncertainty *u*, and the wall's *scatter* about it.

    slope is the wall's, radius over along; reach is half the height of the section that was seen.
    tilt is the sine of the angle by which the wall's normals lie out of the section.
    """

    radius: float
    u: float
    scatter: float
    slope: float
    u_slope: float
    along: float
    reach: float
    tilt: float = 0.0


def ring(where: Floats, along: Floats, sigma: float, patch: float, wall: Wall) -> Ring | None:
    """
    Return the circle through one wall of a section, or None where less than half of its turn is seen.

    where (n, 2) across the axis, *along* (n,) on it; both relative to the axis of the object.
    """
    if len(where) < _ENOUGH:
        return None
    radius, turn = np.hypot(where[:, 0], where[:, 1]), np.arctan2(where[:, 1], where[:, 0])
    sector = np.minimum(((turn + np.pi) / (2 * np.pi) * _SECTORS).astype(np.int64), _SECTORS - 1)
    start = float(np.median(_extreme(radius, sector, wall)))
    window = max(8 * sigma, 0.03 * start)
    middle = float(np.median(along))
    terms = np.column_stack([np.ones(len(radius)), along - middle, np.cos(turn), np.sin(turn)])
    if np.ptp(along) <= 0:
        terms[:, 1] = 0.0
    guess = np.array([start, 0.0, 0.0, 0.0])
    for _ in range(12):
        chosen = np.abs(radius - terms @ guess) < window
        if not _covers(sector, chosen):
            return None
        guess = np.linalg.lstsq(terms[chosen], radius[chosen], rcond=1e-9)[0]
        left = radius[chosen] - terms[chosen] @ guess
        spread = 1.4826 * float(np.median(np.abs(left - np.median(left))))
        window = max(0.6 * window, 3.5 * sigma, 4 * spread, 1e-9 * start)
    count = int(chosen.sum())
    scatter = sqrt(float(left @ left) / max(count - 4, 1))
    covariance = np.linalg.pinv(terms[chosen].T @ terms[chosen], hermitian=True) * scatter**2 * min(patch, count / 4)
    return Ring(
        float(guess[0]),
        sqrt(float(covariance[0, 0])),
        scatter,
        float(guess[1]),
        sqrt(float(covariance[1, 1])),
        middle,
        float(np.ptp(along[chosen])) / 2,
    )


def _extreme(radius: Floats, sector: Floats, wall: Wall) -> Floats:
    order = np.argsort(radius if wall == "inner" else -radius, kind="stable")
    _, first = np.unique(sector[order], return_index=True)
    return np.asarray(radius[order][first])


def _covers(sector: Floats, chosen: Bools) -> bool:
    return int(chosen.sum()) >= _ENOUGH // 2 and len(np.unique(sector[chosen])) >= _SEEN * _SECTORS
