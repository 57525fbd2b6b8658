"""
The caliper sheet changed in one reading, on a real scan: who is named, by how much, and what probably happened.

The scan is the brick; its axes tell apart, and the virtual caliper reads it as it reads any scan.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import numpy as np
import pytest
import trimesh
from corruptions import SHEET, brick, write_obj

from r2s.compiler.action import action_key
from r2s.compiler.decision import Decision
from r2s.compiler.errors import InvalidInputError
from r2s.compiler.ir import Source
from r2s.compiler.measurements import load_sheet
from r2s.passes.emit import Emit
from r2s.passes.settle import Settle

SLOW = pytest.mark.slow  # a real caliper in a real pose takes seconds
ALL_CALIBRATE = SHEET.replace("role: check", "role: calibrate")


@pytest.fixture
def scan(tmp_path: Path) -> Source:
    return source_of(write_obj(tmp_path / "brick.obj", *brick()))


def source_of(path: Path) -> Source:
    return Source(path.suffix[1:], hashlib.sha256(path.read_bytes()).hexdigest(), str(path))


def settled(scan: Source, sheet: str, **options: str) -> Decision:
    path = Path(scan.path).with_name("sheet.yaml")
    path.write_text(sheet)
    loaded = load_sheet(path)[0]
    kinds = tuple(sorted({r.feature.kind for r in loaded.readings}))
    return Settle(readings=loaded.of_role("calibrate"), kinds=kinds, **options).run(scan).value


def codes(decision: Decision) -> list[str]:
    return [d.code for d in decision.diagnostics]


def test_the_good_sheet_settles_on_millimetres(scan: Source) -> None:
    decision = settled(scan, ALL_CALIBRATE)

    assert (decision.unit, codes(decision)) == ("mm", ["R2S305"])
    assert "3 calibrate readings agree on millimetres (ratio 0.001)" in decision.diagnostics[0].message


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        pytest.param("value: 80.0", "value: 800.0", "extent_x is the odd one out with 800 mm", id="slipped point"),
        pytest.param("value: 50.0,", "value: 50.0, unit: in,", "extent_y is the odd one out with 1270 mm", id="inch"),
        pytest.param("value: 80.0,", "value: 80.0, unit: cm,", "800 mm where the others", id="cm", marks=SLOW),
        pytest.param("value: 50.0", "value: 25.0", "25 mm where the others", id="half", marks=SLOW),
        pytest.param("value: 40.0", "value: 50.0", "extent_z is the odd one out with 50 mm", id="side", marks=SLOW),
    ],
)
def test_one_wrong_reading_is_named_with_both_lengths(scan: Source, old: str, new: str, says: str) -> None:
    assert ALL_CALIBRATE.count(old) == 1
    with pytest.raises(InvalidInputError) as caught:
        settled(scan, ALL_CALIBRATE.replace(old, new))

    assert (caught.value.code, caught.value.exit_code) == ("R2S303", 3)
    assert says in caught.value.message
    assert "and the scan say" in caught.value.message
    assert "again, or remove it" in caught.value.hint


def test_a_reading_as_small_as_its_accuracy_is_left_out_by_name(scan: Source) -> None:
    """0.04 mm typed for 40 is no more than its own accuracy: it can contradict nobody and decides nothing."""
    decision = settled(scan, ALL_CALIBRATE.replace("value: 40.0", "value: 0.04"))

    assert (decision.unit, codes(decision)) == ("mm", ["R2S308", "R2S305"])
    assert decision.diagnostics[0].message.startswith(
        "extent_z takes no part in settling the unit: its own uncertainty"
    )
    assert "2 calibrate readings agree on millimetres" in decision.diagnostics[1].message


@SLOW
def test_a_radius_for_a_diameter_is_guessed(tmp_path: Path) -> None:
    mesh = trimesh.creation.cylinder(radius=30.0, height=90.0, sections=96)
    scan = source_of(write_obj(tmp_path / "tin.obj", np.asarray(mesh.vertices), np.asarray(mesh.faces)))
    sheet = (
        "schema: 1\nobject: tin\ninstrument: {kind: digital_caliper, unit: mm}\nmeasurements:\n"
        "  - {feature: outer_diameter, value: 60.0}\n  - {feature: height, value: 90.0}\n"
    )
    assert settled(scan, sheet).unit == "mm"
    with pytest.raises(
        InvalidInputError, match=r"outer_diameter is the odd one out.*half of what it should be"
    ) as error:
        settled(scan, sheet.replace("60.0", "30.0"))

    assert error.value.code == "R2S303"


def test_two_readings_exchanged_turn_the_scan_and_say_so(scan: Source) -> None:
    """Exchanged ids fit the scan after a rotation, and only a warning can tell: two lengths know nothing of up."""
    other = {"extent_y": "extent_z", "extent_z": "extent_y"}
    swapped = re.sub("extent_[yz]", lambda match: other[match[0]], ALL_CALIBRATE)
    decision = settled(scan, swapped)

    assert codes(decision) == ["R2S309", "R2S305"]
    assert decision.diagnostics[0].severity == "warning"
    assert "y axis up" in decision.diagnostics[0].message
    assert decision.axes != settled(scan, ALL_CALIBRATE).axes


@pytest.mark.parametrize(
    ("factor", "unit", "shown"),
    [
        pytest.param(0.1, "cm", "8 mm", id="10", marks=SLOW),
        pytest.param(1 / 25.4, "in", "3.15 mm", id="25.4"),
        pytest.param(1e-3, "m", "0.08 mm", id="1000", marks=SLOW),
        pytest.param(1e3, "um", "80 m", id="1/1000", marks=SLOW),
    ],
)
def test_a_scan_in_another_unit_is_found_and_a_wrong_word_for_it_refused(
    tmp_path: Path, factor: float, unit: str, shown: str
) -> None:
    vertices, faces = brick()
    scan = source_of(write_obj(tmp_path / "brick.obj", vertices * factor, faces))

    assert settled(scan, ALL_CALIBRATE).unit == unit
    with pytest.raises(InvalidInputError) as caught:
        settled(scan, ALL_CALIBRATE, unit="mm")
    assert caught.value.code == "R2S304"
    assert f"--unit mm makes extent_x {shown}, the calipers say 80 mm" in caught.value.message
    assert caught.value.hint.endswith(f"agree on {unit}")


@pytest.mark.parametrize(
    ("factor", "code"),
    [
        pytest.param(1.01, "", id="1 %", marks=SLOW),
        pytest.param(1.05, "", id="5 %"),
        pytest.param(1.2, "R2S306", id="20 %"),
    ],
)
def test_a_scan_that_is_a_little_too_large_is_the_scale_s_business(tmp_path: Path, factor: float, code: str) -> None:
    """Within 8 % of a unit it is that unit; what is left over is fitted, and told, by the scale pass."""
    vertices, faces = brick()
    decision = settled(source_of(write_obj(tmp_path / "brick.obj", vertices * factor, faces)), ALL_CALIBRATE)

    assert codes(decision) == [code or "R2S305"]
    assert decision.free == bool(code)
    assert decision.factor * factor == pytest.approx(1e-3, rel=0.08)


def test_a_free_scale_that_may_not_be_set(tmp_path: Path) -> None:
    vertices, faces = brick()
    scan = source_of(write_obj(tmp_path / "brick.obj", vertices * 1.2, faces))
    with pytest.raises(InvalidInputError, match=r"a scale of its own \(0\.0008333 m for a number\)") as caught:
        settled(scan, ALL_CALIBRATE, mode="verify")

    assert caught.value.code == "R2S604"


def test_a_mirrored_axis_cannot_be_seen_in_lengths(tmp_path: Path) -> None:
    """The limit of every caliper: nothing is said, because every length is as it was."""
    vertices, faces = brick()
    mirrored = source_of(write_obj(tmp_path / "brick.obj", vertices * [-1, 1, 1], faces[:, ::-1]))

    assert codes(settled(mirrored, ALL_CALIBRATE)) == ["R2S305"]


# --- what the sheet leaves to be assumed -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "code", "says"),
    [
        (
            "fill: solid",
            "fill: solid\ncom: {along: extent_x, from: min, value: 40 mm}",
            "R2S248",
            "sheet.yaml:10:6: balance point along extent_x without accuracy: 1 mm is assumed",
        ),
        ("value: 0.6, lo: 0.5, hi: 0.7", "value: 0.6", "R2S249", "slide friction has no interval: it will not vary"),
    ],
)
def test_what_is_assumed_is_noted(tmp_path: Path, old: str, new: str, code: str, says: str) -> None:
    path = tmp_path / "sheet.yaml"
    path.write_text(SHEET)
    assert code not in [d.code for d in load_sheet(path)[1]]
    path.write_text(SHEET.replace(old, new))
    (note,) = [d for d in load_sheet(path)[1] if d.code == code]

    assert note.severity == "note"
    assert says in note.message


def test_a_changed_file_of_friction_readings_is_seen(tmp_path: Path) -> None:
    """Its hash is part of the coefficient, which is an option of emit: no cached asset answers for the old readings."""
    path, pulls = tmp_path / "sheet.yaml", tmp_path / "pulls.csv"
    path.write_text(SHEET.replace("hi: 0.7", "hi: 0.7, readings: pulls.csv, source: measured"))
    pulls.write_text("0.58\n0.60\n0.62\n")
    before = load_sheet(path)[0].friction[0]
    pulls.write_text("0.58\n0.60\n0.63\n")
    after = load_sheet(path)[0].friction[0]

    assert (before.value, before.method) == (after.value, after.method) == (0.6, "measured")
    assert before.readings_sha256 == hashlib.sha256(b"0.58\n0.60\n0.62\n").hexdigest()
    assert after.readings_sha256 == hashlib.sha256(b"0.58\n0.60\n0.63\n").hexdigest()
    assert action_key(Emit(friction=(before,)), "") != action_key(Emit(friction=(after,)), "")
