"""The statistics on a screen: one table of what changed, then who made it surer, what dominates, what turned over."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from r2s.compiler.account import digits
from r2s.compiler.diff.wording import MM, MOST, UNITS, line, shown, signed

_EQUAL = "equal"
_ALONE = ("only_in_a", "only_in_b")
_LEAST = 0.01  # of u² of A: less is no line
_LONGEST = 60  # characters of a blind spot


def told(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines for the answer of :func:`~r2s.compiler.diff.significance.statistics.statistics`."""
    if "note" in found:
        yield line("note", found["note"])
        return
    yield from _table(found)
    yield from _asset(found["asset"], found["from"])
    yield from _u2(found["u2"])
    yield from _dominance(found["u2"])
    yield from _flips(found["flips"])


def _table(found: Mapping[str, Any]) -> Iterator[str]:
    outputs = found["outputs"]
    moved = [o for o in outputs if o["verdict"] != _EQUAL]
    if moved:
        width = max(12, *(len(_label(o)) for o in moved))
        yield f"{'B - A':<{width}} {'A':>10} {'B':>10} {'change':>10} {'± 95 %':>10} {'z':>8}"
        yield from (_output(o, width) for o in moved)
    equal = [o["name"] for o in outputs if o["verdict"] == _EQUAL]
    if equal:
        yield line("equal", ", ".join(equal))
    if found["not_compared"]:
        yield line("apart", f"{', '.join(found['not_compared'])}: along the axes of two scans, not compared")
    rows = found["rows"]
    in_part = [row["id"] for row in rows["changed"] if row["in_common"] in ("bias", "readings")]
    same = len(rows["same"]) + sum(row["in_common"] == "error" for row in rows["changed"])
    others = sum(len(rows[k]) for k in ("changed", *_ALONE)) + len(rows["same"]) - same - len(in_part)
    said = f"{same} are the same in both builds and cancel, {others} are not"
    yield line("errors", "; ".join([said, *(f"{id_} cancels in part" for id_ in in_part)]))


def _output(output: Mapping[str, Any], width: int) -> str:
    factor = UNITS.get(output["unit"], (1.0, ""))[0]
    a, b = (digits(output[k] * factor, (output[f"U95_{k}"] or 0.0) * factor) for k in ("a", "b"))
    u95 = output["U95"]
    wide = None if u95 is None else u95 * factor
    moved = output["change"] * factor
    change = digits(moved, min(wide or math.inf, abs(moved)))
    z = "-" if output["z"] is None else f"{output['z']:+.2f}"
    spread = "none" if wide is None else digits(wide, wide)
    sign = "" if moved < 0 else "+"
    said = output["verdict"]
    if output["exact"]:
        spread = "exact"
        said += "" if output["of_U95_a"] is None else f" ({output['of_U95_a']:.2g} of U95)"
    return f"{_label(output):<{width}} {a:>10} {b:>10} {sign + change:>10} {spread:>10} {z:>8}  {said}"


def _label(output: Mapping[str, Any]) -> str:
    return f"{output['name']} {UNITS.get(output['unit'], (1.0, output['unit']))[1]}"


def _asset(effects: Sequence[Mapping[str, Any]], since: str | None) -> Iterator[str]:
    """Yield what the passes did to the asset's lengths, *since* the first that differs, the largest first."""
    moved = [e for e in effects if e["pass"] is not None]
    if moved:
        yield line("asset", f"the passes from {since or 'none'} on moved lengths beside their estimates by:")
    for effect in sorted(moved, key=lambda e: -abs(e["change"]))[:MOST]:
        part, size = effect["by_pass"][effect["pass"]], effect["of_U95_a"]
        mostly = f"mostly {effect['pass']} ({signed(part * MM)})"
        beside = "" if size is None else f" ({size:.2g} of U95)"
        said = f"{signed(effect['change'] * MM)} mm, {mostly}: {effect['verdict']}{beside}"
        yield line("", f"{effect['id']} {said}")
    if len(moved) > MOST:
        yield line("", f"and {len(moved) - MOST} more: see --json")


def _u2(budgets: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield by how much u² grew and by which pass, in parts of u² of A: those add up."""
    lines = [said for budget in budgets if (said := _grown(budget))]
    yield from lines[:MOST]
    if len(lines) > MOST:
        yield line("u2", f"and {len(lines) - MOST} more: see --json")


def _grown(budget: Mapping[str, Any]) -> str:
    before = budget["u_a"]
    if not before or budget["change"] is None:
        return ""
    parts = {p: v / before**2 for p, v in budget["by_pass"].items() if abs(v) >= _LEAST * before**2}
    if not parts:
        return ""
    factor, unit = UNITS.get(budget["unit"][1:-3], (1.0, budget["unit"][1:-3]))
    ends = " -> ".join(digits(u * factor, u * factor) for u in (before, budget["u_b"]))
    said = ", ".join(f"{p} {100 * v:+.0f} %" for p, v in sorted(parts.items(), key=lambda item: -abs(item[1])))
    return line("u2", f"{budget['name']}: {100 * budget['change'] / before**2:+.0f} % by {said}; u {ends} {unit}")


def _dominance(budgets: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield what dominates now and before, the outputs of one such change on one line."""
    found: dict[str, list[str]] = {}
    for budget in budgets:
        one, two = budget["dominant"]["a"], budget["dominant"]["b"]
        if one != two:
            found.setdefault(f"{one or 'nothing'} -> {two or 'nothing'}", []).append(budget["name"])
    for said, names in found.items():
        yield line("mostly", f"{said}: {', '.join(names)}")


def _flips(flips: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for flip in flips[:MOST]:
        yield line("flip", _flip(flip))
    if len(flips) > MOST:
        yield line("flip", f"and {len(flips) - MOST} more: see --json")


def _flip(flip: Mapping[str, Any]) -> str:
    what, of = flip["what"], flip["of"]
    if what == "blind spot":
        name = of.partition(":")[0]
        return f"blind spot {'gained' if flip['b'] else 'gone'}: {name if len(name) <= _LONGEST else name[:_LONGEST]}"
    ends = " -> ".join(_end(what, flip[side]) for side in "ab")
    return f"{what} {of} {ends}" if of else f"{what} {ends}"


def _end(what: str, value: Any) -> str:
    if isinstance(value, bool):
        return f"{'' if value else 'not '}{what}"
    return shown(value)
