"""Who made an output more or less sure: the change of u² by pass, and what dominates before and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def by_pass(name: str, a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return the change of u² of the output *name*, by the pass whose rows brought it; the parts sum to it.

    *a* and *b* are its entries in ``uncertainty.outputs``.  u² adds up over the passes of one budget, so the parts are
    exact; those of u would not be.  Null where a side is unbounded.
    """
    bounded = a["u"] is not None and b["u"] is not None
    before, after = _parts(a), _parts(b)
    passes = list({**before, **after})
    return {
        "name": name,
        "unit": f"({a['unit']})^2",
        "u_a": a["u"],
        "u_b": b["u"],
        "change": b["u"] ** 2 - a["u"] ** 2 if bounded else None,
        "by_pass": {p: after.get(p, 0.0) - before.get(p, 0.0) for p in passes} if bounded else None,
        "dominant": {"a": a["dominant"], "b": b["dominant"]},
        "dominant_pass": {"a": _largest(a["by_pass"]), "b": _largest(b["by_pass"])},
    }


def _parts(output: Mapping[str, Any]) -> dict[str, float]:
    """Return what each pass adds to u² of an output."""
    return {p: share * (output["u"] or 0.0) ** 2 for p, share in output["by_pass"].items()}


def _largest(shares: Mapping[str, float]) -> str | None:
    return max(shares, key=lambda p: shares[p], default=None)
