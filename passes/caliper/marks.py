"""
The two faces that a feature with picks spans: found on the raw scan, where the person pointed, and kept for all stages.

What the scan does not show, such as the underside that the closing filled in, is looked for on the closed surface; the
scan itself then has no value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from r2s.compiler.ir import Floats
from r2s.compiler.readings import Feature, Point
from r2s.passes.caliper.spot import Spot, landing_at, signed_by, spot_at
from r2s.passes.caliper.stage import Stage
from r2s.passes.caliper.wall import other_side

_FROM, _TO = "the pick 'from'", "the pick 'to'"
PICKED = frozenset({"distance", "thickness", "depth", "step"})


@dataclass(frozen=True, eq=False)
class Marks:
    """
    Both ends of a feature.

    For a depth *start* is where the beam rests and *end* the floor; for a thickness *start* is the picked side.
    """

    start: Spot
    end: Spot

    def moved(self, matrix: Floats) -> Marks:
        """Return the marks in the frame to which the similarity *matrix* (4, 4) leads."""
        return Marks(self.start.moved(matrix), self.end.moved(matrix))


def placed(feature: Feature, matrix: Floats) -> Feature:
    """Return the feature with its picks moved by *matrix* (4, 4), such as from a file's numbers to a stage's frame."""

    def moved(point: Point | None) -> Point | None:
        if point is None:
            return None
        x, y, z = matrix[:3, :3] @ np.array(point) + matrix[:3, 3]
        return (float(x), float(y), float(z))

    return replace(feature, start=moved(feature.start), end=moved(feature.end), pick=moved(feature.pick))


@lru_cache(maxsize=64)  # asked again for every stage; stages compare by identity
def marks_of(feature: Feature, scan: Stage, closed: Stage | None = None) -> Marks | str:
    """
    Return what the picks of *feature*, in the frame of both stages, stand for; a string says why there is nothing.

    The sign of a cloud's normals is taken from the *closed* surface where there is one.
    """
    stages = (scan,) if closed is None else (scan, closed)
    if feature.kind == "thickness":
        return _wall(stages, _array(feature.pick))
    start, end = _array(feature.start), _array(feature.end)
    if feature.kind == "depth":
        floor = _face(stages, end, _TO)
        rim = floor if isinstance(floor, str) else _landing(stages, start, _FROM, floor.normal)
        return rim if isinstance(rim, str) else _both(rim, floor)
    if feature.kind == "step":
        # a jaw rests on what is highest at its pick, be it a rim too narrow for a face
        one, other = spot_at(scan, start, _FROM), spot_at(scan, end, _TO)
        if isinstance(one, str) and isinstance(other, Spot):
            return _both(_landing(stages, start, _FROM, _signed(other, stages).normal), _signed(other, stages))
        if isinstance(one, Spot) and isinstance(other, str):
            return _both(_signed(one, stages), _landing(stages, end, _TO, _signed(one, stages).normal))
    return _both(_face(stages, start, _FROM), _face(stages, end, _TO))


def _both(start: Spot | str, end: Spot | str) -> Marks | str:
    if isinstance(start, str):
        return start
    return end if isinstance(end, str) else Marks(start, end)


def _wall(stages: tuple[Stage, ...], pick: Floats) -> Marks | str:
    side = _found(stages, lambda stage: spot_at(stage, pick, "the pick", either_side=True))
    if isinstance(side, str):
        return side
    return _both(side, _found(stages, lambda stage: other_side(stage, side)))


def _face(stages: tuple[Stage, ...], pick: Floats, name: str) -> Spot | str:
    return _found(stages, lambda stage: spot_at(stage, pick, name))


def _landing(stages: tuple[Stage, ...], pick: Floats, name: str, normal: Floats) -> Spot | str:
    return _found(stages, lambda stage: landing_at(stage, pick, name, normal))


def _found(stages: tuple[Stage, ...], look: Callable[[Stage], Spot | str]) -> Spot | str:
    """What *look* finds on the scan, else on the closed surface; the scan's reason where there is nothing."""
    reason = ""
    for stage in stages:
        spot = look(stage)
        if isinstance(spot, Spot):
            return _signed(spot, stages)
        reason = reason or spot
    return reason


def _signed(spot: Spot, stages: tuple[Stage, ...]) -> Spot:
    for closed in stages[1:]:
        return signed_by(spot, closed)
    return spot


def _array(point: Point | None) -> Floats:
    return np.full(3, np.nan) if point is None else np.array(point, dtype=np.float64)
