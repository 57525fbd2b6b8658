"""What an offset does to each kind of reading, by growing the shape; and whose error is whose beside the scan."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.ir import Floats, Hulls, Ints, Piece, Scan, Surface, bools, floats, ints
from r2s.compiler.ledger import Scalar, StandardUncertainty
from r2s.compiler.readings import U_TOUCH, Feature, Reading
from r2s.passes.caliper.features import Pose, Stage, measure, pose_of
from r2s.passes.caliper.pairing import pair_of
from r2s.passes.caliper.value import Value
from r2s.passes.scale import Scale

trimesh = pytest.importorskip("trimesh")

WALL, SIZE = 0.003, np.array([0.06, 0.05, 0.04])
GROWN = 2e-4


def tray(grown: float = 0.0) -> tuple[Floats, Ints]:
    """An open box, every face *grown* further out of the material, metres."""
    outer = trimesh.creation.box(bounds=[(-grown,) * 3, SIZE + grown])
    hollow = [(WALL + grown,) * 3, (*(SIZE[:2] - WALL - grown), 1.0)]
    made = trimesh.boolean.difference([outer, trimesh.creation.box(bounds=hollow)], engine="manifold")
    return np.asarray(made.vertices), np.asarray(made.faces, dtype=np.int64)


def tube(grown: float = 0.0) -> tuple[Floats, Ints]:
    made = trimesh.creation.annulus(r_min=0.02 - grown, r_max=0.03 + grown, height=0.05 + 2 * grown, sections=180)
    return np.asarray(made.vertices), np.asarray(made.faces, dtype=np.int64)


def ball(grown: float = 0.0) -> tuple[Floats, Ints]:
    made = trimesh.creation.icosphere(subdivisions=4, radius=0.03 + grown)
    return np.asarray(made.vertices), np.asarray(made.faces, dtype=np.int64)


KINDS = [
    *((tray, Feature(kind)) for kind in ("extent_x", "extent_z", "extent_long", "extent_mid", "height")),
    (tray, Feature("distance", start=(0, 0.02, 0.025), end=(0.06, 0.024, 0.03))),
    (tray, Feature("distance", start=(WALL, 0.02, 0.025), end=(0.06 - WALL, 0.03, 0.03))),
    (tray, Feature("thickness", pick=(0.0302, -0.0004, 0.02))),
    (tray, Feature("depth", start=(0.0015, 0.025, 0.04), end=(0.03, 0.025, WALL))),
    (tray, Feature("step", start=(0.03, 0.025, WALL), end=(0.0585, 0.02, 0.04))),
    (tube, Feature("outer_diameter")),
    (tube, Feature("inner_diameter")),
    (tube, Feature("inner_diameter", along=0.02)),
    (ball, Feature("sphere_diameter")),
]


Shape = Callable[[float], tuple[Floats, Ints]]


@cache
def posed(shape: Shape, grown: float = 0.0) -> tuple[Stage, Pose]:
    """The stage of a shape and its pose, which takes most of a second to find."""
    vertices, faces = shape(grown)
    return Stage(vertices, faces, 0.0, 0.0, 0.0, "mesh"), pose_of(vertices, faces)


def read(shape: Shape, feature: Feature, grown: float = 0.0) -> Value:
    stage, pose = posed(shape, grown)
    found = measure(stage, feature, pose)
    assert not found.refused
    return found


@pytest.mark.parametrize(("shape", "feature"), KINDS)
def test_the_gain_is_what_growing_the_shape_does(shape: Shape, feature: Feature) -> None:
    plain, grown = read(shape, feature), read(shape, feature, GROWN)

    assert plain.gain in (2.0, -2.0, 0.0)
    assert (grown.value - plain.value) / GROWN == pytest.approx(plain.gain, abs=0.02)
    if plain.along is not None:
        assert np.linalg.norm(plain.along) == pytest.approx(1)


def hulls(shape: tuple[Floats, Ints], unseen: float = -1.0) -> Hulls:
    """The chain of a shape whose faces below *unseen* nobody scanned."""
    vertices, triangles = floats(shape[0], -1, 3), ints(shape[1], -1, 3)
    scan = Scan(vertices, floats([], 0, 3), triangles, floats(np.eye(4)), 0.0, 0.0, 0.0, math.nan, "m")
    seen = vertices[triangles][:, :, 2].max(axis=1) > unseen
    surface = Surface(vertices, triangles, bools(seen), scan)
    nothing = (floats(np.zeros(3)), floats(np.eye(3)), floats(np.zeros(3)))
    return Hulls((Piece("mesh", vertices, triangles, *nothing),), surface)


def reading(feature: Feature, metres: float, id_: str = "", **changes: object) -> Reading:
    plain = Reading(
        id_ or feature.kind, feature, (metres,), 3e-5, "declared", 1e-5, "calibrate", 5e-4, False, "caliper"
    )
    return replace(plain, **changes)  # type: ignore[arg-type]  # the tests name real fields


def paired(feature: Feature, unseen: float = -1.0, **changes: object) -> object:
    _, pose = posed(tray)
    return pair_of(reading(feature, 0.05, **changes), read(tray, feature), pose, hulls(tray(), unseen).surface)


@pytest.mark.parametrize(
    ("kind", "unseen", "gain", "axis"),
    [
        ("extent_x", -1.0, 2.0, "long"),
        ("extent_y", -1.0, 2.0, "mid"),
        ("extent_z", -1.0, 2.0, "short"),
        ("extent_z", 1e-6, 1.0, "short"),  # the underside was closed on the table, and does not move
        ("height", 1e-6, 1.0, "short"),
        ("extent_x", 1e-6, 2.0, "long"),
    ],
)
def test_a_jaw_on_what_nobody_scanned_does_not_move(kind: str, unseen: float, gain: float, axis: str) -> None:
    pair = paired(Feature(kind), unseen)

    assert (pair.gain, pair.axis) == (gain, axis)  # type: ignore[attr-defined]  # a Pair


def test_whose_error_is_whose() -> None:
    """The maker's limit may be shared; resolution, repeats and where the jaws touched are drawn anew."""
    pair = paired(Feature("extent_x"), values=(0.06, 0.0601, 0.0602))
    soft = paired(Feature("extent_x"), compliant=True)

    assert pair.u_common == pytest.approx(3e-5 / math.sqrt(3))  # type: ignore[attr-defined]  # a Pair
    assert pair.u_assumed == pytest.approx(U_TOUCH)  # type: ignore[attr-defined]
    assert pair.u_indep == pytest.approx(math.hypot(1e-4 / math.sqrt(3), 5e-6 / math.sqrt(3), U_TOUCH))  # type: ignore[attr-defined]
    assert soft.u_assumed == pytest.approx(math.hypot(U_TOUCH, 0.3e-3 / math.sqrt(3)))  # type: ignore[attr-defined]


# --- the pass: a scan of the tray whose faces lie too far in, or that is of another size along one axis -------------

INSIDE_OF = Feature("distance", start=(WALL, 0.02, 0.025), end=(0.06 - WALL, 0.03, 0.03))
DEPTH = Feature("depth", start=(0.0015, 0.025, 0.04), end=(0.03, 0.025, WALL))
SHEET = (
    reading(Feature("extent_x"), 0.06),
    reading(Feature("extent_z"), 0.04),
    reading(INSIDE_OF, 0.06 - 2 * WALL, "gap"),
    reading(DEPTH, 0.04 - WALL, "deep"),
)


def scaled(outcome: object) -> dict[str, float]:
    return {t.id: t.value for t in outcome.terms if isinstance(t, Scalar)}  # type: ignore[attr-defined]  # an Outcome


def offset_row(outcome: object) -> StandardUncertainty:
    (row,) = [t for t in outcome.terms if t.id == "scale.offset"]  # type: ignore[attr-defined]  # an Outcome
    assert isinstance(row, StandardUncertainty)
    return row


def test_a_scan_with_spray_on_it_is_told_from_one_that_is_too_large() -> None:
    """Faces 0.2 mm too far out: outside, inside and depth readings tell, and the size of it comes back."""
    made = Scale(readings=SHEET).run(hulls(tray(GROWN)))
    known = made.value.anchor.calibration
    assert known is not None
    assert known.offset is not None

    assert "R2S608" in {d.code for d in made.diagnostics}
    assert known.offset.preferred == "scale and offset"
    assert known.offset.d == pytest.approx(-GROWN, rel=0.02)
    assert known.offset.ln_s == pytest.approx(0, abs=2e-4)
    row = offset_row(made)
    assert (row.value, row.u, row.unit, row.shape, row.method) == (
        known.offset.d,
        known.offset.u_d,
        "m",
        "offset",
        "measured",
    )
    larger = Scale(readings=SHEET).run(hulls((tray()[0] * 1.01, tray()[1])))
    assert larger.value.anchor.calibration is not None
    assert larger.value.anchor.calibration.offset is not None
    assert "R2S608" not in {d.code for d in larger.diagnostics}
    assert larger.value.anchor.calibration.offset.d == pytest.approx(0, abs=1e-5)


def test_without_readings_that_tell_the_offset_is_what_the_device_promises() -> None:
    """Two widths: nothing can be said, so half a millimetre of a depth camera stays in u of the scale."""
    plain = Scale(readings=SHEET[:2]).run(hulls(tray()))
    camera = Scale(readings=SHEET[:2], prior_offset=2.9e-4).run(hulls(tray()))
    row = offset_row(camera)

    assert not [t for t in plain.terms if t.id == "scale.offset"]
    assert (row.value, row.u, row.method) == (0.0, 2.9e-4, "assumed")
    assert camera.value.anchor.u > 0.009 > 0.001 > plain.value.anchor.u
    assert camera.value.anchor.calibration is not None
    assert "surface offset: 2 readings" in camera.value.anchor.calibration.untested[0]


def test_one_reading_says_what_it_cannot_test() -> None:
    known = Scale(readings=SHEET[:1]).run(hulls(tray())).value.anchor.calibration
    assert known is not None

    assert (known.n, known.dof) == (1, 0)
    assert math.isnan(known.p)
    assert [word.partition(":")[0] for word in known.untested] == ["consistency", "surface offset"]
    assert math.isnan(known.readings[0].left_out)


def test_another_scale_along_one_axis_is_told() -> None:
    """The scan is 1 % short along x alone; two readings along each axis."""
    vertices, faces = tray()
    across = Feature("distance", start=(0, 0.02, 0.025), end=(0.0594, 0.024, 0.03))
    gap = Feature("distance", start=(WALL, 0.02, 0.025), end=(0.0564, 0.03, 0.03))
    sheet = (reading(across, 0.06, "across"), reading(gap, 0.054, "gap"), *SHEET[1:2], *SHEET[3:])
    made = Scale(readings=sheet).run(hulls((vertices * [0.99, 1, 1], faces)))
    warning = next(d for d in made.diagnostics if d.code == "R2S609")
    numbers = scaled(made)

    assert warning.severity == "warning"
    assert "long +1.0" in warning.message
    assert numbers["scale.axis.long"] == pytest.approx(-math.log(0.99), abs=1e-4)
    assert numbers["scale.axis.short"] == pytest.approx(0, abs=1e-4)
    assert numbers["scale.axes_p"] < 0.003
    assert made.value.anchor.calibration is not None
    assert made.value.anchor.calibration.contradiction == ""


def test_a_reading_that_the_others_outvote_leaves_its_contradiction_for_the_verdict() -> None:
    """3 % among four: named, not dropped, and the scale pass itself goes on so that a report can be written."""
    wrong = (*SHEET[:1], replace(SHEET[1], values=(0.04 * 1.03,)), *SHEET[2:])
    made = Scale(readings=wrong).run(hulls(tray()))
    known = made.value.anchor.calibration
    assert known is not None

    assert known.suspect == "extent_z"
    assert "extent_z lies +3.0" in known.contradiction
    assert "beyond its tolerance of 1.21%" in known.contradiction
    assert {r.id for r in known.readings} == {r.id for r in SHEET}
    assert min(r.weight for r in known.readings) > 0


@pytest.mark.parametrize(("factor", "words"), [(0.5, "a diameter for a radius"), (2.0, "a radius for a diameter")])
def test_a_metric_scan_contradicted_by_a_round_factor_is_told_what_it_may_be(factor: float, words: str) -> None:
    vertices, faces = tray()
    with pytest.raises(InvalidInputError, match=words) as caught:
        Scale(readings=SHEET[:1]).run(hulls((vertices * factor, faces)))

    assert caught.value.code == "R2S603"
