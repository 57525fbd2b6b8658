"""Normals of the vertices of a mesh."""

from __future__ import annotations

import numpy as np

from r2s.compiler.ir import Floats, Ints


def vertex_normals(vertices: Floats, faces: Ints) -> Floats:
    """Return unit normals (n, 3), the mean of the faces around each vertex weighted by area; 0 where no face is."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    cross = np.cross(b - a, c - a)
    total = np.stack([np.bincount(faces.ravel(), np.repeat(cross[:, i], 3), len(vertices)) for i in range(3)], axis=1)
    return np.asarray(total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-300))
