"""The command as a user types it: options, refusals, exit codes, what is printed where."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from conftest import once
from tests_support import COMMAND

Here = Callable[..., tuple[int, str, str]]

SHEET = """\
schema: 1
object: brick
instrument: {kind: digital_caliper, unit: mm}
measurements:
  - {feature: extent_x, value: 80.0}
  - {feature: extent_y, value: 50.0, role: check}
density: {value: 1240, unit: kg/m^3}
"""


def lay(folder: Path) -> Path:
    """Put into *folder* a closed box of 80 x 50 x 40, in numbers that are millimetres, and its sheet."""
    trimesh.creation.box(extents=(80, 50, 40)).export(folder / "brick.stl")
    (folder / "brick.yaml").write_text(SHEET)
    return folder


def run(place: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "R2S_CACHE": str(place / "cache"), "NO_COLOR": "1", **environment}
    command = [str(COMMAND), *words]
    return subprocess.run(command, cwd=place, env=env, capture_output=True, text=True, timeout=200)


def report(place: Path, name: str = "out/brick.report.json") -> dict[str, Any]:
    return json.loads((place / name).read_text())


MAIN = ("brick.stl", "--calipers", "brick.yaml", "-o", "out/brick.xml")


@pytest.fixture(scope="session")
def first(shared: Path) -> Path:
    """The brick built once in a run, from an empty cache: what was written, the cache, and what was printed."""

    def make(folder: Path) -> None:
        made = run(lay(folder), *MAIN)
        (folder / "printed.json").write_text(json.dumps([made.returncode, made.stdout, made.stderr]))

    return once(shared / "command-brick", make)


@pytest.fixture
def brick(tmp_path: Path) -> Path:
    """A folder with the brick and its sheet; no cache."""
    return lay(tmp_path)


@pytest.fixture
def warm(brick: Path, first: Path) -> Path:
    """That folder, and a cache of its own in which the brick's passes are found; nobody has asked its check yet."""
    shutil.copytree(first / "cache", brick / "cache", ignore=shutil.ignore_patterns("checks"))
    return brick


def test_the_main_job(first: Path) -> None:
    code, out, err = json.loads((first / "printed.json").read_text())

    assert code == 0, err
    assert "CHECK PASS" in out
    assert "millimetres" in err
    assert "wrote" in out
    assert report(first)["passes"][3]["name"] == "decompose"
    mass = next(s for s in report(first)["slots"] if s["name"] == "mass")
    assert mass["nominal"] == pytest.approx(0.08 * 0.05 * 0.04 * 1240, rel=1e-6)


def test_words_about_the_pieces(warm: Path) -> None:
    box = run(warm, *MAIN, "-q")
    mesh = run(warm, "brick.stl", "--calipers", "brick.yaml", "-o", "out/mesh.xml", "-q", "--no-primitives", "-O", "3")

    assert (box.returncode, mesh.returncode) == (0, 0)
    assert 'type="box"' in (warm / "out" / "brick.xml").read_text()
    assert 'type="box"' not in (warm / "out" / "mesh.xml").read_text()
    options = {p["name"]: p["options"] for p in report(warm, "out/mesh.manifest.json")["passes"]}
    assert (options["decompose"]["share"], options["decompose"]["primitives"]) == (0.005, False)


def test_json_is_one_document_with_the_report(warm: Path) -> None:
    made = run(warm, *MAIN, "--json", "-MD")
    told = json.loads(made.stdout)

    assert (told["schema"], told["exit_code"], told["failure"]) == ("r2s-build/1", 0, None)
    assert told["report"] == report(warm)
    assert set(told["written"]) == {
        f"out/{p.relative_to(warm / 'out')}" for p in (warm / "out").rglob("*.*") if p.is_file()
    }
    assert told["written"][-1] == "out/brick.xml"  # in the order of writing
    assert [line(d) for d in told["diagnostics"]] == made.stderr.splitlines()


def line(diagnostic: dict[str, str]) -> str:
    """Return a diagnostic as the terminal shows it."""
    hint = f"; {diagnostic['hint']}" if diagnostic["hint"] else ""
    return f"{diagnostic['severity']}: {diagnostic['message']}{hint} [{diagnostic['code']}]"


@pytest.mark.parametrize(
    ("words", "code", "written"),
    [
        (("brick.stl", "--calipers", "wrong.yaml", "-o", "out/brick.xml"), 6, ["out/brick.failed.report.json"]),
        (("brick.stl", "--calipers", "none.yaml", "-o", "out/brick.xml"), 3, []),
        (("brick.stl", "--calipers", "brick.yaml", "--stop-after", "emits"), 2, []),
    ],
)
def test_json_tells_the_failure_too(warm: Path, words: tuple[str, ...], code: int, written: list[str]) -> None:
    (warm / "wrong.yaml").write_text(SHEET.replace("value: 50.0", "value: 60.0"))
    made = run(warm, *words, "--json")
    told = json.loads(made.stdout)

    assert (made.returncode, told["exit_code"]) == (code, code)
    assert line(told["failure"]) == made.stderr.splitlines()[-1]
    assert told["written"] == written
    assert (told["report"] is None) == (code in (2, 3))
    if code == 6:
        assert told["report"] == report(warm, "out/brick.failed.report.json")


def test_stop_after_reports_and_writes_nothing(warm: Path) -> None:
    made = run(warm, "brick.stl", "--calipers", "brick.yaml", "--stop-after", "surface", "--json")

    assert made.returncode == 0
    assert [p["name"] for p in json.loads(made.stdout)["report"]["passes"]] == ["ingest", "surface"]
    assert json.loads(made.stdout)["written"] == []
    assert not (warm / "out").exists()


def test_over_budget_is_exit_4_and_no_asset(brick: Path) -> None:
    sphere = trimesh.creation.icosphere(subdivisions=2, radius=30.0)
    bumps = 1 + 0.03 * np.sin(sphere.vertices[:, 0]) * np.cos(sphere.vertices[:, 1])
    trimesh.Trimesh(sphere.vertices * bumps[:, None], sphere.faces).export(brick / "bumpy.stl")
    made = run(brick, "bumpy.stl", "--unit", "mm", "-o", "out/bumpy.xml", "--budget", "decompose=0.01mm", "-q")

    assert made.returncode == 4
    assert made.stderr.splitlines()[-1].startswith("error: decompose lost")
    assert "of the 0.010 mm it may lose" in made.stderr
    assert not (brick / "out" / "bumpy.xml").exists()
    assert report(brick, "out/bumpy.failed.report.json")["budgets"][0]["held"] is False


def test_a_check_that_disagrees_is_exit_6(warm: Path) -> None:
    (warm / "brick.yaml").write_text(SHEET.replace("50.0, role", "52.0, role"))
    made = run(warm, *MAIN, "-q")

    assert made.returncode == 6
    assert "off by -2.00 mm" in made.stderr
    assert not (warm / "out" / "brick.xml").exists()


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("brick.stl",), 2, "no output is named"),
        (("brick.stl", "-o", "out/brick.obj"), 2, "is no name.xml"),
        (("brick.stl", "--unit", "furlong", "-o", "o.xml"), 2, "furlong"),
        (("brick.stl", "-o", "o.xml"), 3, "no unit"),
        (("missing.ply", "-o", "o.xml"), 3, "there is no file missing.ply"),
        ((".", "-o", "o.xml"), 3, "is a folder"),
        ((*MAIN, "-p", "decompose.max_eror=1mm"), 2, "did you mean 'max_error'"),
        ((*MAIN, "-p", "nonsense"), 2, "name=value"),
        ((*MAIN, "--passes", "ingest | emit"), 2, "emit wants Hulls"),
        ((*MAIN, "--device", "rgb"), 2, "did you mean 'rgbd'"),
        ((*MAIN, "--limit", "soon"), 2, "120s"),
        ((*MAIN, "--nonsense"), 2, "--nonsense"),
        ((*MAIN, "--unit", "m"), 3, "the calipers say 80 mm"),
        (("explain", "R2S999"), 2, "no code"),
        (("cache", "prune"), 2, "--older-than"),
    ],
)
def test_refusals_are_one_line(
    brick: Path, words: tuple[str, ...], code: int, says: str, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(brick)
    monkeypatch.setenv("R2S_CACHE", str(brick / "cache"))
    ended, _, told = here(*words)

    assert ended == code, told
    errors = [line for line in told.splitlines() if line.startswith("error")]
    assert len(errors) == 1
    assert says in errors[0]
    assert "Traceback" not in told
    assert not list(brick.glob("*.xml"))


def test_a_file_may_be_called_like_a_command(warm: Path) -> None:
    shutil.move(warm / "brick.stl", warm / "passes")
    made = run(warm, "./passes", "--calipers", "brick.yaml", "-o", "out/brick.xml", "-q")

    assert made.returncode == 0, made.stderr


def test_options_may_come_before_the_scan(warm: Path) -> None:
    made = run(warm, "-q", "-o", "out/brick.xml", "--calipers", "brick.yaml", "brick.stl")

    assert made.returncode == 0, made.stderr


def test_a_recipe_and_the_command_line_over_it(warm: Path) -> None:
    (warm / "r.yaml").write_text("options: [decompose.prune_error=0.3mm]\nprimitives: false\nbody: static\n")
    made = run(warm, *MAIN, "-q", "--recipe", "r.yaml", "--body", "free")

    assert made.returncode == 0, made.stderr
    options = {p["name"]: p["options"] for p in report(warm, "out/brick.manifest.json")["passes"]}
    assert options["decompose"]["prune_error"] == 0.0003
    assert options["decompose"]["primitives"] is False
    assert options["emit"]["body"] == "free"


def test_help_and_lists(brick: Path) -> None:
    listed, explained, helped = run(brick, "passes"), run(brick, "explain", "r2s641"), run(brick, "build", "--help")

    assert "surface  Scan -> Surface" in listed.stdout
    assert "What to do:" in explained.stdout
    assert "--within" in helped.stdout
    assert (brick / "cache").exists() is False


def test_the_cache_is_listed_and_pruned(warm: Path) -> None:
    run(warm, *MAIN, "-q")
    listed = run(warm, "cache", "list")
    pruned = run(warm, "cache", "prune", "--all")

    assert "objects" in listed.stdout
    assert pruned.stdout.startswith("removed ")
    left = [p.relative_to(warm / "cache").parts[0] for p in (warm / "cache").rglob("*") if p.is_file()]
    assert left == ["checks"]  # who could empty the log could ask a check until it passes
