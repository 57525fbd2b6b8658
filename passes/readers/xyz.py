"""
Points as columns of text: XYZ, PTS, ASC, TXT, and CSV.

There is no standard; the file is asked.  Blanks, tabs, commas or semicolons part the columns, lines of words may stand
above them and may name them, a PTS counts its points first.  Without names the first three columns are the point, and
the next three a normal only where every row says so by its length.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.errors import Diagnostic, InvalidInputError
from r2s.passes.readers.assemble import NO_NORMALS, make_cloud
from r2s.passes.readers.content import Content, text_start
from r2s.passes.readers.lines import Lines
from r2s.passes.readers.numbers import Rows, decimal_comma, has_decimal_commas, is_number, parse_rows, shown
from r2s.passes.readers.quantum import written_quantum
from r2s.passes.readers.raw import RawScan

MOST_HEADER_LINES = 50

_SEPARATORS = (b";", b",")
_POSITION = (b"x", b"y", b"z")
_NORMAL = (b"nx", b"ny", b"nz")
_SAMPLE_ROWS = 1000


@dataclass(frozen=True)
class Columns:
    """
    How the rows are written, as the first of them shows.

    separator  the byte between columns beside blanks, or nothing
    width      how many columns
    names      what a header line calls them, or nothing
    """

    separator: bytes
    width: int
    names: tuple[bytes, ...] = ()

    def find(self, wanted: tuple[bytes, ...]) -> list[int]:
        """Return where the columns *wanted* are by name; nothing where one is not named."""
        return [self.names.index(w) for w in wanted] if set(wanted) <= set(self.names) else []


@dataclass
class _Found:
    """Rows so far, block by block; *counted* is what count lines promised, from which line on."""

    rows: list[NDArray[np.float64]] = field(default_factory=list)
    done: int = 0
    counted: int | None = None
    before: int = 0
    sample: list[list[bytes]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def looks_like_columns(content: Content) -> bool:
    """Whether one of the first lines of *content* is a row of three numbers or more."""
    block = content[text_start(content) : 1 << 16]
    lines = block.replace(b"\r", b"\n").split(b"\n")[:-1] or [block]
    return b"\0" not in block and any(_row_columns(line) for line in lines[: 2 * MOST_HEADER_LINES])


def read_xyz(content: Content) -> RawScan:
    """
    Return the cloud of a text of columns.

    Raises InvalidInputError, with the line, for decimal commas, for words among the numbers, for a row of another width
    and for a count that is wrong.  Only a last line that is cut off is left out, with a warning.
    """
    lines = Lines(content, text_start(content))
    columns, counted = _columns(lines)
    found = _Found(counted=counted)
    while block := lines.peek():
        _read_block(block, lines, columns, found)
        lines.advance(block)
    _refuse_wrong_count(found)
    table = np.concatenate([np.zeros((0, columns.width)), *found.rows])
    points = np.ascontiguousarray(table[:, columns.find(_POSITION) or [0, 1, 2]])
    quantum = written_quantum(points, found.sample)
    return make_cloud(points, _normals(table, columns), quantum, tuple(found.diagnostics))


def _columns(lines: Lines) -> tuple[Columns, int | None]:
    """Go past the header of the text and return how its rows are written, and the count that a PTS begins with."""
    block = lines.peek(1 << 16)
    counted: int | None = None
    header: list[bytes] = []
    for skipped, line in enumerate(block.split(b"\n")[: MOST_HEADER_LINES + 1]):
        words = line.split()
        if has_decimal_commas(line.replace(b";", b" ").split()):
            comma = next(w for w in line.replace(b";", b" ").split() if b"," in w)
            raise decimal_comma(lines.line + skipped, comma)
        if row := _row_columns(line):
            lines.advance(b"\n".join(block.split(b"\n")[:skipped]) + b"\n" * (skipped > 0))
            return Columns(*row, _names(header, row[1])), counted
        if len(words) == 1 and words[0].isdigit() and len(words[0]) <= 18:
            counted = int(words[0])
        header.append(line)
    first = next((line for line in header if line.strip()), b"")
    raise InvalidInputError(
        "R2S160",
        f"none of the first lines is a row of three numbers or more; the first is {shown(first.strip())}",
        hint="a point text has x, y and z in columns, with decimal points",
    )


def _row_columns(line: bytes) -> tuple[bytes, int] | None:
    """Return separator and width of a row of numbers, or None where *line* is none."""
    for separator in _SEPARATORS:
        if separator in line:
            tokens = [t.strip() for t in line.strip().removesuffix(separator).split(separator)]
            break
    else:
        separator, tokens = b"", line.split()
    return (separator, len(tokens)) if len(tokens) >= 3 and all(map(is_number, tokens)) else None


def _names(header: list[bytes], width: int) -> tuple[bytes, ...]:
    """Return the names of the columns from the last header line that has as many words as there are columns."""
    for line in reversed(header):
        words = line.lower().strip().lstrip(b"#/ ").replace(b";", b" ").replace(b",", b" ").replace(b'"', b" ").split()
        if len(words) == width and set(_POSITION) <= set(words):
            return tuple(words)
    return ()


def _read_block(block: bytes, lines: Lines, columns: Columns, found: _Found) -> None:
    text = block
    if columns.separator:
        text = text.replace(columns.separator, b" ")
    if b"#" in text or b"//" in text:
        text = b"\n".join(b"" if line.lstrip().startswith((b"#", b"//")) else line for line in text.split(b"\n"))
    numbers = lines.line + np.arange(text.count(b"\n") + 1)
    ends_here = lines.left == len(block)
    if ends_here:
        text = _without_cut_line(text, numbers, columns, found)
    rows = parse_rows(text, numbers)
    if len(found.sample) < _SAMPLE_ROWS:
        at = columns.find(_POSITION) or [0, 1, 2]
        words = [line.split() for line in text[: 1 << 16].split(b"\n")[:_SAMPLE_ROWS]]
        found.sample += [[w[i] for i in at] for w in words if len(w) == columns.width]
    counts = np.flatnonzero((rows.counts == 1) & (columns.width > 1))
    if not len(counts):
        found.rows.append(_table(rows, columns.width))
        found.done += len(rows)
        return
    _read_scans(rows, counts, columns.width, found)


def _without_cut_line(text: bytes, numbers: NDArray[np.int64], columns: Columns, found: _Found) -> bytes:
    """Return *text* without a last line that is shorter than the others or ends within a number, and warn of it."""
    body = text.rstrip()
    begin = body.rfind(b"\n") + 1
    tokens = body[begin:].split()
    numeric = [is_number(t) for t in tokens]
    whole = all(numeric) and len(tokens) == columns.width
    cut = (begin or found.done) and tokens and len(tokens) <= columns.width and all(numeric[:-1]) and not whole
    if not cut or (not numeric[-1] and text[-1:] in b"\r\n"):
        return text
    line = numbers[body.count(b"\n")]
    message = f"left out line {line}, the last, which is cut off: {shown(body[begin:])}"
    found.diagnostics.append(Diagnostic("warning", "R2S161", message, "copy or export the scan again if it matters"))
    return text[:begin]


def _read_scans(rows: Rows, counts: NDArray[np.int64], width: int, found: _Found) -> None:
    """Read *rows*, in which those at *counts* hold one number: the size of the next of several scans in the file."""
    if found.counted is None:
        raise _odd_row(rows, int(counts[0]), width)
    begin = 0
    for at in [*counts.tolist(), len(rows)]:
        part = Rows(rows.values, rows.starts[begin:at], rows.counts[begin:at], rows.lines[begin:at])
        found.rows.append(_table(part, width))
        found.done += len(part)
        begin = at + 1
        if at < len(rows):
            _refuse_wrong_count(found)
            found.counted, found.before = int(rows.values[rows.starts[at]]), found.done


def _refuse_wrong_count(found: _Found) -> None:
    points = found.done - found.before
    if found.counted is None or found.counted == points:
        return
    raise InvalidInputError(
        "R2S162",
        f"the count line says {found.counted:,} points, and {points:,} follow",
        hint="the file is cut off or damaged; export or copy it again",
    )


def _table(rows: Rows, width: int) -> NDArray[np.float64]:
    wrong = np.flatnonzero(rows.counts != width)
    if len(wrong):
        raise _odd_row(rows, int(wrong[0]), width)
    return rows.values[rows.starts[:, None] + np.arange(width)] if len(rows) else np.zeros((0, width))


def _odd_row(rows: Rows, row: int, width: int) -> InvalidInputError:
    return InvalidInputError(
        "R2S160",
        f"line {rows.lines[row]} has {rows.counts[row]} columns, and the first row has {width}",
        hint="the file is damaged, or two are joined; export the scan again",
    )


def _normals(table: NDArray[np.float64], columns: Columns) -> NDArray[np.float64]:
    at = columns.find(_NORMAL)
    if not at and not columns.names and columns.width >= 6:
        lengths = np.linalg.norm(table[:, 3:6], axis=1)
        at = [3, 4, 5] if (np.abs(lengths - 1) <= 0.01).all() else []
    return np.ascontiguousarray(table[:, at]) if at else NO_NORMALS
