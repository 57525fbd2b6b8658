"""GUM H.1, the end-gauge calibration, and a second implementation; lengths in nm, temperatures in K."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from sampling import sd_limit

from r2s.compiler.uncertainty.budget import Budget, Output
from r2s.compiler.uncertainty.distributions import Arcsine, Floats, Normal, Rectangular
from r2s.compiler.uncertainty.linear import propagate
from r2s.compiler.uncertainty.monte_carlo import propagate as draw
from r2s.compiler.uncertainty.state import Component, State
from r2s.compiler.uncertainty.student import coverage_factor

L_S, ALPHA, THETA = 50_000_623.0, 11.5e-6, -0.1

D_ALPHA = Rectangular(0.0, 1e-6, 0.1)
D_THETA = Rectangular(0.0, 0.05, 0.5)
STANDARD = Component("l_s", 25.0, "nm", "declared", "standard", 18.0)
READINGS = (
    Component("d repeated", 5.8, "nm", "measured", "comparator", 24.0),
    Component("d random", 3.9, "nm", "declared", "comparator", 5.0),
    Component("d systematic", 6.7, "nm", "declared", "comparator", 8.0),
)
EXPANSION = (
    Component("alpha", Rectangular(ALPHA, 2e-6).u, "1/K", "assumed", "material"),
    Component("d_alpha", D_ALPHA.u, "1/K", "assumed", "material", D_ALPHA.dof),
    Component("d_theta", D_THETA.u, "K", "assumed", "bath", D_THETA.dof),
    Component("theta", math.hypot(0.2, Arcsine(0.0, 0.5).u), "K", "assumed", "bath"),
)


STATE = State((STANDARD, *READINGS, *EXPANSION))


def sensitivities(length: float) -> list[float]:
    """The derivatives by alpha and theta vanish, as both differences are zero."""
    return [1.0, 1.0, 1.0, 1.0, 0.0, -length * THETA, -length * ALPHA, 0.0]


@pytest.fixture
def length() -> Budget:
    """The calibrated length."""
    return propagate(STATE, [Output("l", L_S + 215.0, "nm")], [sensitivities(L_S)], level=0.99).budgets[0]


def test_combined_uncertainty_and_degrees_of_freedom(length: Budget) -> None:
    assert length.output.value == 50_000_838
    assert length.u == pytest.approx(31.6639, abs=5e-5)
    assert length.dof == pytest.approx(16.752, abs=5e-4)
    assert math.floor(length.dof) == 16  # as the GUM has it


def test_a_second_implementation_agrees() -> None:
    """GTC 1.5.1 takes the nominal 50 mm for the sensitivities."""
    found = propagate(STATE, [Output("l", 0.0, "nm")], [sensitivities(50_000_000)]).budgets[0]

    assert found.u == pytest.approx(31.6637674, rel=1e-8)
    assert found.dof == pytest.approx(16.7521475, rel=1e-8)


def test_expanded_uncertainty(length: Budget) -> None:
    """The GUM takes u = 32 and 16 degrees of freedom; unrounded it is a little less."""
    assert 32 * coverage_factor(0.99, 16) == pytest.approx(93, abs=0.5)
    assert length.k == pytest.approx(2.90, abs=5e-3)
    assert length.expanded == pytest.approx(length.k * length.u)
    assert 91 < length.expanded < 93


def test_the_budgets_rows(length: Budget) -> None:
    sizes = {c.component.name: abs(c.signed_u) for c in length.contributions}

    assert sizes == pytest.approx(
        {
            "l_s": 25.0,
            "d repeated": 5.8,
            "d random": 3.9,
            "d systematic": 6.7,
            "alpha": 0.0,
            "d_alpha": 2.887,
            "d_theta": 16.599,
            "theta": 0.0,
        },
        abs=5e-4,
    )
    assert length.dominant is not None
    assert length.dominant.name == "l_s"
    assert [part.name for part in length.parts] == [
        "l_s",
        "d_theta",
        "d systematic",
        "d repeated",
        "d random",
        "d_alpha",
    ]
    assert length.assumed_share == pytest.approx((16.599**2 + 2.887**2) / 31.6638**2, abs=1e-4)


def test_the_difference_alone() -> None:
    """GUM H.1.3.2: 9.7 nm; its 25.6 degrees of freedom come from rounded figures."""
    found = propagate(State(READINGS), [Output("d", 215.0, "nm")], [[1.0, 1.0, 1.0]]).budgets[0]

    assert found.u == pytest.approx(9.6819, abs=5e-5)
    assert found.dof == pytest.approx(25.45, abs=5e-3)


def test_the_second_order_shows_in_monte_carlo_only(length: Budget) -> None:
    """GUM H.1.7: 34 nm with the terms of second order, L u(alpha) u(d_theta) and L u(d_alpha) u(theta)."""

    def model(x: Mapping[str, Floats]) -> dict[str, Floats]:
        thermal = x["d_alpha"] * x["theta"] + x["alpha"] * x["d_theta"]
        return {"l": x["l_s"] + x["d repeated"] + x["d random"] + x["d systematic"] - L_S * thermal}

    means = {"l_s": L_S, "d repeated": 215.0, "alpha": ALPHA, "theta": THETA}
    inputs = {c.name: Normal(means.get(c.name, 0.0), c.u) for c in (STANDARD, *READINGS, *EXPANSION)}
    drawn = draw(model, inputs, seed=1, draws=400_000).outputs["l"]
    u = {c.name: c.u for c in EXPANSION}
    second = L_S * math.hypot(u["alpha"] * u["d_theta"], u["d_alpha"] * u["theta"])

    assert second == pytest.approx(math.hypot(11.7, 1.7), abs=0.05)
    assert drawn.u == pytest.approx(math.hypot(length.u, second), abs=sd_limit(drawn.values))
    assert drawn.u == pytest.approx(34, abs=0.5)
    assert drawn.u > length.u + 10 * sd_limit(drawn.values)
