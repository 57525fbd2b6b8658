"""
Two skins where there is one surface: views that did not meet leave a second layer a few millimetres behind the first.

Around a point of such a place the offsets along the normal fall into two groups with nothing between, side by side
over the same patch.  So do the two sides of a thin wall, and the eye tells them apart: a wall's far side is seen from
behind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Bools, Floats
from r2s.passes.clouds.cloud import Cloud
from r2s.passes.clouds.neighbours import neighbours
from r2s.passes.clouds.normals import directions, planes, sight

_NEIGHBOURS = 32
_SHARE = 0.25  # of the neighbours that the smaller group must hold
_APART = 4.0  # the gap between the groups over the spread within the wider one
_LEAST = 0.01  # of the points; less is an edge or a seam
_FRONT = 0.3  # mean signed cosine to the eyes that see a group: over it the group faces out


@dataclass(frozen=True, eq=False)
class Layers:
    """How far apart the skins are, m (0 where there is one), and which points (n,) belong to the hidden one."""

    gap: float
    hidden: Bools


def layers(cloud: Cloud) -> Layers:
    """Return the second skin of *cloud*, if it has one."""
    points = cloud.points
    none = Layers(0.0, np.zeros(len(points), dtype=np.bool_))
    if len(points) < 4 * _NEIGHBOURS:
        return none
    near = neighbours(points, _NEIGHBOURS)[1]
    normals = planes(points, _NEIGHBOURS)
    around = points[near] - points[near].mean(axis=1, keepdims=True)
    offset = (around * normals[:, None]).sum(axis=2)
    order = np.sort(offset, axis=1)
    low, high = int(_SHARE * _NEIGHBOURS), _NEIGHBOURS - int(_SHARE * _NEIGHBOURS)
    steps = np.diff(order, axis=1)[:, low - 1 : high]
    cut = steps.argmax(axis=1)
    gap = steps.max(axis=1)
    middle = np.take_along_axis(order, (cut + low - 1)[:, None], axis=1)[:, 0] + gap / 2
    upper = offset > middle[:, None]
    spread = np.maximum(_spread(offset, upper), _spread(offset, ~upper))
    lateral = around - offset[..., None] * normals[:, None]
    aside = np.linalg.norm(_mean(lateral, upper) - _mean(lateral, ~upper), axis=1)
    reach = np.linalg.norm(lateral, axis=2).mean(axis=1)
    split = (gap > _APART * spread) & (gap > 4 * cloud.noise) & (aside < 0.5 * reach)
    if split.sum() < _LEAST * len(points):
        return none
    seen = sight(points, normals, cloud.pitch, cloud.noise, directions())
    front = seen.vote / np.maximum(seen.weight, 1e-12)
    facing = np.sign((normals[near] * normals[:, None]).sum(axis=2)) * front[near]
    both = split & (np.sign(_average(facing, upper)) == np.sign(_average(facing, ~upper)))
    both &= np.minimum(np.abs(_average(facing, upper)), np.abs(_average(facing, ~upper))) > _FRONT
    if both.sum() < _LEAST * len(points):
        return none
    outer_up = _average(facing, upper) > 0
    own = (points - points[near].mean(axis=1)) * normals
    hidden = both & ((own.sum(axis=1) > middle) != outer_up)
    distance = _average(offset, upper) - _average(offset, ~upper)
    return Layers(float(np.median(distance[both])), hidden)


def _average(values: Floats, chosen: Bools) -> Floats:
    return np.asarray((values * chosen).sum(axis=1) / chosen.sum(axis=1).clip(min=1))


def _spread(values: Floats, chosen: Bools) -> Floats:
    away = values - _average(values, chosen)[:, None]
    return np.sqrt(_average(away**2, chosen))


def _mean(vectors: Floats, chosen: Bools) -> Floats:
    return np.asarray((vectors * chosen[..., None]).sum(axis=1) / chosen.sum(axis=1).clip(min=1)[:, None])
