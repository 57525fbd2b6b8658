"""
How good the points are: noise, spacing, resolution floor.

Noise is read from the scan's own scatter about a local quadric, and so it is a lower bound on the scan's error: a scale
error, an offset, drift or smoothing before the export leave it unchanged (see ``BLIND``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Floats, Ints
from r2s.passes.meshes.normals import vertex_normals
from r2s.passes.points.nearest import nearest, tree_of

BLIND = ("scale", "offset", "drift", "registration", "presmoothing")
SEED = 20_240_917
SAMPLES = 2_000
# A quadric has six coefficients.
_COEFFICIENTS = 6
# Neighbourhoods to try, smallest first: where noise exceeds the spacing, few neighbours form a ball, not a sheet.
_SIZES = (24, 48, 96, 192, 384, 768)
# A neighbourhood this many times wider than the noise is a sheet; a narrower one picks the points that scatter least.
_SHEET = 6.0
# The share of neighbourhoods that must hold no edge of the object: sparse scans of small parts have no more.
_SMOOTH = 0.25
# Cosine between normals above which two points lie on the same side of a wall.
_SAME_SIDE = 0.3
# Scatter under this part of the size is the number format's, not the instrument's.
_ROUNDING = 1e-9
# Triangles of a scanner are alike; those of a drawing are long where the part is flat.
_EVEN = 6.0
_DENSE = 500


@dataclass(frozen=True, slots=True)
class Quality:
    """
    Noise, spacing and floor in the unit of the points.

    *noise* is the standard deviation of one point along the normal, 0 where it cannot be known; *dof* the degrees of
    freedom behind it; *p95* the 95th percentile of the neighbour distance; *evidence* says how noise was found.
    """

    noise: float
    dof: float
    spacing: float
    p95: float
    floor: float
    evidence: str


def quality(points: Floats, normals: Floats, faces: Ints) -> Quality:
    """
    Return noise, spacing and resolution floor of a scan; *normals* are unit and outward, or none.

    Floor of a cloud: max(5 h, 3 σ), where a width by edge fit is good to h/√6.  A mesh has no gaps between its
    samples, so only 3 σ bounds it.
    """
    if len(faces):
        return _of_mesh(points, faces)
    spacing, p95 = neighbour_distance(points)
    noise, dof, size = noise_of(points, normals)
    how = f"scatter about local quadrics of {size} neighbours, lower quartile of {min(SAMPLES, len(points))}"
    return Quality(noise, dof, spacing, p95, max(5 * spacing, 3 * noise), how)


def _of_mesh(points: Floats, faces: Ints) -> Quality:
    edges = np.unique(np.sort(np.concatenate([faces[:, :2], faces[:, 1:], faces[:, ::2]]), axis=1), axis=0)
    lengths = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
    spacing, p95 = float(np.median(lengths)), float(np.quantile(lengths, 0.95))
    short, long = np.quantile(lengths, [0.1, 0.9])
    if len(points) < _DENSE or long > _EVEN * short:
        return Quality(
            0.0, 0.0, spacing, p95, 0.0, "vertices of a drawn mesh lie where they were put: noise unknowable"
        )
    noise, dof, size = noise_of(*_vertices(points, faces))
    how = (
        f"roughness of the vertices about local quadrics of {size} neighbours; smoothing before the export hides noise"
    )
    return Quality(noise, dof, spacing, p95, 3 * noise, how)


def neighbour_distance(points: Floats) -> tuple[float, float]:
    """Return the median and the 95th percentile of the distance to the nearest neighbour."""
    distance = nearest(tree_of(points), points[_sample(len(points), 20_000)], 2)[0][:, 1]
    return float(np.median(distance)), float(np.quantile(distance, 0.95))


def noise_of(points: Floats, normals: Floats | None = None) -> tuple[float, float, int]:
    """
    Return the noise of one point, its degrees of freedom, and the size of the neighbourhood used.

    σ² is the lower quartile over samples of SSR over that of χ²(k-6): a quartile ignores edges and corners, where
    no quadric fits, even where three of four neighbourhoods hold one.  Neighbourhoods grow until they are six times as
    wide as the noise.  Where *normals* (n, 3) are known, the far side of a thin wall is no neighbour.
    """
    from scipy.special import gammaincinv

    centred = points - points.mean(axis=0)
    tree = tree_of(centred)
    chosen = _sample(len(points), SAMPLES)
    sided = normals is not None and len(normals) == len(points)
    noise, dof, size = 0.0, 0.0, 0
    for size in _SIZES:
        reach = 2 * size if sided else size
        if reach > len(points) // 2:
            break
        distance, index = nearest(tree, centred[chosen], reach)
        near = np.ones(index.shape, dtype=bool)
        if sided and normals is not None:
            near = np.einsum("mki,mi->mk", normals[index], normals[chosen]) > _SAME_SIDE
            near &= np.cumsum(near, axis=1) <= size
        full = near.sum(axis=1) == size
        if full.mean() < _SMOOTH:
            break
        groups = index[full][near[full]].reshape(-1, size)
        squares = _quadric_residuals(centred[groups])
        expected = 2 * gammaincinv((size - _COEFFICIENTS) / 2, _SMOOTH)  # quantile of chi-square
        noise = float(np.sqrt(np.quantile(squares, _SMOOTH) / expected))
        dof = float(min(len(points), len(groups) * size) * (size - _COEFFICIENTS) / size)
        if np.median(distance[:, size - 1]) >= _SHEET * noise:
            break
    return (noise if noise > _ROUNDING * float(np.linalg.norm(np.ptp(points, axis=0))) else 0.0), dof, size


def _vertices(points: Floats, faces: Ints) -> tuple[Floats, Floats]:
    """Return the distinct vertices of a mesh and their unit normals, averaged over the faces around by area."""
    distinct, same = np.unique(points, axis=0, return_inverse=True)
    return distinct, vertex_normals(distinct, same.reshape(-1)[faces])


def _sample(count: int, size: int) -> Ints:
    """Return *size* of *count* indices in order, drawn with a fixed seed: a stride would beat with scan lines."""
    if count <= size:
        return np.arange(count)
    return np.sort(np.random.default_rng(SEED).choice(count, size, replace=False))


def _quadric_residuals(groups: Floats) -> Floats:
    """Return the sum of squared residuals of each group (m, k, 3) about its least-squares quadric w(u, v)."""
    centred = groups - groups.mean(axis=1, keepdims=True)
    frames = np.linalg.eigh(np.einsum("mki,mkj->mij", centred, centred))[1]
    w, v, u = np.moveaxis(np.einsum("mki,mij->mkj", centred, frames), 2, 0)
    width = np.maximum(np.abs(u).max(axis=1, keepdims=True), 1e-300)
    u, v = u / width, v / width
    design = np.stack([np.ones_like(u), u, v, u * u, u * v, v * v], axis=2)
    # A column-pivoted solve would cost more; a ridge of 1e-12 keeps points on a line solvable and moves no digit.
    normal = np.einsum("mki,mkj->mij", design, design) + 1e-12 * np.eye(_COEFFICIENTS)
    right = np.einsum("mki,mk->mi", design, w)
    fit = np.linalg.solve(normal, right[..., None])[..., 0]
    return np.asarray(((w - np.einsum("mki,mi->mk", design, fit)) ** 2).sum(axis=1), dtype=np.float64)
