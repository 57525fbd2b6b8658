"""
STL: a list of loose triangles, whose vertices are joined here where they agree to the bit.

A binary file often begins with the word ``solid``, as an ASCII one does.  So the size decides: 80 bytes, a count, and
50 bytes for each triangle.
"""

from __future__ import annotations

import re
import struct

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.errors import InvalidInputError
from r2s.passes.readers.assemble import NO_NORMALS, Polygons, make_mesh
from r2s.passes.readers.content import Content, text_start
from r2s.passes.readers.lines import Lines
from r2s.passes.readers.numbers import parse_rows, shown
from r2s.passes.readers.quantum import stored_quantum, written_quantum
from r2s.passes.readers.raw import RawScan

_HEADER = 84
_FACET = np.dtype([("normal", "<f4", (3,)), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_SAMPLE_ROWS = 1000

# One letter for each line, by its first five; the letters of a whole file must read as solids made of facets.
_KINDS = {
    b"": " ",
    b"solid": "s",
    b"endso": "s",
    b"color": "s",
    b"facet": "F",
    b"outer": "O",
    b"verte": "V",
    b"endlo": "e",
    b"endfa": "E",
}
_GRAMMAR = re.compile(r"(?:[s ]|F *O *V *V *V *e *E)*")


def is_binary_stl(content: Content) -> bool:
    """Whether the size of *content* is the one that its triangle count asks for."""
    return len(content) >= _HEADER and len(content) == _HEADER + _FACET.itemsize * _claimed(content)


def is_ascii_stl(content: Content) -> bool:
    """Whether *content* begins like an ASCII STL: the word solid, and soon a facet or the end."""
    head = content[text_start(content) : 4096].lower().lstrip()
    return head.startswith(b"solid") and b"\0" not in head and re.search(rb"\s(?:facet|endsolid)\b", head) is not None


def read_stl(content: Content) -> RawScan:
    """Return the mesh of an STL file.  Raises InvalidInputError where its size or its lines are not those of an STL."""
    if is_binary_stl(content):
        return _read_binary(content)
    if is_ascii_stl(content):
        return _read_ascii(content)
    if len(content) < _HEADER:
        raise InvalidInputError(
            "R2S140",
            f"{len(content)} bytes are too few for a binary STL, and it is no ASCII STL",
            hint="export it again",
        )
    claimed = _claimed(content)
    raise InvalidInputError(
        "R2S140",
        f"the STL header counts {claimed:,} triangles, which take {_HEADER + _FACET.itemsize * claimed:,} bytes, "
        f"and the file has {len(content):,} bytes, room for {(len(content) - _HEADER) // _FACET.itemsize:,} triangles",
        hint="the file is cut off or damaged; export or copy it again",
    )


def _claimed(content: Content) -> int:
    return int(struct.unpack("<I", content[80:_HEADER])[0])


def _read_binary(content: Content) -> RawScan:
    facets = np.frombuffer(content, dtype=_FACET, offset=_HEADER, count=_claimed(content))
    _refuse_none(len(facets))
    points, faces = _joined(facets["corners"].reshape(-1, 3) + np.float32(0))  # adding 0 makes one zero of -0 and 0
    return _mesh(points, faces, stored_quantum(points, "f4"))


def _read_ascii(content: Content) -> RawScan:
    lines = Lines(content, text_start(content))
    kinds: list[str] = []
    corners: list[NDArray[np.float64]] = []
    sample: list[list[bytes]] = []
    while block := lines.peek():
        texts = list(map(bytes.strip, block.removesuffix(b"\n").lower().split(b"\n")))
        kinds.append("".join([_KINDS.get(text[:5], "?") for text in texts]))
        where = np.flatnonzero(np.frombuffer(kinds[-1].encode(), dtype=np.uint8) == ord("V"))
        vertices = [texts[i][len(b"vertex") :] for i in where.tolist()]
        rows = parse_rows(b"\n".join(vertices), lines.line + where)
        if len(rows) != len(vertices) or (rows.counts != 3).any():
            wrong = next(i for i, vertex in enumerate(vertices) if len(vertex.split()) != 3)
            raise _bad_line(lines.line + int(where[wrong]), texts[where[wrong]])
        corners.append(rows.values.reshape(-1, 3))
        sample += [vertex.split() for vertex in vertices[: max(0, _SAMPLE_ROWS - len(sample))]]
        lines.advance(block)
    _refuse_disorder("".join(kinds))
    points, faces = _joined(np.concatenate(corners) + 0.0)
    _refuse_none(len(faces))
    return _mesh(points, faces, written_quantum(points, sample))


def _refuse_disorder(kinds: str) -> None:
    match = _GRAMMAR.match(kinds)
    end = match.end() if match else 0
    if end == len(kinds):
        return
    raise InvalidInputError(
        "R2S141",
        f"the ASCII STL breaks off in the facet that begins on line {end + 1}: a facet is "
        "'facet normal', 'outer loop', three vertices, 'endloop', 'endfacet'",
        hint="the file is cut off or damaged; export or copy it again",
    )


def _bad_line(line: int, text: bytes) -> InvalidInputError:
    return InvalidInputError(
        "R2S141",
        f"line {line} of the ASCII STL is no vertex of three numbers: {shown(text.strip())}",
        hint="export it again",
    )


def _refuse_none(triangles: int) -> None:
    if not triangles:
        raise InvalidInputError("R2S123", "the STL file has no triangles", hint="export the scan again")


def _mesh(points: NDArray[np.float64], faces: NDArray[np.int64], quantum: float) -> RawScan:
    return make_mesh(points, NO_NORMALS, Polygons(faces.reshape(-1), np.full(len(faces), 3)), quantum)


def _joined(corners: NDArray[np.floating]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the different rows of *corners* (3m, 3) in the order of their first use, and (m, 3) indices into them."""
    bits = np.ascontiguousarray(corners).view(f"u{corners.itemsize}")
    order = np.lexsort(bits.T)
    begins = np.concatenate([[True], (bits[order[1:]] != bits[order[:-1]]).any(axis=1)])[: len(order)]
    first = order[begins]  # the sort is stable, so this is the first use of each
    rank = np.argsort(np.argsort(first))
    index = np.zeros(len(corners), dtype=np.int64)
    index[order] = rank[np.cumsum(begins) - 1]
    return corners[np.sort(first)].astype(np.float64), index.reshape(-1, 3)
