"""
Rows of numbers in a text, parsed in bulk; and what is wrong with the first that is none.

A text of a million lines must not cost a million steps of Python.
So a block of lines is parsed at once, the numbers of each line are counted at once, and only when the two counts
disagree are the tokens looked at one by one, to name the line.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.errors import InvalidInputError
from r2s.passes.readers.lines import BLOCK, Lines

_IS_BLANK = np.zeros(256, dtype=bool)
_IS_BLANK[list(b" \t\n\v\f\r")] = True

_NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|nan(?:\(\w*\))?|inf(?:inity)?)", re.IGNORECASE)
_MICROSOFT_NAN = re.compile(rb"[+-]?1\.#(?:QNAN|SNAN|NAN|IND|INF)\d*")
_COMMA_NUMBER = re.compile(rb"[+-]?\d+,\d+(?:[eE][+-]?\d+)?")
_SHOWN = 40


@dataclass(frozen=True, eq=False)
class Rows:
    """
    The numbers of some lines that are not blank.

    values  (k,) all numbers in order
    starts  (n,) where the numbers of each row begin in values
    counts  (n,) how many numbers each row has
    lines   (n,) the number of each row's line in the file, from 1
    """

    values: NDArray[np.float64]
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]
    lines: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.counts)


def is_number(token: bytes) -> bool:
    """Whether *token* is one decimal number, ``nan`` or ``inf``."""
    return _NUMBER.fullmatch(token) is not None


def has_decimal_commas(tokens: list[bytes]) -> bool:
    """Whether *tokens* are a row of three or more numbers, some of them with a decimal comma."""
    commas = [_COMMA_NUMBER.fullmatch(token) is not None for token in tokens]
    return len(tokens) >= 3 and any(commas) and all(c or is_number(t) for c, t in zip(commas, tokens, strict=True))


def parse_rows(text: bytes, numbers: NDArray[np.int64]) -> Rows:
    """
    Return the rows of *text*; line i of it is line ``numbers[i]`` of the file.

    Raises InvalidInputError for the first token that is no number, with its line.
    """
    if not text.strip():
        none = np.zeros(0, dtype=np.int64)
        return Rows(np.zeros(0), none, none, none)
    if b"1.#" in text:  # how old Microsoft libraries print what is no number; the length must stay
        text = _MICROSOFT_NAN.sub(lambda match: b"nan".ljust(len(match[0])), text)
    codes = np.frombuffer(text, dtype=np.uint8)
    blank = _IS_BLANK[codes]
    begins = np.flatnonzero(~blank & np.concatenate(([True], blank[:-1])))
    ends = np.append(np.flatnonzero(codes == ord("\n")), len(codes))
    counts = np.diff(np.searchsorted(begins, ends), prepend=0)
    values = _parse(text, len(begins))
    if values is None or not _infinities_are_meant(text, begins, values):
        _raise_for_first_bad_token(text, numbers)
    filled = np.flatnonzero(counts)
    counts = counts[filled].astype(np.int64)
    return Rows(values, np.cumsum(counts) - counts, counts, numbers[filled])


def take_rows(lines: Lines, wanted: int) -> Rows:
    """
    Return the next rows from *lines*, *wanted* at most, and go past them; blank lines count for nothing.

    Fewer rows may come back than there are, so call it again; no rows mean the end of the text.
    """
    while block := lines.peek(int(min(BLOCK, max(1 << 16, 64 * wanted)))):
        block = _first_filled(block, wanted)
        rows = parse_rows(block, lines.line + np.arange(block.count(b"\n") + 1))
        lines.advance(block)
        if len(rows):
            return rows
    return parse_rows(b"", np.zeros(1, dtype=np.int64))


def whole_numbers(values: NDArray[np.generic]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return *values* as int64, and which of them are no whole numbers (those are given as -1)."""
    if not np.issubdtype(values.dtype, np.floating):
        return values.astype(np.int64), np.zeros(values.shape, dtype=bool)
    reals = values.astype(np.float64)
    broken = ~(np.abs(reals) < 2.0**53) | (np.floor(reals) != reals)
    return np.where(broken, -1.0, reals).astype(np.int64), broken


def shown(token: bytes) -> str:
    """Return *token* quoted for a message: printable, and cut where it is long."""
    text = token[:_SHOWN].decode("utf-8", "backslashreplace")
    return ascii(text) if len(token) <= _SHOWN else f"{text!a}... ({len(token):,} bytes)"


def _first_filled(block: bytes, wanted: int) -> bytes:
    """Return the lines of *block* up to its filled line number *wanted*."""
    if block.count(b"\n") < wanted:
        return block
    codes = np.frombuffer(block, dtype=np.uint8)
    filled_before = np.cumsum(~_IS_BLANK[codes], dtype=np.int64)
    ends = np.flatnonzero(codes == ord("\n"))
    filled = np.cumsum(np.diff(filled_before[ends], prepend=0) > 0)
    last = int(np.searchsorted(filled, wanted))
    return block if last == len(ends) else block[: int(ends[last]) + 1]


def _parse(text: bytes, expected: int) -> NDArray[np.float64] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # older versions of numpy only warn
        try:
            values = np.fromstring(text, dtype=np.float64, sep=" ")
        except (ValueError, DeprecationWarning):
            return None
    return values if len(values) == expected else None


def _infinities_are_meant(text: bytes, begins: NDArray[np.int64], values: NDArray[np.float64]) -> bool:
    """Whether each infinite value is written as such, and is no number too large for a double."""
    return all(text[b : b + 4].lstrip(b"+-")[:1] in b"iI" for b in begins[np.isinf(values)].tolist())


def _raise_for_first_bad_token(text: bytes, numbers: NDArray[np.int64]) -> NoReturn:
    for number, line in zip(numbers.tolist(), text.split(b"\n"), strict=False):
        for token in line.split():
            if _COMMA_NUMBER.fullmatch(token):
                raise decimal_comma(number, token)
            if not is_number(token):
                raise InvalidInputError(
                    "R2S124",
                    f"line {number} has {shown(token)} where a number is expected",
                    hint="export the scan again",
                )
            if np.isinf(float(token.split(b"(")[0])) and b"i" not in token.lower():
                raise InvalidInputError(
                    "R2S124",
                    f"line {number} has the number {shown(token)}, which is too large",
                    hint="export the scan again",
                )
    raise InvalidInputError("R2S124", f"the numbers from line {numbers[0]} on cannot be parsed", hint="export it again")


def decimal_comma(line: int, token: bytes) -> InvalidInputError:
    """Return the error for a decimal comma in *token*."""
    return InvalidInputError(
        "R2S125",
        f"line {line} has a decimal comma in {shown(token)}",
        hint="export the scan with decimal points (an English locale)",
    )
