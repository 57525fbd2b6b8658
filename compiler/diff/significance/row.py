"""A row of a report's section ``uncertainty`` as a value: an error, its size, and what each output feels of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from r2s.compiler.ledger import Method
from r2s.compiler.uncertainty.state import Component

_SIZES = ("u", "half_width", "bound", "unbounded")


@dataclass(frozen=True, slots=True)
class Row:
    """
    The standard uncertainty *u* of a signed error in *unit*, infinite where nothing bounds it, and its known *bias*.

    *size* is what the report states, to be compared to the last bit.  *by* are the derivatives of the outputs.
    """

    id: str
    made_by: str
    unit: str
    method: Method
    u: float
    bias: float
    dof: float
    group: str
    source: str
    size: tuple[Any, ...]
    by: Mapping[str, float]

    @property
    def u_total(self) -> float:
        """Standard uncertainty with the bias that was not corrected in root sum of squares (GUM F.2.4.5)."""
        return math.hypot(self.u, self.bias)

    def component(self, name: str, u: float, group: str = "") -> Component:
        """Return a component of the state called *name* that is as large as *u*, else as this row is."""
        return Component(name, u, self.unit, self.method, self.made_by, self.dof, group)


def rows_of(section: Mapping[str, Any]) -> dict[str, Row]:
    """Return the rows of a section ``uncertainty`` by id, in its order."""
    return {row["id"]: _row(row) for row in section["rows"]}


def _row(row: Mapping[str, Any]) -> Row:
    return Row(
        id=row["id"],
        made_by=row["pass"],
        unit=row["unit"],
        method=cast("Method", row["method"]),
        u=_u(row),
        bias=float(row["value"]),
        dof=math.inf if row["dof"] is None else float(row["dof"]),
        group=row["group"],
        source=row["source"],
        size=(row["value"], *(row.get(key) for key in _SIZES)),
        by={name: float(felt["c"]) for name, felt in row["sensitivity"].items()},
    )


def _u(row: Mapping[str, Any]) -> float:
    if row.get("unbounded"):
        return math.inf
    if "u" in row:
        return float(row["u"])
    return float(row["half_width"] if "half_width" in row else row["bound"]) / math.sqrt(3)
