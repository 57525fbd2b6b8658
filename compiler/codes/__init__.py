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
R2S8xx   store, worker, manager, output files
R2S9xx   bugs of ours
======== ==========================================
"""

from __future__ import annotations

from importlib import import_module

from r2s.compiler.codes._code import Code

_RANGES = ("usage", "readers", "sheet", "ingest", "surface", "decompose", "verdict", "emission", "build", "bugs")

__all__ = ["Code", "catalogue"]


def catalogue() -> dict[str, Code]:
    """Return every code by its name, in order; a code that is defined twice is an error."""
    found: dict[str, Code] = {}
    for name in _RANGES:
        for code in import_module(f"r2s.compiler.codes.{name}").CODES:
            if code.name in found:
                raise ValueError(f"{code.name} is defined twice")
            found[code.name] = code
    return dict(sorted(found.items()))
