"""The known-bad check's parts: sheets written anew, which damages are tried, and what counts as seen."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests_support import CUBE, ROOT

from r2s.compiler.errors import CalipersDisagreeError, Diagnostic, InvalidInputError
from r2s.compiler.known_bad.screen import screen
from r2s.compiler.known_bad.sheet_text import sheet_text
from r2s.compiler.known_bad.sight import Sight, seen, sight_of
from r2s.compiler.known_bad.trials import KINDS, Known, Trial, moved_picks, trials
from r2s.compiler.measurements import load_sheet, parse_sheet
from r2s.compiler.readings import Sheet

SHEETS = sorted(ROOT.glob("fixtures/*/measurements.yaml"))
EVERYTHING = """\
schema: 1
object: thing
measurements:
  - {feature: inner_diameter, at: {value: 30, unit: mm}, axis: z, value: 3.02 cm, role: check, compliant: true}
  - {feature: extent_x, values: [57.0, 57.1], unit: mm, accuracy: 0.05, temperature: 21.5, alpha: 0.000023}
  - {id: d, feature: depth, from: [1, 2, 3], to: [1, 2, 0.5], value: 2 in, instrument: {kind: micrometer}}
density: {value: 1.2, unit: g/cm^3, accuracy: 0.1}
fill: {shell: 1.2, unit: mm}
com: {along: extent_long, from: max, value: 20 mm, accuracy: 0.5 mm}
"""


def known(sheet: Sheet, **changes: Any) -> Known:
    return dataclasses.replace(Known(sheet, 0.001, 5e-5, "+z", 2), **changes)


def cube_sheet() -> Sheet:
    return load_sheet(CUBE / "measurements.yaml")[0]


@pytest.mark.parametrize("path", SHEETS, ids=lambda p: p.parent.name)
def test_a_sheet_written_anew_says_the_same(path: Path) -> None:
    sheet, _ = load_sheet(path)
    again, _ = parse_sheet(sheet_text(sheet).encode(), "again.yaml", None)
    same = dataclasses.replace(again, sha256=sheet.sha256, friction=sheet.friction, files=sheet.files)
    assert same == sheet


def test_every_key_of_a_reading_is_written() -> None:
    sheet, _ = parse_sheet(EVERYTHING.encode(), "sheet.yaml", None)
    again, _ = parse_sheet(sheet_text(sheet).encode(), "again.yaml", None)
    assert again.readings == sheet.readings
    assert (again.density, again.fill, again.com) == (sheet.density, sheet.fill, sheet.com)


def test_every_kind_is_tried_and_equal_inputs_give_equal_trials() -> None:
    first, again = trials(known(cube_sheet())), trials(known(cube_sheet()))
    assert {t.kind for t in first} == set(KINDS)
    assert [t.scan for t in first] == [t.scan for t in again]
    assert {t.kind for t in trials(known(cube_sheet()), ("mass", "scale"))} == {"mass", "scale"}


def test_sizes_are_in_the_files_own_numbers() -> None:
    in_metres = known(cube_sheet(), factor=1.0)
    offsets = {t.told: t.scan.size for t in trials(in_metres, ("offset",)) if t.scan}
    assert offsets["1 mm"] == pytest.approx(0.001)
    assert {t.told: t.scan.size for t in trials(known(cube_sheet()), ("offset",)) if t.scan}["1 mm"] == pytest.approx(1)
    (noise,) = trials(in_metres, ("noise",))
    assert noise.scan is not None
    assert noise.scan.size**2 + 5e-5**2 == pytest.approx((3 * 5e-5) ** 2)


def edited(trial: Trial, sheet: Sheet) -> Sheet:
    assert trial.edit is not None
    return trial.edit(sheet)


def test_two_readings_change_places_and_nothing_else() -> None:
    sheet = load_sheet(ROOT / "fixtures/bracket/measurements.yaml")[0]
    wide = trials(known(sheet), ("swapped_readings",))[-1]
    assert wide.of == "extent_x, upright"
    by_id = {r.id: r for r in edited(wide, sheet).readings}
    old = {r.id: r for r in sheet.readings}
    assert (by_id["extent_x"].values, by_id["upright"].values) == (old["upright"].values, old["extent_x"].values)
    assert {i for i in old if by_id[i] != old[i]} == {"extent_x", "upright"}
    assert by_id["extent_x"].role == "calibrate"


def test_readings_that_agree_may_change_places() -> None:
    assert all(t.harmless for t in trials(known(cube_sheet()), ("swapped_readings",)))


def test_a_leak_measures_the_check_again_as_calibrate() -> None:
    sheet = cube_sheet()
    same, aside = trials(known(sheet), ("leak",))
    with pytest.raises(InvalidInputError) as caught:
        parse_sheet(sheet_text(edited(same, sheet)).encode(), "sheet.yaml", None)
    assert caught.value.code == "R2S231"
    leaked = edited(aside, sheet).readings[-1]
    assert (leaked.id, leaked.role) == ("faces_x_again", "calibrate")
    old = next(r for r in sheet.readings if r.id == "faces_x")
    assert leaked.values == old.values
    assert old.feature.start is not None
    assert leaked.feature.start == pytest.approx((old.feature.start[0], old.feature.start[1] + 1, old.feature.start[2]))


def test_a_mass_is_misread_with_its_accuracy() -> None:
    sheet = cube_sheet()
    heavy = edited(trials(known(sheet), ("mass",))[-1], sheet)
    assert heavy.mass is not None
    assert (heavy.mass.value, heavy.mass.accuracy) == pytest.approx((94.0, 0.5))


def test_a_sheet_made_on_the_mirrored_scan_follows_it() -> None:
    sheet = load_sheet(ROOT / "fixtures/bracket/measurements.yaml")[0]
    flipped = moved_picks(sheet, ((-1, 0, 0, 60), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)), ends=True)
    assert [p.end for p in sheet.com] == ["max", "min"]
    assert [p.end for p in flipped.com] == ["min", "min"]
    old, new = (next(r.feature for r in s.readings if r.id == "upright") for s in (sheet, flipped))
    assert old.start is not None
    assert new.start == pytest.approx((60 - old.start[0], *old.start[1:]))


def test_what_cannot_be_tried_says_why() -> None:
    bare = dataclasses.replace(cube_sheet(), readings=(), mass=None)
    why = {t.kind: t.impossible for t in trials(known(bare, pieces=1)) if t.impossible}
    assert why == {
        "piece": "the asset is one piece",
        "swapped_readings": "the sheet has fewer than two readings",
        "leak": "no reading has the role check",
        "mass": "the sheet has no mass",
    }


# --- what counts as seen ---------------------------------------------------------------------------------------------

SOUND = Sight(None, {}, {"a": "PASS"}, 0.01, 5e-5, "mm", False, 1.0)
HOLE = Diagnostic("warning", "R2S420", "underside not in the scan: closed flat, 3106 mm^2")


def told(**changes: Any) -> list[tuple[str, str]]:
    return [(f.how, f.code) for f in seen(SOUND, dataclasses.replace(SOUND, **changes))]


def test_a_build_that_says_the_same_saw_nothing() -> None:
    assert told() == []


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"error": Diagnostic("error", "R2S303", "they disagree")}, ("stopped", "R2S303")),
        ({"warnings": {("R2S420", "underside"): HOLE}}, ("warned", "R2S420")),
        ({"verdicts": {"a": "FAIL"}}, ("turned down", "R2S642")),
        ({"verdicts": {"a": "INCONCLUSIVE"}}, ("turned down", "R2S631")),
        ({"net": 0.031}, ("not covered", "")),
        ({"unit": "um"}, ("corrected", "R2S305")),
        ({"unit": "free"}, ("corrected", "R2S306")),
        ({"applied": True, "factor": 0.99}, ("corrected", "")),
        ({"noise": 7.6e-5}, ("estimated", "")),
    ],
)
def test_what_is_new_is_seen(changes: dict[str, Any], found: tuple[str, str]) -> None:
    assert told(**changes) == [found]


@pytest.mark.parametrize("changes", [{"net": 0.03}, {"noise": 7.4e-5}, {"net": float("nan")}, {"verdicts": {}}])
def test_what_is_within_the_limits_is_not(changes: dict[str, Any]) -> None:
    assert told(**changes) == []


def test_what_the_sound_build_said_already_is_nothing_new() -> None:
    sound = dataclasses.replace(SOUND, net=0.2, verdicts={"a": "FAIL"}, applied=True, factor=0.99)
    assert seen(sound, dataclasses.replace(sound, net=0.3, factor=0.98)) == ()


def build(*said: Diagnostic, failure: Any = None) -> Any:
    report = {
        "passes": [{"terms": [{"id": "ingest.noise", "u": 1e-4}, {"id": "ingest.net_normal", "value": 0.02}]}],
        "features": [{"id": "a", "verdict": "INCONCLUSIVE"}],
        "unit": {"unit": "mm"},
        "scale": {"applied": False, "factor": 1.0},
    }
    return SimpleNamespace(report=report, diagnostics=said, failure=failure)


def test_a_warning_is_known_by_its_words_before_the_first_number() -> None:
    """A figure that moved is no new warning; another reading under the same code is."""
    other = dataclasses.replace(HOLE, message="underside not in the scan: closed flat, 2900 mm^2")
    assert seen(sight_of(build(HOLE), whole=True), sight_of(build(other), whole=True)) == ()
    one, two = (Diagnostic("warning", "R2S631", f"check {n} (step) is inconclusive: 0.2") for n in ("a", "b"))
    assert [f.words for f in seen(sight_of(build(one), whole=True), sight_of(build(one, two), whole=True))] == [
        two.message
    ]


def test_notes_are_not_seen_and_before_the_asset_no_judge_is_heard() -> None:
    note = Diagnostic("note", "R2S703", "fill unknown")
    judge = Diagnostic("warning", "R2S631", "check a is inconclusive: there is no compiled model")
    early = sight_of(build(note, judge), whole=False)
    assert (dict(early.warnings), dict(early.verdicts)) == ({}, {})
    whole = sight_of(build(note, judge), whole=True)
    assert [code for code, _ in whole.warnings] == ["R2S631"]
    assert (whole.noise, whole.net) == (1e-4, 0.02)


def test_a_place_in_a_scratch_file_is_not_shown() -> None:
    error = CalipersDisagreeError("R2S231", "measurements.yaml:168:12: a is calibrate here")
    (found,) = seen(SOUND, sight_of(error, whole=False))
    assert (found.words, found.shares) == ("a is calibrate here", "nothing: the sheet against itself")


def test_the_screen_names_what_was_missed_and_by_which_blind_spot() -> None:
    spot = "scale under 0.2 %: the smallest that shows"
    by = {"how": "corrected", "code": "", "words": "the scale fit", "shares": "the calibrate readings"}
    document = {
        "name": "cube",
        "scan": {"name": "scan.ply"},
        "pipeline": "ingest",
        "trials": [{"kind": "scale", "of": "", "told": "0.1 %", "outcome": "missed", "blind_spot": spot}],
        "table": [
            {
                "corruption": "scale",
                "tried": ["0.1 %", "1 %", "2 %"],
                "smallest_seen": "1 %",
                "seen_by": by,
                "missed": ["0.1 %"],
                "harmless": [],
                "why": "",
            }
        ],
        "blind_spots": [spot],
    }
    lines = screen(document).splitlines()
    assert "scale       0.1 % .. 2 %  1 %" in lines[2]
    assert "corrected: the scale fit" in lines[2]
    assert lines[3] == "missed   scale: 0.1 % (blind: scale under 0.2 %)"
    assert lines[4] == f"blind    {spot}"
