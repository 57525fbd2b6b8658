"""Friction and damping of the sheet, with what they rest on: readings, somebody's word, or nothing."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from r2s.compiler.errors import Diagnostic
from r2s.compiler.ledger import Method
from r2s.compiler.readings import Friction
from r2s.compiler.sheet_fields import Fields, choice, fields, items, number, text
from r2s.compiler.wording import shown
from r2s.compiler.yaml_tree import Document, ListNode, Node, TextNode

KINDS: tuple[Literal["slide", "roll", "spin", "damping"], ...] = ("slide", "roll", "spin", "damping")
_KEYS = ("value", "values", "lo", "hi", "source", "readings", "against")
_FILE_LIMIT = 16_000_000


def parse_friction(
    document: Document, node: Node, folder: Path | None
) -> tuple[tuple[Friction, ...], dict[str, str], list[Diagnostic]]:
    """
    Return the coefficients, the files of readings by their written name with their SHA-256, and notes on the claims.

    *folder* is the sheet's, where files of readings lie.

    ``roll`` and ``spin`` are metres and ``damping`` N·m·s/rad, as MuJoCo has them; ``slide`` has no unit.
    """
    found: list[Friction] = []
    files: dict[str, str] = {}
    notes: list[Diagnostic] = []
    for one in node.items if isinstance(node, ListNode) else (node,):
        of = fields(document, one, "friction", KINDS)
        for kind in KINDS:
            inner = of.get(kind)
            if inner is None:
                continue
            friction = _coefficient(document, kind, inner, folder, files, notes)
            if any(f.kind == kind and f.against == friction.against for f in found):
                against = f" against {shown(friction.against)}" if friction.against else ""
                said = f"{kind} friction{against} is given twice"
                document.fail("R2S245", inner, said, hint="name the counter-surface: against: rubber")
            found.append(friction)
    return tuple(found), files, notes


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What a coefficient rests on; *sha256* is empty where there is no reading."""

    method: Method
    sha256: str


def _coefficient(
    document: Document,
    kind: Literal["slide", "roll", "spin", "damping"],
    node: Node,
    folder: Path | None,
    files: dict[str, str],
    notes: list[Diagnostic],
) -> Friction:
    if isinstance(node, TextNode):
        value = number(document, node, kind, low=0)
        notes.append(_no_interval(document, node, kind))
        return Friction(kind, value, value, value, "assumed")
    of = fields(document, node, f"{kind} friction", _KEYS)
    values = _values(of)
    evidence = _evidence(of, values, folder, files, notes)
    value = sum(values) / len(values)
    low, high = _interval(of, values, notes, kind)
    if not low <= value <= high:
        said = f"{kind} friction {value:g} lies outside [{low:g}, {high:g}]"
        document.fail("R2S244", of.place_of("lo"), said, hint="lo <= value <= hi")
    against = of.get("against")
    surface = "" if against is None else text(document, against, "against")
    if not surface.isprintable() or len(surface) > 64:
        assert against is not None
        document.fail(
            "R2S225", against, f"against {shown(surface)} is not allowed", hint="use up to 64 plain characters"
        )
    return Friction(kind, value, low, high, evidence.method, surface, evidence.sha256)


def _values(of: Fields) -> tuple[float, ...]:
    one, many = of.get("value"), of.get("values")
    if many is None:
        node = of.need("value", hint="write value: 0.6") if one is None else one
        return (number(of.document, node, f"value of {of.what}", low=0),)
    if one is not None:
        said = f"{of.what} has both value and values"
        of.document.fail("R2S213", of.place_of("values"), said, hint="put all of them into values")
    found = tuple(
        number(of.document, n, f"value of {of.what}", low=0) for n in items(of.document, many, f"values of {of.what}")
    )
    if not found:
        of.document.fail("R2S212", many, f"values of {of.what} is empty", hint="write the readings")
    return found


def _interval(of: Fields, values: tuple[float, ...], notes: list[Diagnostic], kind: str) -> tuple[float, float]:
    low, high = of.get("lo"), of.get("hi")
    if low is None and high is None:
        if len(values) < 2:
            notes.append(_no_interval(of.document, of.node, kind))
        return min(values), max(values)
    if low is None or high is None:
        missing, there = ("lo", "hi") if low is None else ("hi", "lo")
        said = f"{of.what} has {there} and no {missing}"
        of.document.fail("R2S244", of.place_of(there), said, hint="give both ends of the interval, or none")
    return tuple(number(of.document, n, f"{k} of {of.what}", low=0) for k, n in (("lo", low), ("hi", high)))  # type: ignore[return-value]  # two of them


def _no_interval(document: Document, node: Node, kind: str) -> Diagnostic:
    said = f"{document.place(node.mark)}: {kind} friction has no interval: it will not vary"
    return Diagnostic("note", "R2S249", said, "add lo and hi")


def _evidence(
    of: Fields, values: tuple[float, ...], folder: Path | None, files: dict[str, str], notes: list[Diagnostic]
) -> _Evidence:
    """Return the method: ``measured`` needs readings, ``declared`` somebody's word, else it is ``assumed``."""
    source_node, readings = of.get("source"), of.get("readings")
    source = (
        "" if source_node is None else choice(of.document, source_node, "source", ("measured", "declared", "assumed"))
    )
    if readings is not None:
        sha256 = _hash_of_file(of, readings, folder)
        files[text(of.document, readings, f"readings of {of.what}")] = sha256
    elif of.get("values") is not None:
        sha256 = hashlib.sha256(json.dumps(values).encode()).hexdigest()
    else:
        sha256 = ""
    if source == "measured" and not sha256:
        assert source_node is not None
        said = f"{of.document.place(source_node.mark)}: {of.what} says measured without readings: taken as declared"
        notes.append(Diagnostic("note", "R2S243", said, "add values: [...] or readings: FILE"))
        return _Evidence("declared", "")
    if source == "declared" or source == "assumed":
        return _Evidence("declared" if source == "declared" else "assumed", sha256)
    return _Evidence("measured" if sha256 else "assumed", sha256)


def _hash_of_file(of: Fields, node: Node, folder: Path | None) -> str:
    """Return the SHA-256 of the file of readings; it must lie in the sheet's folder or below, links followed."""
    written = text(of.document, node, f"readings of {of.what}")
    said = f"readings {shown(written)}"
    if folder is None:
        of.document.fail("R2S242", node, f"{said}: the sheet has no folder to look in", hint="give the sheet as a file")
    path = PurePosixPath(written)
    if path.is_absolute() or ".." in path.parts or "\\" in written or "\0" in written:
        of.document.fail("R2S242", node, f"{said} leaves the folder of the sheet", hint="put the file beside the sheet")
    try:
        base = folder.resolve()
        target = (base / path).resolve()
        if not target.is_relative_to(base):
            hint = "put the file itself beside the sheet"
            of.document.fail("R2S242", node, f"{said} is a link out of the folder of the sheet", hint=hint)
        if not target.is_file():
            of.document.fail("R2S242", node, f"{said}: no such file beside the sheet", hint="check the name")
        with target.open("rb") as file:
            data = file.read(_FILE_LIMIT + 1)
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "a loop of links"
        of.document.fail("R2S242", node, f"{said} cannot be read: {reason}", hint="check the file")
    if not data or len(data) > _FILE_LIMIT:
        size = "is empty" if not data else f"is over {_FILE_LIMIT} bytes"
        of.document.fail("R2S242", node, f"{said} {size}", hint="give the file of readings")
    return hashlib.sha256(data).hexdigest()
