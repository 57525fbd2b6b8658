"""
The underside that no eye saw because the part stood on it: found by looking down each column, filled flat.

Where the lowest points of a column face up, the surface below them is missing.  If such a region is ringed by walls that
come down to the ground, it is the underside, and it is filled at that height with points that face down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Floats, Ints
from r2s.passes._cloud import Cloud
from r2s.passes._normals import directions, outward, sight

_COLUMN = 2.0  # pitches
_LEAST = 12  # columns; smaller regions close by themselves
_GROUND = 4.0  # pitches that a wall may end above the ground
_HIGH = 0.3  # z of the eyes above
_FROM_ABOVE = 0.05  # share of the eyes above that must see a point; fewer peep through between other points


@dataclass(frozen=True, eq=False)
class Fill:
    """Points (k, 3) m that close the underside, facing down; the area m² they stand for; the height m."""

    points: Floats
    area: float
    height: float


NOTHING = Fill(np.zeros((0, 3)), 0.0, float("nan"))


def underside(cloud: Cloud, normals: Floats, support: float) -> Fill:
    """
    Return points for the missing underside, none where it was seen.

    *normals* (n, 3) have either sign; *support* is the plane's height if known, else nan.  Only eyes above take part:
    from below, the inside of a part without a bottom looks like a bottom.
    """
    from scipy import ndimage

    points, pitch = cloud.points, cloud.pitch
    eyes = directions()
    eyes = eyes[eyes[:, 2] > _HIGH]
    seen = sight(points, normals, pitch, cloud.noise, eyes)
    normals = outward(points, normals, seen, pitch)
    eligible = (np.abs(normals @ eyes.T) > 0.25).sum(axis=1).clip(min=1)
    from_above = seen.seen > _FROM_ABOVE * eligible
    side = _COLUMN * pitch
    column = np.floor(points[:, :2] / side).astype(np.int64)
    origin = column.min(axis=0) - 3
    column -= origin
    shape = tuple(column.max(axis=0) + 4)
    lowest = _lowest(points[:, 2], column, shape)
    occupied = lowest >= 0
    opens_up = np.zeros(shape, dtype=np.bool_)
    opens_up[occupied] = (normals[lowest[occupied], 2] > 0.3) & from_above[lowest[occupied]]
    region, count = ndimage.label(ndimage.binary_opening(ndimage.binary_closing(opens_up), np.ones((2, 2))))
    ground = support if np.isfinite(support) else float(np.quantile(points[:, 2], 0.002))
    fills = [
        _fill(cloud, normals, region == i, lowest, origin, ground)
        for i in range(1, count + 1)
        if (region == i).sum() >= _LEAST
    ]
    fills = [fill for fill in fills if len(fill)]
    if not fills:
        return NOTHING
    made = np.concatenate(fills)
    return Fill(made, len(made) * pitch**2, float(made[:, 2].min()))


def _lowest(heights: Floats, column: Ints, shape: tuple[int, ...]) -> Ints:
    """Return for each column the index of its lowest point, -1 where it has none."""
    key = column[:, 0] * shape[1] + column[:, 1]
    order = np.lexsort((heights, key))
    first = order[np.concatenate([[True], np.diff(key[order]) != 0])]
    result = np.full(shape, -1, dtype=np.int64)
    result.ravel()[key[first]] = first
    return result


def _fill(cloud: Cloud, normals: Floats, region: Ints, lowest: Ints, origin: Ints, ground: float) -> Floats:
    """Return the points (k, 3) that close one region, none if its walls end above the ground."""
    from scipy import ndimage
    from scipy.spatial import cKDTree

    pitch, points = cloud.pitch, cloud.points
    near = ndimage.binary_dilation(region, iterations=2)
    rim = lowest[near & ~region & (lowest >= 0)]
    if len(rim) < 8:
        return np.zeros((0, 3))
    ring = float(np.quantile(points[rim, 2], 0.05))
    height = float(np.ptp(points[:, 2]))
    if ring - ground > max(_GROUND * pitch, 0.04 * height):
        return np.zeros((0, 3))
    level = ground if ring - ground > -pitch else ring
    # A wall that ends above the ground has a rounded foot: keep that much inside its outline.
    inset = max(0.35 * pitch, ring - level)
    low = np.flatnonzero((points[:, 2] < level + max(4 * pitch, 3 * inset)) & (np.abs(normals[:, 2]) < 0.8))
    if len(low) < 8:
        return np.zeros((0, 3))
    cells = np.argwhere(near) + origin
    steps = (np.arange(2) + 0.5) * pitch
    spots = (cells[:, None, None] * (_COLUMN * pitch) + np.stack(np.meshgrid(steps, steps), axis=-1)).reshape(-1, 2)
    _, wall = cKDTree(points[low, :2]).query(spots)
    out = normals[low[wall], :2]
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12)
    inside = ((spots - points[low[wall], :2]) * out).sum(axis=1) < -inset
    kept = spots[inside]
    return np.column_stack([kept, np.full(len(kept), level)])
