"""Flat faces among points: the largest first, each by consensus and then least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Bools, Floats, Ints

SEED = 20_261_202
_TRIALS = 300
_SAMPLE = 6_000
_LEAST = 60  # points of a face
_WIDE = 4.0


@dataclass(frozen=True, eq=False)
class Face:
    """The plane ``normal · p = height`` and which of all points lie on it."""

    normal: Floats
    height: float
    on: Ints


def faces(points: Floats, noise: float, most: int) -> list[Face]:
    """
    Return up to *most* faces of *points* (n, 3), the largest first, each with points that no larger one has.

    *noise* is the scatter of a point, 0 where it is unknown.  A face has at least a fiftieth of the points.
    """
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    band = max(4 * noise, 5e-4 * size)
    left = np.arange(len(points))
    rng = np.random.default_rng(SEED)
    found: list[Face] = []
    while len(found) < most and len(left) >= _LEAST:
        face = _largest(points, left, band, rng)
        if face is None or len(face.on) < max(_LEAST, len(points) // 50):
            break
        found.append(face)
        left = left[np.abs(points[left] @ face.normal - face.height) > 1.5 * band]
    return found


def _largest(points: Floats, left: Ints, band: float, rng: np.random.Generator) -> Face | None:
    sample = points[left if len(left) <= _SAMPLE else rng.choice(left, _SAMPLE, replace=False)]
    three = sample[rng.integers(len(sample), size=(_TRIALS, 3))]
    normals = np.cross(three[:, 1] - three[:, 0], three[:, 2] - three[:, 0])
    length = np.linalg.norm(normals, axis=1)
    usable = length > 0
    if not usable.any():
        return None
    normals = normals[usable] / length[usable, None]
    heights = np.einsum("ij,ij->i", normals, three[usable, 0])
    votes = (np.abs(normals @ sample.T - heights[:, None]) <= band).sum(axis=1)
    best = int(np.argmax(votes))
    normal, height = normals[best], float(heights[best])
    on: Bools = np.abs(points[left] @ normal - height) <= band
    for _ in range(6):
        if on.sum() < 3:
            return None
        normal, height, scatter = plane(points[left][on])
        # never wider than the band, or the cap of a sphere would grow to the whole of it
        on = np.abs(points[left] @ normal - height) <= min(max(_WIDE * scatter, 0.25 * band), band)
    return Face(normal, height, left[on])


def plane(points: Floats) -> tuple[Floats, float, float]:
    """Return unit normal, height and scatter of the least-squares plane through *points* (n, 3)."""
    middle = points.mean(axis=0)
    spread = points - middle
    values, vectors = np.linalg.eigh(spread.T @ spread)
    normal = vectors[:, 0]
    return normal, float(normal @ middle), float(np.sqrt(max(values[0], 0.0) / len(points)))
