"""
What the passes did to the lengths of the asset, beside what the scan and the calipers say they are.

A written file has lengths without uncertainty: what they differ by from the estimate is the passes' doing, and exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from r2s.compiler.diff.significance.outputs import weighed

_NOTHING = 1e-9  # m; rounding of numbers in a file, and no surface is as fine


def effect(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return the change of (asset minus estimate) of one reading, by pass, m; null where a side has no such length.

    *a* and *b* are rows of ``features``.  What the pass ``scale`` did counts without the fitted factor, which belongs
    to the estimate.  ``pass`` names the one with the largest part.
    """
    before, after = _own(a), _own(b)
    found = {"id": a["id"], "unit": "m", "change": None, "by_pass": None, "pass": None, "of_U95_a": None}
    if before is None or after is None:
        return {**found, "verdict": "not measured"}
    parts = {p: _settled(after.get(p, 0.0) - before.get(p, 0.0)) for p in {**before, **after}}
    change = _settled(math.fsum(parts.values()))
    largest = max(parts, key=lambda p: abs(parts[p]), default=None)
    moved = largest is not None and parts[largest] != 0.0
    u95 = a["estimate"]["U95"]
    size = abs(change) / u95 if u95 else None
    told = {"change": change, "by_pass": parts, "pass": largest if moved else None, "of_U95_a": size}
    return {**found, **told, "verdict": weighed(change, u95) if moved else "equal"}


def _own(row: Mapping[str, Any]) -> dict[str, float] | None:
    """Return what each pass added to the length beyond its estimate, m."""
    scan, estimate = row["stages"].get("scan", {}).get("value"), row["estimate"]["value"]
    introduced = row["introduced"]
    if scan is None or estimate is None or not introduced or _missing(introduced.values()):
        return None
    factor = {"scale": estimate - scan} if "scale" in introduced else {}
    return {p: value - factor.get(p, 0.0) for p, value in introduced.items()}


def _missing(values: Iterable[float | None]) -> bool:
    return any(value is None for value in values)


def _settled(value: float) -> float:
    return 0.0 if abs(value) < _NOTHING else value
