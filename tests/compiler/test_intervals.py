"""Intervals over objects: reference numbers, independent oracles, what must always hold, and how often they hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, optimize, special, stats

from r2s.compiler.intervals import (
    Sample,
    minmax,
    prediction,
    spread,
    tolerance,
)
from r2s.compiler.population import Recipe
from r2s.compiler.uncertainty.student import coverage_factor
from r2s.compiler.uncertainty.tolerance import tolerance_factor

DATA = (9.8, 10.1, 10.0, 9.9)
PREDICTION, TOLERANCE = Recipe("prediction"), Recipe("tolerance")


# --- reference numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        (minmax(DATA, 0.3), (9.5, 10.4)),
        (prediction(DATA), (9.4907, 10.4093)),
        (tolerance(DATA), (9.1314, 10.7686)),
        (tolerance(DATA, 0.9, 0.9), (9.4133, 10.4867)),
    ],
)
def test_the_reference_numbers(ends: tuple[float, float], expected: tuple[float, float]) -> None:
    """Mean 9.95, s 0.1291, four objects; factors 3.558, 6.341 and 4.157 of s."""
    assert ends == pytest.approx(expected, abs=5e-5)


def test_a_mass_is_worked_in_the_logarithm() -> None:
    """The same objects by ratio: geometric mean 9.9494, s 0.01299 of the logarithm; the ends move by 0.01."""
    logs = [math.log(v) for v in DATA]
    s = float(np.std(logs, ddof=1))
    found = spread(PREDICTION, Sample(DATA))

    assert found.centre == pytest.approx(math.exp(np.mean(logs)))
    assert (found.lo, found.hi) == pytest.approx([found.centre * math.exp(x * 3.5581 * s) for x in (-1, 1)], rel=1e-5)
    assert (round(found.lo, 2), round(found.hi, 2)) == (9.5, 10.42)
    assert found.logarithmic
    assert not found.floored


# --- oracles ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "confidence", "n"), [(0.95, 0.95, 3), (0.9, 0.9, 4), (0.99, 0.99, 5), (0.5, 0.5, 10), (0.99, 0.5, 40)]
)
def test_tolerance_factor_is_that_of_an_adaptive_quadrature(share: float, confidence: float, n: int) -> None:
    k = tolerance_factor(share, confidence, n)

    def half_width(z: float) -> float:
        return float(optimize.brentq(lambda r: special.ndtr(z + r) - special.ndtr(z - r) - share, 1e-9, 50, xtol=1e-13))

    def density(z: float) -> float:
        wide_enough = special.chdtrc(n - 1, (n - 1) * (half_width(z) / k) ** 2)
        return float(wide_enough * math.sqrt(n / (2 * math.pi)) * math.exp(-n * z**2 / 2))

    assert 2 * integrate.quad(density, 0, 8 / math.sqrt(n), epsabs=1e-12)[0] == pytest.approx(confidence, abs=1e-10)


# --- what always holds ------------------------------------------------------------------------------------------------

numbers = st.lists(st.floats(0.5, 2.0), min_size=3, max_size=8).map(tuple)
recipes = st.sampled_from([PREDICTION, TOLERANCE, Recipe("minmax_margin", margin=0.1), Recipe("prediction", 0.5)])


@given(numbers, recipes, st.floats(0, 0.2), st.floats(0, 0.4))
def test_it_holds_its_middle_and_is_no_narrower_than_one_measurement(
    values: tuple[float, ...], recipe: Recipe, u: float, expanded: float
) -> None:
    found = spread(recipe, Sample(values, u, expanded))

    assert 0 <= found.lo <= found.centre <= found.hi
    assert found.lo <= found.centre - expanded or found.lo == 0
    assert found.hi >= found.centre + expanded
    assert spread(recipe, Sample(values[::-1], u, expanded)) == found


@given(numbers, recipes, st.floats(0, 0.2))
def test_a_shared_error_never_makes_it_narrower(values: tuple[float, ...], recipe: Recipe, u: float) -> None:
    without, with_it = spread(recipe, Sample(values)), spread(recipe, Sample(values, u))

    assert with_it.lo <= without.lo
    assert with_it.hi >= without.hi


@given(numbers)
def test_more_is_wider(values: tuple[float, ...]) -> None:
    sample = Sample(values)
    levels = [spread(Recipe("prediction", level), sample) for level in (0.5, 0.9, 0.95, 0.9999)]
    shares = [spread(Recipe("tolerance", share, 0.9), sample) for share in (0.5, 0.9, 0.99)]
    sureness = [spread(Recipe("tolerance", 0.9, confidence), sample) for confidence in (0.5, 0.9, 0.99)]
    for chain in (levels, shares, sureness):
        for inner, outer in pairwise(chain):
            assert outer.lo <= inner.lo
            assert inner.hi <= outer.hi


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
def test_more_objects_of_the_same_spread_are_narrower(level: float) -> None:
    factors = [coverage_factor(level, n - 1) * math.sqrt(1 + 1 / n) for n in range(3, 60)]
    k = [tolerance_factor(level, level, n) for n in range(3, 25)]

    assert all(a > b for a, b in pairwise(factors))
    assert all(a > b for a, b in pairwise(k))
    assert factors[-1] > stats.norm.ppf((1 + level) / 2)


@given(numbers, st.floats(1e-3, 1e3))
def test_the_unit_does_not_matter(values: tuple[float, ...], factor: float) -> None:
    one, other = (
        spread(PREDICTION, Sample(values, 0.01)),
        spread(PREDICTION, Sample([v * factor for v in values], 0.01)),
    )

    assert (other.lo, other.hi) == pytest.approx((one.lo * factor, one.hi * factor), rel=1e-9)


def test_objects_that_cannot_be_told_apart_have_the_uncertainty_of_one() -> None:
    found = spread(PREDICTION, Sample((10.0, 10.0, 10.0), 0.0, 0.3))

    assert (found.lo, found.hi, found.floored) == (pytest.approx(9.7), pytest.approx(10.3), True)


def test_a_coefficient_of_zero_has_no_logarithm_and_no_negative_end() -> None:
    found = spread(PREDICTION, Sample((0.0, 0.1, 0.2)))

    assert (found.lo, found.logarithmic) == (0.0, False)
    assert found.hi == pytest.approx(0.1 + 4.3027 * 0.1 * math.sqrt(4 / 3), rel=1e-4)


def test_a_relative_margin_is_of_the_mean() -> None:
    found = spread(Recipe("minmax_margin", margin=0.03, relative=True), Sample(DATA))

    assert (found.lo, found.hi) == (pytest.approx(9.8 - 0.2985), pytest.approx(10.1 + 0.2985))


def test_numbers_of_any_size_stay_finite() -> None:
    found = spread(Recipe("tolerance", 0.9999, 0.9999), Sample((1e-9, 1.0, 1e9)))

    assert 0 <= found.lo < found.hi < math.inf


@pytest.mark.parametrize("recipe", [PREDICTION, TOLERANCE, Recipe("minmax_margin", margin=0.1)])
def test_two_objects_say_nothing(recipe: Recipe) -> None:
    with pytest.raises(ValueError, match="2 objects say nothing"):
        spread(recipe, Sample((1.0, 1.1)))


@pytest.mark.parametrize("kind", ["declared", "budget", "assumed"])
def test_a_recipe_that_is_not_over_objects_is_refused(kind: str) -> None:
    with pytest.raises(ValueError, match="no recipe over objects"):
        spread(Recipe(kind), Sample(DATA))  # type: ignore[arg-type]  # each is one of the kinds


# --- how often they hold ----------------------------------------------------------------------------------------------

DRAWS = 20_000
ERROR = 4 * math.sqrt(0.95 * 0.05 / DRAWS)  # four standard deviations of a count that should be 95 %


def share_of(draws: int, holds: Callable[[np.random.Generator], bool], seed: int) -> float:
    rng = np.random.default_rng(seed)
    return sum(holds(rng) for _ in range(draws)) / draws


def objects(rng: np.random.Generator, n: int) -> Sequence[float]:
    return rng.normal(0.0, 1.0, n).tolist()


@pytest.mark.parametrize("n", [3, 4, 12])
def test_the_prediction_holds_the_next_object_in_95_of_100(n: int) -> None:
    def holds(rng: np.random.Generator) -> bool:
        lo, hi = prediction(objects(rng, n))
        return lo <= rng.normal() <= hi

    assert share_of(DRAWS, holds, 1) == pytest.approx(0.95, abs=ERROR)


@pytest.mark.parametrize("n", [3, 6])
def test_the_tolerance_interval_holds_95_of_100_objects_in_95_of_100_draws(n: int) -> None:
    def holds(rng: np.random.Generator) -> bool:
        lo, hi = tolerance(objects(rng, n))
        return math.erf(hi / math.sqrt(2)) - math.erf(lo / math.sqrt(2)) >= 2 * 0.95

    assert share_of(DRAWS, holds, 2) == pytest.approx(0.95, abs=ERROR)


def test_a_positive_quantity_that_varies_by_ratio_is_held_as_often() -> None:
    def holds(rng: np.random.Generator) -> bool:
        found = spread(PREDICTION, Sample(tuple(np.exp(0.4 * rng.normal(size=5)).tolist())))
        return bool(found.lo <= np.exp(0.4 * rng.normal()) <= found.hi)

    assert share_of(DRAWS, holds, 3) == pytest.approx(0.95, abs=ERROR)


def test_an_error_that_all_readings_share_is_covered_and_would_not_be_without_its_term() -> None:
    """A balance off by twice the spread of the objects, the same for all of them, and a next object as it is."""

    def holds(u: float) -> Callable[[np.random.Generator], bool]:
        def one(rng: np.random.Generator) -> bool:
            off = rng.normal(0.0, 2.0)
            lo, hi = prediction([x + off for x in objects(rng, 5)], 0.95, u)
            return lo <= rng.normal() <= hi

        return one

    assert share_of(DRAWS, holds(2.0), 4) >= 0.95 - ERROR
    assert share_of(DRAWS, holds(0.0), 4) < 0.85


def test_repeats_of_one_object_do_not_hold_the_next() -> None:
    """Why repeats never feed an interval over objects: as if objects, they hold the next one far too seldom."""

    def holds(rng: np.random.Generator) -> bool:
        scanned = rng.normal()
        lo, hi = prediction((scanned + rng.normal(0.0, 0.1, 4)).tolist())
        return lo <= rng.normal() <= hi

    assert share_of(5000, holds, 5) < 0.4
