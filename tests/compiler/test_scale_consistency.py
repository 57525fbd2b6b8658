"""Whether the fit's probabilities are probabilities: thousands of simulated sheets whose truth is known."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import pytest
from simulated_sheets import sheet, within

from r2s.compiler.scale_consistency import consistency
from r2s.compiler.scale_fit import LOD_FACTOR, Pair, ScaleFit, fit_scale

stats = pytest.importorskip("scipy.stats")

SHEETS = 2000


def good_sheets(seed: int, count: int, *, shared: bool, sharing: float = 1.0) -> Iterator[tuple[Pair, ...]]:
    """Honest sheets of two to eight lengths of 20 to 200 mm by two calipers, or each by its own."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(2, 9))
        names = [("a", "b")[k] for k in rng.integers(0, 2, n)] if shared else [str(k) for k in range(n)]
        lengths = rng.uniform(0.02, 0.2, n).tolist()
        scan = rng.uniform(5e-5, 3e-4, n).tolist()
        yield sheet(rng, lengths, scan, 3e-5, u_common=6e-5, sharing=sharing, instruments=names)


@cache
def fits_of_two_calipers(sharing: float) -> tuple[ScaleFit, ...]:
    """Fits of honest sheets whose two calipers share that part of their limits: several tests look at the same ones."""
    return tuple(fit_scale(pairs, None) for pairs in good_sheets(4, SHEETS, shared=True, sharing=sharing))


def uniform(values: Sequence[float]) -> float:
    """p of Kolmogorov and Smirnov that *values* are uniform."""
    return float(stats.kstest(values, "uniform").pvalue)


def test_p_is_uniform_where_nothing_is_shared() -> None:
    found = [fit_scale(pairs, None).p for pairs in good_sheets(1, SHEETS, shared=False)]

    assert uniform(found) > 0.001


def test_p_is_uniform_with_a_device_that_keeps_its_promise() -> None:
    rng, found = np.random.default_rng(2), []
    for _ in range(SHEETS):
        pairs = sheet(rng, [0.03, 0.08, 0.12], 2e-4, 3e-5, ln_s=rng.normal() * 0.004, offset=rng.normal() * 3e-4)
        found.append(fit_scale(pairs, 0.004, 3e-4).p)

    assert uniform(found) > 0.001


@pytest.mark.parametrize("sharing", [0.0, 0.5, 1.0])
def test_p_is_uniform_at_the_true_correlation(sharing: float) -> None:
    """With the makers' limits shared as much as they are, chi2 is exactly what least squares promises."""
    found = []
    for pairs in good_sheets(3, SHEETS, shared=True, sharing=sharing):
        found.append(consistency(pairs, correlation=sharing).p)

    assert uniform(found) > 0.001


@pytest.mark.parametrize("sharing", [0.0, pytest.param(0.5, marks=pytest.mark.slow), 1.0])
def test_no_correlation_makes_good_sheets_look_bad(sharing: float) -> None:
    """Nobody knows it, so at each the alarms stay at or under their level: too much scatter, and too little."""
    fits = fits_of_two_calipers(sharing)

    for level in (0.05, 0.003):
        alarms = sum(fit.p < level for fit in fits) / SHEETS
        assert alarms <= level or within(alarms, level, SHEETS)
    copied = sum(fit.p_least > 0.997 for fit in fits) / SHEETS
    assert copied <= 0.003 or within(copied, 0.003, SHEETS)
    assert all(fit.p >= fit.p_least - 1e-12 for fit in fits)


def test_pulls_have_a_standard_deviation_of_one() -> None:
    """The error of ln s over its u, where the limits are shared in full, as u takes them: exact, not only safe."""
    fits = fits_of_two_calipers(1.0)
    pulls = np.array([fit.ln_s / fit.u_internal for fit in fits])

    assert np.std(pulls) == pytest.approx(1.0, abs=0.05)
    assert abs(np.mean(pulls)) < 3 / math.sqrt(SHEETS)
    assert within(float(np.mean(np.abs(pulls) < 1.96)), 0.95, SHEETS)
    assert all(fit.p < 0.05 for fit in fits if fit.u > fit.u_internal)


@pytest.mark.parametrize("sharing", [0.0, pytest.param(0.5, marks=pytest.mark.slow)])
def test_u_holds_where_less_is_shared(sharing: float) -> None:
    fits = fits_of_two_calipers(sharing)

    assert 0.6 < np.std([fit.ln_s / fit.u_internal for fit in fits]) <= 1.0


@pytest.mark.parametrize(("true_u", "caught"), [(0.002, 0.27), (0.005, 0.90), (0.01, 1.0)])
def test_scale_errors_are_detected_as_the_memo_says(true_u: float, caught: float) -> None:
    """A box of 60 x 80 x 100 mm, three readings, u(ln s) 0.152 %: power against 0.2, 0.5 and 1 % (memo, C3)."""
    rng, tries, found = np.random.default_rng(7), 1000, 0
    u = 0.00152 / math.sqrt(1 / math.fsum(length**2 for length in (0.06, 0.08, 0.1)))
    for _ in range(tries):
        fit = fit_scale(sheet(rng, [0.06, 0.08, 0.1], u, ln_s=true_u), None)
        assert fit.u_internal == pytest.approx(0.00152, rel=0.02)
        found += abs(fit.ln_s) > 1.96 * fit.u_internal

    assert within(found / tries, caught, tries, 1000)
    assert pytest.approx(0.0055, abs=5e-5) == LOD_FACTOR * 0.00152


def test_the_detection_limit_is_caught_at_95_percent() -> None:
    rng, tries = np.random.default_rng(8), 1000
    u = fit_scale(sheet(rng, [0.06, 0.08, 0.1], 2e-4), None).u_internal
    found = [fit_scale(sheet(rng, [0.06, 0.08, 0.1], 2e-4, ln_s=LOD_FACTOR * u), None) for _ in range(tries)]

    assert within(sum(abs(fit.ln_s) > 1.96 * fit.u_internal for fit in found) / tries, 0.95, tries)


# --- where the readings contradict each other ---------------------------------------------------------------------


def equal(ratios: Sequence[float], u: float = 0.004) -> tuple[Pair, ...]:
    """Readings of 100 mm, each by its own instrument, that ask for these ln s."""
    return tuple(Pair(str(k), str(k), 0.1 * math.exp(y), 0.0, 0.0, 0.1, 0.1 * u) for k, y in enumerate(ratios))


def spread(n: int, birge: float, u: float = 0.004) -> ScaleFit:
    """The fit of *n* readings that scatter *birge* times as much as they may."""
    pattern = np.linspace(-1, 1, n)
    pattern *= birge * u * math.sqrt((n - 1) / float(pattern @ pattern))
    return fit_scale(equal(pattern.tolist(), u), None)


@pytest.mark.parametrize(("n", "more"), [(2, 1.0), (3, 1.0), (4, 1.7320508), (5, math.sqrt(2)), (10, 1.1338934)])
def test_inconsistent_readings_widen_u_after_bodnar_and_elster(n: int, more: float) -> None:
    """The Birge ratio, and from four on √((n - 1)/(n - 3)) of it: 73 % more at 4, 13 % at 10 (memo, section 3)."""
    fit = spread(n, 4.0)

    assert fit.birge == pytest.approx(4.0, rel=1e-6)
    assert fit.inflation == pytest.approx(4.0 * more, rel=1e-6)
    assert fit.u == pytest.approx(fit.u_internal * 4.0 * more, rel=1e-6)
    assert fit.dof_of_u == (n - 1 if n < 4 else math.inf)


@pytest.mark.parametrize("n", [2, 3, 6])
def test_consistent_readings_widen_nothing(n: int) -> None:
    fit = spread(n, 1.15)

    assert fit.p > 0.05
    assert (fit.inflation, fit.u, fit.dof_of_u) == (1.0, fit.u_internal, math.inf)


def test_widened_u_covers_what_was_understated() -> None:
    """Uncertainties stated three times too small: u alone would hold half, the widened interval holds 95 %."""
    rng, tries, held, naive = np.random.default_rng(9), 1000, 0, 0
    for _ in range(tries):
        fit = fit_scale(equal((rng.normal(size=6) * 0.012).tolist()), None)
        held += abs(fit.ln_s) < 2 * fit.u
        naive += abs(fit.ln_s) < 2 * fit.u_internal

    assert held / tries > 0.93
    assert naive / tries < 0.6


def test_the_memos_blunder_is_named_and_stays_in() -> None:
    """Four good readings and one 9 % off: only leaving that one out brings the others together."""
    pairs = equal([0.001, -0.001, -0.002, 0.0005, math.log(1.09)])
    fit = fit_scale(pairs, None)

    assert fit.suspect == "4"
    assert fit.p < 1e-9
    assert fit.p_without > 0.9
    assert fit.worst is not None
    assert fit.worst.id == "4"
    assert fit.worst.normalised > 15
    assert len(fit.weights) == 5
    assert min(fit.weights) == pytest.approx(0.2, rel=0.2)  # never dropped by itself
    assert fit.ln_s > 0.015


def test_blunders_are_named_nineteen_times_in_twenty() -> None:
    """A blunder of 3.5 % among five readings of u 0.4 %, its place drawn: named right, and never a good one by name."""
    rng, tries, right, wrong = np.random.default_rng(10), 500, 0, 0
    for _ in range(tries):
        y = rng.normal(size=5) * 0.004
        bad = int(rng.integers(5))
        y[bad] += 0.035
        suspect = fit_scale(equal(y.tolist()), None).suspect
        right += suspect == str(bad)
        wrong += suspect not in ("", str(bad))

    assert right / tries > 0.95
    assert wrong / tries < 0.005


def test_two_contradicting_readings_accuse_nobody() -> None:
    fit = fit_scale(equal([0.0, 0.09]), None)

    assert fit.p < 1e-9
    assert fit.suspect == ""
    assert math.isnan(fit.p_without)
    assert fit.left_out[0].normalised == pytest.approx(fit.left_out[1].normalised)


def test_one_reading_tests_nothing() -> None:
    fit = fit_scale(equal([0.09]), None)

    assert (fit.dof, fit.left_out, fit.suspect, fit.inflation) == (0, (), "", 1.0)
    assert math.isnan(fit.p)
    assert math.isnan(fit.p_least)
    assert fit.offset is None


def test_one_reading_carries_the_offset_that_the_device_allows() -> None:
    """u(ln s) is at least √(u² + (2 u_d/L)²): what one length cannot tell from scale (memo, section 3)."""
    plain, promised = (fit_scale(equal([0.0]), None, prior) for prior in (None, 3e-4))

    assert promised.u == pytest.approx(math.hypot(plain.u, 2 * 3e-4 / 0.1))
    assert promised.u_offset == pytest.approx(2 * 3e-4 / 0.1)


# --- shared terms -------------------------------------------------------------------------------------------------


def random_pairs(seed: int, n: int) -> tuple[Pair, ...]:
    rng = np.random.default_rng([11, seed])
    names = ["ab"[k] for k in rng.integers(0, 2, n)]
    lengths = rng.uniform(0.005, 0.2, n).tolist()
    return sheet(
        rng, lengths, rng.uniform(1e-5, 1e-4, n).tolist(), 2e-5, u_common=10 ** rng.uniform(-5, -3.5), instruments=names
    )


def variance(pairs: Sequence[Pair], weights: Sequence[float], sharing: float) -> float:
    """wᵀΣw with that part of the makers' limits shared."""
    w, s = np.array(weights), np.array([p.shared for p in pairs])
    same = np.array([[a.instrument == b.instrument for b in pairs] for a in pairs])
    off = sharing * np.outer(s, s) * same
    return float(w @ (np.diag(np.array([p.u_alone for p in pairs]) ** 2 + (1 - sharing) * s**2) + off) @ w)


@pytest.mark.parametrize("seed", range(12))
def test_the_weights_are_the_best_that_hold_at_every_correlation(seed: int) -> None:
    """At or above 0, summing to 1; u² is their worst variance, and no other such weights have a smaller one."""
    pairs = random_pairs(seed, 2 + seed % 6)
    fit = fit_scale(pairs, None)
    rng = np.random.default_rng([12, seed])

    assert min(fit.weights) >= 0
    assert math.fsum(fit.weights) == pytest.approx(1)
    assert fit.u_internal**2 == pytest.approx(variance(pairs, fit.weights, 1.0), rel=1e-9)
    assert all(variance(pairs, fit.weights, s) <= fit.u_internal**2 * (1 + 1e-9) for s in (0.0, 0.3, 0.7, 1.0))
    inverse_squares = np.array([p.u**-2 for p in pairs])
    for other in (inverse_squares, *rng.dirichlet(np.full(len(pairs), 0.5), 300)):
        assert variance(pairs, (other / other.sum()).tolist(), 1.0) >= fit.u_internal**2 * (1 - 1e-9)


@pytest.mark.parametrize("u", [1e-5, 1e-12])
def test_a_shared_part_that_drowns_all_else_still_has_weights(u: float) -> None:
    """A limit of half the length and errors of nothing: the longest alone, and what it shares is all its u."""
    pairs = tuple(Pair(str(n), "a", n, u * n, 0.05, n, 0.0) for n in (0.1, 0.2))
    fit = fit_scale(pairs, None)

    assert fit.weights == (0.0, 1.0)
    assert fit.u_internal == pytest.approx(0.25, rel=1e-6)
    assert fit_scale(pairs[:1], None).u_internal == pytest.approx(0.5, rel=1e-6)


def test_the_unrestricted_inverse_would_promise_what_it_cannot_keep() -> None:
    """
    A 20 mm and a 100 mm length by one ruler: the full inverse claims 0.1 %, on the strength of the correlation.

    If the two errors are not shared after all, its error is many times that; ours stays within what it says.
    """
    pairs = tuple(Pair(str(n), "ruler", n, 2e-5, 3e-4, n, 1e-5) for n in (0.02, 0.1))
    s, d = np.array([p.shared for p in pairs]), np.array([p.u_alone for p in pairs])
    inverse = np.linalg.inv(np.diag(d**2) + np.outer(s, s))
    free = inverse.sum(axis=1) / inverse.sum()
    fit = fit_scale(pairs, None)

    assert free.min() < 0
    claimed = variance(pairs, free.tolist(), 1.0)
    assert variance(pairs, free.tolist(), 0.0) > 40 * claimed
    assert variance(pairs, fit.weights, 0.0) <= fit.u_internal**2 * (1 + 1e-12)
    assert fit.weights == (0.0, 1.0)


def test_what_is_shared_is_told_apart_from_what_more_readings_would_lower() -> None:
    few, many = (
        fit_scale(tuple(Pair(str(k), "a", 0.1, 5e-5, 2e-5, 0.1, 0.0) for k in range(n)), None) for n in (2, 200)
    )

    assert (few.u_shared, many.u_shared) == pytest.approx((2e-4, 2e-4))
    assert many.u_internal == pytest.approx(math.hypot(2e-4, 5e-4 / math.sqrt(200)))


def test_two_uses_of_one_ruler_do_not_contradict_each_other() -> None:
    """0.4 mm apart with a limit of 0.5 mm: impossible if the limit were one shared error, ordinary if it is not."""
    pairs = (Pair("a", "ruler", 0.1004, 3e-5, 2.9e-4, 0.1, 1e-5), Pair("b", "ruler", 0.1, 3e-5, 2.9e-4, 0.1, 1e-5))
    fit = fit_scale(pairs, None)

    assert fit.correlation == 0.0
    assert fit.p > 0.2
    assert consistency(pairs, correlation=1.0).p < 1e-6


def test_readings_that_one_zero_error_reconciles_do_not_contradict_each_other() -> None:
    """A caliper that reads 0.3 mm long on every length: independent errors could not, its own one error does."""
    lengths = (0.02, 0.02, 0.02, 0.15, 0.15, 0.15)
    pairs = tuple(Pair(str(k), "a", n + 3e-4, 1e-5, 1.5e-4, n, 1e-5) for k, n in enumerate(lengths))
    fit = fit_scale(pairs, None)

    assert fit.p > 0.5
    assert fit.correlation > 0.5
    assert consistency(pairs, correlation=0.0).p < fit.p


# --- too good to be true ------------------------------------------------------------------------------------------


def test_copied_values_are_too_good_at_every_correlation() -> None:
    copied = tuple(
        Pair(str(k), "a", n, 3e-5, 2e-5, n * (1 + 1e-7), 2e-5) for k, n in enumerate((0.03, 0.05, 0.08, 0.1))
    )

    assert fit_scale(copied, None).p_least > 0.997


def test_a_good_caliper_is_not_taken_for_a_copy_because_of_what_we_assume() -> None:
    """Errors of 5 um on every length, where 29 um were assumed for where the jaws touched."""
    rng = np.random.default_rng(13)
    lengths = (0.03, 0.05, 0.06, 0.08, 0.1)
    found = [
        fit_scale(
            tuple(
                Pair(str(k), "a", n + rng.normal() * 5e-6, math.hypot(2.9e-5, 5e-6), 1.7e-5, n, 1e-9, u_assumed=2.9e-5)
                for k, n in enumerate(lengths)
            ),
            None,
        )
        for _ in range(300)
    ]

    assert sum(fit.p > 0.997 for fit in found) > 100
    assert within(sum(fit.p_least > 0.997 for fit in found) / 300, 0.003, 300)
