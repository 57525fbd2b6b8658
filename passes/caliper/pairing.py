"""A caliper reading beside what the virtual caliper read on the scan: which error is whose, and what an offset does."""

from __future__ import annotations

import math

import numpy as np

from r2s.compiler.ir import Surface
from r2s.compiler.readings import U_TOUCH, Reading
from r2s.compiler.scale_pair import Pair
from r2s.passes.caliper.pose import Pose
from r2s.passes.caliper.response import response
from r2s.passes.caliper.value import Value

_AXES = ("long", "mid", "short")  # of the object's box, in the order of the pose
_ALONG = np.cos(np.radians(5))


def pair_of(reading: Reading, found: Value, pose: Pose, surface: Surface, u_registration: float = 0.0) -> Pair:
    """
    Return *reading* beside the raw scan's value *found*, in metres; *surface* is the closed one, *pose* its own.

    *u_registration* is that of the faces of one view, m: a length feels those that it rests on, each by itself.

    The caliper's uncertainty is split: the maker's limit is shared, all else is drawn anew for each reading.
    """
    repeatability = reading.spread / math.sqrt(len(reading.values))
    assumed = math.hypot(reading.u_pressed, U_TOUCH)
    views, _ = response(found, reading.feature, pose, surface)
    return Pair(
        id=reading.id,
        instrument=reading.instrument,
        caliper=reading.expected,
        u_indep=math.hypot(repeatability, reading.resolution / 2 / math.sqrt(3), assumed),
        u_common=reading.accuracy / math.sqrt(3),
        scan=float(found.value),
        u_scan=float(found.u),
        u_assumed=assumed,
        gain=math.fsum(views),
        axis=_axis(found, pose),
        u_registration=u_registration * math.hypot(*views),
    )


def _axis(found: Value, pose: Pose) -> str:
    """Return the axis of the object's box along which the jaws lie, empty for none."""
    if found.along is None:
        return ""
    cosines = np.abs(pose.rotation @ np.array(found.along))
    nearest = int(np.argmax(cosines))
    return _AXES[nearest] if cosines[nearest] > _ALONG else ""
