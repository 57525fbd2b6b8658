"""Input quantities: u from a half-width, degrees of freedom from a doubt, and draws with the moments they claim."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sampling import mean_limit, quantile_range, sd_limit
from scipy.special import stdtrit

from r2s.compiler.uncertainty.distributions import (
    Arcsine,
    CurvilinearTrapezoid,
    Normal,
    Quantity,
    Rectangular,
    StudentT,
    Triangular,
    dof_of_doubt,
    of_u,
)

M = 400_000

QUANTITIES: list[Quantity] = [
    Normal(3.0, 0.5),
    StudentT(3.0, 0.5, 9.0),
    StudentT(3.0, 0.5, math.inf),
    Rectangular(3.0, 0.5),
    Triangular(3.0, 0.5),
    Arcsine(3.0, 0.5),
    CurvilinearTrapezoid(3.0, 0.5, 0.5),
    CurvilinearTrapezoid(3.0, 0.5, 1.0),
]


def drawn(quantity: Quantity, seed: int = 1) -> np.ndarray:
    return quantity.draw(np.random.default_rng(seed), M)


def test_standard_uncertainties_of_limits() -> None:
    """GUM 4.3.7, 4.3.9; JCGM 101 6.4.6 and 6.4.3, here a = 1 and a margin of a half."""
    assert Rectangular(0, 1).u == pytest.approx(1 / math.sqrt(3), rel=1e-15)
    assert Triangular(0, 1).u == pytest.approx(1 / math.sqrt(6), rel=1e-15)
    assert Arcsine(0, 1).u == pytest.approx(1 / math.sqrt(2), rel=1e-15)
    assert CurvilinearTrapezoid(0, 1, 0.5).u == pytest.approx(math.sqrt(1 / 3 + 0.25 / 9), rel=1e-15)
    assert CurvilinearTrapezoid(0, 1, 0.0).u == pytest.approx(Rectangular(0, 1).u, rel=1e-15)


def test_a_doubt_of_a_quarter_is_eight_degrees_of_freedom() -> None:
    """GUM G.4.2 with its example; H.1 takes 10 % for 50 and 50 % for 2."""
    assert dof_of_doubt(0.25) == 8
    assert [Rectangular(0, 1, d).dof for d in (0.1, 0.5, 0.0)] == pytest.approx([50, 2, math.inf])


@pytest.mark.parametrize("quantity", QUANTITIES, ids=repr)
def test_draws_have_the_value_and_the_spread_that_is_claimed(quantity: Quantity) -> None:
    values = drawn(quantity)

    assert values.mean() == pytest.approx(3.0, abs=mean_limit(values))
    assert values.std() == pytest.approx(quantity.sd, abs=sd_limit(values))


@pytest.mark.parametrize(
    ("quantity", "p", "quantile"),
    [
        (Normal(0, 1), 0.975, 1.959964),
        (StudentT(0, 1, 5.0), 0.975, float(stdtrit(5, 0.975))),
        (StudentT(0, 1, 1.0), 0.9, math.tan(0.4 * math.pi)),
        (Rectangular(0, 1), 0.9, 0.8),
        (Triangular(0, 1), 0.875, 0.5),
        (Arcsine(0, 1), 0.75, math.sin(math.pi / 4)),
        # half-width h uniform over (0, 2): P(X > x) = ∫ (h - x)/2h dh/2 from x to 2 = (2 - x + x ln(x/2))/4; x = 1
        (CurvilinearTrapezoid(0, 1, 1.0), 1 - (1 - math.log(2)) / 4, 1.0),
    ],
    ids=lambda v: repr(v) if not isinstance(v, float) else "",
)
def test_draws_have_the_shape_that_is_claimed(quantity: Quantity, p: float, quantile: float) -> None:
    low, high = quantile_range(drawn(quantity), p)

    assert low <= quantile <= high


@pytest.mark.parametrize("quantity", QUANTITIES, ids=repr)
def test_draws_repeat_with_the_seed_and_only_then(quantity: Quantity) -> None:
    assert np.array_equal(drawn(quantity, 1), drawn(quantity, 1))
    assert not np.any(drawn(quantity, 1) == drawn(quantity, 2))


@pytest.mark.parametrize("quantity", [Rectangular(1, 0.5), Triangular(1, 0.5), Arcsine(1, 0.5)], ids=repr)
def test_limits_are_limits(quantity: Quantity) -> None:
    values = drawn(quantity)

    assert 0.5 <= values.min() < 0.51
    assert 1.49 < values.max() <= 1.5


def test_a_trapezoid_reaches_as_far_as_its_limits_may() -> None:
    values = drawn(CurvilinearTrapezoid(0, 1, 0.5))

    assert 1.45 < np.abs(values).max() <= 1.5


def test_students_t_is_wider_than_its_u() -> None:
    """JCGM 101 6.4.9.4: this is why Monte Carlo finds 36 nm for the gauge block where the GUM finds 32."""
    assert StudentT(0, 1, 5).sd == pytest.approx(math.sqrt(5 / 3))
    assert [StudentT(0, 1, dof).sd for dof in (2, 1.5, math.inf)] == [math.inf, math.inf, 1.0]
    assert StudentT(0, 1, 5).u == 1


@pytest.mark.parametrize("name", ["normal", "t", "rectangular", "triangular"])
def test_a_row_of_the_ledger_keeps_its_u_and_its_dof(name: str) -> None:
    quantity = of_u(name, 2.0, 0.3, 12.5)

    assert quantity.u == pytest.approx(0.3, rel=1e-15)
    assert quantity.dof == pytest.approx(12.5, rel=1e-12)
    assert quantity.value == 2.0
    assert of_u(name, 2.0, 0.3).dof == math.inf


def test_what_is_no_quantity_is_refused() -> None:
    refused = [
        (lambda: Normal(0, -1), "uncertainty"),
        (lambda: Normal(0, math.inf), "uncertainty"),
        (lambda: Normal(math.nan, 1), "best value"),
        (lambda: StudentT(0, 1, 0), "degrees of freedom"),
        (lambda: Rectangular(0, math.nan), "uncertainty"),
        (lambda: Triangular(0, 1, -0.1), "doubt"),
        (lambda: CurvilinearTrapezoid(0, 1, 1.1), "in doubt"),
        (lambda: of_u("lognormal", 0, 1), "lognormal"),
    ]
    for make, words in refused:
        with pytest.raises(ValueError, match=words):
            make()
