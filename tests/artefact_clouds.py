"""Points on a ball, a block and a plate as a scanner with known errors reports them, mm; nothing of the passes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def ball(
    diameter: float = 25.4, count: int = 6000, *, noise: float = 0.05, seed: int = 1, above: float = -1.0
) -> Floats:
    """Points (count, 3) of the part of a ball with z over *above* radii, *noise* along the normal; off the origin."""
    rng = np.random.default_rng(seed)
    z, turn = rng.uniform(above, 1, count), rng.uniform(0, 2 * np.pi, count)
    flat = np.sqrt(1 - z * z)
    normals = np.column_stack([flat * np.cos(turn), flat * np.sin(turn), z])
    points: Floats = normals * (diameter / 2 + rng.normal(0, noise, (count, 1))) + [20.0, -10.0, 50.0]
    return points


def block(
    sides: tuple[float, float, float] = (25.4, 50.8, 76.2), count: int = 12_000, *, noise: float = 0.05, seed: int = 1,
    bottom: bool = True,
) -> Floats:  # fmt: skip
    """Points on the six faces of a block, a little turned about z."""
    rng = np.random.default_rng(seed)
    size = np.array(sides)
    ends = [(axis, end) for axis in range(3) for end in (-0.5, 0.5) if bottom or (axis, end) != (2, -0.5)]
    area = np.array([size.prod() / size[axis] for axis, _ in ends])
    which = rng.choice(len(ends), count, p=area / area.sum())
    points = rng.uniform(-0.5, 0.5, (count, 3)) * size
    for i, (axis, end) in enumerate(ends):
        at = which == i
        points[at, axis] = end * size[axis] + rng.normal(0, noise, int(at.sum()))
    turn = np.radians(7.0)
    turned = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    found: Floats = points @ turned.T + [5.0, 6.0, 60.0]
    return found


def plate(count: int = 5000, *, noise: float = 0.05, bend: float = 0.0, seed: int = 1) -> Floats:
    """Points on a plate of 100 by 80 mm, bent upwards by *bend* at its ends."""
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-50, 50, count), rng.uniform(-40, 40, count)
    points: Floats = np.column_stack([x, y, bend * (x / 50) ** 2 + rng.normal(0, noise, count)])
    return points


def table(z: float, half: float = 60.0, count: int = 20_000, *, noise: float = 0.05, hole: float = 0.0) -> Floats:
    """Points on a square table below the ball, but for what its shadow of radius *hole* hides."""
    rng = np.random.default_rng(9)
    flat = rng.uniform(-half, half, (count, 2))
    flat = flat[np.linalg.norm(flat, axis=1) > hole]
    points: Floats = np.column_stack([flat + np.array([20.0, -10.0]), z + rng.normal(0, noise, len(flat))])
    return points
