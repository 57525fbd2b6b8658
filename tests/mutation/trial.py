"""One trial: break one thing, run the tests that can see it, say what came of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from mutation.mutant import Mutant
from mutation.reach import Test
from mutation.scratch import Run, Scratch

_START = 10.0  # seconds that pytest and the libraries may take to load
_PATIENCE = 4.0  # a test may take so many times as long as it did under the recorder


@dataclass(frozen=True)
class Result:
    """
    What came of a mutant.

    *outcome* is ``killed`` (a test failed), ``stopped`` (it ran on until its time was up: also killed), ``survived``,
    or ``unseen`` (no test runs it: also survived).  *by* is the test that failed; *left* counts tests that reach the
    mutant and were not run for want of time.
    """

    mutant: str
    module: str
    scope: str
    before: str
    after: str
    outcome: str
    by: str
    tests: int
    left: int
    seconds: float

    @property
    def dead(self) -> bool:
        """Whether a test noticed."""
        return self.outcome in {"killed", "stopped"}

    def tree(self) -> dict[str, object]:
        """Return the fields by name, as they are stored."""
        return asdict(self)


def tried(scratch: Scratch, mutant: Mutant, reaching: Sequence[Test], allowed: float) -> Result:
    """Return what came of *mutant*; its tests run in order for as long as *allowed* seconds would be enough for."""
    chosen: list[Test] = []
    spent = 0.0
    for test in reaching:
        if chosen and spent + test.seconds > allowed:
            break
        chosen.append(test)
        spent += test.seconds
    if not chosen:
        return _result(mutant, "unseen", "", 0, 0, 0.0)
    listed = scratch.root / "build" / "chosen.txt"
    listed.write_text("\n".join(test.name for test in chosen))
    with scratch.broken(mutant):
        run = scratch.pytest(["-x", f"@{listed}"], _START + _PATIENCE * spent)
    return _result(mutant, *_judged(run), len(chosen), len(reaching) - len(chosen), run.seconds)


def _judged(run: Run) -> tuple[str, str]:
    if run.status is None:
        return "stopped", ""
    if run.status == 0:
        return "survived", ""
    found = re.search(r"^(?:FAILED|ERROR) (\S+)", run.text, re.MULTILINE)
    return "killed", found[1] if found else f"exit status {run.status}"


def _result(mutant: Mutant, outcome: str, by: str, tests: int, left: int, seconds: float) -> Result:
    told = (mutant.name, mutant.module, mutant.scope, mutant.before, mutant.after)
    return Result(*told, outcome, by, tests, left, round(seconds, 1))
