"""Nearest neighbours with their types settled: the one door to the search tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from r2s.compiler.ir import Floats, Ints

# Few places are asked about in a cloud this large, so a tree that is quick to build beats one that is quick to search.
_LARGE = 300_000


def tree_of(points: Floats) -> Any:
    """Return the search tree of *points*; a large one is split in the middle of its box, which sorts nothing."""
    from scipy.spatial import cKDTree

    small = len(points) < _LARGE
    return cKDTree(points, balanced_tree=small, compact_nodes=small)


def nearest(tree: Any, at: Floats, count: int, within: float = np.inf) -> tuple[Floats, Ints]:
    """
    Return distances (m, count) and indices (m, count) of the *count* points nearest to each place of *at*, in order.

    A place that is itself one of the points comes first, at distance 0.  Where fewer than *count* lie *within*, the
    distance is infinite and the index is the number of points.
    """
    distance, index = tree.query(at, k=list(range(1, count + 1)), distance_upper_bound=within)
    return np.asarray(distance, dtype=np.float64), np.asarray(index, dtype=np.int64)
