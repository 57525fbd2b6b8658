"""One reading in two reports: the signed change, B minus A, of everything that was measured or judged of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from r2s.compiler.diff.leaves import leaves

_NUMBERS = ("tolerance", "conformance")
_SHOWN = ("id", "role", "introduced", *_NUMBERS, "verdict")
_INSIDE = frozenset({"value", "u", "U95", "refused"})


def row(a: Mapping[str, Any], b: Mapping[str, Any], factor_a: float, factor_b: float) -> dict[str, Any]:
    """
    Return the changes of one reading, lengths in metres; *factor* is each report's coverage factor.

    Each measured number is ``{a, b, change, U95_a, U95_b}``; the change is null where a side has no value.  ``other``
    holds what else differs: the definition, how a stage was read, who lost it.
    """
    stages = {
        name: _expanded(a["stages"].get(name), b["stages"].get(name), factor_a, factor_b)
        for name in {**a["stages"], **b["stages"]}
    }
    return {
        "id": a["id"],
        "feature": a["feature"],
        "unit": "m",
        "role": {"a": a["role"], "b": b["role"]},
        "caliper": _expanded(a["caliper"], b["caliper"], factor_a, factor_b),
        "stages": stages,
        "introduced": {n: _pair(a["introduced"].get(n), b["introduced"].get(n)) for n in _names(a, b)},
        "estimate": _of_u95(a["estimate"], b["estimate"]),
        "error": _of_u95(a["error"], b["error"]),
        **{name: _pair(a[name], b[name]) for name in _NUMBERS},
        "verdict": {"a": a["verdict"], "b": b["verdict"]},
        "other": _other(a, b),
    }


def _names(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    return list({**a["introduced"], **b["introduced"]})


def _pair(a: float | None, b: float | None) -> dict[str, Any]:
    return {"a": a, "b": b, "change": None if a is None or b is None else b - a}


def _of_u95(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **_pair(a["value"], b["value"]),
        **{f"{key}_{side}": value.get(key) for key in ("u", "U95") for side, value in (("a", a), ("b", b))},
    }


def _expanded(
    a: Mapping[str, Any] | None, b: Mapping[str, Any] | None, factor_a: float, factor_b: float
) -> dict[str, Any]:
    """Return the change of a value that stands with its standard uncertainty, and why a side refused it."""
    sides = {"a": (a or {}, factor_a), "b": (b or {}, factor_b)}
    found = _pair(sides["a"][0].get("value"), sides["b"][0].get("value"))
    for side, (value, factor) in sides.items():
        u = value.get("u")
        found[f"U95_{side}"] = None if u is None else factor * u
        if value.get("refused"):
            found[f"refused_{side}"] = value["refused"]
    return found


def _other(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[dict[str, Any]]:
    return leaves(_rest(a), _rest(b))


def _rest(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return of *row* what has no place of its own in the answer."""
    rest = {key: value for key, value in row.items() if key not in _SHOWN}
    for key in ("caliper", "estimate", "error"):
        rest[key] = _without(row[key])
    return {**rest, "stages": {name: _without(stage) for name, stage in row["stages"].items()}}


def _without(measured: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in measured.items() if key not in _INSIDE}
