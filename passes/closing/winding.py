"""
Which points a closed mesh winds around, by counting what lies over them.

The mesh is turned once by a rotation without pattern, so that nothing is upright; then over each point the triangles
that its plumb line meets are counted, each with the side that it shows.  A closed surface that faces out counts 1 for a
point inside and 0 outside, whatever crosses itself.  Where one answer decides, the solid angle confirms it.
"""

from __future__ import annotations

import numpy as np

from r2s.compiler.ir import Bools, Floats
from r2s.passes.closing.mjcf import turned
from r2s.passes.closing.triangles import Parts, by_size

_TURN = turned(np.array([0.8131, 0.2917, -0.4327, 0.2571]))
_QUERIES = 2048


class Winding:
    """Answers for the *parts* of a closed mesh that faces out."""

    def __init__(self, parts: Parts) -> None:
        self._layers = [_Layer(group) for group in by_size(parts)]

    def inside(self, points: Floats) -> Bools:
        """Return for each of *points* (k, 3) whether the mesh winds around it."""
        asked = points @ _TURN.T
        turns = np.zeros(len(asked))
        for layer in self._layers:
            for start in range(0, len(asked), _QUERIES):
                some = slice(start, start + _QUERIES)
                turns[some] += layer.turns(asked[some])
        return np.asarray(turns > 0)


class _Layer:
    """Parts of like size, turned, in a tree of their centres as seen from above."""

    def __init__(self, parts: Parts) -> None:
        from scipy.spatial import cKDTree

        self._corners = parts.corners @ _TURN.T
        self._tree = cKDTree(self._corners[:, :, :2].mean(axis=1))
        self._reach = parts.reach * (1 + 1e-9)

    def turns(self, points: Floats) -> Floats:
        """Return what lies over each of *points* (k, 3), turned: outward faces up less outward faces down."""
        from scipy.spatial import cKDTree

        pairs = cKDTree(points[:, :2]).sparse_distance_matrix(self._tree, self._reach, output_type="ndarray")
        query, part = pairs["i"], pairs["j"]
        a, b, c = np.moveaxis(self._corners[part] - points[query][:, None], 1, 0)
        one, two, three = _cross(a, b), _cross(b, c), _cross(c, a)
        area = one + two + three
        over = (np.minimum(np.minimum(one, two), three) >= 0) | (np.maximum(np.maximum(one, two), three) <= 0)
        over &= area != 0
        # Barycentric weights of the plumb line give the height of the triangle above the point.
        height = (two * a[:, 2] + three * b[:, 2] + one * c[:, 2])[over] / area[over]
        shown = np.where(height > 0, np.sign(area[over]), 0.0)
        return np.asarray(np.bincount(query[over], weights=shown, minlength=len(points)))


def surrounded(point: Floats, triangles: Floats) -> bool:
    """
    Return whether closed *triangles* (m, 3, 3) wind around *point* (3,), by the solid angle of all of them.

    Oosterom and Strackee 1983; 4 pi is one turn.
    """
    a, b, c = np.moveaxis(triangles - point, 1, 0)
    la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
    top = np.einsum("ij,ij->i", a, np.cross(b, c))
    bottom = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
    return bool(np.arctan2(top, bottom).sum() > np.pi)


def _cross(one: Floats, other: Floats) -> Floats:
    return np.asarray(one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0])
