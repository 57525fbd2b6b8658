"""
The header of a PLY file: which elements follow, how many rows each has, and of what type each property is.

Only the first word of a line decides what the line is, as a comment may hold any words and any bytes.
The counts are only claims here; whoever reads the body checks them against the size of the file before it believes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from r2s.compiler.errors import InvalidInputError
from r2s.passes.readers.content import Content, text_start
from r2s.passes.readers.numbers import shown

Layout = Literal["ascii", "<", ">"]

LONGEST_HEADER = 4 << 20
MOST_ELEMENTS = 1000
MOST_PROPERTIES = 10_000

_TYPES = {
    name: kind
    for kind, names in {
        "i1": "char int8",
        "u1": "uchar uint8",
        "i2": "short int16",
        "u2": "ushort uint16",
        "i4": "int int32 long",
        "u4": "uint uint32 ulong",
        "i8": "int64 longlong",
        "u8": "uint64 ulonglong",
        "f4": "float float32",
        "f8": "double float64",
    }.items()
    for name in names.split()
}
_LAYOUTS: dict[bytes, Layout] = {b"ascii": "ascii", b"binary_little_endian": "<", b"binary_big_endian": ">"}
_COUNT = re.compile(rb"\d{1,18}")


@dataclass(frozen=True, slots=True)
class Property:
    """A column: *kind* is the numpy code of its values; *count* that of the length before them, for a list."""

    name: str
    kind: str
    count: str | None = None

    @property
    def least_size(self) -> int:
        """Bytes of one value, or of an empty list."""
        return np.dtype(self.count or self.kind).itemsize


@dataclass(frozen=True, slots=True)
class Element:
    """A table of *rows* rows."""

    name: str
    rows: int
    properties: tuple[Property, ...]

    @property
    def least_row(self) -> int:
        """Bytes of the shortest row."""
        return sum(p.least_size for p in self.properties)

    def has(self, *names: str) -> bool:
        """Whether there are properties of all these names."""
        return set(names) <= {p.name for p in self.properties}


@dataclass(frozen=True, slots=True)
class Header:
    """
    What the header of a PLY file says.

    layout    how the body is written
    elements  in the order of the body
    body      byte offset of the body
    lines     how many lines the header has
    """

    layout: Layout
    elements: tuple[Element, ...]
    body: int
    lines: int


def parse_header(content: Content) -> Header:
    """Return the header of the PLY file *content*.  Raises InvalidInputError, with the line, for one that is broken."""
    layout: Layout | None = None
    tables: list[tuple[str, int, list[Property]]] = []
    properties = 0
    for number, words, end in _header_lines(content):
        match words:
            case [b"end_header", *_]:
                if layout is None:
                    raise _broken(number, "no format line stands before it")
                elements = tuple(Element(name, rows, tuple(found)) for name, rows, found in tables)
                return Header(layout, elements, end, number)
            case [b"format", name, *_] if name in _LAYOUTS:
                layout = _LAYOUTS[name]
            case [b"element", name, rows, *_] if _COUNT.fullmatch(rows) and len(tables) < MOST_ELEMENTS:
                tables.append((_text(name), int(rows), []))
            case [b"property", *rest] if tables and properties < MOST_PROPERTIES:
                properties += 1
                tables[-1][2].append(_property(number, rest))
            case [b"format" | b"element" | b"property", *_]:
                raise _broken(number, shown(b" ".join(words)))
            case _:
                pass  # the magic word, comments, obj_info, and whatever else an exporter wants to say
    raise InvalidInputError(
        "R2S120", "the PLY header has no end_header line", hint="the file is cut off or damaged; export it again"
    )


def _header_lines(content: Content) -> Iterator[tuple[int, list[bytes], int]]:
    """Yield the number, the first words and the end of each line."""
    begin = text_start(content)
    sample = content[begin : begin + 5]
    line_end = b"\r" if sample[3:4] == b"\r" and sample[3:5] != b"\r\n" else b"\n"
    number = 0
    limit = min(len(content), LONGEST_HEADER)
    while begin < limit:
        cut = content.find(line_end, begin, limit)
        end = limit if cut < 0 else cut + 1
        number += 1
        yield number, content[begin:end].split(maxsplit=8), end
        begin = end


def _property(number: int, words: list[bytes]) -> Property:
    match words:
        case [b"list", count, kind, name, *_] if _text(count) in _TYPES and _text(kind) in _TYPES:
            return Property(_text(name), _TYPES[_text(kind)], _TYPES[_text(count)])
        case [kind, name, *_] if _text(kind) in _TYPES:
            return Property(_text(name), _TYPES[_text(kind)])
        case _:
            raise _broken(number, shown(b"property " + b" ".join(words)))


def _text(word: bytes) -> str:
    return word.decode("ascii", "backslashreplace").lower()


def _broken(number: int, why: str) -> InvalidInputError:
    return InvalidInputError(
        "R2S120", f"line {number} of the PLY header cannot be used: {why}", hint="export the scan again"
    )
