"""Nearest points, as arrays of one shape whatever is asked."""

from __future__ import annotations

import numpy as np

from r2s.compiler.ir import Floats, Ints


def neighbours(points: Floats, k: int, queries: Floats | None = None, within: float = np.inf) -> tuple[Floats, Ints]:
    """
    Return distances (q, k) m and indices (q, k) of the *k* points nearest to each query, nearest first.

    Without *queries* each point asks for itself and finds itself first.  Places beyond *within*, m, or beyond the
    number of points hold infinity and the first point's index.
    """
    from scipy.spatial import cKDTree

    asked = points if queries is None else queries
    distance, index = cKDTree(points).query(asked, k=np.arange(1, k + 1), distance_upper_bound=within)
    found = np.asarray(distance, dtype=np.float64)
    return found, np.where(np.isfinite(found), index, 0).astype(np.int64)
