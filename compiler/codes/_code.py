"""One entry of the catalogue."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """
    A diagnostic's name, its title in a few words, what it means and what to do.

    >>> Code("R2S101", "empty file", "The file holds no bytes.", "Export the scan again.").name
    'R2S101'
    """

    name: str
    title: str
    meaning: str
    remedy: str
