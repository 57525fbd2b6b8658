"""The instrument of a reading: what its maker promises, by a number in the sheet or by its kind."""

from __future__ import annotations

from dataclasses import dataclass

from r2s.compiler.ledger import Method
from r2s.compiler.sheet_fields import Unit, amount, choice, fields, name, unit_of
from r2s.compiler.units import LENGTH
from r2s.compiler.yaml_tree import Document, Node

# Half-widths, m, of common instruments over a hand's length (for calipers DIN 862 with its extra for inside jaws).
KINDS: dict[str, float | None] = {
    "digital_caliper": 0.03e-3,
    "vernier_caliper": 0.05e-3,
    "micrometer": 0.004e-3,
    "ruler": 0.5e-3,
    "tape": 1e-3,
    "laser": 2e-3,
    "other": None,
}
UNNAMED = 0.1e-3
KEYS = ("kind", "id", "accuracy", "resolution", "unit")


@dataclass(frozen=True, slots=True)
class Instrument:
    """
    An instrument of the sheet; *name* tells instruments apart: its id, else its kind, else nothing.

    *accuracy* is None where neither the sheet nor the kind gives one; *unit* is None where readings must bring theirs.
    """

    name: str
    accuracy: float | None
    accuracy_method: Method
    resolution: float
    unit: str | None


NO_INSTRUMENT = Instrument("", UNNAMED, "assumed", 0.0, None)


def parse_instrument(document: Document, node: Node) -> Instrument:
    """Return the instrument that a mapping describes."""
    of = fields(document, node, "instrument", KEYS)
    kind_node, id_node = of.get("kind"), of.get("id")
    kind = "" if kind_node is None else choice(document, kind_node, "instrument kind", KINDS)
    called = kind if id_node is None else name(document, id_node, "instrument id")
    unit = unit_of(of, LENGTH)
    given = _length(document, of.get("accuracy"), "accuracy of the instrument", unit)
    resolution = _length(document, of.get("resolution"), "resolution of the instrument", unit)
    promised = KINDS[kind] if kind else UNNAMED
    method: Method = "declared" if kind or given is not None else "assumed"
    accuracy = promised if given is None else given
    return Instrument(called, accuracy, method, resolution or 0.0, unit.name if unit else None)


def _length(document: Document, node: Node | None, what: str, unit: Unit | None) -> float | None:
    return None if node is None else amount(document, node, what, LENGTH, own=unit).value
