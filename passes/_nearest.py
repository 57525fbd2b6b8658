"""Nearest neighbours with their types settled: the one door to the search tree."""

from __future__ import annotations

import numpy as np

from r2s.compiler.ir import Floats, Ints


def nearest(points: Floats, at: Floats, count: int, within: float = np.inf) -> tuple[Floats, Ints]:
    """
    Return distances (m, count) and indices (m, count) of the *count* points nearest to each place of *at*, in order.

    A place that is itself one of the points comes first, at distance 0.  Where fewer than *count* lie *within*, the
    distance is infinite and the index is the number of points.
    """
    from scipy.spatial import cKDTree

    ranks = list(range(1, count + 1))
    distance, index = cKDTree(points).query(at, k=ranks, distance_upper_bound=within)
    return np.asarray(distance, dtype=np.float64), np.asarray(index, dtype=np.int64)
