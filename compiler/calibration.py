"""What the calibrate readings said of the scale, as data for the report: every figure that the rule looked at."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from r2s.compiler.scale_axes import AxesTest
from r2s.compiler.scale_fit import ScaleFit
from r2s.compiler.scale_offset import OffsetFit
from r2s.compiler.scale_pair import Pair


@dataclass(frozen=True, slots=True)
class Calibrated:
    """
    One reading in the fit: ln(caliper/scan) with *u*, its *weight*, *gain* per metre of surface offset, and box *axis*.

    *left_out* is what the others predict for it and miss by, with *u_left_out*; nan where there are none.
    """

    id: str
    ln_ratio: float
    u: float
    weight: float
    gain: float
    axis: str
    left_out: float
    u_left_out: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """
    The test of the calibrate readings against one another; see :class:`~r2s.compiler.scale_fit.ScaleFit` for the words.

    *untested* says what so few readings cannot show.  *contradiction* is the one line that ends the build where they
    contradict each other beyond what they tolerate, with its *remedy*; empty where they do not.
    """

    n: int
    chi2: float
    dof: int
    p: float
    p_readings: float
    p_least: float
    correlation: float
    birge: float
    inflation: float
    u_internal: float
    u_shared: float
    u_offset: float
    lod95: float
    prior_u: float
    prior_offset: float
    suspect: str
    p_without: float
    untested: tuple[str, ...]
    offset: OffsetFit | None
    axes: AxesTest | None
    readings: tuple[Calibrated, ...]
    contradiction: str = ""
    remedy: str = ""


def calibration_of(
    fit: ScaleFit, pairs: Sequence[Pair], axes: AxesTest | None, contradiction: str = "", remedy: str = ""
) -> Calibration:
    """Return *fit* over *pairs* and the test of the *axes* as data; what nobody promised is nan."""
    left_out = {left.id: left for left in fit.left_out}
    readings = []
    for pair, weight in zip(pairs, fit.weights, strict=True):
        left = left_out.get(pair.id)
        missed = (math.nan, math.nan) if left is None else (left.residual, left.u)
        readings.append(Calibrated(pair.id, pair.log_ratio, pair.u, weight, pair.gain, pair.axis, *missed))
    return Calibration(
        n=len(pairs),
        chi2=fit.chi2,
        dof=fit.dof,
        p=fit.p,
        p_readings=fit.p_readings,
        p_least=fit.p_least,
        correlation=fit.correlation,
        birge=fit.birge,
        inflation=fit.inflation,
        u_internal=fit.u_internal,
        u_shared=fit.u_shared,
        u_offset=fit.u_offset,
        lod95=fit.lod95,
        prior_u=math.nan if fit.prior_u is None else fit.prior_u,
        prior_offset=math.nan if fit.prior_offset is None else fit.prior_offset,
        suspect=fit.suspect,
        p_without=fit.p_without,
        untested=_untested(fit),
        offset=fit.offset,
        axes=axes,
        readings=tuple(readings),
        contradiction=contradiction,
        remedy=remedy,
    )


def _untested(fit: ScaleFit) -> tuple[str, ...]:
    """Return what the fit cannot show, in words."""
    found = []
    if not fit.dof:
        found.append("consistency: one reading has nothing to agree with")
    if fit.offset is None:
        found.append("surface offset: it does the same to all readings as a scale does")
    elif not fit.offset.identifiable:
        found.append(f"surface offset: {fit.offset.why}")
    return tuple(found)
