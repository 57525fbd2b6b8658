"""
What a stage shows near a point: samples of its surface inside a ball, as dense as a small face needs.

A large triangle is cut until its parts are small against the ball, so the face under a pick is sampled as well on a box
of twelve triangles as on a dense mesh.  Of convex pieces only what nothing covers is shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from r2s.compiler.ir import Bools, Floats
from r2s.passes.caliper.local import normals_of, spacing_of
from r2s.passes.caliper.solids import covered
from r2s.passes.caliper.stage import Samples, Stage, face_normals, samples_of

_CUTS = 64  # each cut halves a triangle's longest edge, so 64 do for any mesh
_CORRELATED = 24  # neighbouring vertices of a noisy mesh share their error, as in Samples
_NEIGHBOURS = 10  # within 3.6 spacings: the other side of a wall must lie beyond
_DIAGONAL = 2.9  # times the root mean square distance of a box's surface from its middle
_SHEETS_OF_POINTS, _SHEETS_OF_FACES = 6.0, 3.0  # times sigma
_MARGIN = 1.3  # of the ball: neighbours from beyond it steady the normals of a cloud at its rim


@dataclass(frozen=True, eq=False)
class _Faces:
    """Where each face lies: its middle, the radius that covers it, and its unit normal."""

    middle: Floats
    cover: Floats
    normals: Floats


def around(stage: Stage, center: Floats, radius: float, step: float) -> Samples:
    """
    Return the samples of *stage* within *radius* of *center*; parts of a mesh are no longer than *step*.

    There may be none.  ``corners`` are the points of a cloud, or the corners of the parts of a mesh.
    """
    if len(stage.faces) == 0:
        return _of_cloud(stage, center, radius)
    return _of_mesh(stage, center, radius, step)


@lru_cache(maxsize=8)
def size_of(stage: Stage) -> float:
    """Return how large the object is, about the diagonal of its box, but the same in every pose."""
    samples = samples_of(stage)
    away = samples.points - np.average(samples.points, axis=0, weights=samples.weights)
    return _DIAGONAL * float(np.sqrt(np.average((away**2).sum(axis=1), weights=samples.weights)))


def nearest(stage: Stage, point: Floats) -> float:
    """Return the distance from *point* to the nearest cloud point, or to the nearest face, to a tenth of itself."""
    if len(stage.faces) == 0:
        return float(_tree(stage).query(point)[0])
    radius = 1e-3 * size_of(stage)
    while True:
        found = around(stage, point, radius, radius / 10)
        if len(found.points):
            return float(np.linalg.norm(found.points - point, axis=1).min())
        radius *= 1.5


def resolved(stage: Stage) -> float:
    """
    Return how far apart two sheets must lie to be two.

    Six sigma for the points of a cloud, which belong to one sheet or the other by their height alone; three, as in the
    floor of a scan, for a mesh, whose faces say which sheet they are of.
    """
    times = _SHEETS_OF_FACES if len(stage.faces) else _SHEETS_OF_POINTS
    return max(times * samples_of(stage).sigma, 1e-6 * size_of(stage))


def spacing(stage: Stage) -> float:
    """Return the distance between neighbouring points of a cloud; 0 for a mesh, whose faces have no gaps."""
    if len(stage.faces):
        return 0.0
    return stage.spacing if stage.spacing > 0 else _measured_spacing(stage)


@lru_cache(maxsize=4)
def _measured_spacing(stage: Stage) -> float:
    return spacing_of(stage.points)


@lru_cache(maxsize=4)
def _tree(stage: Stage) -> Any:
    from scipy.spatial import cKDTree

    return cKDTree(stage.points)


@lru_cache(maxsize=4)
def _faces(stage: Stage) -> _Faces:
    corners = stage.points[stage.faces]
    middle = corners.mean(axis=1)
    cover = np.linalg.norm(corners - middle[:, None], axis=2).max(axis=1)
    return _Faces(middle, cover, face_normals(stage.points, stage.faces)[0])


def _of_cloud(stage: Stage, center: Floats, radius: float) -> Samples:
    whole, apart = samples_of(stage), spacing(stage)
    index = np.sort(np.array(_tree(stage).query_ball_point(center, _MARGIN * radius), dtype=np.int64))
    points = stage.points[index]
    oriented = len(stage.normals) > 0
    if oriented:
        normals = stage.normals[index]
    else:
        normals = normals_of(points, whole.sigma, apart, _NEIGHBOURS) if len(points) else np.zeros((0, 3))
    inside = np.linalg.norm(points - center, axis=1) < radius
    points, normals = points[inside], normals[inside]
    area = np.full(len(points), 4 * apart**2)
    return Samples(points, area, normals, oriented, points, whole.sigma, 1.0, apart, 2 * radius)


def _of_mesh(stage: Stage, center: Floats, radius: float, step: float) -> Samples:
    whole, faces = samples_of(stage), _faces(stage)
    near = np.linalg.norm(faces.middle - center, axis=1) < radius + faces.cover
    triangles, normals = _cut(stage.points[stage.faces[near]], faces.normals[near], center, radius, step)
    middle = triangles.mean(axis=1)
    inside = np.linalg.norm(middle - center, axis=1) < radius
    inside[inside] = _exposed(stage, middle[inside], normals[inside])
    triangles, normals, middle = triangles[inside], normals[inside], middle[inside]
    a, b, c = np.moveaxis(triangles, 1, 0)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    patch = 1.0
    if whole.sigma > 0:
        vertices = len(_tree(stage).query_ball_point(center, radius))
        patch = _CORRELATED * max(len(middle) / max(vertices, 1), 1.0)
    corners = triangles.reshape(-1, 3)
    return Samples(middle, area, normals, True, corners, whole.sigma, patch, whole.spacing, 2 * radius)


def _exposed(stage: Stage, points: Floats, normals: Floats) -> Bools:
    if len(stage.pieces) < 2:
        return np.ones(len(points), dtype=np.bool_)
    return ~covered(points, normals, stage.pieces)


def _cut(triangles: Floats, normals: Floats, center: Floats, radius: float, step: float) -> tuple[Floats, Floats]:
    """Halve the longest edge of each triangle that reaches into the ball until none there is longer than *step*."""
    done, done_normals = [np.zeros((0, 3, 3))], [np.zeros((0, 3))]
    for _ in range(_CUTS):
        middle = triangles.mean(axis=1)
        cover = np.linalg.norm(triangles - middle[:, None], axis=2).max(axis=1)
        near = np.linalg.norm(middle - center, axis=1) < radius + cover
        triangles, normals = triangles[near], normals[near]
        length = np.linalg.norm(triangles - np.roll(triangles, -1, axis=1), axis=2)  # of the edge after each corner
        small = length.max(axis=1, initial=0.0) <= step
        done.append(triangles[small])
        done_normals.append(normals[small])
        triangles, normals, length = triangles[~small], normals[~small], length[~small]
        if len(triangles) == 0:
            break
        first = length.argmax(axis=1)
        row = np.arange(len(triangles))
        a, b, c = (triangles[row, (first + k) % 3] for k in range(3))
        half = (a + b) / 2
        triangles = np.concatenate([np.stack([a, half, c], axis=1), np.stack([half, b, c], axis=1)])
        normals = np.concatenate([normals, normals])
    return np.concatenate(done), np.concatenate(done_normals)
