"""Local fits to a point's neighbours: normals, and the scatter about the smooth surface."""

from __future__ import annotations

import numpy as np

from r2s.compiler.ir import Floats, Ints
from r2s.passes.meshes.normals import vertex_normals

_NEIGHBOURS = 24
_PROBES = 600
_COHERENT = 0.92  # cosine between normals of one smooth patch


def across_of(direction: Floats) -> Floats:
    """Return (2, 3) unit directions across *direction*."""
    helper = np.eye(3)[int(np.argmin(np.abs(direction)))]
    first = np.cross(direction, helper)
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(direction, first)])


def spacing_of(points: Floats) -> float:
    """Return the median distance to the nearest neighbour."""
    from scipy.spatial import cKDTree

    probes = points[:: max(1, len(points) // 4000)]
    return float(np.median(np.asarray(cKDTree(points).query(probes, k=2)[0])[:, 1]))


def normals_of(points: Floats, sigma: float, spacing: float, least: int = 16) -> Floats:
    """
    Return (n, 3) unit normals of unknown sign, by the plane through the neighbours within about 4 sigma.

    At *least* so many neighbours are used: fewer keep the sides of a thin wall apart, more are steadier.
    """
    from scipy.spatial import cKDTree

    within = 12.6 * (sigma / spacing) ** 2 if spacing > 0 else 0.0  # π(4σ)² at a density of 1/(4 spacing²)
    count = int(min(np.clip(within, least, 60), len(points)))
    near = points[cKDTree(points).query(points, k=count)[1]]
    near -= near.mean(axis=1, keepdims=True)
    return np.asarray(np.linalg.eigh(np.einsum("nki,nkj->nij", near, near))[1][:, :, 0])


def roughness(points: Floats, faces: Ints | None) -> float:
    """
    Return the scatter of a point about the quadric through its neighbours; 0 for exact geometry.

    The median over some hundred places, each with its own degrees of freedom.  Places where a mesh turns by more than
    23 degrees say nothing of noise; where hardly any place is smooth the mesh is coarse, and its vertices are exact.
    """
    from scipy.spatial import cKDTree

    if len(points) < 3 * _NEIGHBOURS:
        return 0.0
    corners = points if faces is None else points[np.unique(faces)]
    probes = corners[:: max(1, len(corners) // _PROBES)]
    near = cKDTree(corners).query(probes, k=_NEIGHBOURS if faces is None else 3 * _NEIGHBOURS)[1]
    if faces is not None:
        normals = vertex_normals(points, faces)[np.unique(faces)][near]
        turned = np.einsum("nki,nki->nk", normals, normals[:, :1])
        order = np.argsort(turned < 0, axis=1, kind="stable")[:, :_NEIGHBOURS]  # across a thin wall: last
        near, turned = np.take_along_axis(near, order, axis=1), np.take_along_axis(turned, order, axis=1)
        near = near[turned.min(axis=1) > _COHERENT]
        if len(near) < max(12, 0.02 * len(probes)):
            return 0.0
    patches = corners[near]
    patches = patches - patches.mean(axis=1, keepdims=True)
    frames = np.linalg.eigh(np.einsum("nki,nkj->nij", patches, patches))[1]
    local = np.einsum("nki,nij->nkj", patches, frames)
    v, u, height = local[:, :, 1], local[:, :, 2], local[:, :, 0]
    scale = np.sqrt((u**2 + v**2).mean(axis=1, keepdims=True)) + 1e-300
    u, v = u / scale, v / scale
    terms = np.stack([np.ones_like(u), u, v, u * u, u * v, v * v], axis=2)
    solved = np.linalg.pinv(terms) @ height[:, :, None]
    left = height - (terms @ solved)[:, :, 0]
    found = float(np.median(np.sqrt((left**2).sum(axis=1) / (near.shape[1] - 6))))
    return found if found > 1e-7 * float(np.ptp(corners, axis=0).max()) else 0.0
