"""The depth rod: how deep a floor lies below the rim on which the beam rests."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, radians, sqrt, tan

import numpy as np

from r2s.compiler.ir import Floats
from r2s.passes.caliper.contact import Contact, touch
from r2s.passes.caliper.marks import Marks
from r2s.passes.caliper.near import around
from r2s.passes.caliper.patch import Patch
from r2s.passes.caliper.spot import face_of, search_radius
from r2s.passes.caliper.stage import Stage, samples_of
from r2s.passes.caliper.value import Value, refuse

_TILTED = radians(6)  # a beam that lies further out of square to the floor rests on something else
_STEPS = 20


@dataclass(frozen=True, eq=False)
class _Beam:
    """Where the beam lies: a point of it (3,), the unit rod square to it, u of its height over the floor, and form."""

    place: Floats
    rod: Floats
    u: float
    form: float
    how: str


def depth(stage: Stage, marks: Marks) -> Value:
    """
    Return how far the rod reaches from the highest material at the rim's pick down to the floor.

    The beam bridges the hollow where there is a rim beyond the floor too, and the rod is square to it; so a curved
    floor needs no normal.  Else the rod is square to the floor.
    """
    floor = face_of(stage, marks.end)
    if isinstance(floor, str):
        return refuse(floor)
    rim = _rest(stage, marks.start.point, floor.normal)
    if rim is None:
        return refuse(f"this stage has nothing at {marks.start.name} for the beam to rest on")
    beam = _bridge(stage, rim, floor) or _square(rim, floor)
    bottom, _ = floor.facing(beam.rod)
    value = float((beam.place - bottom) @ beam.rod)
    if value <= 0:
        return refuse("the floor at the pick 'to' lies above the rim at the pick 'from'; exchange them")
    form = beam.form + floor.form
    return Value(value, hypot(beam.u, floor.u, form / sqrt(3)), f"{beam.how} / fitted floor", form=form)


def _rest(stage: Stage, point: Floats, rod: Floats) -> Contact | None:
    """Where a beam that comes down against *rod* rests near *point*."""
    reach = search_radius(stage)
    shown = around(stage, point, reach, reach / _STEPS)
    return touch(shown, rod) if len(shown.points) else None


def _square(rim: Contact, floor: Patch) -> _Beam:
    """The beam on one rim alone, parallel to the floor: the further it lies beside the pick, the less sure."""
    span = rim.center - floor.foot
    beside = float(np.linalg.norm(span - (span @ floor.normal) * floor.normal))
    place = rim.center + (rim.height - float(rim.center @ floor.normal)) * floor.normal
    return _Beam(place, floor.normal, hypot(rim.u, beside * floor.u_slope), rim.form, rim.how)


def _bridge(stage: Stage, rim: Contact, floor: Patch) -> _Beam | None:
    """The beam from the rim over the floor to the highest material beyond it, or None where nothing holds it there."""
    rod = floor.normal
    place = rim.center + (rim.height - float(rim.center @ rod)) * rod
    across = floor.foot - place
    across = across - (across @ rod) * rod
    reach = float(np.linalg.norm(across))
    if reach < search_radius(stage):
        return None  # the beam's foot stands over the floor itself
    across = across / reach
    local = samples_of(stage).points - place
    along, height, aside = local @ across, local @ rod, local @ np.cross(rod, across)
    beyond = np.flatnonzero(
        (along > reach + search_radius(stage))
        & (np.abs(aside) < search_radius(stage))
        & (np.abs(height) < tan(_TILTED) * along)
    )
    if len(beyond) == 0:
        return None
    far = _rest(stage, samples_of(stage).points[beyond[np.argmax(height[beyond])]], rod)
    if far is None:
        return None
    end = far.center + (far.height - float(far.center @ rod)) * rod
    length = end - place
    share = min(reach / float(length @ across), 1.0)
    beam = length / np.linalg.norm(length)
    square = rod - (rod @ beam) * beam
    u = hypot((1 - share) * rim.u, share * far.u)
    form = (1 - share) * rim.form + share * far.form
    how = rim.how if rim.how == far.how else f"{rim.how} and {far.how}"
    return _Beam(place, square / np.linalg.norm(square), u, form, f"beam across, {how}")
