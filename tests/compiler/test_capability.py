"""What a check can see, and how many readings more would make it capable."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r2s.compiler.capability import capability

T = 0.5e-3


@pytest.mark.parametrize(
    ("u", "capable"), [(T / 3, True), (T / 3 * 1.0001, False), (1e-6, True), (1.0, False), (math.nan, False)]
)
def test_a_third_of_the_tolerance_is_the_limit(u: float, capable: bool) -> None:
    found = capability(u, T, 0.0, 0.0, 0)

    assert found.capable is capable
    assert found.more == (0 if capable else None)
    assert found.lod95 == pytest.approx(3.605 * u, nan_ok=True)


def test_the_memos_formula() -> None:
    """All of u from one length: N is at least (u/(T/3))², 4 readings for twice too much."""
    found = capability(2 * T / 3, T, 2 * T / 3, 0.0, 1)

    assert found.more == 3
    assert capability(2.01 * T / 3, T, 2.01 * T / 3, 0.0, 1).more == 4


@given(st.floats(0, 3e-4), st.floats(1e-5, 1e-3), st.floats(0, 1), st.integers(1, 9), st.floats(2e-4, 2e-3))
def test_so_many_more_make_it_capable_and_one_less_does_not(
    rest: float, u_scale: float, left: float, n: int, tolerance: float
) -> None:
    """With m readings the scale's part is left² + (u² - left²)·n/m, which is what the number promises."""
    u_left = left * u_scale

    def u(readings: int) -> float:
        return math.sqrt(rest**2 + u_left**2 + (u_scale**2 - u_left**2) * n / readings)

    found = capability(u(n), tolerance, u_scale, u_left, n)
    if found.more is None:
        assert math.hypot(rest, u_left) >= tolerance / 3 * (1 - 1e-6)
        return
    assert u(n + found.more) <= tolerance / 3 * (1 + 1e-9)
    assert found.more == 0 or u(n + found.more - 1) > tolerance / 3 * (1 - 1e-9) or found.more == 1


def test_what_readings_share_no_number_of_them_cures() -> None:
    assert capability(2e-4, T, 2e-4, 1.7e-4, 3).more is None
    assert capability(2e-4, T, 2e-4, 1.6e-4, 3).more is not None
    assert capability(2e-4, T, 1e-5, 0.0, 3).more is None
