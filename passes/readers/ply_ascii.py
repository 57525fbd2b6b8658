"""The body of an ASCII PLY: one row a line, parsed in bulk whether or not all rows are alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.errors import InvalidInputError
from r2s.passes.readers.content import Content
from r2s.passes.readers.lines import Lines
from r2s.passes.readers.numbers import Rows, take_rows, whole_numbers
from r2s.passes.readers.ply_header import Element, Header
from r2s.passes.readers.ply_table import Lists, Table, refuse_unless_it_fits


class AsciiBody:
    """The elements of an ASCII PLY, read or skipped in the order of the header."""

    def __init__(self, content: Content, header: Header) -> None:
        self.lines = Lines(content, header.body, header.lines + 1)

    def read(self, element: Element, wanted: frozenset[str]) -> Table:
        """
        Return the *wanted* columns of the next element, and go past it.

        Raises InvalidInputError, with the line, where a row does not fit the header or the rows run out.
        """
        width = len(element.properties)
        least = max(0, element.rows * 2 * width - 1)
        refuse_unless_it_fits(element, least, self.lines.left, (self.lines.left + 1) // max(1, 2 * width))
        parts: list[Table] = []
        done = 0 if width else element.rows
        while done < element.rows:
            rows = take_rows(self.lines, element.rows - done)
            if not len(rows):
                raise InvalidInputError(
                    "R2S121",
                    f"the PLY header counts {element.rows:,} {element.name!r} rows, and the file ends after {done:,}",
                    hint="the file is cut off or its header is wrong; export or copy it again",
                )
            parts.append(_columns(element, rows, wanted, done))
            done += len(rows)
        return _joined(element, parts, wanted)


def _columns(element: Element, rows: Rows, wanted: frozenset[str], done: int) -> Table:
    """Go through all *rows* at once, property by property: lists make each row's next number stand elsewhere."""
    table = Table()
    at, end = rows.starts.copy(), rows.starts + rows.counts
    short = np.zeros(len(rows), dtype=bool)
    last = len(rows.values) - 1
    for p in element.properties:
        short |= at >= end
        found = rows.values[np.minimum(at, last)]
        at += 1
        if p.count is None:
            if p.name in wanted:
                table.columns[p.name] = found
            continue
        lengths, broken = whole_numbers(found)
        short |= broken | (lengths < 0) | (lengths > end - at)
        lengths = np.where(short, 0, lengths)
        if p.name in wanted:
            table.lists[p.name] = Lists(rows.values[_ragged(at, lengths)], lengths)
        at += lengths
    wrong = np.flatnonzero(short | (at != end))
    if len(wrong):
        raise _misfit(element, rows, int(wrong[0]), done)
    return table


def _ragged(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return all indices of the ranges that begin at *starts*."""
    before = np.cumsum(lengths) - lengths
    indices: NDArray[np.int64] = np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()))
    return indices


def _joined(element: Element, parts: list[Table], wanted: frozenset[str]) -> Table:
    table = Table()
    for p in element.properties:
        if p.name not in wanted:
            continue
        if p.count is None:
            table.columns[p.name] = np.concatenate([np.zeros(0), *(t.columns[p.name] for t in parts)])
            continue
        values = np.concatenate([np.zeros(0), *(t.lists[p.name].values for t in parts)])
        counts = np.concatenate([np.zeros(0, dtype=np.int64), *(t.lists[p.name].counts for t in parts)])
        table.lists[p.name] = Lists(values, counts)
    return table


def _misfit(element: Element, rows: Rows, row: int, done: int) -> InvalidInputError:
    numbers = int(rows.counts[row])
    form = " ".join(p.name if p.count is None else f"n {p.name}*n" for p in element.properties)
    return InvalidInputError(
        "R2S122",
        f"the PLY header counts {element.rows:,} {element.name!r} rows ({form}), and line {rows.lines[row]}, "
        f"number {done + row + 1:,} of them, has {numbers} number{'s'[: numbers != 1]} that do not fit",
        hint="the header and the rows disagree; export the scan again",
    )
