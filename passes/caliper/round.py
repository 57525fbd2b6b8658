"""Diameters of round things: outside and inside across an axis of revolution, and of a ball."""

from __future__ import annotations

from itertools import pairwise
from math import hypot, sqrt

import numpy as np

from r2s.compiler.ir import Floats
from r2s.compiler.readings import Feature
from r2s.passes.caliper.pose import Pose
from r2s.passes.caliper.revolve import axis_center
from r2s.passes.caliper.ring import Ring, Wall
from r2s.passes.caliper.sections import Sections
from r2s.passes.caliper.stage import Stage, samples_of
from r2s.passes.caliper.value import INSIDE, OUTSIDE, Value, refuse

_SHOWN = 0.1  # of the sphere must be there
_LIP = 0.1  # of the sine of a wall's lean, from one section to the next
_GAIN: dict[Wall, float] = {"outer": OUTSIDE, "inner": INSIDE}
_BALL = 0.03  # of the radius: a cube's scatter is 0.09, a can's 0.07, a baseball's with its seams 0.01


def outer_diameter(stage: Stage, feature: Feature, pose: Pose) -> Value:
    """Return the largest outside span across the axis, handle apart; with ``along`` the circle of that section."""
    return _diameter(stage, feature, pose, "outer")


def inner_diameter(stage: Stage, feature: Feature, pose: Pose) -> Value:
    """Return the largest inscribed circle across the axis; with ``along`` the inner circle of that section."""
    return _diameter(stage, feature, pose, "inner")


def sphere_diameter(stage: Stage) -> Value:
    """Return the diameter of the least-squares sphere, with what stands above it as the one-sided part of u."""
    if len(stage.pieces) == 1 and stage.pieces[0].kind == "sphere":
        return Value(2 * float(stage.pieces[0].size[0]), 0.0, "the sphere itself", gain=OUTSIDE)
    samples = samples_of(stage)
    points, weights = samples.points, samples.weights
    center, radius = _sphere(points, weights)
    used = np.ones(len(points), dtype=np.bool_)
    for _ in range(10):
        left = np.linalg.norm(points - center, axis=1) - radius
        scatter = max(1.4826 * float(np.median(np.abs(left[used]))), samples.sigma, 1e-9 * radius)
        used = np.abs(left) < 4 * scatter
        center, radius = _sphere(points[used], weights[used])
    spread = sqrt(float(np.average((np.linalg.norm(points - center, axis=1) - radius) ** 2, weights=weights)))
    share = float(weights[used].sum() / weights.sum())
    own = min(radius, samples.size / 2)  # nearly flat things fit huge spheres well
    if spread > max(_BALL * own, 2 * samples.sigma) or share < 0.7 or weights.sum() < _SHOWN * 4 * np.pi * radius**2:
        return refuse(f"not a sphere: the surface scatters by {100 * spread / own:.1f} % of the radius that fits best")
    away = points[used] - center
    left = np.linalg.norm(away, axis=1) - radius
    unit = np.column_stack([np.ones(len(away)), away / np.linalg.norm(away, axis=1, keepdims=True)])
    scatter = float(np.std(left))
    covariance = np.linalg.pinv(unit.T @ unit, hermitian=True) * scatter**2 * samples.patch
    shape = sqrt(max(scatter**2 - samples.sigma**2 * (1 + 4 / sqrt(len(left))), 0.0))
    form = 2 * shape / sqrt(3)
    u = hypot(2 * sqrt(float(covariance[0, 0])), form)
    return Value(2 * radius, u, "fitted sphere", form=form, gain=OUTSIDE, still=form)


def _sphere(points: Floats, weights: Floats) -> tuple[Floats, float]:
    """Geometric least squares: an algebraic start, then Gauss-Newton on the distances."""
    root = np.sqrt(weights / weights.mean())[:, None]
    origin = points.mean(axis=0)
    local = points - origin
    scale = sqrt(float((local**2).sum(axis=1).mean()))
    local = local / scale
    terms = np.column_stack([2 * local, np.ones(len(local))])
    solved = np.linalg.lstsq(terms * root, (local**2).sum(axis=1) * root[:, 0], rcond=None)[0]
    center, radius = solved[:3], sqrt(max(float(solved[3] + solved[:3] @ solved[:3]), 1e-12))
    for _ in range(6):
        away = local - center
        length = np.linalg.norm(away, axis=1)
        rows = np.column_stack([away / length[:, None], np.ones(len(away))])
        step = np.linalg.lstsq(rows * root, (length - radius) * root[:, 0], rcond=None)[0]
        center, radius = center + step[:3], radius + float(step[3])
    return center * scale + origin, radius * scale


def _diameter(stage: Stage, feature: Feature, pose: Pose, wall: Wall) -> Value:
    axis = np.eye(3)["xyz".index(feature.axis)] if feature.axis else pose.revolution
    if axis is None:
        return refuse(
            "no axis of revolution: the normals meet no common line; name the axis in the sheet or use an extent"
        )
    known = pose.revolution is not None and abs(float(axis @ pose.revolution)) > 0.9998
    center = pose.center if known else axis_center(samples_of(stage), axis)
    if axis[int(np.argmax(np.abs(axis)))] < 0:
        axis = -axis
    sections = Sections.across(stage, axis, center)
    if feature.along is None:
        return _largest(sections, wall)
    return _at(sections, feature.along, wall)


def _largest(sections: Sections, wall: Wall) -> Value:
    """The largest ring; sections that agree with it within their uncertainty are one cylinder and are averaged."""
    rings = [found for place in sections.places() if (found := sections.ring(place, wall)) is not None]
    if wall == "inner":
        rings = _without_lips(rings, (sections.low + sections.high) / 2)
    if not rings:
        return refuse(
            "no inside surface seen" if wall == "inner" else "no section shows half of a circle round the axis"
        )
    sizes = np.array([_at_mouth(found) for found in rings])
    us = np.array([found.u for found in rings])
    uneven = np.array([sqrt(max(found.scatter**2 - 1.2 * sections.samples.sigma**2, 0.0)) for found in rings])
    top = int(np.argmax(sizes - 2 * np.minimum(uneven, 0.02 * sizes)))  # an uneven ring is no larger for it
    same = np.abs(sizes - sizes[top]) <= 3 * np.hypot(us, us[top]) + 1e-9 * sizes[top]
    weights = same / np.maximum(us, 1e-12 * sizes[top]) ** 2
    radius = float(np.average(sizes, weights=weights))
    u, form = 1 / sqrt(float(weights.sum())), float(uneven[top])
    how = f"{wall} circle, largest of {len(rings)} sections"
    slope = sections.slope(rings[top], wall)
    return Value(2 * radius, 2 * hypot(u, form), how, form=2 * form, gain=_GAIN[wall], slope=slope, still=2 * form)


def _without_lips(rings: list[Ring], middle: float) -> list[Ring]:
    """
    Drop the rings of a rounded rim, where the wall turns outwards: jaws reach past it to the wall.

    There a wall leans much more than nearer to the middle; a cone leans as much, a bowl less.  Beyond the first such
    ring all is rim.
    """
    above = [found for found in rings if found.along > middle]
    below = [found for found in reversed(rings) if found.along <= middle]
    return [*_up_to_lip(below)[::-1], *_up_to_lip(above)]


def _up_to_lip(outwards: list[Ring]) -> list[Ring]:
    for k, (nearer, further) in enumerate(pairwise(outwards)):
        if further.tilt > nearer.tilt + _LIP:
            return outwards[: k + 1]
    return outwards


def _at_mouth(found: Ring) -> float:
    """Radius at the wider end of the section, if the wall proves to be a cone."""
    return found.radius + (abs(found.slope) * found.reach if abs(found.slope) > 4 * found.u_slope else 0.0)


def _at(sections: Sections, along: float, wall: Wall) -> Value:
    tall = sections.high - sections.low
    if not 0 <= along <= tall:
        return refuse(f"the section lies outside: its height is {along / tall:.2f} of the object's along the axis")
    found = sections.ring(sections.low + along, wall)
    if found is None:
        return refuse("no inside surface seen at that height" if wall == "inner" else "no circle seen at that height")
    radius = found.radius + found.slope * (sections.low + along - found.along)
    slope = sections.slope(found, wall)
    return Value(2 * radius, 2 * found.u, f"{wall} circle of the section", gain=_GAIN[wall], slope=slope)
