"""Vertices that stand at one place: joined, where that closes the mesh; and faces that say nothing, removed."""

from __future__ import annotations

import numpy as np

from r2s.compiler.ir import Floats, Ints
from r2s.passes.meshes.edges import closed, components, edges_of


def welded(vertices: Floats, faces: Ints, tolerance: float = 0.0) -> Ints:
    """Return *faces* with each vertex replaced by the first of those within *tolerance*, m (0: exactly equal)."""
    if tolerance == 0.0:
        _, first, inverse = np.unique(vertices, axis=0, return_index=True, return_inverse=True)
        return np.asarray(first[inverse.reshape(-1)][faces], dtype=np.int64)
    from scipy.spatial import cKDTree

    close = cKDTree(vertices).query_pairs(tolerance, output_type="ndarray")
    _, label = components(len(vertices), close[:, 0], close[:, 1])
    _, first = np.unique(label, return_index=True)
    return np.asarray(first.astype(np.int64)[label][faces], dtype=np.int64)


def collapsed(faces: Ints) -> Ints:
    """Return *faces* without those that name a vertex twice."""
    distinct = (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    return np.asarray(faces[distinct])


def single(faces: Ints) -> Ints:
    """
    Return *faces* with one of each set that names the same three vertices.

    Two faces back to back are the two sides of a fin without volume: both go if the rest is then closed.
    """
    _, first, inverse, count = np.unique(
        np.sort(faces, axis=1), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    if len(first) == len(faces):
        return faces
    alone = faces[count[inverse.reshape(-1)] == 1]
    return alone if closed(alone) else faces[np.sort(first)]


def open_edges(faces: Ints) -> int:
    """Return how many edges do not have exactly two faces."""
    return int((edges_of(faces).uses != 2).sum()) if len(faces) else 0
