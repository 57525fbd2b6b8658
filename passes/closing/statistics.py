"""Distances to one line of figures."""

from __future__ import annotations

import numpy as np

from r2s.compiler.direct import Direct
from r2s.compiler.ir import Floats

NOTHING = Direct(0.0, 0.0, 0.0, 0.0, 0.0, 0, 0.0, (0.0, 0.0, 0.0))


def described(points: Floats, signed: Floats, areas: Floats, reach: float) -> Direct:
    """
    Return the figures of *signed* distances (k,) at *points* (k, 3), each standing for *areas* (k,).

    Percentiles and rms are of what lies outside, so a place inside counts as 0; a place without area counts for the
    maximum only.
    """
    if len(points) == 0:
        return NOTHING
    outside = np.maximum(signed, 0.0)
    total = float(areas.sum())
    order = np.argsort(outside, kind="stable")
    share = np.cumsum(areas[order])
    p99, p95 = (float(outside[order[min(np.searchsorted(share, q * share[-1]), len(order) - 1)]]) for q in (0.99, 0.95))
    worst = int(signed.argmax())
    x, y, z = (float(value) for value in points[worst])
    rms = float(np.sqrt((areas * outside**2).sum() / total))
    mean = float((areas * signed).sum() / total)
    return Direct(float(signed[worst]), p99, p95, rms, mean, len(points), reach, (x, y, z))
