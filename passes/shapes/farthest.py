"""
A certified bound of a directed distance between two meshes: no point of one lies further from the other.

The distance to one triangle is a convex function, so over another triangle it is largest in a corner.  Hence the
triangle nearest to a face's middle bounds the whole face.  Where that is not good enough the face is divided: quartered
while it is much larger than that triangle, then cut along the triangle's edges, so that every part lies over one.
Distances change no faster than position (1-Lipschitz), which bounds a small part from its middle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Floats, Ints
from r2s.passes.shapes.distance import Solid

_ROUNDS = 24
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

    None means that a point lies further, or so near to *within* that the parts became too many.
    """
    parts = vertices[faces]
    proven = 0.0
    for _ in range(_ROUNDS):
        middles = parts.mean(axis=1)
        away, _, face = target.solid.nearest(middles)
        if away.max() > within:
            return None
        corners = np.max([target.gap(parts[:, k], face) for k in range(3)], axis=0)
        radius = np.sqrt(((parts - middles[:, None]) ** 2).sum(axis=2).max(axis=1))
        bound = np.minimum(away + radius, corners)
        undecided = bound > within
        proven = max(proven, float(bound[~undecided].max(initial=0.0)))
        if not undecided.any():
            return proven
        if 4 * int(undecided.sum()) > _MOST:
            return None
        parts = _divided(parts[undecided], radius[undecided], target, face[undecided])
    return None


def _divided(parts: Floats, radius: Floats, target: Target, face: Ints) -> Floats:
    """Return smaller parts that cover *parts*: quarters of the large, the rest cut at an edge of the face below."""
    size = np.sqrt(np.maximum(target.dots[0], target.dots[2]))[face]
    origin, inward = _outermost_edge(parts, target, face)
    height = np.einsum("nkj,nj->nk", parts - origin[:, None], inward)
    # A cut that leaves next to nothing on one side would go on for ever.
    least = 1e-6 * radius
    crossed = (height.max(axis=1) > least) & (height.min(axis=1) < -least)
    cut = crossed & (radius <= size)
    return np.concatenate([_quartered(parts[~cut]), _cut(parts[cut], height[cut])])


def _outermost_edge(parts: Floats, target: Target, face: Ints) -> tuple[Floats, Floats]:
    """Return a point of, and the inward normal across, that edge of each face that its part reaches furthest over."""
    p, q = target.first[face], target.second[face]
    normal = np.cross(p, q)
    starts = np.stack([target.corner[face], target.corner[face] + p, target.corner[face] + q])
    inward = np.cross(normal, np.stack([p, q - p, -q]))
    length = np.linalg.norm(inward, axis=2, keepdims=True)
    inward = np.divide(inward, length, out=np.zeros_like(inward), where=length > 0)
    reach = np.einsum("enkj,enj->enk", parts[None] - starts[:, :, None], inward).min(axis=2)
    worst, rows = reach.argmin(axis=0), np.arange(len(parts))
    return starts[worst, rows], inward[worst, rows]


def _cut(parts: Floats, height: Floats) -> Floats:
    """Return three triangles for each part, which the plane where *height* (n, 3) is 0 crosses."""
    if len(parts) == 0:
        return parts
    above = height > 0
    lone_side = above.sum(axis=1) == 1
    lone = np.where(lone_side, above.argmax(axis=1), (~above).argmax(axis=1))
    turn = (lone[:, None] + np.arange(3)) % 3
    a, b, c = np.moveaxis(np.take_along_axis(parts, turn[..., None], axis=1), 1, 0)
    ha, hb, hc = np.moveaxis(np.take_along_axis(height, turn, axis=1), 1, 0)
    ab = a + (ha / (ha - hb))[:, None] * (b - a)
    ac = a + (ha / (ha - hc))[:, None] * (c - a)
    return np.concatenate([np.stack(corners, axis=1) for corners in ((a, ab, ac), (ab, b, c), (ab, c, ac))])


def _quartered(parts: Floats) -> Floats:
    a, b, c = np.moveaxis(parts, 1, 0)
    ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
    return np.concatenate(
        [np.stack(corners, axis=1) for corners in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
    )
