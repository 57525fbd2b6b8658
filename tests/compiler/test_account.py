"""The account against closed forms, and against a simulation of the estimate by one who knows the truth."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tests_support import BARE

from r2s.compiler.account import Account, Known, Matter, account_of, headline
from r2s.compiler.calibration import calibration_of
from r2s.compiler.devices import Device, Name, Prior
from r2s.compiler.ir import Anchor
from r2s.compiler.ledger import StandardUncertainty
from r2s.compiler.measured import Measured
from r2s.compiler.responses import COLUMNS, SolidResponse
from r2s.compiler.scale_fit import Pair, fit_scale

SIDES = {"width": 0.060, "depth": 0.080, "height": 0.100}
VOLUME, AREA = 0.060 * 0.080 * 0.100, 2 * (0.06 * 0.08 + 0.06 * 0.1 + 0.08 * 0.1)
ACROSS = {"x": 0.08 * 0.1, "y": 0.06 * 0.1, "z": 0.06 * 0.08}
U = {"scale": 2e-3, "offset": 4e-5, "registration": 6e-5, "drift": 1e-3}


def prior(name: Name, **changed: float) -> Prior:
    unit = "m" if name in ("offset", "registration") else "1"
    made = Prior(name, unit, U[name], math.nan, 0.0, math.inf, "normal", "assumed", "a test")
    return replace(made, **changed)  # type: ignore[arg-type]


def scanner(*names: Name) -> Device:
    return replace(BARE, priors={name: prior(name) for name in names})


def measured(id_: str, u: float = 1e-5) -> Measured:
    axis = list(SIDES).index(id_)
    views, stretch = [0.0] * 6, [0.0] * 3
    views[2 * axis] = views[2 * axis + 1] = 1.0
    stretch[axis] = SIDES[id_]
    return Measured(id_, SIDES[id_], u, "fitted face", "", tuple(views), tuple(stretch))


def box() -> SolidResponse:
    """The closed forms of a box that stands on its base, its frame's origin in the middle of that."""
    d_volume = dict.fromkeys(COLUMNS, 0.0) | {"scale": 3 * VOLUME, "offset": AREA}
    d_volume |= {f"drift.{a}": VOLUME for a in "xy"} | {f"{s}{a}": ACROSS[a] for a in "xyz" for s in "+-"}
    zeros = tuple((0.0,) * 3 for _ in COLUMNS)
    second = tuple(float(v) for v in (VOLUME / 12 * np.diag([s**2 for s in SIDES.values()])).ravel())
    return SolidResponse(
        VOLUME,
        AREA,
        (0.0, 0.0, 0.05),
        second,
        tuple(d_volume[c] for c in COLUMNS),
        zeros,
        tuple((0.0,) * 9 for _ in COLUMNS),
        (0.06, 0.08),
    )


def known(device: Device, anchor: Anchor | None = None, **changed: object) -> Known:
    scan = tuple(measured(name) for name in SIDES)
    made = Known(scan, box(), anchor or Anchor(), device, 5e-5, (), scan_source="s", scale_source="c", sheet_source="m")
    return replace(made, **changed)  # type: ignore[arg-type]


def fitted(ids: tuple[str, ...], ratio: float = 1.0, *, applied: bool = True, registration: float = 0.0) -> Anchor:
    """The anchor of a fit on these sides, each with a caliper of 20 µm and read as *ratio* times the scan."""
    faces = math.sqrt(2) * registration
    pairs = [Pair(i, f"c{i}", SIDES[i] * ratio, 2e-5, 0.0, SIDES[i], 1e-5, gain=2.0, u_registration=faces) for i in ids]
    fit = fit_scale(pairs, None)
    factor = fit.factor if applied else 1.0
    return Anchor(factor, fit.factor, fit.u, math.inf, applied, "measured", "", calibration_of(fit, pairs, None))


def test_a_length_and_the_volume_of_a_box_have_their_closed_forms() -> None:
    made = account_of(known(scanner("scale", "offset", "registration", "drift")))
    (s, d, r, e), (a, v) = (U[n] for n in ("scale", "offset", "registration", "drift")), (0.06, VOLUME)
    shares = made.budgets["width"].contributions

    assert made.budgets["width"].u == pytest.approx(math.hypot(a * s, 2 * d, math.sqrt(2) * r, a * e, 1e-5), rel=1e-12)
    faces = math.sqrt(2 * sum(x**2 for x in ACROSS.values()))
    assert made.budgets["volume"].u == pytest.approx(
        math.hypot(3 * v * s, AREA * d, faces * r, math.sqrt(2) * v * e), rel=1e-12
    )
    assert sum(c.share for c in shares) == pytest.approx(1)
    assert {c.component.introduced_by for c in shares if c.share} == {"ingest"}


def test_tilt_is_root_two_u_over_the_span() -> None:
    made = account_of(known(scanner("registration")))

    u = math.hypot(5e-5, U["registration"])
    assert made.budgets["tilt.x"].u == pytest.approx(math.sqrt(2) * u / 0.08)
    assert made.budgets["tilt.y"].u == pytest.approx(math.sqrt(2) * u / 0.06)


def test_a_scale_that_nobody_measured_has_no_bound_and_says_so() -> None:
    made = account_of(known(scanner("offset")))

    assert made.budgets["width"].u == math.inf
    assert made.u_bounded("width") == pytest.approx(math.hypot(2 * U["offset"], 1e-5))
    assert headline(made, "width") == (
        "width 60 mm, of unknown uncertainty: no calibrate reading, and the class of device promises no scale; "
        "add a calibrate reading to the caliper sheet"
    )


def test_what_was_calibrated_is_as_sure_as_its_caliper_and_feels_no_error_of_the_scan() -> None:
    """One reading: the asset's width is the caliper's, whatever the scanner did to it."""
    made = account_of(
        known(scanner("offset", "registration", "drift"), fitted(("width",), registration=U["registration"]))
    )

    assert made.budgets["width"].u == pytest.approx(2e-5, rel=1e-6)
    by_row = {c.component.name: c.sensitivity for c in made.budgets["depth"].contributions}
    # 80 mm scaled by what the 60 mm said: an offset adds 2 to it and takes 2 · 80/60 away
    assert by_row["ingest.offset"] == pytest.approx(2 - 2 * 80 / 60)
    assert by_row["ingest.registration.+x"] == pytest.approx(-80 / 60)
    assert by_row["ingest.registration.+y"] == pytest.approx(1)


@pytest.mark.parametrize("ids", [("width",), ("width", "height"), tuple(SIDES)])
def test_the_account_is_what_a_simulation_of_the_estimate_scatters_by(ids: tuple[str, ...]) -> None:
    """Scans with true errors, each fitted to calipers with true errors by the same weights: spread of the estimates."""
    anchor = fitted(ids, registration=U["registration"])
    made = account_of(known(scanner("scale", "offset", "registration", "drift"), anchor))
    rng, n = np.random.default_rng(11), 200_000
    scale, offset = rng.normal(0, U["scale"], n), rng.normal(0, U["offset"], n)
    stretch = {"width": rng.normal(0, U["drift"], n), "depth": rng.normal(0, U["drift"], n), "height": np.zeros(n)}
    seen = {
        name: length * (1 + scale + stretch[name]) + 2 * offset + rng.normal(0, math.sqrt(2) * U["registration"], n)
        for name, length in SIDES.items()
    }
    read = {name: seen[name] + rng.normal(0, 1e-5, n) for name in SIDES}
    assert anchor.calibration is not None
    weights = {r.id: r.weight for r in anchor.calibration.readings}
    ln_s = sum(w * np.log((SIDES[i] + rng.normal(0, 2e-5, n)) / read[i]) for i, w in weights.items())
    for name in SIDES:
        assert float(np.std(read[name] * np.exp(ln_s))) == pytest.approx(made.budgets[name].u, rel=0.01)
    volume = np.prod([seen[name] for name in SIDES], axis=0) * np.exp(3 * ln_s)
    assert float(np.std(volume)) == pytest.approx(made.budgets["volume"].u, rel=0.01)


def test_a_scale_that_is_not_applied_counts_as_a_bias() -> None:
    applied = account_of(known(BARE, fitted(("width",), 1.0004)))
    left = account_of(known(BARE, fitted(("width",), 1.0004, applied=False)))

    assert left.budgets["width"].u == pytest.approx(math.hypot(2e-5, 0.06 * math.log(1.0004)), rel=1e-3)
    assert left.row("scale.fit").value == pytest.approx(math.log(1.0004))
    assert applied.row("scale.fit").value == 0


def test_an_offset_that_the_readings_determine_narrows_the_device() -> None:
    """An outside and an inside length of 2 to 1 tell the offset to 0.01 mm, where the device promised 0.04 mm."""
    pairs = [
        Pair(i, i, length, 1e-5, 0.0, length, 0.0, gain=gain)
        for i, length, gain in (("width", 0.06, 2.0), ("depth", 0.08, 2.0), ("height", 0.1, -2.0))
    ]
    fit = fit_scale(pairs, None, U["offset"])
    assert fit.offset is not None
    assert fit.offset.identifiable
    anchor = Anchor(1.0, fit.factor, fit.u, math.inf, True, "measured", "", calibration_of(fit, pairs, None))
    row = account_of(known(scanner("offset"), anchor)).row("ingest.offset")

    assert row.u_total == pytest.approx(1 / math.hypot(1 / U["offset"], 1 / fit.offset.u_d))
    assert "narrowed by the fit" in row.evidence


def test_multiples_of_the_noise_are_resolved_and_a_measured_bias_counts() -> None:
    device = replace(BARE, priors={"offset": prior("offset", u=math.nan, of_noise=2.0, value=3e-5)})
    row = account_of(known(device, prior_noise=5e-5)).row("ingest.offset")

    assert (row.u, row.value) == pytest.approx((1e-4, 3e-5))
    assert row.u_total == pytest.approx(math.hypot(1e-4, 3e-5))


def doubt(name: str, u: float) -> StandardUncertainty:
    return StandardUncertainty(
        f"surface.volume.{name}", "volume", u, "m^3", "rectangular", math.inf, "assumed", "x", "offset", name
    )


def test_doubts_about_volume_are_offsets_of_what_was_seen_or_not() -> None:
    solid = box()
    unseen = list(solid.d_volume)
    unseen[COLUMNS.index("unseen")] = ACROSS["z"]
    solid = replace(solid, d_volume=tuple(unseen))
    made = account_of(known(BARE, fitted(("width",)), solid=solid, terms=(doubt("offset", 3e-8), doubt("hole", 4e-8))))

    shares = {row: share for row, share, _ in made.shares("volume")}
    u = made.budgets["volume"].u
    assert shares["surface against scan"] == pytest.approx((3e-8 / u) ** 2)
    assert shares["hole"] == pytest.approx((4e-8 / u) ** 2)
    assert (made.row("surface.unseen.hole").u, made.row("surface.unseen.hole").unit) == (4e-8, "m^3")


@pytest.mark.parametrize(("keeps", "power"), [("mass", 2), ("density", 5)])
def test_inertia_of_a_weighed_box_goes_with_the_second_power_and_else_the_fifth(keeps: str, power: int) -> None:
    mass = 500 * VOLUME
    inertia = mass / 12 * np.diag([0.08**2 + 0.1**2, 0.06**2 + 0.1**2, 0.06**2 + 0.08**2])
    matter = Matter(
        mass, 0.01 * mass, keeps, "measured", "weighed", inertia=inertia, com=np.array([0, 0, 0.05]), com_half=(0,) * 3
    )
    made = account_of(known(scanner("scale"), matter=matter))

    for k in (1, 2, 3):
        of = made.budgets[f"inertia.{k}"]
        assert of.u / of.output.value == pytest.approx(math.hypot(power * U["scale"], 0.01))
    assert made.budgets["mass"].u / mass == pytest.approx(math.hypot((power - 2) * U["scale"], 0.01))
    assert made.budgets["com.z"].u == pytest.approx(0.05 * U["scale"])


def test_the_headline_names_the_largest_and_how_to_replace_an_assumption() -> None:
    made: Account = account_of(known(scanner("registration"), fitted(("depth",), registration=U["registration"])))

    said = headline(made, "width")
    assert said.startswith("width 60.00 ± 0.21 mm (95 %); ")
    assert "of u2 is view registration, ASSUMED" in said
    assert said.endswith("rests on assumptions: r2s-compile device-check measures it for your scanner")


def test_multiples_of_no_noise_are_no_row_also_where_readings_tell_the_offset() -> None:
    """A drawn mesh has no noise, and a class that promises multiples of it promises nothing."""
    device = replace(BARE, priors={n: prior(n, u=math.nan, of_noise=1.0) for n in ("offset", "registration")})
    lengths = (("width", 0.06, 2.0), ("depth", 0.08, 2.0), ("height", 0.1, -2.0))
    pairs = [Pair(i, i, length, 1e-5, 0.0, length, 0.0, gain=gain) for i, length, gain in lengths]
    fit = fit_scale(pairs, None)
    assert fit.offset is not None
    assert fit.offset.identifiable
    anchor = Anchor(1.0, fit.factor, fit.u, math.inf, True, "measured", "", calibration_of(fit, pairs, None))

    assert {row.term for row in account_of(known(device, anchor, noise=0.0)).rows} == {"reading of the scan", "scale"}
