"""Equal inputs give equal bytes, in another folder, on other CPUs, under another hash seed, time zone and language."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests_support import COMMAND, CUBE, but_long, files

pytestmark = pytest.mark.slow


def build(scan: Path, sheet: Path, folder: Path, *more: str, cpus: set[int] | None = None, **environment: str) -> None:
    """Build into *folder*/out/part.xml with a cache of its own, on *cpus*."""
    folder.mkdir(parents=True)
    inputs = [shutil.copy(scan, folder / scan.name), shutil.copy(sheet, folder / sheet.name)]
    words = [COMMAND, inputs[0], "--calipers", inputs[1], "-o", folder / "out" / "part.xml", "-q", *more]
    env = {**os.environ, "R2S_CACHE": str(folder / "cache"), **environment}
    pin = (lambda: os.sched_setaffinity(0, cpus)) if cpus else None
    subprocess.run([str(w) for w in words], cwd=folder, env=env, check=True, preexec_fn=pin)  # one thread


def test_the_cube_is_equal_to_the_byte(tmp_path: Path) -> None:
    scan, sheet = CUBE / "scan.ply", CUBE / "measurements.yaml"
    first = min(os.sched_getaffinity(0))
    build(scan, sheet, tmp_path / "a", cpus={first}, PYTHONHASHSEED="1", TZ="UTC", LANG="C")
    build(scan, sheet, tmp_path / "other" / "place", PYTHONHASHSEED="77", TZ="Asia/Kathmandu", LANG="de_DE.UTF-8")

    one, two = files(tmp_path / "a" / "out"), files(tmp_path / "other" / "place" / "out")
    assert one.keys() == two.keys()
    assert [name for name in one if one[name] != two[name]] == []


@pytest.mark.parametrize("name", but_long(("011_banana", "058_golf_ball"), ("058_golf_ball",)))
def test_real_scans_are_equal_to_the_byte(data: Path, tmp_path: Path, name: str) -> None:
    folder = data / "ycb" / name
    scan, sheet = folder / "scan.ply", folder / "measurements.yaml"
    first = min(os.sched_getaffinity(0))
    build(scan, sheet, tmp_path / "a", "--unit", "m", cpus={first}, PYTHONHASHSEED="1", TZ="UTC", LANG="C")
    build(scan, sheet, tmp_path / "b", "--unit", "m", PYTHONHASHSEED="2", TZ="Asia/Kathmandu", LANG="tr_TR.UTF-8")

    assert files(tmp_path / "a" / "out") == files(tmp_path / "b" / "out")
