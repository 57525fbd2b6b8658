"""Rotations as MuJoCo wants them: unit quaternions, and the principal axes of an inertia tensor."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np

from r2s.compiler.ir import Floats

# All 24 ways to name and sign the axes of a right-handed frame, the identity first.
_FRAMES = tuple(
    frame
    for order in permutations(range(3))
    for signs in product((1.0, -1.0), repeat=3)
    if np.linalg.det(frame := np.eye(3)[:, order] * np.array(signs)) > 0
)


def quaternion(rotation: Floats) -> Floats:
    """
    Return the unit quaternion (w, x, y, z), w >= 0, of a (3, 3) rotation.

    By the largest of the four squared components, so no division by a small number (Shepperd's method).
    """
    r = rotation
    squares = np.array(
        [
            1 + r[0, 0] + r[1, 1] + r[2, 2],
            1 + r[0, 0] - r[1, 1] - r[2, 2],
            1 - r[0, 0] + r[1, 1] - r[2, 2],
            1 - r[0, 0] - r[1, 1] + r[2, 2],
        ]
    )
    wx, wy, wz = r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]
    xy, xz, yz = r[0, 1] + r[1, 0], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1]
    rows = np.array(
        [[squares[0], wx, wy, wz], [wx, squares[1], xy, xz], [wy, xy, squares[2], yz], [wz, xz, yz, squares[3]]]
    )
    q = rows[int(np.argmax(squares))]
    unit: Floats = q / np.linalg.norm(q)
    return (unit if unit[0] >= 0 else -unit) + 0.0


def matrix(q: Floats) -> Floats:
    """Return the (3, 3) rotation of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def principal(inertia: Floats) -> tuple[Floats, Floats]:
    """
    Return the principal moments (3,) and the (3, 3) rotation whose columns are their axes, nearest to no rotation.

    An eigenvector has no sign and no place in an order; of the 24 equal answers, that with the largest trace is taken.
    A tensor that is diagonal to 1e-9 keeps its axes, so that a symmetric object gets no arbitrary turn.
    """
    diagonal = np.diag(inertia)
    if np.abs(inertia - np.diag(diagonal)).max() <= 1e-9 * np.abs(diagonal).max():
        return diagonal.copy(), np.eye(3)
    moments, axes = np.linalg.eigh(inertia)
    axes = axes * (1.0 if np.linalg.det(axes) > 0 else -1.0)
    traces = np.array([np.trace(axes @ frame) for frame in _FRAMES])
    frame = _FRAMES[int(np.flatnonzero(traces >= traces.max() - 1e-9)[0])]
    return moments @ np.abs(frame), axes @ frame
