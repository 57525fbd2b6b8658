"""
Clips the ringing of a Poisson surface: no observed place stands out beyond all the points around it.

Beside an edge the indicator function of screened Poisson overshoots, by a third of a pitch where points are sparse.
There a vertex lies further out along its own normal than every point near it, or further in than every one.  It is put
back to the outermost, or innermost, of them.  On a face noise holds points on both sides, so nothing moves; what no
point supports stays as it is.
"""

from __future__ import annotations

import numpy as np

from r2s.compiler.ir import Bools, Floats, Ints
from r2s.passes.clouds.neighbours import neighbours
from r2s.passes.meshes.normals import vertex_normals

_NEIGHBOURS = 12
_REACH = 3.0  # pitches to the farthest point that has a say
_LEAST = 6  # points: fewer are the rim of a hole, and say nothing of its middle
_MOST = 0.4  # pitches that a vertex may be put back: more is a hole, not ringing


def clipped(vertices: Floats, faces: Ints, observed: Bools, points: Floats, pitch: float) -> Floats:
    """
    Return *vertices* (n, 3) m, none of them beyond the local support of *points* (k, 3) m of that *pitch*, m.

    *observed* (m,) tells which faces the points support; a vertex of any other face stays.
    """
    outward = vertex_normals(vertices, faces)
    distance, near = neighbours(points, min(_NEIGHBOURS, len(points)), vertices, within=_REACH * pitch)
    there = np.isfinite(distance)
    ahead = np.einsum("nki,ni->nk", points[near] - vertices[:, None], outward)
    highest = np.where(there, ahead, -np.inf).max(axis=1)
    lowest = np.where(there, ahead, np.inf).min(axis=1)
    inner = np.ones(len(vertices), dtype=np.bool_)
    inner[faces[~observed]] = False
    held = inner & (there.sum(axis=1) >= _LEAST)
    back = np.where(held, np.minimum(highest, 0.0), 0.0) + np.where(held, np.maximum(lowest, 0.0), 0.0)
    held &= np.abs(back) <= _MOST * pitch
    return np.asarray(vertices + np.where(held, back, 0.0)[:, None] * outward)
