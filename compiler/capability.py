"""Whether a check can tell what it is asked: its detection limit, and what it would take to be good enough."""

from __future__ import annotations

import math
from dataclasses import dataclass

from r2s.compiler.scale_fit import LOD_FACTOR

PART = 1 / 3  # of the tolerance: with a larger u a check can neither pass nor fail surely


@dataclass(frozen=True, slots=True)
class Capability:
    """
    What a check with standard uncertainty *u*, m, can see.

    *lod95* is the smallest error that it would detect with 95 % power at 5 % false alarms, m.  *capable* tells whether
    u is at most a third of the tolerance.  *more* is how many further calibrate readings would make it so, 0 where it
    is; None where no number would.
    """

    u: float
    lod95: float
    capable: bool
    more: int | None


def capability(u: float, tolerance: float, u_scale: float, u_left: float, n: int) -> Capability:
    """
    Return the capability of a check against ±*tolerance*, m; nan uncertainties are capable of nothing.

    Of *u*, the part *u_scale* is the scale's, which rests on *n* calibrate readings; of that, more of them would leave
    *u_left* (what they share), and lower the rest with their number.  What is not the scale's no calibrate reading
    lowers: the check's own instrument, the scan's noise.
    """
    limit = PART * tolerance
    if not math.isfinite(u):
        return Capability(u, math.nan, False, None)
    if u <= limit:
        return Capability(u, LOD_FACTOR * u, True, 0)
    left = min(u_left, u_scale)
    room = limit**2 - (u**2 - u_scale**2) - left**2
    lowered = u_scale**2 - left**2
    if not n or room <= 0 or lowered <= 0:
        return Capability(u, LOD_FACTOR * u, False, None)
    return Capability(u, LOD_FACTOR * u, False, max(math.ceil(n * lowered / room) - n, 1))
