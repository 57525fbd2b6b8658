"""T-junctions: a vertex that lies on a neighbour's edge without being its end is put into that edge."""

from __future__ import annotations

import numpy as np

from r2s.compiler.ir import Floats, Ints
from r2s.passes.meshes.edges import edges_of

_ROUNDS = 64
_CHUNK = 1 << 22  # distances held at once


def stitched(vertices: Floats, faces: Ints, tolerance: float) -> tuple[Ints, int]:
    """
    Return *faces* with open edges cut at the open vertices on them (closer than *tolerance*, m), and how many cuts.

    Each round cuts one edge of a face at the vertex nearest to its start, so that a face with several is done in turn.
    """
    cuts = 0
    for _ in range(_ROUNDS):
        found = _vertex_on_edge(vertices, faces, tolerance)
        if not found:
            break
        extra = []
        faces = faces.copy()
        for face, (k, vertex) in sorted(found.items()):
            a, b, c = faces[face, k], faces[face, (k + 1) % 3], faces[face, (k + 2) % 3]
            faces[face] = (a, vertex, c)
            extra.append((vertex, b, c))
        faces = np.concatenate([faces, np.array(extra, dtype=np.int64)])
        cuts += len(extra)
    return faces, cuts


def _vertex_on_edge(vertices: Floats, faces: Ints, tolerance: float) -> dict[int, tuple[int, int]]:
    """Return for each face that has one: (which edge, the open vertex strictly inside it that is nearest its start)."""
    edges, count = edges_of(faces), len(faces)
    rows = np.flatnonzero(edges.boundary)
    loose = np.unique(edges.directed[rows])
    found: dict[int, tuple[int, int]] = {}
    step = max(1, _CHUNK // max(len(loose), 1))
    for block in (rows[i : i + step] for i in range(0, len(rows), step)):
        start, end = (vertices[edges.directed[block, i]][:, None] for i in (0, 1))
        along = end - start
        length = np.linalg.norm(along, axis=2)
        offset = vertices[loose][None] - start
        place = (offset * along).sum(axis=2) / np.where(length > 0, length, 1)
        gap = np.linalg.norm(offset - (place / np.where(length > 0, length, 1))[..., None] * along, axis=2)
        inside = (place > tolerance) & (place < length - tolerance) & (gap < tolerance)
        for i in np.flatnonzero(inside.any(axis=1)):
            nearest = int(np.where(inside[i], place[i], np.inf).argmin())
            row, vertex = int(block[i]), int(loose[nearest])
            if vertex not in faces[row % count]:
                found.setdefault(row % count, (row // count, vertex))
    return found
