"""
Compiles a scan again and again under drawn errors, and gathers what every output came to.

Each recompile goes through the store by its drawn errors, so a run that was stopped goes on where it was, and a larger
number of draws begins with those that are there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from r2s.compiler import catalog
from r2s.compiler.account import Account, Known
from r2s.compiler.errors import Diagnostic, InvalidInputError, PassFailedError
from r2s.compiler.experiment.compare import Compared, compare, drawn_rows, left_out
from r2s.compiler.experiment.draw import Draw, draws_of
from r2s.compiler.manager import Event, Manager, Observer
from r2s.compiler.pipeline import Pipeline
from r2s.compiler.readings import Sheet
from r2s.compiler.store import DamagedEntryError

_BATCH = 8  # recompiles to a worker, which keeps every value that it ever loaded
_CHANGED = "R2S814"  # r2s itself changed while it ran: no draw's fault

Recompile = Callable[[Manager, Pipeline, Sheet], Mapping[str, float]]


def recompiled(pipeline: Pipeline) -> Pipeline:
    """
    Return *pipeline* as it is run under drawn errors, which come in behind its first pass.

    What only shapes the asset and takes most of the time is left out: the surface stays as fine as it was drawn, and
    one hull stands for all pieces.  Lengths are read on the scan, a solid's figures move by what the surface does.
    """
    kept = [step for step in pipeline.steps if step.name != "simplify"]
    steps = [catalog.load("enclose")() if step.name == "decompose" else step for step in kept]
    return Pipeline((steps[0], catalog.load("perturb")(), *steps[1:]))


def experiment(
    account: Account,
    known: Known,
    sheet: Sheet,
    pipeline: Pipeline,
    recompile: Recompile,
    manager: Callable[[Observer], Manager],
    *,
    count: int,
    seed: int,
    observe: Observer,
) -> tuple[Compared, tuple[Diagnostic, ...]]:
    """
    Return the spread of every output over *count* draws under *seed*, and a warning for each way to fail that was met.

    *pipeline* is the build's own; *recompile* returns the outputs by name that a pipeline with drawn errors and a drawn
    sheet lead to, with a manager that *manager* makes for an observer.  Raises what no draw can be blamed for.
    """
    again = recompiled(pipeline)
    draws = enumerate(draws_of(account, known, sheet, count=count, seed=seed))
    values: list[Mapping[str, float]] = []
    failures: dict[str, tuple[int, str]] = {}
    shown = _Shown(observe, count)
    while batch := list(islice(draws, _BATCH)):
        with manager(shown) as worker:
            for shown.at, draw in batch:
                try:
                    values.append(recompile(worker, _with(again, draw), draw.sheet))
                except (InvalidInputError, PassFailedError) as error:
                    if isinstance(error, DamagedEntryError) or error.code == _CHANGED:
                        raise
                    failures[error.code] = (failures.get(error.code, (0, ""))[0] + 1, error.message)
    found = Compared(
        outputs=compare(account, known, values),
        asked=count,
        made=len(values),
        seed=seed,
        drawn=tuple(drawn_rows(account, known)),
        left_out=tuple(row.id for row in left_out(account, known)),
        pipeline=str(again),
    )
    return found, tuple(_warning(code, times, count, why) for code, (times, why) in sorted(failures.items()))


class _Shown:
    """Hands on what runs, with the draw that it runs for."""

    def __init__(self, observe: Observer, count: int) -> None:
        self._observe, self._count = observe, count
        self.at = 0

    def __call__(self, event: Event) -> None:
        if event.kind != "done":  # what is done of one draw is nothing that a user waits for
            self._observe(replace(event, name=f"draw {self.at + 1} of {self._count}   {event.name}"))


def _with(pipeline: Pipeline, draw: Draw) -> Pipeline:
    options: dict[str, Any] = dict(draw.options)
    steps = (replace(step, **options) if step.name == "perturb" else step for step in pipeline.steps)
    return Pipeline(tuple(steps))


def _warning(code: str, times: int, count: int, why: str) -> Diagnostic:
    what = f"{times} of {count} recompiles under drawn errors failed with {code}: {why}"
    return Diagnostic("warning", "R2S654", what, "the spread is of the others alone, and too small if errors caused it")
