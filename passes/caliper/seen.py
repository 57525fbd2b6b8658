"""Which of a width's two jaws rest on surface that somebody scanned, and not on what closing put there."""

from __future__ import annotations

import numpy as np

from r2s.compiler.ir import Floats, Surface

_END = 0.02  # of the width: what lies so near to an end is under the jaw
_FACING = np.cos(np.radians(45))
_MOST = 0.5  # of the area under a jaw


def jaws_on_scan(surface: Surface, direction: Floats) -> int:
    """
    Return how many of the jaws that close on *surface* along the unit *direction* (3,) rest on observed faces.

    An underside that was closed on the support plane does not move with the faces of the scan.
    """
    middles, normals = surface.triangles.mean(axis=1), _normals(surface)
    area = np.linalg.norm(normals, axis=1)
    found = 0
    for way in (direction, -direction):
        height = middles @ way
        under = (height > height.max() - _END * np.ptp(height)) & (normals @ way > _FACING * area)
        total = float(area[under].sum())
        found += total == 0 or float(area[under & surface.observed].sum()) >= _MOST * total
    return found


def _normals(surface: Surface) -> Floats:
    """(m, 3) outward, as long as twice the triangle's area."""
    a, b, c = np.moveaxis(surface.triangles, 1, 0)
    return np.cross(b - a, c - a)
