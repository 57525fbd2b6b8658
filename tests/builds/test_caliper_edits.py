"""What an edit of the sheet reruns: a caliper edit scale and emit only, a check edit nothing of the asset."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from tests_support import CUBE

from r2s.compiler.driver import Build, Request, run


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the cube's scan and sheet."""
    for name in ("scan.ply", "measurements.yaml"):
        shutil.copy(CUBE / name, tmp_path)
    return tmp_path


def build(place: Path) -> Build:
    made = run(
        Request(place / "scan.ply", place / "out" / "cube.xml", place / "measurements.yaml", cache=place / "cache")
    )
    assert made.failure is None
    return made


def asset(place: Path) -> dict[str, bytes]:
    """Bytes of the asset itself: XML, scene, slots and meshes."""
    return {
        str(p.relative_to(place)): p.read_bytes()
        for p in sorted((place / "out").rglob("*"))
        if p.is_file() and not p.name.endswith(("report.json", "manifest.json"))
    }


def edit(place: Path, role: str, by: float) -> None:
    """Move every reading of *role* by *by* mm."""
    path = place / "measurements.yaml"
    lines = path.read_text().splitlines()
    pattern = re.compile(r"(?<=[\[ ])(5[67]\.\d+)(?=[,\]} ])")
    changed = [pattern.sub(lambda m: f"{float(m[1]) + by:.2f}", line) if role in line else line for line in lines]
    assert changed != lines
    path.write_text("\n".join(changed) + "\n")


def test_edits_rerun_only_what_they_must(place: Path) -> None:
    first = build(place)
    before = asset(place)
    assert [t.hit for t in first.traces] == [False] * 6

    edit(place, "check", 0.02)
    checked = build(place)
    assert [t.hit for t in checked.traces] == [True] * 6
    assert asset(place) == before
    assert checked.report["asset"] == first.report["asset"]
    assert checked.report != first.report

    edit(place, "calibrate", 0.01)
    calibrated = build(place)
    assert [t.name for t in calibrated.traces if not t.hit] == ["scale", "emit"]
    assert calibrated.report["features"][0]["caliper"]["value"] == pytest.approx(
        first.report["features"][0]["caliper"]["value"] + 1e-5
    )


def test_a_failed_check_leaves_the_earlier_asset(place: Path) -> None:
    build(place)
    before = asset(place)
    edit(place, "check", 3.0)
    request = Request(
        place / "scan.ply", place / "out" / "cube.xml", place / "measurements.yaml", cache=place / "cache"
    )
    made = run(request)

    assert made.failure is not None
    assert made.failure.exit_code == 6
    assert asset(place) == before
    failed = json.loads((place / "out" / "cube.failed.report.json").read_text())
    assert failed["verdict"]["check"] == "FAIL"
