"""
The door to manifold3d: unions, cuts and connected parts of closed meshes, in double precision.

Its results are exact up to a rounding of about 1e-12 of the shape's size, which ``rounding`` returns.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from r2s.compiler.ir import Floats, Ints

Manifold = Any  # manifold3d ships no types


def manifold(vertices: Floats, faces: Ints) -> Manifold:
    """Return the solid that a closed outward mesh bounds."""
    from manifold3d import Manifold, Mesh64

    mesh = Mesh64(
        np.ascontiguousarray(vertices, dtype=np.float64).copy(), np.ascontiguousarray(faces, dtype=np.uint64).copy()
    )
    return Manifold(mesh)


def mesh(solid: Manifold) -> tuple[Floats, Ints]:
    """Return vertices (n, 3) and faces (m, 3) of a solid."""
    found = solid.to_mesh64()
    return np.array(found.vert_properties, dtype=np.float64)[:, :3], np.array(found.tri_verts, dtype=np.int64)


def union(solids: Iterable[Manifold]) -> Manifold:
    """Return the union of solids."""
    from manifold3d import Manifold, OpType

    return Manifold.batch_boolean(list(solids), OpType.Add)


def parts(solid: Manifold) -> list[Manifold]:
    """Return the connected parts of a solid, those without volume left out."""
    return [part for part in solid.decompose() if part.num_tri() >= 4 and part.volume() > 0]


def cut(solid: Manifold, normal: Floats, offset: float, gap: float) -> list[Manifold]:
    """
    Return the connected parts on the two sides of the plane ``normal . x = offset``, *gap* m off it.

    Without a gap a face that lies in the plane would stay on one side as a fin without thickness.
    """
    x, y, z = (float(n) for n in normal)
    above = solid.trim_by_plane((x, y, z), float(offset) + gap)
    below = solid.trim_by_plane((-x, -y, -z), -float(offset) + gap)
    return parts(above) + parts(below)


def rounding(solid: Manifold) -> float:
    """Return how far the boundary of a boolean's result may lie from the exact one, m."""
    return 4 * float(solid.get_tolerance())


def shared(one: Manifold, other: Manifold) -> Manifold:
    """Return the intersection of two solids."""
    return one ^ other
