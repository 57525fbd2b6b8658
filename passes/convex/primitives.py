"""
Fits of the primitives that every MuJoCo back end collides well: box, sphere, capsule.

Each fit returns its best piece, good or bad: whether it is good enough is for certified distances to say.
Cylinders and ellipsoids are left out on purpose: MJX has no mesh contact with them.
"""

from __future__ import annotations

from itertools import permutations, product

import numpy as np

from r2s.compiler.ir import Floats, Piece, Surface
from r2s.passes.convex.pieces import round_piece
from r2s.passes.shapes.distance import samples

_SAMPLES = 4000
_FLAT = np.cos(np.radians(20))  # faces turned further than this from an axis belong to edges and corners


def fits(surface: Surface) -> tuple[Piece, ...]:
    """Return the best sphere, box and capsule for *surface*, simplest first."""
    points, face = samples(surface.vertices, surface.faces, _SAMPLES)
    a, b, c = np.moveaxis(surface.triangles, 1, 0)
    normals = np.cross(b - a, c - a)
    size = np.linalg.norm(normals, axis=1)
    unit = np.divide(normals, size[:, None], out=np.zeros_like(normals), where=size[:, None] > 0)[face]
    found = (_sphere(points), _box(points, unit), _capsule(points))
    return tuple(piece for piece in found if piece is not None)


def _sphere(points: Floats) -> Piece:
    """Least squares of the distance to the sphere, started from the linear fit of |x|² = 2 c.x + k."""
    from scipy.optimize import least_squares

    middle = points.mean(axis=0)
    local = points - middle
    size = float(np.abs(local).max())
    unit = local / size
    start = np.linalg.lstsq(np.column_stack([2 * unit, np.ones(len(unit))]), (unit**2).sum(axis=1), rcond=None)[0]
    radius = np.sqrt(max(start[3] + start[:3] @ start[:3], 0.01))

    def gap(x: Floats) -> Floats:
        return np.asarray(np.linalg.norm(unit - x[:3], axis=1) - x[3])

    found = least_squares(gap, [*start[:3], radius]).x
    return round_piece("sphere", middle + size * found[:3], np.eye(3), (size * float(abs(found[3])), 0.0, 0.0))


def _box(points: Floats, normals: Floats) -> Piece | None:
    """
    Turn a frame until the normals lie along its axes, then put each side at the median of the points that face it.

    The turn is Procrustes' problem with each normal's nearest axis as its target.
    """
    best: tuple[float, Floats] | None = None
    for start in _frames(points, normals):
        frame = start
        for _ in range(20):
            along = normals @ frame
            nearest = np.abs(along).argmax(axis=1)
            target = np.zeros_like(along)
            rows = np.arange(len(along))
            target[rows, nearest] = np.sign(along[rows, nearest])
            u, _, v = np.linalg.svd(normals.T @ target)
            frame = u @ v
        fit = float(np.abs(normals @ frame).max(axis=1).mean())
        if best is None or fit > best[0] + 1e-9:
            best = fit, frame
    if best is None:
        return None
    frame = _upright(best[1])
    local, along = points @ frame, normals @ frame
    sides = []
    for axis, sign in product(range(3), (-1, 1)):
        facing = sign * along[:, axis] > _FLAT
        if not facing.any():
            return None
        sides.append(float(np.median(local[facing, axis])))
    low, high = np.array(sides[0::2]), np.array(sides[1::2])
    if (high <= low).any():
        return None
    half = (high - low) / 2
    return round_piece("box", frame @ ((low + high) / 2), frame, (float(half[0]), float(half[1]), float(half[2])))


def _frames(points: Floats, normals: Floats) -> list[Floats]:
    """Return frames to start from: the world's, the principal axes, and one about the most common normals."""
    local = points - points.mean(axis=0)
    principal = np.linalg.eigh(local.T @ local)[1]
    some = normals[:: max(len(normals) // 200, 1)]
    first = some[(np.abs(some @ normals.T) > 0.99).sum(axis=1).argmax()]
    across = some - np.outer(some @ first, first)
    length = np.linalg.norm(across, axis=1)
    square = across[length > 0.9] / length[length > 0.9][:, None]
    frames = [np.eye(3), principal]
    if len(square):
        second = square[(np.abs(square @ normals.T) > 0.99).sum(axis=1).argmax()]
        frames.append(np.column_stack([first, second, np.cross(first, second)]))
    return frames


def _upright(frame: Floats) -> Floats:
    """Return the right-handed renaming of the axes that turns least from the world's, free of noise near exactness."""
    best, found = -np.inf, frame
    for order, signs in product(permutations(range(3)), product((1, -1), repeat=3)):
        turned = frame[:, order] * np.array(signs)
        if np.linalg.det(turned) > 0 and np.trace(turned) > best + 1e-9:
            best, found = float(np.trace(turned)), turned
    exact = np.round(found)
    return exact if np.abs(found - exact).max() < 1e-9 else found


def _capsule(points: Floats) -> Piece | None:
    """Least squares of the distance to the capsule, started from the principal axis and the extents along it."""
    from scipy.optimize import least_squares

    middle = points.mean(axis=0)
    local = points - middle
    size = float(np.abs(local).max())
    unit = local[::2] / size
    axis = np.linalg.eigh(unit.T @ unit)[1][:, 2]
    along = unit @ axis
    radius = float(np.linalg.norm(unit - np.outer(along, axis), axis=1).mean())
    reach = max((float(np.ptp(along)) / 2 - radius), 0.01)
    center = axis * (along.max() + along.min()) / 2

    def gap(x: Floats) -> Floats:
        arm = x[3:6] - x[:3]
        share = ((unit - x[:3]) @ arm / max(arm @ arm, 1e-12)).clip(0, 1)
        return np.asarray(np.linalg.norm(unit - x[:3] - share[:, None] * arm, axis=1) - x[6])

    found = least_squares(gap, [*(center - reach * axis), *(center + reach * axis), radius], max_nfev=60).x
    arm = found[3:6] - found[:3]
    half = float(np.linalg.norm(arm)) / 2
    if half < 1e-3 or found[6] <= 0:
        return None  # a sphere
    center = middle + size * (found[:3] + found[3:6]) / 2
    return round_piece("capsule", center, _along(arm / (2 * half)), (size * float(found[6]), size * half, 0.0))


def _along(axis: Floats) -> Floats:
    """Return a rotation whose z column is *axis*, or its opposite where that turns less."""
    z = axis if axis[np.abs(axis).argmax()] > 0 else -axis
    x = np.cross(np.eye(3)[np.abs(z).argmin()], z)
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])
