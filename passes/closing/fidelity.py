"""Whether the files hold the pieces that the passes measured, and whether each mesh bounds its own hull."""

from __future__ import annotations

import numpy as np

from r2s.compiler.ir import Floats, Piece
from r2s.passes.closing.mjcf import Emitted
from r2s.passes.closing.solids import Solid

_SIGNS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


def moved(pieces: tuple[Piece, ...], to_asset: Floats, geoms: tuple[Emitted, ...]) -> tuple[float, str]:
    """
    Return how far the worst of *geoms* is from its piece, m, and its name; the pieces are placed by *to_asset* (4, 4).

    Both are hulls of points grown by a radius, so no point of one solid is further from the other than the points and
    the radii differ.
    """
    worst, name = 0.0, ""
    factor = float(np.cbrt(np.linalg.det(to_asset[:3, :3])))
    for piece, geom in zip(pieces, geoms, strict=False):
        core, radius = _core(piece)
        placed = core @ to_asset[:3, :3].T + to_asset[:3, 3]
        off = max(_apart(placed, geom.core), _apart(geom.core, placed)) + abs(radius * factor - geom.radius)
        if off > worst:
            worst, name = off, geom.name
    return worst, name


def folded(geoms: tuple[Emitted, ...], solids: tuple[Solid, ...]) -> tuple[float, str]:
    """
    Return how deep a triangle of a mesh lies inside the hull that it should bound, m, and the geom's name.

    Infinite where the triangles enclose no volume or face inward.
    """
    worst, name = 0.0, ""
    for geom, solid in zip(geoms, solids, strict=True):
        if len(geom.faces) == 0:
            continue
        corners = geom.core[geom.faces]
        a, b, c = np.moveaxis(corners - geom.core.mean(axis=0), 1, 0)
        faces_out = float(np.einsum("ij,ij->", a, np.cross(b, c))) > 0
        middles = (corners + np.roll(corners, 1, axis=1)) / 2
        depth = float(-solid.level(middles.reshape(-1, 3)).min()) if faces_out else np.inf
        if depth > worst:
            worst, name = depth, geom.name
    return worst, name


def _core(piece: Piece) -> tuple[Floats, float]:
    """Return the points (k, 3) whose hull, grown by the radius, is *piece*, m."""
    x, y, z = (float(size) for size in piece.size)
    if piece.kind == "mesh":
        return piece.vertices[np.unique(piece.faces)], 0.0
    if piece.kind == "box":
        return _SIGNS * [x, y, z] @ piece.rotation.T + piece.center, 0.0
    half = y if piece.kind == "capsule" else 0.0
    ends = np.array([[0.0, 0.0, -half], [0.0, 0.0, half]]) if half > 0 else np.zeros((1, 3))
    return ends @ piece.rotation.T + piece.center, x


def _apart(points: Floats, others: Floats) -> float:
    from scipy.spatial import cKDTree

    return float(np.max(cKDTree(others).query(points)[0]))
