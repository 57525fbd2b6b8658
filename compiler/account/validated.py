"""
Whether the linear account may be believed: each output by Monte Carlo of the same rows (JCGM 101 clause 8).

It draws what the account says, so it tests the linear model and the normal interval, and no row.  Where they do not
hold, as with few rectangular terms or for an angle that cannot be negative, its own interval is what gets published.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.account.account import LEVEL, Account
from r2s.compiler.account.outputs import Output, scale_row
from r2s.compiler.account.row import Row
from r2s.compiler.uncertainty import monte_carlo
from r2s.compiler.uncertainty.budget import Budget
from r2s.compiler.uncertainty.distributions import Normal
from r2s.compiler.uncertainty.intervals import Interval, numerical_tolerance, symmetric_of
from r2s.compiler.uncertainty.monte_carlo import Drawn
from r2s.compiler.uncertainty.student import coverage_factor
from r2s.compiler.uncertainty.validation import Validation, Verdict, validate_lpu

Floats = NDArray[np.float64]

SEED = 20_261
DRAWS = 200_000
_BLOCKS = 10  # whose scatter tells how far a figure may still move
DIGITS = 2  # of u, which both intervals must agree to
TILT, _TILTS = "tilt", ("tilt.x", "tilt.y")
_ACROSS = " across"  # the second tilt rests on other places than the first, and draws their heights anew
_KEPT = 4  # digits of its width that an interval's ends are written with: further ones are by chance
_TWIN = " twin"  # of a row, drawn normal; of an output, linear in such rows
_FURTHEST = 50.0  # of an exponent: a t of one degree of freedom now and then draws any number


@dataclass(frozen=True, slots=True)
class Checked:
    """
    The *verdict* on the linear interval of an output, and the *interval* to publish, of ``LEVEL``.

    *u* is the standard deviation of the *draws*, made from *seed*.
    """

    verdict: Verdict
    interval: tuple[float, float]
    u: float
    draws: int
    seed: int = SEED


def validated(account: Account) -> dict[str, Checked]:
    """
    Return what Monte Carlo makes of every bounded output by name, and of ``tilt``, which is the norm of both tilts.

    Equal accounts give equal figures: the seed is fixed, every row has a stream of its own, and nothing is summed in
    an order that depends on threads.
    """
    found = {o.name: Checked("validated", (o.value, o.value), 0.0, 0) for o in account.outputs}
    moving = [o for o in account.outputs if account.budgets[o.name].u > 0]
    unbounded = {o.name for o in moving if math.isinf(account.budgets[o.name].u)}
    found |= _checked(account, [o for o in moving if o.name not in unbounded])
    return {name: checked for name, checked in found.items() if name not in unbounded}


def _checked(account: Account, outputs: list[Output]) -> dict[str, Checked]:
    if not outputs:
        return {}
    rows = _felt(account, outputs)
    inputs = {row.id: row.quantity for row in rows}
    inputs |= {row.id + _ACROSS: row.quantity for row in rows if any(row.id in o.by for o in _tilts(outputs))}
    inputs |= {id_ + _TWIN: Normal(0.0, q.u) for id_, q in inputs.items() if not isinstance(q, Normal)}

    def model(drawn: Mapping[str, Floats]) -> dict[str, Floats]:
        errors, twins = _shared(rows, drawn), _shared(rows, {k: drawn.get(k + _TWIN, v) for k, v in drawn.items()})
        linear = {o.name + _TWIN: o.value + _moved(o.by, twins, _count(drawn)) for o in outputs}
        return linear | dict(_values(account, outputs, errors))

    made = monte_carlo.propagate(model, inputs, seed=SEED, level=LEVEL, draws=DRAWS).outputs
    found = {o.name: _against(account.budgets[o.name], made[o.name], made[o.name + _TWIN]) for o in outputs}
    if TILT in made:
        found[TILT] = _of_norm(made[TILT])
    return found


def _felt(account: Account, outputs: Iterable[Output]) -> list[Row]:
    """Return the rows that something bounds and that move one of *outputs*, straight or through the scale."""
    ids = {row for o in outputs for row in o.by} | {row for feed in account.feeds for row in feed.by}
    return [row for row in account.rows if row.id in ids and 0 < row.u_total < math.inf]


def _shared(rows: Iterable[Row], drawn: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return the draws by row, where rows of one group are one error: that of the group's first."""
    first: dict[str, Row] = {}
    errors = {name: values for name, values in drawn.items() if name.endswith(_ACROSS)}
    for row in rows:
        leader = first.setdefault(row.group or row.id, row)
        errors[row.id] = drawn[row.id] if leader is row else drawn[leader.id] * (row.u_total / leader.u_total)
    return errors


def _values(account: Account, outputs: Iterable[Output], z: Mapping[str, Floats]) -> Iterator[tuple[str, Floats]]:
    """Yield each output's name and its values at the errors *z* by row, (n,) each."""
    count = _count(z)
    ln_scale = _ln_scale(account, z, count)
    tilts: list[Floats] = []
    for output in outputs:
        moved = output.value + _moved(output.raw, z, count)
        yield output.name, moved * np.exp(np.clip(output.power * ln_scale, -_FURTHEST, _FURTHEST))
        if output.name in _TILTS:
            other = {row + _ACROSS: d for row, d in output.raw.items()} if tilts else output.raw
            tilts.append(_moved(other, z, count))
    if len(tilts) == len(_TILTS):
        yield TILT, np.hypot(*tilts)


def _ln_scale(account: Account, z: Mapping[str, Floats], count: int) -> Floats:
    """Return the error of ln scale: its own, less what errors of the scan took from the fit."""
    total = _moved({scale_row(z): 1.0}, z, count)
    for feed in account.feeds:
        longer = np.maximum(_moved(feed.by, z, count) / feed.value, math.exp(-_FURTHEST) - 1)
        total -= feed.weight * np.log1p(longer)
    return total


def _moved(by: Mapping[str, float], z: Mapping[str, Floats], count: int) -> Floats:
    total = np.zeros(count)
    for row, derivative in by.items():
        if row in z:
            total += derivative * z[row]
    return total


def _tilts(outputs: Iterable[Output]) -> list[Output]:
    return [o for o in outputs if o.name in _TILTS]


def _count(z: Mapping[str, Floats]) -> int:
    return len(next(iter(z.values())))


def _against(budget: Budget, drawn: Drawn, twin: Drawn) -> Checked:
    """
    Return the linear interval of *budget* against what was *drawn*.

    The *twin* is the linear model at normal errors, the same draws where a row is normal.  Its quantiles are known, so
    what the draws have of chance shows in it and is taken off (a control variate), where that makes them surer.
    """
    value, expanded = budget.output.value, budget.expanded
    normal = coverage_factor(LEVEL, math.inf) * budget.u
    of_draws, of_twin = _ends(drawn.values), _ends(twin.values)
    alone, apart = _error(of_draws), _error(of_draws - of_twin)
    ends = drawn.interval()
    if apart < alone:
        by_chance = twin.interval()
        ends = Interval(ends.low - by_chance.low + value - normal, ends.high - by_chance.high + value + normal, LEVEL)
    linear = Interval(value - expanded, value + expanded, LEVEL)
    found = Validation(linear, ends, numerical_tolerance(budget.u, DIGITS), min(alone, apart))
    published = found.published.low, found.published.high
    if found.verdict != "validated":
        published = _rounded(*published)
    return Checked(found.verdict, published, drawn.u, len(drawn.values))


def _ends(values: Floats) -> Floats:
    """Return (n, 2) the ends of the interval of each block of *values*."""
    intervals = [symmetric_of(block, LEVEL) for block in np.array_split(values, _BLOCKS)]
    return np.array([(i.low, i.high) for i in intervals])


def _error(ends: Floats) -> float:
    """Return twice the standard deviation of the mean of (n, 2) *ends*, the larger of the two (JCGM 101 7.9.4)."""
    return float(2 * (ends.std(axis=0, ddof=1) / math.sqrt(len(ends))).max())


def _of_norm(drawn: Drawn) -> Checked:
    """
    Return what is known of a norm whose best value is 0: it lies between 0 and what it exceeds with 5 %.

    Its derivative vanishes there, so the linear account says u = 0.
    """
    verdict = validate_lpu(0.0, 0.0, drawn, digits=DIGITS).verdict
    most = float(np.quantile(drawn.values, LEVEL))
    return Checked(verdict, _rounded(0.0, most), drawn.u, len(drawn.values))


def _rounded(low: float, high: float) -> tuple[float, float]:
    """Return both ends to ``_KEPT`` digits of the interval's width."""
    step = 2 * numerical_tolerance(high - low, _KEPT)
    return tuple(float(f"{round(end / step) * step:.15g}") if step > 0 else end for end in (low, high))  # type: ignore[return-value]  # two of two
