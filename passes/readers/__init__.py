"""
The readers of scan files: ours, as the bytes are not to be trusted and a library that guesses would hide it.

What a file is, its content says.  The suffix decides only where the content does not, and where the two disagree the
content is followed, with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from r2s.compiler.errors import Diagnostic, InvalidInputError
from r2s.passes.readers.content import Content, open_content, text_start
from r2s.passes.readers.later import READ_NOW, later_format
from r2s.passes.readers.obj import read_obj
from r2s.passes.readers.ply import read_ply
from r2s.passes.readers.raw import RawScan
from r2s.passes.readers.stl import is_ascii_stl, is_binary_stl, read_stl
from r2s.passes.readers.xyz import looks_like_columns, read_xyz

__all__ = ["FORMATS", "Format", "RawScan", "read"]

_OBJ_LINE = re.compile(rb"^[ \t]*(?:v[ \t]+[-+.\d]|vn[ \t]|vt[ \t]|f[ \t]+-?\d|(?:mtllib|usemtl)[ \t])", re.MULTILINE)
_HEAD = 1 << 16


@dataclass(frozen=True)
class Format:
    """A format that is read: its suffixes, whether a content is of it, and its reader."""

    name: str
    suffixes: tuple[str, ...]
    fits: Callable[[Content], bool]
    read: Callable[[Content, Path], RawScan]


def _is_ply(content: Content) -> bool:
    start = text_start(content)
    return re.match(rb"ply[ \t]*[\r\n]", content[start : start + 64]) is not None


def _is_stl(content: Content) -> bool:
    return is_binary_stl(content) or is_ascii_stl(content)


def _is_obj(content: Content) -> bool:
    head = content[text_start(content) : _HEAD].replace(b"\r", b"\n")
    return b"\0" not in head and _OBJ_LINE.search(head) is not None


FORMATS: tuple[Format, ...] = (
    Format("PLY", (".ply",), _is_ply, lambda content, _folder: read_ply(content)),
    Format("STL", (".stl",), _is_stl, lambda content, _folder: read_stl(content)),
    Format("OBJ", (".obj",), _is_obj, read_obj),
    Format(
        "XYZ",
        (".xyz", ".txt", ".pts", ".asc", ".csv", ".xyzn", ".xyzrgb", ".tsv"),
        looks_like_columns,
        lambda content, _folder: read_xyz(content),
    ),
)


def read(path: Path, format: str | None = None) -> RawScan:  # noqa: A002  the plain word, as in Source.format
    """
    Return the points, normals and triangles of the scan at *path*, in the file's own numbers.

    *format* stands in for the path's suffix (``"ply"`` or ``".ply"``) where a stored copy has none.
    Raises InvalidInputError for whatever cannot be read rightly: one line that says what, by how much, and what to do.
    """
    content = open_content(path)
    suffix = path.suffix.lower() if format is None else "." + format.lower().removeprefix(".")
    by_suffix = next((f for f in FORMATS if suffix in f.suffixes), None)
    refuse = later_format(content)
    if refuse is not None:
        refuse(content)
    by_content = next((f for f in FORMATS if f.fits(content)), None)
    chosen = by_content or by_suffix
    if chosen is None:
        raise InvalidInputError(
            "R2S105",
            f"r2s does not know the file by its content, nor by its suffix {suffix or '(none)'!r}; it reads {READ_NOW}",
            hint="export the scan as one of these",
        )
    scan = chosen.read(content, path.parent)
    if by_suffix is None or chosen is by_suffix:
        return scan
    contradiction = Diagnostic(
        "warning",
        "R2S110",
        f"the file is called {suffix}, and its content is {chosen.name}: it was read as {chosen.name}",
    )
    return replace(scan, diagnostics=(contradiction, *scan.diagnostics))
