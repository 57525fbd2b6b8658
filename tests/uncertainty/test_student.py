"""Student's t against scipy, tables and closed forms, for any degrees of freedom."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from r2s.compiler.uncertainty.student import coverage_factor, t_quantile


@pytest.mark.parametrize("dof", [0.1, 0.5, 1.0, 2.0, 2.5, 4.1, 16.75, 30.0, 1e3, 1e6, 1e12, 1e18])
@pytest.mark.parametrize("p", [0.5001, 0.9, 0.975, 0.995, 0.999])
def test_quantiles_are_those_of_scipy(p: float, dof: float) -> None:
    assert t_quantile(p, dof) == pytest.approx(float(stdtrit(dof, p)), rel=1e-10)


@pytest.mark.parametrize("p", [0.6, 0.975, 0.99999])
def test_one_and_two_degrees_of_freedom_have_closed_forms(p: float) -> None:
    assert t_quantile(p, 1) == pytest.approx(math.tan(math.pi * (p - 0.5)), rel=1e-8)
    assert t_quantile(p, 2) == pytest.approx((2 * p - 1) / math.sqrt(2 * p * (1 - p)), rel=1e-8)


def test_factors_of_the_gum() -> None:
    """GUM table G.2."""
    assert [round(coverage_factor(0.95, dof), 2) for dof in (1, 2, 5, 10, 20, 50)] == [
        12.71,
        4.30,
        2.57,
        2.23,
        2.09,
        2.01,
    ]
    assert coverage_factor(0.99, 16) == pytest.approx(2.921, abs=5e-4)
    assert coverage_factor(0.95, math.inf) == pytest.approx(1.959964, abs=5e-7)


@given(st.floats(0.01, 0.99), st.floats(0.2, 1e9))
def test_quantiles_are_odd_and_fall_with_the_degrees_of_freedom(p: float, dof: float) -> None:
    assert t_quantile(1 - p, dof) == pytest.approx(-t_quantile(p, dof), rel=1e-9, abs=1e-12)
    assert abs(t_quantile(p, dof)) >= abs(t_quantile(p, 2 * dof)) * (1 - 1e-12)


@pytest.mark.parametrize(("p", "dof"), [(0.0, 5), (1.0, 5), (math.nan, 5), (0.9, 0), (0.9, 0.05), (0.9, math.nan)])
def test_what_is_no_quantile_is_refused(p: float, dof: float) -> None:
    with pytest.raises(ValueError, match=r"probability|too few"):
        t_quantile(p, dof)


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, math.nan])
def test_what_is_no_level_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="level"):
        coverage_factor(level, 5)


def test_no_scipy_is_loaded_by_any_of_the_arithmetic() -> None:
    names = "budget conformance distributions drawing geometry intervals linear monte_carlo state student tolerance"
    lines = [f"import r2s.compiler.uncertainty.{name}" for name in (*names.split(), "validation")]
    lines += [
        "import sys",
        "r2s.compiler.uncertainty.student.coverage_factor(0.95, 4.1)",
        "r2s.compiler.uncertainty.tolerance.tolerance_factor(0.95, 0.95, 4)",
        "print('scipy' in sys.modules)",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout.strip()) == (0, "False"), done.stderr
