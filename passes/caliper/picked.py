"""Features between two picked faces, read on any stage: the marks' faces are found there, then spanned."""

from __future__ import annotations

from dataclasses import replace

from r2s.passes.caliper.depth import depth, step_to_rim
from r2s.passes.caliper.marks import Marks
from r2s.passes.caliper.near import resolved
from r2s.passes.caliper.pairs import between, side_of
from r2s.passes.caliper.spot import face_of
from r2s.passes.caliper.stage import Stage
from r2s.passes.caliper.value import OUTSIDE, STEP, Value, refuse

_GAIN = {"thickness": OUTSIDE, "step": STEP}  # by what they are, also where the sides cannot be told


def span(stage: Stage, kind: str, marks: Marks) -> Value:
    """
    Return the ``distance``, ``thickness``, ``step`` or ``depth`` between the marks on *stage*.

    The floor of the scan says how small a face may be, and patches keep to it; how near two faces may be
    to one another is a matter of the noise alone.
    """
    if kind == "depth":
        found = depth(stage, marks)
    elif marks.start.landing or marks.end.landing:
        found = step_to_rim(stage, marks)
    else:
        found = _faces_apart(stage, kind, marks)
    least = resolved(stage)
    if not found.refused and found.value < least:
        said = f"{stage.said(found.value)} of the {stage.said(least)} that noise lets two faces be told apart by"
        return refuse(f"below the resolution floor: {said}")
    return replace(found, gain=_GAIN.get(kind, found.gain))


def _faces_apart(stage: Stage, kind: str, marks: Marks) -> Value:
    start, end = face_of(stage, marks.start), face_of(stage, marks.end)
    if isinstance(start, str):
        return refuse(start)
    if isinstance(end, str):
        return refuse(end)
    found = between(start, end)
    if kind == "step" and not found.refused and side_of(start, end) in ("outside", "inside"):
        return refuse("the two faces look opposite ways: step jaws need two that look one way; ask for a distance")
    return found
