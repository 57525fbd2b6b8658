"""What to do with a fitted scale: apply it, leave the scan as it is, or stop."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from r2s.compiler.errors import Diagnostic, InvalidInputError, UsageError
from r2s.compiler.scale_axes import AxesTest
from r2s.compiler.scale_doubts import contradiction, doubts
from r2s.compiler.scale_fit import ScaleFit
from r2s.compiler.slips import slip

Mode = Literal["auto", "apply", "verify"]

WARN, STOP = 0.02, 0.08  # of a metric scan's scale
SIGNIFICANT = 2.0  # standard uncertainties


@dataclass(frozen=True, slots=True)
class Ruling:
    """
    The factor that the asset takes, whether it is the fitted one, why, and what the user should know.

    *failed* ends the build after its report is written: the readings contradict each other beyond what they tolerate.
    """

    factor: float
    applied: bool
    reason: str
    diagnostics: tuple[Diagnostic, ...] = ()
    failed: Diagnostic | None = None


def anchor(
    fit: ScaleFit,
    mode: str,
    free: bool,
    tolerances: Mapping[str, float] | None = None,
    axes: AxesTest | None = None,
) -> Ruling:
    """
    Return what *mode* makes of *fit*; *free* says that the scan's own scale means nothing.

    ``auto`` keeps a metric scan as it is while |ln s| stays within 2 u; ``apply`` always applies; ``verify`` never.
    Scale alone is what is applied, also where an offset is found: the compiler moves no faces, and the mean scale keeps
    the lengths that were measured nearest to the caliper.  *tolerances* are those of the readings, relative to their
    lengths, by id; *axes* is the test for a scale of each axis.

    Raises InvalidInputError where a metric scan would change by more than 8 %, or where a free one may not change.
    """
    checked_mode(mode)
    said, failed = doubts(fit, axes), contradiction(fit, axes, tolerances or {})
    size, words = abs(fit.ln_s), describe(fit)
    if free:
        if mode == "verify":
            message = f"the scan's scale is free (x{fit.factor:.5g} by the calipers) and --scale verify may not set it"
            raise InvalidInputError("R2S604", message, hint="use --scale auto")
        return Ruling(fit.factor, True, f"{words}: applied, the scan's own scale is free", said, failed)
    if mode == "verify":
        return Ruling(1.0, False, f"{words}: not applied (--scale verify)", said, failed)
    if mode == "auto" and size <= SIGNIFICANT * fit.u:
        return Ruling(1.0, False, f"{words}: within {SIGNIFICANT:g} u of 1, the scan is left as it is", said, failed)
    if size > STOP:
        change = f"the calipers ({', '.join(fit.ids)}) change the metric scan by {_percent(fit.ln_s)}"
        message = f"{change} ± {fit.u:.2%}, over the {STOP:.0%} that a unit allows"
        words = slip(fit.factor)
        if words:
            message += f"; what they say is {words}"
        hint = "check unit and readings; if the scan's scale is arbitrary, say --unit arbitrary"
        raise InvalidInputError("R2S603", message, hint=hint)
    if size > WARN:
        message = (
            f"the scale of the metric scan was corrected by {_percent(fit.ln_s)} ± {fit.u:.2%} ({', '.join(fit.ids)})"
        )
        hint = "check unit and readings, or the scanner's own calibration"
        said = (*said, Diagnostic("warning", "R2S602", message, hint))
    return Ruling(fit.factor, True, f"{words}: applied", said, failed)


def checked_mode(mode: str) -> str:
    """Return *mode*; raise UsageError if it is none."""
    if mode not in get_args(Mode):
        raise UsageError("R2S605", f"scale mode {mode!r} does not exist", hint=f"use {', '.join(get_args(Mode))}")
    return mode


def describe(fit: ScaleFit) -> str:
    """Return ``x0.9974 ± 0.0009 (2.9 u from 1) on A, C``."""
    away = abs(fit.ln_s) / fit.u
    return f"x{fit.factor:.5f} ± {fit.u:.2g} ({away:.1f} u from 1) on {', '.join(fit.ids)}"


def _percent(log: float) -> str:
    return f"{math.expm1(log):+.2%}"
