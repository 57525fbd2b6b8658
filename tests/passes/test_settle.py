"""What the calipers decide about unit and axes: every rule of the contract, and who is named when they disagree."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from r2s.compiler.codec import canonical, decode, encode
from r2s.compiler.decision import KEEP_AXES, X_UP, Y_UP, Decision, signed_axes
from r2s.compiler.errors import InvalidInputError, R2SError, UsageError
from r2s.compiler.ir import Source
from r2s.compiler.measurements import load_sheet
from r2s.compiler.readings import Feature, Reading
from r2s.compiler.units import NAMED_SCAN_UNITS
from r2s.passes import settle
from r2s.passes.caliper.value import Value, refuse
from r2s.passes.points import agreement as _agreement
from r2s.passes.points.agreement import Ratio
from r2s.passes.points.clean import Cleaned
from r2s.passes.points.frame import levelled, rotation_of
from r2s.passes.readers.raw import RawScan
from r2s.passes.settle import Settle

BRACKET = (0.080, 0.050, 0.040)
EXTENT = {"extent_x": 0, "extent_y": 1, "extent_z": 2, "height": 2}
RANK = {"extent_long": 2, "extent_mid": 1, "extent_short": 0}


class Jaws:
    """Reads the exact box around the points: settling is under test here, measuring is not."""

    def __init__(self, cleaned: Cleaned, axes: str, kinds: frozenset[str]) -> None:
        self.kinds = kinds
        turn = levelled(rotation_of(axes), cleaned.table)
        self.size = np.ptp(cleaned.scan.points @ turn.T, axis=0)

    def measure(self, feature: Feature, factor: float | None = None) -> Value:
        kind = feature.kind
        if feature.along is not None and factor is None:
            return refuse("needs the unit first")
        if feature.along is not None and factor is not None:
            right = abs(feature.along / factor - 20) < 1e-6
            return Value(60.0 if right else 30.0, 0.0, "section")
        if kind in EXTENT:
            return Value(float(self.size[EXTENT[kind]]), 0.0, "box")
        if kind in RANK:
            return Value(float(np.sort(self.size)[RANK[kind]]), 0.0, "box")
        if kind in ("outer_diameter", "inner_diameter"):
            return Value(float(self.size[0]) * (1.0 if kind == "outer_diameter" else 0.9), 0.0, "ring")
        return refuse("not measured in this release")


@pytest.fixture
def jaws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settle, "Gauge", Jaws)


def box_file(folder: Path, size: tuple[float, float, float]) -> Source:
    """An OBJ box with one corner at the origin."""
    corners = [(x, y, z) for x in (0, size[0]) for y in (0, size[1]) for z in (0, size[2])]
    faces = ["1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4"]
    text = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in corners) + "".join(f"f {f}\n" for f in faces)
    path = folder / "scan.obj"
    path.write_text(text)
    return Source("obj", hashlib.sha256(text.encode()).hexdigest(), str(path))


def reading(kind: str, value: float, **more: object) -> Reading:
    plain = Reading(
        kind, Feature(kind), (value,), 5e-5, "declared", 1e-5, "calibrate", max(5e-4, 0.01 * value), False, "caliper"
    )
    return replace(plain, **more)  # type: ignore[arg-type]  # fields by name


def extents(x: float = 0.080, y: float = 0.050, z: float = 0.040) -> tuple[Reading, ...]:
    return reading("extent_x", x), reading("extent_y", y), reading("extent_z", z)


def in_numbers(unit: str) -> tuple[float, float, float]:
    x, y, z = (v / NAMED_SCAN_UNITS[unit] for v in BRACKET)
    return x, y, z


def codes(decision: Decision) -> list[tuple[str, str]]:
    return [(d.severity, d.code) for d in decision.diagnostics]


# --- units ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["mm", "m", "in", "cm"])
def test_readings_that_agree_name_the_unit(tmp_path: Path, jaws: None, unit: str) -> None:
    """A file without a unit gets the one that all readings agree on, exactly, with a note that says so."""
    decision = Settle(readings=extents(x=0.0801)).run(box_file(tmp_path, in_numbers(unit))).value

    assert (decision.unit, decision.factor) == (unit, NAMED_SCAN_UNITS[unit])
    assert (decision.axes, decision.free, decision.method) == (KEEP_AXES, False, "measured")
    assert codes(decision) == [("note", "R2S305")]
    assert "3 calibrate readings agree on" in decision.diagnostics[0].message


def test_one_reading_near_a_unit_is_enough(tmp_path: Path, jaws: None) -> None:
    """A single length tells millimetres from metres."""
    decision = Settle(readings=extents()[:1]).run(box_file(tmp_path, (80, 50, 40))).value

    assert (decision.unit, decision.free) == ("mm", False)


def test_nothing_to_decide_on_is_an_error_that_asks(tmp_path: Path, jaws: None) -> None:
    """No unit and no calibrate length, or only features that cannot be read yet: ask for either, guess nothing."""
    scan = box_file(tmp_path, (80, 50, 40))
    for step in (Settle(), Settle(readings=(reading("thickness", 0.003),)), Settle(unit="arbitrary")):
        with pytest.raises(InvalidInputError, match=r"says how large it is") as error:
            step.run(scan)
        assert error.value.code == "R2S301"


def test_declared_unit_needs_no_reading(tmp_path: Path, jaws: None) -> None:
    """With --unit alone the factor is declared; a reading that cannot be made is a note."""
    scan = box_file(tmp_path, (80, 50, 40))
    alone = Settle(unit="mm").run(scan).value
    later = Settle(unit="mm", readings=(reading("thickness", 0.003),)).run(scan).value

    assert (alone.factor, alone.method, alone.diagnostics) == (0.001, "declared", ())
    assert codes(later) == [("note", "R2S308")]


def test_declared_unit_against_the_calipers_names_both(tmp_path: Path, jaws: None) -> None:
    """Metres declared as millimetres: 0.08 mm against 80 mm."""
    with pytest.raises(InvalidInputError, match=r"--unit mm makes extent_x 0\.08 mm, the calipers say 80 mm") as error:
        Settle(unit="mm", readings=extents()).run(box_file(tmp_path, BRACKET))

    assert error.value.code == "R2S304"
    assert "agree on m" in error.value.hint


@pytest.mark.parametrize(("off", "refused"), [(1.05, False), (1.12, True)])
def test_declared_unit_bears_eight_percent(tmp_path: Path, jaws: None, off: float, refused: bool) -> None:
    """Up to 8 % is for the scale pass and the judge; readings that agree on more contradict the unit."""
    step = Settle(unit="mm", readings=extents(*(v * off for v in BRACKET)))
    scan = box_file(tmp_path, (80, 50, 40))
    if not refused:
        assert step.run(scan).value.factor == 0.001
        return
    with pytest.raises(InvalidInputError) as error:
        step.run(scan)
    assert error.value.code == "R2S304"


@pytest.mark.parametrize(("off", "refused"), [(1.15, False), (10.0, True), (25.4, True), (1000.0, True)])
def test_single_reading_contradicts_a_declared_unit_by_a_named_factor(
    tmp_path: Path, jaws: None, off: float, refused: bool
) -> None:
    """One reading alone may be wrong, unless it is wrong by just what a unit makes."""
    step = Settle(unit="mm", readings=(reading("extent_x", 0.08 * off),))
    scan = box_file(tmp_path, (80, 50, 40))
    if not refused:
        assert step.run(scan).value.factor == 0.001
        return
    with pytest.raises(InvalidInputError) as error:
        step.run(scan)
    assert error.value.code == "R2S304"


def test_format_that_lies_about_metres_is_overruled(
    tmp_path: Path, jaws: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """glTF means metres and y up; calipers that agree on millimetres win, with a warning."""
    corners = np.array([[x, y, z] for x in (0, 80) for y in (0, 40) for z in (0, 50)], dtype=float)
    faces = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6]])
    raw = RawScan(corners, np.zeros((0, 3)), faces, 1e-6, unit="m", up="y")
    monkeypatch.setattr(settle, "read", lambda path, format_: raw)
    decision = Settle(readings=extents()).run(Source("glb", "0" * 64, str(tmp_path))).value

    assert (decision.unit, decision.factor, decision.axes) == ("mm", 0.001, Y_UP)
    assert codes(decision) == [("warning", "R2S307")]
    silent = Settle().run(Source("glb", "0" * 64, str(tmp_path))).value
    assert (silent.unit, silent.method, silent.axes) == ("m", "declared", Y_UP)


# --- a free scale -----------------------------------------------------------------------------------------------------


def test_free_scale_needs_two_features(tmp_path: Path, jaws: None) -> None:
    """Near no unit: two features that agree make a scale of its own; one asks for --unit arbitrary or another."""
    scan = box_file(tmp_path, (0.0296, 0.0185, 0.0148))
    decision = Settle(readings=extents()).run(scan).value

    assert (decision.unit, decision.free, decision.factor) == ("free", True, 2.7)
    assert codes(decision) == [("note", "R2S306")]
    with pytest.raises(InvalidInputError, match="near no unit") as error:
        Settle(readings=extents()[:1]).run(scan)
    assert error.value.code == "R2S302"
    assert "--unit arbitrary" in error.value.hint
    assert Settle(unit="arbitrary", readings=extents()[:1]).run(scan).value == replace(
        decision, evidence="--unit arbitrary; 1 calibrate reading", diagnostics=()
    )


@pytest.mark.parametrize(
    ("factor", "words"), [(0.5, "a radius for a diameter"), (2.0, "a diameter for a radius"), (1.5, "")]
)
def test_one_reading_near_no_unit_is_told_when_half_or_twice_would_be(
    tmp_path: Path, jaws: None, factor: float, words: str
) -> None:
    with pytest.raises(InvalidInputError, match="near no unit") as error:
        Settle(readings=extents(x=0.08 * factor)[:1]).run(box_file(tmp_path, (80, 50, 40)))

    assert error.value.code == "R2S302"
    assert (f"in millimetres it is {'half' if factor < 1 else 'twice'}" in error.value.message) == bool(words)
    assert words in error.value.message


def test_small_caliper_edit_changes_no_option_of_ingest(tmp_path: Path, jaws: None) -> None:
    """Two digits of a free factor, and a named unit's exact one: a tenth of a millimetre more leaves both alone."""
    free, named = box_file(tmp_path, (0.0296, 0.0185, 0.0148)), tmp_path / "b"
    named.mkdir()
    for scan in (free, box_file(named, (80, 50, 40))):
        before = Settle(readings=extents()).run(scan).value
        after = Settle(readings=extents(x=0.0801)).run(scan).value
        assert before.options == after.options
        assert set(before.options) == {"unit", "factor", "axes"}


def test_verify_mode_sets_no_scale(tmp_path: Path, jaws: None) -> None:
    """--scale verify promises to change nothing, so it cannot choose a free scale."""
    with pytest.raises(InvalidInputError, match="verify"):
        Settle(mode="verify", readings=extents()).run(box_file(tmp_path, (0.0296, 0.0185, 0.0148)))


# --- disagreement -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", ["", "mm"])
@pytest.mark.parametrize(
    ("wrong", "odd", "guess"),
    [
        ({"x": 0.800}, "extent_x", "ten times too large"),
        ({"y": 0.025}, "extent_y", "half of what it should be"),
        ({"z": 0.040 / 25.4}, "extent_z", "25.4 times too small"),
        ({"z": 0.080}, "extent_z", "it fits extent_x"),
    ],
)
def test_odd_reading_is_named_with_a_guess(
    tmp_path: Path, jaws: None, unit: str, wrong: dict[str, float], odd: str, guess: str
) -> None:
    """One reading against two: it is named, and what probably happened is said; nothing is fitted through it."""
    with pytest.raises(InvalidInputError) as error:
        Settle(unit=unit, readings=extents(**wrong)).run(box_file(tmp_path, (80, 50, 40)))

    assert error.value.code == "R2S303"
    assert f"{odd} is the odd one out" in error.value.message
    assert guess in error.value.message


def test_inside_reading_for_an_outside_one_is_seen_beside_a_height(tmp_path: Path, jaws: None) -> None:
    """54 mm for an outside of 60 mm, with a height that fits: ten percent are no fit but a slip of the jaws."""
    readings = (reading("outer_diameter", 0.054), reading("height", 0.060))
    with pytest.raises(InvalidInputError, match=r"outer_diameter is the odd one out.*an inside reading for an outside"):
        Settle(readings=readings).run(box_file(tmp_path, (60, 60, 60)))


def test_two_readings_that_may_both_be_right_name_no_culprit(tmp_path: Path, jaws: None) -> None:
    """One says millimetres, one centimetres: both are named, none is blamed."""
    with pytest.raises(InvalidInputError, match=r"extent_x 0\.01, extent_y 0\.001") as error:
        Settle(readings=(reading("extent_x", 0.8), reading("extent_y", 0.05))).run(box_file(tmp_path, (80, 50, 40)))

    assert "odd one" not in error.value.message


def test_tolerance_and_softness_excuse_a_carton_but_no_slip(tmp_path: Path, jaws: None) -> None:
    """A soft side 5 mm off within its own tolerance of 5 mm decides with the others; ten times off does not."""
    soft = reading("extent_z", 0.036, tolerance=0.005, compliant=True, accuracy=0.001)
    scan = box_file(tmp_path, (80, 50, 40))

    assert Settle(readings=(*extents()[:2], soft)).run(scan).value.unit == "mm"
    with pytest.raises(InvalidInputError):
        Settle(readings=(*extents()[:2], replace(soft, values=(0.36,)))).run(scan)


def test_reading_of_a_sheet_as_thin_as_its_accuracy_takes_no_part(tmp_path: Path, jaws: None) -> None:
    """0.05 ± 0.05 mm agrees with every unit, so it is left out with a note."""
    readings = (*extents()[:2], reading("extent_z", 5e-5))
    decision = Settle(readings=readings).run(box_file(tmp_path, (80, 50, 0.04))).value

    assert decision.unit == "mm"
    assert ("note", "R2S308") in codes(decision)


def test_section_at_a_height_finds_the_unit_that_fits_itself(tmp_path: Path, jaws: None) -> None:
    """A diameter at 20 mm above the support needs the unit to be read: only millimetres make it come out right."""
    section = replace(reading("outer_diameter", 0.06), feature=Feature("outer_diameter", along=0.02))
    decision = Settle(readings=(section,)).run(box_file(tmp_path, (80, 50, 40))).value

    assert decision.unit == "mm"


# --- axes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "axes", "up"), [((80, 40, 50), Y_UP, "y"), ((40, 80, 50), X_UP, "x"), ((80, 50, 40), KEEP_AXES, "")]
)
@pytest.mark.parametrize("unit", ["", "mm"])
def test_one_swap_that_makes_all_readings_agree_is_made(
    tmp_path: Path, jaws: None, size: tuple[float, float, float], axes: str, up: str, unit: str
) -> None:
    """Three different lengths show which axis points up; the map is a rotation, with a warning."""
    decision = Settle(unit=unit, readings=extents()).run(box_file(tmp_path, size)).value

    assert decision.axes == axes
    assert (("warning", "R2S309") in codes(decision)) == (axes != KEEP_AXES)
    turned = rotation_of(decision.axes)
    assert np.linalg.det(turned) == pytest.approx(1)
    assert np.abs(turned @ np.array(size)) == pytest.approx([80, 50, 40])
    assert not up or any(f"{up} axis up" in d.message for d in decision.diagnostics)


def test_equal_lengths_keep_the_axes(tmp_path: Path, jaws: None) -> None:
    """A cube cannot tell."""
    decision = Settle(readings=extents(0.057, 0.057, 0.057)).run(box_file(tmp_path, (57, 57, 57))).value

    assert (decision.axes, codes(decision)) == (KEEP_AXES, [("note", "R2S305")])


def test_axes_given_are_not_second_guessed(tmp_path: Path, jaws: None) -> None:
    """With --axes z-up the readings disagree and say so; with y-up they agree."""
    scan = box_file(tmp_path, (80, 40, 50))
    with pytest.raises(InvalidInputError, match="disagree"):
        Settle(axes="z-up", readings=extents()).run(scan)

    assert Settle(axes="y-up", readings=extents()).run(scan).value.axes == Y_UP


@pytest.mark.parametrize("text", ["+x+y-z", "+x+x+z", "-x-y-z", "xyz", "+y+x+z", ""])
def test_maps_that_are_no_rotation_are_refused(text: str) -> None:
    """A mirrored object is another object."""
    with pytest.raises(UsageError) as error:
        signed_axes(text)

    assert error.value.code == "R2S311"


def test_all_proper_maps_are_read() -> None:
    """Of the 48 signed maps the 24 rotations pass and no other."""
    letters = ["xyz", "xzy", "yxz", "yzx", "zxy", "zyx"]
    maps = [a + p[0] + b + p[1] + c + p[2] for p in letters for a in "+-" for b in "+-" for c in "+-"]
    proper = 0
    for text in maps:
        try:
            matrix: NDArray[np.float64] = rotation_of(text)
        except UsageError:
            continue
        proper += 1
        assert np.linalg.det(matrix) == pytest.approx(1)

    assert (len(maps), proper) == (48, 24)


def test_unknown_unit_lists_the_known_ones(tmp_path: Path) -> None:
    """A typing error in --unit is a usage error."""
    with pytest.raises(UsageError, match="no unit is called 'milimetre'") as error:
        Settle(unit="milimetre").run(box_file(tmp_path, (80, 50, 40)))

    assert "mm" in error.value.hint


# --- arithmetic -------------------------------------------------------------------------------------------------------


def test_odd_one_needs_a_clear_vote() -> None:
    """Of three, the only one without which the rest agree; of four in two camps, nobody."""

    def ratio(name: str, value: float) -> Ratio:
        return Ratio(name, name, value, 1.0, 0.03)

    odd = _agreement.odd_one((ratio("a", 1.0), ratio("b", 1.01), ratio("c", 2.0)))
    assert odd is not None
    assert (odd[0].id, odd[1]) == ("c", pytest.approx(math.sqrt(1.01)))
    assert _agreement.odd_one((ratio("a", 1.0), ratio("b", 1.0), ratio("c", 2.0), ratio("d", 2.0))) is None


def test_decision_survives_the_store() -> None:
    """The manager caches decisions as JSON; equal decisions give equal text."""
    decision = Decision("mm", 0.001, Y_UP, False, "measured", "three agree", ())

    assert decode(encode(decision)[1], {}, str) == decision
    assert canonical(decision) == canonical(replace(decision))


# --- with the real caliper, on real files -----------------------------------------------------------------------------


def settled(cases: Path, name: str, scan: str = "scan.obj", unit: str = "") -> Decision:
    sheet, _ = load_sheet(cases / name / "measurements.yaml")
    path = cases / name / scan
    source = Source(path.suffix[1:], hashlib.sha256(path.read_bytes()).hexdigest(), str(path))
    return Settle(unit=unit, readings=sheet.of_role("calibrate")).run(source).value


@pytest.mark.parametrize(
    ("name", "scan", "unit", "axes"),
    [
        ("u-obj-inch", "scan.obj", "in", KEEP_AXES),
        ("d-table", "scan.ply", "mm", KEEP_AXES),
        ("a-obj-yup", "scan.obj", "mm", Y_UP),
    ],
)
def test_cases_that_settle(cases: Path, name: str, scan: str, unit: str, axes: str) -> None:
    """The virtual caliper on meshes and clouds, through table and y up."""
    decision = settled(cases, name, scan)

    assert (decision.unit, decision.axes) == (unit, axes)


@pytest.mark.parametrize(
    ("name", "scan", "unit", "code", "words"),
    [
        ("u-double-scale", "scan.obj", "mm", "R2S304", "0.08 mm"),
        ("y-typo-10x", "scan.obj", "", "R2S303", "extent_x is the odd one out"),
        ("y-inside-as-outside", "scan.obj", "", "R2S303", "outer_diameter is the odd one out"),
        ("n-ns-nojson", "mesh.obj", "", "R2S310", "extent_long"),
        ("d-georef-f32", "scan.ply", "", "R2S325", "step by 0.5"),
    ],
)
def test_cases_that_stop(cases: Path, name: str, scan: str, unit: str, code: str, words: str) -> None:
    """Each stops with its own code and names what is wrong."""
    with pytest.raises(R2SError, match=words) as error:
        settled(cases, name, scan, unit)

    assert error.value.code == code


@pytest.mark.slow
@pytest.mark.parametrize("name", ["004_sugar_box", "055_baseball"])
def test_real_cartons_and_balls_are_metres(data: Path, name: str) -> None:
    """Published sizes to a millimetre and real scans: settled on metres, declared or not."""
    folder = data / "ycb" / name
    for unit, method in (("", "measured"), ("m", "declared")):
        decision = settled(folder.parent, name, "scan.ply", unit)
        assert (decision.unit, decision.factor, decision.method) == ("m", 1.0, method)
