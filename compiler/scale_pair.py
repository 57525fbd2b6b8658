"""One feature by caliper and by scan, side by side: what a fit of the scale is made from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from r2s.compiler.gls import Errors

OUTSIDE, INSIDE, STEP = 2.0, -2.0, 0.0  # what a length gains where every face stands one unit further out
_SMALLEST_U = 1e-9


@dataclass(frozen=True, slots=True)
class Pair:
    """
    One feature by caliper and by scan, metres.

    *u_indep* is the part of the caliper's standard uncertainty that every reading draws anew, *u_common* the part that
    it may share with all readings of the same *instrument*, *u_scan* the scan's own.  *u_assumed* is how much of
    *u_indep* is an assumption of ours that nobody measured or declared; *u_registration* is what the device promises of
    how the faces lie to one another, which is no better known.

    *gain* is what the length gains where every face stands one unit further out: 2 for outside jaws, -2 for inside
    ones, 0 for a depth or a step, 1 where one jaw rests on what nobody scanned.  *axis* names the box axis along which
    the reading lies, empty if it lies along none.
    """

    id: str
    instrument: str
    caliper: float
    u_indep: float
    u_common: float
    scan: float
    u_scan: float
    u_assumed: float = 0.0
    gain: float = OUTSIDE
    axis: str = ""
    u_registration: float = 0.0

    @property
    def log_ratio(self) -> float:
        """ln(C/S)."""
        return math.log(self.caliper / self.scan)

    @property
    def u_alone(self) -> float:
        """Standard uncertainty of the log ratio without the shared part."""
        of_scan = math.hypot(self.u_scan, self.u_registration)
        return max(math.hypot(self.u_indep / self.caliper, of_scan / self.scan), _SMALLEST_U)

    @property
    def u_known(self) -> float:
        """``u_alone`` without what is assumed: what the instrument's steps, the repeats and the scan's noise leave."""
        indep = math.sqrt(max(self.u_indep**2 - self.u_assumed**2, 0.0))
        return max(math.hypot(indep / self.caliper, self.u_scan / self.scan), _SMALLEST_U)

    @property
    def shared(self) -> float:
        """The shared part, as a relative standard uncertainty."""
        return self.u_common / self.caliper

    @property
    def u(self) -> float:
        """Standard uncertainty of the log ratio."""
        return math.hypot(self.u_alone, self.shared)

    @property
    def per_offset(self) -> float:
        """What ln(C/S) gains for each metre by which the object's faces stand further out than the scan's, 1/m."""
        return self.gain / self.caliper


def log_ratios(pairs: Sequence[Pair]) -> list[float]:
    """Return ln(C/S) of each pair."""
    return [p.log_ratio for p in pairs]


def errors_of(pairs: Sequence[Pair], *, assumed: bool = True) -> Errors:
    """Return the uncertainties of the log ratios, with or without what is *assumed*."""
    alone = tuple(p.u_alone if assumed else p.u_known for p in pairs)
    return Errors(alone, tuple(p.shared for p in pairs), tuple(p.instrument for p in pairs))
