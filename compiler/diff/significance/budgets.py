"""Who made an output more or less sure: the change of u² by pass, and what dominates before and after."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from r2s.compiler.diff.significance.row import Row


def by_pass(
    name: str, a: Mapping[str, Any], b: Mapping[str, Any], rows_a: Iterable[Row], rows_b: Iterable[Row]
) -> dict[str, Any]:
    """
    Return the change of u² of the output *name*, by the pass whose rows brought it; the parts sum to it.

    u² adds up over the passes of one budget, so the parts are exact; those of u would not be.  Null where a side is
    unbounded.
    """
    bounded = a["u"] is not None and b["u"] is not None
    before, after = _parts(name, a["u"], rows_a), _parts(name, b["u"], rows_b)
    passes = list({**before, **after})
    return {
        "name": name,
        "unit": f"({a['unit']})^2",
        "u_a": a["u"],
        "u_b": b["u"],
        "change": b["u"] ** 2 - a["u"] ** 2 if bounded else None,
        "by_pass": {p: after.get(p, 0.0) - before.get(p, 0.0) for p in passes} if bounded else None,
        "dominant": {"a": a["dominant"], "b": b["dominant"]},
        "dominant_pass": {"a": _largest(name, rows_a), "b": _largest(name, rows_b)},
    }


def _parts(name: str, u: float | None, rows: Iterable[Row]) -> dict[str, float]:
    """Return what each pass adds to u² of the output *name*."""
    return {p: share * (u or 0.0) ** 2 for p, share in _shares(name, rows).items()}


def _shares(name: str, rows: Iterable[Row]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for row in rows:
        if name in row.shares:
            found.setdefault(row.made_by, []).append(row.shares[name])
    return {p: math.fsum(shares) for p, shares in found.items()}


def _largest(name: str, rows: Iterable[Row]) -> str | None:
    shares = _shares(name, rows)
    return max(shares, key=lambda p: shares[p]) if shares else None
