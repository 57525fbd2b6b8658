"""The difference of real builds: two options, two scans of one object, one build twice."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trimesh
from tests_support import COMMAND, CUBE, ROOT

from r2s.compiler.diff import diff, read_report
from r2s.compiler.driver import compile_asset
from r2s.compiler.pipeline import DEFAULT, Pipeline

pytestmark = pytest.mark.slow

RESCAN = ROOT / "fixtures" / "cube_rescan"
SHEET = """\
schema: 1
object: ball
instrument: {kind: digital_caliper, unit: mm}
measurements:
  - {feature: extent_x, value: 60.0}
  - {feature: extent_z, value: 60.0, role: check, tolerance: 2.0}
mass: {value: 100 g}
"""
BEFORE = {"ingest", "surface"}


@pytest.fixture(scope="module")
def balls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fine ball simplified to two errors, ``fine.xml`` and ``coarse.xml``, as meshes."""
    folder = tmp_path_factory.mktemp("balls")
    trimesh.creation.icosphere(subdivisions=4, radius=30.0).export(folder / "ball.stl")
    (folder / "m.yaml").write_text(SHEET)
    for name, error in (("fine", "0.05mm"), ("coarse", "0.8mm")):
        changes = [("simplify", "max_error", error), ("decompose", "primitives", "false")]
        pipeline = Pipeline.parse(DEFAULT).with_options(changes)
        output = folder / name / "ball.xml"
        compile_asset(folder / "ball.stl", output, folder / "m.yaml", pipeline=pipeline, cache=folder / "cache")
    return folder


def compared(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(COMMAND), "diff", *map(str, words)], capture_output=True, text=True, timeout=60)


def test_of_two_simplify_errors_the_pass_is_named_and_nothing_before_it_changed(balls: Path) -> None:
    found = diff(read_report(balls / "fine" / "ball.xml"), read_report(balls / "coarse" / "ball.xml"))

    assert found["first"] == {"pass": "simplify", "value": "differs", "why": ["option max_error"]}
    assert {p["name"] for p in found["passes"] if p["value"] == "equal"} == BEFORE
    assert not any(found[key] for key in ("inputs", "unit", "tools"))
    for row in found["features"]:
        moved = {stage: value["change"] for stage, value in row["stages"].items()}
        assert (moved["scan"], moved["surface"], row["estimate"]["change"]) == (0, 0, 0)
        assert 0.05e-3 < abs(moved["simplified"]) <= 2 * (0.8e-3 + 0.05e-3), "both ends may move by what is allowed"
        assert row["introduced"]["simplify"]["change"] == pytest.approx(moved["simplified"])
    (limit,) = found["passes"][2]["options"]
    assert (limit["at"], limit["change"]) == ("max_error", pytest.approx(0.75e-3))


def test_of_one_scan_every_inherited_error_cancels_and_simplify_is_named(balls: Path) -> None:
    """The estimate is of the scan, which is the same: only the asset moved, and it was simplify that moved it."""
    found = diff(read_report(balls / "fine" / "ball.xml"), read_report(balls / "coarse" / "ball.xml"))["statistics"]
    inherited = ("ingest.", "scale.", "surface.", "mass.balance")

    assert (found["one_scan"], found["from"]) == (True, "simplify")
    assert [row for row in found["rows"]["changed"] if row["id"].startswith(inherited)] == []
    of_tilt = {"ingest.contact.noise", "ingest.contact.registration"}  # a ball cut coarser rests otherwise
    assert {*found["rows"]["only_in_a"], *found["rows"]["only_in_b"]} <= of_tilt
    assert {"ingest.reading.extent_x", "ingest.registration.+x", "scale.fit"} <= set(found["rows"]["same"])
    for output in found["outputs"]:
        if output["name"] in ("extent_x", "extent_z", "volume", "mass"):
            assert (output["change"], output["u"], output["verdict"]) == (0, 0, "equal")
    for budget in found["u2"]:
        assert all(budget["by_pass"].get(p, 0.0) == 0 for p in ("ingest", "surface", "scale")), budget["name"]
    assert {e["id"]: e["pass"] for e in found["asset"]} == dict.fromkeys(("extent_x", "extent_z"), "simplify")
    assert {e["id"]: e["verdict"] for e in found["asset"]}["extent_x"] == "exact, material"


def test_the_command_prints_it_and_exits_1(balls: Path) -> None:
    made = compared(balls / "fine" / "ball.xml", balls / "coarse" / "ball.xml")

    assert made.returncode == 1
    assert "simplify is the first pass whose value differs: option max_error" in made.stdout
    assert made.stderr == ""
    assert json.loads(compared(balls / "fine" / "ball.xml", balls / "coarse" / "ball.xml", "--json").stdout)


def test_one_build_against_itself_is_the_same(balls: Path) -> None:
    made = compared(balls / "fine" / "ball.report.json", balls / "fine" / "ball.manifest.json")

    assert made.returncode == 0
    assert "same" in made.stdout


def test_trouble_is_2_or_more_and_one_line(balls: Path) -> None:
    made = compared(balls / "fine" / "ball.xml", balls / "ball.stl")

    assert made.returncode >= 2
    assert len(made.stderr.splitlines()) == 1
    assert made.stdout == ""


def lengths(folder: Path) -> dict[str, float]:
    """What the instrument of a fixture really reports, m: true lengths under its scale and offset."""
    truth = json.loads((folder / "truth.json").read_text())
    found: dict[str, float] = truth.get("lengths_scanned", truth["lengths"])
    return found


def scan_u(change: dict[str, Any]) -> float:
    """Standard uncertainty of the difference of two scans' readings, which have no noise in common."""
    return math.hypot(change["U95_a"], change["U95_b"]) / 2


def test_two_scans_of_one_cube_differ_as_their_instruments_do(built: Callable[[str], Path]) -> None:
    """Each reading's difference is that of the truth within 3 u, and has its sign where it is larger than that."""
    found = diff(read_report(built("cube")), read_report(built("cube_rescan")))
    true_a, true_b = lengths(CUBE), lengths(RESCAN)

    seen = 0
    assert {row["id"] for row in found["features"]} >= {"faces_x", "faces_y", "extent_z"}
    for row in found["features"]:
        change, true = row["stages"]["scan"], true_b[row["id"]] - true_a[row["id"]]
        assert abs(change["change"] - true) <= 3 * scan_u(change), row["id"]
        if abs(true) > 3 * scan_u(change):
            seen += 1
            assert math.copysign(1, change["change"]) == math.copysign(1, true)
    assert seen >= 2, "a difference that shows"
    assert found["first"]["pass"] == "ingest"
    assert "its input" in found["first"]["why"]
    statistics = found["statistics"]
    z = {output["name"]: output["z"] for output in statistics["outputs"]}
    assert statistics["rows"]["same"] == [], "another scan, another caliper, another sheet"
    assert all(abs(z[row["id"]]) < 3 for row in found["features"]), "it is one cube"
