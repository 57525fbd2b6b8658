"""Outside widths: the distance between two parallel jaw planes that close on the object."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, sqrt

import numpy as np

from r2s.compiler.ir import Floats
from r2s.passes.caliper.contact import Contact, touch
from r2s.passes.caliper.pose import Pose
from r2s.passes.caliper.stage import Stage, samples_of, support_of
from r2s.passes.caliper.value import OUTSIDE, Value, direction_of, refuse

_TURNED = np.radians(2)
_DIFFERENT = 0.01  # of the width


@dataclass(frozen=True, eq=False)
class Width:
    """A width with both contacts; they are None where the geometry is exact."""

    value: Value
    low: Contact | None
    high: Contact | None

    @property
    def on_faces(self) -> bool:
        """Whether both jaws rest on faces."""
        return self.low is not None and self.high is not None and self.low.is_face and self.high.is_face


def width(stage: Stage, direction: Floats) -> Width:
    """Return the distance between jaws that close along the unit *direction*."""
    if stage.kind == "pieces":
        exact = support_of(stage, direction) + support_of(stage, -direction)
        said = Value(exact, 0.0, "support of the pieces", gain=OUTSIDE, along=direction_of(direction))
        return Width(said, None, None)
    samples = samples_of(stage)
    high, low = touch(samples, direction), touch(samples, -direction)
    middle = (high.center + low.center) / 2
    value = high.height_at(middle, direction) + low.height_at(middle, -direction)
    form = (high.form + low.form) / sqrt(3)  # limits, so rectangular; a bulge is on both sides at once, so their sum
    how = high.how if high.how == low.how else f"{high.how} / {low.how}"
    u = hypot(high.u, low.u, form)
    still = hypot(form, high.blur, low.blur)
    said = Value(value, u, how, form=form, gain=OUTSIDE, along=direction_of(direction), still=still)
    return Width(said, low, high)


def along_stage_axis(stage: Stage, axis: int, pose: Pose) -> Value:
    """Return the width along x, y or z; refuse where faces show that the object is turned away from that axis."""
    direction = np.eye(3)[axis]
    found = width(stage, direction).value
    nearest = pose.rotation[int(np.argmax(np.abs(pose.rotation @ direction)))]
    turn = float(np.arccos(min(abs(float(nearest @ direction)), 1.0)))
    if turn < _TURNED or stage.kind == "pieces":
        return found
    own = width(stage, nearest)
    apart = abs(found.value - own.value.value)
    if not own.on_faces or apart < max(_DIFFERENT * own.value.value, 3 * hypot(own.value.u, found.u)):
        return found
    return refuse(
        f"the object lies turned by {np.degrees(turn):.1f} degrees against {'xyz'[axis]}, where jaws read "
        f"{100 * apart / own.value.value:.1f} % more than its faces are apart; ask for extent_long, _mid or _short"
    )


def along_box_axis(stage: Stage, rank: int, pose: Pose) -> Value:
    """Return the longest (rank 0), middle or shortest width along the object's own axes, by what was measured."""
    widths = [width(stage, row).value for row in pose.rotation]
    return sorted(widths, key=lambda w: -w.value)[rank]


def along_revolution(stage: Stage, pose: Pose) -> Value:
    """Return the height along the axis of revolution."""
    if pose.revolution is None:
        return refuse("the object has no axis of revolution to measure its height along; use extent_z")
    return width(stage, pose.revolution).value
