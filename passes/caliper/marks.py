"""
The two faces that a feature with picks spans: found on the raw scan, where the person pointed, and kept for all stages.

What the scan does not show, such as the underside that the closing filled in, is looked for on the closed surface; the
scan itself then has no value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from r2s.compiler.ir import Floats
from r2s.compiler.readings import Feature, Point
from r2s.passes.caliper.spot import Spot, landing_at, signed_by, spot_at
from r2s.passes.caliper.stage import Stage
from r2s.passes.caliper.wall import other_side

PICKED = frozenset({"distance", "thickness", "depth", "step"})


@dataclass(frozen=True, eq=False)
class Marks:
    """
    Both ends of a feature.

    For a depth, *start* is where the beam rests (its normal is the floor's) and *end* the floor; for a thickness
    *start* is the side that was picked.
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


def marks_of(feature: Feature, scan: Stage, closed: Stage | None = None) -> Marks | str:
    """
    Return what the picks of *feature*, in the frame of both stages, stand for; a string says why there is nothing.

    The sign of a cloud's normals is taken from the *closed* surface where there is one.
    """
    stages = (scan,) if closed is None else (scan, closed)

    def found(look: Callable[[Stage], Spot | str]) -> Spot | str:
        first = look(scan)
        for stage in stages[1:]:
            spot = look(stage) if isinstance(first, str) else first
            return first if isinstance(spot, str) else signed_by(spot, stage)
        return first

    if feature.kind == "thickness":
        side = found(lambda stage: spot_at(stage, _array(feature.pick), "the pick", either_side=True))
        if isinstance(side, str):
            return side
        end = found(lambda stage: other_side(stage, side))
        return end if isinstance(end, str) else Marks(side, end)
    end = found(lambda stage: spot_at(stage, _array(feature.end), "the pick 'to'"))
    if isinstance(end, str):
        return end
    if feature.kind == "depth":
        start = found(lambda stage: landing_at(stage, _array(feature.start), "the pick 'from'", end.normal))
    else:
        start = found(lambda stage: spot_at(stage, _array(feature.start), "the pick 'from'"))
    return start if isinstance(start, str) else Marks(start, end)


def _array(point: Point | None) -> Floats:
    return np.full(3, np.nan) if point is None else np.array(point, dtype=np.float64)
