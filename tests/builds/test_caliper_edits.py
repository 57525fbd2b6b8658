"""What an edit of the sheet reruns: a caliper edit scale and emit only, a check edit nothing of the asset."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import trimesh
from tests_support import CUBE

from r2s.compiler.driver import Build, Request, run


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Build]:
    """
    A folder with a box where the cube lies and the cube's sheet, and its first build, from an empty cache.

    A box is built in a fifth of the time; the last test looks at the cube itself.
    """
    folder = tmp_path_factory.mktemp("first")
    trimesh.creation.box(bounds=[(-7.1, -42.2, 5.7), (49.9, 14.8, 62.7)]).export(folder / "scan.ply")
    shutil.copy(CUBE / "measurements.yaml", folder)
    return folder, build(folder)


@pytest.fixture
def place(first: tuple[Path, Build], tmp_path: Path) -> Path:
    """A copy of that folder, cache and asset included."""
    return shutil.copytree(first[0], tmp_path / "copy")


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


def test_edits_rerun_only_what_they_must(place: Path, first: tuple[Path, Build]) -> None:
    before, made = asset(place), first[1]
    assert [t.hit for t in made.traces] == [False] * 6

    edit(place, "check", 0.02)
    checked = build(place)
    assert [t.hit for t in checked.traces] == [True] * 6
    assert asset(place) == before
    assert checked.report["asset"] == made.report["asset"]
    assert checked.report != made.report

    edit(place, "calibrate", 0.01)
    calibrated = build(place)
    assert [t.name for t in calibrated.traces if not t.hit] == ["scale", "emit"]
    assert calibrated.report["features"][0]["caliper"]["value"] == pytest.approx(
        made.report["features"][0]["caliper"]["value"] + 1e-5
    )


def test_a_failed_check_leaves_the_earlier_asset(place: Path) -> None:
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


@pytest.mark.slow
def test_of_the_scanned_cube_a_caliper_edit_reruns_scale_and_emit(
    cube: Path, fixtures_cache: Path, tmp_path: Path
) -> None:
    shutil.copy(CUBE / "measurements.yaml", tmp_path)
    edit(tmp_path, "calibrate", 0.01)
    made = run(Request(CUBE / "scan.ply", tmp_path / "cube.xml", tmp_path / "measurements.yaml", cache=fixtures_cache))

    assert made.failure is None
    assert [t.name for t in made.traces if not t.hit] == ["scale", "emit"]
    assert (tmp_path / "cube.xml").read_bytes() != (cube / "cube.xml").read_bytes()
