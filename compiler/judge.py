"""
Sets what the passes did against the calipers and the budgets; the first and only place where a check value is read.

Arithmetic only: the measuring was done by the virtual caliper in the worker.  For every feature the waterfall follows
its value from the raw scan to the compiled model; each step's difference is what that pass introduced, so it closes by
construction.  Two numbers come out: the *estimate* of the real object (the scan's reading, anchored) and the *error* of
the asset (the compiled model against the caliper), each with its uncertainty.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from r2s.compiler.account import Account
from r2s.compiler.capability import Capability, capability
from r2s.compiler.errors import Diagnostic, Severity
from r2s.compiler.ir import Anchor
from r2s.compiler.measured import STAGES, Measured, StageReadings
from r2s.compiler.readings import U_TOUCH, Reading
from r2s.compiler.uncertainty.conformance import probability_within

Verdict = Literal["PASS", "FAIL", "INCONCLUSIVE", "UNCHECKED"]

PASS_LEVEL = 0.95  # conformance probability of JCGM 106; a guard band of 1.645 u
DEPARTED = 3.0  # standard uncertainties of the estimate: a stage further from the raw scan has changed the object
COVERAGE = 2.0  # coverage factor of the expanded uncertainty, about 95 %

# what each stage's difference to the one before was introduced by
INTRODUCED_BY = {
    "surface": "surface",
    "simplified": "simplify",
    "pieces": "decompose",
    "anchored": "scale",
    "model": "emit",
}


@dataclass(frozen=True)
class Sureness:
    """
    How sure the estimate of one length is, m: *u* and U95 (*expanded*), infinite where nothing bounds its scale.

    *bounded* is u without what nothing bounds, and without biases that are known.  *shares* are of u², by what the
    uncertainty comes from.
    """

    u: float = math.nan
    expanded: float = math.nan
    bounded: float = math.nan
    shares: Mapping[str, float] = field(default_factory=dict)

    @property
    def dominant(self) -> str:
        """What most of u² comes from, empty where there is none."""
        return max(self.shares, key=lambda term: self.shares[term], default="")


@dataclass(frozen=True)
class Row:
    """One reading of the sheet, followed through the compiler; lengths in metres, nan where a stage has no value."""

    reading: Reading
    stages: Mapping[str, Measured]
    anchored: float
    introduced: Mapping[str, float]
    estimate: float
    sureness: Sureness
    error: float
    u_error: float
    probability: float
    verdict: Verdict
    capability: Capability

    @property
    def lost_by(self) -> str:
        """Name of the pass whose value no longer has the feature while the one before had; empty where none has."""
        for before, after in pairwise(STAGES):
            here, there = self.stages.get(before), self.stages.get(after)
            if here is not None and here.there and there is not None and not there.there:
                return INTRODUCED_BY[after]
        return ""

    @property
    def departs_by(self) -> str:
        """Name of the first pass whose value lies over 3 u of the estimate from the raw scan's; else empty."""
        scan = self.stages.get("scan")
        if scan is None or not scan.there:
            return ""
        for stage in STAGES[1:-1]:
            there = self.stages.get(stage)
            if there is not None and there.there and self._departed(there.value - scan.value, there.u):
                return INTRODUCED_BY[stage]
        model = self.stages.get("model")
        if model is not None and model.there and self._departed(model.value - self.estimate, model.u):
            return INTRODUCED_BY["model"]
        return ""

    def _departed(self, change: float, u: float) -> bool:
        return abs(change) > DEPARTED * math.hypot(self.sureness.bounded, u)

    @property
    def moved_by(self) -> str:
        """
        What moved the feature most where the asset is off by more than the tolerance: a pass, or ``scan``; else empty.

        The scan's share is its anchored value against the caliper, so what the scale corrected is in it.
        """
        if not abs(self.error) > self.reading.tolerance:
            return ""
        return max(self._shares, key=lambda name: abs(self._shares[name]), default="")

    @property
    def _shares(self) -> dict[str, float]:
        shares = {"scan": self.estimate - self.reading.value, **self.introduced}
        return {name: share for name, share in shares.items() if name != "scale" and math.isfinite(share)}

    @property
    def moved(self) -> float:
        """By how much ``moved_by`` moved the feature, m."""
        return self._shares.get(self.moved_by, math.nan)

    @property
    def model(self) -> float:
        """The feature's value on the compiled model, m."""
        return _value(self.stages.get("model"))


@dataclass(frozen=True)
class Judgement:
    """All rows, the verdict over the check readings, and what to tell the user."""

    rows: tuple[Row, ...]
    verdict: Verdict
    diagnostics: tuple[Diagnostic, ...]


def judge(
    readings: tuple[Reading, ...], stages: tuple[StageReadings, ...], anchor: Anchor, account: Account
) -> Judgement:
    """
    Return the judgement of *readings* (both roles) over what the virtual caliper read on each stage.

    *account* tells how sure each length is that the raw scan has.
    """
    by_stage = {s.stage: {m.id: m for m in s.values} for s in stages}
    rows = tuple(
        _row(r, {name: by_stage[name][r.id] for name in STAGES if name in by_stage}, anchor, _sureness(account, r.id))
        for r in readings
    )
    verdict = _overall(rows)
    return Judgement(rows, verdict, tuple(_diagnostics(rows, verdict)))


def conformance(error: float, u: float, tolerance: float) -> float:
    """
    Return the probability that the true error lies within ±*tolerance*, given *error* and its standard uncertainty.

    JCGM 106, two-sided, normal.

    >>> round(conformance(0.0, 1.0, 1.96), 3), conformance(2.0, 0.0, 1.0)
    (0.95, 0.0)
    """
    return probability_within(error, u, -tolerance, tolerance)


def _sureness(account: Account, id_: str) -> Sureness:
    budget = account.budgets.get(id_)
    if budget is None:
        return Sureness()
    shares = {term: share for term, share, _ in account.shares(id_)}
    return Sureness(budget.u, budget.expanded, account.u_bounded(id_), shares)


def _row(reading: Reading, stages: Mapping[str, Measured], anchor: Anchor, sureness: Sureness) -> Row:
    values = {name: _value(m) for name, m in stages.items()}
    anchored = values.get("pieces", math.nan) * anchor.factor
    # a pipeline without a pass has no such stage, and the next pass is set against what it was given
    kept = [n for n in ("scan", "surface", "simplified", "pieces") if n in stages or "model" not in stages]
    chain = [(n, values.get(n, math.nan)) for n in kept]
    chain += [("anchored", anchored), ("model", values.get("model", math.nan))]
    introduced = {INTRODUCED_BY[name]: b - a for (_, a), (name, b) in pairwise(chain)}
    estimate = values.get("scan", math.nan) * anchor.factor
    u_scale = estimate * (0.0 if math.isnan(anchor.u) else anchor.u)
    error = values.get("model", math.nan) - reading.value
    u_model = stages["model"].u if "model" in stages else math.nan
    # Where nobody measured the scale, a check is what tests it: its own error cannot excuse it.
    u_error = math.hypot(reading.u, U_TOUCH, reading.u_pressed, sureness.bounded, u_model)
    # The error is against what the jaws read; what they are expected to have pressed in is no error of the asset.
    free = error - reading.pressed
    probability = conformance(free, u_error, reading.tolerance) if math.isfinite(error + u_error) else math.nan
    return Row(
        reading,
        stages,
        anchored,
        introduced,
        estimate,
        sureness,
        error,
        u_error,
        probability,
        _verdict(reading, probability),
        _capability(reading, u_error, u_scale, anchor),
    )


def _capability(reading: Reading, u_error: float, u_scale: float, anchor: Anchor) -> Capability:
    """Return what the check can see; of the scale's part, what readings share stays however many there are."""
    known = anchor.calibration
    share = 0.0 if known is None else math.hypot(known.u_shared, known.u_offset) / anchor.u
    return capability(u_error, reading.tolerance, u_scale, u_scale * share, 0 if known is None else known.n)


def _verdict(reading: Reading, probability: float) -> Verdict:
    if reading.role != "check":
        return "UNCHECKED"
    if math.isnan(probability):
        return "INCONCLUSIVE"
    if probability >= PASS_LEVEL:
        return "PASS"
    return "FAIL" if probability <= 1 - PASS_LEVEL else "INCONCLUSIVE"


def _overall(rows: tuple[Row, ...]) -> Verdict:
    verdicts = {row.verdict for row in rows}
    for worst in ("FAIL", "INCONCLUSIVE", "PASS"):
        if worst in verdicts:
            return worst
    return "UNCHECKED"


def _diagnostics(rows: tuple[Row, ...], verdict: Verdict) -> list[Diagnostic]:
    found = []
    for row in rows:
        r = row.reading
        if row.verdict == "INCONCLUSIVE":
            found.append(
                Diagnostic("warning", "R2S631", f"check {r.id} ({r.feature.kind}) is inconclusive: {_why(row)}")
            )
        if r.role == "check" and math.isfinite(row.u_error) and not row.capability.capable:
            found.append(_not_capable(row))
        found += _blame(row)
    if verdict == "UNCHECKED":
        what = "no reading has the role check, so nothing independent confirms the size"
        found.append(Diagnostic("note", "R2S633", what, "add one: {feature: ..., value: ..., role: check}"))
    return found


def _blame(row: Row) -> list[Diagnostic]:
    """Return which pass took a feature away, or moved it beyond its tolerance."""
    r, mm = row.reading, 1e3
    if row.lost_by:
        stage = next(s for s in STAGES if INTRODUCED_BY.get(s) == row.lost_by)
        what = f"{r.id} ({r.feature.kind}) is lost by {row.lost_by}: {row.stages[stage].refused}"
        return [Diagnostic("note", "R2S634", what, f"ask {row.lost_by} for less loss, see r2s-compile passes")]
    if row.moved_by:
        default = "" if r.tolerance_method == "declared" else "default "
        what = (
            f"{r.id} ({r.feature.kind}) is off by {row.error * mm:+.2f} mm, more than its {default}tolerance of "
            f"{r.tolerance * mm:.2f} mm; the largest share, {row.moved * mm:+.2f} mm, is of the {row.moved_by}"
        )
        way_out = "scan again, or measure again"
        if row.moved_by != "scan":
            what, way_out = f"{what} pass", f"ask {row.moved_by} for less loss, see r2s-compile passes"
        # nobody asked for a default tolerance, so to miss it is no warning
        severity: Severity = "warning" if r.tolerance_method == "declared" else "note"
        return [Diagnostic(severity, "R2S635", what, way_out)]
    return []


def _not_capable(row: Row) -> Diagnostic:
    """Return that a check is too unsure for its tolerance; where it passed nevertheless, only as a note."""
    r, mm, more = row.reading, 1e3, row.capability.more
    what = (
        f"check {r.id} ({r.feature.kind}) is not capable: its u of {row.u_error * mm:.3f} mm is over a third of the "
        f"tolerance of {r.tolerance * mm:.2f} mm, and an error under {row.capability.lod95 * mm:.2f} mm would escape it"
    )
    way_out = "no number of readings cures that: a better instrument, a quieter scan or a wider tolerance would"
    if more is not None:
        way_out = f"{more} more calibrate reading{'s' if more != 1 else ''} would do, or a wider tolerance"
    severity: Severity = "warning" if row.verdict == "INCONCLUSIVE" else "note"
    return Diagnostic(severity, "R2S632", what, way_out)


def _why(row: Row) -> str:
    model = row.stages.get("model")
    if model is None or not model.there:
        return model.refused if model is not None else "there is no compiled model"
    mm = 1e3
    scan = row.stages.get("scan")
    if scan is None or not scan.there:
        reason = scan.refused if scan is not None else "it was not measured"
        return f"error {row.error * mm:+.2f} mm of unknown uncertainty, as the raw scan has no value: {reason}"
    return (
        f"error {row.error * mm:+.2f} mm with U95 {COVERAGE * row.u_error * mm:.2f} mm "
        f"against a tolerance of {row.reading.tolerance * mm:.2f} mm (p = {row.probability:.2f})"
    )


def _value(measured: Measured | None) -> float:
    return measured.value if measured is not None and measured.there else math.nan
