"""Daily use: the Makefile that a lab copies, run by GNU make on objects of its own; and the one of this project."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import trimesh
from tests_support import COMMAND, CUBE, ROOT, files

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="GNU make is absent")

SHEET = """\
schema: 1
object: {name}
instrument: {{kind: digital_caliper, unit: mm}}
measurements:
  - {{feature: extent_x, value: 80.0}}
  - {{feature: extent_y, value: {width}, role: check}}
density: {{value: 1240, unit: kg/m^3}}
friction: {{slide: {{value: 0.5, lo: 0.4, hi: 0.6, readings: pulls.csv}}}}
"""


def place(lab: Path, name: str, scan: str, width: float = 50.0) -> Path:
    """Make the object *name*: a box of 80 x 50 x 40, whose sheet says that it is *width* wide, and a file it names."""
    folder = lab / "objects" / name
    folder.mkdir(parents=True)
    trimesh.creation.box(extents=(80, 50, 40)).export(folder / scan)
    (folder / "measurements.yaml").write_text(SHEET.format(name=name, width=width))
    (folder / "pulls.csv").write_text("0.49\n0.51\n")
    return folder


def make(lab: Path, *words: str, cache: str = "cache") -> subprocess.CompletedProcess[str]:
    """Run make in *lab* with a cache there, unless *cache* is an absolute path."""
    done = subprocess.run(command(*words), cwd=lab, env=surroundings(lab, cache), capture_output=True, text=True)
    print(done.stdout, done.stderr)  # noqa: T201  # shown where a test fails
    return done


def command(*words: str) -> list[str]:
    return ["make", "--no-print-directory", *words]


def surroundings(lab: Path, cache: str = "cache") -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    path = f"{COMMAND.parent}{os.pathsep}{kept['PATH']}"
    return {**kept, "PATH": path, "R2S_CACHE": str(lab / cache), "NO_COLOR": "1"}


def built(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the objects whose command make printed, sorted."""
    lines = [line for line in done.stdout.splitlines() if " --calipers " in line]
    return sorted(line.split("objects/")[1].split("/")[0] for line in lines)


def touch(path: Path) -> None:
    """Change the file's time and nothing else."""
    os.utime(path)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lab of two objects, built once; the tests work on copies."""
    lab = tmp_path_factory.mktemp("two") / "our lab"
    place(lab, "brick", "scan.stl")
    place(lab, "slab", "scan.stl")
    shutil.copy(ROOT / "docs" / "example" / "Makefile", lab)
    done = make(lab)
    assert done.returncode == 0
    assert built(done) == ["brick", "slab"]
    return lab


@pytest.fixture
def lab(made: Path, tmp_path: Path) -> Path:
    """A copy of the built lab, times and cache included, in a folder with a name that has to be quoted."""
    return shutil.copytree(made, tmp_path / "my lab")  # copytree keeps times


def up_to_date(lab: Path) -> bool:
    return make(lab, "-q").returncode == 0


def test_a_second_make_runs_nothing(lab: Path) -> None:
    assert up_to_date(lab)
    assert built(make(lab)) == []


def test_a_touched_sheet_rebuilds_that_object_alone_and_once(lab: Path) -> None:
    before = files(lab / "build")
    other = (lab / "build" / "slab.xml").stat().st_mtime_ns
    touch(lab / "objects" / "brick" / "measurements.yaml")

    assert not up_to_date(lab)
    assert built(make(lab)) == ["brick"]
    assert files(lab / "build") == before
    assert (lab / "build" / "slab.xml").stat().st_mtime_ns == other
    assert up_to_date(lab)


def test_what_only_the_depfile_knows_rebuilds_too(lab: Path) -> None:
    touch(lab / "objects" / "slab" / "pulls.csv")

    assert built(make(lab)) == ["slab"]
    assert up_to_date(lab)


def test_an_input_dated_ahead_is_built_once(lab: Path) -> None:
    tomorrow = time.time() + 86_400  # a memory card keeps local time
    os.utime(lab / "objects" / "brick" / "scan.stl", (tomorrow, tomorrow))

    assert built(make(lab)) == ["brick"]
    assert built(make(lab)) == []


def test_an_input_edited_during_the_build_is_built_again(lab: Path) -> None:
    sheet = lab / "objects" / "brick" / "measurements.yaml"
    depfile = lab / "build" / "brick.d"
    depfile.unlink()
    touch(sheet)
    process = subprocess.Popen(command(), cwd=lab, env=surroundings(lab), stdout=subprocess.DEVNULL)
    wait_for(depfile)  # all inputs were read when it is there
    sheet.write_text(sheet.read_text() + "# measured by somebody else\n")
    assert process.wait() == 0
    assert hash_of_sheet(lab) != sha256(sheet)

    assert built(make(lab)) == ["brick"]
    assert hash_of_sheet(lab) == sha256(sheet)
    assert up_to_date(lab)


def test_a_deleted_input_is_told_by_the_compiler_and_not_by_make(lab: Path) -> None:
    before = (lab / "build" / "brick.xml").read_bytes()
    pulls = lab / "objects" / "brick" / "pulls.csv"
    pulls.unlink()
    gone = make(lab)

    assert gone.returncode == 2
    assert "no such file beside the sheet" in gone.stderr
    assert "No rule to make target" not in gone.stderr
    assert (lab / "build" / "brick.xml").read_bytes() == before

    pulls.write_text("0.49\n0.51\n")
    assert built(make(lab)) == ["brick"]
    assert up_to_date(lab)


@pytest.mark.slow
def test_another_format_in_place_of_the_scan(lab: Path) -> None:
    folder = lab / "objects" / "brick"
    (folder / "scan.stl").unlink()
    trimesh.creation.box(extents=(80, 50, 40)).export(folder / "scan.ply")

    assert built(make(lab)) == ["brick"]
    assert "scan.ply" in (lab / "build" / "brick.d").read_text()
    assert up_to_date(lab)


@pytest.mark.slow
def test_a_recipe_that_appears_is_used_and_watched(lab: Path) -> None:
    recipe = lab / "objects" / "slab" / "recipe.yaml"
    recipe.write_text("within: 5mm\n")

    assert built(make(lab)) == ["slab"]
    assert budgets(lab, "slab") != []
    assert "objects/slab/recipe.yaml:" in (lab / "build" / "slab.d").read_text()
    recipe.write_text("level: 1\n")
    assert built(make(lab)) == ["slab"]
    assert budgets(lab, "slab") == []


@pytest.mark.slow
def test_options_of_one_object_in_the_makefile(lab: Path) -> None:
    rules = (lab / "Makefile").read_text()
    (lab / "Makefile").write_text(rules.replace("# build/mug.xml: FLAGS", "build/slab.xml: FLAGS"))
    done = make(lab)

    assert built(done) == ["brick", "slab"]  # the Makefile is an input of all
    assert (budgets(lab, "brick"), budgets(lab, "slab") != []) == ([], True)
    assert up_to_date(lab)


@pytest.mark.slow
def test_two_at_a_time_give_the_same_bytes(lab: Path) -> None:
    one_by_one = files(lab / "build")
    shutil.rmtree(lab / "build")

    assert built(make(lab, "-j2", cache="another")) == ["brick", "slab"]
    assert files(lab / "build") == one_by_one


@pytest.mark.slow
def test_a_failed_verdict_fails_make_and_leaves_the_old_asset(lab: Path) -> None:
    before = files(lab / "build")
    sheet = lab / "objects" / "brick" / "measurements.yaml"
    good = sheet.read_text()
    sheet.write_text(good.replace("value: 50.0", "value: 58.0"))
    touch(lab / "objects" / "slab" / "measurements.yaml")
    failed = make(lab, "-k")

    assert failed.returncode == 2
    assert "R2S642" in failed.stderr
    assert built(failed) == ["brick", "slab"]
    after = files(lab / "build")
    assert after.pop("brick.failed.report.json")
    assert after == before
    assert not up_to_date(lab)  # so it fails again, until somebody looks

    sheet.write_text(good)
    assert built(make(lab)) == ["brick"]
    assert files(lab / "build") == before


@pytest.mark.slow
def test_a_killed_make_leaves_the_old_asset_or_the_new_one(lab: Path) -> None:
    before = (lab / "build" / "brick.xml").read_bytes()
    recipe = lab / "objects" / "brick" / "recipe.yaml"
    recipe.write_text("origin: com\n")
    for pause in (0.2, 0.8, 1.4):
        shutil.rmtree(lab / "cache", ignore_errors=True)
        process = subprocess.Popen(
            command(), cwd=lab, env=surroundings(lab), stdout=subprocess.DEVNULL, start_new_session=True
        )
        time.sleep(pause)
        os.killpg(process.pid, signal.SIGKILL)  # make itself must not tidy up
        process.wait()
        assert (lab / "build" / "brick.xml").read_bytes() == before

    assert built(make(lab)) == ["brick"]
    assert (lab / "build" / "brick.xml").read_bytes() != before
    assert not [p.name for p in (lab / "build").rglob("*.tmp")]
    assert up_to_date(lab)


@pytest.mark.slow
def test_an_upgraded_compiler_makes_all_again_from_the_cache(lab: Path) -> None:
    # stands in for the script that pip writes anew
    tools = lab / "the tools"
    tools.mkdir()
    (tools / "r2s-compile").write_text(f'#!/bin/sh\nexec "{COMMAND}" "$@"\n')
    (tools / "r2s-compile").chmod(0o755)
    path = {**surroundings(lab), "PATH": f"{tools}{os.pathsep}{surroundings(lab)['PATH']}"}
    before = files(lab / "build")
    first = subprocess.run(command(), cwd=lab, env=path, capture_output=True, text=True)
    again = subprocess.run(command("-q"), cwd=lab, env=path)

    assert first.returncode == 0, first.stderr
    assert built(first) == ["brick", "slab"]
    assert files(lab / "build") == before
    assert again.returncode == 0


@pytest.mark.slow
def test_the_fixtures_of_this_project(tmp_path: Path, cube: Path, fixtures_cache: Path) -> None:
    """With the cache that holds the cube: what is under test is when make calls the compiler."""
    for part in ("compiler", "passes"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("cube", "twin"):
        shutil.copytree(CUBE, tmp_path / "fixtures" / name)

    def assets(*words: str) -> subprocess.CompletedProcess[str]:
        return make(tmp_path, *words, "assets", f"PYTHON={sys.executable}", cache=str(fixtures_cache))

    done = assets()
    assert done.returncode == 0, done.stderr
    assert named(done) == ["cube", "twin"]
    assert assets("-q").returncode == 0
    assert (tmp_path / "build" / "assets" / "cube.xml").read_bytes() == (cube / "cube.xml").read_bytes()
    touch(tmp_path / "fixtures" / "twin" / "measurements.yaml")
    assert named(assets()) == ["twin"]
    touch(tmp_path / "compiler" / "judge.py")
    assert named(assets("-j2")) == ["cube", "twin"]
    assert assets("-q").returncode == 0


def named(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the fixtures whose command make printed, sorted."""
    lines = [line for line in done.stdout.splitlines() if " --calipers " in line]
    return sorted(line.split("fixtures/")[1].split("/")[0] for line in lines)


def test_without_the_command_make_says_so(lab: Path) -> None:
    done = make(lab, "R2S=no-such-command")

    assert done.returncode == 2
    assert "there is no command no-such-command" in done.stderr


@pytest.mark.slow
def test_a_difference_from_the_baseline_is_shown_and_fails_only_ci(lab: Path) -> None:
    new = make(lab, "diff")
    assert new.returncode == 0
    assert "slab: nothing in baseline yet" in new.stdout
    assert make(lab, "accept").returncode == 0
    assert sorted(p.name for p in (lab / "baseline").iterdir()) == ["brick.report.json", "slab.report.json"]
    assert make(lab, "ci-brick").returncode == 0

    sheet = lab / "objects" / "brick" / "measurements.yaml"
    sheet.write_text(sheet.read_text().replace("value: 50.0", "value: 50.1"))
    shown = make(lab, "diff")
    assert shown.returncode == 0, shown.stderr
    assert built(shown) == ["brick"]
    assert "extent_y" in shown.stdout

    assert make(lab, "ci-slab").returncode == 0
    assert make(lab, "ci-brick").returncode == 2
    (lab / "baseline" / "slab.report.json").write_text("{}")
    assert make(lab, "diff").returncode == 2  # trouble is trouble


@pytest.mark.slow
def test_verify_finds_a_file_that_somebody_edited(lab: Path) -> None:
    assert make(lab, "verify").returncode == 0
    slots = lab / "build" / "slab.slots.json"
    slots.write_text(slots.read_text().replace("0.4", "0.3", 1))
    found = make(lab, "-k", "verify")

    assert found.returncode == 2
    assert "slab.slots.json" in found.stdout + found.stderr
    assert "brick.slots.json" not in found.stderr


def test_two_reports_by_the_makefile_of_this_project(lab: Path) -> None:
    python, brick, slab = f"PYTHON={sys.executable}", lab / "build" / "brick.xml", lab / "build" / "slab.xml"
    same, other = lab.parent / "same.xml", lab.parent / "other.xml"  # no spaces, which make would part A at
    for link, target in ((same, brick), (other, slab)):
        shutil.copy(target.with_name(f"{target.stem}.report.json"), link.with_name(f"{link.stem}.report.json"))
    words = ("-C", str(ROOT), "diff", python)

    assert make(lab, *words, f"A={same}", f"B={same}").returncode == 0
    differs = make(lab, *words, f"A={same}", f"B={other}")
    assert differs.returncode == 0, differs.stderr
    assert "slab" in differs.stdout
    assert make(lab, *words, f"A={same}", "B=none.report.json").returncode == 2
    assert "name two reports" in make(lab, *words, f"A={same}").stderr


def test_clean_keeps_what_cannot_be_made_again(lab: Path) -> None:
    before = files(lab / "objects")
    assert make(lab, "clean").returncode == 0

    assert not (lab / "build").exists()
    assert files(lab / "objects") == before


def budgets(lab: Path, name: str) -> list[Any]:
    """Return the budgets that the report of *name* judges."""
    found: list[Any] = json.loads((lab / "build" / f"{name}.report.json").read_text())["budgets"]
    return found


def hash_of_sheet(lab: Path) -> str:
    """Return the SHA-256 of the sheet that the brick was built from."""
    found: str = json.loads((lab / "build" / "brick.manifest.json").read_text())["inputs"]["calipers"]["sha256"]
    return found


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def wait_for(path: Path) -> None:
    """Return when *path* is there, within a minute."""
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
