"""Mass, centre of mass and inertia in the account, by the derivatives of real bodies, and every row's own figures."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scan_shapes
from hypothesis import given, settings
from hypothesis import strategies as st
from tests_support import BARE

from r2s.compiler.account import Account, Known, Matter, account_of, headline
from r2s.compiler.account.row import Row
from r2s.compiler.calibration import calibration_of
from r2s.compiler.devices import Device, Name, Prior
from r2s.compiler.ir import Anchor, Surface, bools, floats, ints
from r2s.compiler.ledger import StandardUncertainty
from r2s.compiler.measured import Measured
from r2s.compiler.responses import SolidResponse
from r2s.compiler.scale_fit import Pair, fit_scale
from r2s.passes.respond import Respond

A, B, C = SIDES = (0.06, 0.08, 0.1)
VOLUME, AREA = A * B * C, 2 * (A * B + B * C + A * C)
MASS = 0.3
U = {"scale": 2e-3, "offset": 4e-5, "registration": 6e-5, "drift": 1e-3}


def scanner(**of: float) -> Device:
    """A device whose promises have these standard uncertainties."""
    units = {"scale": "1", "drift": "1"}
    made: dict[Name, Prior] = {
        name: Prior(name, units.get(name, "m"), u, math.nan, 0.0, math.inf, "normal", "assumed", "a test")  # type: ignore[arg-type,misc]
        for name, u in of.items()
    }
    return replace(BARE, priors=made)


def solid(shape: Any = None) -> SolidResponse:
    """The response of a body that was seen from all sides, by default of the box on its base."""
    vertices, faces = scan_shapes.box(SIDES) if shape is None else shape
    seen = bools(np.ones(len(faces), dtype=bool))
    scan = scan_shapes.mesh_scan(vertices, faces)
    return Respond().run(Surface(floats(vertices), ints(faces), seen, scan)).value


BOX = solid()


def matter(keeps: str = "mass", **changed: Any) -> Matter:
    """The mass of the box, solid; its longest side is upright, so its moments are in order of x, y, z."""
    inertia = MASS / 12 * np.diag([B**2 + C**2, A**2 + C**2, A**2 + B**2])
    made = Matter(MASS, 0.003, keeps, "measured", "weighed", inertia=inertia, com=np.array([0.002, 0, C / 2]))
    return replace(made, **changed)


def known(device: Device, of: Matter | None = None, body: SolidResponse = BOX, **changed: Any) -> Known:
    return replace(Known((), body, Anchor(), device, 0.0, (), matter=of), **changed)


def felt(made: Account, output: str) -> dict[str, float]:
    """The derivatives of an output by row, without what is 0 but for rounding."""
    by = {c.component.name: c.sensitivity for c in made.budgets[output].contributions}
    return {row: d for row, d in by.items() if abs(d) > 1e-12}


# Mass and moments


@pytest.mark.parametrize("power", [1.0, 2 / 3], ids=["solid", "shell"])
def test_a_mass_by_density_goes_with_the_volume_that_is_filled(power: float) -> None:
    made = account_of(known(scanner(**U), matter("density", power=power)))
    by = felt(made, "mass")

    assert by["ingest.scale"] == pytest.approx(3 * power * MASS)
    assert by["ingest.offset"] == pytest.approx(power * MASS * AREA / VOLUME)
    assert by["ingest.drift.x"] == pytest.approx(power * MASS)
    assert by["mass.density"] == pytest.approx(MASS)
    for k in (1, 2, 3):
        value = made.budgets[f"inertia.{k}"].output.value
        assert felt(made, f"inertia.{k}")["ingest.scale"] == pytest.approx((2 + 3 * power) * value)


@pytest.mark.parametrize("keeps", ["mass", "density"])
def test_principal_moments_come_largest_first_each_with_its_own_derivatives(keeps: str) -> None:
    """An offset: at known mass 4 (p + q)/(p² + q²) of a moment; at known density what the volume gains besides."""
    made = account_of(known(scanner(**U), matter(keeps)))

    for k, (p, q) in enumerate([(B, C), (A, C), (A, B)], start=1):
        by, value = felt(made, f"inertia.{k}"), made.budgets[f"inertia.{k}"].output.value
        gained = 0.0 if keeps == "mass" else AREA / VOLUME
        assert value == pytest.approx(MASS / 12 * (p**2 + q**2))
        assert by["ingest.offset"] == pytest.approx(value * (4 * (p + q) / (p**2 + q**2) + gained))
    assert ("ingest.drift.x" in felt(made, "inertia.1")) is (keeps == "density")  # about x, what is along x is nothing


def test_another_fill_and_another_balance_point_are_rows_of_their_own() -> None:
    of = matter(fill_half=0.6, com_half=(0.0, 0.003, 0.002), com_method=("assumed", "assumed", "measured"))
    made = account_of(known(scanner(**U), of))

    assert (made.row("mass.fill").term, made.row("mass.com.y").term) == ("fill", "fill")
    assert (made.row("mass.com.z").term, made.row("mass.com.z").method) == ("balance point", "measured")
    assert made.row("mass.fill").u == pytest.approx(0.6 / math.sqrt(3))
    of_matter = {row.id for row in made.rows if row.id.startswith("mass.")}
    assert of_matter == {"mass.balance", "mass.fill", "mass.com.y", "mass.com.z"}
    assert felt(made, "inertia.2")["mass.fill"] == pytest.approx(made.budgets["inertia.2"].output.value)
    assert felt(made, "com.x") == pytest.approx({"ingest.scale": 0.002})  # the middle of the box moves with its sides
    assert felt(made, "com.y") == pytest.approx({"mass.com.y": 1.0})


def test_where_it_was_balanced_the_faces_of_the_scan_tell_nothing_of_the_centre() -> None:
    told, untold = (
        felt(account_of(known(scanner(**U), matter(com_half=(0.001,) * 3, com_method=(how,) * 3))), "com.z")
        for how in ("measured", "assumed")
    )

    assert told == pytest.approx({"ingest.scale": C / 2, "mass.com.z": 1.0})
    assert untold == pytest.approx(
        told | {"ingest.offset": 1.0, "ingest.registration.+z": 0.5, "ingest.registration.-z": 0.5}
    )


def test_a_body_that_lies_on_the_scale_of_its_anchor_counts_in_the_assets_metres() -> None:
    anchor = Anchor(2.0, 2.0, 1e-3, 4.0, True, "measured", "")
    made = account_of(known(scanner(**U), matter(), anchor=anchor))

    assert made.budgets["volume"].output.value == pytest.approx(8 * VOLUME)
    assert felt(made, "volume")["ingest.offset"] == pytest.approx(8 * AREA)
    assert felt(made, "com.z")["ingest.registration.+z"] == pytest.approx(2 * 0.5)
    assert made.row("scale.fit").dof == 4


def test_what_rolls_about_an_axis_has_no_tilt_about_it() -> None:
    """It touches the floor with a line along y, of 1 mm across x."""
    made = account_of(known(scanner(**U), body=replace(BOX, span=(0.001, 0.08))))

    assert [o.name for o in made.outputs if o.name.startswith("tilt")] == ["tilt.x"]
    assert felt(made, "tilt.x") == pytest.approx({"ingest.contact.registration": math.sqrt(2) / 0.08})


def test_doubts_about_volume_that_nothing_explains_move_no_output_beyond_it() -> None:
    """Where all was seen, what is missing is taken for an offset of what was seen."""
    hole = StandardUncertainty(
        "surface.volume.hole", "volume", 3e-8, "m^3", "normal", 9.0, "estimated", "x", "form", "h"
    )
    offset = replace(hole, id="surface.volume.offset", distribution="rectangular", group="o")
    made = account_of(known(scanner(**U), matter("density"), terms=(hole, offset)))

    assert (made.row("surface.unseen.hole").shape, made.row("surface.offset").shape) == ("missing", "offset")
    for row in ("surface.unseen.hole", "surface.offset"):
        assert felt(made, "volume")[row] == pytest.approx(1)
        assert felt(made, "mass")[row] == pytest.approx(MASS / VOLUME)
        assert felt(made, "com.z")[row] == pytest.approx(1 / AREA)


def test_a_doubt_about_what_has_no_faces_moves_nothing() -> None:
    offset = StandardUncertainty(
        "surface.volume.offset", "volume", 3e-8, "m^3", "normal", 9.0, "estimated", "", "form", ""
    )
    nothing = replace(BOX, d_volume=(0.0,) * len(BOX.d_volume))
    made = account_of(known(scanner(scale=1e-3), body=nothing, terms=(offset,)))

    assert [row.id for row in made.rows] == ["ingest.scale"]


def test_a_row_that_no_output_feels_is_left_out() -> None:
    made = account_of(replace(known(scanner(**U), matter()), solid=None))

    assert (made.rows, made.outputs) == ((), ())


# Scale


def lengths(*of: tuple[str, float, float]) -> tuple[Measured, ...]:
    """(id, value, gain) as lengths that rest on +z and -z."""
    return tuple(Measured(i, v, 1e-5, "", "", (0.0,) * 4 + (g / 2,) * 2, (0.0, 0.0, v)) for i, v, g in of)


def test_what_the_fit_owes_to_other_rows_is_not_counted_again_with_it() -> None:
    scan = lengths(("width", 0.06, 2.0), ("depth", 0.08, 2.0))
    pairs = [
        Pair(m.id, m.id, m.value, 2e-5, 0.0, m.value, m.u, u_registration=U["registration"] * 2**0.5) for m in scan
    ]
    fit = fit_scale(pairs, None, U["offset"])
    anchor = Anchor(1.0, fit.factor, fit.u, 3.0, True, "measured", "", calibration_of(fit, pairs, None))
    what = known(scanner(**U), scan=(*scan, Measured("gone", math.nan, math.nan, "", "refused")), anchor=anchor)
    read = [w / m.value * math.hypot(1e-5, U["registration"] * 2**0.5) for w, m in zip(fit.weights, scan, strict=True)]
    row = account_of(what).row("scale.fit")

    assert fit.u_offset > 0
    assert what.u_read == pytest.approx(math.hypot(*read))
    assert row.u == pytest.approx(math.sqrt(fit.u**2 - fit.u_offset**2 - math.hypot(*read) ** 2), rel=1e-9)
    assert row.u == pytest.approx(math.hypot(*(w * 2e-5 / m.value for w, m in zip(fit.weights, scan, strict=True))))
    assert row.dof == 3
    # a length that the scan has no more tells nothing of what the fit owes to it
    lost = replace(what, scan=(scan[0], replace(scan[1], value=math.nan, u=math.nan, refused="gone")))
    assert lost.u_read == pytest.approx(read[0])


def test_a_known_bias_of_the_views_counts_in_what_a_fit_owes_to_the_scan() -> None:
    scan = lengths(("width", 0.06, 2.0))
    fit = fit_scale([Pair("width", "w", 0.06, 2e-5, 0.0, 0.06, 1e-5)], None)
    calibration = calibration_of(fit, [Pair("width", "w", 0.06, 2e-5, 0.0, 0.06, 1e-5)], None)
    of = replace(scanner(registration=3e-5).priors["registration"], value=4e-5)
    anchor = Anchor(1.0, 1.0, fit.u, 3.0, True, "measured", "", calibration)
    what = known(replace(BARE, priors={"registration": of}), scan=scan, anchor=anchor)

    assert what.u_read == pytest.approx(math.hypot(1e-5, math.sqrt(2) * 5e-5) / 0.06)


def test_a_known_bias_of_the_device_is_narrowed_with_the_rest() -> None:
    scan = lengths(("width", 0.06, 2.0), ("depth", 0.08, 2.0), ("bore", 0.1, -2.0))
    pairs = [Pair(m.id, m.id, m.value, 1e-5, 0.0, m.value, 0.0, gain=m.gain) for m in scan]
    fit = fit_scale(pairs, None)
    anchor = Anchor(1.0, fit.factor, fit.u, 3.0, True, "measured", "", calibration_of(fit, pairs, None))
    device = replace(BARE, priors={"offset": replace(scanner(offset=3e-5).priors["offset"], value=4e-5)})
    assert fit.offset is not None
    row = account_of(known(device, scan=scan, anchor=anchor)).row("ingest.offset")

    assert row.u == pytest.approx(1 / math.hypot(1 / fit.offset.u_d, 1 / 5e-5))


# Rows, in general


def rich(**u: float) -> Account:
    """An account with every kind of row that a body without calipers can have."""
    of = matter(
        "density", fill_half=0.6, com_half=(0.002, 0.003, 0.001), com_method=("measured", "assumed", "declared")
    )
    terms = [
        StandardUncertainty(f"surface.volume.{n}", "volume", 3e-8, "m^3", d, 9.0, "estimated", "x", "form", n)
        for n, d in (("offset", "rectangular"), ("hole", "normal"))
    ]
    return account_of(known(scanner(**(U | u)), of, noise=5e-5, terms=tuple(terms)))


def test_the_half_width_of_what_is_rectangular_is_root_three_u() -> None:
    rectangular = [row for row in rich().rows if row.distribution == "rectangular"]

    assert {row.id for row in rectangular} == {
        "surface.offset", "mass.density", "mass.fill", "mass.com.x", "mass.com.y", "mass.com.z",
    }  # fmt: skip
    for row in rectangular:
        assert row.half_width == pytest.approx(math.sqrt(3) * row.u), row.id


@settings(max_examples=25)
@given(st.fixed_dictionaries({name: st.floats(1e-9, 1e-2) for name in U}))
def test_shares_sum_to_one_and_a_promise_that_is_missing_makes_nothing_less_sure(u: dict[str, float]) -> None:
    made = rich(**u)
    bare = account_of(known(scanner(scale=u["scale"]), matter("density"), noise=5e-5))

    for name, budget in made.budgets.items():
        assert math.fsum(c.share for c in budget.contributions) == pytest.approx(1, abs=1e-9), name
        assert math.fsum(share for _, share, _ in made.shares(name)) == pytest.approx(1, abs=1e-9), name
        assert [share for _, share, _ in made.shares(name)] == sorted(
            (s for _, s, _ in made.shares(name)), reverse=True
        )
        assert budget.u == pytest.approx(made.u_bounded(name)), name
        if name in bare.budgets:
            assert budget.u >= bare.budgets[name].u * (1 - 1e-12), name
    for row in made.rows:
        assert any(row.id in output.by for output in made.outputs), row.id


def test_of_the_rows_of_a_term_the_largest_speaks_for_it() -> None:
    flat = solid(scan_shapes.box((0.08, 0.1, 0.03)))
    made = account_of(known(scanner(scale=1e-6, registration=6e-5), body=flat))
    (of,) = (row for term, _, row in made.shares("volume") if term == "view registration")

    assert of.id in ("ingest.registration.+z", "ingest.registration.-z")


# Words


def test_the_headline_of_what_is_not_assumed_asks_for_nothing() -> None:
    device = scanner(scale=1e-3)
    declared = replace(device, priors={"scale": replace(device.priors["scale"], method="declared")})

    assert headline(account_of(known(declared)), "volume").endswith("100 % of u2 is scale, declared")
    assert headline(account_of(known(device)), "volume").endswith(
        "100 % of u2 is scale, ASSUMED; 100 % rests on assumptions: add a calibrate reading to the caliper sheet"
    )


def test_the_headline_asks_to_replace_the_largest_of_what_is_assumed() -> None:
    """Two assumptions of 40 and 20 % behind a measurement of 40 %."""
    device = scanner(scale=1e-3)
    of = matter("density", u_mass=MASS * 3.2e-3, method="measured")
    made = account_of(known(replace(device, priors=device.priors | dict(scanner(offset=3.4e-5).priors)), of))
    said = headline(made, "mass")

    assert made.shares("mass")[0][0] == "density"
    assert 0.5 < made.budgets["mass"].assumed_share < 0.9
    assert "density, measured; " in said
    assert said.endswith("rests on assumptions: add a calibrate reading to the caliper sheet")


def test_a_build_that_stopped_is_told_to_go_on() -> None:
    assert headline(account_of(known(BARE, stopped=True)), "volume").endswith("promises none; build on to the end")
    assert headline(account_of(known(BARE)), "volume").endswith("add a calibrate reading to the caliper sheet")


def test_a_bias_that_is_not_corrected_widens_a_row() -> None:
    row = Row("a", "scale", "scale", "scale", "1", 3e-4, "measured", "x", value=-4e-4)

    assert row.u_total == pytest.approx(5e-4)
    assert row.component.u == pytest.approx(5e-4)
