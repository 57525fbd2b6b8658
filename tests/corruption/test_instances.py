"""
Sheets of like objects and words for intervals that are wrong: one line, its code, and nothing written.

The good input is four bricks: the scanned one and three that were only measured.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from corruptions import SHEET, Ended

Command = Callable[..., Ended]

MAIN = ("brick.obj", "--calipers", "brick.yaml", "-o", "out/brick.xml")
THREE = ("like1.yaml", "like2.yaml", "like3.yaml")


@pytest.fixture
def bricks(place: Path) -> Path:
    """The working folder with the sheets of three more bricks, each a little heavier and longer."""
    for i in (1, 2, 3):
        text = SHEET.replace("object: brick", f"object: brick_{i}").replace("198.4", f"{198.4 + i / 10:.1f}")
        (place / f"like{i}.yaml").write_text(text.replace("value: 80.0", f"value: 80.0{i}"))
    return place


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def slots(place: Path) -> dict[str, dict[str, Any]]:
    return {s["name"]: s for s in json.loads((place / "out" / "brick.slots.json").read_text())["slots"]}


def asset(place: Path) -> str:
    return str(json.loads((place / "out" / "brick.manifest.json").read_text())["asset"])


def test_the_good_bricks(command: Command, bricks: Path) -> None:
    ended = command(*MAIN, "--instances", *THREE)

    assert (ended.exit_code, ended.codes) == (0, ["R2S267", "R2S305"])
    assert "friction/slide keeps the interval of this object alone: on the scanned object" in ended.line("R2S267")
    assert {n: (s["recipe"], s["n"]) for n, s in slots(bricks).items() if n in ("size", "mass", "friction/slide")} == {
        "size": ("prediction", 4),
        "mass": ("prediction", 4),
        "friction/slide": ("assumed", 1),
    }
    assert "prediction 95 %, from 4 objects" in ended.out


# --- sheets -----------------------------------------------------------------------------------------------------------


def refused(command: Command, place: Path, code: str, *words: str) -> str:
    """Build with *words* added, which must be one error of *code* before anything is written; return its line."""
    ended = command(*MAIN, *words)

    assert ended.exit_code == 3
    assert len(ended.errors) == 1
    assert not (place / "out").exists()
    return ended.line(code)


def test_another_kind_of_object(command: Command, bricks: Path) -> None:
    (bricks / "ball.yaml").write_text(
        "schema: 1\nmeasurements: [{feature: sphere_diameter, value: 60 mm}]\nmass: 0.2 kg\n"
    )
    line = refused(command, bricks, "R2S260", "--instances", *THREE, "ball.yaml")

    assert (
        "ball.yaml is of another kind of object: it has sphere_diameter, and brick.yaml has extent_x, extent_y" in line
    )


def test_one_id_for_two_things(command: Command, bricks: Path) -> None:
    change(bricks / "like2.yaml", "{feature: extent_x,", "{id: extent_x, feature: outer_diameter,")
    line = refused(command, bricks, "R2S260", "--instances", *THREE)

    assert "like2.yaml is of another kind of object: its extent_x is outer_diameter, on brick.yaml extent_x" in line


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("value: 80.02", "value: 8.002", "its extent_x is 8 mm, on brick.yaml 80 mm"),
        ("value: 40.0", "value: 20.0", "its extent_z is 20 mm, on brick.yaml 40 mm"),
        ("unit: g", "unit: kg", "it weighs 198.6 kg, brick.yaml says 198.4 g"),
    ],
)
def test_a_slip_of_unit_digit_or_radius(command: Command, bricks: Path, old: str, new: str, says: str) -> None:
    change(bricks / "like2.yaml", old, new)
    line = refused(command, bricks, "R2S260", "--instances", *THREE)

    assert f"like2.yaml is of another kind of object: {says}" in line
    assert "check unit and digits" in line


def test_only_a_check_reading_in_common(command: Command, bricks: Path) -> None:
    (bricks / "y.yaml").write_text("schema: 1\nmeasurements: [{feature: extent_y, value: 50 mm}]\nmass: 198 g\n")
    line = refused(command, bricks, "R2S260", "--instances", "y.yaml")

    assert "y.yaml has no length to compare: all it shares with brick.yaml is check there" in line
    assert "measure one of extent_x, extent_z on it too" in line


def test_other_units_are_no_other_object(command: Command, bricks: Path) -> None:
    change(bricks / "like2.yaml", "value: 80.02,", "value: 3.1504 in,")
    change(bricks / "like2.yaml", "value: 198.6, unit: g", "value: 7.005, unit: oz")

    assert command(*MAIN, "--instances", *THREE).exit_code == 0


@pytest.mark.parametrize("twin", ["brick.yaml", "like1.yaml"])
def test_one_object_twice(command: Command, bricks: Path, twin: str) -> None:
    (bricks / "again.yaml").write_bytes((bricks / twin).read_bytes())
    line = refused(command, bricks, "R2S261", "--instances", *THREE, "again.yaml")

    assert f"again.yaml holds the same bytes as {twin}" in line
    assert "one object twice, not two objects" in line
    assert ("leave it out: the scanned object is counted already" in line) == (twin == "brick.yaml")


def test_an_object_that_nobody_weighed(command: Command, bricks: Path) -> None:
    change(bricks / "like3.yaml", "mass: {value: 198.7, unit: g, accuracy: 0.5}\n", "")
    line = refused(command, bricks, "R2S262", "--instances", *THREE)

    assert "like3.yaml has no mass, and brick.yaml has one; weigh this object too" in line
    change(bricks / "brick.yaml", "mass: {value: 198.4, unit: g, accuracy: 0.5}\n", "")
    ended = command(*MAIN, "--instances", *THREE)
    assert ended.exit_code == 0
    assert "note: mass keeps the interval of this object alone: the scanned object was not weighed" in ended.err
    assert slots(bricks)["mass"]["recipe"] == "assumed"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--interval", "prediction"), "no prediction for size: it takes 3 objects; 1 object was measured"),
        (
            ("--instances", "like1.yaml", "--interval", "tolerance"),
            "no tolerance for size: it takes 3 objects; 2 objects",
        ),
        (
            ("--instances", *THREE, "--interval", "friction/slide=prediction"),
            "no prediction for friction/slide: it takes 3 objects; on the scanned object it was not measured",
        ),
    ],
)
def test_too_few_objects(command: Command, bricks: Path, words: tuple[str, ...], says: str) -> None:
    line = refused(command, bricks, "R2S264", *words)

    assert says in line
    assert "--interval 'mass=declared:" in line


def test_two_objects(command: Command, bricks: Path) -> None:
    alone = command(*MAIN)
    before = {k: (s["lo"], s["hi"], s["population"]) for k, s in slots(bricks).items()}
    ended = command(*MAIN, "--instances", "like1.yaml")

    assert (alone.exit_code, ended.exit_code) == (0, 0)
    assert "2 objects say nothing of a third: the slots keep the intervals of this object alone" in ended.line("R2S265")
    assert "add the sheet of one more object" in ended.line("R2S265")
    assert {k: (s["lo"], s["hi"], s["population"]) for k, s in slots(bricks).items()} == before


def test_a_tolerance_from_four(command: Command, bricks: Path) -> None:
    ended = command(*MAIN, "--instances", *THREE, "--interval", "mass=tolerance")

    assert ended.exit_code == 0
    assert "the tolerance interval of mass reaches 6.34 standard deviations each way: 4 objects" in ended.line("R2S266")
    assert (slots(bricks)["mass"]["recipe"], slots(bricks)["size"]["recipe"]) == ("tolerance", "prediction")
    assert "measured; 95 % of all with confidence 95 %, from 4 objects, at this size" in ended.out


def test_a_friction_measured_on_some(command: Command, bricks: Path) -> None:
    """Its sheets say 0.6 by somebody's word; measured on the scanned brick alone, it stays this brick's."""
    change(bricks / "brick.yaml", "value: 0.6, lo: 0.5, hi: 0.7", "values: [0.55, 0.6, 0.62]")
    ended = command(*MAIN, "--instances", *THREE)

    assert ended.exit_code == 0
    assert "friction/slide keeps the interval of this object alone: it was measured on 1 of 4" in ended.line("R2S267")
    assert slots(bricks)["friction/slide"]["population"] == "this_object"


# --- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "words", "says"),
    [
        ("R2S045", ("--interval", "minmax_margin:0.3g"), "gives no reason; write minmax_margin:0.3g:why so much"),
        ("R2S045", ("--interval", "mass=minmax_margin:0.3:why"), "says '0.3' has no unit; mass wants a unit"),
        ("R2S045", ("--interval", "density=prediction"), "no slot 'density' takes an interval; name one of size, mass"),
    ],
)
def test_an_interval_that_cannot_be_read(
    command: Command, bricks: Path, code: str, words: tuple[str, ...], says: str
) -> None:
    ended = command(*MAIN, "--instances", *THREE, *words)

    assert ended.exit_code == 2
    assert says in ended.line(code)
    assert not (bricks / "out").exists()


def test_an_interval_of_a_recipe_file(command: Command, bricks: Path) -> None:
    """The file is read as the command line is, and the command line wins."""
    (bricks / "r.yaml").write_text('interval: ["mass=tolerance:0.9,0.9", "size=budget"]\n')
    words = (*MAIN, "--instances", *THREE, "--recipe", "r.yaml")

    assert command(*words).exit_code == 0
    assert [slots(bricks)[name]["recipe"] for name in ("mass", "size")] == ["tolerance", "budget"]
    assert command(*words, "--interval", "mass=prediction:0.9").exit_code == 0
    assert (slots(bricks)["mass"]["recipe"], slots(bricks)["mass"]["level"]) == ("prediction", 0.9)
    (bricks / "r.yaml").write_text("interval: prediction\n")
    assert "r.yaml:1:11: interval is a list; write [prediction, ...]" in command(*words).line("R2S024")
    (bricks / "r.yaml").write_text("interval: [predicton]\n")
    assert "did you mean 'prediction'?" in command(*words).line("R2S045")


def test_like_objects_without_the_scanned_one(command: Command, bricks: Path) -> None:
    ended = command("brick.obj", "--unit", "mm", "-o", "out/brick.xml", "--instances", *THREE)

    assert ended.exit_code == 2
    assert "--instances compares like objects with the scanned one" in ended.line("R2S046")


def test_a_declared_interval_without_the_scanned_object(command: Command, bricks: Path) -> None:
    line = refused(command, bricks, "R2S718", "--interval", "declared:190g..198g:label")

    assert "mass was declared as 0.19 to 0.198 kg, and this object has 0.1984 kg" in line
    ended = command(*MAIN, "--interval", "declared:190g..199g:label")
    assert ended.exit_code == 0
    assert "198.4 [190, 199] g declared; of any object of this kind, by declaration" in ended.out
    assert [slots(bricks)["mass"][k] for k in ("lo", "hi", "recipe")] == [0.19, 0.199, "declared"]


# --- what the asset depends on ----------------------------------------------------------------------------------------


@pytest.mark.slow  # five builds
def test_the_asset_depends_on_each_sheet_and_not_on_their_order(command: Command, bricks: Path) -> None:
    assert command(*MAIN, "--instances", *THREE).exit_code == 0
    first = asset(bricks)
    assert command(*MAIN, "--instances", *reversed(THREE)).exit_code == 0
    assert asset(bricks) == first
    for name in THREE:
        before = (bricks / name).read_bytes()
        (bricks / name).write_bytes(before + b"# another byte\n")
        assert command(*MAIN, "--instances", *THREE).exit_code == 0
        assert asset(bricks) != first
        (bricks / name).write_bytes(before)
    assert command(*MAIN, "--instances", *THREE).exit_code == 0
    assert asset(bricks) == first


def test_a_check_value_of_the_scanned_object_changes_no_byte(command: Command, bricks: Path) -> None:
    assert command(*MAIN, "--instances", *THREE).exit_code == 0
    first, before = asset(bricks), (bricks / "out" / "brick.slots.json").read_bytes()
    change(bricks / "brick.yaml", "value: 50.0", "value: 50.1")
    assert command(*MAIN, "--instances", *THREE).exit_code == 0

    assert asset(bricks) == first
    assert (bricks / "out" / "brick.slots.json").read_bytes() == before


def test_a_manifest_that_names_other_sheets_is_found(command: Command, bricks: Path) -> None:
    from r2s.compiler.manifest import sealed, text_of

    assert command(*MAIN, "--instances", *THREE).exit_code == 0
    assert command("verify", "out/brick.xml").exit_code == 0
    path = bricks / "out" / "brick.manifest.json"
    manifest = json.loads(path.read_bytes())
    manifest["inputs"]["instances"][0]["sha256"] = "0" * 64
    path.write_text(text_of(sealed(manifest)))
    ended = command("verify", "out/brick.xml")

    assert ended.exit_code == 5
    assert "inputs.instances: are not the sheets that the slots were made from" in ended.out
    manifest["inputs"]["instances"][0]["sha256"] = 7
    path.write_text(text_of(sealed(manifest)))
    assert "inputs.instances[0].sha256 is a number, not text" in command("verify", "out/brick.xml").line("R2S822")


def test_a_sheet_of_a_like_object_that_changed_since(command: Command, bricks: Path) -> None:
    assert command(*MAIN, "--instances", *THREE).exit_code == 0
    verify = ("verify", "out/brick.xml", "--rebuild")
    (bricks / "like2.yaml").rename(bricks / "other.yaml")
    missing = command(*verify)
    assert "cannot find like2.yaml, which the asset was built from" in missing.line("R2S824")
    assert "say where it is with --instances" in missing.line("R2S824")
    named = ("--instances", "like1.yaml", "other.yaml", "like3.yaml")
    assert "the asset was not built from extra.yaml" in _with_extra(command, bricks, (*verify, *named))
    (bricks / "other.yaml").rename(bricks / "like2.yaml")
    (bricks / "like2.yaml").write_text((bricks / "like2.yaml").read_text() + "# another byte\n")
    for words in (verify, (*verify, "--instances", *THREE)):
        ended = command(*words)
        assert ended.exit_code == 3
        assert "like2.yaml is not what the asset was built from: its hash is" in ended.line("R2S825")


def _with_extra(command: Command, place: Path, words: tuple[str, ...]) -> str:
    (place / "extra.yaml").write_text(SHEET)
    return command(*words, "extra.yaml").line("R2S824")
