"""Progress on a terminal's stderr: which pass runs, for how long, and what came from the store."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from r2s.compiler.manager import Event

_ANALYSES = ("settle", "measure", "distances", "compiled", "corrupt")  # they answer and make nothing

Begun = Callable[[int, int, str], Callable[[Event], None]]


@contextmanager
def counted(*, quiet: bool) -> Iterator[Begun]:
    """
    Yield what is told that a job of many begins (its number, how many, its name) and returns an observer of its steps.

    It draws one line on stderr where that is a terminal, with the pass that runs, and does nothing elsewhere.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda *_: lambda _: None
        return
    from rich.console import Console

    console = Console(stderr=True)
    with console.status("starting") as status:

        def begun(number: int, count: int, name: str) -> Callable[[Event], None]:
            job = f"{number}/{count}   {name}" if count else name
            status.update(job)

            def observe(event: Event) -> None:
                if event.kind == "running":
                    status.update(f"{job}   {event.name} {event.seconds:.0f} s")

            return observe

        yield begun


@contextmanager
def shown(*, quiet: bool) -> Iterator[Callable[[Event], None]]:
    """Yield an observer that draws on stderr where that is a terminal, and does nothing elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console

    console = Console(stderr=True)
    with console.status("starting") as status:

        def observe(event: Event) -> None:
            if event.kind == "running":
                status.update(f"{event.name}   {event.seconds:.0f} s")
            elif event.kind == "done" and event.name not in _ANALYSES:
                told = "from the store" if event.hit else f"{event.seconds:.1f} s"
                console.print(f"[green]✓[/] {event.name:<10} {told}", highlight=False)

        yield observe
