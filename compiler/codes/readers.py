"""Codes of this range; see the package for the ranges."""

from __future__ import annotations

from r2s.compiler.codes._code import Code

CODES: tuple[Code, ...] = ()
