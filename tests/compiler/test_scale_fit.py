"""The weighted scale fit and the rule over it, against closed forms, scipy and simulation."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from r2s.compiler.codes import catalogue
from r2s.compiler.errors import InvalidInputError, UsageError
from r2s.compiler.scale_fit import LOD_FACTOR, Pair, ScaleFit, chi2_tail, fit_scale
from r2s.compiler.scale_rule import anchor


def pair(
    id_: str, ratio: float, u: float = 0.0, common: float = 0.0, instrument: str = "a", length: float = 0.1
) -> Pair:
    """Return a reading with caliper/scan = *ratio*; *u* and *common* are relative."""
    return Pair(id_, instrument, length * ratio, u * length * ratio, common * length * ratio, length, 0.0)


def test_the_mean_is_weighted_by_inverse_variance() -> None:
    fit = fit_scale([pair("a", 1.01, 0.001), pair("b", 1.02, 0.002)], None)
    expected = (math.log(1.01) * 4 + math.log(1.02)) / 5

    assert fit.ln_s == pytest.approx(expected, rel=1e-12)
    assert fit.factor == pytest.approx(math.exp(expected), rel=1e-12)
    assert fit.u_internal == pytest.approx(1 / math.sqrt(1e6 + 0.25e6), rel=1e-12)
    assert fit.chi2 == pytest.approx((math.log(1.02) - math.log(1.01)) ** 2 / (0.001**2 + 0.002**2), rel=1e-9)
    assert fit.dof == 1
    assert fit.u == pytest.approx(fit.u_internal * math.sqrt(fit.chi2), rel=1e-12)
    assert fit.lod95 == pytest.approx(LOD_FACTOR * fit.u)


def test_scan_and_caliper_uncertainties_add_in_squares() -> None:
    (one,) = (Pair("a", "", 0.1, 0.0003, 0.0, 0.1, 0.0004),)

    assert fit_scale([one], None).u == pytest.approx(0.005, rel=1e-12)


@pytest.mark.parametrize("count", [1, 2, 5, 100])
def test_one_caliper_never_averages_its_limit_away(count: int) -> None:
    same = [pair(str(k), 1.0, 0.001, 0.002) for k in range(count)]
    different = [replace(p, instrument=p.id) for p in same]

    assert fit_scale(same, None).u == pytest.approx(math.hypot(0.001 / math.sqrt(count), 0.002), rel=1e-12)
    assert fit_scale(different, None).u == pytest.approx(math.hypot(0.001, 0.002) / math.sqrt(count), rel=1e-12)


def test_a_short_length_never_extrapolates_the_caliper_error_away() -> None:
    """10 mm and 100 mm of one caliper: no better than the long one alone, as a full inverse would say."""
    short, long = (Pair(str(n), "a", n, 1e-7, 3e-5, n, 1e-7) for n in (0.01, 0.1))
    both = fit_scale([short, long], None)

    assert both.u >= fit_scale([long], None).u
    assert both.u <= 1.2 * fit_scale([long], None).u


def test_a_prior_is_one_more_reading_of_one() -> None:
    with_prior = fit_scale([pair("a", 1.01, 0.003)], 0.004)
    without = fit_scale([pair("a", 1.01, 0.003), pair("prior", 1.0, 0.004, instrument="b")], None)

    assert with_prior.ln_s == pytest.approx(without.ln_s, rel=1e-12)
    assert with_prior.u == pytest.approx(without.u, rel=1e-9)
    assert with_prior.chi2 == pytest.approx(without.chi2, rel=1e-9)
    assert with_prior.dof == 1
    assert with_prior.ids == ("a",)


def test_one_reading_alone_has_nothing_to_test() -> None:
    fit = fit_scale([pair("a", 1.5, 0.01)], None)

    assert (fit.dof, fit.chi2, fit.left_out, fit.dof_of_u) == (0, 0.0, (), math.inf)
    assert math.isnan(fit.p)


def test_leaving_one_out_equals_fitting_the_others() -> None:
    pairs = [pair("a", 1.01, 0.001), pair("b", 1.02, 0.002), pair("c", 0.99, 0.003)]

    for k, left in enumerate(fit_scale(pairs, 0.01).left_out):
        rest = fit_scale(pairs[:k] + pairs[k + 1 :], 0.01)
        assert left.id == pairs[k].id
        assert left.residual == pytest.approx(pairs[k].log_ratio - rest.ln_s, rel=1e-9)
        assert left.u == pytest.approx(math.hypot(pairs[k].u, rest.u_internal), rel=1e-9)


def test_a_blunder_stands_out_and_no_other() -> None:
    """Four good readings and one 9 % off (metrology memo): only its own left-out residual is suspect by far."""
    pairs = [pair(str(k), r, 0.004) for k, r in enumerate((1.001, 0.999, 1.002, 0.998, 1.09))]
    fit = fit_scale(pairs, None)
    sizes = [left.normalised for left in fit.left_out]

    assert fit.p < 1e-9
    assert sizes[4] > 15
    assert max(sizes[:4]) < sizes[4] / 2


def test_pulls_are_standard_normal_and_p_is_uniform() -> None:
    """With independent errors as large as stated, 95 % intervals hold 95 % and chi2 alarms at its level."""
    rng = np.random.default_rng(1)
    u = np.array([0.002, 0.003, 0.004, 0.005])
    truth, tries = 0.01, 2000
    pulls, alarms = [], 0
    for noise in rng.normal(size=(tries, 4)) * u:
        fit = fit_scale(
            [pair(str(k), math.exp(truth + e), s) for k, (e, s) in enumerate(zip(noise, u, strict=True))], None
        )
        pulls.append((fit.ln_s - truth) / fit.u_internal)
        alarms += fit.p < 0.05

    assert np.mean(np.abs(pulls) < 1.96) == pytest.approx(0.95, abs=0.015)
    assert np.std(pulls) == pytest.approx(1, abs=0.04)
    assert alarms / tries == pytest.approx(0.05, abs=0.015)


def test_shared_errors_are_covered_too() -> None:
    """One caliper with a true common error: the interval holds at least 95 %, where 1/√n would hold half."""
    rng = np.random.default_rng(2)
    hits, naive = 0, 0
    for _ in range(1000):
        shift = rng.normal() * 0.003
        errors = rng.normal(size=6) * 0.001
        fit = fit_scale([pair(str(k), math.exp(shift + e), 0.001, 0.003) for k, e in enumerate(errors)], None)
        hits += abs(fit.ln_s) < 1.96 * fit.u
        naive += abs(fit.ln_s) < 1.96 * math.hypot(0.001, 0.003) / math.sqrt(6)

    assert 0.93 < hits / 1000 < 0.99
    assert naive / 1000 < 0.65


@pytest.mark.parametrize("dof", [1, 2, 3, 4, 7, 20, 101])
def test_the_tail_of_chi2_is_scipys(dof: int) -> None:
    stats = pytest.importorskip("scipy.stats")

    for x in (0.0, 0.01, 0.5, 1.0, 5.0, 30.0, 200.0, 3000.0):
        assert chi2_tail(x, dof) == pytest.approx(stats.chi2.sf(x, dof), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(
    "pairs", [[], [Pair("a", "", 0.0, 1.0, 0.0, 1.0, 0.0)], [Pair("a", "", 1.0, 1.0, 0.0, -1.0, 0.0)]]
)
def test_a_fit_needs_positive_lengths(pairs: list[Pair]) -> None:
    with pytest.raises(ValueError, match="positive"):
        fit_scale(pairs, None)


def fitted(ln_s: float, u: float) -> ScaleFit:
    """Return a fit of one reading with that result."""
    return fit_scale([pair("A", math.exp(ln_s), u)], None)


@pytest.mark.parametrize(
    ("ln_s", "u", "mode", "free", "applied", "codes"),
    [
        (0.0019, 0.001, "auto", False, False, []),
        (0.0021, 0.001, "auto", False, True, []),
        (-0.0021, 0.001, "auto", False, True, []),
        (0.0001, 0.001, "apply", False, True, []),
        (0.0001, 0.001, "auto", True, True, []),
        (0.0500, 0.001, "auto", True, True, []),
        (0.0201, 0.001, "auto", False, True, ["R2S602"]),
        (-0.0201, 0.001, "apply", False, True, ["R2S602"]),
        (0.0199, 0.001, "auto", False, True, []),
        (0.0700, 0.04, "auto", False, False, []),
        (0.1500, 0.10, "auto", False, False, []),
        (0.5000, 0.001, "verify", False, False, []),
    ],
)
def test_what_each_mode_does(ln_s: float, u: float, mode: str, free: bool, applied: bool, codes: list[str]) -> None:
    fit = fitted(ln_s, u)
    ruling = anchor(fit, mode, free)

    assert ruling.applied is applied
    assert ruling.factor == (fit.factor if applied else 1.0)
    assert [d.code for d in ruling.diagnostics] == codes
    assert all(d.severity == "warning" and "A" in d.message for d in ruling.diagnostics)
    assert "on A" in ruling.reason


@pytest.mark.parametrize("ln_s", [0.081, -0.081])
@pytest.mark.parametrize("mode", ["auto", "apply"])
def test_a_correction_over_eight_percent_of_a_metric_scan_stops(ln_s: float, mode: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        anchor(fitted(ln_s, 0.001), mode, False)

    assert caught.value.code == "R2S603"
    assert f"{math.expm1(ln_s):+.2%}" in caught.value.message


def test_a_free_scale_cannot_be_verified() -> None:
    with pytest.raises(InvalidInputError) as caught:
        anchor(fitted(0.01, 0.001), "verify", True)

    assert caught.value.code == "R2S604"


def test_an_unknown_mode_is_a_usage_error() -> None:
    with pytest.raises(UsageError) as caught:
        anchor(fitted(0.01, 0.001), "never", False)

    assert caught.value.code == "R2S605"


@pytest.mark.parametrize(("off", "severity"), [(1.0, None), (3.0, "warning"), (5.0, "warning")])
def test_readings_that_scatter_are_named_and_widen_u(off: float, severity: str | None) -> None:
    """Two readings *off* standard uncertainties of their difference apart."""
    u = 0.001
    fit = fit_scale([pair("A", 1.0, u), pair("B", math.exp(off * u * math.sqrt(2) * 0.8), u)], None)
    found = anchor(fit, "verify", False).diagnostics

    assert [d.severity for d in found] == ([] if severity is None else [severity])
    assert all(d.code == "R2S606" and "A" in d.message for d in found)
    assert fit.u == pytest.approx(fit.u_internal * max(1.0, math.sqrt(fit.chi2)))


def test_the_codes_are_explained() -> None:
    assert all(catalogue()[f"R2S60{k}"].remedy for k in range(1, 10))
