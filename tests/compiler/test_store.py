"""The store: what goes in comes out, what was damaged never does, and two processes agree on what an action gave."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scan_shapes import box

from r2s.compiler.errors import Diagnostic, InvalidInputError, NotReproducibleError
from r2s.compiler.ir import Scan, Surface, bools, floats, ints
from r2s.compiler.store import DamagedEntryError, Record, Store, write_aside

KEY = "ab" * 32


@pytest.fixture
def surface() -> Surface:
    vertices, faces = box((0.1, 0.2, 0.3))
    eye = floats(np.eye(4))
    seen = Scan(floats(vertices), floats([], 0, 3), ints(faces), eye, 0.0, 0.1, 0.0, float("nan"), "mm")
    return Surface(floats(vertices), ints(faces), bools(np.ones(12)), seen)


def record(value: str | None = None, facts: object = None, *notes: Diagnostic) -> Record:
    return Record(KEY, "told", value, facts, (), notes)


def test_a_value_comes_back_with_what_it_was_made_from(tmp_path: Path, surface: Surface) -> None:
    digest = Store(tmp_path).put(surface)
    again = Store(tmp_path).load(digest)
    assert digest == surface.digest() == again.digest()
    assert np.array_equal(again.vertices, surface.vertices)
    assert again.scan.digest() == surface.scan.digest()
    assert Store(tmp_path).fields(digest).scan == surface.scan.digest()
    assert sorted(p.suffix for p in (tmp_path / "objects").rglob("*.*")) == [".json", ".json", ".npz", ".npz"]


def test_what_is_there_is_not_written_again(tmp_path: Path, surface: Surface) -> None:
    Store(tmp_path).put(surface)
    for path in tmp_path.rglob("*.npz"):
        os.utime(path, (1, 1))
    Store(tmp_path).put(surface)
    assert {p.stat().st_mtime for p in tmp_path.rglob("*.npz")} == {1}


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def turned(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [cut_short, turned, empty, Path.unlink])
@pytest.mark.parametrize("suffix", [".npz", ".json"])
@pytest.mark.parametrize("of_source", [False, True])
def test_a_damaged_entry_is_never_believed(
    tmp_path: Path, surface: Surface, damage: Callable[[Path], None], suffix: str, of_source: bool
) -> None:
    store = Store(tmp_path)
    digest = store.put(surface)
    store.record(record(digest))
    damaged = (surface.scan if of_source else surface).digest()
    damage(tmp_path / "objects" / damaged[:2] / f"{damaged}{suffix}")

    assert Store(tmp_path).find(KEY) is None
    with pytest.raises(DamagedEntryError) as error:
        Store(tmp_path).load(digest)
    assert error.value.code == "R2S801"
    assert not list((tmp_path / "objects").rglob(f"{damaged}.*"))
    assert Store(tmp_path).put(surface) == digest
    assert Store(tmp_path).find(KEY) == record(digest)


def test_an_entry_under_another_name_is_never_believed(tmp_path: Path, surface: Surface) -> None:
    digest = Store(tmp_path).put(surface)
    wrong = digest[:2] + "0" * 62
    for suffix in (".npz", ".json"):
        path = tmp_path / "objects" / digest[:2] / digest
        path.with_suffix(suffix).rename(path.with_name(wrong).with_suffix(suffix))
    with pytest.raises(DamagedEntryError):
        Store(tmp_path).load(wrong)


def test_an_action_is_found_again(tmp_path: Path) -> None:
    said = record(None, (1.5, float("inf"), "text"), Diagnostic("note", "R2S305", "a", "b"))
    assert Store(tmp_path).find(KEY) is None
    Store(tmp_path).record(said)
    assert Store(tmp_path).find(KEY) == said
    path = tmp_path / "actions" / "ab" / f"{KEY}.json"
    os.utime(path, (1, 1))
    Store(tmp_path).find(KEY)
    assert path.stat().st_mtime > 1  # it was used, so prune keeps it


@pytest.mark.parametrize(("old", "new"), [('"schema":1', '"schema":2'), ("told", "tale"), ("{", "")])
def test_a_record_that_was_changed_counts_as_none(tmp_path: Path, old: str, new: str) -> None:
    Store(tmp_path).record(record(None, 1.0))
    path = tmp_path / "actions" / "ab" / f"{KEY}.json"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert Store(tmp_path).find(KEY) is None
    Store(tmp_path).record(record(None, 1.0))
    assert Store(tmp_path).find(KEY) == record(None, 1.0)


@pytest.mark.parametrize(
    "second",
    [record(None, 2.0), record(None, 1.0, Diagnostic("note", "R2S305", "a")), replace(record(None, 1.0), name="x")],
)
def test_an_action_gives_the_same_each_time(tmp_path: Path, second: Record) -> None:
    store = Store(tmp_path)
    store.record(record(None, 1.0))
    store.record(record(None, 1.0))
    if second.name == "x":  # the name says nothing about what was given
        store.record(second)
        return
    with pytest.raises(NotReproducibleError) as error:
        store.record(second)
    assert error.value.code == "R2S802"


def test_entries_and_pruning(tmp_path: Path, surface: Surface) -> None:
    store = Store(tmp_path)
    store.record(record(store.put(surface)))
    found = list(store.entries())
    assert [p for p, _, _ in found] == sorted(p for p in tmp_path.rglob("*") if p.is_file())
    assert all(size == path.stat().st_size for path, size, _ in found)
    for number, (path, _, _) in enumerate(found):
        os.utime(path, (100 + number, 50))
    assert [used for _, _, used in store.entries()] == [100, 101, 102, 103, 104]
    assert store.prune() == (0, 0)
    total = sum(size for _, size, _ in found)
    assert store.prune(older_than=101) == (1, found[0][1])
    assert store.prune(max_bytes=total - found[0][1]) == (0, 0)
    assert store.prune(max_bytes=total - found[0][1] - 1) == (1, found[1][1])
    assert store.prune(max_bytes=0) == (3, sum(size for _, size, _ in found[2:]))
    assert list(store.entries()) == []


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path, surface: Surface) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInputError) as error:
        Store(tmp_path / "file").put(surface)
    assert error.value.code == "R2S803"


@pytest.mark.parametrize("durable", [False, True])
def test_a_file_is_replaced_whole_and_a_link_is_not_followed(tmp_path: Path, durable: bool) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_aside(link, b"new", durable=durable)
    assert (target.read_text(), link.read_text(), link.is_symlink()) == ("old", "new", False)
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_aside(tmp_path / "folder", b"x")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["folder", "link", "target"]


def test_what_is_stored_is_plain(tmp_path: Path, surface: Surface) -> None:
    digest = Store(tmp_path).put(surface)
    body = json.loads((tmp_path / "objects" / digest[:2] / f"{digest}.json").read_text())
    assert body["tree"]["scan"] == {"$ref": surface.scan.digest()}
    with np.load(tmp_path / "objects" / digest[:2] / f"{digest}.npz", allow_pickle=False) as arrays:
        assert len(arrays.files) == len(body["arrays"]) == 3
