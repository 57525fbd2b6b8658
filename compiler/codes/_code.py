"""One entry of the catalogue."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["note", "warning", "note or warning", "error"]


@dataclass(frozen=True, slots=True)
class Code:
    """
    A diagnostic's name, its title in a few words, what it means and what to do.

    *exit_code* is that of the error's class; notes and warnings end no command.

    >>> Code("R2S104", "empty file", "The file holds no bytes.", "Export the scan again.").ending
    'error, exit code 3'
    >>> Code("R2S321", "points given twice", "Copies.", "Nothing to do.", severity="note").ending
    'note'
    """

    name: str
    title: str
    meaning: str
    remedy: str
    severity: Severity = "error"
    exit_code: int = 3

    @property
    def ending(self) -> str:
        """Severity in words, with the exit code of an error."""
        return f"error, exit code {self.exit_code}" if self.severity == "error" else self.severity
