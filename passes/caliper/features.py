"""
The virtual caliper: evaluates the features of a caliper sheet on any stage of the chain.

Jaws touch faces, not noise.  One function a kind of feature, in a table; what a stage does not have is refused with
the reason.  No length here is absolute: all thresholds follow the stage's noise, spacing and size, so a scan in
millimetres reads exactly a thousand times the same scan in metres.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np

from r2s.compiler.ir import Scan, Surface
from r2s.compiler.readings import Feature
from r2s.passes.caliper.jaws import along_box_axis, along_revolution, along_stage_axis
from r2s.passes.caliper.marks import PICKED, Marks, marks_of, placed
from r2s.passes.caliper.picked import span
from r2s.passes.caliper.pose import Pose, pose_of
from r2s.passes.caliper.round import inner_diameter, outer_diameter, sphere_diameter
from r2s.passes.caliper.stage import Stage, stage_of_pieces
from r2s.passes.caliper.value import Value, refuse

__all__ = [
    "PICKED",
    "Marks",
    "Pose",
    "Stage",
    "Value",
    "marks_of",
    "marks_on",
    "measure",
    "placed",
    "pose_of",
    "pose_of_surface",
    "stage_of_pieces",
    "stage_of_scan",
    "stage_of_surface",
]

_DIAMETERS = frozenset({"outer_diameter", "inner_diameter"})
_LEAST = 4  # points that span a volume

Gauge = Callable[[Stage, Feature, Pose], Value]


@lru_cache(maxsize=4)
def pose_of_surface(surface: Surface) -> Pose:
    """
    Return the pose of the closed surface that *surface* goes back to.

    Every stage of a build is measured in it, so it is remembered: surfaces are frozen and compare by identity.
    """
    return pose_of(surface.first.vertices, surface.first.faces)


@lru_cache(maxsize=4)
def stage_of_scan(scan: Scan) -> Stage:
    """Return the raw scan as a stage."""
    kind = "mesh" if scan.is_mesh else "points"
    normals = np.zeros((0, 3)) if scan.is_mesh else scan.normals
    return Stage(scan.points, scan.faces, scan.noise, scan.spacing, scan.floor, kind, normals=normals)


def marks_on(surface: Surface, feature: Feature) -> Marks | str | None:
    """
    Return what the picks of *feature*, in the file's own numbers, stand for, in the frame of *surface*.

    None for a feature without picks, a string where they point at nothing.
    """
    if feature.kind not in PICKED:
        return None
    first = surface.first
    return marks_of(placed(feature, first.scan.from_source), stage_of_scan(first.scan), stage_of_surface(first))


@lru_cache(maxsize=4)
def stage_of_surface(surface: Surface) -> Stage:
    """Return a closed surface as a stage; it adds no noise of its own."""
    return Stage(surface.vertices, surface.faces, 0.0, 0.0, 0.0, "mesh")


def measure(
    stage: Stage,
    feature: Feature,
    pose: Pose,
    kinds: frozenset[str] = frozenset(),
    marks: Marks | str | None = None,
) -> Value:
    """
    Return what the jaws read for *feature* on *stage*, in the stage's own unit.

    *kinds* are all kinds of feature on the sheet: with a diameter among them, a height is along the axis of revolution.
    *marks* are what the feature's picks stand for, in the stage's frame, or why they stand for nothing; without them
    the picks, in the stage's frame too, are looked up on the stage itself.
    """
    if len(stage.points) < _LEAST:
        return refuse(f"the stage has {len(stage.points)} points: nothing to close the jaws on")
    if feature.kind in PICKED:
        marks = marks_of(feature, stage) if marks is None else marks
        return refuse(marks) if isinstance(marks, str) else span(stage, feature.kind, marks)
    upright = feature.kind == "height" and not (kinds & _DIAMETERS and pose.revolution is not None)
    gauge = _GAUGES["extent_z" if upright else feature.kind]
    found = gauge(stage, feature, pose)
    if not found.refused and found.value < stage.floor:
        return refuse(f"below the resolution floor: {100 * found.value / stage.floor:.0f} % of it")
    return found


def _stage_axis(axis: int) -> Gauge:
    return lambda stage, _feature, pose: along_stage_axis(stage, axis, pose)


def _box_axis(rank: int) -> Gauge:
    return lambda stage, _feature, pose: along_box_axis(stage, rank, pose)


_GAUGES: Mapping[str, Gauge] = {
    "extent_x": _stage_axis(0),
    "extent_y": _stage_axis(1),
    "extent_z": _stage_axis(2),
    "extent_long": _box_axis(0),
    "extent_mid": _box_axis(1),
    "extent_short": _box_axis(2),
    "height": lambda stage, _feature, pose: along_revolution(stage, pose),
    "outer_diameter": outer_diameter,
    "inner_diameter": inner_diameter,
    "sphere_diameter": lambda stage, _feature, _pose: sphere_diameter(stage),
}
