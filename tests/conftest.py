"""
What every test may use: where real data and cases lie, the installed command,
and the plugin of misbehaving passes.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests_support import COMMAND, ROOT

# How fast examples come is the machine's affair, and speed is no test's.
settings.register_profile("r2s", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("r2s")

PLUGIN = Path(__file__).parent / "plugin"


@pytest.fixture(scope="session")
def data() -> Path:
    """Folder of real scans (``R2S_DATA``); the test skips by name where it is absent."""
    folder = Path(os.environ.get("R2S_DATA", ROOT / ".." / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("real scans are absent: set R2S_DATA")
    return folder.resolve()


@pytest.fixture(scope="session")
def cases(data: Path) -> Path:
    """Folder of public failure cases, beside the real scans."""
    folder = data.parent / "cases"
    if not folder.is_dir():
        pytest.skip("failure cases are absent beside R2S_DATA")
    return folder


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the passes of tests/plugin exist, here and in the worker."""
    from r2s.compiler import action, catalog

    caches = (catalog.names, action.source_digest)
    monkeypatch.syspath_prepend(str(PLUGIN))
    monkeypatch.setenv("PYTHONPATH", str(PLUGIN), prepend=os.pathsep)
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def r2s(tmp_path: Path) -> Run:
    """Run the installed command in *tmp_path* with a cache of its own and return the finished process."""

    def run(*words: str | Path, timeout: float = 120, **environment: str) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "R2S_CACHE": str(tmp_path / "cache"), "NO_COLOR": "1", **environment}
        return subprocess.run(
            [str(COMMAND), *map(str, words)], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=timeout
        )

    return run


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run the command's own entry in this process, without the second that a process takes: exit code and streams."""
    from r2s.compiler.cli import main

    def run(*words: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["r2s-compile", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        return int(ended.value.code or 0), *capsys.readouterr()

    monkeypatch.setenv("NO_COLOR", "1")
    return run


@contextmanager
def alone(folder: Path, name: str) -> Iterator[None]:
    """Keep what is built under *name* from being built by two workers at once: the second finds it in the cache."""
    with open(folder / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def once(folder: Path, make: Callable[[Path], None]) -> Path:
    """Return *folder*, which *make* fills in the worker that asks first; the others wait for it and find it whole."""
    with alone(folder.parent, folder.name):
        if not folder.is_dir():
            begun = folder.with_name(f"{folder.name}.begun")
            shutil.rmtree(begun, ignore_errors=True)  # of a worker that failed
            begun.mkdir()
            make(begun)
            begun.rename(folder)
    return folder


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of a run share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def fixtures_cache(shared: Path) -> Path:
    """The cache in which ``built`` compiles the fixtures; another sheet for one finds its pieces there."""
    return shared / "fixtures-cache"


@pytest.fixture(scope="session")
def built(shared: Path, fixtures_cache: Path) -> Callable[[str], Path]:
    """Compile a fixture of this project by name, once in a run, into a folder of its own; return its XML."""

    def xml(name: str) -> Path:
        source = ROOT / "fixtures" / name
        inputs = (source / "scan.ply", "--calipers", source / "measurements.yaml")

        def make(folder: Path) -> None:
            words = (COMMAND, *inputs, "-o", folder / f"{name}.xml", "--cache", fixtures_cache, "-q")
            subprocess.run([*map(str, words)], check=True)

        return once(shared / f"built-{name}", make) / f"{name}.xml"

    return xml


@pytest.fixture(scope="session")
def cube(built: Callable[[str], Path]) -> Path:
    """The folder that holds the cube fixture compiled, ``cube.xml`` and what goes beside it."""
    return built("cube").parent
