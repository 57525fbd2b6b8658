"""What the virtual caliper says: a value with its uncertainty, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Value:
    """
    One reading of the virtual caliper, in the unit of its stage.

    *u* is the standard uncertainty, *form* its one-sided part: material that may hold the jaws apart.
    *how* says what the jaws rested on.  Where the stage has no such feature, *value* is nan and *refused* says why.
    """

    value: float
    u: float
    how: str
    refused: str = ""
    form: float = 0.0


def refuse(reason: str) -> Value:
    """Return the reading that is none, with its reason."""
    return Value(float("nan"), float("nan"), "", reason)
