"""Calibrate readings that are wrong in one way, and what the scale then says: one good sheet, one change each."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from simulated_sheets import sheet
from tests_support import judge_bare

from r2s.compiler.calibration import calibration_of
from r2s.compiler.errors import CalipersDisagreeError, Diagnostic
from r2s.compiler.ir import Anchor
from r2s.compiler.scale_axes import compare_axes
from r2s.compiler.scale_fit import Pair, fit_scale
from r2s.compiler.scale_rule import Ruling, anchor
from r2s.compiler.verdict import failure_of

LENGTHS = (0.03, 0.05, 0.08, 0.1, 0.12)
AXES = ("short", "short", "mid", "mid", "long")
TOLERANCE = 0.01


def good(seed: int = 1) -> tuple[Pair, ...]:
    """Five honest readings by one caliper of a scan with 0.05 mm."""
    return sheet(np.random.default_rng(seed), LENGTHS, 5e-5, 3e-5, u_common=1.7e-5, axes=AXES)


def ruled(pairs: tuple[Pair, ...], prior_u: float | None = None, tolerance: float = TOLERANCE) -> Ruling:
    axes = compare_axes(pairs, None)
    return anchor(fit_scale(pairs, prior_u), "auto", True, {p.id: tolerance for p in pairs}, axes)


def said(ruling: Ruling, code: str) -> Diagnostic | None:
    return next((d for d in ruling.diagnostics if d.code == code), None)


def changed(pairs: tuple[Pair, ...], index: int, factor: float) -> tuple[Pair, ...]:
    """The same sheet with one caliper value times *factor*."""
    return tuple(replace(p, caliper=p.caliper * factor) if i == index else p for i, p in enumerate(pairs))


def test_a_good_sheet_says_nothing() -> None:
    made = ruled(good())

    assert made.diagnostics == ()
    assert made.failed is None


@pytest.mark.parametrize("index", range(5))
def test_a_blunder_of_nine_percent_among_five_is_named_and_ends_the_build(index: int) -> None:
    """Issue 4, E.  The others agree without it, which is said; it stays in the fit and in the report."""
    pairs = changed(good(), index, 1.09)
    made = ruled(pairs)
    warning = said(made, "R2S606")
    assert warning is not None
    assert made.failed is not None

    assert warning.severity == "warning"
    assert f"{index} lies +" in warning.message
    assert "which agree" in warning.message
    assert f"measure {index} again" in warning.hint
    assert made.failed.code == "R2S643"
    assert f"{index} lies +" in made.failed.message
    assert "beyond its tolerance of 1.00%" in made.failed.message
    assert len(fit_scale(pairs, None).ids) == 5


def test_the_contradiction_is_exit_6_before_a_failed_check_and_after_a_budget() -> None:
    pairs = changed(good(), 2, 1.09)
    made = ruled(pairs)
    assert made.failed is not None
    known = calibration_of(fit_scale(pairs, None), pairs, None, made.failed.message, made.failed.hint)
    judgement = judge_bare((), (), Anchor(calibration=known))
    failure = failure_of(judgement, (), known)

    assert isinstance(failure, CalipersDisagreeError)
    assert (failure.code, failure.exit_code) == ("R2S643", 6)
    assert failure.message == made.failed.message
    assert failure_of(judgement, (), replace(known, contradiction="")) is None
    assert known.suspect == "2"


def test_a_scatter_that_no_reading_minds_is_a_warning_only() -> None:
    """0.5 % off is ten uncertainties of this instrument, and half of what the owner tolerates."""
    made = ruled(changed(good(), 4, 1.005))
    warning = said(made, "R2S606")
    assert warning is not None

    assert made.failed is None
    assert "u grew by" in warning.message


@pytest.mark.parametrize("two", [1.02, 0.98])
def test_two_readings_that_contradict_each_other_accuse_both(two: float) -> None:
    pairs = changed(good()[2:4], 0, two)
    made = ruled(pairs)
    assert made.failed is not None

    assert "2 and 3 lie 2." in made.failed.message or "2 and 3 lie 1.9" in made.failed.message
    assert "a third reading tells which" in made.failed.hint


def test_what_only_the_device_contradicts_does_not_end_the_build() -> None:
    """A class of scanners promised 0.1 %; two readings agree on 2 %: the promise is an assumption, they are not."""
    pairs = changed(changed(good()[2:4], 0, 1.02), 1, 1.02)
    made = ruled(pairs, prior_u=0.001)
    warning = said(made, "R2S606")
    assert warning is not None

    assert made.failed is None
    assert "lies +" in warning.message
    assert "from the rest" in warning.message


def test_values_copied_from_the_scan_are_too_good_to_be_true() -> None:
    copied = tuple(replace(p, caliper=p.scan * (1 + 1e-6 * i)) for i, p in enumerate(good()))
    warning = said(ruled(copied), "R2S607")
    assert warning is not None

    assert warning.severity == "warning"
    assert "copied from the scan" in warning.message
    assert said(ruled(copied[:3]), "R2S607") is None  # three agree by rounding alone too often


@pytest.mark.parametrize(("offset", "severity"), [(0.12e-3, "note"), (0.4e-3, "warning"), (-0.4e-3, "warning")])
def test_a_surface_offset_is_told_from_scale(offset: float, severity: str) -> None:
    """Spray on the object, 30 to 120 mm: the scale alone is applied, no reading is accused, and u grew."""
    pairs = sheet(np.random.default_rng(2), LENGTHS, 5e-5, 3e-5, u_common=1.7e-5, offset=offset)
    made, honest = ruled(pairs), fit_scale(good(), None)
    found = said(made, "R2S608")
    assert found is not None

    assert found.severity == severity
    assert ("further out" if offset > 0 else "further in") in found.message
    assert "the scale alone is used" in found.message
    assert made.failed is None
    assert fit_scale(pairs, None).u > 2 * honest.u
    assert made.factor == fit_scale(pairs, None).factor


@pytest.mark.parametrize(("strain", "severity"), [(0.0029, "note"), (0.01, "warning")])
def test_a_scale_of_each_axis_is_told(strain: float, severity: str) -> None:
    """A depth camera that is off along its own axis: not one reading's fault, so none is accused."""
    axes = ("long", "long", "mid", "mid", "short", "short")
    rng, along = np.random.default_rng(3), (0.0, 0.0, 0.0, 0.0, strain, strain)
    pairs = sheet(rng, (0.1,) * 6, 5e-7, 1e-6, axes=axes, strain=along, overstated=100)
    made = ruled(pairs, tolerance=0.001)
    found = said(made, "R2S609")
    assert found is not None

    assert found.severity == severity
    assert f"short {math.expm1(strain) * 100:+.1f}"[:-1] in found.message
    assert made.failed is None


def test_a_slip_within_an_axis_is_not_taken_for_a_scale_of_it() -> None:
    axes = ("long", "long", "mid", "mid", "short", "short")
    pairs = sheet(np.random.default_rng(4), (0.1,) * 6, 5e-5, 1e-4, axes=axes)
    made = ruled(changed(pairs, 5, 1.06))
    assert made.failed is not None

    assert "5 lies +6" in made.failed.message
