"""What the sheet says of the whole object: mass, density, fill and balance points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NoReturn

from r2s.compiler.errors import Diagnostic
from r2s.compiler.ledger import Method
from r2s.compiler.readings import EXTENTS, BalancePoint, Fill, Quantity
from r2s.compiler.sheet_fields import Fields, Unit, amount, choice, fields, unit_of
from r2s.compiler.sheet_readings import values_of
from r2s.compiler.units import DENSITY, LENGTH, MASS, Table
from r2s.compiler.yaml_tree import Document, ListNode, MapNode, Node, TextNode

# From silica aerogel's solid neighbours (balsa bark, foams) to above osmium: outside, a unit slipped.
DENSITY_LOW, DENSITY_HIGH = 5.0, 25_000.0
_COM_ACCURACY = 1e-3
_BLUNDER_RATIO = 0.02
_BLUNDER_ACCURACIES = 10.0


def parse_mass(document: Document, node: Node) -> Quantity:
    """Return the mass, kg."""
    return _quantity(document, node, "mass", MASS, "kg", "measured").quantity


def parse_density(document: Document, node: Node) -> Quantity:
    """Return the density, kg/m³; one that no solid has is an error, with the likely unit."""
    found = _quantity(document, node, "density", DENSITY, "kg/m^3", "declared")
    value = found.quantity.value
    if not DENSITY_LOW <= value <= DENSITY_HIGH:
        _refuse_density(document, found)
    return found.quantity


def _refuse_density(document: Document, found: _Found) -> NoReturn:
    value, hint = found.quantity.value, "check the digits and the unit"
    if found.unit == "kg/m^3" and DENSITY_LOW <= value * 1000 <= DENSITY_HIGH:
        hint = f"did you mean {value:g} g/cm^3?"
    if found.unit == "g/cm^3" and DENSITY_LOW <= value / 1000 <= DENSITY_HIGH:
        hint = f"did you mean {value / 1000:g} kg/m^3?"
    near = " (air has 1.2)" if value < DENSITY_LOW else " (osmium, the densest, has 22600)"
    said = f"density is {value:g} kg/m^3, which no solid object has{near}"
    document.fail("R2S240", found.node, said, hint=hint)


@dataclass(frozen=True, slots=True)
class _Found:
    quantity: Quantity
    unit: str
    node: Node


def _quantity(document: Document, node: Node, what: str, table: Table, si: str, method: Method) -> _Found:
    """Return ``{value: 94.0, unit: g, accuracy: 0.5}`` or ``94.0 g``; repeats are averaged, their scatter kept."""
    if isinstance(node, TextNode):
        one = amount(document, node, what, table, own=None)
        return _Found(Quantity(one.value, 0.0, si, method), one.unit, node)
    of = fields(document, node, what, ("value", "values", "unit", "accuracy"))
    unit = unit_of(of, table)
    amounts = tuple(amount(document, n, f"value of {what}", table, own=unit) for n in values_of(of))
    given = of.get("accuracy")
    limit = 0.0
    if given is not None:
        limit = amount(
            document, given, f"accuracy of {what}", table, own=None, inherited=amounts[0].unit, zero=True
        ).value
    values = [a.value for a in amounts]
    _refuse_blunder(of, values, limit, amounts[-1].node)
    mean = math.fsum(values) / len(values)
    # Quantity knows one half-width a, with u = a/√3; the scatter of the mean joins it as √3 times its own u.
    half_width = math.hypot(limit, math.sqrt(3) * _u_of_mean(values, mean))
    return _Found(Quantity(mean, half_width, si, method, limit), amounts[0].unit, amounts[0].node)


def _u_of_mean(values: list[float], mean: float) -> float:
    if len(values) < 2:
        return 0.0
    return math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values))


def _refuse_blunder(of: Fields, values: list[float], limit: float, at: Node) -> None:
    spread = max(values) - min(values)
    if spread > _BLUNDER_ACCURACIES * limit and spread > _BLUNDER_RATIO * max(values):
        said = f"{of.what} reads {min(values):g} and {max(values):g} kg, {spread / max(values):.0%} apart"
        of.document.fail("R2S230", at, said, hint="measure again")


def parse_fill(document: Document, node: Node) -> Fill:
    """Return ``solid``, ``unknown`` or ``{shell: 1.2, unit: mm}``."""
    if not isinstance(node, MapNode):
        kind = choice(document, node, "fill", ("solid", "unknown", "shell"))
        if kind == "shell":
            document.fail("R2S212", node, "a shell needs its thickness", hint="write fill: {shell: 1.2, unit: mm}")
        return Fill("solid" if kind == "solid" else "unknown")
    of = fields(document, node, "fill", ("shell", "unit"))
    shell = of.need("shell", hint="write fill: {shell: 1.2, unit: mm}")
    return Fill("shell", amount(document, shell, "shell", LENGTH, own=unit_of(of, LENGTH)).value)


def parse_com(
    document: Document, node: Node, inherited: str | None
) -> tuple[tuple[BalancePoint, ...], list[Diagnostic]]:
    """Return the balance points, and a note where their accuracy is assumed; *inherited* is the instrument's unit."""
    nodes = node.items if isinstance(node, ListNode) else (node,)
    notes: list[Diagnostic] = []
    points = tuple(_balance_point(document, item, inherited, notes) for item in nodes)
    return points, notes


def _balance_point(document: Document, node: Node, inherited: str | None, notes: list[Diagnostic]) -> BalancePoint:
    of = fields(document, node, "com", ("along", "from", "value", "unit", "accuracy"))
    along_node = of.need("along", hint="say along which extent, such as extent_long")
    along = choice(document, along_node, "along", EXTENTS)
    end_node = of.need("from", hint="say from which end of the extent: min or max")
    end: Literal["min", "max"] = "min" if choice(document, end_node, "from", ("min", "max")) == "min" else "max"
    unit = unit_of(of, LENGTH)
    value_node = of.need("value", hint="write how far from that end it balances, such as value: 28.4 mm")
    value = amount(document, value_node, "value of com", LENGTH, own=unit, inherited=inherited)
    accuracy_node = of.get("accuracy")
    if accuracy_node is None:
        said = f"{document.place(of.node.mark)}: balance point along {along} without accuracy: 1 mm is assumed"
        notes.append(Diagnostic("note", "R2S248", said, "add accuracy"))
        return BalancePoint(along, end, value.value, _COM_ACCURACY)
    written = Unit(value.unit, value.node)
    accuracy = amount(document, accuracy_node, "accuracy of com", LENGTH, own=None, inherited=written.name)
    return BalancePoint(along, end, value.value, accuracy.value)
