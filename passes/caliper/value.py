"""What the virtual caliper says: a value with its uncertainty, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from r2s.compiler.ir import Floats
from r2s.compiler.scale_pair import INSIDE, OUTSIDE, STEP

__all__ = ["INSIDE", "OUTSIDE", "STEP", "Value", "direction_of", "refuse"]


@dataclass(frozen=True, slots=True)
class Value:
    """
    One reading of the virtual caliper, in the unit of its stage.

    *u* is the standard uncertainty, *form* its one-sided part: material that may hold the jaws apart.
    *how* says what the jaws rested on.  Where the stage has no such feature, *value* is nan and *refused* says why.
    *gain* is what the value gains where every face stands one unit further out: 2 outside, -2 inside, 0 for a step, nan
    where the sides are unknown.  *along* is the unit direction of the jaws, None for what has none, such as a diameter.
    *slope* is by how much the radius of a round wall grows per length along its axis where the circle was read.
    *still* is the part of *u* that stays the same however often the same places are measured: form, and where between
    two points an edge lies.
    """

    value: float
    u: float
    how: str
    refused: str = ""
    form: float = 0.0
    gain: float = float("nan")
    along: tuple[float, float, float] | None = None
    slope: float = 0.0
    still: float = 0.0


def direction_of(vector: Floats) -> tuple[float, float, float]:
    """Return a unit *vector* (3,) as what a Value holds."""
    x, y, z = vector.tolist()
    return (x, y, z)


def refuse(reason: str) -> Value:
    """Return the reading that is none, with its reason."""
    return Value(float("nan"), float("nan"), "", reason)
