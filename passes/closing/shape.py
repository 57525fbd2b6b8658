"""The closed surface that emitted pieces are held against: how far, on which side, next to which face."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Floats, Ints
from r2s.passes.closing.triangles import Nearest
from r2s.passes.closing.winding import Winding, surrounded

CUTS = 20_000  # parts that an area is cut into, about
_CONFIRM = 64  # places whose side is looked at twice, furthest first


@dataclass(frozen=True, eq=False)
class Sided:
    """Signed distances (k,) m, positive outside, and the nearest triangle (k,)."""

    signed: Floats
    face: Ints


class Shape:
    """A closed mesh that faces out: *triangles* (m, 3, 3) m."""

    def __init__(self, triangles: Floats) -> None:
        self._triangles = triangles
        self._nearest = Nearest(triangles, radius_for(triangles))
        self._winding = Winding(self._nearest.parts)

    def sided(self, points: Floats) -> Sided:
        """
        Return the signed distances of *points* (k, 3).

        The largest makes the verdict, so its side is confirmed by the solid angle; where that differs, the next largest
        is looked at.
        """
        away, face = self._nearest.distance(points)
        signed = np.where(self._winding.inside(points), -away, away)
        for _ in range(min(_CONFIRM, len(points))):
            worst = int(signed.argmax())
            if signed[worst] <= 0 or not surrounded(points[worst], self._triangles):
                break
            signed[worst] = -away[worst]
        return Sided(signed, face)

    def distance(self, points: Floats) -> Floats:
        """Return the unsigned distances (k,) of *points* (k, 3), m."""
        return self._nearest.distance(points)[0]


def radius_for(triangles: Floats) -> float:
    """
    Return the radius, m, to which *triangles* (m, 3, 3) are cut: as small as most of many, or ``CUTS`` parts of few.

    One large triangle among many small ones would have every question look at all that lie within its size.
    """
    a, b, c = np.moveaxis(triangles, 1, 0)
    area = float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)
    return radius_of(area, max(CUTS, len(triangles) // 2))


def radius_of(area: float, parts: int = CUTS) -> float:
    """Return the radius, m, at which halving cuts an *area*, m², into about *parts*: each has some 0.4 r²."""
    return float(np.sqrt(area / parts / 0.4))
