"""
Exact distances to triangles by a tree of their centres: no ray, no single precision, no box hierarchy.

Triangles are cut until none reaches further than a radius from its centre.  A triangle whose centre is further than
the best distance so far plus that radius cannot be nearer; so the nearest centres, taken in growing numbers, decide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Floats, Ints

_FIRST = 8  # centres looked at to begin with
_OCTAVE = 3.0  # ratio of reaches within a group ...
_GROUPS = 6  # ... of which there are so many, the last with all that is smaller
_PAIRS = 1 << 19  # of point and triangle, in memory at once
_MOST = 400_000  # parts more than triangles, beyond which these stay as large as they are


@dataclass(frozen=True, eq=False)
class Parts:
    """Triangles cut small: corners (k, 3, 3) m, the triangle (k,) each was cut from, and the largest *reach*, m."""

    corners: Floats
    parent: Ints
    reach: float

    @property
    def centers(self) -> Floats:
        """Centroids (k, 3), m: no point of a part is further from it than ``reach``."""
        return np.asarray(self.corners.mean(axis=1))

    @property
    def areas(self) -> Floats:
        """Areas (k,), m²."""
        a, b, c = np.moveaxis(self.corners, 1, 0)
        return np.asarray(np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2)


def cut(triangles: Floats, radius: float) -> Parts:
    """Return *triangles* (m, 3, 3) m, halved across their longest side until none reaches over *radius* m."""
    done: list[Floats] = []
    owner: list[Ints] = []
    parts, parent = triangles, np.arange(len(triangles))
    total = 0
    while len(parts):
        large = _reach(parts) > radius
        if total + 2 * len(parts) > len(triangles) + _MOST:
            large[:] = False
        done.append(parts[~large])
        owner.append(parent[~large])
        total += int((~large).sum())
        parts, parent = _halved(parts[large]), np.tile(parent[large], 2)
    corners = np.concatenate(done) if done else triangles
    return Parts(corners, np.concatenate(owner) if owner else parent, float(_reach(corners).max(initial=0)))


def by_size(parts: Parts) -> list[Parts]:
    """
    Return *parts* in groups of like size, each with its own ``reach``, the largest first.

    A search pays for the largest reach of what it searches, so a few large parts must not be among many small ones.
    """
    reaches = _reach(parts.corners)
    size = np.log(np.maximum(reaches, parts.reach * _OCTAVE**-_GROUPS) / max(parts.reach, 1e-300))
    group = np.floor(-size / np.log(_OCTAVE)).astype(np.int64)
    each = (np.flatnonzero(group == one) for one in np.unique(group))
    return [Parts(parts.corners[some], parts.parent[some], float(reaches[some].max())) for some in each]


class Nearest:
    """A set of triangles (m, 3, 3), m, at least one, that answers which point of it is nearest."""

    def __init__(self, triangles: Floats, radius: float) -> None:
        self.parts = cut(triangles, radius)
        self._groups = [_Group(parts) for parts in reversed(by_size(self.parts))]

    def distance(self, points: Floats) -> tuple[Floats, Ints]:
        """Return the distance (k,) m of each of *points* (k, 3) and the index (k,) of its nearest triangle."""
        best, owner = np.full(len(points), np.inf), np.zeros(len(points), dtype=np.int64)
        for group in self._groups:
            group.improve(points, best, owner)
        return best, owner


class _Group:
    """Parts of like size in a tree of their centres."""

    def __init__(self, parts: Parts) -> None:
        from scipy.spatial import cKDTree

        self._parts = parts
        self._tree = cKDTree(parts.centers)
        self._reaches = _reach(parts.corners)

    def improve(self, points: Floats, best: Floats, owner: Ints) -> None:
        """Lower *best* (k,), m, and set *owner* (k,), where a part is nearer to one of *points* (k, 3)."""
        size = len(self._parts.parent)
        seen, count = 0, min(_FIRST, size)
        open_ = np.arange(len(points))
        while len(open_):
            step = max(_PAIRS // count, 1)
            chunks = [open_[i : i + step] for i in range(0, len(open_), step)]
            open_ = np.concatenate([self._among(points, some, seen, count, best, owner) for some in chunks])
            if count == size:
                break
            seen, count = count, min(2 * count, size)

    def _among(self, points: Floats, some: Ints, seen: int, count: int, best: Floats, owner: Ints) -> Ints:
        """
        Look at the *count* nearest centres of *some* points less the *seen* nearest, which were looked at before.

        Returns those of *some* for which a part further on may still be nearer.
        """
        found = self._tree.query(points[some], k=np.arange(seen + 1, count + 1))
        away, index = np.asarray(found[0]), np.asarray(found[1])
        # A centre lies on its part, so the nearest is never further than the nearest centre.
        bound = np.minimum(best[some], away[:, 0])[:, None]
        row, column = np.nonzero(away - self._reaches[index] <= bound)
        part = index[row, column]
        gap = distances(points[some][row], self._parts.corners[part])
        order = np.lexsort((part, gap, row))
        first = order[np.unique(row[order], return_index=True)[1]]
        nearer = first[gap[first] < best[some[row[first]]]]
        best[some[row[nearer]]] = gap[nearer]
        owner[some[row[nearer]]] = self._parts.parent[part[nearer]]
        return some[best[some] > away[:, -1] - self._parts.reach]


def distances(points: Floats, triangles: Floats) -> Floats:
    """
    Return the distance (k,) of each of *points* (k, 3) to its own triangle of *triangles* (k, 3, 3), m.

    The nearest point is a + s u + t v with s, t >= 0 and s + t <= 1; its square is a convex quadratic in s and t, so it
    is the free minimum where that is allowed, else the least along the three sides.
    """
    a = triangles[:, 0]
    u, v, w = triangles[:, 1] - a, triangles[:, 2] - a, points - a
    best = np.minimum(_to_side(w, u), np.minimum(_to_side(w, v), _to_side(w - u, v - u)))
    uu, vv, uv = _dot(u, u), _dot(v, v), _dot(u, v)
    wu, wv = _dot(w, u), _dot(w, v)
    spread = uu * vv - uv * uv
    solid = spread > 1e-14 * uu * vv
    scale = np.divide(1.0, spread, out=np.zeros_like(spread), where=solid)
    s, t = (vv * wu - uv * wv) * scale, (uu * wv - uv * wu) * scale
    within = solid & (s >= 0) & (t >= 0) & (s + t <= 1)
    foot = w[within] - s[within, None] * u[within] - t[within, None] * v[within]
    best[within] = np.minimum(best[within], np.linalg.norm(foot, axis=1))
    return best


def _to_side(away: Floats, side: Floats) -> Floats:
    length = _dot(side, side)
    share = np.divide(_dot(away, side), length, out=np.zeros_like(length), where=length > 0).clip(0, 1)
    return np.asarray(np.linalg.norm(away - share[:, None] * side, axis=1))


def _dot(one: Floats, other: Floats) -> Floats:
    return np.asarray(np.einsum("ij,ij->i", one, other))


def _reach(triangles: Floats) -> Floats:
    centers = triangles.mean(axis=1, keepdims=True)
    return np.asarray(np.sqrt(((triangles - centers) ** 2).sum(axis=2).max(axis=1, initial=0)))


def _halved(triangles: Floats) -> Floats:
    sides = ((np.roll(triangles, -1, axis=1) - triangles) ** 2).sum(axis=2)
    turn = (sides.argmax(axis=1)[:, None] + np.arange(3)) % 3
    a, b, c = np.moveaxis(np.take_along_axis(triangles, turn[:, :, None], axis=1), 1, 0)
    middle = (a + b) / 2
    return np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])
