"""
What errors of a scan do to a length that was read on it: faces that stand further out, one axis longer than another.

A width rests on two faces, so it feels the error of each; a circle feels a little of every view around it.
"""

from __future__ import annotations

import math

import numpy as np

from r2s.compiler.ir import Floats, Surface
from r2s.compiler.measured import VIEWS
from r2s.compiler.readings import EXTENTS, Feature
from r2s.passes.caliper.pose import Pose
from r2s.passes.caliper.seen import jaw_on_scan
from r2s.passes.caliper.value import OUTSIDE, Value

_WIDTHS = frozenset({*EXTENTS, "height"})
_ROUND = 720  # directions around an axis, or over a sphere
_GOLDEN = math.pi * (3 - math.sqrt(5))


def response(
    found: Value, feature: Feature, pose: Pose, surface: Surface
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """
    Return the derivatives of *found* by the offset of each view, (6,), and by the stretch of each axis, (3,) m.

    A jaw of a width that rests on what nobody scanned feels nothing; *surface* is the closed one, *pose* its own.
    """
    gain = OUTSIDE if math.isnan(found.gain) else found.gain  # by far the commonest, where the sides cannot be told
    if found.along is not None:
        along = np.array(found.along)
        jaws = [
            0.0 if feature.kind in _WIDTHS and not jaw_on_scan(surface, way) else gain / 2 for way in (along, -along)
        ]
        return _spread(np.stack([along, -along]), np.array(jaws)), _stretched(found.value, along[None])
    return _of_circle(found, gain, feature, pose, surface)


def _of_circle(
    found: Value, gain: float, feature: Feature, pose: Pose, surface: Surface
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """
    Return the same of a diameter, each way around it counting alike.

    A wall that leans by the angle α moves by 1/cos α across the axis where it moves by one along its normal.  And the
    circle moves along the wall with the end that it is held from: the lower one for a section at a given height, else
    the one where the wall is widest.
    """
    axis = _axis(feature, pose)
    ways = _around(axis)
    steep = math.hypot(1.0, found.slope)
    normals = ways if axis is None else math.copysign(1.0, gain) * (ways - found.slope * axis) / steep
    views = np.array(_spread(normals, np.full(len(ways), gain * steep / len(ways))))
    stretch = np.array(_stretched(found.value, ways))
    if axis is not None and found.slope:
        end = -axis if feature.along is not None else math.copysign(1.0, found.slope) * axis
        if jaw_on_scan(surface, end):
            views += _spread(end[None], np.array([2 * found.slope * float(end @ axis)]))
        stretch -= 2 * found.slope * (feature.along or 0.0) * axis**2
    return tuple(map(float, views)), tuple(map(float, stretch))


def view_of(normals: Floats) -> Floats:
    """Return (n,) the index in ``VIEWS`` of the axis that each of *normals* (n, 3) is nearest to."""
    axis = np.abs(normals).argmax(axis=1)
    negative = np.take_along_axis(normals, axis[:, None], axis=1)[:, 0] < 0
    return np.asarray(2 * axis + negative)


def _spread(ways: Floats, amounts: Floats) -> tuple[float, ...]:
    totals = np.bincount(view_of(ways), amounts, minlength=len(VIEWS))
    return tuple(float(v) for v in totals)


def _stretched(value: float, ways: Floats) -> tuple[float, ...]:
    return tuple(float(v) for v in value * (ways**2).mean(axis=0))


def _axis(feature: Feature, pose: Pose) -> Floats | None:
    """Return the unit axis (3,) of the feature, None where it is a ball."""
    if feature.kind == "sphere_diameter":
        return None
    return np.eye(3)["xyz".index(feature.axis)] if feature.axis else pose.revolution


def _around(axis: Floats | None) -> Floats:
    """Return unit directions (n, 3) around the *axis*, or over a sphere where there is none."""
    turn = np.arange(_ROUND) + 0.5
    if axis is None:
        height = 1 - 2 * turn / _ROUND
        flat = np.sqrt(1 - height**2)
        return np.column_stack([flat * np.cos(turn * _GOLDEN), flat * np.sin(turn * _GOLDEN), height])
    first = np.cross(axis, np.eye(3)[int(np.abs(axis).argmin())])
    first /= np.linalg.norm(first)
    angle = 2 * np.pi * turn[:, None] / _ROUND
    return np.asarray(np.cos(angle) * first + np.sin(angle) * np.cross(axis, first))
