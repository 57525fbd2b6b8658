"""Which of a width's two jaws rest on surface that somebody scanned, and not on what closing put there."""

from __future__ import annotations

import numpy as np

from r2s.compiler.ir import Floats, Surface

_END = 0.02  # of the width: what lies so near to an end is under the jaw
_FACING = np.cos(np.radians(45))
_MOST = 0.5  # of the area under a jaw


def jaw_on_scan(surface: Surface, way: Floats) -> bool:
    """
    Return whether the jaw that closes on *surface* from where the unit *way* (3,) points rests on observed faces.

    An underside that was closed on the support plane does not move with the faces of the scan.
    """
    middles, normals = surface.triangles.mean(axis=1), _normals(surface)
    area = np.linalg.norm(normals, axis=1)
    height = middles @ way
    under = (height > height.max() - _END * np.ptp(height)) & (normals @ way > _FACING * area)
    total = float(area[under].sum())
    return total == 0 or float(area[under & surface.observed].sum()) >= _MOST * total


def _normals(surface: Surface) -> Floats:
    """(m, 3) outward, as long as twice the triangle's area."""
    a, b, c = np.moveaxis(surface.triangles, 1, 0)
    return np.cross(b - a, c - a)
