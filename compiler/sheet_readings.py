"""One entry of ``measurements``: which feature, which values, in which role, by which instrument."""

from __future__ import annotations

from dataclasses import dataclass

from r2s.compiler.ledger import Method
from r2s.compiler.readings import EXTENTS, FEATURES, Feature, Point, Role
from r2s.compiler.sheet_fields import (
    Amount,
    Fields,
    Unit,
    amount,
    choice,
    fields,
    flag,
    items,
    name,
    number,
    numbers,
    text,
    unit_of,
)
from r2s.compiler.sheet_instrument import Instrument, parse_instrument
from r2s.compiler.units import LENGTH
from r2s.compiler.yaml_tree import Document, ListNode, MapNode, Node

KEYS = (
    "id",
    "feature",
    "from",
    "to",
    "at",
    "axis",
    "value",
    "values",
    "unit",
    "role",
    "tolerance",
    "accuracy",
    "resolution",
    "compliant",
    "instrument",
    "temperature",
    "alpha",
)
# Which of from, to, at and axis say something about a feature; (needed, allowed).
_PLACES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    **dict.fromkeys(EXTENTS, ((), ())),
    "height": ((), ("axis",)),
    "outer_diameter": ((), ("at", "axis")),
    "inner_diameter": ((), ("at", "axis")),
    "sphere_diameter": ((), ()),
    "distance": (("from", "to"), ()),
    "thickness": (("at",), ()),
    "depth": (("from", "to"), ()),
    "step": (("from", "to"), ()),
}
_ABSOLUTE_ZERO = -273.15


@dataclass(frozen=True, slots=True)
class Entry:
    """
    One entry as it was written, in SI, with the places that later messages need.

    *tolerance* is None where the default holds; *given_id* is None where the sheet gives none.
    """

    node: MapNode
    role_node: Node
    given_id: str | None
    feature: Feature
    amounts: tuple[Amount, ...]
    role: Role
    tolerance: float | None
    accuracy: float
    accuracy_method: Method
    resolution: float
    compliant: bool
    instrument: str
    temperature: float | None
    alpha: float | None

    @property
    def label(self) -> str:
        """What messages call it."""
        return self.given_id or self.feature.kind


def parse_entry(document: Document, node: Node, default: Instrument) -> Entry:
    """Return one measurement; *default* is the sheet's instrument."""
    of = fields(document, node, "a measurement", KEYS)
    feature_node = of.need("feature", hint=f"say what the jaws spanned: {', '.join(FEATURES)}")
    kind = choice(document, feature_node, "feature", FEATURES)
    of = Fields(document, of.node, kind)
    instrument_node = of.get("instrument")
    instrument = default if instrument_node is None else parse_instrument(document, instrument_node)
    unit = unit_of(of, LENGTH)
    amounts = _amounts(of, unit, instrument.unit)
    written = unit or Unit(amounts[0].unit, amounts[0].node)
    accuracy, method = _accuracy(of, written, instrument)
    resolution = _optional(of, "resolution", written)
    role_node = of.get("role")
    role: Role = "calibrate"
    if role_node is not None and choice(document, role_node, "role", ("calibrate", "check")) == "check":
        role = "check"
    id_node = of.get("id")
    compliant = of.get("compliant")
    temperature, alpha = of.get("temperature"), of.get("alpha")
    return Entry(
        node=of.node,
        role_node=of.node if role_node is None else role_node,
        given_id=None if id_node is None else name(document, id_node, "id"),
        feature=_feature(of, kind),
        amounts=amounts,
        role=role,
        tolerance=_optional(of, "tolerance", written),
        accuracy=accuracy,
        accuracy_method=method,
        resolution=instrument.resolution if resolution is None else resolution,
        compliant=compliant is not None and flag(document, compliant, "compliant"),
        instrument=instrument.name,
        temperature=None if temperature is None else number(document, temperature, "temperature", low=_ABSOLUTE_ZERO),
        alpha=None if alpha is None else number(document, alpha, "alpha", low=0),
    )


def _amounts(of: Fields, unit: Unit | None, inherited: str | None) -> tuple[Amount, ...]:
    nodes = values_of(of)
    what = f"value of {of.what}"
    return tuple(amount(of.document, node, what, LENGTH, own=unit, inherited=inherited) for node in nodes)


def values_of(of: Fields) -> tuple[Node, ...]:
    """Return the node of ``value``, or those of ``values``; exactly one of the two keys must be there."""
    one, many = of.get("value"), of.get("values")
    if one is not None and many is not None:
        said = f"{of.what} has both value and values"
        of.document.fail("R2S213", of.place_of("values"), said, hint="put all of them into values")
    if many is None:
        return (of.need("value", hint="write the reading, such as value: 57.02 mm") if one is None else one,)
    found = items(of.document, many, f"values of {of.what}")
    if not found:
        of.document.fail("R2S212", many, f"values of {of.what} is empty", hint="write the readings")
    return tuple(found)


def _optional(of: Fields, key: str, unit: Unit) -> float | None:
    """Return a length that is in the unit of the value unless it brings its own."""
    node = of.get(key)
    what = f"{key} of {of.what}"
    return None if node is None else amount(of.document, node, what, LENGTH, own=None, inherited=unit.name).value


def _accuracy(of: Fields, unit: Unit, instrument: Instrument) -> tuple[float, Method]:
    given = _optional(of, "accuracy", unit)
    if given is not None:
        return given, "declared"
    if instrument.accuracy is None:
        hint = "add accuracy: the half-width that the maker promises"
        of.document.fail("R2S236", of.node, f"instrument kind other has no accuracy for {of.what}", hint=hint)
    return instrument.accuracy, instrument.accuracy_method


def _feature(of: Fields, kind: str) -> Feature:
    needed, allowed = _PLACES[kind]
    for key in ("from", "to", "at", "axis"):
        if key not in needed and key not in allowed and of.get(key) is not None:
            takes = " and ".join(needed + allowed) or "no place"
            of.document.fail(
                "R2S226", of.place_of(key), f"{key} says nothing about {kind}", hint=f"{kind} takes {takes}"
            )
    for key in needed:
        of.need(key, hint=f"{kind} needs {' and '.join(needed)}: [x, y, z] in the scan's own numbers")
    axis = of.get("axis")
    at = of.get("at")
    start, end = _point(of, "from"), _point(of, "to")
    if start is not None and start == end:
        of.document.fail("R2S218", of.place_of("to"), f"from and to of {kind} are one point", hint="pick two faces")
    return Feature(
        kind=kind,
        start=start,
        end=end,
        pick=_point(of, "at") if kind == "thickness" else None,
        along=None if at is None or kind == "thickness" else _height(of, at),
        axis=None if axis is None else choice(of.document, axis, "axis", ("x", "y", "z")),
    )


def _point(of: Fields, key: str) -> Point | None:
    node = of.get(key)
    return None if node is None else numbers(of.document, node, f"{key} of {of.what}")


def _height(of: Fields, node: Node) -> float:
    """Return the height of a section on the axis: ``{value: 30, unit: mm}`` or ``30 mm``."""
    what = f"at of {of.what}"
    if isinstance(node, ListNode):
        hint = "write at: {value: 30, unit: mm}, the height above the support plane"
        of.document.fail("R2S213", node, f"{what} is a height, not a point", hint=hint)
    if not isinstance(node, MapNode):
        text(of.document, node, what)
        return amount(of.document, node, what, LENGTH, own=None, zero=True).value
    inner = fields(of.document, node, what, ("value", "unit"))
    value = inner.need("value", hint="write at: {value: 30, unit: mm}")
    return amount(of.document, value, what, LENGTH, own=unit_of(inner, LENGTH), zero=True).value
