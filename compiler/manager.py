"""
Runs a pipeline on a source: each step from the store if the store knows it, else in the worker.

The manager decides nothing about geometry and judges nothing.  It settles the unit first, hands the sheet's calibrate
readings to the passes that want them, and keeps a trace of what ran.  A check value cannot reach it: the sheet is
split before it is called.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from r2s.compiler import catalog
from r2s.compiler.action import action_key
from r2s.compiler.errors import Diagnostic, InternalError, PassFailedError
from r2s.compiler.ir import Source
from r2s.compiler.ledger import Term
from r2s.compiler.pipeline import Pipeline
from r2s.compiler.serve import options_tree
from r2s.compiler.store import DamagedEntryError, Record, Store
from r2s.compiler.worker import Limits, Worker


@dataclass(frozen=True, slots=True)
class Event:
    """Something to show: a step ``began``, is ``running`` (seconds so far), or is ``done`` (*hit*: from the store)."""

    kind: str
    name: str
    seconds: float = 0.0
    hit: bool = False


Observer = Callable[[Event], None]


@dataclass(frozen=True)
class Trace:
    """One step that was taken: its action key, the digest of its value, and what it said."""

    step: Any
    key: str
    digest: str
    terms: tuple[Term, ...]
    diagnostics: tuple[Diagnostic, ...]
    hit: bool
    seconds: float

    @property
    def name(self) -> str:
        """Name of the pass."""
        return str(self.step.name)


class Manager:
    """Runs passes and analyses over a store; use as a context manager so that its worker ends with it."""

    def __init__(self, store: Store, limits: Limits, *, salt: str = "", observe: Observer = lambda _: None) -> None:
        self.store = store
        self._salt, self._observe = salt, observe
        self._worker = Worker(store.root, limits)

    def __enter__(self) -> Manager:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._worker.close()

    def run(
        self, pipeline: Pipeline, source: Source, took: Callable[[Trace], None] = lambda _: None
    ) -> tuple[Trace, ...]:
        """
        Run the steps of *pipeline* one after the other, each on the value of the one before.

        *took* sees each step when it is done, so that what was reached is known where a later one fails.
        """
        traces: list[Trace] = []
        for step in pipeline.steps:
            value: Source | str = traces[-1].digest if traces else source
            record, hit, seconds = self._take(catalog.PASSES, step, value)
            if record.value is None:
                raise InternalError("R2S905", f"pass {step.name} left no value")
            traces.append(Trace(step, record.key, record.value, record.terms, record.diagnostics, hit, seconds))
            took(traces[-1])
        return tuple(traces)

    def ask(self, name: str, options: Mapping[str, object], about: Source | str) -> Any:
        """Return what the analysis *name* with *options* says about a source or a stored value."""
        return self._take(catalog.ANALYSES, catalog.load(name, catalog.ANALYSES)(**options), about)[0].facts

    def _take(self, group: str, step: Any, value: Source | str) -> tuple[Record, bool, float]:
        begun = time.monotonic()
        self._observe(Event("began", step.name))
        digest = value.digest() if isinstance(value, Source) else value
        key = action_key(step, digest, self._salt)
        record = self.store.find(key)
        hit = record is not None
        if record is None:
            request = {"group": group, "name": step.name, "options": options_tree(step), "salt": self._salt}
            if isinstance(value, Source):
                request["source"] = {"format": value.format, "sha256": value.sha256, "path": value.path}
            else:
                request["input"] = value
            answer = self._worker.run(
                step.name, request, lambda spent: self._observe(Event("running", step.name, spent))
            )
            if answer["key"] != key:
                what = "r2s itself was changed or upgraded while it was running"
                raise PassFailedError("R2S814", what, hint="run again")
            record = self.store.find(key)
            if record is None:  # pruned by another process between the write and this line
                raise DamagedEntryError("R2S801", f"cache entry {key[:12]} is gone", hint="run again")
        seconds = time.monotonic() - begun
        self._observe(Event("done", step.name, seconds, hit))
        return record, hit, seconds


def default_cache() -> Path:
    """Return the cache folder: ``R2S_CACHE``, else the user's cache folder of this platform."""
    import os

    from platformdirs import user_cache_path

    named = os.environ.get("R2S_CACHE")
    return Path(named) if named else user_cache_path("r2s", appauthor=False)
