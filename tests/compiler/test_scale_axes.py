"""A scale of each axis against one for all: level, power, and what it needs to be asked at all."""

from __future__ import annotations

import math

import numpy as np
import pytest
from simulated_sheets import sheet, within

from r2s.compiler.scale_axes import compare_axes
from r2s.compiler.scale_pair import Pair

stats = pytest.importorskip("scipy.stats")

TWO_EACH = ("long", "long", "mid", "mid", "short", "short")
LENGTH = 0.1


def of(axes: tuple[str, ...], y: list[float], u: float = 0.004) -> tuple[Pair, ...]:
    """Readings of 100 mm along these axes that ask for these ln s."""
    return tuple(
        Pair(str(k), str(k), LENGTH * math.exp(v), 0.0, 0.0, LENGTH, LENGTH * u, axis=axis)
        for k, (axis, v) in enumerate(zip(axes, y, strict=True))
    )


def test_p_is_uniform_for_equal_axes() -> None:
    rng = np.random.default_rng(30)
    found = [compare_axes(of(TWO_EACH, (rng.normal(size=6) * 0.004).tolist()), None) for _ in range(2000)]

    assert {test.dof for test in found if test} == {2}
    assert stats.kstest([test.p for test in found if test], "uniform").pvalue > 0.001
    assert stats.kstest([test.p_left for test in found if test], "uniform").pvalue > 0.001


@pytest.mark.parametrize(("strain", "power"), [(0.005, 0.24), (0.01, 0.74), (0.02, 0.998)])
def test_the_power_is_the_memos(strain: float, power: float) -> None:
    """u 0.4 %, two readings along each axis, one axis off by 0.5, 1 or 2 %: 24, 74 and 100 %."""
    rng, tries, found = np.random.default_rng(31), 1500, 0
    for _ in range(tries):
        y = rng.normal(size=6) * 0.004
        y[4:] += strain
        test = compare_axes(of(TWO_EACH, y.tolist()), None)
        assert test is not None
        found += test.p < 0.05

    assert within(found / tries, power, tries, 1000)


def test_the_scales_are_those_of_the_axes() -> None:
    test = compare_axes(of(TWO_EACH, [0.01, 0.012, -0.02, -0.02, 0.0, 0.0]), None)
    assert test is not None

    assert dict(zip(test.axes, test.ln_s, strict=True)) == pytest.approx({"long": 0.011, "mid": -0.02, "short": 0.0})
    assert test.u == pytest.approx((0.004 / math.sqrt(2),) * 3, rel=0.02)
    assert test.readings == (2, 2, 2)
    assert test.drop > 40
    assert test.p < 1e-9


@pytest.mark.parametrize(
    ("axes", "dof"),
    [
        (("long", "mid", "short"), None),  # one each: a slip would look like a scale of its own
        (("long", "long", "mid"), None),
        (("long", "long", "", ""), None),  # diameters lie along none
        (("long", "long", "mid", "mid", "short"), 1),
        (TWO_EACH, 2),
    ],
)
def test_two_axes_need_two_readings_each(axes: tuple[str, ...], dof: int | None) -> None:
    test = compare_axes(of(axes, [0.0] * len(axes)), None)

    assert (None if test is None else test.dof) == dof


def test_an_offset_is_not_taken_for_another_scale() -> None:
    """Short lengths along one axis, long ones along the other, and faces 0.4 mm too far in: the device allows that."""
    rng, plain, excused = np.random.default_rng(32), 0, 0
    for _ in range(300):
        pairs = sheet(rng, (0.02, 0.03, 0.1, 0.12), 1e-4, offset=2e-4, axes=("short", "short", "long", "long"))
        without, allowed = compare_axes(pairs, None), compare_axes(pairs, 3e-4)
        assert without is not None
        assert allowed is not None
        plain += without.p < 0.05
        excused += allowed.p < 0.05

    assert plain > 250
    assert excused < 60


def test_one_caliper_for_all_raises_no_alarm() -> None:
    """Whether its limit is one error or many, axes of equal scale stay under the level."""
    for sharing in (0.0, 1.0):
        rng, alarms = np.random.default_rng(33), 0
        for _ in range(600):
            pairs = sheet(rng, (0.1,) * 6, 1e-4, 2e-5, u_common=2e-4, sharing=sharing, axes=TWO_EACH)
            test = compare_axes(pairs, None)
            assert test is not None
            alarms += test.p < 0.05
        assert alarms / 600 < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 600)
