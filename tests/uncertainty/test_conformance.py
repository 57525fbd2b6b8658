"""Conformance probabilities: the examples of JCGM 106, closed forms, and what holds for any limits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from r2s.compiler.judge import conformance
from r2s.compiler.uncertainty.conformance import probability_within

VALUES = st.floats(-1e3, 1e3)


def test_examples_of_jcgm_106() -> None:
    """A Zener diode's breakdown voltage under a limit, a container's strength over one, oil between two."""
    assert probability_within(-5.47, 0.05, upper=-5.40) == pytest.approx(0.919, abs=5e-4)
    assert probability_within(507, 8.6, lower=490) == pytest.approx(0.976, abs=5e-4)
    assert probability_within(13.6, 1.8, 12.5, 16.3) == pytest.approx(0.663, abs=6e-4)


def test_a_guard_band_of_u_at_95_percent() -> None:
    """1.645 u inside a limit is 95 %, on the limit it is half, k = 2 inside is 97.7 %."""
    assert probability_within(10 - 1.644854 * 0.2, 0.2, upper=10) == pytest.approx(0.95, abs=1e-7)
    assert probability_within(10, 0.2, upper=10) == 0.5
    assert probability_within(10 - 2 * 0.2, 0.2, upper=10) == pytest.approx(0.97725, abs=1e-5)


def test_accept_and_reject_zones_of_a_scale_check() -> None:
    """Tolerance 1 %, u = 0.2 %: accepted under 0.67 %, rejected over 1.33 %."""
    assert probability_within(0.671e-2, 0.2e-2, -1e-2, 1e-2) == pytest.approx(0.95, abs=1e-3)
    assert probability_within(1.329e-2, 0.2e-2, -1e-2, 1e-2) == pytest.approx(0.05, abs=1e-3)


@given(VALUES, st.floats(1e-3, 1e3), VALUES, VALUES)
def test_it_is_a_probability_and_adds_up_over_neighbours(value: float, u: float, one: float, other: float) -> None:
    low, high = min(one, other), max(one, other)
    inside = probability_within(value, u, low, high)

    assert 0 <= inside <= 1
    total = probability_within(value, u, upper=low) + inside + probability_within(value, u, lower=high)
    assert total == pytest.approx(1, abs=1e-12)
    assert inside == pytest.approx(float(ndtr((high - value) / u) - ndtr((low - value) / u)), abs=1e-12)
    assert probability_within(-value, u, -high, -low) == pytest.approx(inside, rel=1e-9, abs=1e-15)


def test_far_beyond_a_limit_what_is_left_keeps_its_digits() -> None:
    """Ten u above: 1 - 1 would be nothing."""
    expected = float(ndtr(-10.0) - ndtr(-11.0))

    assert probability_within(0.0, 1.0, 10.0, 11.0) == pytest.approx(expected, rel=1e-12)
    assert probability_within(0.0, 1.0, -11.0, -10.0) == pytest.approx(expected, rel=1e-12)


def test_without_uncertainty_it_is_yes_or_no() -> None:
    assert [probability_within(v, 0.0, -1.0, 1.0) for v in (-1.0, 0.5, 1.0, 1.0001)] == [1.0, 1.0, 1.0, 0.0]
    assert probability_within(5.0, 1.0) == 1.0
    assert probability_within(5.0, math.inf, 0.0, 10.0) == 0.0


@given(st.floats(-0.1, 0.1), st.floats(0, 0.1), st.floats(1e-6, 0.1))
def test_the_judge_says_the_same(error: float, u: float, tolerance: float) -> None:
    assert conformance(error, u, tolerance) == probability_within(error, u, -tolerance, tolerance)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0.0, -1.0, 0.0, 1.0), "standard uncertainty"),
        ((0.0, math.nan, 0.0, 1.0), "standard uncertainty"),
        ((0.0, 1.0, 2.0, 1.0), "no value lies"),
        ((0.0, 1.0, math.nan, 1.0), "no value lies"),
    ],
)
def test_what_is_no_question_is_refused(arguments: tuple[float, float, float, float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        probability_within(*arguments)
