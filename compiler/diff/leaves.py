"""Where two JSON values differ: one leaf each, by its place, with the signed change where both are numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from r2s.compiler.strict_json import is_number

Leaf = dict[str, Any]

# by which of its keys an item of a list is known, so that an item more does not shift all that follow
_IDENTITY = ("id", "name", "term", "direction")
# numbers that are in the unit that stands beside them, or beside what holds them
_IN_UNIT = frozenset(
    (
        *("nominal", "lo", "hi", "value", "u", "before", "after", "limit", "lost", "total", "bound", "allowed"),
        *("maximum", "p99", "p95", "rms", "signed_mean", "reach", "centre"),
    )
)
_ABSENT = object()


def leaves(a: Any, b: Any, at: str = "") -> list[Leaf]:
    """
    Return the leaves in which *a* and *b* differ; an absent side has no key ``a`` or ``b``.

    A number whose unit both sides say has it as ``unit``.

    >>> leaves({"x": 1.0, "y": [1]}, {"x": 1.5, "y": [1]})
    [{'at': 'x', 'a': 1.0, 'b': 1.5, 'change': 0.5}]
    """
    return list(_walk(a, b, at, ""))


def _walk(a: Any, b: Any, at: str, unit: str) -> Iterator[Leaf]:
    if isinstance(a, dict) and isinstance(b, dict):
        if "unit" in a and "unit" in b:
            unit = a["unit"] if isinstance(a["unit"], str) and a["unit"] == b["unit"] else ""
        for key in sorted(a.keys() | b.keys()):
            place = f"{at}.{key}" if at else key
            yield from _walk(a.get(key, _ABSENT), b.get(key, _ABSENT), place, unit)
    elif isinstance(a, list) and isinstance(b, list):
        known = _identity(a, b)
        left, right = _items(a, known), _items(b, known)
        for key in (*left, *(k for k in right if k not in left)):
            yield from _walk(left.get(key, _ABSENT), right.get(key, _ABSENT), f"{at}[{key}]", unit)
    elif not _same(a, b):
        yield _leaf(at, a, b, unit)


def _same(a: Any, b: Any) -> bool:
    """Return whether two scalars are one: true is not 1, and absent is not null."""
    return bool(a == b) and isinstance(a, bool) == isinstance(b, bool)


def _items(values: Sequence[Any], key: str) -> dict[str, Any]:
    """Return the items by what they are known by, or by their place where *key* is empty."""
    return {v[key] if key else str(i): v for i, v in enumerate(values)}


def _identity(*lists: Sequence[Any]) -> str:
    """Return the key by which the items of all *lists* are told apart, empty if there is none."""
    for key in _IDENTITY:
        named = all(isinstance(v, dict) and isinstance(v.get(key), str) for values in lists for v in values)
        if named and all(len({v[key] for v in values}) == len(values) for values in lists):
            return key
    return ""


def _leaf(at: str, a: Any, b: Any, unit: str) -> Leaf:
    found: Leaf = {"at": at}
    if a is not _ABSENT:
        found["a"] = a
    if b is not _ABSENT:
        found["b"] = b
    if is_number(a) and is_number(b):
        found["change"] = b - a
        if unit and at.rpartition(".")[2] in _IN_UNIT:
            found["unit"] = unit
    return found
