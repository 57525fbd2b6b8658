"""Damaged files of every format: a plain error or a sound scan, soon, and never anything else."""

from __future__ import annotations

import struct
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from r2s.compiler.errors import R2SError
from r2s.passes.readers import read

POINTS = np.random.default_rng(3).random((12, 3)).astype("<f4")
_HEAD = (
    "ply\nformat {} 1.0\nelement camera 1\nproperty list uchar float k\nelement vertex 12\nproperty float x\n"
    "property float y\nproperty float z\nelement face 4\nproperty list {} int vertex_indices\nproperty uchar red\n"
    "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"
)
_POLYGONS = [[0, 1, 2], [3, 4, 5, 6], [7, 8, 9, 10, 11], [2, 1, 5]]


def _binary_ply() -> bytes:
    body = b"\x02" + bytes(8) + POINTS.tobytes()
    body += b"".join(struct.pack(f"<i{len(f)}iB", len(f), *f, 7) for f in _POLYGONS)
    return _HEAD.format("binary_little_endian", "int").encode() + body + struct.pack("<7i", 6, 0, 1, 2, -1, 3, 4)


def _ascii_ply() -> bytes:
    rows = ["2 0.5 0.25", *(" ".join(map(str, p)) for p in POINTS.tolist())]
    rows += [" ".join(map(str, [len(f), *f, 7])) for f in _POLYGONS]
    return (_HEAD.format("ascii", "uchar") + "\n".join([*rows, "6 0 1 2 -1 3 4"]) + "\n").encode()


def _obj() -> bytes:
    lines = ["mtllib a.mtl", *("v " + " ".join(map(str, p)) for p in POINTS.tolist()), "vn 0 0 1"]
    return "\n".join([*lines, "f 1/1/1 2/2/1 3//1", "f -1 -2 \\", "-3 -4", "f 5 6 7 8 9 10"]).encode()


def _stl() -> bytes:
    return b"solid".ljust(80) + struct.pack("<I", 2) + 2 * (bytes(12) + POINTS[:3].tobytes() + b"\0\0")


def _ascii_stl() -> bytes:
    corners = "".join("vertex {} {} {}\n".format(*p) for p in POINTS[:3].tolist())
    return f"solid a\nfacet normal 0 0 1\nouter loop\n{corners}endloop\nendfacet\nendsolid a\n".encode()


def _xyz() -> bytes:
    return b"12\n" + "".join("{};{};{};9\n".format(*p) for p in POINTS.tolist()).encode()


def _pcd() -> bytes:
    return b"VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nCOUNT 1 1 1\nWIDTH 12\nHEIGHT 1\nPOINTS 12\nDATA binary\n" + bytes(
        144
    )


def _glb() -> bytes:
    text = b'{"asset":{"version":"2.0"},"extensionsRequired":["KHR_x"],"buffers":[{"uri":"../a"}]}'
    return b"glTF" + struct.pack("<III", 2, 20 + len(text), len(text)) + b"JSON" + text


VALID = {f.__name__: f() for f in (_binary_ply, _ascii_ply, _obj, _stl, _ascii_stl, _xyz, _pcd, _glb)}
WORDS = [
    b"-1",
    b"1e999",
    b"nan",
    b",",
    b" ",
    b"\n",
    b"\r",
    b"\0",
    b"99999999999",
    b"\xff\xff\xff\x7f",
    b"3",
    b"\\\n",
    b"e",
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Return a valid file after a few cuts, doublings, flips and insertions."""
    content = bytearray(draw(st.sampled_from(sorted(VALID.values()))))
    for _ in range(draw(st.integers(1, 4))):
        begin = draw(st.integers(0, len(content)))
        end = min(len(content), begin + draw(st.integers(0, 40)))
        match draw(st.sampled_from(["cut", "drop", "double", "flip", "insert", "replace"])):
            case "cut":
                del content[begin:]
            case "drop":
                del content[begin:end]
            case "double":
                content[begin:begin] = content[begin:end]
            case "flip" if begin < len(content):
                content[begin] ^= 1 << draw(st.integers(0, 7))
            case "insert":
                content[begin:begin] = draw(st.sampled_from(WORDS))
            case _:
                content[begin:end] = draw(st.binary(max_size=8))
    return bytes(content)


def read_or_refuse(path: Path, content: bytes, suffix: str) -> bool:
    path.write_bytes(content)
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            scan = read(path, suffix)
        except R2SError as error:
            lines = str(error).count("\n") + 1
        else:
            lines = 0
    assert time.perf_counter() - begun < 2
    if lines:
        assert lines == 1
        return False
    assert len(scan.points) > 0
    assert scan.points.shape[1:] == scan.faces.shape[1:] == (3,)
    if len(scan.faces):
        assert np.isfinite(scan.points).all()
        assert scan.faces.min() >= 0
        assert scan.faces.max() < len(scan.points)
    return True


def test_the_valid_files_are_valid(tmp_path: Path) -> None:
    read_now = {name for name, content in VALID.items() if read_or_refuse(tmp_path / "a", content, "")}

    assert read_now == {"_binary_ply", "_ascii_ply", "_obj", "_stl", "_ascii_stl", "_xyz"}


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=damaged(), suffix=st.sampled_from(["", "ply", "obj", "stl", "xyz"]))
def test_damage_gives_a_plain_error_or_a_sound_scan(tmp_path: Path, content: bytes, suffix: str) -> None:
    read_or_refuse(tmp_path / "a", content, suffix)


@pytest.mark.parametrize("name", VALID)
def test_every_shorter_file_is_read_or_refused(tmp_path: Path, name: str) -> None:
    content = VALID[name]

    for length in range(0, len(content), 3):
        read_or_refuse(tmp_path / "a", content[:length], "")
