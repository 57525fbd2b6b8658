"""Lengths between two named faces: distance, wall thickness, step."""

from __future__ import annotations

from math import degrees, hypot, nan, radians, sqrt
from typing import Literal

import numpy as np

from r2s.compiler.ir import Floats
from r2s.passes.caliper.patch import Patch
from r2s.passes.caliper.value import INSIDE, OUTSIDE, STEP, Value, direction_of, refuse

_PARALLEL = radians(10)
_LIKELY = 1e-6  # radians: exact faces are weighed alike

Side = Literal["outside", "inside", "step", "unknown"]


def between(first: Patch, second: Patch) -> Value:
    """
    Return the distance between two faces along their common normal, or why they have none.

    Where the picks lie beside each other, what is unsure of that normal counts with their offset.  Faces that
    prove not to be parallel are charged half the rise over the smaller one, as jaws would meet it.
    """
    direction, u_direction = common_normal(first, second)
    (start, one), (end, other) = first.facing(direction), second.facing(direction)
    angle = _angle(one, other)
    u_angle = hypot(first.u_slope, second.u_slope)
    if angle - 2 * u_angle > _PARALLEL:
        return refuse(f"the faces are not parallel: they meet at {degrees(angle):.1f} degrees")
    span = end - start
    value = float(span @ direction)
    beside = float(np.linalg.norm(span - value * direction))
    proven = sqrt(max(angle**2 - (2 * u_angle) ** 2, 0.0))
    form = first.form + second.form + proven * min(first.radius, second.radius) / 2
    u = hypot(first.u, second.u, beside * u_direction, form / sqrt(3))
    side = side_of(first, second)
    how = f"two fitted faces, {_WORDS[side]}"
    return Value(abs(value), u, how, form=form, gain=_GAIN[side], still=form / sqrt(3), along=direction_of(direction))


def common_normal(first: Patch, second: Patch) -> tuple[Floats, float]:
    """
    Return the unit direction of both normals, and the standard uncertainty of its tilt.

    The mean is weighted by how well each is known, lack of form included, so a large face leads a narrow one.  Where
    both differ by more than that allows, the uncertainty grows by as much (the Birge ratio).
    """
    tilts = np.array([max(hypot(p.u_slope, p.form / p.radius), _LIKELY) for p in (first, second)])
    weights = tilts**-2.0
    sign = np.sign(float(first.normal @ second.normal)) or 1.0
    total = weights[0] * first.normal + weights[1] * sign * second.normal
    ratio = max(1.0, _angle(first.normal, second.normal) / float(np.linalg.norm(tilts)))
    return np.asarray(total / np.linalg.norm(total)), ratio / sqrt(float(weights.sum()))


def _angle(one: Floats, other: Floats) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(one, other)), abs(float(one @ other))))


def side_of(first: Patch, second: Patch) -> Side:
    """Return whether material lies between the faces (outside jaws), beyond both (inside jaws), or on one way."""
    if not (first.signed and second.signed):
        return "unknown"
    if float(first.normal @ second.normal) > 0:
        return "step"
    return "outside" if float((second.foot - first.foot) @ second.normal) > 0 else "inside"


_GAIN: dict[Side, float] = {"outside": OUTSIDE, "inside": INSIDE, "step": STEP, "unknown": nan}
_WORDS: dict[Side, str] = {
    "outside": "material between",
    "inside": "a gap between",
    "step": "both looking one way",
    "unknown": "sides unknown",
}
