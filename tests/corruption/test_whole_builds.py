"""
Whole builds of scans that are wrong in one physical way, and which check of the compiler sees it.

Two scans with known truth: the brick, a closed mesh, and clouds sampled from it.  What no check can see is here too,
and then the report must say that it is blind to it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corruptions import SHEET, Ended, box_cloud, brick, write_obj, write_ply
from tests_support import files

pytestmark = pytest.mark.slow  # a build takes seconds to half a minute

Command = Callable[..., Ended]
MESH = ("brick.obj", "--calipers", "brick.yaml", "-o", "out/brick.xml")


def report(place: Path, kind: str = "report") -> dict[str, Any]:
    return json.loads((place / "out" / f"brick.{kind}.json").read_text())


def row(place: Path, feature: str, kind: str = "report") -> dict[str, Any]:
    return next(r for r in report(place, kind)["features"] if r["feature"] == feature)


def scaled(place: Path, factor: float | np.ndarray, *, turned: bool = False) -> None:
    vertices, faces = brick()
    write_obj(place / "brick.obj", vertices * factor, faces[:, ::-1] if turned else faces)


def edit(place: Path, old: str, new: str) -> None:
    assert SHEET.count(old) == 1
    (place / "brick.yaml").write_text(SHEET.replace(old, new))


def test_the_good_build(command: Command, place: Path) -> None:
    ended = command(*MESH)

    assert (ended.exit_code, ended.codes) == (0, ["R2S305"])
    assert report(place)["verdict"]["check"] == "PASS"
    assert report(place)["scale"]["applied"] is False


# --- scale and unit ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("factor", "codes"), [(1.01, ["R2S305"]), (1.05, ["R2S305", "R2S602"])])
def test_a_scan_too_large_is_anchored_by_the_calipers(
    command: Command, place: Path, factor: float, codes: list[str]
) -> None:
    """1 % is corrected in silence but for its line, 5 % with a warning; the check reading confirms either."""
    scaled(place, factor)
    ended = command(*MESH)

    assert (ended.exit_code, ended.codes) == (0, codes)
    assert report(place)["scale"]["factor"] == pytest.approx(1 / factor, rel=1e-6)
    assert row(place, "extent_y")["error"]["value"] == pytest.approx(0, abs=1e-6)
    assert row(place, "extent_y")["introduced"]["scale"] == pytest.approx(0.05 * (1 - factor), rel=1e-6)
    if "R2S602" in codes:
        assert f"corrected by {1 / factor - 1:+.2%}" in ended.line("R2S602")


def test_a_scan_too_large_that_may_not_be_touched_fails_its_check(command: Command, place: Path) -> None:
    scaled(place, 1.05)
    ended = command(*MESH, "--scale", "verify")

    assert ended.exit_code == 6
    assert "off by +2.50 mm against a tolerance of 0.50 mm" in ended.line("R2S642")
    assert {p.name for p in (place / "out").iterdir()} == {"brick.failed.report.json"}


@pytest.mark.parametrize(("factor", "unit"), [(0.1, "cm"), (1 / 25.4, "in"), (0.001, "m")])
def test_a_scan_in_another_unit_makes_the_same_asset(command: Command, place: Path, factor: float, unit: str) -> None:
    scaled(place, factor)
    ended = command(*MESH)

    assert (ended.exit_code, report(place)["unit"]["unit"]) == (0, unit)
    assert row(place, "extent_x")["stages"]["model"]["value"] == pytest.approx(0.08, abs=1e-6)


def test_a_wrong_unit_leaves_an_earlier_asset_as_it_was(command: Command, place: Path) -> None:
    assert command(*MESH).exit_code == 0
    before = files(place / "out")
    ended = command(*MESH, "--unit", "cm")

    assert ended.exit_code == 3
    assert "--unit cm makes extent_x 800 mm, the calipers say 80 mm" in ended.line("R2S304")
    assert files(place / "out") == before


# --- readings ----------------------------------------------------------------------------------------------------


def test_a_check_value_off_by_two_millimetres_fails_and_changes_no_byte_of_an_asset(
    command: Command, place: Path
) -> None:
    assert command(*MESH).exit_code == 0
    before = files(place / "out")
    edit(place, "value: 50.0", "value: 52.0")
    ended = command(*MESH)
    after = files(place / "out")

    assert ended.exit_code == 6
    assert "the asset has 50.00 mm, the caliper 52.00 mm; off by -2.00 mm" in ended.line("R2S642")
    assert {k: v for k, v in after.items() if k != "brick.failed.report.json"} == before
    assert row(place, "extent_y", "failed.report")["verdict"] == "FAIL"


def test_calibrate_readings_that_contradict_each_other_end_the_build_with_a_report(
    command: Command, place: Path
) -> None:
    """2 % between two lengths of an exact scan: no unit and no tolerance explains that, and the report shows both."""
    assert command(*MESH).exit_code == 0
    before = files(place / "out")
    edit(place, "value: 40.0", "value: 40.8")
    ended = command(*MESH)
    after = files(place / "out")
    known = report(place, "failed.report")["scale"]["calibration"]

    assert ended.exit_code == 6
    assert "extent_x and extent_z lie" in ended.line("R2S643")
    assert "R2S606" in ended.codes
    assert {k: v for k, v in after.items() if k != "brick.failed.report.json"} == before
    assert [r["id"] for r in known["readings"]] == ["extent_x", "extent_z"]
    assert known["p"] < 0.003


def test_a_check_that_is_asked_until_it_passes_is_counted_outside_of_the_report(command: Command, place: Path) -> None:
    """Failed with one option, passed with another: a note and a count; again, the same bytes and count."""
    scaled(place, 1.04)
    failed = command(*MESH, "--scale", "verify", "--json")
    passed = command(*MESH, "--json")
    first = files(place / "out")
    again = command(*MESH, "--json")

    assert (failed.exit_code, passed.exit_code, again.exit_code) == (6, 0, 0)
    assert [json.loads(e.out)["check_reused"] for e in (failed, passed, again)] == [
        {"builds": 0, "turned_down": 0},
        {"builds": 1, "turned_down": 1},
        {"builds": 1, "turned_down": 1},
    ]
    assert "judged 1 other build of this scan and turned 1 down" in passed.line("R2S636")
    assert "R2S636" not in failed.codes
    assert files(place / "out") == first
    assert not any(b"R2S636" in data for data in first.values())


def exchange(place: Path, one: str, other: str) -> None:
    names = {one: other, other: one}
    (place / "brick.yaml").write_text(re.sub(f"{one}|{other}", lambda match: names[match[0]], SHEET))


def test_exchanged_readings_are_a_contradiction_or_another_way_up(command: Command, place: Path) -> None:
    """
    Exchanged x and z fit no turn of the scan: refused.

    Exchanged y and z are what a scan with y up looks like, and every length agrees, the check too: only a warning can
    tell, and it does.
    """
    exchange(place, "extent_x", "extent_z")
    refused = command(*MESH)
    exchange(place, "extent_y", "extent_z")
    turned = command(*MESH)

    assert refused.exit_code == 3
    assert "extent_z 0.002, extent_x 0.0005" in refused.line("R2S303")
    assert turned.exit_code == 0
    assert "the scan was rotated (axes +x-z+y)" in turned.line("R2S309")
    assert "one of the readings is exchanged" in turned.line("R2S309")
    assert report(place)["unit"]["axes"] == "+x-z+y"


def test_grams_typed_as_kilograms(command: Command, place: Path) -> None:
    edit(place, "value: 198.4, unit: g, accuracy: 0.5", "value: 198.4, unit: kg, accuracy: 0.5")
    ended = command(*MESH)

    assert ended.exit_code == 0
    assert f"{198.4 / (0.08 * 0.05 * 0.04):.3g}"[:4] in ended.line("R2S704").replace(",", "")


def test_a_density_for_a_mass(command: Command, place: Path) -> None:
    """1240 typed under mass is no mass of a brick; as a density it is one."""
    edit(place, "mass: {value: 198.4, unit: g, accuracy: 0.5}", "mass: {value: 1240, unit: kg}")
    heavy = command(*MESH)
    edit(place, "mass: {value: 198.4, unit: g, accuracy: 0.5}", "mass: {value: 1240, unit: kg/m^3}")
    refused = command(*MESH)
    edit(place, "mass: {value: 198.4, unit: g, accuracy: 0.5}", "density: {value: 1240, unit: kg/m^3}")
    good = command(*MESH)

    assert (heavy.exit_code, heavy.codes[-1]) == (0, "R2S704")
    assert refused.exit_code == 3
    assert "kg/m^3" in refused.line("R2S221")
    assert (good.exit_code, "R2S704" in good.codes) == (0, False)
    mass = next(s for s in report(place)["slots"] if s["name"] == "mass")
    assert mass["nominal"] == pytest.approx(0.08 * 0.05 * 0.04 * 1240, rel=1e-6)


def test_a_changed_friction_reaches_the_asset_and_nothing_else(command: Command, place: Path) -> None:
    assert command(*MESH).exit_code == 0
    before = report(place)
    edit(place, "value: 0.6, lo: 0.5, hi: 0.7", "value: 0.4, lo: 0.3, hi: 0.5")
    assert command(*MESH).exit_code == 0
    after = report(place)

    changed = [a["name"] for a, b in zip(before["passes"], after["passes"], strict=True) if a["digest"] != b["digest"]]
    assert changed == ["emit"]
    assert before["features"] == after["features"]
    slot = next(s for s in after["slots"] if s["name"] == "friction/slide")
    assert (slot["nominal"], slot["lo"], slot["hi"]) == (0.4, 0.3, 0.5)


# --- what lengths cannot see -------------------------------------------------------------------------------------


def test_a_mirrored_axis_is_a_blind_spot_and_the_report_says_so(command: Command, place: Path) -> None:
    """A mirrored mesh whose faces were turned as well has every length and volume right: no check can see it."""
    scaled(place, np.array([-1.0, 1.0, 1.0]), turned=True)
    ended = command(*MESH)

    assert (ended.exit_code, ended.codes) == (0, ["R2S305"])
    assert "mirror image: lengths do not change under reflection" in report(place)["blind_spots"]
    assert "mirror image" in ended.out


def test_a_mirrored_axis_that_left_the_faces_inside_out_is_seen(command: Command, place: Path) -> None:
    scaled(place, np.array([-1.0, 1.0, 1.0]))
    ended = command(*MESH)

    assert ended.exit_code == 0
    assert "inside out" in ended.line("R2S413")


# --- clouds ------------------------------------------------------------------------------------------------------


def cloud(place: Path, command: Command, points: np.ndarray, normals: np.ndarray | None = None) -> Ended:
    write_ply(place / "brick.ply", points, normals)
    return command("brick.ply", *MESH[1:])


def test_a_cloud_without_its_bottom_and_one_with_three_times_the_noise(command: Command, place: Path) -> None:
    """The missing side is told with its area; the noise is in the budget, and in every length that is read."""
    edit(place, "role: check", "role: check, tolerance: 2.0")  # one hull about noisy edges stands out by half a mm
    whole = cloud(place, command, *box_cloud(8_000, noise=0.05))
    quiet = row(place, "extent_y")["estimate"]["u"], report(place)
    bottomless = cloud(place, command, *box_cloud(8_000, noise=0.05, bottom=False))
    unseen = [t for p in report(place)["passes"] for t in p["terms"] if t["type"] == "Unobserved"]
    assert cloud(place, command, *box_cloud(8_000, noise=0.15)).exit_code == 0
    loud = row(place, "extent_y")["estimate"]["u"], report(place)

    assert (whole.exit_code, bottomless.exit_code) == (0, 0)
    assert "22 % of the surface" in bottomless.line("R2S420")
    assert unseen[0]["area"] == pytest.approx(0.08 * 0.05, rel=0.1)
    noise = [next(t["u"] for t in r["passes"][0]["terms"] if t["id"] == "ingest.noise") for _, r in (quiet, loud)]
    assert noise[1] / noise[0] == pytest.approx(3, rel=0.15)
    assert loud[0] > quiet[0]
    assert "R2S420" not in whole.codes


# --- the cache ---------------------------------------------------------------------------------------------------


def test_a_damaged_entry_of_the_cache_is_made_again_and_the_asset_is_the_same(
    command: Command, place: Path, tmp_path: Path
) -> None:
    """Half of every stored object cut off: a build from such a cache has the bytes of a fresh one."""
    own = ("--cache", str(tmp_path / "own"))
    assert command(*MESH, *own).exit_code == 0
    before = files(place / "out")
    for path in (tmp_path / "own" / "objects").rglob("*.npz"):
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2])
    ended = command(*MESH, *own)

    assert ended.exit_code == 0, ended.err
    assert files(place / "out") == before
