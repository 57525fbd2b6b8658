"""Blind spots by rule: each is named where the build cannot see, with the limit that the build's own figures give."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

from r2s.compiler.blind_spots import BlindSpot, blind_spots
from r2s.compiler.ledger import Scalar, StandardUncertainty
from r2s.compiler.readings import Feature, Fill

SIZES = {"emit.size_x": 0.08, "emit.size_y": 0.06, "emit.size_z": 0.04}
PICKS = {"start": (0.0, 0.0, 0.0), "end": (0.0, 60.0, 0.0)}


def row(id_: str, role: str, value: float, feature: Feature, error: float = 0.0, instrument: str = "A") -> Any:
    reading = SimpleNamespace(
        id=id_, role=role, value=value, feature=feature, tolerance=0.5e-3, instrument=instrument, u=2e-5
    )
    return SimpleNamespace(reading=reading, error=error, u_error=1e-4)


X = row("x", "calibrate", 0.08, Feature("extent_x"))
Z = row("z", "calibrate", 0.04, Feature("extent_z"))
Y = row("y", "check", 0.06, Feature("distance", **PICKS), error=-0.1e-3, instrument="B")


def fit(*weights: tuple[str, float, float], lod95: float = 0.002, identifiable: bool = False) -> Any:
    readings = tuple(SimpleNamespace(id=i, weight=w, u=u, gain=2.0) for i, w, u in weights)
    return SimpleNamespace(lod95=lod95, readings=readings, offset=SimpleNamespace(identifiable=identifiable))


FIT = fit(("x", 0.8, 3e-4), ("z", 0.2, 6e-4))


def spots(*rows: Any, calibration: Any = FIT, terms: Any = (), **changes: Any) -> dict[str, BlindSpot]:
    options = {
        "mass": None,
        "fill": "solid",
        "com": (),
        "method": "measured",
        "axes": "+x+y+z",
        "sizes": SIZES,
    } | changes
    sheet = SimpleNamespace(
        readings=[r.reading for r in rows], mass=options["mass"], fill=Fill(options["fill"]), com=options["com"]
    )
    if calibration is FIT:
        ids = {r.reading.id for r in rows}
        calibration = SimpleNamespace(**{**vars(FIT), "readings": tuple(c for c in FIT.readings if c.id in ids)})
    known = [Scalar(i, "size", v, "m", "measured", "") for i, v in options["sizes"].items()]
    found = blind_spots(
        SimpleNamespace(sheet=sheet),  # type: ignore[arg-type]
        SimpleNamespace(axes=options["axes"], method=options["method"]),  # type: ignore[arg-type]
        SimpleNamespace(rows=rows),  # type: ignore[arg-type]
        SimpleNamespace(calibration=calibration),  # type: ignore[arg-type]
        (*known, *terms),
    )
    assert len({s.kind for s in found if s.kind}) == len([s for s in found if s.kind])
    return {s.kind or s.name: s for s in found}


def test_a_scale_error_hides_below_the_fits_own_limit() -> None:
    found = spots(X, Y, Z)["scale"]
    assert str(found) == "scale under 0.2 %: the smallest that the calibrate readings would show"
    assert (found.covers("scale", 0.0019), found.covers("scale", 0.002)) == (True, False)
    assert not found.covers("offset", 0.0019)


def test_without_calibrate_readings_a_check_shows_what_takes_it_out_of_its_tolerance() -> None:
    found = spots(Y, calibration=None)["scale"]
    assert found.most == pytest.approx(0.6e-3 / 0.06)  # tolerance and the error that is there
    assert "check y would be turned down" in found.why
    assert spots(calibration=None)["scale"].covers("scale", 0.5)


def test_of_one_axis_the_least_sure_sets_the_limit() -> None:
    """x and z: by what they move the scale or part from each other, at 3.605 u; y: by its check."""
    apart = 3.605 * math.hypot(3e-4, 6e-4)
    limits = {"x": min(0.002 / 0.8, apart), "y": 0.6e-3 / 0.06, "z": min(0.002 / 0.2, apart)}
    found = spots(X, Y, Z)["axis_scale"]
    assert found.most == pytest.approx(max(limits.values()))
    assert "least sure axis, y" in found.why
    rare = spots(X, row("y", "check", 0.06, Feature("distance", **PICKS), error=-0.5e-3), Z)["axis_scale"]
    assert rare.most == pytest.approx(1e-3 / 0.06)
    loose = spots(X, row("y", "check", 0.6, Feature("distance", **PICKS)), Z)["axis_scale"]
    assert loose.most == pytest.approx(apart)


def test_an_axis_that_nothing_lies_along_hides_every_error() -> None:
    found = spots(X, Z)["axis_scale"]
    assert str(found) == "scale of one axis: nothing was measured along y"
    assert found.covers("axis_scale", 0.5)
    oblique = row("y", "check", 0.06, Feature("distance", (0.0, 0.0, 0.0), (0.0, 50.0, 40.0)))
    assert spots(X, oblique, Z)["axis_scale"].covers("axis_scale", 0.5)


def test_the_axes_of_picks_are_the_files_own() -> None:
    """With the file's y up, what lies along it is z of the asset."""
    height = row("h", "check", 0.06, Feature("distance", **PICKS))
    y = row("y", "check", 0.06, Feature("extent_y"))
    assert spots(X, height, y, axes="+x-z+y")["axis_scale"].most == pytest.approx(0.5e-3 / 0.06)
    assert spots(X, height, y)["axis_scale"].most == math.inf


def test_the_objects_own_axes_will_do() -> None:
    rows = [row(k, "check", v, Feature(f"extent_{k}")) for k, v in (("long", 0.08), ("mid", 0.06), ("short", 0.04))]
    assert spots(*rows, calibration=None)["axis_scale"].most == pytest.approx(0.5e-3 / 0.04)


def test_an_offset_hides_below_what_it_does_to_the_fitted_scale() -> None:
    found = spots(X, Y, Z)["offset"]
    assert found.most == pytest.approx(0.002 / (0.8 * 2 / 0.08 + 0.2 * 2 / 0.04))
    assert "taken for scale" in found.why
    told = fit(("x", 0.8, 3e-4), ("z", 0.2, 6e-4), identifiable=True)
    assert "taken for scale" not in spots(X, Y, Z, calibration=told)["offset"].why
    assert spots(Y, calibration=None)["offset"].most == pytest.approx(0.3e-3)
    assert spots(calibration=None)["offset"].most == math.inf


def test_a_mirror_is_always_a_blind_spot_and_the_why_knows_the_picks() -> None:
    assert str(spots(X, Z)["mirror"]) == "mirror image: lengths do not change under reflection"
    for found in (spots(X, Y, Z), spots(X, Z, com=("a point",))):
        assert found["mirror"].why.endswith("a sheet made on the mirrored scan agrees with it")


def test_axes_of_like_length_may_be_exchanged() -> None:
    assert "swap" not in spots(X, Y, Z)
    alike = spots(X, Y, Z, sizes=SIZES | {"emit.size_y": 0.078})["swap"]
    assert alike.why.startswith("x with y: as long as the other to 8 %")
    nothing = spots(Y, calibration=None)["swap"]
    assert nothing.why.startswith("x with y, x with z, y with z: ")
    assert spots(X, sizes={})["swap"].covers("swap", 1.0)


def test_a_declared_unit_without_a_reading_is_believed() -> None:
    assert spots(calibration=None, method="declared")["unit"].covers("unit", 25.4)
    assert "unit" not in spots(X, Z, method="declared")
    assert "unit" not in spots(calibration=None, method="measured")


def test_values_that_change_places_hide_below_what_the_readings_would_show() -> None:
    """Of two the surer tells; of all pairs the least sure pair sets the limit."""
    apart = 3.605 * math.hypot(3e-4, 6e-4)
    of_x, of_z = min(0.002 / 0.8, apart) * 0.08, min(0.002 / 0.2, apart) * 0.04
    assert spots(X, Z)["swapped_readings"].most == pytest.approx(min(of_x, of_z))
    of_y = 0.6e-3
    want = max(min(a, b) for a, b in ((of_x, of_y), (of_x, of_z), (of_y, of_z)))
    assert spots(X, Y, Z)["swapped_readings"].most == pytest.approx(want)
    assert "swapped_readings" not in spots(X)


def test_what_calibrate_and_check_share() -> None:
    assert "zero error of the instrument" not in spots(X, Y, Z)
    shared = row("y", "check", 0.06, Feature("distance", **PICKS))
    assert "zero error of the instrument" in spots(X, shared, Z)
    assert "leak" in spots(X, Y, Z)
    assert "leak" not in spots(X, Z)
    assert "independent check" in spots(X, Z)
    assert "independent check" not in spots(X, Y, Z)


def test_a_mass_hides_between_foam_and_copper() -> None:
    density = Scalar("emit.density", "", 896.0, "kg/m3", "measured", "")
    found = spots(X, Y, Z, mass="weighed", terms=(density,))["mass"]
    assert found.name == "mass wrong by less than /30 or x10"
    assert [found.covers("mass", f) for f in (9.9, 10.1, 0.034, 0.033)] == [True, False, True, False]
    assert "mass" not in spots(X, Y, Z, terms=(density,))


def test_noise_that_cannot_be_estimated_and_an_unknown_fill() -> None:
    def noise(method: Any) -> StandardUncertainty:
        return StandardUncertainty("ingest.noise", "", 0.0, "m", "normal", 1.0, method, "a drawn mesh", "white", "g")

    assert str(spots(X, terms=(noise("assumed"),))["noise"]) == "noise: a drawn mesh"
    assert "noise" not in spots(X, terms=(noise("estimated"),))
    assert "distribution of mass inside" in spots(X, fill="unknown")
    assert "distribution of mass inside" not in spots(X)
