"""
A wall of even thickness inside a closed surface: all of its inside that lies no deeper than the wall is thick.

The hollow is integrated over cubes that are halved where its boundary passes, and taken from the solid.  So thick
walls, concave edges and parts thinner than two walls need no rule of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from r2s.compiler.ir import Bools, Floats, Ints
from r2s.passes.mjcf.massprops import Distribution, Moments, distribution, moments
from r2s.passes.shapes.distance import Solid

_COARSE = 8  # cells along the longest side
_FEWEST, _MOST = 3, 5  # halvings of a cell: to 1/64 of that side, or 1/256
_ACROSS = 4.0  # cells through the wall ask for more
_FLAT = 1e-3  # least part of a plane's normal along an edge of a cube: the formula divides by it
_SIGNS = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])


def wall(vertices: Floats, faces: Ints, thickness: float) -> Distribution:
    """
    Return the distribution of a wall of *thickness* m inside a closed outward mesh; ``measure`` is its volume, m³.

    The surface is integrated exactly.  Against closed forms of balls, boxes and cylinders volume and inertia err by
    less than 3e-3 of themselves, for walls down to 1/200 of the longest side.
    """
    middle = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    whole = moments((vertices - middle)[faces])
    inside = _hollow(Solid(vertices - middle, faces), vertices - middle, thickness)
    return distribution(whole - inside, middle)


@dataclass(frozen=True, eq=False)
class _Cells:
    """Cubes of half-edge *half* about *centers* (k, 3); *within*: known to lie inside the surface as a whole."""

    centers: Floats
    within: Bools
    half: float

    def pick(self, chosen: Bools) -> _Cells:
        return _Cells(self.centers[chosen], self.within[chosen], self.half)

    def halved(self) -> _Cells:
        corners = (_SIGNS - 0.5) * self.half
        centers = (self.centers[:, None] + corners).reshape(-1, 3)
        return _Cells(centers, np.repeat(self.within, len(_SIGNS)), self.half / 2)


def _hollow(solid: Solid, vertices: Floats, thickness: float) -> Moments:
    """Moments about the origin of what lies deeper than *thickness*."""
    total = Moments.none()
    cells = _grid(vertices)
    last = int(np.clip(np.ceil(np.log2(2 * cells.half * _ACROSS / thickness)), _FEWEST, _MOST))
    for level in range(last + 1):
        if len(cells.centers) == 0:
            break
        distance, closest, _ = solid.nearest(cells.centers)
        # Deep inside, distance is depth; the side is only asked where the surface may pass through the cell.
        side = cells.within.copy()
        side[~side] = solid.inside(cells.centers[~side])
        depth = np.where(side, distance, -distance)
        cover = sqrt(3) * cells.half
        full, empty = depth >= thickness + cover, depth <= thickness - cover
        total = total + _of_cubes(cells.centers[full], np.ones(int(full.sum())), cells.half)
        part = ~full & ~empty
        if level == last:
            away = (cells.centers - closest)[part] * np.where(side, 1.0, -1.0)[part, None]
            inward = away / np.maximum(distance[part], 1e-300)[:, None]
            share = _beyond(inward, (thickness - depth[part]) / (2 * cells.half))
            return total + _of_cubes(cells.centers[part], share, cells.half)
        cells = _Cells(cells.centers, side & (distance > cover), cells.half).pick(part).halved()
    return total


def _grid(vertices: Floats) -> _Cells:
    size = float(np.ptp(vertices, axis=0).max())
    edge = size / _COARSE
    counts = np.maximum(np.ceil(np.ptp(vertices, axis=0) / edge - 1e-9), 1).astype(np.int64)
    axes = [(np.arange(count) - (count - 1) / 2) * edge for count in counts]
    centers = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    return _Cells(centers, np.zeros(len(centers), dtype=np.bool_), edge / 2)


def _of_cubes(centers: Floats, share: Floats, half: float) -> Moments:
    """Moments of cubes filled to *share*, as if evenly: what that moves cancels to second order in their edge."""
    volume = share * (2 * half) ** 3
    second = np.einsum("n,ni,nj->ij", volume, centers, centers) + volume.sum() * (2 * half) ** 2 / 12 * np.eye(3)
    return Moments(float(volume.sum()), np.asarray(volume @ centers), second)


def _beyond(normal: Floats, level: Floats) -> Floats:
    """
    Return the share of the unit cube about the origin where *normal* (k, 3) · x > *level* (k,).

    The volume below a plane in the corner of a cube is that of a tetrahedron less those that stick out:
    Σ (−1)^|s| max(0, α − s · n)³ / (6 n₁ n₂ n₃) over the corners s, with n ≥ 0.
    """
    n = np.maximum(np.abs(normal), _FLAT)
    alpha = n.sum(axis=1) / 2 - level
    left = np.maximum(alpha[:, None] - n @ _SIGNS.T, 0.0) ** 3
    below = left @ (-1.0) ** _SIGNS.sum(axis=1) / (6 * n.prod(axis=1))
    return np.asarray(np.clip(below, 0.0, 1.0))
