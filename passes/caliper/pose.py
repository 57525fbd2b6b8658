"""
The object's own frame: the box of least volume, settled on the faces, and the axis of revolution.

Found once on the closed surface and used on every stage, so that a length changes only where the geometry did.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Floats, Ints
from r2s.passes.caliper.contact import face_of
from r2s.passes.caliper.local import across_of
from r2s.passes.caliper.revolve import revolution_of
from r2s.passes.caliper.stage import Samples, Stage, samples_of, thinned

_DIRECTIONS = 400  # 7 degrees apart
_TURNS = 20
_STARTS = 5
_HULL = 300
_CLOUD = 20_000
_GROWN = 1.03  # times the least volume: faces that ask for more are not the box's
_BESIDE = np.radians(2)


@dataclass(frozen=True, eq=False)
class Pose:
    """
    Where the object lies.

    rotation   (3, 3) rows are the unit directions of long, mid and short; determinant +1
    revolution (3,) unit axis of revolution, its largest component positive, or None
    center     (3,) a point on that axis, else the centre of the box
    support    lowest z
    """

    rotation: Floats
    revolution: Floats | None
    center: Floats
    support: float


def pose_of(points: Floats, faces: Ints | None = None) -> Pose:
    """Return the pose of a cloud, or of a mesh with *faces*; the same up to rotation however the object lies."""
    no_faces = np.zeros((0, 3), dtype=np.int64)
    is_mesh = faces is not None and len(faces) > 0
    if is_mesh and faces is not None:
        stage = Stage(points, faces, 0.0, 0.0, 0.0, "mesh")
    else:
        stage = Stage(thinned(points, _CLOUD), no_faces, 0.0, 0.0, 0.0, "points")
    samples = samples_of(stage)
    smallest = smallest_box(samples.corners)
    settled = _settled(samples, smallest)
    if _volume(samples, settled) > _GROWN * _volume(samples, smallest):
        settled = smallest
    rotation = _sorted(settled, samples.corners)
    low, high = (samples.corners @ rotation.T).min(axis=0), (samples.corners @ rotation.T).max(axis=0)
    axis, center = revolution_of(samples, rotation)
    if axis is not None:
        axis = _on_end_faces(samples, axis, rotation)
    middle = (low + high) / 2 @ rotation if center is None else center
    return Pose(rotation, axis, middle, float(samples.corners[:, 2].min()))


def smallest_box(points: Floats) -> Floats:
    """
    Return (3, 3) rows: the axes of the box of least volume around *points*.

    A grid of directions, each with the best turn about it, gives starts; the best are refined by a simplex search.
    """
    from scipy.optimize import minimize
    from scipy.spatial.transform import Rotation

    hull = _hull(points)
    hull = hull - hull.mean(axis=0)
    directions = np.concatenate([np.linalg.eigh(hull.T @ hull)[1].T, np.eye(3), _half_sphere(_DIRECTIONS)])
    turn = np.arange(_TURNS) * (np.pi / 2) / _TURNS
    spin = np.stack([np.cos(turn), np.sin(turn), -np.sin(turn), np.cos(turn)], axis=1).reshape(-1, 2)  # pairs of rows
    frames, volumes = [], []
    for direction in directions:
        across = across_of(direction)
        flat = spin @ (across @ hull.T)
        sides = (flat.max(axis=1) - flat.min(axis=1)).reshape(-1, 2)
        best = int(np.argmin(sides.prod(axis=1)))
        frames.append(np.vstack([direction, spin[2 * best : 2 * best + 2] @ across]))
        volumes.append(float(sides[best].prod() * np.ptp(hull @ direction)))

    simplex = np.vstack([np.zeros(3), 0.06 * np.eye(3)])
    found = []
    for k in np.argsort(np.array(volumes), kind="stable")[:_STARTS]:
        result = minimize(
            _box_volume,
            np.zeros(3),
            args=(frames[k], hull, min(volumes)),
            method="Nelder-Mead",
            options={"initial_simplex": simplex, "maxiter": 150, "xatol": 1e-5, "fatol": 1e-7},
        )
        found.append((float(result.fun), frames[k] @ Rotation.from_rotvec(result.x).as_matrix()))
    return np.asarray(min(found, key=lambda pair: pair[0])[1])


def _box_volume(turned: Floats, start: Floats, hull: Floats, unit: float) -> float:
    """Volume, in *unit*, of the box whose axes are *start* turned by the rotation vector *turned*."""
    from scipy.spatial.transform import Rotation

    return float(np.ptp(hull @ (start @ Rotation.from_rotvec(turned).as_matrix()).T, axis=0).prod()) / unit


def _settled(samples: Samples, rotation: Floats) -> Floats:
    """Turn the box so that its axes are the normals of the faces it meets, as jaws would turn; round things stay."""
    from scipy.spatial.transform import Rotation

    for tilt in np.radians([4.0, 2.5, 2.0]):
        matrix, goal = np.zeros((3, 3)), np.zeros(3)
        for row in rotation:
            for side in (row, -row):
                face = face_of(samples, side, float(tilt))
                if face is None:
                    continue
                # the small turn w that takes the side to the face's normal: w × side = normal - side
                across = np.eye(3) - np.outer(side, side)
                matrix += face.area * across
                goal += face.area * np.cross(side, face.normal)
        if not matrix.any():
            break
        rotation = rotation @ Rotation.from_rotvec(np.linalg.pinv(matrix, rcond=1e-3) @ goal).as_matrix().T
    return rotation


def _on_end_faces(samples: Samples, axis: Floats, rotation: Floats) -> Floats:
    """Return the box axis beside the axis of revolution if it stands on flat ends: they fix it better than walls."""
    along = rotation @ axis
    nearest = int(np.argmax(np.abs(along)))
    row = rotation[nearest] * np.sign(along[nearest])
    if abs(float(along[nearest])) < np.cos(_BESIDE):
        return axis
    ends = [face_of(samples, row), face_of(samples, -row)]
    return row if all(end is not None for end in ends) else axis


def _volume(samples: Samples, rotation: Floats) -> float:
    return float(np.ptp(samples.corners @ rotation.T, axis=0).prod())


def _sorted(rotation: Floats, corners: Floats) -> Floats:
    """Rows from long to short, each with its largest component positive, but the last makes the frame right-handed."""
    order = np.argsort(-np.ptp(corners @ rotation.T, axis=0), kind="stable")
    rows = rotation[order]
    rows = rows * np.sign(rows[np.arange(3), np.argmax(np.abs(rows), axis=1)])[:, None]
    rows[2] = np.cross(rows[0], rows[1])
    return np.asarray(rows)


def _hull(points: Floats) -> Floats:
    """Points that are outermost in some direction: all that a box can touch."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        corners = points[np.sort(ConvexHull(points).vertices)]
    except QhullError:  # flat: any points will do, the box has no volume in any pose
        corners = thinned(points, _HULL)
    if len(corners) <= _HULL:
        return corners
    heights = corners @ _half_sphere(_HULL).T
    return np.asarray(corners[np.union1d(np.argmax(heights, axis=0), np.argmin(heights, axis=0))])


def _half_sphere(count: int) -> Floats:
    """(count, 3) directions, evenly spread over a half of the sphere (Fibonacci lattice)."""
    k = np.arange(count) + 0.5
    z = k / count
    turn = np.pi * (1 + 5**0.5) * k
    flat = np.sqrt(1 - z**2)
    return np.stack([flat * np.cos(turn), flat * np.sin(turn), z], axis=1)
