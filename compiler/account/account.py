"""The account itself: rows, outputs and what linear propagation makes of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from r2s.compiler.account.known import Known
from r2s.compiler.account.outputs import Feed, Output, feeds_of, outputs_of
from r2s.compiler.account.row import Row
from r2s.compiler.account.rows import rows_of
from r2s.compiler.uncertainty import linear
from r2s.compiler.uncertainty.budget import Budget
from r2s.compiler.uncertainty.budget import Output as Quantity
from r2s.compiler.uncertainty.linear import Propagated
from r2s.compiler.uncertainty.state import State

LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Account:
    """The *rows*, the *outputs* with their derivatives and budgets, what *feeds* the scan's errors into the scale."""

    rows: tuple[Row, ...]
    outputs: tuple[Output, ...]
    feeds: tuple[Feed, ...] = ()

    @cached_property
    def propagated(self) -> Propagated:
        """Budgets in the order of the outputs, and the covariance of all outputs."""
        state = State(tuple(row.component for row in self.rows))
        quantities = [Quantity(o.name, o.value, o.unit) for o in self.outputs]
        jacobian = np.array([[o.by.get(row.id, 0.0) for row in self.rows] for o in self.outputs], dtype=np.float64)
        return linear.propagate(state, quantities, jacobian.reshape(len(self.outputs), len(self.rows)), LEVEL)

    @cached_property
    def budgets(self) -> dict[str, Budget]:
        """The budget of each output by name."""
        return {b.output.name: b for b in self.propagated.budgets}

    def u_bounded(self, name: str) -> float:
        """
        Return the standard uncertainty of *name* over the rows that something bounds: those add, independent.

        Without biases that are known: what was found wrong and left so must not excuse itself where a check tests it.
        """
        by = next(o.by for o in self.outputs if o.name == name)
        return math.hypot(*(d * row.u for row in self.rows if (d := by.get(row.id)) and math.isfinite(row.u)))

    def row(self, id_: str) -> Row:
        """Return the row called *id_*."""
        return next(row for row in self.rows if row.id == id_)

    def shares(self, name: str) -> list[tuple[str, float, Row]]:
        """Return the terms of the output *name* with their share of u² and their largest row, the largest first."""
        found: dict[str, tuple[float, float, Row]] = {}
        for c in self.budgets[name].contributions:
            row = self.row(c.component.name)
            share, most, of = found.get(row.term, (0.0, -1.0, row))
            found[row.term] = (share + c.share, *((c.share, row) if c.share > most else (most, of)))
        told = [(term, share, row) for term, (share, _, row) in found.items() if share > 0]
        return sorted(told, key=lambda one: -one[1])


def account_of(known: Known) -> Account:
    """Return the account of what is *known*."""
    rows = rows_of(known)
    ids = frozenset(row.id for row in rows)
    outputs = outputs_of(known, ids)
    used = _used(outputs)
    return Account(tuple(row for row in rows if row.id in used), outputs, feeds_of(known, used))


def _used(outputs: Iterable[Output]) -> frozenset[str]:
    return frozenset(row for output in outputs for row in output.by)
