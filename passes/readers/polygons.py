"""Triangles out of the faces that files hold: polygons of any number of corners, and triangle strips."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.errors import InvalidInputError
from r2s.passes.readers.ears import clip_ears

MOST_CORNERS = 4096

_FLAT = 1e-6
_CORNERS_AT_ONCE = 1 << 20


def triangulate(
    points: NDArray[np.float64], corners: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """
    Return (m, 3) triangles of polygons; polygon i has the next ``counts[i]`` of *corners*, which are indices in range.

    The triangles keep the order and the winding of the polygons; polygons of fewer than three corners give none.
    Raises InvalidInputError for a polygon of more than 4096 corners that is not plainly convex.
    """
    if (counts == 3).all():
        return corners.reshape(-1, 3)
    with np.errstate(over="ignore", invalid="ignore"):  # absurd coordinates give an absurd cut, not a crash
        return _triangulate(points, corners, counts)


def _triangulate(
    points: NDArray[np.float64], corners: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    starts = np.cumsum(counts) - counts
    made = np.maximum(counts - 2, 0)
    places = np.cumsum(made) - made
    triangles = np.zeros((int(made.sum()), 3), dtype=np.int64)
    for chosen in _groups_of_equal(counts):
        n = int(counts[chosen[0]])
        if n < 3:
            continue
        polygons = corners[starts[chosen, None] + np.arange(n)]
        triangles[places[chosen, None] + np.arange(n - 2)] = _cut(points, polygons, chosen)
    return triangles


def expand_strips(indices: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """
    Return (m, 3) triangles of strips; strip i has the next ``counts[i]`` of *indices*, and -1 begins a new strip in it.

    Every second triangle of a strip is turned round, so that all wind alike.
    Triangles that name a vertex twice only carry the strip on to another place and are left out.
    """
    n = len(indices)
    begins = np.zeros(n, dtype=bool)
    ends = np.cumsum(counts)
    begins[(ends - counts)[counts > 0]] = True
    begins[np.flatnonzero(indices[:-1] == -1) + 1] = True
    begin = np.maximum.accumulate(np.where(begins, np.arange(n), 0)) if n else indices
    first = np.arange(max(n - 2, 0))
    a, b, c = indices[first], indices[first + 1], indices[first + 2]
    kept = (begin[first] == begin[first + 2]) & (a != -1) & (b != -1) & (c != -1) & (a != b) & (b != c) & (a != c)
    odd = ((first - begin[first]) % 2 == 1) & kept
    triangles: NDArray[np.int64] = np.stack([a, np.where(odd, c, b), np.where(odd, b, c)], axis=1)[kept]
    return triangles


def _groups_of_equal(counts: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the positions of equal *counts* together, in groups of bounded size."""
    if not len(counts):
        return []
    order = np.argsort(counts, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(counts[order])) + 1)
    steps = [max(1, _CORNERS_AT_ONCE // max(1, int(counts[g[0]]))) for g in groups]
    return [g[i : i + step] for g, step in zip(groups, steps, strict=True) for i in range(0, len(g), step)]


def _cut(points: NDArray[np.float64], polygons: NDArray[np.int64], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return (g, n - 2, 3) triangles of (g, n) polygons."""
    n = polygons.shape[1]
    if n == 3:
        return np.expand_dims(polygons, 1)
    shapes = points[polygons]
    normals = _newell(shapes)
    if n == 4:
        return _cut_quads(shapes, normals, polygons)
    fan = np.stack([np.zeros(n - 2, dtype=np.int64), np.arange(1, n - 1), np.arange(2, n)], axis=1)
    triangles = polygons[:, fan]
    for i in np.flatnonzero(~_fans_are_right(shapes, normals)).tolist():
        if n > MOST_CORNERS:
            raise InvalidInputError(
                "R2S132",
                f"face {numbers[i] + 1} has {n:,} corners, and {MOST_CORNERS:,} is the most that can be cut up",
                hint="triangulate the mesh before exporting it",
            )
        axis = int(np.argmax(np.abs(normals[i])))
        if normals[i, axis] != 0:
            flat = shapes[i][:, [(axis + 1) % 3, (axis + 2) % 3]]
            ears = clip_ears(flat if normals[i, axis] > 0 else flat[:, ::-1])
            triangles[i] = polygons[i][np.array(ears)]
    return triangles


def _cut_quads(
    shapes: NDArray[np.float64], normals: NDArray[np.float64], quads: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Cut along the diagonal that leaves no triangle folded over; where both do, along the shorter one."""
    cuts = np.array([[[0, 1, 2], [0, 2, 3]], [[0, 1, 3], [1, 2, 3]]])
    least = np.stack([_areas(shapes, normals, cut).min(axis=1) for cut in cuts], axis=1)
    sound = least > _FLAT * (normals**2).sum(axis=1)[:, None]
    diagonals = np.stack(
        [((shapes[:, 0] - shapes[:, 2]) ** 2).sum(axis=1), ((shapes[:, 1] - shapes[:, 3]) ** 2).sum(axis=1)], axis=1
    )
    shorter = diagonals[:, 1] < diagonals[:, 0] * (1 - 1e-9)
    second = np.where(
        sound[:, 0] == sound[:, 1], np.where(sound[:, 0], shorter, least[:, 1] > least[:, 0]), sound[:, 1]
    )
    return np.where(second[:, None, None], quads[:, cuts[1]], quads[:, cuts[0]])


def _fans_are_right(shapes: NDArray[np.float64], normals: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each polygon is convex, and no triangle of the fan about its first corner is flat or turned round."""
    n = shapes.shape[1]
    steps = np.arange(n)
    corners = np.stack([steps, (steps + 1) % n, (steps + 2) % n], axis=1)
    fan = np.stack([np.zeros(n - 2, dtype=np.int64), steps[1:-1], steps[2:]], axis=1)
    least = np.minimum(_areas(shapes, normals, corners).min(axis=1), _areas(shapes, normals, fan).min(axis=1))
    right: NDArray[np.bool_] = least > _FLAT * (normals**2).sum(axis=1)
    return right


def _areas(
    shapes: NDArray[np.float64], normals: NDArray[np.float64], triangles: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return (g, k) areas of triangles of corners, as the normal sees them, times twice the length of the normal."""
    a, b, c = (shapes[:, triangles[:, i]] for i in range(3))
    areas: NDArray[np.float64] = np.einsum("gki,gi->gk", np.cross(b - a, c - a), normals)
    return areas


def _newell(shapes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (g, 3) normals, twice the area long (M. Newell's sum of cross products, about the first corner)."""
    arms = shapes - shapes[:, :1]
    normals: NDArray[np.float64] = np.cross(arms[:, :-1], arms[:, 1:]).sum(axis=1)
    return normals
