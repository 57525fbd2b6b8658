"""The STL reader: the size decides, and vertices are joined where they agree exactly."""

from __future__ import annotations

import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from r2s.compiler.errors import InvalidInputError
from r2s.passes.readers import read

TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype="<f4")
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])


def binary(header: bytes = b"", count: int | None = None, tail: bytes = b"") -> bytes:
    facets = b"".join(struct.pack("<3f", 0, 0, 0) + TETRAHEDRON[f].tobytes() + b"\0\0" for f in FACES)
    return header.ljust(80, b" ") + struct.pack("<I", len(FACES) if count is None else count) + facets + tail


def ascii_stl(name: str = "part", end: str = "\n") -> str:
    lines = [f"solid {name}"]
    for face in FACES:
        lines += ["  facet normal 0 0 0", "    outer loop"]
        lines += [f"      vertex {x:g} {y:g} {z:g}" for x, y, z in TETRAHEDRON[face]]
        lines += ["    endloop", "  endfacet"]
    return end.join([*lines, f"endsolid {name}", ""])


@pytest.mark.parametrize(
    "content",
    [
        binary(),
        binary(b"solid made by a program"),
        binary(b"solid facet normal vertex"),
        ascii_stl().encode(),
        ascii_stl(end="\r\n").encode(),
        ascii_stl(end="\r").encode(),
        ascii_stl("").upper().encode(),
        (
            ascii_stl("a") + "\n" + ascii_stl("vertex facet").replace("0 0 0\n      vertex", "0 0 0\n\n      vertex")
        ).encode(),
    ],
    ids=["binary", "solid", "facet in header", "ascii", "crlf", "cr", "capitals", "two solids"],
)
def test_the_same_tetrahedron(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.stl"
    path.write_bytes(content)

    scan = read(path)

    assert {tuple(p) for p in scan.points.tolist()} == {tuple(p) for p in TETRAHEDRON.tolist()}
    assert len(scan.points) == 4
    assert np.array_equal(scan.points[scan.faces[:4]], TETRAHEDRON[FACES])
    assert scan.diagnostics == ()


def test_zeros_of_either_sign_are_one_place(tmp_path: Path) -> None:
    path = tmp_path / "a.stl"
    content = bytearray(binary())
    at = 84 + 12  # the first corner of the first facet is the origin
    content[at : at + 12] = struct.pack("<3f", -0.0, 0.0, -0.0)
    path.write_bytes(bytes(content))

    assert len(read(path).points) == 4


@pytest.mark.parametrize(
    ("code", "names", "content"),
    [
        ("R2S140", "4,000,000,000 triangles", binary(count=4_000_000_000)),
        ("R2S140", "room for 4 triangles", binary(count=5)),
        ("R2S140", "counts 3 triangles", binary(count=3)),
        ("R2S140", "284 bytes", binary()[:-1] + b"ab"),
        ("R2S140", "too few", b"abc\0"),
        ("R2S123", "no triangles", binary(count=0)[:84]),
        ("R2S123", "no triangles", b"solid a\nendsolid a\n"),
        ("R2S124", "line 4 has 'x'", ascii_stl().replace("vertex 0 0 0", "vertex 0 x 0", 1).encode()),
        ("R2S125", "decimal comma in '0,5'", ascii_stl().replace("vertex 0 0 0", "vertex 0 0,5 0", 1).encode()),
        ("R2S141", "line 4", ascii_stl().replace("vertex 0 0 0", "vertex 0 0", 1).encode()),
        ("R2S141", "begins on line 2", ascii_stl().replace("    endloop\n", "", 1).encode()),
        ("R2S141", "begins on line 23", ascii_stl()[: ascii_stl().rindex("    endloop")].encode()),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, code: str, names: str, content: bytes) -> None:
    path = tmp_path / "a.stl"
    path.write_bytes(content)

    tracemalloc.start()
    with pytest.raises(InvalidInputError) as caught:
        read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert (caught.value.code, names in caught.value.message) == (code, True), caught.value
    assert peak < 1 << 20
