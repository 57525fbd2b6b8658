"""The stages of a build: what each pass left, under the names that the report gives them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from r2s.compiler.errors import UsageError
from r2s.compiler.manager import Trace
from r2s.compiler.suggest import did_you_mean

_NAMES = {"ingest": "scan", "surface": "surface", "simplify": "simplified", "decompose": "pieces", "emit": "model"}
_NO_SHAPE = ("scale",)  # it says by how much to scale, and moves nothing itself


@dataclass(frozen=True)
class Stage:
    """
    A shape on the way: its name, the digest of the value that holds it, and the passes since the stage before.

    A pass from another package is a stage of its own name.
    """

    name: str
    digest: str
    traces: tuple[Trace, ...]


def names(passes: Iterable[str]) -> tuple[str, ...]:
    """
    Return the names of the stages that these passes make, in their order.

    >>> names(["ingest", "surface", "smooth", "decompose", "scale"])
    ('scan', 'surface', 'smooth', 'pieces')
    """
    return tuple(_NAMES.get(name, name) for name in passes if name not in _NO_SHAPE)


def stages(traces: Sequence[Trace]) -> tuple[Stage, ...]:
    """Return the stages of a build or of what there is of it; a last pass without a shape joins the stage before."""
    found: list[Stage] = []
    since: list[Trace] = []
    for trace in traces:
        since.append(trace)
        if trace.name not in _NO_SHAPE:
            found.append(Stage(_NAMES.get(trace.name, trace.name), trace.digest, tuple(since)))
            since = []
    if since and found:
        last = found.pop()
        found.append(Stage(last.name, last.digest, (*last.traces, *since)))
    return tuple(found)


def check_names(asked: Iterable[str], there: Sequence[str]) -> None:
    """Raise UsageError (R2S042) if a stage is asked for that the build will not reach."""
    for name in asked:
        if name not in there:
            hint = did_you_mean(name, there) or f"this build makes {', '.join(there)}"
            raise UsageError("R2S042", f"this build makes no stage {name!r}", hint=hint)
