"""Codes of this range; see the package for the ranges."""

from __future__ import annotations

from r2s.compiler.codes._code import Code

CODES: tuple[Code, ...] = (
    Code(
        "R2S901",
        "broken value between passes",
        "A pass made a value that breaks the rules of its type. The input is not at fault.",
        "Report it with the scan, the sheet and the command.",
    ),
    Code(
        "R2S902",
        "a pass breaks its contract",
        "A pass in the catalogue is not a frozen dataclass with a typed run.",
        "Report it; if the pass is yours, see docs/add-a-pass.md.",
    ),
)
