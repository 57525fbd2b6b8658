"""The PLY reader: every dialect gives the same numbers back, and a header is never believed."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from r2s.compiler.errors import InvalidInputError
from r2s.passes.readers import read
from r2s.passes.readers.ply_header import MOST_ELEMENTS, MOST_PROPERTIES, parse_header

TYPES = {"i1": "char int8", "u1": "uchar uint8", "i2": "short int16", "u2": "ushort uint16", "i4": "int int32"}
TYPES |= {"u4": "uint uint32", "i8": "int64", "u8": "uint64", "f4": "float float32", "f8": "double float64"}
ORDERS = {"binary_little_endian": "<", "binary_big_endian": ">"}


Value = float | list[float] | list[int]
Element = tuple[str, Sequence[tuple[str, ...]], Sequence[Sequence[Value]]]


def write_ply(
    path: Path,
    layout: str,
    elements: Sequence[Element],
    *,
    end: str = "\n",
    family: int = 0,
    comments: Sequence[str] = (),
    tail: bytes = b"",
) -> Path:
    """Write *elements* (name, properties, rows); a property is (name, type) or (name, count type, type)."""
    names = {code: words.split()[min(family, len(words.split()) - 1)] for code, words in TYPES.items()}
    head = ["ply", f"format {layout} 1.0", *comments]
    for name, properties, rows in elements:
        head.append(f"element {name} {len(rows)}")
        head += [
            f"property {names[p[1]]} {p[0]}" if len(p) == 2 else f"property list {names[p[1]]} {names[p[2]]} {p[0]}"
            for p in properties
        ]
    body = b""
    for _, properties, rows in elements:
        for row in rows:
            if layout == "ascii":
                words = [x for v in row for x in ([len(v), *v] if isinstance(v, list) else [v])]  # a list counts itself
                body += " ".join(map(repr, words)).encode() + end.encode()
                continue
            for p, value in zip(properties, row, strict=True):
                order = ORDERS[layout]
                if isinstance(value, list):
                    body += np.array(len(value)).astype(order + p[1]).tobytes()
                body += np.array(value).astype(order + p[-1]).tobytes()
    path.write_bytes((end.join([*head, "end_header"]) + end).encode() + body + tail)
    return path


COORDINATES = st.floats(-1e6, 1e6, width=32)
POINTS = st.lists(st.lists(COORDINATES, min_size=3, max_size=3), min_size=3, max_size=30)
EXTRA = st.sampled_from(["s", "t", "confidence", "red", "quality"])


@dataclass(frozen=True)
class Dialect:
    """A mesh and a way of writing it."""

    points: list[list[float]]
    faces: list[list[int]]
    layout: str
    kind: str
    count: str
    index: str
    corners: str
    end: str
    family: int
    comments: list[str]
    extra: list[str]
    texture: bool
    camera: str


@st.composite
def dialects(draw: st.DrawFn) -> Dialect:
    """Return a mesh and a way of writing it."""
    points = draw(POINTS)
    index = st.integers(0, len(points) - 1)
    integers = st.sampled_from(["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
    comments = st.sampled_from(["comment end_header", "obj_info x", "comment " + "ö" * 3000, "comment"])
    return Dialect(
        points=points,
        faces=draw(st.lists(st.lists(index, min_size=3, max_size=3, unique=True), max_size=20)),
        layout=draw(st.sampled_from(["ascii", *ORDERS])),
        kind=draw(st.sampled_from(["f4", "f8"])),
        count=draw(integers),
        index=draw(integers),
        corners=draw(st.sampled_from(["vertex_index", "vertex_indices"])),
        end=draw(st.sampled_from(["\n", "\r\n", "\r"])),
        family=draw(st.integers(0, 1)),
        comments=draw(st.lists(comments, max_size=3)),
        extra=draw(st.lists(EXTRA, max_size=2, unique=True)),
        texture=draw(st.booleans()),
        camera=draw(st.sampled_from(["no", "before", "after"])),
    )


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(dialects())
def test_every_dialect_gives_the_same_numbers_back(tmp_path: Path, d: Dialect) -> None:
    points = np.array(d.points)
    vertex = [*((axis, d.kind) for axis in "xyz"), *((name, "f4") for name in d.extra)]
    face: list[tuple[str, ...]] = [(d.corners, d.count, d.index), *([("texcoord", "u1", "f4")] if d.texture else [])]
    elements: list[Element] = [
        ("vertex", vertex, [[*map(float, p), *([0.5] * len(d.extra))] for p in points]),
        ("face", face, [[f, *([[0.5] * 6] if d.texture else [])] for f in d.faces]),
    ]
    if d.camera != "no":
        camera: Element = ("camera", [("view", "f4"), ("k", "u1", "f8")], [[1.5, [1.0, 2.0]], [2.5, []]])
        elements.insert(0 if d.camera == "before" else 2, camera)
    path = write_ply(tmp_path / "a.ply", d.layout, elements, end=d.end, family=d.family, comments=d.comments)

    scan = read(path)

    used = np.unique(np.array(d.faces, dtype=int)) if d.faces else np.arange(len(points))
    assert np.array_equal(points[used], scan.points)
    assert np.array_equal(np.array(d.faces, dtype=int).reshape(-1, 3), used[scan.faces])
    assert [x.code for x in scan.diagnostics] == (["R2S130"] if len(used) < len(points) else [])


SQUARE = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [2.0, 0.5, 0.0]]
XYZ = [("x", "f4"), ("y", "f4"), ("z", "f4")]


@pytest.mark.parametrize("layout", ["ascii", *ORDERS])
def test_faces_of_mixed_size_cover_the_outline_once(tmp_path: Path, layout: str) -> None:
    faces = [[[0, 1, 2, 3]], [[1, 4, 2]]]
    path = write_ply(
        tmp_path / "a.ply", layout, [("vertex", XYZ, SQUARE), ("face", [("vertex_indices", "u1", "i4")], faces)]
    )

    scan = read(path)

    a, b, c = (scan.points[scan.faces[:, i]] for i in range(3))
    areas = np.cross(b - a, c - a)[:, 2] / 2
    assert (areas > 0).all()
    assert areas.sum() == pytest.approx(1.5)


@pytest.mark.parametrize("kind", ["i4", "u4", "i2"])
@pytest.mark.parametrize("layout", ["ascii", *ORDERS])
def test_strips_alternate_and_restart(tmp_path: Path, layout: str, kind: str) -> None:
    restart = int(np.iinfo(kind).max) if kind[0] == "u" else -1
    strip = [[[0, 1, 3, 2, restart, 1, 1, 4, 2]]]
    path = write_ply(
        tmp_path / "a.ply", layout, [("vertex", XYZ, SQUARE), ("tristrips", [("vertex_indices", "i4", kind)], strip)]
    )

    # 0 1 3, then 1 3 2 turned; after the restart 1 1 4 has no area, and 1 4 2 is second, so turned
    assert read(path).faces.tolist() == [[0, 1, 3], [1, 2, 3], [1, 2, 4]]


@pytest.mark.parametrize("layout", ["ascii", *ORDERS])
@pytest.mark.parametrize("lengths", [(2, 2, 2), (0, 3, 1)], ids=["alike", "mixed"])
def test_lists_among_the_coordinates_are_stepped_over(tmp_path: Path, layout: str, lengths: tuple[int, ...]) -> None:
    properties = [("x", "f8"), ("seen", "u2", "i4"), ("y", "f4"), ("z", "f4"), ("by", "i1", "f8"), ("t", "u1")]
    rows = [[p[0], [7] * n, p[1], p[2], [0.5] * (3 - n), 9] for p, n in zip(SQUARE, lengths, strict=False)]

    scan = read(write_ply(tmp_path / "a.ply", layout, [("vertex", properties, rows)]))

    assert scan.points.tolist() == SQUARE[:3]
    assert scan.quantum == np.spacing(np.float32(1))


def test_normals_of_zero_are_none(tmp_path: Path) -> None:
    properties = [*XYZ, ("nx", "f4"), ("ny", "f4"), ("nz", "f4")]
    written = [[*p, 0.0, 0.0, 1.0] for p in SQUARE]
    unfilled = [[*p, 0.0, 0.0, 0.0] for p in SQUARE]

    assert read(write_ply(tmp_path / "a.ply", "ascii", [("vertex", properties, written)])).normals.tolist() == [
        [0, 0, 1]
    ] * len(SQUARE)
    assert read(write_ply(tmp_path / "b.ply", "ascii", [("vertex", properties, unfilled)])).normals.shape == (0, 3)


HEADER = "ply\nformat {}\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n{}end_header\n"
FACES = "element face {}\nproperty list {} int vertex_indices\n"
ROW = np.zeros(3, dtype="<f4").tobytes()


@pytest.mark.parametrize(
    ("code", "names", "header", "body"),
    [
        ("R2S121", "10,000,000,000", HEADER.format("binary_little_endian 1.0", 10**10, ""), ROW * 2),
        ("R2S121", "10,000,000,000", HEADER.format("ascii 1.0", 10**10, ""), b"0 0 0\n"),
        ("R2S121", "3 'vertex'", HEADER.format("binary_little_endian 1.0", 3, ""), ROW * 2 + b"\0" * 11),
        ("R2S121", "ends after 2", HEADER.format("ascii 1.0", 3, ""), b"0 0 0\n1.000000000 0 0\n"),
        ("R2S122", "one row more", HEADER.format("ascii 1.0", 1, ""), b"0 0 0\n1 0 0\n"),
        ("R2S122", "line 9", HEADER.format("ascii 1.0", 2, ""), b"0 0 0\n1 0 0 0\n"),
        ("R2S123", "0 vertices", HEADER.format("ascii 1.0", 0, ""), b""),
        ("R2S124", "line 8 has 'a'", HEADER.format("ascii 1.0", 1, ""), b"0 a 0\n"),
        ("R2S124", "too large", HEADER.format("ascii 1.0", 1, ""), b"0 1e999 0\n"),
        ("R2S125", "line 8 has a decimal comma in '0,5'", HEADER.format("ascii 1.0", 1, ""), b"0 0,5 0\n"),
        ("R2S126", "vertex 1", HEADER.format("ascii 1.0", 1, FACES.format(1, "uchar")), b"0 0 0\n3 0 0 1\n"),
        ("R2S126", "whole", HEADER.format("ascii 1.0", 1, FACES.format(1, "uchar")), b"0 0 0\n3 0 0 0.5\n"),
        ("R2S127", "-1", HEADER.format("binary_little_endian 1.0", 1, FACES.format(1, "int")), ROW + b"\xff" * 4),
        (
            "R2S127",
            "2,147,483,647",
            HEADER.format("binary_little_endian 1.0", 1, FACES.format(1, "int")),
            ROW + b"\xff\xff\xff\x7f" + b"\0" * 12,
        ),
        ("R2S128", "vertex 0", HEADER.format("ascii 1.0", 1, FACES.format(1, "uchar")), b"0 nan 0\n3 0 0 0\n"),
        ("R2S120", "no end_header", "ply\nformat ascii 1.0\n", b""),
        ("R2S120", "no format", "ply\nelement vertex 1\nproperty float x\nend_header\n", b""),
        ("R2S120", "line 3", "ply\nformat ascii 1.0\nelement vertex -1\nend_header\n", b""),
        ("R2S120", "line 4", "ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\nend_header\n", b""),
        ("R2S120", "vertex (x)", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n", b"1\n"),
        ("R2S120", "no single list", HEADER.format("ascii 1.0", 1, "element face 1\nproperty int a\n"), b"0 0 0\n1\n"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(tmp_path: Path, code: str, names: str, header: str, body: bytes) -> None:
    path = tmp_path / "a.ply"
    path.write_bytes(header.encode() + body)

    with pytest.raises(InvalidInputError) as caught:
        read(path)

    assert caught.value.code == code
    assert names in caught.value.message


@pytest.mark.parametrize("layout", ["ascii", "binary_little_endian"])
def test_as_many_properties_and_elements_as_the_limit_and_not_one_more(tmp_path: Path, layout: str) -> None:
    def header(properties: int, elements: int) -> bytes:
        names = ["x", "y", "z", *(f"extra{i}" for i in range(properties - 3))]
        rows = "".join(f"property uchar {name}\n" for name in names)
        others = "".join(f"element other{i} 0\n" for i in range(elements - 1))
        return f"ply\nformat {layout} 1.0\nelement vertex 1\n{rows}{others}end_header\n".encode()

    at_limit = parse_header(header(MOST_PROPERTIES, MOST_ELEMENTS))
    assert len(at_limit.elements) == MOST_ELEMENTS
    assert len(at_limit.elements[0].properties) == MOST_PROPERTIES
    with pytest.raises(InvalidInputError, match=f"line {4 + MOST_PROPERTIES}"):
        parse_header(header(MOST_PROPERTIES + 1, 1))
    with pytest.raises(InvalidInputError, match=f"line {3 + 3 + MOST_ELEMENTS}"):
        parse_header(header(3, MOST_ELEMENTS + 1))


@pytest.mark.parametrize("case", ["p-huge-count", "p-huge-list"])
def test_a_false_count_takes_no_memory(cases: Path, case: str) -> None:
    tracemalloc.start()
    with pytest.raises(InvalidInputError):
        read(cases / case / "scan.ply")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 1 << 20


@pytest.mark.parametrize(
    ("layout", "tail", "severity"),
    [
        ("binary_little_endian", b"\0" * 5, ["note"]),
        ("binary_little_endian", b"\0" * 24, ["warning"]),
        ("ascii", b"\n \n", []),
        ("ascii", b"made by x\n", ["note"]),
        ("ascii", b"\x1a", ["note"]),
    ],
)
def test_bytes_after_the_data_are_passed_over(tmp_path: Path, layout: str, tail: bytes, severity: list[str]) -> None:
    scan = read(write_ply(tmp_path / "a.ply", layout, [("vertex", XYZ, SQUARE)], tail=tail))

    assert np.array_equal(SQUARE, scan.points)
    assert [d.severity for d in scan.diagnostics] == severity


def test_gaussians_are_no_points(tmp_path: Path) -> None:
    names = ("f_dc_0", "opacity", "scale_0", "rot_0")
    properties = [*XYZ, *((name, "f4") for name in names)]
    path = write_ply(tmp_path / "a.ply", "binary_little_endian", [("vertex", properties, [[0.0] * 7])])

    with pytest.raises(InvalidInputError, match=r"radiance field.*R2S134"):
        read(path)
