"""Anchors all geometry to the calipers: one scale, fitted on the calibrate readings against the raw scan."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

from r2s.compiler.calibration import calibration_of
from r2s.compiler.devices import noise_for_priors
from r2s.compiler.errors import Diagnostic
from r2s.compiler.ir import Anchor, Hulls
from r2s.compiler.ledger import Change, Method, Scalar, StandardUncertainty, Term
from r2s.compiler.protocol import Outcome
from r2s.compiler.readings import TOUCH, Reading
from r2s.compiler.scale_axes import AxesTest, compare_axes
from r2s.compiler.scale_fit import Pair, ScaleFit, fit_scale
from r2s.compiler.scale_rule import Ruling, anchor, checked_mode
from r2s.passes.caliper import features as _features
from r2s.passes.caliper.pairing import pair_of

_BLIND = ("zero error common to all readings of one caliper", "surface offset", "mirror image")


@dataclass(frozen=True)
class Scale:
    """
    Fit ln s over the calibrate *readings* and anchor the hulls to it.

    mode          ``auto`` changes a metric scan only beyond 2 u, ``apply`` always, ``verify`` never
    free          whether the scan's own scale means nothing, so that only calipers set it
    prior_u       standard uncertainty of ln scale that the device promises; 0 for none
    prior_offset  the same of how far its surfaces lie off the object's, m
    registration  the same of how far the faces of one view lie off the others', m
    of_noise      the same in multiples of the scan's own noise, where the device says it so
    readings      the calibrate readings; no check reading ever comes here
    kinds         kinds of feature on the whole sheet: with a diameter, a height is along the axis of revolution
    """

    name: ClassVar[str] = "scale"
    version: ClassVar[int] = 3
    libraries: ClassVar[tuple[str, ...]] = ("numpy", "scipy")

    mode: str = field(default="auto", metadata={"given": True})
    free: bool = field(default=False, metadata={"given": True})
    prior_u: float = field(default=0.0, metadata={"given": True})
    prior_offset: float = field(default=0.0, metadata={"given": True})
    registration: float = field(default=0.0, metadata={"given": True})
    of_noise: float = field(default=0.0, metadata={"given": True})
    readings: tuple[Reading, ...] = field(default=(), metadata={"given": True})
    kinds: tuple[str, ...] = field(default=(), metadata={"given": True})

    def run(self, source: Hulls, /) -> Outcome[Hulls]:
        """
        Return the hulls with their anchor.

        Raises InvalidInputError where the calipers contradict a metric scan by over 8 %.
        """
        checked_mode(self.mode)
        prior, prior_offset = _promised(self.prior_u), _promised(self.prior_offset)
        pairs, refused = self._pairs(source)
        warnings = tuple(_warning(reading, reason) for reading, reason in refused)
        if not pairs:
            return Outcome(replace(source, anchor=_declared(prior)), _declared_terms(prior), warnings)
        fit, axes = fit_scale(pairs, prior, prior_offset), compare_axes(pairs, prior_offset)
        tolerances = {reading.id: reading.tolerance / reading.value for reading in self.readings}
        ruling = anchor(fit, self.mode, self.free, tolerances, axes)
        failed = (ruling.failed.message, ruling.failed.hint) if ruling.failed is not None else ()
        made = Anchor(
            ruling.factor,
            fit.factor,
            fit.u,
            fit.dof_of_u,
            ruling.applied,
            "measured",
            ruling.reason,
            calibration_of(fit, pairs, axes, *failed),
        )
        terms = (*_terms(fit, ruling, pairs), *_offset_terms(fit), *_axes_terms(axes))
        return Outcome(replace(source, anchor=made), terms, (*warnings, *ruling.diagnostics))

    def _pairs(self, source: Hulls) -> tuple[tuple[Pair, ...], list[tuple[Reading, str]]]:
        """Return caliper and raw scan side by side, and the readings whose feature the scan does not have."""
        if not self.readings:
            return (), []
        scan, first = source.surface.scan, source.surface.first
        pose, stage = _features.pose_of_surface(first), _features.stage_of_scan(scan)
        kinds = frozenset(self.kinds) | {reading.feature.kind for reading in self.readings}
        registration = math.hypot(
            self.registration, self.of_noise * noise_for_priors(scan.noise, scan.spacing, scan.floor)
        )
        pairs, refused = [], []
        for reading in self.readings:
            marks = _features.marks_on(first, reading.feature)
            found = _features.measure(stage, reading.feature, pose, kinds, marks)
            if found.refused or not found.value > 0:
                refused.append((reading, found.refused or "the scan reads no length there"))
            else:
                pairs.append(pair_of(reading, found, pose, first, registration))
        return tuple(pairs), refused


def _promised(u: float) -> float | None:
    return u if math.isfinite(u) and u > 0 else None


def _warning(reading: Reading, reason: str) -> Diagnostic:
    message = f"{reading.id} ({reading.feature.kind}) takes no part in the scale: {reason}"
    return Diagnostic("warning", "R2S601", message, "measure another feature, or scan what is missing")


def _declared(prior: float | None) -> Anchor:
    reason = "no length measured: the scale is as declared, unverified"
    return Anchor(u=math.nan if prior is None else prior, method="declared", reason=reason)


def _declared_terms(prior: float | None) -> tuple[Term, ...]:
    if prior is None:
        return ()
    return (_ln_scale(0.0, prior, math.inf, "declared", "promised by the class of device"),)


def _terms(fit: ScaleFit, ruling: Ruling, pairs: tuple[Pair, ...]) -> tuple[Term, ...]:
    evidence = f"weighted fit of ln(caliper/scan) on {', '.join(fit.ids)}, shared errors in full"
    remaining = fit.ln_s - math.log(ruling.factor)
    numbers = (
        ("chi2", "chi-square of the readings about one scale", fit.chi2),
        ("dof", "degrees of freedom of chi2", float(fit.dof)),
        ("p", "probability of a larger chi2", fit.p),
        ("p_least", "the least probability, whatever readings share, with nothing assumed to excuse them", fit.p_least),
        ("inflation", "what the scatter multiplied u by", fit.inflation),
        ("birge", "Birge ratio", fit.birge),
        ("lod95", "smallest ln scale error that would be detected (5 % false alarms, 95 % power)", fit.lod95),
    )
    return (
        _ln_scale(remaining, fit.u, fit.dof_of_u, "measured", evidence),
        Change("scale.factor", "scale", 1.0, ruling.factor, "1", ruling.reason),
        *(Scalar(f"scale.{key}", quantity, value, "1", "measured", evidence) for key, quantity, value in numbers),
        *(
            Scalar(f"scale.ratio.{p.id}", "ln(caliper/scan)", p.log_ratio, "1", "measured", f"u {p.u:.2g}")
            for p in pairs
        ),
        *(
            Scalar(
                f"scale.left_out.{left.id}",
                "ln residual to the others",
                left.residual,
                "1",
                "measured",
                f"u {left.u:.2g}",
            )
            for left in fit.left_out
        ),
        Scalar("scale.touch", "half-width of where the jaws touched", TOUCH, "m", "assumed", "engineering judgement"),
    )


def _offset_terms(fit: ScaleFit) -> tuple[Term, ...]:
    """Return what is known of the surface offset: what the readings say where they can, else the device's promise."""
    offset = fit.offset
    if offset is not None and offset.identifiable:
        said = f"fit of scale and offset, correlation {offset.correlation:.2f}; {offset.why}"
        row = _offset_row(offset.d, offset.u_d, "measured", said)
        return (
            row,
            Scalar("scale.offset_ln_scale", "ln scale fitted with an offset", offset.ln_s, "1", "measured", said),
            Scalar("scale.offset_correlation", "of ln scale and offset", offset.correlation, "1", "measured", said),
            Scalar("scale.aic_drop", "Akaike's criterion, scale less both", offset.aic_drop, "1", "measured", said),
        )
    if fit.prior_offset is None:
        return ()
    return (_offset_row(0.0, fit.prior_offset, "assumed", "of the class of device; the readings cannot tell it"),)


def _offset_row(value: float, u: float, method: Method, evidence: str) -> StandardUncertainty:
    return StandardUncertainty(
        id="scale.offset",
        quantity="surface offset",
        u=u,
        unit="m",
        distribution="normal" if method == "measured" else "rectangular",
        dof=math.inf,
        method=method,
        evidence=evidence,
        shape="offset",
        group="offset:scan",
        blind_to=("zero error common to all readings of one caliper",),
        value=value,
    )


def _axes_terms(axes: AxesTest | None) -> tuple[Term, ...]:
    if axes is None:
        return ()
    said = f"chi2 drops by {axes.drop:.2g} with {axes.dof} dof"
    of_each = zip(axes.axes, axes.ln_s, axes.u, axes.readings, strict=True)
    return (
        Scalar(
            "scale.axes_p",
            "probability of a larger drop of chi2 where all axes have one scale",
            axes.p,
            "1",
            "measured",
            said,
        ),
        *(
            Scalar(f"scale.axis.{axis}", "ln(caliper/scan) along it", ln_s, "1", "measured", f"u {u:.2g}, n {n}")
            for axis, ln_s, u, n in of_each
        ),
    )


def _ln_scale(value: float, u: float, dof: float, method: Method, evidence: str) -> StandardUncertainty:
    return StandardUncertainty(
        id="scale.ln_scale",
        quantity="ln scale",
        u=u,
        unit="1",
        distribution="normal",
        dof=dof,
        method=method,
        evidence=evidence,
        shape="scale",
        group="scale:all",
        blind_to=_BLIND,
        value=value,
    )
