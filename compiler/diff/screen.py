"""The difference of two reports on one screen: lengths in mm, masses in g, changes with their sign, B minus A."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from r2s.compiler.diff.significance import told
from r2s.compiler.diff.wording import MM, MOST, Leaf, change, grouped, line, listed, signed

_STAGES = (("scan", "scan"), ("surface", "surface"), ("simplified", "simplify"), ("pieces", "hulls"), ("model", "MJCF"))
_SIGNS = {"equal": "=", "differs": "differs"}
_OF_A_ROW = ("feature", "definition.at_height", "lost_by", "moved_by")


def screen(found: Mapping[str, Any], a: str, b: str) -> str:
    """Return the screen for the answer of ``diff``; *a* and *b* are what the user called the reports."""
    width = max(len(a), len(b))
    lines = [_side("A", a, found["a"], width), _side("B", b, found["b"], width)]
    if found["same"]:
        return "\n".join([*lines, "same: the reports are equal to the byte"])
    for name, key in (("inputs", "inputs"), ("settled", "unit"), ("tools", "tools")):
        lines += listed(name, found[key]) if found[key] else [line(name, "equal")]
    lines += [*_passes(found), *_features(found), *_verdicts(found), *_scale(found["scale"])]
    lines += grouped("bound", found["bounds"], ("", "total", "certified", "parts["))
    ways = [leaf for leaf in found["closure"] if leaf["at"].startswith(("forward", "backward", "verdict"))]
    lines += grouped("closure", ways, ("", "maximum", "p99", "allowed", "verdict"))
    lines += grouped("budget", found["budgets"], ("", "lost", "limit", "held"))
    lines += listed("volume", [leaf for leaf in found["volume"] if leaf["at"] in ("", "value", "u", "dominant")])
    lines += grouped("slot", found["slots"], ("", "nominal", "lo", "hi", "method"))
    for name in ("blind_spots", "diagnostics"):
        lines += _gained(name, found[name])
    lines += listed("other", found["other"], 4)
    lines += told(found["statistics"])
    return "\n".join(lines)


def _scale(leaves: Sequence[Leaf]) -> Iterator[str]:
    """Yield what differs in the scale itself, and of the test of its readings what it came to."""
    tested = [leaf for leaf in leaves if leaf["at"].startswith("calibration")]
    yield from listed("scale", [leaf for leaf in leaves if leaf not in tested])
    yield from grouped("scale", tested, ("chi2", "dof", "p", "inflation", "suspect", "contradiction"))


def _side(letter: str, name: str, head: Mapping[str, Any], width: int) -> str:
    asset = f"asset {head['asset'][:12]}" if head["asset"] else "no asset"
    verdict = head["verdict"] if head["verdict"] == "UNCHECKED" else f"CHECK {head['verdict']}"
    return f"{letter}        {name:<{width}}   {head['name']}   {asset}   {verdict}"


def _passes(found: Mapping[str, Any]) -> Iterator[str]:
    entries = found["passes"]
    yield line("passes", "   ".join(f"{e['name']} {_SIGNS.get(e['value'], e['value'])}" for e in entries))
    first = found["first"]
    if first is None:
        yield line("first", "no pass differs: every value is equal to the byte")
    else:
        yield line("first", f"{first['pass']} is the first pass whose value differs: {', '.join(first['why'])}")
    for entry in entries:
        tail = ", value equal" if entry["value"] == "equal" else ""
        own = [*entry.get("options", ()), *entry.get("version", ()), *entry.get("libraries", ())]
        for leaf in own[:MOST]:
            yield line("", f"{entry['name']}: {leaf['at']} {change(leaf)}{tail}")
        if len(own) > MOST:
            yield line("", f"{entry['name']}: and {len(own) - MOST} more: see --json")
    terms = [f"{e['name']} {len(e['terms'])}" for e in entries if e.get("terms")]
    if terms:
        yield line("terms", f"numbers that differ: {', '.join(terms)}; see --json")


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
            yield from (f"{'':<{width}} {said}" for said in _refusals(row))
        yield f"{'':<{width}} = equal to the last bit, - no value on a side"
    for side, key in (("A", "only_in_a"), ("B", "only_in_b")):
        if found[key]:
            yield line("reading", f"only in {side}: {', '.join(found[key])}")


def _refusals(row: Mapping[str, Any]) -> Iterator[str]:
    for side in ("a", "b"):
        for stage, value in row["stages"].items():
            if f"refused_{side}" in value:
                yield f"{side.upper()} not measured on {stage}: {value[f'refused_{side}']}"
                break


def _verdicts(found: Mapping[str, Any]) -> Iterator[str]:
    yield from listed("verdict", found["verdict"])
    for row in found["features"]:
        changed = [f"{key} {row[key]['a']} -> {row[key]['b']}" for key in ("role", "verdict") if _differs(row[key])]
        if _differs(row["conformance"]) and row["verdict"]["a"] != "UNCHECKED":
            changed.append(f"p {_probability(row['conformance']['a'])} -> {_probability(row['conformance']['b'])}")
        if _differs(row["tolerance"]):
            changed.append(f"tolerance {row['tolerance']['a'] * MM:.3f} -> {row['tolerance']['b'] * MM:.3f} mm")
        changed += [f"{leaf['at']} {change(leaf)}" for leaf in row["other"] if leaf["at"] in _OF_A_ROW]
        if changed:
            yield line("reading", f"{row['id']}: {'; '.join(changed)}")


def _gained(name: str, gained: Mapping[str, list[str]]) -> Iterator[str]:
    label = {"blind_spots": "blind", "diagnostics": "said"}[name]
    for sign, key in (("+", "gained"), ("-", "lost")):
        for said in gained[key]:
            yield line(label, f"{sign} {said}")


def _label(row: Mapping[str, Any]) -> str:
    return str(row["id"]) if row["id"] == row["feature"] else f"{row['id']} {row['feature']}"


def _signed(pair: Mapping[str, Any] | None) -> str:
    if pair is None or pair["change"] is None:
        return "-"
    moved = pair["change"]
    return "=" if moved == 0 else signed(moved * MM)


def _mm(value: float | None) -> str:
    return f"{'-' if value is None else f'{value * MM:.3f}':>6}"


def _probability(value: float | None) -> str:
    return "none" if value is None else f"{value:.3f}"


def _differs(pair: Mapping[str, Any]) -> bool:
    return bool(pair["a"] != pair["b"])
