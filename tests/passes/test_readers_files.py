"""What the path leads to, what the content is, and what is refused by name."""

from __future__ import annotations

import json
import os
import socket
import struct
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

from r2s.compiler.codes import catalogue
from r2s.compiler.errors import InvalidInputError
from r2s.passes.readers import FORMATS, read

PLY = (
    b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
    b"1 2 3\n"
)
OBJ = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
XYZ = b"1 2 3\n4 5 6\n"
STL = bytes(80) + struct.pack("<I", 1) + np.eye(4, 3, dtype="<f4").tobytes() + b"\0\0"


def refusal(path: Path) -> InvalidInputError:
    with pytest.raises(InvalidInputError) as caught:
        read(path)
    assert "\n" not in str(caught.value)
    return caught.value


def test_paths_that_lead_to_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.ply")
    (tmp_path / "loop.ply").symlink_to("loop.ply")
    (tmp_path / "dangling.ply").symlink_to("nothing.ply")
    (tmp_path / "empty.ply").touch()
    (tmp_path / "file").write_bytes(PLY)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "s"))
    begun = time.monotonic()

    expected = {
        "nothing.ply": "R2S101",
        "dangling.ply": "R2S101",
        "file/inside.ply": "R2S101",
        "a\0b.ply": "R2S101",
        ".": "R2S102",
        "pipe.ply": "R2S102",
        "s": "R2S102",
        "loop.ply": "R2S103",
        "x" * 300: "R2S103",
        "empty.ply": "R2S104",
    }
    assert {name: refusal(tmp_path / name).code for name in expected} == expected
    assert refusal(Path("/dev/zero")).code == "R2S102"
    assert time.monotonic() - begun < 2
    listener.close()


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.ply"
    path.write_bytes(PLY)

    def refuse(*_: object) -> int:  # the tests may run as root, whom no permission stops
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    assert refusal(path).code == "R2S103"


def test_no_file_stays_open(tmp_path: Path) -> None:
    path = tmp_path / "a.ply"
    path.write_bytes(PLY)
    before = len(os.listdir("/proc/self/fd"))

    for _ in range(20):
        read(path)

    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("content", [PLY, OBJ, XYZ, STL], ids=["PLY", "OBJ", "XYZ", "STL"])
@pytest.mark.parametrize("suffix", [".ply", ".obj", ".xyz", ".stl", ".dat", ""])
def test_content_comes_before_the_suffix(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(content)
    by_content = next(f for f in FORMATS if f.fits(content))

    scan = read(path)

    contradicted = suffix not in by_content.suffixes and suffix in (s for f in FORMATS for s in f.suffixes)
    assert [(d.severity, d.code) for d in scan.diagnostics] == ([("warning", "R2S110")] if contradicted else [])
    assert len(scan.points) == {"PLY": 1, "OBJ": 3, "XYZ": 2, "STL": 3}[by_content.name]


def test_a_given_format_stands_in_for_the_suffix(tmp_path: Path) -> None:
    path = tmp_path / "0f3a"
    path.write_bytes(b"o empty\n")

    assert refusal(path).code == "R2S105"
    for name in ("obj", ".OBJ"):
        with pytest.raises(InvalidInputError, match="R2S123"):
            read(path, name)


GLB = {"asset": {"version": "2.0"}}


def glb(tree: object) -> bytes:
    text = json.dumps(tree).encode()
    return b"glTF" + struct.pack("<III", 2, 20 + len(text), len(text)) + b"JSON" + text


PCD = (
    b"# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n"
    b"WIDTH %d\nHEIGHT 1\nPOINTS %d\nDATA %s\n"
)


@pytest.mark.parametrize(
    ("code", "names", "content"),
    [
        ("R2S106", "GLB", glb(GLB)),
        ("R2S106", "damaged GLB", b"glTF" + struct.pack("<III", 2, 9, 2**31) + b"JSON{}"),
        ("R2S105", "JSON is broken", glb("x")[:20] + b"{" * (len(glb("x")) - 20)),
        ("R2S107", "KHR_draco_mesh_compression", glb(GLB | {"extensionsRequired": ["KHR_draco_mesh_compression"]})),
        ("R2S107", "EXT_meshopt_compression", json.dumps(GLB | {"extensionsRequired": ["EXT_meshopt_compression"]})),
        ("R2S108", "'../outside.bin'", json.dumps(GLB | {"buffers": [{"uri": "../outside.bin"}]})),
        ("R2S108", "'%2e%2e/outside.bin'", json.dumps(GLB | {"buffers": [{"uri": "%2e%2e/outside.bin"}]})),
        ("R2S108", "'/etc/hostname'", json.dumps(GLB | {"images": [{"uri": "/etc/hostname"}]})),
        ("R2S108", "'http://x'", json.dumps(GLB | {"buffers": [{"uri": "http://x"}]})),
        ("R2S106", "glTF", json.dumps(GLB | {"buffers": [{"uri": "scan.bin"}, {"uri": "data:x"}], "images": 3})),
        ("R2S106", "transforms.json", json.dumps({"frames": []})),
        ("R2S105", "neither", "{}"),
        ("R2S105", "broken", "{" * 100_000),
        ("R2S109", "2 points, and the data has 1", PCD % (2, 2, b"ascii") + b"1 2 3\n"),
        ("R2S109", "3 points, and the data has 2", PCD % (3, 3, b"binary") + bytes(24)),
        ("R2S109", "2 points and 3 x 1 = 3", PCD % (3, 2, b"ascii")),
        ("R2S106", "PCD", PCD % (1, 1, b"ascii") + b"1 2 3\n"),
        ("R2S106", "LAS", b"LASF" + bytes(200)),
        ("R2S106", "LAZ", b"LASF" + bytes(100) + b"\x83" + bytes(100)),
        ("R2S106", "E57", b"ASTM-E57" + bytes(100)),
        ("R2S106", "OpenEXR", b"\x76\x2f\x31\x01" + bytes(100)),
        ("R2S106", "OFF", "OFF\n3 1 0\n"),
        ("R2S106", "UTF-16", "v 1 2 3\n".encode("utf-16")),
        ("R2S106", "Git LFS", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
        ("R2S106", "web page", "\n<!DOCTYPE html><html>"),
        ("R2S105", "does not know", b"\0\1\2"),
    ],
)
def test_what_is_not_read_is_refused_by_name(tmp_path: Path, code: str, names: str, content: bytes | str) -> None:
    path = tmp_path / "scan.bin"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())

    error = refusal(path)

    assert (error.code, names in error.message) == (code, True), error
    assert error.hint


def test_an_archive_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.3mf", "w") as archive:
        archive.writestr("3D/3dmodel.model", "<model/>")

    assert "3MF" in refusal(tmp_path / "a.3mf").message


def test_every_code_that_a_reader_uses_is_explained() -> None:
    folder = Path(__file__).parents[2] / "passes" / "readers"
    used = {word for file in folder.glob("*.py") for word in file.read_text().split('"') if word.startswith("R2S1")}

    assert used == {name for name in catalogue() if name.startswith("R2S1")}
