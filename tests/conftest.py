"""
What every test may use: where real data and cases lie, the installed command,
and the plugin of misbehaving passes.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from tests_support import COMMAND, CUBE, ROOT

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


@contextmanager
def alone(folder: Path, name: str) -> Iterator[None]:
    """Keep what is built under *name* from being built by two workers at once: the second finds it in the cache."""
    with open(folder / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


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
def built(tmp_path_factory: pytest.TempPathFactory, shared: Path, fixtures_cache: Path) -> Callable[[str], Path]:
    """
    Compile a fixture of this project by name, once; return its XML.

    All workers of a run share one cache, so that each fixture is built by one of them.
    """
    done: dict[str, Path] = {}

    def make(name: str) -> Path:
        if name not in done:
            source, xml = ROOT / "fixtures" / name, tmp_path_factory.mktemp(name) / f"{name}.xml"
            words = [COMMAND, source / "scan.ply", "--calipers", source / "measurements.yaml", "-o", xml, "-q"]
            with alone(shared, name):
                subprocess.run([*map(str, words), "--cache", str(fixtures_cache)], check=True)
            done[name] = xml
        return done[name]

    return make


@pytest.fixture(scope="session")
def cube(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cube fixture compiled once: the folder that holds ``cube.xml``, with its cache in ``cache`` beside it."""
    folder = tmp_path_factory.mktemp("cube")
    words = [COMMAND, CUBE / "scan.ply", "--calipers", CUBE / "measurements.yaml", "-o", folder / "cube.xml", "-q"]
    subprocess.run([*map(str, words), "--cache", str(folder / "cache")], check=True, capture_output=True)
    return folder
