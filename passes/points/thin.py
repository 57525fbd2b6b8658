"""
Thinning a dense cloud by averaging in the cells of a grid that is fixed in the file's own numbers.

The grid hangs at the numbers' zero and its edge has two significant digits: a crop or a few more points move no cell.
"""

from __future__ import annotations

import math

import numpy as np

from r2s.compiler.ir import Floats, Ints
from r2s.passes.points.points import Points

# Neighbour distance is about half the square root of the area a point has; a cell takes the area of many points.
_GROWTH = 1.15


def thinned(cloud: Points, limit: int, spacing: float) -> tuple[Points, float]:
    """
    Return a cloud of at most *limit* points and the edge of the grid's cells; (the cloud, 0) if it is small enough.

    The edge grows from *spacing* (median distance to the nearest neighbour) until the occupied cells fit.
    Normals are averaged and scaled to length 1.
    """
    count = len(cloud.points)
    if cloud.is_mesh or count <= limit or not spacing > 0:
        return cloud, 0.0
    edge = _two_digits(2 * spacing * math.sqrt(count / limit))
    cells = _cell_of(cloud.points, edge)
    while (used := int(cells.max()) + 1) > limit:
        edge = _two_digits(edge * max(_GROWTH, math.sqrt(used / limit)))
        cells = _cell_of(cloud.points, edge)
    size = np.bincount(cells).astype(np.float64)
    points = _mean(cloud.points, cells, size)
    if len(cloud.normals) == 0:
        return Points(points, cloud.normals, cloud.faces), edge
    normals = _mean(cloud.normals, cells, size)
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return Points(points, normals / np.where(length > 0, length, 1.0), cloud.faces), edge


def _two_digits(value: float) -> float:
    return float(f"{value:.1e}")


def _cell_of(points: Floats, edge: float) -> Ints:
    """Return the number of each point's cell, cells counted in the order of x, y, z."""
    index = np.floor(points / edge).astype(np.int64)
    index -= index.min(axis=0)
    spans = [int(s) + 1 for s in index.max(axis=0)]
    if math.prod(spans) < 2**62:
        packed = (index[:, 0] * spans[1] + index[:, 1]) * spans[2] + index[:, 2]
        inverse = np.unique(packed, return_inverse=True)[1]
    else:
        inverse = np.unique(index, axis=0, return_inverse=True)[1]
    return np.asarray(inverse.reshape(-1), dtype=np.int64)


def _mean(values: Floats, cells: Ints, size: Floats) -> Floats:
    return np.stack([np.bincount(cells, weights=values[:, axis]) / size for axis in range(3)], axis=1)
