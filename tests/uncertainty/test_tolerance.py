"""Tolerance and prediction factors: tables, scipy's noncentral t, Howe's approximation, and simulated populations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sampling import SIGMAS
from scipy.special import chdtri, nctdtrit, ndtri

from r2s.compiler.uncertainty.tolerance import one_sided_factor, prediction_factor, tolerance_factor

TABLE = {2: 36.519, 3: 9.789, 4: 6.341, 5: 5.077, 6: 4.422, 8: 3.746, 10: 3.393, 20: 2.760, 30: 2.555}
DATA = (9.8, 10.1, 10.0, 9.9)


def interval(factor: float) -> tuple[float, float]:
    mean, s = float(np.mean(DATA)), float(np.std(DATA, ddof=1))
    return round(mean - factor * s, 2), round(mean + factor * s, 2)


@pytest.mark.parametrize(("n", "k"), TABLE.items())
def test_two_sided_factors_for_95_percent_at_95_percent(n: int, k: float) -> None:
    assert tolerance_factor(0.95, 0.95, n) == pytest.approx(k, abs=6e-4)


def test_other_levels() -> None:
    assert tolerance_factor(0.90, 0.90, 4) == pytest.approx(4.157, abs=5e-4)
    assert one_sided_factor(0.95, 0.95, 4) == pytest.approx(5.144, abs=5e-4)
    assert prediction_factor(0.95, 4) == pytest.approx(3.558, abs=5e-4)


def test_four_readings_of_ten_millimetres() -> None:
    """Mean 9.95, s 0.129: what the next object has, and what 95 % of all objects have with 95 % confidence."""
    assert interval(prediction_factor(0.95, 4)) == (9.49, 10.41)
    assert interval(tolerance_factor(0.95, 0.95, 4)) == (9.13, 10.77)
    assert interval(tolerance_factor(0.90, 0.90, 4)) == (9.41, 10.49)


@pytest.mark.parametrize("n", [2, 3, 4, 10, 30, 100, 400])
@pytest.mark.parametrize(("content", "confidence"), [(0.95, 0.95), (0.9, 0.5), (0.99, 0.99), (0.5, 0.9)])
def test_one_sided_factors_are_quantiles_of_noncentral_t(content: float, confidence: float, n: int) -> None:
    expected = float(nctdtrit(n - 1, ndtri(content) * math.sqrt(n), confidence)) / math.sqrt(n)

    assert one_sided_factor(content, confidence, n) == pytest.approx(expected, rel=1e-9)


def test_a_mean_that_is_enough_by_itself_needs_no_spread() -> None:
    assert one_sided_factor(0.5, 0.5, 7) == 0.0


@pytest.mark.parametrize(("n", "off"), [(4, 0.01), (10, 0.01), (30, 0.005), (100, 0.002)])
def test_howes_approximation_is_near(n: int, off: float) -> None:
    """z √(ν (1 + 1/n) / chi²): 0.9 % too wide at n = 4, 6.399 for 6.341, and better for more."""
    howe = float(ndtri(0.975)) * math.sqrt((n - 1) * (1 + 1 / n) / float(chdtri(n - 1, 0.95)))

    assert tolerance_factor(0.95, 0.95, n) == pytest.approx(howe, rel=off)
    if n == 4:
        assert howe == pytest.approx(6.399, abs=1e-3)


@pytest.mark.parametrize("n", [2, 4, 10])
def test_simulated_populations_are_held_as_often_as_said(n: int) -> None:
    tries = 200_000
    readings = np.random.default_rng(n).standard_normal((tries, n + 1))
    mean, s, following = readings[:, :n].mean(axis=1), readings[:, :n].std(axis=1, ddof=1), readings[:, n]
    limit = SIGMAS * math.sqrt(0.05 * 0.95 / tries)

    def content(k: float) -> np.ndarray:
        from scipy.special import ndtr

        return np.asarray(ndtr(mean + k * s) - ndtr(mean - k * s))

    held = content(tolerance_factor(0.9, 0.95, n)) >= 0.9
    assert held.mean() == pytest.approx(0.95, abs=limit)
    next_one = np.abs(following - mean) <= prediction_factor(0.95, n) * s
    assert next_one.mean() == pytest.approx(0.95, abs=limit)
    above = mean + one_sided_factor(0.9, 0.95, n) * s >= float(ndtri(0.9))
    assert above.mean() == pytest.approx(0.95, abs=limit)


def test_factors_grow_with_what_they_promise_and_shrink_with_readings() -> None:
    assert tolerance_factor(0.9, 0.95, 5) < tolerance_factor(0.95, 0.95, 5) < tolerance_factor(0.95, 0.99, 5)
    ks = [tolerance_factor(0.95, 0.95, n) for n in (2, 3, 5, 10, 100, 300)]
    assert ks == sorted(ks, reverse=True)
    assert ks[-1] > 1.959964
    assert prediction_factor(0.95, 10_000) == pytest.approx(1.96, abs=1e-3)


@pytest.mark.parametrize(
    ("content", "confidence", "n"), [(0.95, 0.95, 1), (0.0, 0.95, 5), (0.95, 1.0, 5), (math.nan, 0.9, 5)]
)
def test_what_no_readings_can_promise_is_refused(content: float, confidence: float, n: int) -> None:
    for factor in (tolerance_factor, one_sided_factor):
        with pytest.raises(ValueError, match=r"spread|probability"):
            factor(content, confidence, n)
    with pytest.raises(ValueError, match=r"spread|probability"):
        prediction_factor(content if confidence != 1.0 else confidence, n)


def test_a_one_sided_limit_is_for_one_half_or_more() -> None:
    with pytest.raises(ValueError, match="one half"):
        one_sided_factor(0.4, 0.95, 5)
    with pytest.raises(ValueError, match="one half"):
        one_sided_factor(0.95, 0.4, 5)
