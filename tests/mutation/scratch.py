"""A copy of the repository that tests run in, so that the files people work on are never touched."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mutation.mutant import Mutant

LIBRARIES = ("pytest", "hypothesis", "numpy", "scipy.spatial", "scipy.optimize", "trimesh", "mujoco", "open3d", "click")

_FOLDERS = {"compiler": "compiler", "passes": "passes", "virtual_scanner": "fixtures/virtual_scanner"}
_LEFT_OUT = ("build", "dist", ".git", ".venv", "__pycache__", ".*_cache", ".hypothesis")


@dataclass(frozen=True)
class Run:
    """How a run of tests ended: pytest's exit status, None if it was stopped; what it printed; seconds on the clock."""

    status: int | None
    text: str
    seconds: float


class Scratch:
    """
    A working copy of *root* in a temporary folder, removed at the end; use as a context manager.

    Its tests import its own packages, as an import root goes before whatever is installed; *libraries* are loaded once.
    """

    def __init__(self, root: Path, libraries: Sequence[str] = LIBRARIES) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="r2s-mutation-")).resolve()
        self.root = self._folder / "repository"
        self._edits = 0
        shutil.copytree(root, self.root, symlinks=True, ignore=shutil.ignore_patterns(*_LEFT_OUT))
        self.links = self.root / "build" / "links"
        (self.links / "r2s").mkdir(parents=True)
        for name, folder in _FOLDERS.items():
            (self.links / "r2s" / name).symlink_to(self.root / folder)
        tests = self.root / "tests"
        environment = {
            "PYTHONPATH": os.pathsep.join(map(str, (self.links, tests / "mutation" / "hook", tests))),
            "PYTHONPYCACHEPREFIX": str(self._folder / "compiled"),
            "R2S_DATA": os.environ.get("R2S_DATA", str(root / ".." / "shared" / "data")),
            "OMP_NUM_THREADS": "1",
            "NO_COLOR": "1",
            "PYTHONHASHSEED": "0",
        }
        self._server = subprocess.Popen(
            [sys.executable, "-m", "mutation.server", *libraries],
            cwd=self.root,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def __enter__(self) -> Scratch:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.communicate()
        shutil.rmtree(self._folder, ignore_errors=True)

    @contextmanager
    def broken(self, mutant: Mutant) -> Iterator[None]:
        """Hold *mutant*'s edit in the copy for a while."""
        path = self.root / mutant.module
        source, times = path.read_bytes(), path.stat()
        self._edits += 1
        path.write_bytes(mutant.apply(source))
        # compiled files are found by size and time in seconds: each edit gets a time of its own
        os.utime(path, (self._edits, self._edits))
        try:
            yield
        finally:
            path.write_bytes(source)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    def pytest(self, words: list[str], limit: float, **environment: str) -> Run:
        """Run pytest in the copy with a cache of its own and end whatever it started after *limit* seconds of CPU."""
        place = Path(tempfile.mkdtemp(dir=self._folder))
        fixed = [
            "-q",
            "--tb=no",
            "-p",
            "no:cacheprovider",
            "--hypothesis-profile=ci",
            "--basetemp",
            str(place / "base"),
        ]
        request = {
            "words": [*fixed, *words],
            "limit": limit,
            "output": str(place / "output"),
            "environment": {"R2S_CACHE": str(place / "cache"), "TMPDIR": str(place), **environment},
        }
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        begun = time.monotonic()
        self._server.stdin.write(json.dumps(request) + "\n")
        self._server.stdin.flush()
        line = self._server.stdout.readline()
        if not line:
            raise RuntimeError(f"the process that runs the tests ended by itself: exit status {self._server.wait()}")
        answer = json.loads(line)
        seconds = time.monotonic() - begun
        output = place / "output"
        text = output.read_text(errors="replace") if output.is_file() else ""
        shutil.rmtree(place, ignore_errors=True)
        return Run(answer["status"], text, seconds)
