"""Lengths between two named faces: distance, wall thickness, step."""

from __future__ import annotations

from math import degrees, hypot, radians, sqrt
from typing import Literal

import numpy as np

from r2s.compiler.ir import Floats
from r2s.passes.caliper.patch import Patch
from r2s.passes.caliper.value import Value, refuse

_PARALLEL = radians(10)
_LIKELY = 1e-6  # radians: exact faces are weighed alike

Side = Literal["outside", "inside", "step", "unknown"]


def between(first: Patch, second: Patch) -> Value:
    """
    Return the distance between two faces along their common normal, or why they have none.

    The normal is the mean of both, weighted by how well each is known.  Where the picks lie beside each other, what is
    unsure of that direction counts with their offset; faces that prove not to be parallel are charged the
    rise over half of that offset and over the smaller face.
    """
    direction, u_direction = common_normal(first, second)
    (start, one), (end, other) = first.facing(direction), second.facing(direction)
    angle = float(np.arccos(min(abs(float(one @ other)), 1.0)))
    u_angle = hypot(first.u_slope, second.u_slope)
    if angle - 2 * u_angle > _PARALLEL:
        return refuse(f"the faces are not parallel: they meet at {degrees(angle):.1f} degrees")
    span = end - start
    value = float(span @ direction)
    beside = float(np.linalg.norm(span - value * direction))
    proven = sqrt(max(angle**2 - (2 * u_angle) ** 2, 0.0))
    form = first.form + second.form + proven * (beside + min(first.radius, second.radius)) / 2
    u = hypot(first.u, second.u, beside * u_direction, form / sqrt(3))
    return Value(abs(value), u, f"two fitted faces, {_WORDS[side_of(first, second)]}", form=form)


def common_normal(first: Patch, second: Patch) -> tuple[Floats, float]:
    """Return the unit direction of both normals, and the standard uncertainty of its tilt."""
    weights = np.array([max(p.u_slope, _LIKELY) ** -2 for p in (first, second)])
    sign = np.sign(float(first.normal @ second.normal)) or 1.0
    total = weights[0] * first.normal + weights[1] * sign * second.normal
    u = sqrt(float(weights @ (weights * np.array([first.u_slope**2, second.u_slope**2])))) / float(weights.sum())
    return np.asarray(total / np.linalg.norm(total)), u


def side_of(first: Patch, second: Patch) -> Side:
    """Return whether material lies between the faces (outside jaws), beyond both (inside jaws), or on one way."""
    if not (first.signed and second.signed):
        return "unknown"
    if float(first.normal @ second.normal) > 0:
        return "step"
    return "outside" if float((second.foot - first.foot) @ second.normal) > 0 else "inside"


_WORDS: dict[Side, str] = {
    "outside": "material between",
    "inside": "a gap between",
    "step": "both looking one way",
    "unknown": "sides unknown",
}
