"""What to do with a fitted scale: apply it, leave the scan as it is, or stop."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from r2s.compiler.errors import Diagnostic, InvalidInputError, UsageError
from r2s.compiler.scale_fit import LeftOut, ScaleFit

Mode = Literal["auto", "apply", "verify"]

WARN, STOP = 0.02, 0.08  # of a metric scan's scale
SIGNIFICANT = 2.0  # standard uncertainties
INCONSISTENT, CONTRADICTORY = 0.05, 0.003  # upper tails of chi²
SUSPECT = 3.0


@dataclass(frozen=True, slots=True)
class Ruling:
    """The factor that the asset takes, whether it is the fitted one, why, and what the user should know."""

    factor: float
    applied: bool
    reason: str
    diagnostics: tuple[Diagnostic, ...] = ()


def anchor(fit: ScaleFit, mode: str, free: bool) -> Ruling:
    """
    Return what *mode* makes of *fit*; *free* says that the scan's own scale means nothing.

    ``auto`` keeps a metric scan as it is while |ln s| stays within 2 u; ``apply`` always applies; ``verify`` never.
    Raises InvalidInputError where a metric scan would change by more than 8 %, or where a free one may not change.
    """
    checked_mode(mode)
    said = _consistency(fit)
    size, words = abs(fit.ln_s), describe(fit)
    if free:
        if mode == "verify":
            message = f"the scan's scale is free (x{fit.factor:.5g} by the calipers) and --scale verify may not set it"
            raise InvalidInputError("R2S604", message, hint="use --scale auto")
        return Ruling(fit.factor, True, f"{words}: applied, the scan's own scale is free", said)
    if mode == "verify":
        return Ruling(1.0, False, f"{words}: not applied (--scale verify)", said)
    if mode == "auto" and size <= SIGNIFICANT * fit.u:
        return Ruling(1.0, False, f"{words}: within {SIGNIFICANT:g} u of 1, the scan is left as it is", said)
    if size > STOP:
        change = f"the calipers ({', '.join(fit.ids)}) change the metric scan by {_percent(fit.ln_s)}"
        message = f"{change} ± {fit.u:.2%}, over the {STOP:.0%} that a unit allows"
        hint = "check unit and readings; if the scan's scale is arbitrary, say --unit arbitrary"
        raise InvalidInputError("R2S603", message, hint=hint)
    if size > WARN:
        message = (
            f"the scale of the metric scan was corrected by {_percent(fit.ln_s)} ± {fit.u:.2%} ({', '.join(fit.ids)})"
        )
        hint = "check unit and readings, or the scanner's own calibration"
        said = (*said, Diagnostic("warning", "R2S602", message, hint))
    return Ruling(fit.factor, True, f"{words}: applied", said)


def checked_mode(mode: str) -> str:
    """Return *mode*; raise UsageError if it is none."""
    if mode not in get_args(Mode):
        raise UsageError("R2S605", f"scale mode {mode!r} does not exist", hint=f"use {', '.join(get_args(Mode))}")
    return mode


def describe(fit: ScaleFit) -> str:
    """Return ``x0.9974 ± 0.0009 (2.9 u from 1) on A, C``."""
    away = abs(fit.ln_s) / fit.u
    return f"x{fit.factor:.5f} ± {fit.u:.2g} ({away:.1f} u from 1) on {', '.join(fit.ids)}"


def _consistency(fit: ScaleFit) -> tuple[Diagnostic, ...]:
    """Return a note or a warning where one scale does not explain all readings; the uncertainty has grown already."""
    if not fit.dof or fit.p >= INCONSISTENT:
        return ()
    worst: LeftOut = max(fit.left_out, key=lambda left: left.normalised)
    message = (
        f"one scale does not explain {', '.join(fit.ids)}: chi2 {fit.chi2:.1f} with {fit.dof} dof, p = {fit.p:.2g}; "
        f"{worst.id} lies {_percent(worst.residual)} from the others ({worst.normalised:.1f} u)"
    )
    hint = f"measure {worst.id} again" if worst.normalised > SUSPECT else "measure again, or give the true accuracy"
    severity: Literal["note", "warning"] = "warning" if fit.p < CONTRADICTORY else "note"
    return (Diagnostic(severity, "R2S606", message, hint),)


def _percent(log: float) -> str:
    return f"{math.expm1(log):+.2%}"
