"""The scan as places to measure from and to: every point of a cloud; vertices and faces of a mesh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Floats, Ints
from r2s.passes.closing.shape import Shape, radius_for
from r2s.passes.closing.triangles import cut


@dataclass(frozen=True, eq=False)
class Places:
    """
    Points (k, 3) m of the scan, the *areas* (k,) that they stand for, and the *reach*, m, within which one is near.

    *faces* (m, 3, 3) are the triangles of a mesh without the *left_out* vertices, none for a cloud.
    """

    points: Floats
    areas: Floats
    reach: float
    faces: Floats
    left_out: int


def places(points: Floats, faces: Ints, surface: Shape, cutoff: float) -> Places:
    """
    Return where to measure a scan of *points* (n, 3) m and *faces* (m, 3), none for a cloud.

    With a *cutoff* over 0, vertices further than that from the *surface* belong to parts that were left out on purpose.
    """
    if len(faces) == 0:
        return Places(points, np.ones(len(points)), 0.0, np.zeros((0, 3, 3)), 0)
    used = np.unique(faces)
    away = np.zeros(len(points))
    if cutoff > 0:
        away[used] = surface.distance(points[used])
    kept = away <= cutoff
    triangles = points[faces[kept[faces].all(axis=1)]]
    corners = points[used[kept[used]]]
    parts = cut(triangles, radius_for(triangles)) if len(triangles) else None
    centers = parts.centers if parts else np.zeros((0, 3))
    weights = parts.areas if parts else np.zeros(0)
    return Places(
        np.concatenate([corners, centers]),
        np.concatenate([np.zeros(len(corners)), weights]),
        parts.reach if parts else 0.0,
        triangles,
        len(used) - len(corners),
    )
