"""The difference of two reports as data (schema ``r2s-diff/1``); every change is B minus A, in SI units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from r2s.compiler.codec import canonical
from r2s.compiler.diff.leaves import leaves
from r2s.compiler.diff.measurands import common
from r2s.compiler.diff.rows import row
from r2s.compiler.diff.significance import statistics
from r2s.compiler.diff.steps import first, steps
from r2s.compiler.errors import Diagnostic

SCHEMA = "r2s-diff/1"

_WHOLE = ("inputs", "unit", "tools", "scale", "volume", "bounds", "closure", "budgets", "slots", "verdict")
_APART = ("name", "asset", "features", "passes", "blind_spots", "diagnostics", "uncertainty")


def diff(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return what changed from report *a* to report *b*; both are whole (see :func:`~r2s.compiler.diff.read.checked`).

    Nothing that differs is left out: what has no place of its own stands in ``other``.  Raises InvalidInputError where
    the readings of the two measure different things.
    """
    pairs, only_a, only_b = common(a, b)
    factors = a["verdict"]["coverage_factor"], b["verdict"]["coverage_factor"]
    entries = steps(a, b)
    found = {
        **{key: leaves(a.get(key), b.get(key)) for key in (*_WHOLE, "uncertainty")},
        "first": first(entries),
        "passes": entries,
        "features": [row(one, two, *factors) for one, two in pairs],
        "only_in_a": only_a,
        "only_in_b": only_b,
        "statistics": statistics(a, b, pairs, first(entries)),
        "blind_spots": _gained(a["blind_spots"], b["blind_spots"]),
        "diagnostics": _gained(_lines(a), _lines(b)),
        "other": leaves(_rest(a), _rest(b)),
    }
    same = canonical(a) == canonical(b)
    if not same and canonical(_unordered(a)) == canonical(_unordered(b)):
        found["other"] = [{"at": "the order in a list"}]
    return {"schema": SCHEMA, "same": same, "a": _headline(a), "b": _headline(b), **found}


def _rest(report: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in report.items() if key not in (*_WHOLE, *_APART)}


def _unordered(value: Any) -> Any:
    """Return *value* with every list sorted, so that two that differ in order alone become equal."""
    if isinstance(value, Mapping):
        return {key: _unordered(item) for key, item in value.items()}
    return sorted(canonical(_unordered(item)) for item in value) if isinstance(value, list) else value


def _headline(report: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": report["name"], "asset": report["asset"], "verdict": report["verdict"]["check"]}


def _lines(report: Mapping[str, Any]) -> list[str]:
    return [str(Diagnostic(d["severity"], d["code"], d["message"], d["hint"])) for d in report["diagnostics"]]


def _gained(a: list[str], b: list[str]) -> dict[str, list[str]]:
    """Return what B has more often than A and the reverse, each in the order of its report."""
    return {"gained": _more(b, a), "lost": _more(a, b)}


def _more(these: list[str], than: list[str]) -> list[str]:
    left = Counter(these) - Counter(than)
    return [line for line in dict.fromkeys(these) for _ in range(left[line])]
