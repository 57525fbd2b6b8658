"""Files on disk: whole or not at all, links replaced and never followed, stale meshes gone, nothing else touched."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from r2s.compiler.errors import InvalidInputError, UsageError
from r2s.compiler.outputs import Layout, asset_hash, layout, write, write_failed


def xml(*meshes: str) -> str:
    return "<mujoco>" + "".join(f'<mesh file="{m}"/>' for m in meshes) + "</mujoco>"


def named(path: Path) -> set[str]:
    return {m.attrib["file"] for m in ET.parse(path).getroot()}


def test_writes_all_and_drops_only_stale_meshes_of_ours(tmp_path: Path) -> None:
    where, _ = layout(tmp_path / "deep" / "cube.xml")
    write(where, {"piece_000-00000000.obj": b"old"}, {"slots.json": "{}"}, xml("piece_000-00000000.obj"))
    (where.assets / "mine.obj").write_text("a person's own")
    (where.folder / ".cube.xml.0123abcd.tmp").write_text("begun by a build that was killed")
    (where.folder / ".cube.notes.tmp").write_text("a person's own")
    write(where, {"piece_000-11111111.obj": b"new"}, {"slots.json": "[]"}, xml("piece_000-11111111.obj"))

    assert sorted(p.name for p in where.assets.iterdir()) == ["mine.obj", "piece_000-11111111.obj"]
    assert sorted(p.name for p in where.folder.glob(".*")) == [".cube.notes.tmp"]
    assert named(where.xml) == {"piece_000-11111111.obj"}
    assert where.beside("slots.json").read_text() == "[]"


def test_equal_bytes_are_not_written_again(tmp_path: Path) -> None:
    where, _ = layout(tmp_path / "cube.xml")
    write(where, {"piece_000-00000000.obj": b"x"}, {}, xml(), read_at=1)
    before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()}
    time.sleep(0.01)
    write(where, {"piece_000-00000000.obj": b"x"}, {}, xml(), read_at=1)

    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()} == before


def test_the_xml_alone_gets_the_moment_at_which_its_inputs_were_read(tmp_path: Path) -> None:
    where, _ = layout(tmp_path / "cube.xml")
    write(where, {}, {"slots.json": "{}"}, xml(), read_at=5_000_000_001)
    assert where.xml.stat().st_mtime_ns == 5_000_000_001

    others = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file() and p != where.xml}
    same = where.xml.stat().st_ino
    write(where, {}, {"slots.json": "{}"}, xml(), read_at=7_000_000_002)
    assert (where.xml.stat().st_mtime_ns, where.xml.stat().st_ino) == (7_000_000_002, same)
    assert {p: p.stat().st_mtime_ns for p in others} == others

    write(where, {}, {"slots.json": "{}"}, xml("piece_000-00000000.obj"), read_at=6_000_000_003)
    assert where.xml.stat().st_mtime_ns == 6_000_000_003


def test_a_link_is_replaced_and_its_target_kept(tmp_path: Path) -> None:
    precious = tmp_path / "precious.txt"
    precious.write_text("keep")
    (tmp_path / "cube.xml").symlink_to(precious)
    where, said = layout(tmp_path / "cube.xml")
    write(where, {}, {}, xml())

    assert [d.code for d in said] == ["R2S807"]
    assert precious.read_text() == "keep"
    assert not (tmp_path / "cube.xml").is_symlink()


def test_a_linked_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "out").symlink_to("real")

    assert [(d.severity, d.code) for d in layout(tmp_path / "out" / "cube.xml")[1]] == [("warning", "R2S806")]


@pytest.mark.parametrize("name", ["cube.obj", "cube", "cu\nbe.xml"])
def test_unusable_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="R2S012"):
        layout(tmp_path / name)


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInputError, match="R2S808"):
        layout(tmp_path / "file" / "cube.xml")
    with pytest.raises(InvalidInputError, match="R2S808"):
        write(Layout(tmp_path / "file" / "cube.xml"), {}, {}, xml())


@pytest.mark.parametrize("kind", ["report.json", "failed.report.json", "scene.xml"])
def test_a_folder_in_the_way_is_told_before_the_work(tmp_path: Path, kind: str) -> None:
    (tmp_path / f"cube.{kind}").mkdir()
    with pytest.raises(UsageError, match=rf"cube\.{kind} is a folder"):
        layout(tmp_path / "cube.xml")


def test_a_name_too_long_is_told_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"shorten it by [0-9]+ bytes"):
        layout(tmp_path / f"{'n' * 242}.xml")


def test_a_failed_build_leaves_the_asset_and_the_next_good_one_clears_its_report(tmp_path: Path) -> None:
    where, _ = layout(tmp_path / "cube.xml")
    write(where, {}, {}, xml())
    before = where.xml.read_bytes()
    failed = write_failed(where, "{}")

    assert where.xml.read_bytes() == before
    assert failed.name == "cube.failed.report.json"
    write(where, {}, {}, xml())
    assert not failed.exists()


def test_the_asset_hash_is_over_every_file() -> None:
    base = asset_hash({"a": b"1"}, "s", "c", "x")

    assert asset_hash({"a": b"1"}, "s", "c", "x") == base
    for other in (
        ({"a": b"2"}, "s", "c", "x"),
        ({"b": b"1"}, "s", "c", "x"),
        ({"a": b"1"}, "t", "c", "x"),
        ({"a": b"1"}, "s", "d", "x"),
        ({"a": b"1"}, "s", "c", "y"),
    ):
        assert asset_hash(*other) != base


def test_killed_at_any_moment_the_xml_names_only_files_that_are_there(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from r2s.compiler.outputs import layout, write\n"
        "where, _ = layout(Path(sys.argv[1]))\n"
        "i = 0\n"
        "while True:\n"
        "    i += 1\n"
        "    names = [f'piece_{k:03d}-{i % 7:08x}.obj' for k in range(20)]\n"
        "    text = '<mujoco>' + ''.join(f'<mesh file=\"{n}\"/>' for n in names) + '</mujoco>'\n"
        "    write(where, {n: n.encode() * 50 for n in names}, {'slots.json': str(i)}, text)\n"
    )
    target = tmp_path / "cube.xml"
    for turn in range(12):
        process = subprocess.Popen([sys.executable, "-c", program, str(target)])
        deadline = time.monotonic() + 20
        begun = target.stat().st_mtime_ns if target.exists() else 0
        while (not target.exists() or target.stat().st_mtime_ns == begun) and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(0.003 * turn)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

        there = {p.name for p in (tmp_path / "cube.assets").iterdir()}
        assert named(target) <= there
        assert all((tmp_path / "cube.assets" / n).read_bytes() == n.encode() * 50 for n in named(target))
