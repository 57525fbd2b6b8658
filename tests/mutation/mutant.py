"""What a mutant is: one edit of one file, and the lines whose execution a test needs to see it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mutant:
    """
    One edit: the bytes *start* to *end* of *module* become *after*.

    *module* is a path relative to the repository.  *lines* are those of the statement around the edit; a test that runs
    none of them cannot see the edit.  *scope* is the qualified name of the function around it, empty for what runs once
    at import.
    """

    module: str
    line: int
    column: int
    operator: str
    before: str
    after: str
    start: int
    end: int
    lines: tuple[int, ...]
    scope: str

    @property
    def name(self) -> str:
        """The same text for the same edit of the same source, and for no other."""
        return f"{self.module}:{self.line}:{self.column}:{self.operator}:{self.after}"

    def apply(self, source: bytes) -> bytes:
        """
        Return *source* with the edit.

        Raises ValueError if *source* is not the text that the mutant was made from.
        """
        if source[self.start : self.end].decode() != self.before:
            raise ValueError(f"{self.module} is not the source that {self.name} was made from")
        return source[: self.start] + self.after.encode() + source[self.end :]
