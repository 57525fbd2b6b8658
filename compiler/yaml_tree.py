"""The tree of a YAML file: texts as they were written, each with its place, and nothing resolved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

from r2s.compiler.errors import InvalidInputError


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the file; line and column count from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class TextNode:
    """A scalar as it was written; *plain* is False where quotes or a block style make it text for good."""

    text: str
    plain: bool
    mark: Mark
    size: int = 1

    @property
    def empty(self) -> bool:
        """Whether nothing stands here: no text, ``~`` or ``null``."""
        return self.plain and self.text in ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True, slots=True)
class ListNode:
    """A sequence; *size* counts every node below, each alias by what it stands for."""

    items: tuple[Node, ...]
    mark: Mark
    size: int


@dataclass(frozen=True, slots=True)
class MapNode:
    """A mapping in the order of the file, merge keys resolved; *anchor* is its name if another place refers to it."""

    entries: tuple[tuple[TextNode, Node], ...]
    mark: Mark
    size: int
    anchor: str | None = None


Node = TextNode | ListNode | MapNode


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file: its *name* for messages, its *root*, and the anchors that some alias used."""

    name: str
    root: Node
    used_anchors: frozenset[str]

    def place(self, mark: Mark) -> str:
        """Return ``measurements.yaml:7:14``."""
        return f"{self.name}:{mark.line}:{mark.column}"

    def fail(self, code: str, at: Node | Mark, message: str, *, hint: str = "") -> NoReturn:
        """Raise InvalidInputError for the place *at*."""
        mark = at if isinstance(at, Mark) else at.mark
        raise InvalidInputError(code, f"{self.place(mark)}: {message}", hint=hint)
