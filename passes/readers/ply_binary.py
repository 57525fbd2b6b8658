"""
The body of a binary PLY.

Rows of one size are seen as one structured array over the file, so ten million points take about a second.
Rows with lists vary in size.  Mostly they do not (all triangles), which one comparison proves; else each row is stepped
over once, to learn where it begins, and the values are gathered afterwards in bulk.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from r2s.compiler.errors import InvalidInputError
from r2s.passes.readers.content import Content
from r2s.passes.readers.ply_header import Element, Property
from r2s.passes.readers.ply_table import Lists, Table, refuse_unless_it_fits

_LARGEST_UNIFORM_ROW = 1 << 20
_STRUCT_CODES = {
    "i1": "b",
    "u1": "B",
    "i2": "h",
    "u2": "H",
    "i4": "i",
    "u4": "I",
    "i8": "q",
    "u8": "Q",
    "f4": "f",
    "f8": "d",
}


class BinaryBody:
    """The elements of a binary PLY, read or skipped in the order of the header."""

    def __init__(self, content: Content, offset: int, order: Literal["<", ">"]) -> None:
        self._content = content
        self._order = order
        self.offset = offset

    @property
    def left(self) -> int:
        """How many bytes follow."""
        return len(self._content) - self.offset

    def read(self, element: Element, wanted: frozenset[str]) -> Table:
        """
        Return the *wanted* columns of the next element, and go past it.

        Raises InvalidInputError where the file is too short for it or a list has an impossible length.
        """
        room = self.left // max(1, element.least_row)
        refuse_unless_it_fits(element, element.rows * element.least_row, self.left, room)
        if element.rows == 0:
            return _empty(element, wanted)
        lengths = self._list_lengths_of_first_row(element)
        row = self._row_type(element, lengths)
        if row is not None and element.rows * row.itemsize <= self.left:
            rows = np.frombuffer(self._content, dtype=row, count=element.rows, offset=self.offset)
            if all((rows[f"n{i}"] == length).all() for i, length in lengths.items()):
                self.offset += element.rows * row.itemsize
                return _uniform(element, rows, wanted)
        walk = _walk(self._content, self.offset, element, self._order)
        self.offset = walk.end
        return _gathered(self._content, walk, element, self._order, wanted)

    def _list_lengths_of_first_row(self, element: Element) -> dict[int, int]:
        one = Element(element.name, 1, element.properties)
        if all(p.count is None for p in element.properties):
            return {}
        walk = _walk(self._content, self.offset, one, self._order)
        lists = [i for i, p in enumerate(element.properties) if p.count is not None]
        return dict(zip(lists, walk.lengths[0].tolist(), strict=True))

    def _row_type(self, element: Element, lengths: dict[int, int]) -> np.dtype[np.void] | None:
        """Return the type of a row if each has lists of *lengths*; None where that would be a monster."""
        size = element.least_row + sum(n * np.dtype(element.properties[i].kind).itemsize for i, n in lengths.items())
        if size > _LARGEST_UNIFORM_ROW:
            return None
        fields: list[tuple[str, str] | tuple[str, str, tuple[int]]] = []
        for i, p in enumerate(element.properties):
            if p.count is None:
                fields.append((f"v{i}", self._order + p.kind))
                continue
            fields += [(f"n{i}", self._order + p.count), (f"v{i}", self._order + p.kind, (lengths[i],))]
        return np.dtype(fields)


@dataclass(frozen=True, eq=False)
class _Walk:
    """
    Where the rows of an element lie.

    begins   (rows,) byte offset of each row
    starts   (rows, lists) byte offset of the values of each list
    lengths  (rows, lists) how many values it has
    end      byte offset after the last row
    """

    begins: NDArray[np.int64]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    end: int


def _walk(content: Content, offset: int, element: Element, order: str) -> _Walk:
    begins, starts, lengths = array("q"), array("q"), array("q")
    parts = list(_parts(element, order))
    tail = sum(p.least_size for p in _after_last_list(element))
    end = len(content)
    position = offset
    for row in range(element.rows):
        begins.append(position)
        for skip, count_type, value_size in parts:
            position += skip
            if position + count_type.size > end:
                raise _cut_off(element, row)
            length = count_type.unpack_from(content, position)[0]
            position += count_type.size
            if not 0 <= length * value_size <= end - position or length != int(length):
                raise _bad_length(element, row, length, end - position)
            starts.append(position)
            lengths.append(int(length))
            position += int(length) * value_size
        position += tail
    if position > end:
        raise _cut_off(element, element.rows - 1)
    shape = (element.rows, len(parts))
    return _Walk(
        np.frombuffer(begins, dtype=np.int64),
        np.frombuffer(starts, dtype=np.int64).reshape(shape),
        np.frombuffer(lengths, dtype=np.int64).reshape(shape),
        position,
    )


def _parts(element: Element, order: str) -> Iterator[tuple[int, struct.Struct, int]]:
    """Yield for each list the bytes before its count, the type of its count, and the size of a value."""
    skip = 0
    for p in element.properties:
        if p.count is None:
            skip += p.least_size
            continue
        yield skip, struct.Struct(order + _STRUCT_CODES[p.count]), np.dtype(p.kind).itemsize
        skip = 0


def _after_last_list(element: Element) -> tuple[Property, ...]:
    last = max(i for i, p in enumerate(element.properties) if p.count is not None)
    return element.properties[last + 1 :]


def _uniform(element: Element, rows: NDArray[np.void], wanted: frozenset[str]) -> Table:
    table = Table()
    for i, p in enumerate(element.properties):
        if p.name not in wanted:
            continue
        if p.count is None:
            table.columns[p.name] = rows[f"v{i}"]
            continue
        values = rows[f"v{i}"]
        table.lists[p.name] = Lists(values.reshape(-1), np.full(len(rows), values.shape[1], dtype=np.int64))
    return table


def _gathered(content: Content, walk: _Walk, element: Element, order: str, wanted: frozenset[str]) -> Table:
    table = Table()
    data = np.frombuffer(content, dtype=np.uint8)
    base, seen = walk.begins, 0
    for p in element.properties:
        kind = np.dtype(order + p.kind)
        if p.count is None:
            if p.name in wanted:
                table.columns[p.name] = _values(data, base, 1, kind)[:, 0]
            base = base + kind.itemsize
            continue
        starts, lengths = walk.starts[:, seen], walk.lengths[:, seen]
        if p.name in wanted:
            table.lists[p.name] = Lists(_ragged(data, starts, lengths, kind), lengths)
        base, seen = starts + lengths * kind.itemsize, seen + 1
    return table


def _ragged(
    data: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64], kind: np.dtype[np.generic]
) -> NDArray[np.generic]:
    """Return the values of all lists, one list after the other."""
    flat = np.zeros(int(lengths.sum()), dtype=kind)
    places = np.cumsum(lengths) - lengths
    order = np.argsort(lengths, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
        length = int(lengths[rows[0]])
        if length:
            flat[places[rows, None] + np.arange(length)] = _values(data, starts[rows], length, kind)
    return flat


def _values(
    data: NDArray[np.uint8], starts: NDArray[np.int64], length: int, kind: np.dtype[np.generic]
) -> NDArray[np.generic]:
    """Return (rows, length) values of *kind*, which lie unaligned at the byte offsets *starts*."""
    gathered = sliding_window_view(data, length * kind.itemsize)[starts]
    return np.ascontiguousarray(gathered).view(kind)


def _empty(element: Element, wanted: frozenset[str]) -> Table:
    none = np.zeros(0, dtype=np.int64)
    scalars = {p.name: none for p in element.properties if p.name in wanted and p.count is None}
    lists = {p.name: Lists(none, none) for p in element.properties if p.name in wanted and p.count is not None}
    return Table(dict[str, NDArray[np.generic]](scalars), lists)


def _cut_off(element: Element, row: int) -> InvalidInputError:
    return InvalidInputError(
        "R2S121",
        f"the file ends in row {row + 1:,} of the {element.rows:,} {element.name!r} rows that its header counts",
        hint="the file is cut off; export or copy it again",
    )


def _bad_length(element: Element, row: int, length: float, left: int) -> InvalidInputError:
    return InvalidInputError(
        "R2S127",
        f"{element.name} {row + 1:,} claims a list of {length:,} values, and {left:,} bytes of the file are left",
        hint="the file is damaged; export or copy it again",
    )
