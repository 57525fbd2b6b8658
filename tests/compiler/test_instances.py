"""Sheets of like objects: which readings count, how they become one number an object, and which slot gets what."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest

from r2s.compiler.errors import Diagnostic, InvalidInputError
from r2s.compiler.instances import Instance, digest_of_sheet, like_objects, read_instances
from r2s.compiler.intervals.plan import plan
from r2s.compiler.measurements import load_sheet
from r2s.compiler.population import Choice, Coefficient, Objects, Recipe
from r2s.compiler.readings import Sheet

BRICK = """\
schema: 1
object: brick
instrument: {kind: digital_caliper, id: A, accuracy: 0.03, unit: mm}
measurements:
  - {feature: extent_x, value: 80.0, role: calibrate}
  - {feature: extent_y, value: 50.0, role: check}
  - {feature: extent_z, value: 40.0, role: calibrate}
mass: {value: 200, unit: g, accuracy: 0.5}
friction: {slide: {values: [0.5, 0.6, 0.7], against: rubber}}
"""


def like(folder: Path, number: int, *changes: tuple[str, str]) -> Path:
    """Write the sheet of brick *number*, changed."""
    text = BRICK.replace("brick", f"brick_{number}")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = folder / f"like{number}.yaml"
    path.write_text(text)
    return path


@pytest.fixture
def scanned(tmp_path: Path) -> Sheet:
    path = tmp_path / "brick.yaml"
    path.write_text(BRICK)
    return load_sheet(path)[0]


def instances(scanned: Sheet, *paths: Path) -> tuple[Instance, ...]:
    return read_instances(paths, scanned, "brick.yaml")


def objects_of(scanned: Sheet, *paths: Path) -> Objects:
    return like_objects(scanned, instances(scanned, *paths))[0]


# --- one number an object ---------------------------------------------------------------------------------------------


def test_a_size_is_the_geometric_mean_of_what_both_measured(scanned: Sheet, tmp_path: Path) -> None:
    path = like(
        tmp_path, 1, ("value: 80.0", "value: 80.8"), ("value: 40.0", "value: 40.8"), ("value: 50.0", "value: 99")
    )
    found = objects_of(scanned, path)

    assert found.sizes == (1.0, pytest.approx(math.sqrt(1.01 * 1.02), rel=1e-12))
    assert found.masses == (0.2, 0.2)
    assert found.count == 2


def test_a_check_reading_of_the_scanned_object_reaches_nothing(scanned: Sheet, tmp_path: Path) -> None:
    """Not by its value: another one gives the same objects.  That it is there decides only what is like."""
    path = like(tmp_path, 1, ("value: 50.0", "value: 51.0"), ("role: check", "role: calibrate"))
    other = dataclasses.replace(
        scanned,
        readings=tuple(dataclasses.replace(r, values=(0.042,)) if r.role == "check" else r for r in scanned.readings),
    )

    assert other != scanned
    assert objects_of(other, path) == objects_of(scanned, path)
    assert objects_of(scanned, path).sizes == (1.0, 1.0)


def test_a_calibrate_reading_of_the_scanned_object_does(scanned: Sheet, tmp_path: Path) -> None:
    other = dataclasses.replace(
        scanned, readings=(dataclasses.replace(scanned.readings[0], values=(0.081,)), *scanned.readings[1:])
    )

    assert objects_of(other, like(tmp_path, 1)).sizes[1] == pytest.approx(math.sqrt(80 / 81))


def test_the_roles_on_an_instance_s_sheet_mean_nothing(scanned: Sheet, tmp_path: Path) -> None:
    one = like(tmp_path, 1, ("value: 80.0", "value: 80.8"))
    two = like(tmp_path, 2, ("value: 80.0", "value: 80.8"), ("calibrate", "check"))

    assert objects_of(scanned, one).sizes == objects_of(scanned, two).sizes


def test_repeats_on_one_sheet_are_one_object(scanned: Sheet, tmp_path: Path) -> None:
    repeated = like(
        tmp_path, 1, ("value: 80.0", "values: [80.1, 80.2, 80.3, 80.2]"), ("value: 200,", "values: [201, 203, 202],")
    )
    found = objects_of(scanned, repeated)

    assert len(found.sizes) == len(found.masses) == 2
    assert found.sizes[1] == pytest.approx(math.sqrt(80.2 / 80))
    assert found.masses[1] == pytest.approx(0.202)


def test_other_units_are_the_same_object(scanned: Sheet, tmp_path: Path) -> None:
    inches = like(
        tmp_path,
        1,
        ("value: 80.0", "value: 3.1496062992 in"),
        ("value: 40.0", "value: 0.04 m"),
        ("{value: 200, unit: g, accuracy: 0.5}", "0.2 kg"),
    )
    found = objects_of(scanned, inches)

    assert found.sizes[1] == pytest.approx(1.0, abs=1e-9)
    assert found.masses == (0.2, 0.2)


def test_what_a_balance_promises_is_shared_and_its_scatter_is_not(scanned: Sheet, tmp_path: Path) -> None:
    scattered = like(tmp_path, 1, ("value: 200,", "values: [198, 200, 202],"))
    coarse = like(tmp_path, 2, ("accuracy: 0.5", "accuracy: 2"))

    assert objects_of(scanned, scattered).u_masses == pytest.approx(0.5 / 200 / math.sqrt(3))
    assert objects_of(scanned, scattered, coarse).u_masses == pytest.approx(2 / 200 / math.sqrt(3))


def test_another_caliper_does_not_cancel_in_the_ratio(scanned: Sheet, tmp_path: Path) -> None:
    other = like(tmp_path, 1, ("id: A", "id: B"))

    assert objects_of(scanned, like(tmp_path, 2)).u_sizes == 0
    assert objects_of(scanned, like(tmp_path, 2), other).u_sizes == pytest.approx(
        0.03 / math.sqrt(3) * (1 / 80 + 1 / 40) / 2
    )


def test_a_friction_counts_where_it_was_measured_against_the_same_surface(scanned: Sheet, tmp_path: Path) -> None:
    paths = [
        like(tmp_path, 1, ("[0.5, 0.6, 0.7]", "[0.62]")),
        like(tmp_path, 2, ("[0.5, 0.6, 0.7]", "[0.5, 0.7, 0.72]")),
        like(tmp_path, 3, ("against: rubber", "against: steel")),
        like(tmp_path, 4, ("values: [0.5, 0.6, 0.7]", "value: 0.9, lo: 0.8, hi: 1.0")),
    ]
    (found,) = objects_of(scanned, *paths).frictions

    assert found.kind == "slide"
    assert found.values[0] == pytest.approx(0.6)
    assert sorted(found.values[1:]) == pytest.approx([0.62, 0.64])
    assert objects_of(scanned, *paths[1:]).frictions == ()


def test_the_order_of_the_sheets_changes_nothing(scanned: Sheet, tmp_path: Path) -> None:
    paths = [like(tmp_path, i, ("value: 80.0", f"value: 80.{i}")) for i in range(1, 5)]

    assert instances(scanned, *paths) == instances(scanned, *reversed(paths))
    assert objects_of(scanned, *paths).sources == tuple(sorted(objects_of(scanned, *paths).sources))


def test_a_changed_file_of_pulls_is_another_source(scanned: Sheet, tmp_path: Path) -> None:
    path = like(tmp_path, 1, ("values: [0.5, 0.6, 0.7]", "value: 0.6, readings: pulls.csv"))
    (tmp_path / "pulls.csv").write_text("0.6\n")
    before = objects_of(scanned, path).sources
    (tmp_path / "pulls.csv").write_text("0.60\n")
    after = objects_of(scanned, path).sources

    assert before != after
    assert digest_of_sheet("ab", {}) == "ab"


# --- which slot gets what ---------------------------------------------------------------------------------------------

FOUR = Objects(("a", "b", "c"), (1.0, 1.01, 0.99, 1.0), 0.0, (0.2, 0.201, 0.199, 0.2), 1e-3)
TWO = Objects(("a",), (1.0, 1.01), 0.0, (0.2, 0.201), 1e-3)


def codes(said: tuple[Diagnostic, ...]) -> list[str]:
    return [d.code for d in said]


def test_from_three_objects_on_slots_take_the_prediction() -> None:
    choices, said = plan(FOUR, {}, {})

    assert choices == (Choice("size", Recipe("prediction")), Choice("mass", Recipe("prediction")))
    assert said == ()


def test_one_object_keeps_its_own_budget() -> None:
    assert plan(Objects(), {}, {}) == ((), ())


def test_two_objects_keep_it_too_and_the_user_is_told() -> None:
    choices, said = plan(TWO, {}, {"friction/slide": "it was measured on 1 of 2 objects"})

    assert choices == ()
    assert codes(said) == ["R2S265"]
    assert said[0].severity == "warning"
    assert plan(TWO, {"all": "budget"}, {}) == ((), ())


@pytest.mark.parametrize("asked", [{"all": "prediction"}, {"mass": "tolerance"}, {"mass": "minmax_margin:1g:why"}])
def test_an_interval_that_is_insisted_on_and_cannot_be_is_an_error(asked: dict[str, str]) -> None:
    with pytest.raises(InvalidInputError, match="it takes 3 objects; 2 objects were measured") as caught:
        plan(TWO, asked, {})

    assert caught.value.code == "R2S264"
    assert "--interval 'mass=declared:" in caught.value.hint


def test_a_slot_of_its_own_wins_over_the_word_for_all() -> None:
    choices, _ = plan(FOUR, {"all": "tolerance:0.9,0.9", "mass": "budget"}, {})

    assert choices == (Choice("size", Recipe("tolerance", 0.9, 0.9)),)


def test_a_declared_interval_needs_no_second_object() -> None:
    choices, said = plan(Objects(), {"mass": "declared:90g..98g:label"}, {})

    assert choices == (Choice("mass", Recipe("declared", lo=0.09, hi=0.098, reason="label")),)
    assert said == ()


def test_a_slot_that_was_not_measured_on_them_says_why() -> None:
    missing = {"mass": "the scanned object was not weighed"}
    objects = dataclasses.replace(FOUR, masses=())
    choices, (note,) = plan(objects, {}, missing)

    assert [c.slot for c in choices] == ["size"]
    assert (note.severity, note.code) == ("note", "R2S267")
    assert "mass keeps the interval of this object alone: the scanned object was not weighed" in note.message
    assert plan(objects, {"mass": "budget"}, missing)[1] == ()
    with pytest.raises(InvalidInputError, match="it takes 3 objects; the scanned object was not weighed"):
        plan(objects, {"mass": "prediction"}, missing)


@pytest.mark.parametrize(("n", "told"), [(3, True), (5, True), (6, False)])
def test_a_factor_over_five_is_warned_of(n: int, told: bool) -> None:
    objects = Objects(tuple("abcdefgh"[: n - 1]), masses=(0.2,) * n)
    _, said = plan(objects, {"all": "tolerance"}, {})

    assert codes(said) == (["R2S266"] if told else [])


def test_a_friction_of_the_kind_takes_part() -> None:
    objects = dataclasses.replace(FOUR, frictions=(Coefficient("slide", (0.6, 0.61, 0.62)),))
    choices, _ = plan(objects, {}, {})

    assert [c.slot for c in choices] == ["size", "mass", "friction/slide"]
