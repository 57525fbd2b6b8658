"""
The walk-through of docs/add-a-pass.md, done as a reader would: its files written, its commands run,
its test passing.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "add-a-pass.md").read_text()
FILES = re.findall(r"```\w+ file=(\S+)\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = re.findall(r"```console run\n\$ ([^\n]+)\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reader's package, installed into a folder of its own as pip would install it."""
    folder = tmp_path_factory.mktemp("reader")
    for name, text in FILES:
        (folder / name).write_text(text)
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", "site", "."]
    subprocess.run(pip, cwd=folder, check=True, capture_output=True)
    (folder / "scan.ply").write_bytes(thinned((ROOT / "fixtures" / "cube" / "scan.ply").read_bytes(), 5))
    shutil.copy(ROOT / "fixtures" / "cube" / "measurements.yaml", folder)
    return folder


def thinned(ply: bytes, every: int) -> bytes:
    """Return the binary PLY *ply*, which holds points alone, with one in *every*: its surface takes half the time."""
    head, end, body = ply.partition(b"end_header\n")
    count = int(re.search(rb"element vertex (\d+)", head)[1])  # type: ignore[index]  # every PLY of ours has it
    size, rest = divmod(len(body), count)
    assert rest == 0
    kept = [body[start : start + size] for start in range(0, len(body), size * every)]
    return head.replace(b"vertex %d" % count, b"vertex %d" % len(kept)) + end + b"".join(kept)


def run(command: list[str], package: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(package / "site"), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path, "R2S_CACHE": str(package / "cache"), "NO_COLOR": "1", **environment}
    return subprocess.run(command, cwd=package, env=env, capture_output=True, text=True, timeout=300)


def test_the_page_holds_what_this_test_runs() -> None:
    assert [name for name, _ in FILES] == ["snap.py", "pyproject.toml", "test_snap.py"]
    assert len(COMMANDS) == 2


def test_its_own_test_passes_and_can_fail(package: Path) -> None:
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_snap.py"]
    plain = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # what others installed beside pytest takes seconds to load
    assert run(words, package, **plain).returncode == 0

    module = package / "site" / "snap.py"
    text = module.read_text()
    module.write_text(text.replace("* self.grid\n", "* self.grid * 1.5\n"))
    (package / "snap.py").rename(package / "snap.txt")
    try:
        assert run(words, package, **plain).returncode == 1
    finally:
        module.write_text(text)
        (package / "snap.txt").rename(package / "snap.py")


def test_passes_prints_what_the_page_says(package: Path) -> None:
    command, expected = COMMANDS[0]
    words = shlex.split(command)
    made = run([str(Path(sys.executable).with_name(words[0])), *words[1:]], package)

    assert made.returncode == 0
    assert expected.strip().splitlines() == made.stdout.splitlines()[: len(expected.strip().splitlines())]


def test_the_build_reports_the_new_terms(package: Path) -> None:
    words = shlex.split(COMMANDS[1][0])
    made = run([str(Path(sys.executable).with_name(words[0])), *words[1:]], package)

    assert made.returncode == 0, made.stderr
    report = json.loads(made.stdout)["report"]
    terms = {t["id"]: t for p in report["passes"] for t in p["terms"]}
    forward = next(b for b in report["bounds"] if b["direction"] == "forward")
    assert 0 < terms["snap.forward"]["maximum"] <= 0.02e-3 * 3**0.5 / 2
    assert "snap.forward" in [p["term"] for p in forward["parts"]]
