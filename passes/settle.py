"""
Settling unit, factor and axes from the calibrate readings, in seconds, before anything slow.

The rules are those of the caliper sheet's contract: a named unit where the ratios say so, a free scale where two or
more readings agree on none, and an error that names the odd reading where they disagree; never a fit through it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal

from r2s.compiler.decision import KEEP_AXES, X_UP, Y_UP, Decision, signed_axes, spelled
from r2s.compiler.errors import Diagnostic, InvalidInputError, UsageError
from r2s.compiler.ir import Source
from r2s.compiler.protocol import Outcome
from r2s.compiler.readings import EXTENTS, Feature, Reading
from r2s.compiler.slips import slip
from r2s.compiler.units import NAMED_SCAN_UNITS
from r2s.passes.points import agreement as _agreement
from r2s.passes.points.agreement import NEAR, Ratio, agree, centre, nearest_unit, ratio_of, unit_words
from r2s.passes.points.clean import Cleaned, clean
from r2s.passes.points.gauge import Gauge
from r2s.passes.readers import read
from r2s.passes.readers.raw import RawScan

ARBITRARY, FREE = "arbitrary", "free"
_UP = {"x": X_UP, "y": Y_UP, "z": KEEP_AXES}
_ALONG_AXES = frozenset({"extent_x", "extent_y", "extent_z", "height"})
_DIAMETERS = frozenset({"outer_diameter", "inner_diameter"})
_SIBLINGS = (*EXTENTS, "outer_diameter", "inner_diameter", "sphere_diameter")
_MEASURE_FIRST = "add one calibrate length to the caliper sheet"


@dataclass(frozen=True)
class Settle:
    """
    Decide what the file's numbers mean.

    unit     as given with ``--unit``: empty, a named unit, or ``arbitrary`` where a free scale is wanted
    mode     of the scale fit; ``verify`` promises to change nothing, so it allows no free scale
    readings of role calibrate; others may not decide
    axes     ``auto``, ``z-up``, ``y-up``, or a map such as ``+x-z+y``
    support  as for ingest
    kinds    of feature on the whole sheet, checks included: with a diameter, a height is along the axis of revolution
    """

    name: ClassVar[str] = "settle"
    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy", "scipy")

    unit: str = ""
    mode: str = "auto"
    readings: tuple[Reading, ...] = ()
    axes: str = "auto"
    support: str = "auto"
    kinds: tuple[str, ...] = ()

    def run(self, source: Source, /) -> Outcome[Decision]:
        """
        Return the decision.

        Raises UsageError for an unknown unit, InvalidInputError where unit and readings are missing, disagree or
        contradict each other, and for a scan that cannot be used.
        """
        if self.unit and self.unit != ARBITRARY and self.unit not in NAMED_SCAN_UNITS:
            raise UsageError(
                "R2S312", f"no unit is called {self.unit!r}", hint=f"use {', '.join(NAMED_SCAN_UNITS)}, or {ARBITRARY}"
            )
        raw = read(Path(source.path), source.format)
        start = _UP[raw.up or "z"] if self.axes == "auto" else spelled(self.axes)
        if not self.readings:
            return Outcome(self.declared(raw.unit, start))
        return Outcome(_Court(self, raw, clean(raw, support=self.support), start).decide())

    def declared(self, of_format: str | None, axes: str, unusable: tuple[str, ...] = ()) -> Decision:
        """
        Return the decision that takes the user's or the format's word, as no reading can be made on the raw scan.

        Raises InvalidInputError where neither said anything; *unusable* tells why readings take no part.
        """
        unit = self.unit or of_format or ""
        if unit in ("", ARBITRARY):
            what = "the scan has no unit" if not unit else "a free scale needs a length"
            raise InvalidInputError(
                "R2S301",
                "; ".join((f"{what}, and no calibrate reading says how large it is", *unusable)),
                hint=f"give --unit, or {_MEASURE_FIRST}",
            )
        evidence = "given with --unit" if self.unit else "defined by the file's format"
        return Decision(unit, NAMED_SCAN_UNITS[unit], axes, False, "declared", f"{evidence}; no calibrate reading")


@dataclass(frozen=True, eq=False)
class _Court:
    """One hearing: the request, the cleaned scan and the axes to begin with."""

    asked: Settle
    raw: RawScan
    cleaned: Cleaned
    start: str

    def decide(self) -> Decision:
        """Return the decision, or raise what the rules say."""
        ratios, notes, axes = self._hear()
        declared = self.asked.unit if self.asked.unit != ARBITRARY else ""
        if not ratios:
            decision = self.asked.declared(self.raw.unit, axes, tuple(n.message for n in notes))
            return replace(decision, evidence=f"{decision.evidence} can be measured on the raw scan", diagnostics=notes)
        if declared:
            self._contradict(ratios, declared)
            return self._with_unit(declared, axes, "declared", f"given with --unit; {_by(ratios)}", notes)
        if not agree(ratios):
            raise self._disagreement(ratios)
        factor = centre(ratios)
        named = nearest_unit(factor)
        if self.asked.unit == ARBITRARY:
            return self._free(factor, axes, f"--unit arbitrary; {_by(ratios)}", notes)
        if named and self.raw.unit is None:
            said = f"the scan has no unit; {_by(ratios)} {_on(ratios)} {unit_words(named)} (ratio {factor:.4g})"
            note = Diagnostic("note", "R2S305", said)
            return self._with_unit(named, axes, "measured", f"{_by(ratios)} {_on(ratios)} {named}", (*notes, note))
        if named and self.raw.unit == named:
            return self._with_unit(named, axes, "measured", f"defined by the format; {_by(ratios)} agree", notes)
        if named:
            said = f"the format defines {unit_words(self.raw.unit or '')}, but {_by(ratios)} {_on(ratios)}"
            said += f" {unit_words(named)} (ratio {factor:.4g}); the calipers win"
            warning = Diagnostic("warning", "R2S307", said, hint="export with the unit that the format defines")
            return self._with_unit(named, axes, "measured", f"{_by(ratios)} against the format", (*notes, warning))
        return self._unnamed(ratios, factor, axes, notes)

    def _unnamed(self, ratios: tuple[Ratio, ...], factor: float, axes: str, notes: tuple[Diagnostic, ...]) -> Decision:
        if len({r.kind for r in ratios}) < 2:
            refused = "".join(f"; {n.message}" for n in notes if n.code == "R2S308")
            halved = next((q for q in (0.5, 2.0) if nearest_unit(factor / q)), None)
            if halved is not None:
                refused += f"; in {unit_words(nearest_unit(factor / halved))} it is {slip(halved)}"
            raise InvalidInputError(
                "R2S302",
                f"one calibrate reading ({ratios[0].id}) gives {factor:.4g} m for one of its numbers, near no unit"
                f"{refused}",
                hint="measure a second feature, or say --unit arbitrary if the scan has a scale of its own",
            )
        severity: Literal["note", "warning"] = "note" if self.raw.unit is None else "warning"
        against = f"the format defines {unit_words(self.raw.unit)}, but " if self.raw.unit else ""
        said = (
            f"{against}{_by(ratios)} agree on {factor:.4g} m for one of the file's numbers, near no unit: a free scale"
        )
        return self._free(factor, axes, f"{_by(ratios)} agree", (*notes, Diagnostic(severity, "R2S306", said)))

    def _free(self, factor: float, axes: str, evidence: str, notes: tuple[Diagnostic, ...]) -> Decision:
        if self.asked.mode == "verify":
            raise InvalidInputError(
                "R2S604",
                f"the scan has a scale of its own ({factor:.4g} m for a number), which --scale verify cannot set",
                hint="use --scale auto",
            )
        return Decision(FREE, float(f"{factor:.1e}"), axes, True, "measured", evidence, notes)

    def _with_unit(
        self,
        unit: str,
        axes: str,
        method: Literal["measured", "declared"],
        evidence: str,
        notes: tuple[Diagnostic, ...],
    ) -> Decision:
        return Decision(unit, NAMED_SCAN_UNITS[unit], axes, False, method, evidence, notes)

    # --- what the readings say -----------------------------------------------------------------------------------

    def _hear(self) -> tuple[tuple[Ratio, ...], tuple[Diagnostic, ...], str]:
        """Return the ratios that take part, notes on those that do not, and the axes under which they agree."""
        ratios, notes = self._ratios(self.start)
        if self._content(ratios) or self.asked.axes != "auto" or self.cleaned.table is not None:
            return ratios, notes, self.start
        if not any(r.kind in _ALONG_AXES for r in ratios):
            return ratios, notes, self.start
        others = [(axes, self._ratios(axes)) for axes in (KEEP_AXES, Y_UP, X_UP) if axes != self.start]
        agreeing = [(axes, heard) for axes, heard in others if len(heard[0]) >= len(ratios) and self._sure(heard[0])]
        if len(agreeing) != 1:  # no swap helps, or several do: the file's own axes stay, and the readings disagree
            return ratios, notes, self.start
        axes, (ratios, notes) = agreeing[0]
        said = f"{_by(ratios)} fit only with the file's {axes[-1]} axis up; the scan was rotated (axes {axes})"
        warning = Diagnostic(
            "warning", "R2S309", said, hint="if the file's own axes are right, one of the readings is exchanged"
        )
        return ratios, (*notes, warning), axes

    def _content(self, ratios: tuple[Ratio, ...]) -> bool:
        """Whether the ratios agree with each other, and with the unit where one is declared."""
        if not agree(ratios):
            return False
        unit = self.asked.unit
        if unit in ("", ARBITRARY) or not ratios:
            return True
        return abs(math.log(centre(ratios) / NAMED_SCAN_UNITS[unit])) <= NEAR

    def _sure(self, ratios: tuple[Ratio, ...]) -> bool:
        """Whether ratios under other axes agree so well that it is no accident: on a unit, or three of them."""
        if len(ratios) < 2 or not self._content(ratios):
            return False
        return self.asked.unit not in ("", ARBITRARY) or bool(nearest_unit(centre(ratios))) or len(ratios) >= 3

    def _ratios(self, axes: str) -> tuple[tuple[Ratio, ...], tuple[Diagnostic, ...]]:
        factor = NAMED_SCAN_UNITS.get(self.asked.unit)
        found: list[Ratio] = []
        notes: list[Diagnostic] = []
        for reading in self.asked.readings:
            value = self._gauge.measure(self._as_measured(reading.feature, axes), factor)
            if value.refused and "turned" in value.refused and reading.feature.kind in _ALONG_AXES:
                raise InvalidInputError("R2S310", f"{reading.id}: {value.refused}")
            ratio = ratio_of(reading, value)
            if ratio is not None and not ratio.vague:
                found.append(ratio)
                continue
            why = value.refused or "its own uncertainty is too large to tell one unit from another"
            named = reading.id if reading.id == reading.feature.kind else f"{reading.id} ({reading.feature.kind})"
            said = f"{named} takes no part in settling the unit: {why}"
            notes.append(Diagnostic("note", "R2S308", said))
        if not found and factor is None:
            return self._sections(), tuple(notes)
        return tuple(found), tuple(notes)

    def _sections(self) -> tuple[Ratio, ...]:
        """Return ratios of readings at a height in metres, under the one unit that makes them fit; none if two do."""
        sections = [r for r in self.asked.readings if r.feature.along is not None]
        fits = []
        for factor in NAMED_SCAN_UNITS.values():
            values = [(r, self._gauge.measure(r.feature, factor)) for r in sections]
            ratios = tuple(ratio for r, v in values if (ratio := ratio_of(r, v)) is not None)
            if ratios and agree(ratios) and abs(math.log(centre(ratios) / factor)) <= NEAR:
                fits.append(ratios)
        return fits[0] if len(fits) == 1 else ()

    @cached_property
    def _gauge(self) -> Gauge:
        kinds = frozenset(self.asked.kinds) | {r.feature.kind for r in self.asked.readings}
        return Gauge(self.cleaned, self.start, kinds)

    def _as_measured(self, feature: Feature, axes: str) -> Feature:
        """Return what *feature* under *axes* is called under the starting axes: a width has no sign, only a name."""
        upright = feature.kind == "height" and not self._gauge.kinds & _DIAMETERS
        kind = "extent_z" if upright else feature.kind
        if axes == self.start or kind not in _ALONG_AXES - {"height"}:
            return feature
        wanted = signed_axes(axes)["xyz".index(kind[-1])][0]
        place = [index for index, _ in signed_axes(self.start)].index(wanted)
        return replace(feature, kind=f"extent_{'xyz'[place]}")

    # --- where they contradict -----------------------------------------------------------------------------------

    def _contradict(self, ratios: tuple[Ratio, ...], declared: str) -> None:
        """Raise where the calipers, taken together or by a named factor, contradict the declared unit."""
        factor = NAMED_SCAN_UNITS[declared]
        if agree(ratios):
            quotient = centre(ratios) / factor
            off = abs(math.log(quotient))
            if off <= NEAR or (len(ratios) == 1 and not _agreement.off_by_a_unit(quotient)):
                return
            raise self._against(ratios, declared, quotient)
        found = _agreement.odd_one(ratios, factor)
        if found is None or abs(found[0].log - math.log(factor)) > NEAR + found[0].slack:
            raise self._disagreement(ratios)

    def _against(self, ratios: tuple[Ratio, ...], declared: str, quotient: float) -> InvalidInputError:
        first = ratios[0]
        named = nearest_unit(centre(ratios))
        instead = f"drop --unit: the calipers {_on(ratios)} {named}" if named else "drop --unit, or check the readings"
        by_declared = first.raw * NAMED_SCAN_UNITS[declared]
        return InvalidInputError(
            "R2S304",
            f"--unit {declared} makes {first.id} {_shown(by_declared)}, the calipers say {_shown(first.metres)}"
            f" ({_times(quotient)}; {_by(ratios)})",
            hint=instead,
        )

    def _disagreement(self, ratios: tuple[Ratio, ...]) -> InvalidInputError:
        declared = NAMED_SCAN_UNITS.get(self.asked.unit)
        listed = ", ".join(f"{r.id} {math.exp(r.log):.4g}" for r in ratios)
        found = _agreement.odd_one(ratios, declared)
        if found is None:
            return InvalidInputError(
                "R2S303",
                f"the calibrate readings disagree: metres for one of the file's numbers are {listed}",
                hint="measure again; a third feature would tell which reading is wrong",
            )
        odd, factor = found
        values = {kind: self._gauge.measure(Feature(kind)) for kind in _SIBLINGS}
        guess = _agreement.guess(odd, factor, {k: v.value for k, v in values.items() if not v.refused})
        return InvalidInputError(
            "R2S303",
            f"the calibrate readings disagree: {odd.id} is the odd one out with {_shown(odd.metres)} where the others"
            f" and the scan say {_shown(odd.raw * factor)} (ratios {listed}){'; ' + guess if guess else ''}",
            hint=f"measure {odd.id} again, or remove it",
        )


def _by(ratios: tuple[Ratio, ...]) -> str:
    return "1 calibrate reading" if len(ratios) == 1 else f"{len(ratios)} calibrate readings"


def _on(ratios: tuple[Ratio, ...]) -> str:
    return "says" if len(ratios) == 1 else "agree on"


def _times(quotient: float) -> str:
    times = quotient if quotient > 1 else 1 / quotient
    return f"{times:.4g} times {'as much' if quotient > 1 else 'less'}"


def _shown(metres: float) -> str:
    return f"{metres * 1e3:.4g} mm" if abs(metres) < 10 else f"{metres:.4g} m"
