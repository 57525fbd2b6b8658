"""Whether a spread that was seen is the one that was predicted, as far as so few draws can tell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from r2s.compiler.account import Account, Known
from r2s.compiler.account.outputs import scale_row
from r2s.compiler.account.row import Row
from r2s.compiler.account.rows import SCALE_ROW, reading_row
from r2s.compiler.chi2 import chi2_tail
from r2s.compiler.experiment.draw import LAID_ON

LEVEL = 0.95  # of the band: one output in twenty lies outside it by chance
_HALVINGS = 80

Verdict = Literal["agrees", "wider", "narrower"]


@dataclass(frozen=True, slots=True)
class Spread:
    """
    One output: the standard deviation *seen*, and the one *predicted* over the rows that were drawn, in *unit*.

    *within* is where their ratio lies with 95 % if the prediction is right.
    """

    unit: str
    seen: float
    predicted: float
    within: tuple[float, float]

    @property
    def ratio(self) -> float:
        """Seen over predicted."""
        return self.seen / self.predicted

    @property
    def verdict(self) -> Verdict:
        """Whether the ratio lies within its band, above or below."""
        low, high = self.within
        return "wider" if self.ratio > high else "narrower" if self.ratio < low else "agrees"


@dataclass(frozen=True)
class Compared:
    """The outputs by name, how many of *asked* recompiles went through, and the rows that none of them drew."""

    outputs: Mapping[str, Spread]
    asked: int
    made: int
    seed: int
    drawn: tuple[str, ...]
    left_out: tuple[str, ...]
    pipeline: str


def compare(account: Account, known: Known, values: Sequence[Mapping[str, float]]) -> dict[str, Spread]:
    """Return every output that is in all of *values*, one mapping a recompile, and that a drawn row moves."""
    drawn = drawn_rows(account, known)
    within = band(len(values)) if len(values) > 1 else (0.0, math.inf)
    found = {}
    for output in account.outputs:
        predicted = math.hypot(*(d * drawn.get(row, 0.0) for row, d in output.by.items()))
        seen = [value[output.name] for value in values if output.name in value]
        if predicted > 0 and len(seen) == len(values) > 1:
            found[output.name] = Spread(output.unit, _sd(seen), predicted, within)
    return found


def drawn_rows(account: Account, known: Known) -> dict[str, float]:
    """
    Return the rows that a draw holds, with what stands for their u in it.

    A reading of the scan is drawn through the noise of its points alone: its form, and where between two points an edge
    lies, stay.  The fit's own part is that of calipers and promise, before the scatter of the readings widened it.
    """
    found = {row.id: row.u_total for row in account.rows if row.id in LAID_ON and math.isfinite(row.u_total)}
    if known.noise > 0:
        white = {reading_row(m.id): math.sqrt(max(m.u**2 - m.still**2, 0.0)) for m in known.scan if m.there}
        found |= {row.id: white[row.id] for row in account.rows if row.id in white}
    calibration = known.anchor.calibration
    if calibration is not None and known.calibrated and scale_row([r.id for r in account.rows]) == SCALE_ROW:
        inside = calibration.u_internal**2 - calibration.u_offset**2 - known.u_read**2
        found[SCALE_ROW] = math.sqrt(max(inside, 0.0))
    return found


def left_out(account: Account, known: Known) -> tuple[Row, ...]:
    """Return the rows of the account that no draw holds."""
    drawn = drawn_rows(account, known)
    return tuple(row for row in account.rows if row.id not in drawn)


def band(count: int) -> tuple[float, float]:
    """
    Return where the standard deviation of *count* normal values lies with 95 %, against the true one.

    √(χ²/ν) at both quantiles of 2.5 %, ν = count - 1.

    >>> [tuple(round(end, 2) for end in band(n)) for n in (20, 50, 100, 200)]
    [(0.68, 1.31), (0.8, 1.2), (0.86, 1.14), (0.9, 1.1)]
    """
    dof = count - 1
    low, high = (math.sqrt(_quantile(tail, dof) / dof) for tail in ((1 + LEVEL) / 2, (1 - LEVEL) / 2))
    return low, high


def _quantile(tail: float, dof: int) -> float:
    """Return the value that χ² exceeds with the probability *tail*."""
    low, high = 0.0, dof + 20 * math.sqrt(2 * dof) + 20
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if chi2_tail(middle, dof) > tail else (low, middle)
    return (low + high) / 2


def _sd(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1))
