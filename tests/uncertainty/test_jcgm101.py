"""
The examples of JCGM 101 clause 9, and two more where a nonlinear model leaves the linear one behind.

Each says whether linear propagation passes the validation of clause 8.  Limits are those of M draws; where the
distribution is known in closed form the published digits are held against that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest
from sampling import holds_quantile, mean_limit, quantile_range, sd_limit
from scipy.special import ndtr

from r2s.compiler.uncertainty.distributions import (
    Arcsine,
    CurvilinearTrapezoid,
    Floats,
    Normal,
    Quantity,
    Rectangular,
    StudentT,
)
from r2s.compiler.uncertainty.monte_carlo import Drawn, Model, propagate
from r2s.compiler.uncertainty.student import coverage_factor
from r2s.compiler.uncertainty.validation import Validation, validate_lpu

M = 1_000_000
SEED = 20


def drawn(model: Model, inputs: Mapping[str, Quantity], level: float = 0.95) -> Drawn:
    (found,) = propagate(model, inputs, seed=SEED, level=level, draws=M).outputs.values()
    return found


def adaptive(model: Model, inputs: Mapping[str, Quantity]) -> Drawn:
    """Draws until two digits of u are fine enough for a validation."""
    (found,) = propagate(model, inputs, seed=SEED, digits=2).outputs.values()
    assert found.resolves(2)
    return found


def total(x: Mapping[str, Floats]) -> dict[str, Floats]:
    return {"y": x["x1"] + x["x2"] + x["x3"] + x["x4"]}


def four(quantity: Quantity, last: Quantity | None = None) -> dict[str, Quantity]:
    return {"x1": quantity, "x2": quantity, "x3": quantity, "x4": last or quantity}


def sum_of_rectangular(y: float, half_widths: tuple[float, ...]) -> float:
    """Return the distribution function of a sum of centred rectangular quantities: inclusion and exclusion."""
    n = len(half_widths)
    terms = (
        math.prod(signs) * max(0.0, y + sum(s * a for s, a in zip(signs, half_widths, strict=True))) ** n
        for signs in product((1, -1), repeat=n)
    )
    return math.fsum(terms) / (math.factorial(n) * math.prod(2 * a for a in half_widths))


def check(found: Drawn, mean: float, u: float) -> None:
    assert found.mean == pytest.approx(mean, abs=mean_limit(found.values))
    assert found.u == pytest.approx(u, abs=sd_limit(found.values))


def test_9_2_2_a_sum_of_normal_quantities_is_validated() -> None:
    found = adaptive(total, four(Normal(0, 1)))
    validation = validate_lpu(0.0, 2 * coverage_factor(0.95, math.inf), found)

    check(found, 0.0, 2.0)
    assert holds_quantile(found.values, 0.975, 3.919928)
    assert holds_quantile(found.values, 0.025, -3.919928)
    assert validation.verdict == "validated"
    assert validation.published == validation.linear
    assert validation.tolerance == 0.05


def test_9_2_3_a_sum_of_rectangular_quantities_is_narrower_than_normal() -> None:
    """The end is 2√3 (2 - (3/5)^(1/4)) in closed form."""
    end = 2 * math.sqrt(3) * (2 - 0.6**0.25)
    found = adaptive(total, four(Rectangular(0, math.sqrt(3))))
    linear = 2 * coverage_factor(0.95, math.inf)

    assert end == pytest.approx(3.87941, abs=5e-6)
    assert sum_of_rectangular(end, (math.sqrt(3),) * 4) == pytest.approx(0.975, abs=1e-12)
    check(found, 0.0, 2.0)
    assert holds_quantile(found.values, 0.975, end)
    assert holds_quantile(found.values, 0.025, -end)
    # 0.04 off: two digits allow 0.05, three only 0.005
    assert validate_lpu(0.0, linear, found, digits=2).verdict == "validated"
    assert validate_lpu(0.0, linear, found, digits=3).verdict == "not validated"
    assert validate_lpu(0.0, linear, found).high_distance == pytest.approx(linear - end, abs=0.02)


def test_9_2_4_a_large_rectangular_quantity_fails_validation() -> None:
    """u = 10.1, ±17.0 where linear propagation says ±19.9."""
    half_widths = (math.sqrt(3),) * 3 + (10 * math.sqrt(3),)
    found = drawn(total, four(Rectangular(0, math.sqrt(3)), Rectangular(0, half_widths[3])))
    validation = validate_lpu(0.0, math.sqrt(103) * coverage_factor(0.95, math.inf), found)

    check(found, 0.0, math.sqrt(103))
    assert round(found.u, 1) == 10.1
    low, high = quantile_range(found.values, 0.975)
    assert sum_of_rectangular(low, half_widths) <= 0.975 <= sum_of_rectangular(high, half_widths)
    assert holds_quantile(found.values, 0.975, 17.0, rounding=0.05)
    assert validation.linear.high == pytest.approx(19.9, abs=0.05)
    assert_fails(validation)


def assert_fails(validation: Validation) -> None:
    assert validation.verdict == "not validated"
    assert validation.published == validation.monte_carlo


def test_9_3_mass_calibration_fails_validation() -> None:
    """Air's buoyancy has no first-order effect at 1.2 kg/m³, so linear propagation leaves it out: 0.054 for 0.075."""
    m_r, dm_r = Normal(100_000, 0.050), Normal(1.234, 0.020)
    rho_w, rho_r = Rectangular(8000, 1000), Rectangular(8000, 50)

    def model(x: Mapping[str, Floats]) -> dict[str, Floats]:
        buoyancy = 1 + (x["rho_a"] - 1.2) * (1 / x["rho_w"] - 1 / x["rho_r"])
        return {"dm": (x["m_r"] + x["dm_r"]) * buoyancy - 100_000}

    inputs = {"m_r": m_r, "dm_r": dm_r, "rho_a": Rectangular(1.2, 0.1), "rho_w": rho_w, "rho_r": rho_r}
    found = drawn(model, inputs)

    def inverse(q: Rectangular) -> tuple[float, float]:
        """Mean of 1/ρ and of 1/ρ²."""
        low, high = q.value - q.half_width, q.value + q.half_width
        return math.log(high / low) / (high - low), 1 / (low * high)

    (w1, w2), (r1, r2) = inverse(rho_w), inverse(rho_r)

    def below(y: float) -> float:
        """The distribution function at *y*: normal given the densities, averaged over them by quadrature."""
        nodes, weights = np.polynomial.legendre.leggauss(24)
        air, water, reference = np.meshgrid(0.1 * nodes, 8000 + 1000 * nodes, 8000 + 50 * nodes, indexing="ij")
        weight = np.einsum("i,j,k->ijk", weights, weights, weights) / 8
        mean = 1.234 + 100_001.234 * air * (1 / water - 1 / reference)
        return float((weight * ndtr((y - mean) / first_order)).sum())

    buoyancy = 0.01 / 3 * (w2 - 2 * w1 * r1 + r2)
    first_order = math.hypot(m_r.u, dm_r.u)
    expected = math.sqrt(first_order**2 + ((100_001.234) ** 2 + first_order**2) * buoyancy)
    validation = validate_lpu(1.234, first_order * coverage_factor(0.95, math.inf), found)

    assert expected == pytest.approx(0.0755, abs=5e-5)
    check(found, 1.234, expected)
    for p in (0.025, 0.975):
        low, high = quantile_range(found.values, p)
        assert below(low) <= p <= below(high)
    # published from one run as the shortest interval, whose ends lie anywhere within some 0.001
    assert (found.interval().low, found.interval().high) == pytest.approx((1.083, 1.383), abs=2e-3)
    shortest = found.interval("shortest")
    assert shortest.high - shortest.low == pytest.approx(1.3825 - 1.0834, abs=1e-3)
    assert first_order == pytest.approx(0.0539, abs=5e-5)
    assert (validation.linear.low, validation.linear.high) == pytest.approx((1.1285, 1.3395), abs=1e-4)
    assert_fails(validation)


def test_9_4_a_sum_of_squares_about_zero_fails_validation() -> None:
    """x₁² + x₂² is exponential, u² chi² with two degrees of freedom; no derivative at zero, so LPU says u = 0."""
    found = drawn(lambda x: {"y": x["x1"] ** 2 + x["x2"] ** 2}, {"x1": Normal(0, 0.005), "x2": Normal(0, 0.005)})
    validation = validate_lpu(0.0, 0.0, found, kind="shortest")

    check(found, 50e-6, 50e-6)
    shortest = found.interval("shortest")
    assert shortest.low == pytest.approx(0.0, abs=5e-9)
    low, high = quantile_range(found.values, 0.95)
    assert low <= shortest.high <= high
    assert low <= -50e-6 * math.log(0.05) <= high
    assert shortest.high == pytest.approx(150e-6, abs=1e-6)
    assert_fails(validation)
    assert_fails(validate_lpu(0.0, 0.0, found))


def test_9_5_gauge_block() -> None:
    """838 nm, u = 36 and [745, 932] at 99 %; the linear 32 comes from t's u, which is less than its deviation."""
    nominal = 50_000_000.0
    inputs: dict[str, Quantity] = {
        "l_s": StudentT(50_000_623, 25, 18),
        "d": StudentT(215, 6, 24),
        "d1": StudentT(0, 4, 5),
        "d2": StudentT(0, 7, 8),
        "alpha_s": Rectangular(11.5e-6, 2e-6),
        "theta_0": Normal(-0.1, 0.2),
        "delta": Arcsine(0, 0.5),
        "d_alpha": CurvilinearTrapezoid(0, 1e-6, 0.1),
        "d_theta": CurvilinearTrapezoid(0, 0.05, 0.5),
    }

    def model(x: Mapping[str, Floats]) -> dict[str, Floats]:
        thermal = x["d_alpha"] * (x["theta_0"] + x["delta"]) + x["alpha_s"] * x["d_theta"]
        return {"dl": x["l_s"] + x["d"] + x["d1"] + x["d2"] - x["l_s"] * thermal - nominal}

    found = drawn(model, inputs, level=0.99)
    squares = {name: q.sd**2 for name, q in inputs.items()}
    theta = 0.1**2 + squares["theta_0"] + squares["delta"]
    thermal = squares["d_alpha"] * theta + (11.5e-6**2 + squares["alpha_s"]) * squares["d_theta"]
    readings = math.fsum(squares[name] for name in ("l_s", "d", "d1", "d2"))
    expected = math.sqrt(readings + (50_000_623**2 + squares["l_s"]) * thermal)

    assert expected == pytest.approx(35.8, abs=0.05)
    check(found, 838.0, expected)
    assert holds_quantile(found.values, 0.005, 745, rounding=0.5)
    assert holds_quantile(found.values, 0.995, 932, rounding=0.5)
    # [745, 931] of the GUM's framework: agreement to one digit of u, not to two
    assert validate_lpu(838.0, 93.0, found, digits=1).verdict == "validated"


def test_a_logarithm_is_skewed() -> None:
    """NPL report DEM-ES-011: ln x of a rectangular x over [0.1, 1.1], whose density grows up to its upper end."""
    found = drawn(lambda x: {"y": np.log(x["x"])}, {"x": Rectangular(0.6, 0.5)})
    linear = Rectangular(0.6, 0.5).u / 0.6
    # E[ln x] and E[ln² x] over the interval, from x ln x - x and x ln² x - 2 (x ln x - x)
    first = (1.1 * math.log(1.1) - 0.1 * math.log(0.1)) - 1
    second = 1.1 * math.log(1.1) ** 2 - 0.1 * math.log(0.1) ** 2 - 2 * first
    validation = validate_lpu(math.log(0.6), linear * coverage_factor(0.95, math.inf), found, kind="shortest")

    assert (math.log(0.6), linear) == pytest.approx((-0.511, 0.481), abs=5e-4)
    assert (first, math.sqrt(second - first**2)) == pytest.approx((-0.665, 0.606), abs=5e-4)
    check(found, first, math.sqrt(second - first**2))
    low, high = quantile_range(found.values, 0.05)
    assert low <= math.log(0.15) <= high
    shortest = found.interval("shortest")
    assert low <= shortest.low <= high
    assert (shortest.low, shortest.high) == pytest.approx((-1.895, 0.095), abs=3e-3)
    assert_fails(validation)


VISCOMETER: dict[str, Quantity] = {
    "mu_c": Normal(4.63, 0.0463),
    "rho_b": Normal(2217, 0.5),
    "rho_c": Normal(810, 0.5),
    "rho_m": Normal(1180, 0.5),
    "t_c": Normal(36.6, 5.49),
    "t_m": Normal(61, 6.1),
}


def viscosity(x: Mapping[str, Floats]) -> dict[str, Floats]:
    """A ball that falls through a solution (m) and through a liquid of known viscosity (c), mPa s."""
    return {"mu": x["mu_c"] * (x["rho_b"] - x["rho_m"]) / (x["rho_b"] - x["rho_c"]) * x["t_m"] / x["t_c"]}


def test_a_falling_ball_viscometer() -> None:
    """
    NIST TN 1900 example E3: 5.82 mPa s, where linear propagation has 5.69.

    A time of fall is divided by another that is uncertain by 15 %.
    """
    found = drawn(viscosity, VISCOMETER)
    value = 4.63 * (2217 - 1180) / (2217 - 810) * 61 / 36.6
    density = (0.5 / 1037) ** 2 + (0.5 / 1407) ** 2 + (0.5 / 1037 - 0.5 / 1407) ** 2
    linear = value * math.sqrt(0.01**2 + 0.1**2 + 0.15**2 + density)

    assert value == pytest.approx(5.69, abs=5e-3)
    assert linear == pytest.approx(1.03, abs=5e-3)
    assert found.mean == pytest.approx(5.82, abs=5e-3 + mean_limit(found.values))
    assert found.u == pytest.approx(1.11, abs=5e-3 + sd_limit(found.values))
    assert holds_quantile(found.values, 0.025, 4.05, rounding=5e-3)
    assert holds_quantile(found.values, 0.975, 8.39, rounding=5e-3)
    assert_fails(validate_lpu(value, linear * coverage_factor(0.95, math.inf), found))
