"""What the calibrate readings make one doubt: each other, their own uncertainties, an offset, a scale of each axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from r2s.compiler.errors import Diagnostic, Severity
from r2s.compiler.scale_axes import AxesTest
from r2s.compiler.scale_consistency import CONTRADICTORY, INCONSISTENT, SUSPECT, LeftOut
from r2s.compiler.scale_fit import ScaleFit

TOO_GOOD = 0.997
_MANY = 4  # readings: fewer agree to the last step of the instrument by rounding alone too often
_SURE = 3.0  # standard uncertainties of an offset


def doubts(fit: ScaleFit, axes: AxesTest | None) -> tuple[Diagnostic, ...]:
    """Return a note or a warning for each doubt; the uncertainty has grown already where one asks for it."""
    return (*_consistency(fit), *_too_good(fit), *_offset(fit), *_axes(axes))


def contradiction(fit: ScaleFit, axes: AxesTest | None, tolerances: Mapping[str, float]) -> Diagnostic | None:
    """
    Return what ends the build, or None: p under 0.003, and a reading further from the others than it tolerates.

    Only readings among themselves can contradict: what a class of device promises is an assumption.

    *tolerances* are half-widths relative to the length, by id.  A scatter that tight instruments tell from none, but
    that no reading minds, widens the uncertainty and is a warning.  So is one that an offset or a scale of each axis
    explains: then the readings are right, and none of them would cure the scan.
    """
    if not fit.p_readings < CONTRADICTORY or _explained(fit, axes):
        return None
    beyond = [left for left in fit.left_out if abs(math.expm1(left.residual)) > tolerances.get(left.id, math.inf)]
    worst = next((left for left in beyond if left.id == fit.suspect), None)
    worst = worst or max(beyond, key=lambda left: left.normalised, default=None)
    if worst is None or worst.normalised <= SUSPECT:
        return None
    said = (
        f"the calibrate readings contradict each other: {_misses(fit, worst)}, beyond its tolerance of "
        f"{tolerances[worst.id]:.2%}; chi2 {fit.chi2:.1f} with {fit.dof} dof, p = {fit.p:.2g}"
    )
    return Diagnostic("error", "R2S643", said, _remedy(fit))


def _consistency(fit: ScaleFit) -> Iterator[Diagnostic]:
    worst = fit.worst
    if not fit.dof or fit.p >= INCONSISTENT or worst is None:
        return
    message = (
        f"one scale does not explain {', '.join(fit.ids)}: chi2 {fit.chi2:.1f} with {fit.dof} dof, p = {fit.p:.2g}; "
        f"{_misses(fit, worst)}; u grew by {fit.inflation:.2g}"
    )
    yield Diagnostic("warning", "R2S606", message, _remedy(fit))


def _misses(fit: ScaleFit, worst: LeftOut) -> str:
    """Return which reading stands out, or that none does."""
    by = f"{_percent(worst.residual)} ({worst.normalised:.1f} u)"
    if len(fit.ids) == 2 and fit.prior_u is None:
        return f"{fit.ids[0]} and {fit.ids[1]} lie {by.lstrip('+-')} apart"
    if len(fit.ids) == 1:
        return f"{worst.id} lies {by} from what the device promises"
    if math.isnan(fit.p_without):
        return f"{worst.id} lies {by} from the rest"
    agree = "which agree" if fit.p_without >= CONTRADICTORY else "which do not agree either"
    return f"{worst.id} lies {by} from the others, {agree} (p = {fit.p_without:.2g})"


def _remedy(fit: ScaleFit) -> str:
    if fit.suspect:
        return f"measure {fit.suspect} again, or take it out of the sheet and write down why"
    if len(fit.ids) == 1:
        return "measure it again, or name the device that it is"
    if len(fit.ids) == 2:
        return "a third reading tells which of the two is wrong; or give the true accuracy"
    return "measure again, or give the true accuracy"


def _too_good(fit: ScaleFit) -> Iterator[Diagnostic]:
    if len(fit.ids) < _MANY or not fit.p_least > TOO_GOOD:
        return
    said = (
        f"{', '.join(fit.ids)} agree with the scan better than their own uncertainties allow (p = {fit.p_least:.5f}): "
        "accuracy and resolution are overstated, or the values were copied from the scan"
    )
    yield Diagnostic("warning", "R2S607", said, "write down what the instrument showed, and its true accuracy")


def _offset(fit: ScaleFit) -> Iterator[Diagnostic]:
    found = fit.offset
    if found is None or found.preferred == "scale":
        return
    away = abs(found.d) / found.u_d
    severity: Severity = "warning" if away > _SURE else "note"
    where = "further out" if found.d > 0 else "further in"
    said = (
        f"the readings ask for a surface offset beside the scale: the object's faces lie {abs(found.d) * 1e3:.3f} ± "
        f"{found.u_d * 1e3:.3f} mm {where} than the scan's ({away:.1f} u, AIC better by {found.aic_drop:.1f}); the "
        f"scale alone is used, and its u holds the {abs(found.bias):.2%} that this costs"
    )
    hint = "look for spray, bleeding edges or a probe's size in the scan, or for a zero error of the caliper"
    yield Diagnostic(severity, "R2S608", said, hint)


def _axes(axes: AxesTest | None) -> Iterator[Diagnostic]:
    if axes is None or axes.p >= INCONSISTENT:
        return
    severity: Severity = "warning" if axes.p < CONTRADICTORY else "note"
    parts = zip(axes.axes, axes.ln_s, axes.u, strict=True)
    each = ", ".join(f"{axis} {_percent(ln_s)} ± {u:.2%}" for axis, ln_s, u in parts)
    said = f"the scan's scale differs from axis to axis: {each} (chi2 drops by {axes.drop:.1f}, p = {axes.p:.2g})"
    yield Diagnostic(severity, "R2S609", said, "calibrate the scanner; one scale for all axes is what is used")


def _explained(fit: ScaleFit, axes: AxesTest | None) -> bool:
    by_offset = fit.offset is not None and fit.offset.preferred != "scale"
    return by_offset or (axes is not None and axes.p < CONTRADICTORY <= axes.p_left)


def _percent(log: float) -> str:
    return f"{math.expm1(log):+.2%}"
