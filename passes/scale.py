"""Anchors all geometry to the calipers: one scale, fitted on the calibrate readings against the raw scan."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

from r2s.compiler.errors import Diagnostic
from r2s.compiler.ir import Anchor, Hulls
from r2s.compiler.ledger import Change, Method, Scalar, StandardUncertainty, Term
from r2s.compiler.protocol import Outcome
from r2s.compiler.readings import Reading
from r2s.compiler.scale_fit import Pair, ScaleFit, fit_scale
from r2s.compiler.scale_rule import Ruling, anchor, checked_mode
from r2s.passes.caliper import features as _features

# Half-width, m.  Where exactly the jaws touched (corner radii, draft, flatness) differs between caliper and scan.
# Engineering judgement, so it is marked assumed.
TOUCH = 0.05e-3
_BLIND = ("zero error common to all readings of one caliper", "surface offset", "mirror image")


@dataclass(frozen=True)
class Scale:
    """
    Fit ln s over the calibrate *readings* and anchor the hulls to it.

    mode      ``auto`` changes a metric scan only beyond 2 u, ``apply`` always, ``verify`` never
    free      whether the scan's own scale means nothing, so that only calipers set it
    prior_u   standard uncertainty of ln scale that the device promises; 0 for none
    readings  the calibrate readings; no check reading ever comes here
    kinds     kinds of feature on the whole sheet: with a diameter, a height is along the axis of revolution
    """

    name: ClassVar[str] = "scale"
    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy", "scipy")

    mode: str = field(default="auto", metadata={"given": True})
    free: bool = field(default=False, metadata={"given": True})
    prior_u: float = field(default=0.0, metadata={"given": True})
    readings: tuple[Reading, ...] = field(default=(), metadata={"given": True})
    kinds: tuple[str, ...] = field(default=(), metadata={"given": True})

    def run(self, source: Hulls, /) -> Outcome[Hulls]:
        """
        Return the hulls with their anchor.

        Raises InvalidInputError where the calipers contradict a metric scan by over 8 %.
        """
        checked_mode(self.mode)
        prior = self.prior_u if math.isfinite(self.prior_u) and self.prior_u > 0 else None
        pairs, refused = self._pairs(source)
        warnings = tuple(_warning(reading, reason) for reading, reason in refused)
        if not pairs:
            return Outcome(replace(source, anchor=_declared(prior)), _declared_terms(prior), warnings)
        fit = fit_scale(pairs, prior)
        ruling = anchor(fit, self.mode, self.free)
        made = Anchor(ruling.factor, fit.factor, fit.u, fit.dof_of_u, ruling.applied, "measured", ruling.reason)
        return Outcome(replace(source, anchor=made), _terms(fit, ruling, pairs), (*warnings, *ruling.diagnostics))

    def _pairs(self, source: Hulls) -> tuple[tuple[Pair, ...], list[tuple[Reading, str]]]:
        """Return caliper and raw scan side by side, and the readings whose feature the scan does not have."""
        if not self.readings:
            return (), []
        scan, first = source.surface.scan, source.surface.first
        pose, stage = _features.pose_of_surface(first), _features.stage_of_scan(scan)
        kinds = frozenset(self.kinds) | {reading.feature.kind for reading in self.readings}
        pairs, refused = [], []
        for reading in self.readings:
            marks = _features.marks_on(first, reading.feature)
            found = _features.measure(stage, reading.feature, pose, kinds, marks)
            if found.refused or not found.value > 0:
                refused.append((reading, found.refused or "the scan reads no length there"))
            else:
                pairs.append(_pair(reading, float(found.value), float(found.u)))
        return tuple(pairs), refused


def _pair(reading: Reading, scan: float, u_scan: float) -> Pair:
    """Split the caliper's uncertainty: the maker's limit is shared, all else is drawn anew for each reading."""
    repeatability = reading.spread / math.sqrt(len(reading.values))
    limits = (reading.resolution / 2, TOUCH)
    independent = math.hypot(repeatability, reading.u_pressed, *(limit / math.sqrt(3) for limit in limits))
    shared = reading.accuracy / math.sqrt(3)
    return Pair(reading.id, reading.instrument, reading.expected, independent, shared, scan, u_scan)


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
    evidence = f"weighted fit of ln(caliper/scan) on {', '.join(fit.ids)}"
    remaining = fit.ln_s - math.log(ruling.factor)
    numbers = (
        ("chi2", "chi-square of the readings about one scale", fit.chi2),
        ("dof", "degrees of freedom of chi2", float(fit.dof)),
        ("p", "probability of a larger chi2", fit.p),
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
