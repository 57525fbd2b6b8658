"""The linear account against Monte Carlo of the same rows: where it holds, where it fails, and equal bytes."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from r2s.compiler.account import Account, data
from r2s.compiler.account.outputs import Feed, Output
from r2s.compiler.account.row import Row, Shape
from r2s.compiler.account.validated import validated
from r2s.compiler.budget_table import budget_lines
from r2s.compiler.codec import canonical

U = 2e-5


def row(id_: str, u: float = U, **changed: object) -> Row:
    shape: Shape = "scale" if id_ == "scale.fit" else "form"
    made = Row(id_, "ingest", id_, shape, "1" if shape == "scale" else "m", u, "assumed", "a test", group=id_)
    return replace(made, **changed)  # type: ignore[arg-type]


def length(by: dict[str, float], value: float = 0.06, **changed: object) -> Output:
    return replace(Output("width", value, "m", {**by, "scale.fit": value}, by, 1.0), **changed)  # type: ignore[arg-type]


def account(*rows: Row, by: dict[str, float] | None = None) -> Account:
    return Account(rows, (length({r.id: 1.0 for r in rows if r.unit == "m"} if by is None else by),))


def test_many_normal_errors_validate_the_linear_interval_and_it_is_published() -> None:
    made = account(row("a"), row("b"), row("scale.fit", 1e-4))
    found, budget = validated(made)["width"], made.budgets["width"]

    assert found.verdict == "validated"
    assert found.interval == (0.06 - budget.expanded, 0.06 + budget.expanded)


def test_one_rectangle_does_not_reach_as_far_as_two_u_and_its_own_interval_is_published() -> None:
    """Of a rectangle 95 % lies within 0.95 a; the linear account says 1.96 a/√3 = 1.13 a."""
    half = U * math.sqrt(3)
    found = validated(account(row("a", distribution="rectangular", half_width=half)))["width"]

    assert found.verdict == "not validated"
    assert found.interval == pytest.approx((0.06 - 0.95 * half, 0.06 + 0.95 * half), abs=0.01 * half)


def test_few_readings_are_drawn_with_the_tails_that_the_coverage_factor_stands_for() -> None:
    """A normal u with 4 degrees of freedom: k = 2.78 in the linear account, and so far out in the draws."""
    made = account(row("a", dof=4.0))
    found = validated(made)["width"]

    assert made.budgets["width"].k == pytest.approx(2.776, abs=1e-3)
    assert found.interval[1] - 0.06 == pytest.approx(2.776 * U, rel=0.03)


def test_a_volume_under_a_large_scale_error_is_skew_as_its_closed_form_says() -> None:
    """V exp(3e) is log-normal: its ends are V exp(±3·1.96 u)."""
    value = 4.8e-4
    made = Account((row("scale.fit", 0.05),), (Output("volume", value, "m^3", {"scale.fit": 3 * value}, {}, 3.0),))
    found = validated(made)["volume"]

    assert found.verdict == "not validated"
    expected = [value * math.exp(sign * 3 * 1.959964 * 0.05) for sign in (-1, 1)]
    assert found.interval == pytest.approx(expected, rel=0.005)


def test_what_calipers_take_back_is_taken_back_in_every_draw() -> None:
    """A length that alone was calibrated is L exp(e): nothing of the scan is left in it, at any size of the error."""
    by = {"a": 1.0}
    made = Account(
        (row("a", 5e-3), row("scale.fit", 1e-4)),
        (Output("width", 0.06, "m", {"scale.fit": 0.06}, by, 1.0),),
        (Feed(1.0, 0.06, by),),
    )
    found = validated(made)["width"]

    assert found.u == pytest.approx(0.06 * 1e-4, rel=0.02)
    assert found.verdict == "validated"


def test_a_tilt_is_no_less_than_zero_and_the_linear_account_fails_for_it() -> None:
    """Two equal and independent normal angles: their norm is Rayleigh, under 2.4477 u with 95 %."""
    tilts = tuple(Output(f"tilt.{a}", 0.0, "rad", {"contact": 20.0}, {"contact": 20.0}) for a in "xy")
    found = data(Account((row("contact"),), tilts), "")["outputs"]

    assert found["tilt"]["lpu"] == "not validated"
    assert found["tilt"]["interval"] == [0.0, pytest.approx(2.4477 * 20 * U, rel=0.01)]
    assert found["tilt"]["u"] == pytest.approx(20 * U * math.sqrt(2 - math.pi / 2), rel=0.01)
    assert found["tilt"]["by_term"] == {"contact": pytest.approx(1.0)}
    assert found["tilt.x"]["lpu"] in ("validated", "undecided")


def test_rows_of_one_group_are_one_error() -> None:
    apart, one = (row("a"), row("b")), (row("a", group="g"), row("b", group="g"))

    assert validated(account(*apart))["width"].u == pytest.approx(math.sqrt(2) * U, rel=0.01)
    assert validated(account(*one))["width"].u == pytest.approx(2 * U, rel=0.01)


def test_a_bias_that_is_not_corrected_counts_by_its_size() -> None:
    found = validated(account(row("a", value=3 * U)))["width"]

    assert found.u == pytest.approx(math.sqrt(10) * U, rel=0.01)


def test_without_a_bound_there_is_no_interval_and_without_an_error_only_the_value() -> None:
    free, still = account(row("scale.fit", math.inf)), Account((), (Output("width", 0.06, "m", {}, {}, 1.0),))

    assert validated(free) == {}
    assert data(free, "")["outputs"]["width"]["lpu"] is None
    assert validated(still)["width"].interval == (0.06, 0.06)


def test_the_heaviest_tails_overflow_nothing() -> None:
    """One degree of freedom: some draws of ln scale are beyond what an exponential can hold."""
    found = validated(account(row("scale.fit", 0.01, dof=1.0)))["width"]

    assert found.verdict == "not validated"
    assert found.interval == pytest.approx([0.06 * math.exp(sign * 12.706 * 0.01) for sign in (-1, 1)], rel=0.02)


def test_the_screen_has_one_line_where_the_linear_interval_does_not_hold_and_none_elsewhere() -> None:
    def shown(made: Account) -> list[str]:
        return [line for line in budget_lines(data(made, "width")) if line.startswith("interval")]

    half = U * math.sqrt(3)
    assert shown(account(row("a"), row("b"))) == []
    assert shown(account(row("a", distribution="rectangular", half_width=half))) == [
        "interval width 59.967 to 60.033 mm (95 %) by Monte Carlo, the linear one does not hold"
    ]


def mixed() -> str:
    made = account(row("a"), row("b", distribution="rectangular"), row("scale.fit", 0.03))
    return canonical(data(made, "width"))


def test_figures_do_not_depend_on_threads_or_process() -> None:
    code = "import test_account_validated as here; print(here.mixed())"
    path = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[1]), *sys.path])
    env = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "4"}
    there = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout

    assert there.strip() == mixed()
