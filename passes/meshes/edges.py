"""
Edges of a triangle mesh by index: which faces meet where, and what hangs together.

A directed edge runs as its face runs; row ``k * len(faces) + f`` of every table here is edge *k* of face *f*.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class Edges:
    """
    directed (3m, 2) as the faces run; undirected (e, 2) sorted and unique; which (3m,) into undirected;
    uses (e,) how many faces each undirected edge has.
    """

    directed: Ints
    undirected: Ints
    which: Ints
    uses: Ints

    @property
    def boundary(self) -> Bools:
        """(3m,) directed edges that only one face has."""
        return np.asarray(self.uses[self.which] == 1)

    @property
    def crowded(self) -> Bools:
        """(e,) undirected edges that more than two faces share."""
        return self.uses > 2


def edges_of(faces: Ints) -> Edges:
    """Return the edge tables of *faces* (m, 3)."""
    directed = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    low, high = directed.min(axis=1), directed.max(axis=1)
    span = int(faces.max()) + 1 if len(faces) else 1
    keys, which, uses = np.unique(low * span + high, return_inverse=True, return_counts=True)
    return Edges(directed, np.stack([keys // span, keys % span], axis=1), which.reshape(-1), uses)


def closed(faces: Ints) -> bool:
    """Return whether every directed edge occurs once and its reverse once; the same as ``ir.is_closed``, faster."""
    if len(faces) == 0:
        return False
    edges = edges_of(faces)
    if not bool((edges.uses == 2).all()):
        return False
    return bool(pairs_of(edges)[2].all())


def ribboned(faces: Ints) -> bool:
    """Return whether every edge has one face, or two that run along it opposite ways: a surface with borders."""
    edges = edges_of(faces)
    return bool((edges.uses <= 2).all()) and bool(pairs_of(edges)[2].all())


def pairs_of(edges: Edges) -> tuple[Ints, Ints, Bools]:
    """Return rows (p,) and (p,) of directed edges that meet at an edge of exactly two faces, and whether they agree."""
    rows = np.flatnonzero(edges.uses[edges.which] == 2)
    rows = rows[np.argsort(edges.which[rows], kind="stable")]
    one, two = rows[0::2], rows[1::2]
    agree = edges.directed[one, 0] == edges.directed[two, 1]
    return one, two, agree


def components(count: int, one: Ints, two: Ints) -> tuple[int, Ints]:
    """Return how many connected components *count* nodes with links *one*-*two* have, and each node's label."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    graph = coo_matrix((np.ones(len(one), dtype=np.int8), (one, two)), shape=(count, count))
    found, labels = connected_components(graph, directed=False)
    return int(found), labels.astype(np.int64)


def shells_of(faces: Ints, vertex_count: int) -> tuple[int, Ints]:
    """Return how many pieces of surface share no vertex, and for each face (m,) which one it belongs to."""
    _, labels = components(vertex_count, faces[:, [0, 1]].ravel(), faces[:, [1, 2]].ravel())
    names, of_face = np.unique(labels[faces[:, 0]], return_inverse=True)
    return len(names), of_face.reshape(-1).astype(np.int64)


def areas(vertices: Floats, faces: Ints) -> Floats:
    """Return the area (m,) of each face, m²."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    return np.asarray(np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2)


def volume(vertices: Floats, faces: Ints) -> float:
    """Return the signed volume of a closed mesh, m³, about its own middle so that far coordinates keep their digits."""
    a, b, c = np.moveaxis(vertices[faces] - vertices[faces].mean(axis=(0, 1)), 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)
