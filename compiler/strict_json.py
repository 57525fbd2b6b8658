"""
JSON from outside, and what its values must be before arithmetic touches them.

Python's reader takes NaN, and numbers of a thousand digits; a file that holds them was not written by r2s.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

Check = Callable[[Any, str], None]

_DEEPEST = 100  # levels; ours have under 20


def parse_json(data: bytes) -> Any:
    """Return the JSON value in *data*; raise ValueError, in words for a user, where there is none."""
    try:
        value = json.loads(data.decode("utf-8"), parse_constant=_no_constant, parse_float=_finite, parse_int=_whole)
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start + 1} is no UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if _deeper(value, _DEEPEST):
        raise ValueError(f"it is nested over {_DEEPEST} deep")
    return value


def _deeper(value: Any, limit: int) -> bool:
    """Return whether *value* is nested deeper than *limit*, without recursion of its own."""
    level = [value]
    for _ in range(limit):
        level = [
            child
            for item in level
            if isinstance(item, (dict, list))
            for child in (item.values() if isinstance(item, dict) else item)
        ]
        if not level:
            return False
    return True


def _no_constant(text: str) -> Any:
    raise ValueError(f"it holds {text}, which is no JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:20]} is too large")
    return value


def _whole(text: str) -> int:
    if len(text) > 300:  # beyond what a float can hold
        raise ValueError(f"a number of {len(text)} digits is too large")
    return int(text)


def is_number(value: object) -> bool:
    """Return whether *value* is a JSON number; true and false are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def text(value: Any, where: str) -> None:
    """Raise ValueError unless *value* is text."""
    _must(isinstance(value, str), where, "text", value)


def flag(value: Any, where: str) -> None:
    """Raise ValueError unless *value* is true or false."""
    _must(isinstance(value, bool), where, "true or false", value)


def whole(value: Any, where: str) -> None:
    """Raise ValueError unless *value* is a whole number."""
    _must(isinstance(value, int) and not isinstance(value, bool), where, "a whole number", value)


def number(value: Any, where: str) -> None:
    """Raise ValueError unless *value* is a number."""
    _must(is_number(value), where, "a number", value)


def anything(value: Any, where: str) -> None:
    """Accept every JSON value."""


def maybe(check: Check) -> Check:
    """Return a check that also accepts null."""
    return lambda value, where: None if value is None else check(value, where)


def listing(of: Check, *, by: str = "") -> Check:
    """Return a check for a list of *of*; no two items may share what they have under the key *by*, if one is named."""

    def check(value: Any, where: str) -> None:
        _must(isinstance(value, list), where, "a list", value)
        for i, item in enumerate(value):
            of(item, f"{where}[{i}]")
        seen: set[str] = set()
        for item in value if by else ():
            if item[by] in seen:
                raise ValueError(f"{where} holds {item[by]!r} twice")
            seen.add(item[by])

    return check


def mapping(of: Check) -> Check:
    """Return a check for an object whose values are all *of*."""

    def check(value: Any, where: str) -> None:
        _must(isinstance(value, dict), where, "an object", value)
        for key, item in value.items():
            of(item, f"{where}.{key}")

    return check


def record(**fields: Check) -> Check:
    """Return a check for an object that has at least these *fields*."""

    def check(value: Any, where: str) -> None:
        _must(isinstance(value, dict), where, "an object", value)
        for key, of in fields.items():
            if key not in value:
                raise ValueError(f"{where} has no {key}" if where else f"it has no {key}")
            of(value[key], f"{where}.{key}" if where else key)

    return check


def _must(holds: bool, where: str, what: str, value: Any) -> None:
    if not holds:
        raise ValueError(f"{where or 'the whole'} is {_kind(value)}, not {what}")


def _kind(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if is_number(value):
        return "a number"
    words: dict[type, str] = {str: "text", list: "a list", dict: "an object"}
    return words[type(value)]
