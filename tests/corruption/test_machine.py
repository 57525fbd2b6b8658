"""The machine around the passes broken on purpose: the cache, the contract of a pass, the limits, the unforeseen."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
from corruptions import Ended
from scan_shapes import box, mesh_scan
from tests_support import files

from r2s.compiler import action, catalog, driver
from r2s.compiler.errors import InternalError, PassFailedError
from r2s.compiler.ir import Scan, Source, Surface, bools, floats, ints
from r2s.compiler.manager import Manager
from r2s.compiler.pipeline import Pipeline
from r2s.compiler.protocol import Outcome
from r2s.compiler.store import DamagedEntryError, Record, Store
from r2s.compiler.worker import Limits
from r2s.passes.measure import Measure

Command = Callable[..., Ended]
BUILD = ("brick.obj", "--calipers", "brick.yaml", "-o", "out/brick.xml")
POINTS = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n"


@pytest.fixture
def source(tmp_path: Path) -> Source:
    path = tmp_path / "scan.txt"
    path.write_text(POINTS)
    return Source("txt", hashlib.sha256(POINTS.encode()).hexdigest(), str(path))


# --- the cache ---------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("plugin")
def test_a_changed_byte_is_told_and_the_entry_dropped(tmp_path: Path, source: Source) -> None:
    store = Store(tmp_path / "store")
    with Manager(store, Limits(60)) as made:
        (trace,) = made.run(Pipeline.parse("tiny_ingest"), source)
    path = store.root / "objects" / trace.digest[:2] / f"{trace.digest}.npz"
    good = path.read_bytes()
    assert Store(store.root).load(trace.digest).digest() == trace.digest
    path.write_bytes(good[:-200] + bytes([good[-200] ^ 1]) + good[-199:])
    with pytest.raises(DamagedEntryError) as caught:
        Store(store.root).load(trace.digest)

    assert (caught.value.code, caught.value.exit_code) == ("R2S801", 3)
    assert caught.value.message == f"cache entry {trace.digest[:12]} is damaged"
    assert not path.exists()


def test_an_entry_that_vanishes_is_made_again_once(
    command: Command, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process prunes between the worker's write and the manager's look: the build starts again by itself."""
    find, lost = Store.find, []

    def forgetful(self: Store, key: str) -> Record | None:
        found = find(self, key)
        if found is not None and found.name == "settle" and len(lost) < allowed:
            lost.append(key)
            return None
        return found

    monkeypatch.setattr(Store, "find", forgetful)
    allowed = 1
    words = ("brick.obj", "--unit", "mm", "--stop-after", "ingest", "--salt", "vanish")
    assert (command(*words).exit_code, len(lost)) == (0, 1)

    lost.clear()
    allowed = 99
    ended = command(*words[:-1], "again")
    assert ended.exit_code == 3
    assert "is gone; run again" in ended.line("R2S801")


@pytest.mark.usefixtures("plugin")
def test_a_record_without_a_value_is_a_bug(tmp_path: Path, source: Source) -> None:
    """A sound record of a pass, but for the digest of what it made."""
    store, pipeline = Store(tmp_path / "store"), Pipeline.parse("tiny_ingest")
    key = action.action_key(pipeline.steps[0], source.digest())
    store.record(Record(key, "tiny_ingest", None, None, (), ()))
    with Manager(store, Limits(60)) as made, pytest.raises(InternalError, match="tiny_ingest left no value") as caught:
        made.run(pipeline, source)

    assert (caught.value.code, caught.value.exit_code) == ("R2S905", 70)


def test_a_cache_that_cannot_be_written_leaves_an_earlier_asset(command: Command, place: Path) -> None:
    (place / "out").mkdir()
    (place / "out" / "brick.xml").write_text("<mujoco/>")
    (place / "full").write_text("")
    before = files(place)
    ended = command(*BUILD, "--cache", "full")

    assert ended.exit_code == 3
    assert "cannot write the cache at full: " in ended.line("R2S803")
    assert files(place) == before


# --- what no cache may answer ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("plugin")
def test_a_source_that_changes_during_a_build_is_noticed(
    tmp_path: Path, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real worker holds the old code while the manager's key is of the new one."""
    with Manager(Store(tmp_path / "store"), Limits(60)) as made:
        made.run(Pipeline.parse("tiny_ingest"), source)
        monkeypatch.setattr(action, "source_digest", lambda: "edited")
        with pytest.raises(PassFailedError, match="r2s itself was changed or upgraded while") as caught:
            made.run(Pipeline.parse("tiny_ingest"), source)

    assert (caught.value.code, caught.value.exit_code) == ("R2S814", 3)


# --- contracts ---------------------------------------------------------------------------------------------------


class NoDataclass:
    """Has a run, and options that nobody can list."""

    name: ClassVar[str] = "polish"

    def run(self, source: Scan, /) -> Outcome[Scan]:
        """Return the scan."""
        return Outcome(source)


@dataclass
class Mutable(NoDataclass):
    """A dataclass that may change after its key was made."""


@dataclass(frozen=True)
class Untyped:
    """Does not say what it takes."""

    name: ClassVar[str] = "polish"

    def run(self, source, /):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201  # the point of the test
        """Return the scan."""
        return Outcome(source)


@dataclass(frozen=True)
class Idle:
    """Has no run at all."""

    name: ClassVar[str] = "polish"


@pytest.mark.parametrize("cls", [NoDataclass, Mutable, Untyped, Idle])
def test_a_pass_that_breaks_its_contract_is_named(
    command: Command, place: Path, monkeypatch: pytest.MonkeyPatch, cls: type
) -> None:
    load = catalog.load
    monkeypatch.setattr(catalog, "load", lambda name, *group: cls if name == "polish" else load(name, *group))
    ended = command(*BUILD, "--passes", "ingest | polish")

    assert ended.exit_code == 70
    assert f"pass {cls.__name__} " in ended.line("R2S902")
    assert not (place / "out").exists()


def test_a_stage_that_does_not_exist_cannot_be_measured() -> None:
    vertices, faces = box((0.08, 0.05, 0.04))
    solid = Surface(floats(vertices), ints(faces), bools([True] * len(faces)), mesh_scan(vertices, faces))
    assert Measure("surface", ()).run(solid).value.stage == "surface"
    with pytest.raises(InternalError, match="no stage 'polished' of a Surface") as caught:
        Measure("polished", ()).run(solid)

    assert (caught.value.code, caught.value.exit_code) == ("R2S904", 70)


# --- the unforeseen ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code", "exit_code", "says"),
    [
        (
            KeyError("nobody foresaw this"),
            "R2S900",
            70,
            "this is a bug of r2s: KeyError: 'nobody foresaw this' (",
        ),
        (MemoryError(), "R2S906", 70, "out of memory outside the worker"),
        (OSError(28, "No space left on device"), "R2S809", 3, "cannot print: No space left on device"),
        (KeyboardInterrupt(), "", 130, "error: interrupted"),
    ],
)
def test_whatever_breaks_outside_a_pass_is_one_line(
    command: Command,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    code: str,
    exit_code: int,
    says: str,
) -> None:
    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr(driver, "run", broken)
    ended = command(*BUILD)

    assert ended.exit_code == exit_code
    assert ended.errors == ended.err.split("\n")[-2:-1]
    assert says in ended.err
    assert ended.codes == ([code] if code else [])
