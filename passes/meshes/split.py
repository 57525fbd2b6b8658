"""
Edges that more than two faces share, taken apart into solids that touch.

Around such an edge faces and space alternate.  Faces that bound the same piece of material stay together; each sheet
gets vertices of its own, so that afterwards every directed edge occurs once.
"""

from __future__ import annotations

import numpy as np

from r2s.compiler.ir import Floats, Ints
from r2s.passes.meshes.edges import components, edges_of, pairs_of


def separated(vertices: Floats, faces: Ints) -> tuple[Floats, Ints]:
    """Return the mesh with every crowded edge split; faces must be wound consistently, else some stay as they are."""
    count = len(faces)
    edges = edges_of(faces)
    one, two, _ = pairs_of(edges)
    crowd = _material_pairs(vertices, faces)
    links = np.concatenate([np.stack([one, two], axis=1), crowd]) if len(crowd) else np.stack([one, two], axis=1)
    # Row k * count + f is edge k of face f and also the corner it starts from; it ends at the corner of edge k + 1.
    ends = (links + count) % (3 * count)
    _, label = components(
        3 * count, np.concatenate([links[:, 0], ends[:, 0]]), np.concatenate([ends[:, 1], links[:, 1]])
    )
    corner_vertex = faces.T.ravel()
    _, first = np.unique(label, return_index=True)
    apart_vertices, apart = vertices[corner_vertex[first]], label.reshape(3, count).T.astype(np.int64)
    return _with_midpoints(apart_vertices, apart, crowd)


def _material_pairs(vertices: Floats, faces: Ints) -> Ints:
    """Return (p, 2) rows of directed edges at crowded edges whose faces bound one wedge of material."""
    count, edges = len(faces), edges_of(faces)
    pairs: list[tuple[int, int]] = []
    for edge in np.flatnonzero(edges.crowded):
        rows = np.flatnonzero(edges.which == edge)
        low, high = vertices[edges.undirected[edge]]
        axis = (high - low) / np.linalg.norm(high - low)
        side = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
        side /= np.linalg.norm(side)
        apex = vertices[faces[rows % count, (rows // count + 2) % 3]] - low
        angle = np.arctan2(apex @ np.cross(axis, side), apex @ side)
        forward = edges.directed[rows, 0] == edges.undirected[edge, 0]
        order = np.lexsort((rows, angle))
        pairs += _wedges([(int(rows[i]), bool(forward[i])) for i in order])
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _wedges(around: list[tuple[int, bool]]) -> list[tuple[int, int]]:
    """Pair each backward face with the forward face that follows it by angle: material lies between the two."""
    pairs: list[tuple[int, int]] = []
    waiting: list[int] = []
    for row, forward in around + around:
        taken = {r for pair in pairs for r in pair}
        if row in taken:
            continue
        if not forward and row not in waiting:
            waiting.append(row)
        elif forward and waiting:
            pairs.append((waiting.pop(), row))
    return pairs


def _with_midpoints(vertices: Floats, faces: Ints, pairs: Ints) -> tuple[Floats, Ints]:
    """
    Return the mesh with a midpoint of its own on each pair whose edge still runs twice between the same two vertices.

    That happens where two wedges meet again round both ends of the edge.
    """
    count = len(faces)
    new_vertices, triangles = list(vertices), [tuple(int(v) for v in f) for f in faces]
    seen: set[tuple[int, int]] = set()
    for row_a, row_b in pairs.tolist():
        a, b = (int(faces[row_a % count, (row_a // count + i) % 3]) for i in (0, 1))
        key = (min(a, b), max(a, b))
        if key not in seen:
            seen.add(key)
            continue
        middle = len(new_vertices)
        new_vertices.append((vertices[a] + vertices[b]) / 2)
        for face in (row_a % count, row_b % count):
            triangles = _cut(triangles, face, key, middle)
    return np.array(new_vertices), np.array(triangles, dtype=np.int64)


def _cut(triangles: list[tuple[int, ...]], face: int, edge: tuple[int, int], middle: int) -> list[tuple[int, ...]]:
    corners = triangles[face]
    for k in range(3):
        a, b, c = corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]
        if (min(a, b), max(a, b)) == edge:
            triangles[face] = (a, middle, c)
            return [*triangles, (middle, b, c)]
    return triangles  # this face's edge was cut already, as part of another pair
