"""What ran, in the words that both the report and the manifest use: each pass with options and versions, and tools."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from r2s.compiler import __version__
from r2s.compiler.action import library_version, source_digest
from r2s.compiler.codec import plain
from r2s.compiler.manager import Trace
from r2s.compiler.pipeline import print_step
from r2s.compiler.protocol import options_of


def step(trace: Trace) -> dict[str, Any]:
    """
    Return the pass of *trace*: name, canonical text, all options, version, and the versions of its libraries.

    The text holds what a user set, the options also what the sheet and the settling gave.
    """
    return {
        "name": trace.name,
        "text": print_step(trace.step),
        "options": plain(options_of(trace.step)),
        "version": trace.step.version,
        "libraries": {name: library_version(name) for name in sorted(trace.step.libraries)},
        "digest": trace.digest,
    }


def tools(traces: Iterable[Trace]) -> dict[str, str]:
    """Return the versions of r2s, of its source, and of every library that a pass names; nothing of the machine."""
    libraries = sorted({name for t in traces for name in t.step.libraries})
    return {"r2s": __version__, "r2s_source": source_digest(), **{n: library_version(n) for n in libraries}}
