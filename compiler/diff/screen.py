"""The difference of two reports on one screen: lengths in mm, masses in g, changes with their sign, B minus A."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from r2s.compiler.strict_json import is_number

_MM = 1e3
_STAGES = (("scan", "scan"), ("surface", "surface"), ("simplified", "simplify"), ("pieces", "hulls"), ("model", "MJCF"))
_SIGNS = {"equal": "=", "differs": "differs"}
_UNITS = {"m": (1e3, "mm"), "kg": (1e3, "g"), "m3": (1e6, "cm3"), "1": (1.0, "")}
_WORDS = {"[forward]": "scan to asset", "[backward]": "asset to scan"}
_MOST = 12  # lines of a kind; --json has all


def screen(found: Mapping[str, Any], a: str, b: str) -> str:
    """Return the screen for the answer of ``diff``; *a* and *b* are what the user called the reports."""
    width = max(len(a), len(b))
    lines = [_side("A", a, found["a"], width), _side("B", b, found["b"], width)]
    if found["same"]:
        return "\n".join([*lines, "same: the reports are equal to the byte"])
    for name, key in (("inputs", "inputs"), ("settled", "unit"), ("tools", "tools")):
        lines += _section(name, found[key]) if found[key] else [_line(name, "equal")]
    lines += [*_passes(found), *_features(found), *_verdicts(found)]
    lines += [*_section("scale", found["scale"]), *_section("bound", found["bounds"])]
    lines += _section("closure", found["closure"])
    lines += [*_section("budget", found["budgets"]), *_section("volume", found["volume"])]
    lines += [*_section("slot", found["slots"])]
    for name in ("blind_spots", "diagnostics"):
        lines += _gained(name, found[name])
    lines += _section("other", found["other"])
    return "\n".join(lines)


def _side(letter: str, name: str, head: Mapping[str, Any], width: int) -> str:
    asset = f"asset {head['asset'][:12]}" if head["asset"] else "no asset"
    verdict = head["verdict"] if head["verdict"] == "UNCHECKED" else f"CHECK {head['verdict']}"
    return f"{letter}        {name:<{width}}   {head['name']}   {asset}   {verdict}"


def _passes(found: Mapping[str, Any]) -> Iterator[str]:
    entries = found["passes"]
    yield _line("passes", "   ".join(f"{e['name']} {_SIGNS.get(e['value'], e['value'])}" for e in entries))
    first = found["first"]
    if first is None:
        yield _line("first", "no pass differs: every value is equal to the byte")
    else:
        yield _line("first", f"{first['pass']} is the first pass whose value differs: {', '.join(first['why'])}")
    for entry in entries:
        tail = ", value equal" if entry["value"] == "equal" else ""
        own = [*entry.get("options", ()), *entry.get("version", ()), *entry.get("libraries", ())]
        for leaf in own[:_MOST]:
            yield _line("", f"{entry['name']}: {leaf['at']} {_change(leaf)}{tail}")
        if len(own) > _MOST:
            yield _line("", f"{entry['name']}: and {len(own) - _MOST} more: see --json")
    terms = [f"{e['name']} {len(e['terms'])}" for e in entries if e.get("terms")]
    if terms:
        yield _line("terms", f"numbers that differ: {', '.join(terms)}; see --json")


def _features(found: Mapping[str, Any]) -> Iterator[str]:
    rows = found["features"]
    if rows:
        width = max(9, *(len(_label(r)) for r in rows)) + 1
        head = f"{'mm, B - A':<{width}} {'calipers':>8}" + "".join(f" {name:>8}" for _, name in _STAGES)
        yield f"{head} | {'estimate':>8} {'U95 A':>6} {'U95 B':>6} | {'error':>8} {'U95 A':>6} {'U95 B':>6}"
        for row in rows:
            cells = [f"{_label(row):<{width}}", f"{_signed(row['caliper']):>8}"]
            cells += [f"{_signed(row['stages'].get(stage)):>8}" for stage, _ in _STAGES]
            cells += [f"| {_signed(row['estimate']):>8}", _mm(row["estimate"]["U95_a"]), _mm(row["estimate"]["U95_b"])]
            cells += [f"| {_signed(row['error']):>8}", _mm(row["error"]["U95_a"]), _mm(row["error"]["U95_b"])]
            yield " ".join(cells)
            yield from (f"{'':<{width}} {line}" for line in _refusals(row))
        yield f"{'':<{width}} = equal to the last bit, - no value on a side"
    for side, key in (("A", "only_in_a"), ("B", "only_in_b")):
        if found[key]:
            yield _line("reading", f"only in {side}: {', '.join(found[key])}")


def _refusals(row: Mapping[str, Any]) -> Iterator[str]:
    for side in ("a", "b"):
        for stage, value in row["stages"].items():
            if f"refused_{side}" in value:
                yield f"{side.upper()} not measured on {stage}: {value[f'refused_{side}']}"
                break


def _verdicts(found: Mapping[str, Any]) -> Iterator[str]:
    yield from _section("verdict", found["verdict"])
    for row in found["features"]:
        changed = [f"{key} {row[key]['a']} -> {row[key]['b']}" for key in ("role", "verdict") if _differs(row[key])]
        if _differs(row["conformance"]) and row["verdict"]["a"] != "UNCHECKED":
            changed.append(f"p {_probability(row['conformance']['a'])} -> {_probability(row['conformance']['b'])}")
        if _differs(row["tolerance"]):
            changed.append(f"tolerance {row['tolerance']['a'] * _MM:.3f} -> {row['tolerance']['b'] * _MM:.3f} mm")
        changed += [f"{leaf['at']} {_change(leaf)}" for leaf in row["other"][:_MOST]]
        if changed:
            yield _line("reading", f"{row['id']}: {'; '.join(changed)}")


def _section(name: str, leaves: list[Mapping[str, Any]]) -> Iterator[str]:
    for leaf in leaves[:_MOST]:
        place = leaf["at"]
        for word, said in _WORDS.items():
            place = place.replace(word, said)
        yield _line(name, f"{place} {_change(leaf)}".rstrip())
    if len(leaves) > _MOST:
        yield _line(name, f"and {len(leaves) - _MOST} more: see --json")


def _change(leaf: Mapping[str, Any]) -> str:
    if "a" not in leaf and "b" not in leaf:
        return ""
    if "a" not in leaf:
        return f"only in B: {_shown(leaf['b'])}"
    if "b" not in leaf:
        return f"only in A: {_shown(leaf['a'])}"
    if "unit" in leaf:
        factor, word = _UNITS.get(leaf["unit"], (1.0, leaf["unit"]))
        a, b, change = (_short(leaf[key] * factor) for key in ("a", "b", "change"))
        return f"{a} -> {b} {word} ({'' if leaf['change'] < 0 else '+'}{change})"
    tail = f" ({leaf['change']:+.4g})" if "change" in leaf else ""
    return f"{_shown(leaf['a'])} -> {_shown(leaf['b'])}{tail}"


def _short(value: float) -> str:
    """Return *value* with three decimals, or one digit and its power of ten where they would show nothing."""
    return f"{value:.0e}" if 0 < abs(value) < 0.0005 else f"{value:.3f}"


def _shown(value: Any) -> str:
    if is_number(value):
        return f"{value:.6g}"
    if isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value):
        return value[:12]
    said = " ".join(str(value).split())
    return said if len(said) <= 60 else f"{said[:57]}..."


def _gained(name: str, change: Mapping[str, list[str]]) -> Iterator[str]:
    label = {"blind_spots": "blind", "diagnostics": "said"}[name]
    for sign, key in (("+", "gained"), ("-", "lost")):
        for line in change[key]:
            yield _line(label, f"{sign} {line}")


def _label(row: Mapping[str, Any]) -> str:
    return str(row["id"]) if row["id"] == row["feature"] else f"{row['id']} {row['feature']}"


def _signed(change: Mapping[str, Any] | None) -> str:
    if change is None or change["change"] is None:
        return "-"
    moved = change["change"]
    return "=" if moved == 0 else f"{'' if moved < 0 else '+'}{_short(moved * _MM)}"


def _mm(value: float | None) -> str:
    return f"{'-' if value is None else f'{value * _MM:.3f}':>6}"


def _probability(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


def _differs(pair: Mapping[str, Any]) -> bool:
    return bool(pair["a"] != pair["b"])


def _line(name: str, text: str) -> str:
    return f"{name:<9}{text}"
