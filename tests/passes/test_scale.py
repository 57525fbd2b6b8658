"""The scale pass on boxes of known size and on real scans."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.ir import Floats, Hulls, Ints, Piece, Scan, Surface, bools, floats, ints
from r2s.compiler.ledger import Change, Scalar, StandardUncertainty
from r2s.compiler.measurements import load_sheet
from r2s.compiler.readings import Feature, Reading
from r2s.passes.caliper import features as _features
from r2s.passes.scale import Scale

SIZE = (0.08, 0.05, 0.04)


def box(scale: float = 1.0) -> Hulls:
    """Return the chain of an exact mesh of a box, *scale* times 80 x 50 x 40 mm."""
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * SIZE * scale
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    return chain(corners, faces)


def chain(vertices: np.ndarray, faces: np.ndarray, floor: float = 0.0) -> Hulls:
    """Return hulls of one piece whose scan, surface and piece are one mesh."""
    points, triangles = floats(vertices, -1, 3), ints(faces, -1, 3)
    scan = Scan(points, floats([], 0, 3), triangles, floats(np.eye(4)), 0.0, 0.0, floor, math.nan, "m")
    surface = Surface(points, triangles, bools(np.ones(len(faces))), scan)
    nothing = (floats(np.zeros(3)), floats(np.eye(3)), floats(np.zeros(3)))
    return Hulls((Piece("mesh", points, triangles, *nothing),), surface)


def reading(kind: str, metres: float, **changes: object) -> Reading:
    """Return a calibrate reading by a digital caliper."""
    plain = Reading(kind, Feature(kind), (metres,), 3e-5, "declared", 1e-5, "calibrate", 5e-4, False, "caliper")
    return replace(plain, **changes)  # type: ignore[arg-type]  # the tests name real fields


READINGS = tuple(reading(f"extent_{a}", metres) for a, metres in zip("xyz", SIZE, strict=True))


_POSES: dict[bytes, _features.Pose] = {}


@pytest.fixture(autouse=True)
def remembered_poses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Find the pose of each shape once: it takes a second, and the shapes are few."""
    found = _features.pose_of

    def pose_of(points: Floats, faces: Ints) -> _features.Pose:
        key = points.tobytes()
        if key not in _POSES:
            _POSES[key] = found(points, faces)
        return _POSES[key]

    monkeypatch.setattr(_features, "pose_of", pose_of)


def term(outcome: object, id_: str) -> object:
    """Return the term called *id_*."""
    return next(t for t in outcome.terms if t.id == id_)  # type: ignore[attr-defined]  # an Outcome


def test_a_scan_that_is_right_stays_as_it_is() -> None:
    """Within 2 u nothing changes, nothing is said, and the hulls are the same hulls."""
    hulls = box()
    made = Scale(readings=READINGS).run(hulls)

    assert made.value.anchor.factor == 1.0
    assert not made.value.anchor.applied
    assert made.value.anchor.fitted == pytest.approx(1.0, abs=1e-6)
    assert made.value.pieces is hulls.pieces
    assert made.value.surface is hulls.surface
    assert made.diagnostics == ()


@pytest.mark.parametrize("off", [0.985, 1.015])
def test_a_scan_with_a_scale_error_is_put_right(off: float) -> None:
    """The factor undoes the error, within what the fit says of itself; 1.5 % needs no warning."""
    made = Scale(readings=READINGS).run(box(off))
    anchor = made.value.anchor

    assert anchor.applied
    assert anchor.factor == anchor.fitted == pytest.approx(1 / off, rel=1e-5)
    assert 3e-4 < anchor.u < 1e-3
    assert made.diagnostics == ()
    change = term(made, "scale.factor")
    assert isinstance(change, Change)
    assert (change.before, change.after) == (1.0, anchor.factor)


def test_the_budget_says_what_the_fit_said() -> None:
    """One correlated term for ln scale, and the numbers that judge the fit."""
    made = Scale(readings=READINGS).run(box(1.01))
    ln_scale = term(made, "scale.ln_scale")
    assert isinstance(ln_scale, StandardUncertainty)

    assert (ln_scale.shape, ln_scale.group, ln_scale.unit, ln_scale.method) == ("scale", "scale:all", "1", "measured")
    assert ln_scale.u == made.value.anchor.u
    assert ln_scale.value == pytest.approx(0, abs=1e-12)
    numbers = {t.id: t.value for t in made.terms if isinstance(t, Scalar)}
    assert numbers["scale.dof"] == 2
    assert 0.5 < numbers["scale.p"] <= 1
    assert numbers["scale.lod95"] == pytest.approx(3.605 * ln_scale.u)
    assert {f"scale.ratio.extent_{a}" for a in "xyz"} <= numbers.keys()
    assert {f"scale.left_out.extent_{a}" for a in "xyz"} <= numbers.keys()


def test_what_is_not_corrected_remains_as_a_value() -> None:
    """With verify the known error stays in the term, so that nobody takes the asset for right."""
    made = Scale(mode="verify", readings=READINGS).run(box(1.05))
    ln_scale = term(made, "scale.ln_scale")
    assert isinstance(ln_scale, StandardUncertainty)

    assert made.value.anchor.factor == 1.0
    assert ln_scale.value == pytest.approx(-math.log(1.05), rel=1e-4)


def test_three_percent_warns_and_nine_stops_unless_the_scale_is_free() -> None:
    warned = Scale(readings=READINGS).run(box(1.03))
    with pytest.raises(InvalidInputError) as caught:
        Scale(readings=READINGS).run(box(1.09))
    free = Scale(readings=READINGS, free=True).run(box(1.09))

    assert [d.code for d in warned.diagnostics] == ["R2S602"]
    assert caught.value.code == "R2S603"
    assert free.value.anchor.factor == pytest.approx(1 / 1.09, rel=1e-5)
    assert free.diagnostics == ()


def test_a_devices_promise_pulls_towards_one() -> None:
    """A prior of 0.05 % against calipers that ask for 0.5 %: in between, nearer to the surer."""
    calipers = Scale(readings=READINGS, mode="apply").run(box(1 / 1.005)).value.anchor
    both = Scale(readings=READINGS, mode="apply", prior_u=0.0005).run(box(1 / 1.005)).value.anchor

    assert 1 < both.fitted < calipers.fitted
    for none in (0.0, math.inf):
        assert (
            Scale(readings=READINGS, mode="apply", prior_u=none).run(box(1 / 1.005)).value.anchor.fitted
            == calipers.fitted
        )


def test_no_reading_leaves_the_scale_declared() -> None:
    made = Scale().run(box())
    promised = Scale(prior_u=0.003).run(box())

    assert (made.value.anchor.factor, made.value.anchor.method) == (1.0, "declared")
    assert math.isnan(made.value.anchor.u)
    assert "unverified" in made.value.anchor.reason
    assert made.terms == ()
    assert made.diagnostics == ()
    assert promised.value.anchor.u == 0.003
    assert [t.id for t in promised.terms] == ["scale.ln_scale"]


def test_a_feature_that_the_scan_lacks_leaves_the_fit_with_its_reason() -> None:
    """A box has no revolution: the diameter goes, the extents stay, and the warning says which and why."""
    made = Scale(readings=(*READINGS, reading("inner_diameter", 0.03))).run(box(1.01))
    (warning,) = made.diagnostics

    assert (warning.severity, warning.code) == ("warning", "R2S601")
    assert "inner_diameter" in warning.message
    assert len(warning.message) > len("inner_diameter (inner_diameter) takes no part in the scale: ")
    assert made.value.anchor.fitted == pytest.approx(1 / 1.01, rel=1e-5)


def test_a_feature_below_the_resolution_floor_leaves_the_fit() -> None:
    hulls = box()
    coarse = chain(hulls.surface.vertices, hulls.surface.faces, floor=0.045)
    made = Scale(readings=READINGS).run(coarse)

    assert [d.code for d in made.diagnostics] == ["R2S601"]
    assert "extent_z" in made.diagnostics[0].message
    assert "floor" in made.diagnostics[0].message
    assert made.value.anchor.reason.endswith("left as it is")


def test_repeats_and_softness_widen_the_uncertainty() -> None:
    def u(**changes: object) -> float:
        return Scale(readings=(reading("extent_x", 0.08, **changes),)).run(box()).value.anchor.u

    plain = u()
    assert plain == pytest.approx(math.sqrt(3e-5**2 + 5e-6**2 + 5e-5**2) / math.sqrt(3) / 0.08, rel=0.02)
    assert u(compliant=True) > 4 * plain
    assert u(values=(0.0798, 0.08, 0.0802)) > plain
    assert u(accuracy=1e-3) > 8 * plain


def test_a_soft_object_is_expected_to_be_larger_than_jaws_read() -> None:
    soft = Scale(readings=(reading("extent_x", 0.08, compliant=True),)).run(box()).value.anchor
    hard = Scale(readings=(reading("extent_x", 0.08),)).run(box()).value.anchor

    assert math.log(soft.fitted / hard.fitted) == pytest.approx(math.log(0.0803 / 0.08), rel=1e-6)


def test_equal_input_gives_equal_bytes() -> None:
    first = Scale(readings=READINGS).run(box(1.01)).value.digest()

    assert Scale(readings=READINGS).run(box(1.01)).value.digest() == first
    assert Scale(readings=READINGS[:2]).run(box(1.01)).value.digest() != first


def test_readings_are_no_part_of_the_pipeline_text() -> None:
    from r2s.compiler.pipeline import print_step

    assert print_step(Scale(mode="verify", readings=READINGS, kinds=("height",))) == "scale"


DATA = Path(os.environ.get("R2S_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
REAL = ("004_sugar_box", "077_rubiks_cube", "061_foam_brick", "055_baseball", "024_bowl")


@pytest.mark.parametrize("name", [*REAL[:2], *(pytest.param(name, marks=pytest.mark.slow) for name in REAL[2:])])
def test_real_scans_agree_with_the_published_sizes(name: str) -> None:
    """Laser scans in metres against sizes in 1 mm steps: under 3 % off, and no stop."""
    trimesh = pytest.importorskip("trimesh")
    path = DATA / "ycb" / name / "scan.ply"
    if not path.exists():
        pytest.skip(f"{name} is not here; set R2S_DATA")
    mesh = trimesh.load(path, process=False)
    sheet, _ = load_sheet(path.parent / "measurements.yaml")
    kinds = tuple(r.feature.kind for r in sheet.readings)
    made = Scale(readings=sheet.of_role("calibrate"), kinds=kinds).run(chain(mesh.vertices, mesh.faces))

    assert made.value.anchor.method == "measured"
    assert abs(math.log(made.value.anchor.fitted)) < 0.03
    assert 0.001 < made.value.anchor.u < 0.03
    assert "R2S601" not in {d.code for d in made.diagnostics}
