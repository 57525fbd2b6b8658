"""
Wavefront OBJ: positions and faces of all objects, groups and materials together, as they are one thing in the world.

A face names position, texture and normal of each corner; only the position counts here, so a texture seam is no crack.
Colours and a fourth coordinate after a position, lines, points, normals and texture coordinates are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.errors import Diagnostic, InvalidInputError
from r2s.passes.readers.assemble import NO_NORMALS, Polygons, make_cloud, make_mesh
from r2s.passes.readers.content import Content, text_start
from r2s.passes.readers.lines import Lines
from r2s.passes.readers.numbers import parse_rows, whole_numbers
from r2s.passes.readers.quantum import written_quantum
from r2s.passes.readers.raw import RawScan

_AFTER_SLASH = re.compile(rb"/[^\s]*")
_FREE_FORM = frozenset([b"curv", b"curv2", b"surf"])
_NUMERIC = frozenset([b"v", b"vn", b"f"])
_SAMPLE_ROWS = 1000
_BATCH = 1 << 16


class _Obj:
    """What was read so far: arrays of numbers, and the lines that wait to be parsed together."""

    def __init__(self) -> None:
        self.points: list[NDArray[np.float64]] = [np.zeros((0, 3))]
        self.normals: list[NDArray[np.float64]] = [np.zeros((0, 3))]
        self.corners: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
        self.counts: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
        self.places: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
        self.libraries: list[bytes] = []
        self.sample: list[list[bytes]] = []
        self.vertices = 0
        self._waiting: dict[bytes, tuple[list[bytes], list[int], list[int]]] = {}

    def add(self, keyword: bytes, text: bytes, line: int) -> None:
        """Keep a statement until there are many."""
        texts, lines, known = self._waiting.setdefault(keyword, ([], [], []))
        texts.append(text)
        lines.append(line)
        known.append(self.vertices)
        if keyword == b"v":
            self.vertices += 1
        if len(texts) >= _BATCH:
            self.parse()

    def parse(self) -> None:
        """Parse the statements that wait."""
        for keyword, (texts, lines, known) in self._waiting.items():
            numbers, before = np.array(lines, dtype=np.int64), np.array(known, dtype=np.int64)
            if keyword == b"f":
                self._parse_faces(texts, numbers, before)
                continue
            if keyword == b"v":
                self.points.append(_triples(texts, numbers))
                self.sample += [text.split()[:3] for text in texts[: max(0, _SAMPLE_ROWS - len(self.sample))]]
                continue
            with suppress(InvalidInputError):  # a mesh does not need its normals, so broken ones are none
                self.normals.append(_triples(texts, numbers))
        self._waiting.clear()

    def _parse_faces(self, texts: list[bytes], numbers: NDArray[np.int64], before: NDArray[np.int64]) -> None:
        """Count the vertices from 0; a negative index counts back from those *before* the face's line."""
        text = b"\n".join(texts)
        rows = parse_rows(_AFTER_SLASH.sub(b"", text) if b"/" in text else text, numbers)
        indices, broken = whole_numbers(rows.values)
        bad = np.flatnonzero(broken | (indices == 0))
        if len(bad):
            row = int(np.searchsorted(rows.starts, bad[0], side="right")) - 1
            raise InvalidInputError(
                "R2S126",
                f"line {rows.lines[row]}: a face names vertex {rows.values[bad[0]]:g}; OBJ counts its vertices from 1",
                hint="the file is damaged; export it again",
            )
        at = np.searchsorted(numbers, rows.lines)
        counts = np.zeros(len(numbers), dtype=np.int64)  # a line may be an f alone, which has no corners
        counts[at] = rows.counts
        self.corners.append(np.where(indices < 0, np.repeat(before, counts) + indices, indices - 1))
        self.counts.append(counts)
        self.places.append(numbers)


def read_obj(content: Content, folder: Path) -> RawScan:  # noqa: ARG001  # every reader is called alike
    """
    Return the mesh or, where no face is in it, the cloud of an OBJ file that lies in *folder*.

    *folder* plays no part: what lies beside the scan is in no key, so nothing may hang on it.
    Raises InvalidInputError, with the line, for numbers that are none and indices that name no vertex.
    """
    found = _gather(content)
    points, normals = np.concatenate(found.points), np.concatenate(found.normals)
    if not len(points):
        raise InvalidInputError(
            "R2S123", "the OBJ file has no vertices (no line that begins with v)", hint="export it again"
        )
    quantum = written_quantum(points, found.sample)
    unread = _unread(found.libraries)
    places = np.concatenate(found.places)
    if not len(places):  # the normals of a cloud come one to a point; others have no meaning without faces
        return make_cloud(points, normals if len(normals) == len(points) else NO_NORMALS, quantum, unread)
    corners, counts = np.concatenate(found.corners), np.concatenate(found.counts)
    polygons = Polygons(corners, counts, origin=1, place=lambda i: f"line {places[i]}: a face")
    return make_mesh(points, NO_NORMALS, polygons, quantum, unread)


def _gather(content: Content) -> _Obj:
    found = _Obj()
    for number, line in _statements(content):
        keyword, _, rest = line.partition(b" ")
        if keyword in _NUMERIC:
            found.add(keyword, rest, number)
        elif keyword == b"mtllib" and rest.strip():
            found.libraries.append(rest.strip())
        elif keyword in _FREE_FORM:
            raise InvalidInputError(
                "R2S152",
                f"line {number} of the OBJ file begins a free-form curve or surface, which r2s does not read",
                hint="export it as a polygon mesh",
            )
    found.parse()
    return found


def _statements(content: Content) -> Iterator[tuple[int, bytes]]:
    """
    Yield the number and the text of each statement, with a blank after its keyword.

    A backslash at the end carries a statement on to the next line; in a comment it may end a Windows path and does not.
    """
    lines = Lines(content, text_start(content))
    number, begun, pending = 0, 0, b""
    while block := lines.peek():
        lines.advance(block)
        carried_on = b"\\" in block
        for raw in block.removesuffix(b"\n").split(b"\n"):
            number += 1
            line = raw.strip()
            if pending:
                line, pending = pending + line, b""
            else:
                begun = number
            if carried_on and line.endswith(b"\\") and not line.startswith(b"#"):
                pending = line[:-1] + b" "
                continue
            if line and line[0] != ord("#"):
                yield begun, line.replace(b"\t", b" ")
    if pending:
        yield begun, pending


def _triples(texts: list[bytes], numbers: NDArray[np.int64]) -> NDArray[np.float64]:
    """
    Return the first three numbers of each line.

    Raises InvalidInputError for a line of fewer than three numbers, or of more than any dialect has (8).
    """
    rows = parse_rows(b"\n".join(texts), numbers)
    counts = np.zeros(len(numbers), dtype=np.int64)
    counts[np.searchsorted(numbers, rows.lines)] = rows.counts
    wrong = np.flatnonzero((counts < 3) | (counts > 8))
    if len(wrong):
        raise InvalidInputError(
            "R2S150",
            f"line {numbers[wrong[0]]} of the OBJ file gives a vertex {counts[wrong[0]]} numbers instead of 3",
            hint="export it again",
        )
    triples: NDArray[np.float64] = rows.values[rows.starts[:, None] + np.arange(3)]
    return triples


def _unread(libraries: list[bytes]) -> tuple[Diagnostic, ...]:
    """Note that materials are not read; whether their files are there is not asked, as it changes nothing here."""
    if not libraries:
        return ()
    text = libraries[0][:80].decode("utf-8", "backslashreplace")
    what = (
        f"material file {text!r} is" if len(libraries) == 1 else f"{len(libraries)} material files ({text!r}, ...) are"
    )
    said = f"{what} not read: the asset has the geometry and no colours"
    return (Diagnostic("note", "R2S151", said),)
