"""The machine around passes: the store answers, the worker contains, the key holds all that matters."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from r2s.compiler.errors import (
    InternalError,
    InvalidInputError,
    NotReproducibleError,
    PassFailedError,
    R2SError,
)
from r2s.compiler.ir import Source
from r2s.compiler.manager import Manager, Trace
from r2s.compiler.pipeline import Pipeline
from r2s.compiler.store import DamagedEntryError, Store
from r2s.compiler.worker import Limits

pytestmark = pytest.mark.usefixtures("plugin")

POINTS = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n"


@pytest.fixture
def source(tmp_path: Path) -> Source:
    path = tmp_path / "scan.txt"
    path.write_text(POINTS)
    return Source("txt", hashlib.sha256(POINTS.encode()).hexdigest(), str(path))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache")


def build(store: Store, source: Source, text: str, limits: Limits = Limits(20), salt: str = "") -> tuple[Trace, ...]:  # noqa: B008
    with Manager(Store(store.root), limits, salt=salt) as manager:
        return manager.run(Pipeline.parse(text), source)


def test_second_build_comes_from_the_store(store: Store, source: Source) -> None:
    first = build(store, source, "tiny_ingest | misbehave")
    again = build(store, source, "tiny_ingest | misbehave")

    assert [t.hit for t in first] == [False, False]
    assert [t.hit for t in again] == [True, True]
    assert [(t.key, t.digest, t.terms) for t in again] == [(t.key, t.digest, t.terms) for t in first]
    assert store.load(again[0].digest).points.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_only_what_an_option_reaches_runs_again(store: Store, source: Source) -> None:
    build(store, source, "tiny_ingest | misbehave")

    assert [t.hit for t in build(store, source, "tiny_ingest | misbehave{by=1}")] == [True, False]
    assert [t.hit for t in build(store, source, "tiny_ingest{factor=2} | misbehave")] == [False, False]
    assert [t.hit for t in build(store, source, "tiny_ingest | misbehave", salt="x")] == [False, False]


def test_a_moved_file_is_the_same_source(store: Store, source: Source, tmp_path: Path) -> None:
    build(store, source, "tiny_ingest")
    moved = tmp_path / "elsewhere.txt"
    Path(source.path).rename(moved)

    assert build(store, Source("txt", source.sha256, str(moved)), "tiny_ingest")[0].hit


@pytest.mark.parametrize(
    ("how", "kind", "code", "says"),
    [
        ("crash", PassFailedError, "R2S812", "SIGSEGV"),
        ("exit", PassFailedError, "R2S812", "exit status 9"),
        ("memory", PassFailedError, "R2S813", "out of memory"),
        ("refuse", InvalidInputError, "R2S101", "refused on purpose"),
        ("bug", InternalError, "R2S903", "KeyError"),
        ("broken", InternalError, "R2S901", "finite"),
    ],
)
def test_whatever_breaks_in_a_pass_is_one_error(
    store: Store, source: Source, how: str, kind: type[R2SError], code: str, says: str
) -> None:
    limits = Limits(20, memory=1 << 30)
    with pytest.raises(kind) as caught:
        build(store, source, f"tiny_ingest | misbehave{{how={how}}}", limits)

    assert caught.value.code == code
    assert says in str(caught.value)
    assert "misbehave" in str(caught.value) or how in ("refuse", "broken")
    assert "\n" not in str(caught.value)


def test_a_pass_that_hangs_is_stopped(store: Store, source: Source) -> None:
    begun = time.monotonic()
    with pytest.raises(PassFailedError, match="R2S811") as caught:
        build(store, source, "tiny_ingest | misbehave{how=hang}", Limits(1.0))

    assert "misbehave did not finish within its 1 s of CPU time" in str(caught.value)
    assert time.monotonic() - begun < 15


def test_the_worker_is_replaced_after_a_crash(store: Store, source: Source) -> None:
    with Manager(store, Limits(20)) as manager:
        with pytest.raises(PassFailedError):
            manager.run(Pipeline.parse("tiny_ingest | misbehave{how=crash}"), source)
        traces = manager.run(Pipeline.parse("tiny_ingest | misbehave"), source)

    assert traces[-1].digest == traces[0].digest


def test_prints_of_a_library_reach_nobody(store: Store, source: Source, capfd: pytest.CaptureFixture[str]) -> None:
    build(store, source, "tiny_ingest | misbehave{how=print}")

    assert capfd.readouterr() == ("", "")


def test_the_worker_has_one_cpu_and_one_thread(store: Store, source: Source) -> None:
    (said,) = build(store, source, "tiny_ingest | misbehave{how=threads}")[1].diagnostics

    assert said.message == "('1', 1)"


def test_an_impure_pass_is_caught(store: Store, source: Source) -> None:
    build(store, source, "tiny_ingest | misbehave{how=impure}")
    for path in (store.root / "objects").glob("*/*.json"):
        body = json.loads(path.read_text())
        if body["tree"]["$type"] == "ir:Scan":
            newest = path
    # another process that made the same action meanwhile finds the first answer when it records its own
    from r2s.compiler.serve import Server, options_tree

    step = Pipeline.parse("tiny_ingest | misbehave{how=impure}").steps[1]
    scan = build(store, source, "tiny_ingest")[0].digest
    request = {"group": "r2s.passes", "name": "misbehave", "options": options_tree(step), "input": scan, "salt": ""}
    answer = Server(store.root).answer(request)

    assert newest.exists()
    assert answer["error"]["class"] == NotReproducibleError.__name__
    assert answer["error"]["code"] == "R2S802"


@pytest.mark.parametrize("text", ["", "{}", "[]", "[" * 100_000, "\xff", '{"tree": 1}'])
def test_a_damaged_description_is_made_again(store: Store, source: Source, text: str) -> None:
    (trace,) = build(store, source, "tiny_ingest")
    path = store.root / "objects" / trace.digest[:2] / f"{trace.digest}.json"
    path.write_bytes(text.encode("latin-1"))

    again = build(store, source, "tiny_ingest")
    assert (again[0].hit, again[0].digest) == (False, trace.digest)
    assert build(store, source, "tiny_ingest")[0].hit


@pytest.mark.parametrize("damage", ["truncate", "flip", "remove"])
def test_a_damaged_entry_is_never_used(store: Store, source: Source, damage: str) -> None:
    (trace,) = build(store, source, "tiny_ingest")
    path = store.root / "objects" / trace.digest[:2] / f"{trace.digest}.npz"
    bytes_ = path.read_bytes()
    if damage == "truncate":
        path.write_bytes(bytes_[: len(bytes_) // 2])
    elif damage == "flip":
        path.write_bytes(bytes_[:-200] + bytes([bytes_[-200] ^ 1]) + bytes_[-199:])
    else:
        path.unlink()

    if damage != "remove":
        with pytest.raises(DamagedEntryError):
            Store(store.root).load(trace.digest)
    again = build(store, source, "tiny_ingest")
    assert (again[0].hit, again[0].digest) == (False, trace.digest)
    assert Store(store.root).load(trace.digest).digest() == trace.digest


def test_an_edited_record_counts_as_none(store: Store, source: Source) -> None:
    (trace,) = build(store, source, "tiny_ingest")
    path = store.root / "actions" / trace.key[:2] / f"{trace.key}.json"
    path.write_text(path.read_text().replace('"value":4', '"value":5'))

    assert store.find(trace.key) is None


def test_a_file_that_changes_while_it_is_read_is_refused(store: Store, source: Source) -> None:
    Path(source.path).write_text(POINTS + "5 5 5\n")
    with pytest.raises(InvalidInputError, match="R2S804"):
        build(store, source, "tiny_ingest")

    assert list((store.root / "actions").glob("*/*")) == []


def test_prune_removes_old_entries_and_a_build_makes_them_again(store: Store, source: Source) -> None:
    build(store, source, "tiny_ingest")
    assert store.prune(older_than=time.time() - 3600) == (0, 0)
    files, freed = store.prune(max_bytes=0)

    assert files == 3
    assert freed > 0
    assert not build(store, source, "tiny_ingest")[0].hit


def test_the_worker_dies_with_its_manager(store: Store, source: Source, tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from r2s.compiler.manager import Manager;"
        "from r2s.compiler.store import Store; from r2s.compiler.worker import Limits;"
        "from r2s.compiler.ir import Source; from r2s.compiler.pipeline import Pipeline;"
        "Manager(Store(Path(sys.argv[1])), Limits(60)).run(Pipeline.parse('tiny_ingest | misbehave{how=hang}'),"
        "Source('txt', sys.argv[2], sys.argv[3]))"
    )
    arguments = [sys.executable, "-c", program, str(store.root), source.sha256, source.path]
    manager = subprocess.Popen(arguments, env={**os.environ}, start_new_session=True)
    deadline = time.monotonic() + 30
    worker: list[str] = []
    while not worker and time.monotonic() < deadline:
        children = Path(f"/proc/{manager.pid}/task/{manager.pid}/children").read_text().split()
        worker = [c for c in children if len(list((store.root / "actions").glob("*/*"))) == 1]
        time.sleep(0.05)
    assert worker
    manager.kill()
    manager.wait()
    while Path(f"/proc/{worker[0]}").exists() and time.monotonic() < deadline:
        if Path(f"/proc/{worker[0]}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            break
        time.sleep(0.05)
    else:
        assert not Path(f"/proc/{worker[0]}").exists()
