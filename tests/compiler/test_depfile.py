"""Depfiles as GNU make reads them: every name that is not refused is the file that make looks at."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from r2s.compiler.depfile import depfile
from r2s.compiler.errors import UsageError

OLD, MADE, NEW = 50, 100, 200  # seconds since the epoch

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="GNU make is absent")


def make(folder: Path, goal: str) -> str:
    """Run make on *goal* with the depfile; return what it said, empty if it found nothing to do."""
    # on the command line, a name with = would be a variable
    goals = [] if "=" in goal else ["--", goal]
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL")}
    done = subprocess.run(["make", "-rs", *goals], cwd=folder, capture_output=True, text=True, env=env)
    return done.stdout + done.stderr


def place(folder: Path, target: str, prerequisites: list[str]) -> bool:
    """Lay out the files with a depfile that make includes; return False if it was refused."""
    folder.mkdir()
    try:
        data = depfile(Path(target), map(Path, prerequisites))
    except UsageError:
        return False
    (folder / "made.d").write_bytes(data)
    (folder / "Makefile").write_text("include made.d\n%.xml: ; @echo built\n")
    for name in (target, *prerequisites):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
        os.utime(folder / name, (OLD, OLD))
    os.utime(folder / target, (MADE, MADE))
    return True


def holds(folder: Path, target: str, prerequisites: list[str]) -> None:
    """Assert that make looks at each prerequisite, and goes on where one was deleted."""
    assert make(folder, target) == "", (target, prerequisites)
    for name in prerequisites:
        os.utime(folder / name, (NEW, NEW))
        assert make(folder, target) == "built\n", (target, name)
        (folder / name).unlink()
        assert make(folder, target) == "built\n", (target, name)
        (folder / name).touch()
        os.utime(folder / name, (OLD, OLD))


ODD = [
    "my scan.ply",
    "a  b.ply",
    "cost$5.ply",
    "$(shell false).ply",
    "no#1.ply",
    "50%.csv",
    "12:30.ply",
    "lr=0.1.csv",
    "a+=b.ply",
    "scan (1).ply",
    "scan[2].ply",
    "what?*.ply",
    "this|that.csv",
    "this&that.csv",
    'Müller’s "mug".csv',
    "deep/er/scan.ply",
    "-scan.ply",
    ".hidden",
]


def test_every_odd_name_is_the_file_that_make_looks_at(tmp_path: Path) -> None:
    assert place(tmp_path / "all", "out/mug.xml", ODD)
    holds(tmp_path / "all", "out/mug.xml", ODD)


@pytest.mark.parametrize("name", [n.removesuffix(".ply").removesuffix(".csv").lstrip("-.") for n in ODD])
def test_an_odd_target_is_the_one_that_make_builds(tmp_path: Path, name: str) -> None:
    assert place(tmp_path / "one", f"{name}.xml", ["scan.ply"])
    holds(tmp_path / "one", f"{name}.xml", ["scan.ply"])


@pytest.mark.parametrize("name", ["a\nb", "a\tb", "a;b", "a\\b", "sheet(1)", "~me.ply", "ends ", "ends&", "5%*.ply"])
def test_a_name_that_make_cannot_hold_is_one_line(name: str) -> None:
    for target, prerequisite in ((f"{name}.xml", "scan.ply"), ("mug.xml", name)):
        if target.endswith((" .xml", ").xml", "&.xml")):
            continue  # no longer at the end
        with pytest.raises(UsageError, match=r"make cannot hold the name .*; rename the file.*\[R2S040\]"):
            depfile(Path(target), [Path(prerequisite)])


def test_names_at_random_hold_or_are_refused(tmp_path: Path) -> None:
    dice = random.Random(20270114)
    alphabet = " #$%:=*?[]~|&()'\",!{}<>`^@+-.;\\ab é1"
    kept = 0
    for turn in range(60):
        words = ["n" + "".join(dice.choices(alphabet, k=dice.randint(1, 5))) for _ in range(3)]
        target, prerequisites = f"{words[0]}.xml", sorted({f"{words[1]}.ply", words[2]})
        if "=" in target and "%" in target:
            continue  # a goal for neither the command line nor make's choice of the first one
        if place(tmp_path / str(turn), target, prerequisites):
            holds(tmp_path / str(turn), target, prerequisites)
            kept += 1
    assert kept > 20


def test_the_text(tmp_path: Path) -> None:
    found = depfile(Path("build/cube.xml"), [Path("scan.ply"), Path("my sheet.yaml"), Path("scan.ply")])

    assert found.decode() == "build/cube.xml: \\\n  scan.ply \\\n  my\\ sheet.yaml\n\nscan.ply:\n\nmy\\ sheet.yaml:\n"


def test_a_name_that_is_no_utf8_keeps_its_bytes() -> None:
    assert depfile(Path("cube.xml"), [Path(os.fsdecode(b"m\xfcg.ply"))]).startswith(b"cube.xml: \\\n  m\xfcg.ply\n")
