"""
Directions of a cloud's surface: the plane of the neighbours first, its outer side by what can be seen of it.

Which side is out is not asked of the neighbours (a chain of them turned 45 % of a mug's normals over) but of light:
a point seen from somewhere outside faces the eye.  Neighbours only carry the answer to places no eye reaches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Bools, Floats, Ints
from r2s.passes.clouds.neighbours import neighbours

_VIEWS = 96
_PIXEL = 2.5  # pitches: about six points fall into a pixel, so one without any is rare
_GRAZING = 0.25  # cosine; flatter views say nothing
_ROUNDS = 24
_BESIDE = 8  # neighbours that judge a tangent plane
_USABLE = 0.9  # share of file normals that must agree with what is seen


@dataclass(frozen=True, eq=False)
class Sight:
    """For each point: the sum of signed cosines to the eyes that see it, of their sizes, and how many eyes."""

    vote: Floats
    weight: Floats
    seen: Ints


def planes(points: Floats, k: int = 9) -> Floats:
    """Return a unit normal (n, 3) of either sign for each point from its *k* nearest neighbours."""
    near = neighbours(points, min(k, len(points)))[1]
    return _least_axis(points, near, np.ones(near.shape))


def refined(points: Floats, normals: Floats, pitch: float, k: int = 30) -> Floats:
    """Return normals from up to *k* neighbours within 4 pitches that face alike: both sides of a wall stay apart."""
    reach, near = neighbours(points, k, within=4 * pitch)
    missing = ~np.isfinite(reach)
    near = np.where(missing, np.arange(len(points))[:, None], near)
    alike = (normals[near] * normals[:, None]).sum(axis=2) > 0.3
    weights = (alike & ~missing).astype(np.float64)
    enough = weights.sum(axis=1) >= 5
    better = np.where(enough[:, None], _least_axis(points, near, weights), normals)
    facing = np.where((better * normals).sum(axis=1) < 0, -1.0, 1.0)
    return np.asarray(better * facing[:, None])


def _least_axis(points: Floats, near: Ints, weights: Floats) -> Floats:
    result = np.zeros_like(points)
    for block in (slice(i, i + 8192) for i in range(0, len(points), 8192)):
        around, share = points[near[block]], weights[block][..., None]
        centred = (around - (around * share).sum(axis=1, keepdims=True) / share.sum(axis=1, keepdims=True)) * share
        result[block] = np.linalg.eigh(np.einsum("nki,nkj->nij", centred, centred))[1][:, :, 0]
    return result


def directions(count: int = _VIEWS) -> Floats:
    """Return *count* unit vectors (count, 3) spread evenly over the sphere, by the golden angle."""
    i = np.arange(count) + 0.5
    z = 1 - 2 * i / count
    turn = np.pi * (3 - np.sqrt(5.0)) * i
    ring = np.sqrt(1 - z**2)
    return np.stack([ring * np.cos(turn), ring * np.sin(turn), z], axis=1)


def sight(points: Floats, normals: Floats, pitch: float, noise: float, eyes: Floats) -> Sight:
    """
    Return what the far *eyes* (v, 3; unit vectors towards them) see of a cloud, each through a raster of wide pixels.

    A point is seen where no other in its pixel stands clearly before it; the steeper its plane, the more depth a pixel
    spans, up to a limit that keeps the far side of a thin wall hidden.
    """
    vote, weight = np.zeros(len(points)), np.zeros(len(points))
    seen = np.zeros(len(points), dtype=np.int64)
    pixel = _PIXEL * pitch
    for eye in eyes:
        cosine = normals @ eye
        size = np.abs(cosine)
        ahead = _front(points, eye, pixel) - points @ eye
        slope = np.sqrt(np.maximum(0.0, 1 - size**2)) / np.maximum(size, 1e-9)
        visible = (size > _GRAZING) & (ahead <= np.minimum(0.7 * slope, 1.2) * pixel + 2 * noise + 1e-3 * pixel)
        vote += np.where(visible, cosine, 0.0)
        weight += np.where(visible, size, 0.0)
        seen += visible
    return Sight(vote, weight, seen)


def _front(points: Floats, eye: Floats, pixel: float) -> Floats:
    """Return for each point how far towards the eye the nearest point in its pixel stands."""
    across = np.cross(eye, np.eye(3)[np.abs(eye).argmin()])
    across /= np.linalg.norm(across)
    flat = np.floor(points @ np.stack([across, np.cross(eye, across)], axis=1) / pixel).astype(np.int64)
    flat -= flat.min(axis=0)
    key = flat[:, 0] * (int(flat[:, 1].max()) + 1) + flat[:, 1]
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(key[order]) != 0]))
    nearest = np.maximum.reduceat((points @ eye)[order], starts)
    result = np.zeros(len(points))
    result[order] = np.repeat(nearest, np.diff(np.append(starts, len(points))))
    return result


def outward(points: Floats, normals: Floats, seen: Sight, pitch: float) -> Floats:
    """
    Return *normals* turned to the side from which they are seen, unseen ones as their neighbours.

    Rounds of averaging over neighbours that lie along the surface, each anchored to its own sight.
    """
    from scipy.sparse import csr_matrix

    n = len(points)
    reach, near = neighbours(points, min(13, n))
    ahead = points[near] - points[:, None]
    level = np.abs((ahead * normals[:, None]).sum(axis=2)) < 0.5 * reach
    weight = (normals[near] * normals[:, None]).sum(axis=2) * (level & (reach > 0) & (reach < 6 * pitch))
    rows = np.repeat(np.arange(n), near.shape[1])
    links = csr_matrix((weight.ravel(), (rows, near.ravel())), shape=(n, n))
    total = np.maximum(np.abs(weight).sum(axis=1), 1e-12)
    own = seen.vote / np.maximum(seen.weight, 1e-12) * np.minimum(seen.weight / 3, 1.0)
    side = own.copy()
    for _ in range(_ROUNDS):
        side = np.clip(own + links @ side / total, -1, 1)
    return np.asarray(normals * np.where(side < 0, -1.0, 1.0)[:, None])


def agreement(normals: Floats, file_normals: Floats, sure: Bools) -> float:
    """Return the share of the file's normals that point to the same side as ours, over the points we are *sure* of."""
    known = sure & (np.linalg.norm(file_normals, axis=1) > 0)
    if not known.any():
        return 0.5
    return float(((normals * file_normals).sum(axis=1)[known] > 0).mean())


def usable(share: float) -> bool:
    """Return whether file normals that agree by *share* may settle what no eye sees: nearly all right, or all wrong."""
    return share > _USABLE or share < 1 - _USABLE


def misfit(points: Floats, normals: Floats) -> float:
    """
    Return how badly the tangent planes fit the points beside them, m: smaller is the better set of normals.

    Of a point's nearest neighbours the better half counts, so that beside an edge a plane answers for its own face; a
    fit over both faces, which a sparse cloud forces on an estimate, then shows against an instrument's own normals.
    """
    near = neighbours(points, _BESIDE + 1)[1][:, 1:]
    off = np.abs(np.einsum("nkj,nj->nk", points[near] - points[:, None], normals))
    return float(np.sort(off, axis=1)[:, : _BESIDE // 2].mean())
