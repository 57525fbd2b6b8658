"""The frame of a scan: unit, axes, level table, and an offset that keeps numbers small."""

from __future__ import annotations

import math

import numpy as np

from r2s.compiler.decision import signed_axes
from r2s.compiler.ir import Floats
from r2s.passes.points.support_plane import Plane

# A table closer to level than this is level: its own scatter tilts a fit by no more.
LEVEL = math.radians(0.5)
# Beyond this many diagonals from the origin, float32 steps by more than a hundred-thousandth of the object.
_FAR = 100.0


def rotation_of(axes: str) -> Floats:
    """Return the (3, 3) rotation of an axis map such as ``+x-z+y``."""
    rows = np.zeros((3, 3))
    for row, (index, sign) in enumerate(signed_axes(axes)):
        rows[row, index] = sign
    return rows


def tilt_of(table: Plane, rotation: Floats) -> float:
    """Return the angle between the table's normal and +z after *rotation*, rad."""
    x, y, z = rotation @ np.array(table.normal)
    return math.atan2(math.hypot(x, y), z)


def levelled(rotation: Floats, table: Plane | None) -> Floats:
    """Return *rotation* followed by the smallest turn that makes the table level, if it is not."""
    if table is None or tilt_of(table, rotation) <= LEVEL:
        return rotation
    normal = rotation @ np.array(table.normal)
    axis = np.cross(normal, [0.0, 0.0, 1.0])
    sine, cosine = float(np.linalg.norm(axis)), float(normal[2])
    if sine < 1e-12:  # upside down: half a turn about x
        return np.diag([1.0, -1.0, -1.0]) @ rotation
    x, y, z = axis / sine
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray((np.eye(3) + sine * skew + (1 - cosine) * skew @ skew) @ rotation, dtype=np.float64)


def from_source(points: Floats, factor: float, rotation: Floats) -> Floats:
    """
    Return the (4, 4) map from the file's numbers to metres, z up.

    Numbers that are small beside the object stay where they are; a georeferenced scan is moved to its own
    neighbourhood by a round number, so that later single precision loses nothing.
    """
    middle = rotation @ ((points.min(axis=0) + points.max(axis=0)) / 2) * factor
    size = float(np.linalg.norm(np.ptp(points, axis=0))) * factor
    result = np.eye(4)
    result[:3, :3] = rotation * factor
    if np.abs(middle).max() > _FAR * size:
        step = 10.0 ** math.ceil(math.log10(size))
        result[:3, 3] = -np.round(middle / step) * step
    return result


def moved(points: Floats, by: Floats) -> Floats:
    """Return *points* under a (4, 4) map; the offset goes first, so that large numbers cancel before a turn."""
    start = -np.linalg.solve(by[:3, :3], by[:3, 3])
    return np.asarray((points - start) @ by[:3, :3].T, dtype=np.float64)
