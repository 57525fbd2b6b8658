"""The depth rod and the step jaw: how far a face lies from the highest material on which a beam or jaw rests."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, hypot, radians, sqrt, tan

import numpy as np

from r2s.compiler.ir import Floats
from r2s.passes.caliper.contact import Contact, touch
from r2s.passes.caliper.marks import Marks
from r2s.passes.caliper.near import around
from r2s.passes.caliper.patch import Patch
from r2s.passes.caliper.spot import face_of, search_radius
from r2s.passes.caliper.stage import Stage, samples_of
from r2s.passes.caliper.value import STEP, Value, direction_of, refuse

_TILTED = radians(6)  # a beam that lies further out of square to the floor rests on something else
_TRIES, _SQUARE = 4, radians(0.2)  # the rim is looked at along the rod that it gives, until that stays
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
    rod = floor.normal
    if float((marks.start.point - floor.foot) @ rod) < 0:
        if floor.signed:
            return refuse("the floor at the pick 'to' looks away from the rim at the pick 'from'; exchange them")
        rod = -rod
    for _ in range(_TRIES):
        rim = _rest(stage, marks.start.point, rod)
        if rim is None:
            return refuse(f"this stage has nothing at {marks.start.name} for the beam to rest on")
        beam = _bridge(stage, rim, floor.foot, rod) or _square(rim, floor, rod)
        lean, rod = float(beam.rod @ rod), beam.rod
        if lean > cos(_SQUARE):
            break
    bottom, _ = floor.facing(beam.rod)
    form = beam.form + floor.form
    value = float((beam.place - bottom) @ beam.rod)
    u, how = hypot(beam.u, floor.u, form / sqrt(3)), f"{beam.how} / fitted floor"
    return Value(value, u, how, form=form, gain=STEP, still=form / sqrt(3), along=direction_of(beam.rod))


def step_to_rim(stage: Stage, marks: Marks) -> Value:
    """Return the height between a face and a rim too narrow for one, on whose highest material the jaw rests."""
    rim, spot = (marks.start, marks.end) if marks.start.landing else (marks.end, marks.start)
    face = face_of(stage, spot)
    if isinstance(face, str):
        return refuse(face)
    rod = face.normal
    if not face.signed and float((rim.point - face.foot) @ rod) < 0:
        rod = -rod  # without a side, the rim is taken to stand above the face
    high = _rest(stage, rim.point, rod)
    if high is None:
        return refuse(f"this stage has nothing at {rim.name} for the jaw to rest on")
    beam = _square(high, face, rod)
    form = beam.form + face.form
    value = abs(float((beam.place - face.foot) @ rod))
    u, how = hypot(beam.u, face.u, form / sqrt(3)), f"{beam.how} / fitted face"
    return Value(value, u, how, form=form, gain=STEP, still=form / sqrt(3), along=direction_of(rod))


def _rest(stage: Stage, point: Floats, rod: Floats) -> Contact | None:
    """Where a beam that comes down against *rod* rests near *point*."""
    reach = search_radius(stage)
    shown = around(stage, point, reach, reach / _STEPS)
    return touch(shown, rod) if len(shown.points) else None


def _square(rim: Contact, face: Patch, rod: Floats) -> _Beam:
    """The beam on one rim alone, parallel to the *face*: the further it lies beside the pick, the less sure."""
    place = rim.center + (rim.height - float(rim.center @ rod)) * rod
    span = place - face.foot
    beside = float(np.linalg.norm(span - (span @ rod) * rod))
    return _Beam(place, rod, hypot(rim.u, beside * face.u_slope), rim.form, rim.how)


def _bridge(stage: Stage, rim: Contact, floor: Floats, rod: Floats) -> _Beam | None:
    """The beam from the rim over the *floor* to the highest material beyond, or None where nothing holds it there."""
    place = rim.center + (rim.height - float(rim.center @ rod)) * rod
    across = floor - place
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
