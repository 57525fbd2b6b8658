"""Leaves in words: numbers in mm, g and cm3 with their signed change, grouped by what they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from r2s.compiler.strict_json import is_number

MM = 1e3
MOST = 12  # lines of a kind; --json has all

UNITS = {
    "m": (1e3, "mm"),
    "kg": (1e3, "g"),
    "m3": (1e6, "cm3"),
    "m^3": (1e6, "cm3"),
    "kg m^2": (1e6, "kg mm2"),
    "rad": (1e3, "mrad"),
}
_WAYS = {"forward": "scan to asset", "backward": "asset to scan"}
_PLACE = re.compile(r"\[?(?P<owner>[^\].]*)\]?\.?(?P<key>.*)")

Leaf = Mapping[str, Any]


def line(name: str, text: str) -> str:
    """Return *text* behind the *name* of its kind."""
    return f"{name:<9}{text}"


def listed(name: str, leaves: Sequence[Leaf], most: int = MOST) -> Iterator[str]:
    """Yield a line a leaf, up to *most*, and how many more there are."""
    for leaf in leaves[:most]:
        yield line(name, f"{leaf['at']} {change(leaf)}".rstrip())
    if len(leaves) > most:
        yield line(name, f"and {len(leaves) - most} more: see --json")


def grouped(name: str, leaves: Sequence[Leaf], keys: Sequence[str]) -> Iterator[str]:
    """
    Yield a line for each owner of *leaves* (a slot, a direction) with those of its leaves that *keys* name.

    A key that ends in ``[`` stands for all items of that list.  What no key names is counted.
    """
    owners: dict[str, list[tuple[str, Leaf]]] = {}
    for leaf in leaves:
        match = _PLACE.fullmatch(leaf["at"])
        owner, key = (match["owner"], match["key"]) if match else ("", leaf["at"])
        owners.setdefault(owner, []).append((key, leaf))
    for owner, members in owners.items():
        named = [(key, leaf) for wanted in keys for key, leaf in members if _named(key, wanted)]
        said = [f"{_short_key(key)} {change(leaf)}".strip() for key, leaf in named[:MOST]]
        hidden = len(members) - len(said)
        if hidden:
            said.append(f"{hidden} {'more' if said else 'differ'}: see --json")
        yield line(name, f"{_WAYS.get(owner, owner)}: {'; '.join(said)}")


def _named(key: str, wanted: str) -> bool:
    return key.startswith(wanted) if wanted.endswith("[") else key == wanted


def _short_key(key: str) -> str:
    """
    Return what a key is called in a line.

    >>> _short_key("parts[simplify.forward].maximum")
    'simplify.forward'
    """
    match = re.fullmatch(r"\w+\[([^\]]*)\]\.?\w*", key)
    return match[1] if match else key


def change(leaf: Leaf) -> str:
    """Return the two sides of *leaf* and their signed difference."""
    if "a" not in leaf and "b" not in leaf:
        return ""
    if "a" not in leaf:
        return f"only in B: {shown(leaf['b'])}".removesuffix(": ")
    if "b" not in leaf:
        return f"only in A: {shown(leaf['a'])}".removesuffix(": ")
    if leaf.get("unit") in UNITS and "change" in leaf:
        factor, word = UNITS[leaf["unit"]]
        return f"{short(leaf['a'] * factor)} -> {short(leaf['b'] * factor)} {word} ({signed(leaf['change'] * factor)})"
    tail = f" ({leaf['change']:+.3g})" if "change" in leaf else ""
    return f"{shown(leaf['a'])} -> {shown(leaf['b'])}{tail}"


def short(value: float) -> str:
    """Return *value* with three decimals, or one digit and its power of ten where they would show nothing."""
    return f"{value:.0e}" if 0 < abs(value) < 0.0005 else f"{value:.3f}"


def signed(value: float) -> str:
    """Return :func:`short` with a sign."""
    return short(value) if value < 0 else f"+{short(value)}"


def shown(value: Any) -> str:
    """Return a value in few characters: hashes by their beginning, lists and objects not at all."""
    if is_number(value):
        return f"{value:.6g}"
    if isinstance(value, (dict, list)):
        return ""
    if isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value):
        return value[:12]
    said = " ".join(str(value).split())
    return said if len(said) <= 80 else f"{said[:77]}..."
