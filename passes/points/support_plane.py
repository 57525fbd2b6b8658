"""
The table under the object: finding its plane and cutting it away.

A plane is a table if nothing lies below it and most of it reaches beyond the shadow of what stands on it, on most
sides.  An object's own faces never do both: the plane of a base has the object's whole footprint above it, and the
plane of a step has points below it.  A scan of a plate with a knob, underside unseen, does look like a table with a
knob on it; the warning then says what was cut, and ``support=none`` keeps it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Bools, Floats
from r2s.passes.points.points import Points

SEED = 20_240_918
_TRIALS = 400
_SAMPLE = 15_000
# Needed of a table: share of all points on it, share below it at most, share of it beyond the object's shadow.
_ON = 0.15
_BELOW = 0.005
_BEYOND = 0.5
_SECTORS = 8
# Points within this many standard deviations of the plane are the table.
_WIDE = 4.0


@dataclass(frozen=True, slots=True)
class Plane:
    """
    The plane ``normal · p = height`` with the object on the side of *normal*.

    *scatter* is the standard deviation of the table's points about it, *count* their number.
    """

    normal: tuple[float, float, float]
    height: float
    scatter: float
    count: int

    def above(self, points: Floats) -> Floats:
        """Return the height of each point above the plane."""
        return np.asarray(points @ np.array(self.normal) - self.height, dtype=np.float64)


def table_of(points: Floats, noise: float, spacing: float) -> Plane | None:
    """Return the table's plane, or None where the scan holds no table; *noise* and *spacing* as in ``_quality``."""
    if len(points) < 200:
        return None
    origin = points.mean(axis=0)
    centred = points - origin
    band = max(3 * noise, 0.1 * spacing, 1e-6 * float(np.linalg.norm(np.ptp(points, axis=0))))
    found = _largest_plane(centred, band)
    if found is None:
        return None
    normal, height, scatter, on = found
    above = centred @ normal - height
    if (above > 0).sum() < (above < 0).sum() and (above > _WIDE * band).sum() < (above < -_WIDE * band).sum():
        normal, height, above = -normal, -height, -above
    if not _is_table(centred, normal, above, on, max(_WIDE * scatter, band)):
        return None
    x, y, z = (float(c) for c in normal)
    return Plane((x, y, z), height + float(normal @ origin), scatter, int(on.sum()))


def without_table(cloud: Points, plane: Plane, noise: float) -> Points:
    """Return what stands on the table: points well above its scatter, and for a mesh the faces between those."""
    gap = max(_WIDE * plane.scatter, _WIDE * noise, 1e-6 * cloud.diagonal)
    return cloud.keep(plane.above(cloud.points) > gap)


def _largest_plane(points: Floats, band: float) -> tuple[Floats, float, float, Bools] | None:
    """Return normal, height, scatter and inliers of the plane that holds most points (RANSAC, then least squares)."""
    rng = np.random.default_rng(SEED)
    sample = points if len(points) <= _SAMPLE else points[np.sort(rng.choice(len(points), _SAMPLE, replace=False))]
    corners = sample[rng.integers(len(sample), size=(_TRIALS, 3))]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normals, axis=1)
    usable = length > 0
    if not usable.any():
        return None
    normals, corners = normals[usable] / length[usable, None], corners[usable]
    heights = np.einsum("ij,ij->i", normals, corners[:, 0])
    votes = [int((np.abs(sample @ n - h) <= band).sum()) for n, h in zip(normals, heights, strict=True)]
    best = int(np.argmax(votes))
    normal, height, scatter = normals[best], float(heights[best]), band / 3
    on = np.abs(points @ normal - height) <= band
    for _ in range(4):
        if on.sum() < 3:
            return None
        middle = points[on].mean(axis=0)
        spread = points[on] - middle
        values, vectors = np.linalg.eigh(spread.T @ spread)
        normal = vectors[:, 0]
        height, scatter = float(normal @ middle), float(np.sqrt(max(values[0], 0.0) / on.sum()))
        on = np.abs(points @ normal - height) <= max(3 * scatter, band)
    return normal, height, scatter, on


def _is_table(points: Floats, normal: Floats, above: Floats, on: Bools, gap: float) -> bool:
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    standing = above > max(2 * gap, 0.01 * size)
    if on.mean() < _ON or (above < -gap).mean() > _BELOW or standing.mean() < 0.01:
        return False
    across = np.linalg.svd(normal[None, :])[2][1:]
    shadow, flat = points[standing] @ across.T, points[on] @ across.T
    beyond = ~_inside_hull(flat, shadow)
    if beyond.mean() < _BEYOND:
        return False
    middle = (shadow.min(axis=0) + shadow.max(axis=0)) / 2
    out = flat[beyond] - middle
    sector = np.floor((np.arctan2(out[:, 1], out[:, 0]) / (2 * np.pi) + 0.5) * _SECTORS).astype(np.int64) % _SECTORS
    filled = np.bincount(sector, minlength=_SECTORS) > 0.01 * len(out)
    return int(filled.sum()) > _SECTORS // 2


def _inside_hull(points: Floats, of: Floats) -> Bools:
    """Return which 2D points lie in the convex hull of others, grown by a tenth about its middle."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(of)
    except QhullError:  # everything that stands is on one line: it has no shadow
        return np.zeros(len(points), dtype=bool)
    middle = (of.min(axis=0) + of.max(axis=0)) / 2
    shrunk = middle + (points - middle) / 1.1
    return np.asarray((shrunk @ hull.equations[:, :2].T + hull.equations[:, 2] <= 0).all(axis=1))
