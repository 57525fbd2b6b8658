"""A working cloud: thinned to the detail that its noise allows, with the pitch that every later constant follows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Floats, Scan
from r2s.passes.clouds.neighbours import neighbours

_LIMIT = 60_000  # points; about twice as many faces come out
_QUIET = 0.15  # noise left after thinning, as a share of the cell, at which a normal from neighbours is good


@dataclass(frozen=True, eq=False)
class Cloud:
    """
    Points (n, 3) m, file normals (n, 3) or (0, 3), noise m.

    *pitch* is the side of the square that one point stands for, m.
    """

    points: Floats
    file_normals: Floats
    pitch: float
    noise: float


def working_cloud(scan: Scan) -> Cloud:
    """
    Return the scan thinned by averaging in cells, as far as its noise and the number of points ask for.

    The mean of the k points in a cell has noise/sqrt(k); the cell grows until that is a small share of its side.
    """
    spacing = scan.spacing
    cell = max(spacing, float(np.sqrt(scan.noise * spacing / _QUIET)))
    points, normals = scan.points, scan.normals
    if cell > 1.2 * spacing or len(points) > _LIMIT:
        points, normals = _cell_means(scan.points, scan.normals, cell)
        while len(points) > _LIMIT:
            cell *= max(1.05, float(np.sqrt(len(points) / _LIMIT)))
            points, normals = _cell_means(scan.points, scan.normals, cell)
    noise = scan.noise * float(np.sqrt(len(points) / len(scan.points)))
    points, normals = _without_strays(points, normals, pitch_of(points))
    return Cloud(points, normals, pitch_of(points), noise)


def pitch_of(points: Floats, k: int = 8) -> float:
    """Return the median over the points of sqrt(area per point), m, from the disc that holds *k* neighbours."""
    reach = neighbours(points, min(k + 1, len(points)))[0][:, -1]
    return float(np.median(reach) * np.sqrt(np.pi / k))


def _cell_means(points: Floats, normals: Floats, cell: float) -> tuple[Floats, Floats]:
    # Cells are anchored at the origin, so a point falls into the same cell whatever else was scanned.
    index = np.floor(points / cell).astype(np.int64)
    index -= index.min(axis=0)
    span = index.max(axis=0) + 1
    _, which, count = np.unique(
        (index[:, 0] * span[1] + index[:, 1]) * span[2] + index[:, 2], return_inverse=True, return_counts=True
    )
    which = which.reshape(-1)

    def mean(values: Floats) -> Floats:
        sums = [np.bincount(which, weights=values[:, i], minlength=len(count)) for i in range(3)]
        return np.asarray(np.stack(sums, axis=1) / count[:, None])

    return mean(points), (mean(normals) if len(normals) else normals)


def _without_strays(points: Floats, normals: Floats, pitch: float) -> tuple[Floats, Floats]:
    """Drop points with fewer than 4 others within 3 pitches: a surface has about 28 there."""
    near = neighbours(points, 5)[0][:, -1] <= 3 * pitch
    return points[near], (normals[near] if len(normals) else normals)
