"""Builds killed at random moments, and four at once: the XML and every file it names; the rerun is the clean build."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import trimesh
from tests_support import COMMAND, files

KILLS = int(os.environ.get("R2S_KILLS", "50"))

SHEET = """\
schema: 1
object: bracket
instrument: {kind: digital_caliper, unit: mm}
measurements:
  - {feature: extent_x, value: 80.0}
  - {feature: extent_y, value: 50.0, role: check}
mass: {value: 60, unit: g}
"""

pytestmark = pytest.mark.slow


def start(folder: Path, cache: Path, *more: str) -> subprocess.Popen[bytes]:
    words = [
        COMMAND,
        folder / "scan.stl",
        "--calipers",
        folder / "measurements.yaml",
        "-o",
        folder / "out" / "part.xml",
    ]
    env = {**os.environ, "R2S_CACHE": str(cache)}
    command = [*map(str, words), "-q", *more]
    return subprocess.Popen(command, env=env, start_new_session=True, stderr=subprocess.DEVNULL)


def place(folder: Path) -> Path:
    """Make *folder* with an L-shaped bracket, whose asset names several meshes, and its sheet."""
    folder.mkdir(parents=True, exist_ok=True)
    foot = trimesh.creation.box(bounds=[(0, 0, 0), (80, 50, 12)])
    back = trimesh.creation.box(bounds=[(0, 0, 0), (14, 50, 45)])
    trimesh.boolean.union([foot, back]).export(folder / "scan.stl")
    (folder / "measurements.yaml").write_text(SHEET)
    return folder


def whole(folder: Path) -> bool:
    """Return whether the XML parses and every mesh it names is there with the hash in its name."""
    import hashlib

    path = folder / "out" / "part.xml"
    if not path.exists():
        return True
    root = ET.parse(path).getroot()
    meshdir = root.find("compiler").attrib["meshdir"]  # type: ignore[union-attr]  # every asset has one
    for mesh in root.iter("mesh"):
        if "file" in mesh.attrib:
            data = (folder / "out" / meshdir / mesh.attrib["file"]).read_bytes()
            assert hashlib.sha256(data).hexdigest()[:8] in mesh.attrib["file"]
    return True


def test_killed_builds_leave_nothing_half_written(tmp_path: Path) -> None:
    clean = place(tmp_path / "clean")
    begun = time.monotonic()
    assert start(clean, tmp_path / "clean-cache").wait() == 0
    took = time.monotonic() - begun
    wanted = files(clean / "out")
    dice = random.Random(20261130)
    shared, cache = place(tmp_path / "killed"), tmp_path / "cache"
    for turn in range(KILLS):
        if turn % 5 == 4:
            shutil.rmtree(cache, ignore_errors=True)  # late passes and early ones both get their share of kills
        # another option makes another asset, so that old and new files differ
        more = ("-p", f"emit.origin={dice.choice(['com', 'scan'])}") if turn % 2 else ()
        process = start(shared, cache, *more)
        time.sleep(dice.uniform(0, 1.1 * took))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert whole(shared), turn

    assert start(shared, cache).wait() == 0
    assert files(shared / "out") == wanted


def test_four_builds_at_once_on_one_cache(tmp_path: Path) -> None:
    clean = place(tmp_path / "clean")
    assert start(clean, tmp_path / "clean-cache").wait() == 0
    wanted = files(clean / "out")
    same, cache = place(tmp_path / "same"), tmp_path / "cache"
    folders = [same, same, place(tmp_path / "c"), place(tmp_path / "d")]
    at_once = [start(f, cache) for f in folders]

    assert [p.wait() for p in at_once] == [0, 0, 0, 0]
    assert all(files(f / "out") == wanted for f in folders)
