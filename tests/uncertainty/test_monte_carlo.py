"""Monte Carlo: equal seeds, equal draws; intervals by rank; as many draws as the digits ask for; correlated pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sampling import SIGMAS, mean_limit, sd_limit

from r2s.compiler.uncertainty.distributions import Floats, Normal, Quantity, Rectangular, StudentT
from r2s.compiler.uncertainty.drawing import Drawing
from r2s.compiler.uncertainty.intervals import Interval, numerical_tolerance, shortest, symmetric
from r2s.compiler.uncertainty.monte_carlo import Drawn, propagate
from r2s.compiler.uncertainty.state import Correlation
from r2s.compiler.uncertainty.validation import validate_lpu

A, B = Normal(1.0, 0.1), Rectangular(1.0, 0.05)  # u just over a power of ten: the fewest draws for its digits


def product(x: Mapping[str, Floats]) -> dict[str, Floats]:
    return {"ab": x["a"] * x["b"], "sum": x["a"] + x["b"]}


def test_equal_seeds_give_equal_draws_and_others_do_not() -> None:
    one, same, other = (propagate(product, {"a": A, "b": B}, seed=s, draws=1000).outputs["ab"] for s in (1, 1, 2))

    assert np.array_equal(one.values, same.values)
    assert not np.any(one.values == other.values)


def test_neither_order_nor_company_changes_what_a_quantity_draws() -> None:
    """Common errors of two budgets are then the same errors, draw for draw."""
    alone = Drawing({"a": A}, 7).block(100)["a"]

    assert np.array_equal(Drawing({"b": B, "a": A, "c": A}, 7).block(100)["a"], alone)
    assert not np.any(Drawing({"c": A}, 7).block(100)["c"] == alone)


def test_blocks_go_on_where_the_last_one_ended() -> None:
    drawing = Drawing({"a": A}, 7)
    first, second = drawing.block(60)["a"], drawing.block(40)["a"]

    assert np.array_equal(np.concatenate([first, second]), Drawing({"a": A}, 7).block(100)["a"])


@pytest.mark.parametrize("draws", [20, 100, 1003, 50_000])
def test_exactly_so_many_draws_are_made(draws: int) -> None:
    found = propagate(product, {"a": A, "b": B}, seed=1, draws=draws, level=0.5)

    assert found.draws == draws
    assert {len(drawn.values) for drawn in found.outputs.values()} == {draws}


def test_draws_go_on_until_the_digits_stand() -> None:
    """Two digits of u = 0.104: mean, u and ends to a fifth of 0.005; the same seed again starts the same draws."""
    found = propagate(product, {"a": A, "b": B}, seed=1)
    fixed = propagate(product, {"a": A, "b": B}, seed=1, draws=20_000)

    assert 20_000 < found.draws < 1_000_000
    assert all(drawn.resolves(2) for drawn in found.outputs.values())
    assert not any(drawn.resolves(2) for drawn in fixed.outputs.values())
    drawing = Drawing({"a": A, "b": B}, 1).block(10_000)
    assert np.array_equal(found.outputs["ab"].values[:10_000], drawing["a"] * drawing["b"])


def test_more_digits_need_more_draws_and_one_output_can_ask_for_them_alone() -> None:
    coarse = propagate(product, {"a": A, "b": B}, seed=1, digits=1)
    fine = propagate(product, {"a": A, "b": B}, seed=1, digits=2)

    assert coarse.draws < fine.draws
    assert len({len(drawn.values) for drawn in fine.outputs.values()}) == 1


def test_draws_end_at_the_limit_and_say_that_they_are_too_few() -> None:
    """Student's t with two degrees of freedom has no standard deviation for the draws to settle on."""
    found = propagate(lambda x: {"y": x["a"]}, {"a": StudentT(0, 1, 2)}, seed=1, at_most=100_000)

    assert found.draws == 100_000
    assert not found.outputs["y"].resolves(2)


def test_the_numerical_error_is_what_other_seeds_scatter_by() -> None:
    runs = [propagate(product, {"a": A, "b": B}, seed=s, draws=10_000).outputs["ab"] for s in range(200)]
    figures = np.array([[r.mean, r.u, r.interval().low, r.interval().high] for r in runs])
    scatter = 2 * figures.std(axis=0, ddof=1)
    errors = np.array([[e.mean, e.u, e.low, e.high] for e in (r.numerical_error() for r in runs)])

    # root mean squares: 200 runs know their scatter to 1/√400, their ten blocks each to 1/√(2·9·200)
    limit = SIGMAS * math.hypot(1 / 400**0.5, 1 / 3600**0.5)
    assert np.sqrt((errors**2).mean(axis=0)) / scatter == pytest.approx(np.ones(4), abs=limit)


@given(st.lists(st.floats(-1e6, 1e6), min_size=20, max_size=60), st.floats(0.1, 0.9))
def test_intervals_hold_what_they_say_and_the_shortest_is_the_shortest(values: list[float], level: float) -> None:
    ordered = np.sort(np.array(values))
    inside = int(level * len(values) + 0.5)
    one, other = symmetric(ordered, level), shortest(ordered, level)

    for found in (one, other):
        assert np.count_nonzero((ordered >= found.low) & (ordered <= found.high)) >= inside + 1
    width = other.high - other.low
    assert all(ordered[i + inside] - ordered[i] >= width for i in range(len(values) - inside))
    below, above = np.count_nonzero(ordered < one.low), np.count_nonzero(ordered > one.high)
    if len(set(values)) == len(values):
        assert abs(below - above) <= 1
        assert below + above == len(values) - inside - 1


def test_ranks_are_those_of_the_supplement() -> None:
    """JCGM 101 7.7.2 and 7.7.4 for draws 1 to 100 at 95 %: q = 95, and r = int((M - q + 1)/2) = 3."""
    draws = np.arange(1.0, 101.0)

    assert symmetric(draws, 0.95) == Interval(3.0, 98.0, 0.95)
    assert shortest(draws, 0.95) == Interval(1.0, 96.0, 0.95)
    assert shortest(np.concatenate([draws[:50], draws[50:] / 1000 + 50]), 0.5) == Interval(50.0, 50.1, 0.5)


@pytest.mark.parametrize("level", [0.0, 1.0, 0.001, 0.999, math.nan])
def test_levels_that_the_draws_cannot_give_are_refused(level: float) -> None:
    with pytest.raises(ValueError, match=r"level|too few"):
        symmetric(np.arange(20.0), level)


def test_half_a_unit_of_the_last_digit() -> None:
    """JCGM 101 7.9.2 example: 0.00035 with two digits and one; a number that rounds up gains no digit."""
    assert numerical_tolerance(0.000_35, 2) == 5e-6
    assert numerical_tolerance(0.000_35, 1) == 5e-5
    assert numerical_tolerance(0.0996, 2) == 5e-3
    assert numerical_tolerance(0.0994, 2) == 5e-4
    assert numerical_tolerance(2.0, 2) == 0.05
    assert numerical_tolerance(0.0, 2) == 0.0


@given(st.floats(1e-12, 1e12), st.integers(1, 4))
def test_the_tolerance_grows_tenfold_with_the_unit(u: float, digits: int) -> None:
    assert numerical_tolerance(u, digits + 1) <= numerical_tolerance(u, digits) / 10 * 1.0000001
    assert 0.05 <= numerical_tolerance(u, 1) / u <= 0.5 * 1.06


def test_a_correlated_pair() -> None:
    """Covariance as asked, a difference far better known than either; and perfect correlation leaves none."""
    inputs: dict[str, Quantity] = {"s": Normal(1.0, 0.2), "d": Normal(-2.0, 0.5), "n": B}
    for r in (-0.89, 0.5, 1.0):
        found = propagate(
            lambda x: {"s": x["s"], "d": x["d"], "n": x["n"], "y": x["s"] / 0.2 - x["d"] / 0.5},
            inputs,
            seed=5,
            draws=200_000,
            correlations=[Correlation("s", "d", r)],
        )
        s, d, n, y = (found.outputs[name] for name in ("s", "d", "n", "y"))

        assert s.mean == pytest.approx(1.0, abs=mean_limit(s.values))
        assert d.mean == pytest.approx(-2.0, abs=mean_limit(d.values))
        assert s.u == pytest.approx(0.2, abs=sd_limit(s.values))
        assert d.u == pytest.approx(0.5, abs=sd_limit(d.values))
        correlation = found.covariance / np.sqrt(np.outer(np.diag(found.covariance), np.diag(found.covariance)))
        limit = SIGMAS / math.sqrt(200_000)
        assert correlation[0, 1] == pytest.approx(r, abs=limit * (1 - r**2) + 1e-9)
        assert abs(correlation[0, 2]) < limit
        assert n.u == pytest.approx(B.u, abs=sd_limit(n.values))
        assert y.u == pytest.approx(math.sqrt(2 * (1 - r)), abs=sd_limit(y.values) if r < 1 else 1e-6)


def test_only_normal_quantities_can_be_correlated() -> None:
    with pytest.raises(ValueError, match="not normal"):
        propagate(product, {"a": A, "b": B}, seed=1, draws=100, correlations=[Correlation("a", "b", 0.5)])
    with pytest.raises(ValueError, match="'c'"):
        propagate(product, {"a": A, "b": B}, seed=1, draws=100, correlations=[Correlation("a", "c", 0.5)])
    with pytest.raises(ValueError, match="seed"):
        propagate(product, {"a": A, "b": B}, seed=-1, draws=100)


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        propagate(lambda _: {"y": np.zeros(3)}, {"a": A}, seed=1, draws=100)
    with pytest.raises(ValueError, match=r"y with \d+ values of 10 that are not finite"):
        propagate(lambda x: {"y": np.where(x["a"] < 1, np.nan, 1.0)}, {"a": A}, seed=1, draws=100)


def test_a_constant_is_exact_and_at_once_stable() -> None:
    found = propagate(lambda x: {"y": np.full_like(x["a"], 3.0)}, {"a": A}, seed=1)

    assert found.draws == 20_000
    assert found.outputs["y"].interval() == Interval(3.0, 3.0, 0.95)
    assert found.outputs["y"].u == 0.0
    assert validate_lpu(3.0, 0.0, found.outputs["y"]).verdict == "validated"


def test_a_validation_says_when_the_draws_are_too_few_to_tell() -> None:
    values = np.sort(Normal(0.0, 2.0).draw(np.random.default_rng(1), 4000))
    few = Drawn(values[np.random.default_rng(2).permutation(4000)], 0.95, 400)
    right, far = validate_lpu(0.0, 3.92, few), validate_lpu(0.0, 9.0, few)

    assert not few.resolves(2)
    assert right.verdict == "undecided"
    assert right.published == right.monte_carlo == few.interval()
    assert far.verdict == "not validated"
    assert far.high_distance == pytest.approx(9.0 - few.interval().high, rel=1e-12)
    assert far.low_distance == pytest.approx(9.0 + few.interval().low, rel=1e-12)
