"""
Takes the ringing out of a Poisson surface: what its points say, on the mean, is where it goes.

Beside an edge the indicator function of screened Poisson overshoots, by a third of a pitch where points are sparse, and
on the edge it falls short.  The signed distances of the points tell both, so their local mean moves each vertex along
its normal.  The noise of single points cancels in that mean; places that no point supports stay where they are.
"""

from __future__ import annotations

import numpy as np

from r2s.compiler.ir import Floats, Ints
from r2s.passes.clouds.neighbours import neighbours
from r2s.passes.shapes.distance import Solid

_ROUNDS = 3
_NEIGHBOURS = 12
_WIDTH = 0.8  # pitches: standard deviation of the weight of a point by its distance from the vertex
_REACH = 2.5  # pitches to the farthest point that has a say
_SAME_SIDE = 0.5  # cosine between a vertex's normal and a point's: across a thin wall they are opposed
_MOST = 0.5  # pitches that a vertex may move in one round: more is a hole, not ringing


def corrected(vertices: Floats, faces: Ints, points: Floats, normals: Floats, pitch: float) -> Floats:
    """Return *vertices* (n, 3) m, moved to where *points* with their outward *normals* lie on the mean."""
    moved = vertices
    for _ in range(_ROUNDS):
        outward = _vertex_normals(moved, faces)
        residual = Solid(moved, faces).signed(points)
        distance, near = neighbours(points, min(_NEIGHBOURS, len(points)), moved, within=_REACH * pitch)
        facing = np.einsum("nki,ni->nk", normals[near], outward) > _SAME_SIDE
        weight = np.where(np.isfinite(distance) & facing, np.exp(-0.5 * (distance / (_WIDTH * pitch)) ** 2), 0.0)
        total = weight.sum(axis=1)
        step = (weight * residual[near]).sum(axis=1) / np.where(total > 0, total, 1.0)
        moved = moved + np.clip(step, -_MOST * pitch, _MOST * pitch)[:, None] * outward
    return moved


def _vertex_normals(vertices: Floats, faces: Ints) -> Floats:
    """Return unit normals (n, 3), the mean of the faces around a vertex weighted by their area."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    cross = np.cross(b - a, c - a)
    total = np.stack([np.bincount(faces.ravel(), np.repeat(cross[:, i], 3), len(vertices)) for i in range(3)], axis=1)
    return np.asarray(total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-300))
