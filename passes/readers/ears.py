"""
Cut one flat polygon into triangles by clipping ears; concave outlines and corners on a straight edge are welcome.

A fan of a concave polygon folds over itself: its signed volume comes out right, its area and its surface do not.
A corner in the middle of a straight edge must not become a triangle of no area, as a later step drops such triangles
and leaves a crack.  So ears of good shape go first, and worse ones only when no better is left.
"""

from __future__ import annotations

from collections import deque
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

# Least shape of an ear (twice its area over its longest edge squared), and how near to the ear a corner counts as in it
# (over the squared size of the polygon); tried in this order.
_STRICTNESS = ((0.1, 1e-7), (1e-3, 1e-7), (1e-7, 0.0), (0.0, -1e-12))


def clip_ears(outline: NDArray[np.float64]) -> list[tuple[int, int, int]]:
    """
    Return the n - 2 triangles of the polygon *outline* (n, 2), which runs counter-clockwise.

    A corner that is no ear can become one only when a neighbour is clipped, so only those are looked at again.
    Where the outline crosses itself no ear may be left; the rest is then cut as a fan, as there is no right answer.
    """
    size = float((outline.max(axis=0) - outline.min(axis=0)).max()) or 1.0
    ring = _Ring((outline - outline.min(axis=0)) / size)
    triangles: list[tuple[int, int, int]] = []
    for strictness in _STRICTNESS:
        corners = ring.corners()
        waiting = deque(corners[::2] + corners[1::2])  # one after the other would cut slivers off one corner
        while waiting and ring.left > 3:
            corner = waiting.popleft()
            if ring.alive[corner] and ring.is_ear(corner, *strictness):
                triangles.append(ring.clip(corner))
                waiting.extend((triangles[-1][0], triangles[-1][2]))
    rest = ring.corners()
    return triangles + [(rest[0], b, c) for b, c in pairwise(rest[1:])]


class _Ring:
    """The corners that are not yet cut off, linked both ways."""

    def __init__(self, points: NDArray[np.float64]) -> None:
        n = len(points)
        self.after = [*range(1, n), 0]
        self.before = [n - 1, *range(n - 1)]
        self.alive = [True] * n
        self.left = n
        self._points = points
        self._xy: list[tuple[float, float]] = [(float(x), float(y)) for x, y in points]
        self._blocks = np.array([self._turn(i) <= 1e-7 for i in range(n)])

    def clip(self, corner: int) -> tuple[int, int, int]:
        """Take *corner* out and return the triangle that it was."""
        before, after = self.before[corner], self.after[corner]
        self.after[before], self.before[after] = after, before
        self.alive[corner] = False
        self.left -= 1
        self._blocks[corner] = False
        for neighbour in (before, after):
            self._blocks[neighbour] = self._turn(neighbour) <= 1e-7
        return before, corner, after

    def corners(self) -> list[int]:
        """Return the corners that are left, in order."""
        found = [self.alive.index(True)]
        while (following := self.after[found[-1]]) != found[0]:
            found.append(following)
        return found

    def is_ear(self, corner: int, least_shape: float, margin: float) -> bool:
        """Whether *corner* sticks out, its triangle is well enough shaped, and no other corner lies in it."""
        a, b, c = self._xy[self.before[corner]], self._xy[corner], self._xy[self.after[corner]]
        area2 = _cross(a, b, c)
        longest2 = max((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2 for p, q in ((a, b), (b, c), (c, a)))
        return area2 > 0 and area2 >= least_shape * longest2 and not self._holds_a_corner(a, b, c, margin)

    def _holds_a_corner(
        self, a: tuple[float, float], b: tuple[float, float], c: tuple[float, float], margin: float
    ) -> bool:
        points = self._points[self._blocks]
        inside = np.ones(len(points), dtype=bool)
        for p, q in ((a, b), (b, c), (c, a)):
            inside &= (q[0] - p[0]) * (points[:, 1] - p[1]) - (q[1] - p[1]) * (points[:, 0] - p[0]) >= -margin
        for p in (a, b, c):  # a corner at the same place as one of the ear's own does not block it
            inside &= (points != p).any(axis=1)
        return bool(inside.any())

    def _turn(self, corner: int) -> float:
        return _cross(self._xy[self.before[corner]], self._xy[corner], self._xy[self.after[corner]])


def _cross(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
