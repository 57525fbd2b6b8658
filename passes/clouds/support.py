"""
The underside that no eye saw because the part stood on it: found by looking down each column, filled flat.

Where the lowest points of a column face up, the surface below them is missing.  If such a region is ringed by walls
that come down to the ground, it is the underside, and it is filled at that height with points that face down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Floats, Ints
from r2s.passes.clouds.cloud import Cloud
from r2s.passes.clouds.neighbours import neighbours
from r2s.passes.clouds.normals import directions, outward, sight

_COLUMN = 2.0  # pitches
_LEAST = 12  # columns ...
_LEAST_SHARE = 0.02  # ... and of the footprint; smaller regions close by themselves
_BORDER = 4  # columns around a region in which its outline is looked for
_GROUND = 4.0  # pitches that a wall may end above the ground
_ABOVE = 0.3  # z of the eyes above ...
_STEEP = 0.85  # ... and of the steep ones
_DENSE = 400  # eyes on the sphere that the steep ones are taken from
_FROM_ABOVE = 0.08  # share of the steep eyes that must see a point; fewer peep through between other points


@dataclass(frozen=True, eq=False)
class Fill:
    """Points (k, 3) m that close the underside, facing down; the area m² they stand for; the height m."""

    points: Floats
    area: float
    height: float


NOTHING = Fill(np.zeros((0, 3)), 0.0, float("nan"))


def underside(cloud: Cloud, normals: Floats, ground: float) -> Fill:
    """
    Return points for the missing underside, none where it was seen.

    *normals* (n, 3) have either sign; *ground* is the height of what it stood on.  Only eyes above take part:
    from below, the inside of a part without a bottom looks like a bottom.
    """
    from scipy import ndimage

    points, pitch = cloud.points, cloud.pitch
    eyes = directions()
    normals = outward(points, normals, sight(points, normals, pitch, cloud.noise, eyes[eyes[:, 2] > _ABOVE]), pitch)
    # Steep eyes reach the floor of a deep cup, and a part's own top hides its underside from them.
    steep = directions(_DENSE)
    steep = steep[steep[:, 2] > _STEEP]
    from_above = sight(points, normals, pitch, cloud.noise, steep).seen > _FROM_ABOVE * len(steep)
    side = _COLUMN * pitch
    column = np.floor(points[:, :2] / side).astype(np.int64)
    origin = column.min(axis=0) - _BORDER - 1
    column -= origin
    shape = tuple(column.max(axis=0) + _BORDER + 2)
    lowest = _lowest(points[:, 2], column, shape)
    occupied = lowest >= 0
    opens_up = np.zeros(shape, dtype=np.bool_)
    opens_up[occupied] = (normals[lowest[occupied], 2] > 0.3) & from_above[lowest[occupied]]
    region, count = ndimage.label(
        ndimage.binary_opening(ndimage.binary_closing(opens_up), np.ones((2, 2), dtype=np.bool_))
    )
    fills = [
        _fill(cloud, normals, region == i, lowest, origin, ground)
        for i in range(1, count + 1)
        if (region == i).sum() >= max(_LEAST, _LEAST_SHARE * occupied.sum())
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

    pitch, points = cloud.pitch, cloud.points
    near = ndimage.binary_dilation(region, iterations=_BORDER)
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
    # The outline is drawn by the lowest wall points; higher up, the inner wall of a cup would turn it inside out.
    low = np.flatnonzero((points[:, 2] < max(level, ring) + 2 * pitch) & (np.abs(normals[:, 2]) < 0.8))
    if len(low) < 8:
        return np.zeros((0, 3))
    cells = np.argwhere(near) + origin
    steps = (np.arange(2) + 0.5) * pitch
    spots = (cells[:, None, None] * (_COLUMN * pitch) + np.stack(np.meshgrid(steps, steps), axis=-1)).reshape(-1, 2)
    wall = neighbours(points[low, :2], 1, spots)[1][:, 0]
    out = normals[low[wall], :2]
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12)
    inside = ((spots - points[low[wall], :2]) * out).sum(axis=1) < -inset
    kept = spots[inside]
    return np.column_stack([kept, np.full(len(kept), level)])
