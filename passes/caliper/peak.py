"""
The highest material along a direction, with the noise's part taken away.

The highest of n noisy points lies above the surface by several sigma, the more the flatter it is there.
Where the surface is smooth, the top of a quadric through as many points as it fits tells the height.
At an edge or a corner, the expected excess of the highest point is computed and subtracted.
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np

from r2s.compiler.ir import Floats
from r2s.passes.caliper.local import across_of
from r2s.passes.caliper.stage import Samples

EDGE = "highest points"
_CANDIDATES = 400
_CHOICE = 0.08  # of sigma: the place was chosen for being high (found with noisy spheres)
_SIZES = (768, 384, 192, 96, 48, 24)

Peak = tuple[float, float, Floats, str]


def peak(samples: Samples, direction: Floats) -> Peak:
    """Return height along *direction*, its standard uncertainty, the place (3,) and how it was found."""
    corners, sigma = samples.corners, samples.sigma
    height = corners @ direction
    highest = int(np.argmax(height))
    if sigma <= 0 or len(corners) < 2 * _SIZES[-1]:
        return float(height[highest]), 0.0, corners[highest], "outermost vertex"
    reach = 6 * sigma
    candidates = np.flatnonzero(height > height[highest] - reach)
    candidates = candidates[np.argsort(-height[candidates], kind="stable")[:_CANDIDATES]]
    tree = _tree(samples)
    near = tree.query(corners[candidates], k=_SIZES[-1])[1]
    smooth = _smoothed(corners, near, direction)
    best = int(candidates[np.argmax(smooth)])
    fitted = _smooth_top(samples, direction, best, tree)
    if fitted is not None:
        return fitted
    excess, scatter = _excess(smooth, sigma)
    return float(height[highest]) - excess, float(np.hypot(scatter, blur_of(samples))), corners[best], EDGE


def blur_of(samples: Samples) -> float:
    """Return what is open at an edge, as a standard uncertainty: it lies somewhere between two points."""
    return samples.spacing / sqrt(12) if samples.patch == 1 else 0.0


@lru_cache(maxsize=4)
def _tree(samples: Samples) -> Any:
    from scipy.spatial import cKDTree

    return cKDTree(samples.corners)


def _frame(patch: Floats, direction: Floats) -> tuple[Floats, Floats, Floats]:
    """Coordinates across the direction and along it, scaled to the patch's own size."""
    first, second = across_of(direction)
    return patch @ first, patch @ second, patch @ direction


def _terms(u: Floats, v: Floats) -> Floats:
    return np.stack([np.ones_like(u), u, v, u * u, u * v, v * v], axis=-1)


def _smoothed(corners: Floats, near: Floats, direction: Floats) -> Floats:
    """Height of each candidate on the quadric through its neighbours."""
    patch = corners[near]
    u, v, height = _frame(patch - patch[:, :1], direction)
    scale = np.sqrt((u**2 + v**2).mean(axis=1, keepdims=True)) + 1e-300
    solved = np.linalg.pinv(_terms(u / scale, v / scale), rcond=1e-6) @ height[:, :, None]
    return np.asarray(solved[:, 0, 0] + patch[:, 0] @ direction)


def _smooth_top(samples: Samples, direction: Floats, start: int, tree: Any) -> Peak | None:
    """The top of the quadric through the most points that it fits, or None at an edge."""
    corners, sigma = samples.corners, samples.sigma
    for size in _SIZES:
        if size > len(corners) // 2:
            continue
        index = tree.query(corners[start], k=size)[1]
        u, v, height = _frame(corners[index] - corners[start], direction)
        scale = sqrt(float((u**2 + v**2).mean()))
        terms = _terms(u / scale, v / scale)
        solved, _, rank, _ = np.linalg.lstsq(terms, height, rcond=1e-6)
        left = height - terms @ solved
        scatter = sqrt(float(left @ left) / (size - 6))
        if rank < 6 or scatter > sigma * (1.05 + 1.5 / sqrt(2 * size)):
            continue
        inside = np.flatnonzero(np.hypot(u, v) < 0.8 * np.hypot(u, v).max())
        on_top = inside[np.argmax((terms @ solved)[inside])]
        row = terms[on_top]
        leverage = float(row @ np.linalg.pinv(terms.T @ terms) @ row)
        u_top = sigma * sqrt(min(leverage * samples.patch + _CHOICE**2, 1.0))
        place = corners[index[on_top]]
        return float(row @ solved + corners[start] @ direction), u_top, place, "top of a smooth fit"
    return None


def _excess(smooth: Floats, sigma: float) -> tuple[float, float]:
    """
    How far the highest of noisy points lies above the highest surface point, and the scatter of that.

    With independent normal noise the highest has the distribution Π Φ((x − g_i)/σ); its moments follow by integration.
    """
    from scipy.special import log_ndtr

    below = (smooth - smooth.max()) / sigma
    grid = np.linspace(-4, 7, 1101)
    distribution = np.exp(log_ndtr(grid[:, None] - below[None, :]).sum(axis=1))
    density = np.diff(distribution)
    middle = (grid[1:] + grid[:-1]) / 2
    total = float(density.sum())
    mean = float(middle @ density) / total
    variance = float((middle - mean) ** 2 @ density) / total
    return sigma * mean, sigma * sqrt(variance)
