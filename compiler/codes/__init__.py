"""
The catalogue of codes: what each diagnostic means and what to do about it.

One file a range, so that a code is easy to find and a new one has an obvious place:

======== ==========================================
R2S0xx   command line, pipeline text, options
R2S1xx   readers of scan files
R2S2xx   the caliper sheet
R2S3xx   ingest: units, axes, points
R2S4xx   surface and simplify
R2S5xx   decompose
R2S6xx   scale, judge and verdicts
R2S7xx   emission and what MuJoCo compiled
R2S8xx   store, worker, manager, output files; verify and diff
R2S9xx   bugs of ours
======== ==========================================

``r2s-compile explain`` prints it, and ``make docs`` writes docs/troubleshooting.md from it.
"""

from __future__ import annotations

from importlib import import_module

from r2s.compiler.codes._code import Code
from r2s.compiler.codes._group import GROUPS, Group

__all__ = ["GROUPS", "Code", "Group", "catalogue", "codes_of"]


def catalogue() -> dict[str, Code]:
    """
    Return every code by its name, in order.

    A code that is defined twice, or in the file of another range, is a ValueError: both are slips of the developer.
    """
    found: dict[str, Code] = {}
    for group in GROUPS:
        for code in codes_of(group):
            if code.name in found:
                raise ValueError(f"{code.name} is defined twice")
            if not code.name.startswith(f"R2S{group.digit}"):
                raise ValueError(f"{code.name} stands in the range of {group.name}")
            found[code.name] = code
    return dict(sorted(found.items()))


def codes_of(group: Group) -> tuple[Code, ...]:
    """Return the codes of *group* in the order of their names."""
    codes: tuple[Code, ...] = import_module(f"r2s.compiler.codes.{group.name}").CODES
    return tuple(sorted(codes, key=lambda code: code.name))
