"""
Fields of a sheet: each takes a node of the YAML tree and returns a typed value, or says where and why it cannot.

Nothing is guessed here: a number is a plain decimal number, a unit is written somewhere, a word is one of those known.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from r2s.compiler import units
from r2s.compiler.errors import InvalidInputError
from r2s.compiler.readings import Point
from r2s.compiler.suggest import did_you_mean
from r2s.compiler.wording import proposal, shown
from r2s.compiler.yaml_tree import Document, ListNode, MapNode, Node, TextNode

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
# No sum, square or ratio of numbers within these limits overflows.
_LARGEST, _SMALLEST = 1e9, 1e-12
_YAML_1_1_TRUTH = ("yes", "no", "on", "off", "y", "n")


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping of the sheet with the name that messages give it; its keys are known, its values not looked at yet."""

    document: Document
    node: MapNode
    what: str

    def get(self, key: str) -> Node | None:
        """Return the node of *key*, None if the key is absent; a key with nothing behind it is an error."""
        for name, value in self.node.entries:
            if name.text == key:
                if isinstance(value, TextNode) and value.empty:
                    hint = f"write it after '{key}:' or remove the key"
                    self.document.fail("R2S212", name, f"{key} missing for {self.what}", hint=hint)
                return value
        return None

    def need(self, key: str, *, hint: str) -> Node:
        """Return the node of *key*; an absent key is an error with *hint*."""
        value = self.get(key)
        if value is None:
            self.document.fail("R2S212", self.node, f"{key} missing for {self.what}", hint=hint)
        return value

    def place_of(self, key: str) -> Node:
        """Return the key's own node, for messages about the key; the mapping's if the key is absent."""
        return next((name for name, _ in self.node.entries if name.text == key), self.node)


def fields(document: Document, node: Node, what: str, known: Collection[str]) -> Fields:
    """Return *node* as a mapping whose keys are all *known*; an unknown key is an error that proposes one."""
    if not isinstance(node, MapNode):
        hint = f"write {{key: value, ...}} with keys out of {', '.join(sorted(known))}"
        document.fail("R2S213", node, f"{what} must be a mapping, not {described(node)}", hint=hint)
    for key, _ in node.entries:
        if key.text not in known:
            document.fail("R2S211", key, f"unknown key {shown(key.text)} in {what}", hint=proposal(key.text, known))
    return Fields(document, node, what)


def described(node: Node) -> str:
    """Return what *node* is, in words for a message."""
    match node:
        case MapNode():
            return "a mapping"
        case ListNode():
            return "a list"
        case TextNode():
            return "nothing" if node.empty else shown(node.text)


def items(document: Document, node: Node, what: str) -> Sequence[Node]:
    """Return the items of a list."""
    if not isinstance(node, ListNode):
        hint = f"write a list; {what}: [] says that there are none"
        document.fail("R2S213", node, f"{what} must be a list, not {described(node)}", hint=hint)
    return node.items


def text(document: Document, node: Node, what: str) -> str:
    """Return a scalar as text."""
    if not isinstance(node, TextNode):
        document.fail("R2S213", node, f"{what} must be a text, not {described(node)}", hint="write one word")
    if node.empty:
        document.fail("R2S212", node, f"{what} is empty", hint="write it or remove the key")
    return node.text


def name(document: Document, node: Node, what: str) -> str:
    """Return a name that is safe in files and MJCF: letters, digits, _ and -, at most 64."""
    found = text(document, node, what)
    if not _NAME.fullmatch(found):
        hint = "use letters, digits, _ and -, at most 64 of them"
        document.fail("R2S225", node, f"{what} {shown(found)} is not allowed", hint=hint)
    return found


def choice(document: Document, node: Node, what: str, options: Collection[str]) -> str:
    """Return a word that is one of *options*."""
    found = text(document, node, what)
    if found not in options:
        # width is spelled like depth and means an extent, so the list goes with the guess.
        hint = f"{did_you_mean(found, options)} known here: {', '.join(options)}".strip()
        document.fail("R2S223", node, f"unknown {what} {shown(found)}", hint=hint)
    return found


def flag(document: Document, node: Node, what: str) -> bool:
    """Return a truth value; only true and false are, whatever YAML 1.1 says of yes and on."""
    found = text(document, node, what)
    if not (isinstance(node, TextNode) and node.plain and found in _TRUTH):
        old = found.lower() in _YAML_1_1_TRUTH
        said = f"{what} is {shown(found)}" + (", which readers of YAML 1.1 and 1.2 take differently" if old else "")
        document.fail("R2S219", node, said, hint="write true or false")
    return _TRUTH[found]


def number(document: Document, node: Node, what: str, *, low: float, open_low: bool = False) -> float:
    """Return a plain number without a unit, not under *low* (or only over it)."""
    digits, rest = _split(document, node, what)
    if rest:
        said = f"{what} is {shown(digits + ' ' + rest)}, and takes no unit"
        document.fail("R2S214", node, said, hint="write the number alone")
    value = float(digits)
    if abs(value) > _LARGEST:
        document.fail("R2S218", node, f"{what} is {digits}, out of any range", hint="check the digits and the exponent")
    if value < low or (open_low and value == low):
        bound = f"over {low:g}" if open_low else f"{low:g} or more"
        document.fail("R2S218", node, f"{what} is {digits}, but must be {bound}", hint="check the sign and the digits")
    return value


def numbers(document: Document, node: Node, what: str) -> Point:
    """Return a point: three plain numbers in the scan's own unit."""
    hint = "write [x, y, z] in the scan's own numbers"
    if not isinstance(node, ListNode):
        document.fail("R2S213", node, f"{what} must be a point, not {described(node)}", hint=hint)
    if len(node.items) != 3:
        comma = " (a decimal comma splits one number in two)" if len(node.items) > 3 else ""
        document.fail("R2S213", node, f"{what} has {len(node.items)} numbers, a point has 3{comma}", hint=hint)
    x, y, z = (number(document, item, what, low=-float("inf")) for item in node.items)
    return (x, y, z)


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit that applies to a quantity without one of its own, and the place where it was written."""

    name: str
    node: Node


def unit_of(of: Fields, table: units.Table) -> Unit | None:
    """Return the ``unit`` of a mapping, None if it has none."""
    node = of.get("unit")
    if node is None:
        return None
    found = text(of.document, node, f"unit of {of.what}")
    with _located(of.document, node):
        return Unit(units.check_unit(found, table, what=of.what), node)


@dataclass(frozen=True, slots=True)
class Amount:
    """A positive quantity in SI, the unit it was written in, and its node."""

    value: float
    unit: str
    node: Node


def amount(
    document: Document,
    node: Node,
    what: str,
    table: units.Table,
    *,
    own: Unit | None,
    inherited: str | None = None,
    zero: bool = False,
) -> Amount:
    """
    Return a quantity over 0 (or 0 too), whose unit is in the text (``57.03 mm``), else *own*, else *inherited*.

    No unit anywhere is an error, and so are two that differ.
    """
    digits, rest = _split(document, node, what)
    if not rest:
        unit = own.name if own else inherited
        if unit is None:
            hint = f"add unit: {next(iter(table))} (one of {', '.join(table)}); none is assumed"
            document.fail("R2S220", node, f"{what} {digits} has no unit", hint=hint)
    else:
        with _located(document, node):
            unit = units.check_unit(rest, table, what=what)
        if own and own.name != unit:
            said = f"{what} is in {unit} and its unit key says {own.name}"
            document.fail("R2S222", node, said, hint="keep one of them")
    value = units.to_si(digits, table[unit])
    if value < 0 or (value == 0 and not zero):
        said = f"{what} is {digits} {unit}, but must be {'0 or more' if zero else 'over 0'}"
        document.fail("R2S218", node, said, hint="check the sign and the digits")
    if value > _LARGEST or 0 < value < _SMALLEST:
        said = f"{what} is {digits} {unit}, out of any range"
        document.fail("R2S218", node, said, hint="check the digits and the exponent")
    return Amount(value, unit, node)


def _split(document: Document, node: Node, what: str) -> tuple[str, str]:
    """Return number and rest of a scalar; a text in quotes counts only as ``"57.03 mm"``, with its unit."""
    if not isinstance(node, TextNode):
        said = f"{what} must be one number, not {described(node)}"
        document.fail("R2S213", node, said, hint="repeated readings go into values: [...]")
    if node.empty:
        document.fail("R2S212", node, f"{what} is empty", hint="write a number")
    with _located(document, node):
        digits, rest = units.split_number(node.text, what=what)
    if not node.plain and not rest:
        document.fail("R2S214", node, f'{what} is the text "{digits}", no number', hint="remove the quotes")
    return digits, rest


@contextmanager
def _located(document: Document, node: Node) -> Iterator[None]:
    """Put file, line and column before what a unit or number has to say."""
    try:
        yield
    except InvalidInputError as error:
        message = f"{document.place(node.mark)}: {error.message}"
        raise InvalidInputError(error.code, message, hint=error.hint) from None
