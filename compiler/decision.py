"""
What the calipers decide before anything slow runs: the unit, its factor, and which way is up.

A decision is small and plain so that it can be cached and printed.  Ingest gets its three fields as options and never
the readings behind them, so a caliper edit that changes no decision leaves ingest's key alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from r2s.compiler.errors import Diagnostic, UsageError

KEEP_AXES = "+x+y+z"
Y_UP = "+x-z+y"
X_UP = "+y+z+x"

NAMED_AXES = {"z": KEEP_AXES, "z-up": KEEP_AXES, "y": Y_UP, "y-up": Y_UP, "x": X_UP, "x-up": X_UP}

SignedAxes = tuple[tuple[int, int], tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Decision:
    """
    How the file's numbers become metres with z up.

    *unit* is a named unit (``mm``), or ``free`` where no unit fits; *factor* takes the file's numbers to metres.
    A free factor is rounded to two significant digits: the scale pass finds the rest, and a small caliper edit must
    change no decision.  *axes* tells which file axis with which sign becomes x, y and z (see :func:`signed_axes`).
    *method* is ``measured`` where calipers chose the unit, ``declared`` where the user or the format did.
    """

    unit: str
    factor: float
    axes: str
    free: bool
    method: Literal["measured", "declared"]
    evidence: str
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def options(self) -> dict[str, str | float]:
        """The options that ingest takes from this decision, and all of it that enters ingest's key."""
        return {"unit": self.unit, "factor": self.factor, "axes": self.axes}


def signed_axes(text: str) -> SignedAxes:
    """
    Return (index, sign) of the file axis behind each of x, y and z.

    Only proper rotations are allowed: a mirrored object is another object.  Raises UsageError for anything else.

    >>> signed_axes("+x-z+y")
    ((0, 1), (2, -1), (1, 1))
    """
    text = NAMED_AXES.get(text.strip().lower(), text.strip().lower())
    if not re.fullmatch(r"([+-][xyz]){3}", text):
        raise UsageError("R2S311", f"axes {text!r} cannot be read", hint="write z-up, y-up, or a map such as +x-z+y")
    first, second, third = (("xyz".index(text[i + 1]), 1 if text[i] == "+" else -1) for i in (0, 2, 4))
    order = (first[0], second[0], third[0])
    if sorted(order) != [0, 1, 2]:
        raise UsageError("R2S311", f"axes {text!r} name one axis twice", hint="each of x, y and z must occur once")
    even = order in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    if first[1] * second[1] * third[1] * (1 if even else -1) < 0:
        raise UsageError("R2S311", f"axes {text!r} mirror the object", hint="change one sign or swap two axes")
    return first, second, third


def spelled(text: str) -> str:
    """
    Return an axis map in its full spelling.

    >>> spelled("y-up")
    '+x-z+y'
    """
    return "".join(f"{'+' if sign > 0 else '-'}{'xyz'[index]}" for index, sign in signed_axes(text))
