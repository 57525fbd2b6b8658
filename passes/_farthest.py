"""
A certified bound of a directed distance between two meshes: no point of one lies further from the other.

The distance to one triangle is a convex function, so over another triangle it is largest in a corner.  Hence the
triangle nearest to a face's middle bounds the whole face; where that bound is not good enough the face is quartered.
Distances change no faster than position (1-Lipschitz), which bounds a small piece from its middle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Floats, Ints
from r2s.passes._distance import Solid

_ROUNDS = 9
_MOST = 400_000  # pieces alive at once


@dataclass(frozen=True, eq=False)
class Target:
    """A mesh to measure to: its ``Solid``, and per triangle a corner, two edges from it and their dot products."""

    solid: Solid
    corner: Floats
    first: Floats
    second: Floats
    dots: Floats

    @classmethod
    def of(cls, vertices: Floats, faces: Ints) -> Target:
        """Return the target of the mesh *vertices* (n, 3) m, *faces* (m, 3)."""
        a, b, c = np.moveaxis(vertices[faces], 1, 0)
        p, q = b - a, c - a
        dots = np.stack([(p * p).sum(axis=1), (p * q).sum(axis=1), (q * q).sum(axis=1)])
        return cls(Solid(vertices, faces), a, p, q, dots)

    def gap(self, points: Floats, face: Ints) -> Floats:
        """Return the distance (k,) of each of *points* (k, 3) to its own triangle *face* (k,), m."""
        away, first, second = points - self.corner[face], self.first[face], self.second[face]
        u = np.einsum("ij,ij->i", away, first)
        v = np.einsum("ij,ij->i", away, second)
        w = np.einsum("ij,ij->i", away, away)
        pp, pq, qq = self.dots[:, face]
        best = np.minimum(_to_segment(w, u, pp), _to_segment(w, v, qq))
        # The third edge runs from the end of the first to the end of the second.
        best = np.minimum(best, _to_segment(w - 2 * u + pp, v - u - pq + pp, pp - 2 * pq + qq))
        area = pp * qq - pq * pq
        flat = area > 1e-12 * pp * qq
        scale = np.divide(1.0, area, out=np.zeros_like(area), where=flat)
        s, t = (qq * u - pq * v) * scale, (pp * v - pq * u) * scale
        within = flat & (s >= 0) & (t >= 0) & (s + t <= 1)
        return np.asarray(np.sqrt(np.maximum(np.where(within, w - s * u - t * v, best), 0.0)))


def _to_segment(w: Floats, along: Floats, length: Floats) -> Floats:
    """Squared distance to a segment, from |x|², x·e and |e|² with x measured from the segment's start."""
    share = np.divide(along, length, out=np.zeros_like(along), where=length > 0).clip(0, 1)
    return np.asarray(w - 2 * share * along + share * share * length)


def bounded(vertices: Floats, faces: Ints, target: Target, within: float) -> float | None:
    """
    Return a bound, m and at most *within*, of the distance of every point of a mesh from *target*; None if none holds.

    None means that a point lies further, or so near to *within* that the pieces became too many.
    """
    pieces = vertices[faces]
    proven = 0.0
    for _ in range(_ROUNDS):
        middles = pieces.mean(axis=1)
        away, _, face = target.solid.nearest(middles)
        if away.max() > within:
            return None
        corners = np.max([target.gap(pieces[:, k], face) for k in range(3)], axis=0)
        radius = np.sqrt(((pieces - middles[:, None]) ** 2).sum(axis=2).max(axis=1))
        bound = np.minimum(away + radius, corners)
        undecided = bound > within
        proven = max(proven, float(bound[~undecided].max(initial=0.0)))
        if not undecided.any():
            return proven
        if 4 * int(undecided.sum()) > _MOST:
            return None
        pieces = _quartered(pieces[undecided])
    return None


def _quartered(pieces: Floats) -> Floats:
    a, b, c = np.moveaxis(pieces, 1, 0)
    ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
    return np.concatenate(
        [np.stack(corners, axis=1) for corners in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
    )
