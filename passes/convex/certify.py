"""
The largest distance over a whole surface, certified by branch and bound, never by samples.

A distance changes by no more than one moves (it is 1-Lipschitz), so over a triangle with centre c and covering radius r
it is at most d(c) + r.  And the nearest face is convex, so the distance to *it* is largest at a corner of the triangle:
a second bound, tight where the two surfaces run side by side.  The triangles that may still hold the maximum are
halved, worst first, until what is attained and what is bounded lie within the tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Floats
from r2s.passes.convex.hulls import hull
from r2s.passes.convex.pieces import Union
from r2s.passes.shapes.distance import Solid, closest_on_triangles

Measure = Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]
"""Of triangles (k, 3, 3), centres (k, 3) and covering radii (k,): value at the centre, bound over the triangle."""

_BATCH = 4096
_EFFORT = 400_000


@dataclass(frozen=True, slots=True)
class Maximum:
    """A certified maximum, m: *lower* is attained at some point, no point exceeds *upper*; *work* counts triangles."""

    lower: float
    upper: float
    work: int


def inflation(union: Union, reference: Solid, tolerance: float, effort: int = _EFFORT) -> Maximum:
    """Return how far the exposed surface of *union* stands out of the closed *reference* at most, m."""
    vertices, faces = union.mesh
    slack = _convex_slack(reference)
    if slack is not None:  # the distance to a convex set is largest at a corner
        attained = float(np.maximum(reference.signed(vertices), 0).max())
        return Maximum(attained, attained + slack + union.slack, len(vertices))
    found = maximum(vertices[faces], _outside(reference), tolerance, effort)
    return Maximum(found.lower, found.upper + union.slack, found.work)


def deficit(triangles: Floats, union: Union, tolerance: float, effort: int = _EFFORT) -> Maximum:
    """Return how far the surface *triangles* (m, 3, 3) m lies outside *union* at most, m."""
    if len(union.pieces) == 1:  # the distance to a convex set is largest at a corner
        found = float(union.distance(triangles.reshape(-1, 3)).max())
        return Maximum(found, found, len(triangles))
    return maximum(triangles, _uncovered(union, triangles), tolerance, effort)


def maximum(triangles: Floats, measure: Measure, tolerance: float, effort: int = _EFFORT) -> Maximum:
    """
    Return the maximum of a distance over *triangles* (m, 3, 3), certified to *tolerance*, m.

    After about *effort* triangles it stops with the bound it has, which is valid though looser.
    """
    lower = settled = 0.0
    work = 0
    value, bound = _measured(triangles, measure)
    lower = max(lower, float(value.max(initial=0)))
    work += len(triangles)
    while True:
        undecided = bound > lower + tolerance
        settled = max(settled, float(bound[~undecided].max(initial=0)))
        triangles, bound = triangles[undecided], bound[undecided]
        if len(triangles) == 0 or work >= effort:
            return Maximum(lower, max(lower, settled, float(bound.max(initial=0))), work)
        order = np.argsort(-bound, kind="stable")
        worst, rest = order[:_BATCH], order[_BATCH:]
        halves = _halved(triangles[worst])
        value, inner = _measured(halves, measure)
        # A half is part of its whole, so the whole's bound holds for it too.
        inner = np.minimum(inner, np.concatenate([bound[worst], bound[worst]]))
        lower = max(lower, float(value.max()))
        work += len(halves)
        triangles = np.concatenate([triangles[rest], halves])
        bound = np.concatenate([bound[rest], inner])


def _convex_slack(reference: Solid) -> float | None:
    """Return how far the closed *reference* may be from its hull, m, where every face lies on the hull; else None."""
    triangles = reference.triangles
    points = np.unique(triangles.reshape(-1, 3), axis=0)
    shape = hull(points)
    a, b, c = np.moveaxis(triangles - points.mean(axis=0), 1, 0)
    if shape is None or abs(np.einsum("ij,ij->", a, np.cross(b, c)) / 6 - shape.volume) > 1e-9 * shape.volume:
        return None
    hair = 1e-9 * float(np.ptp(points, axis=0).max())
    normals = np.cross(b - a, c - a)
    length = np.linalg.norm(normals, axis=1)
    fair = length > hair**2
    unit = normals[fair] / length[fair][:, None]
    for some in np.array_split(np.arange(len(unit)), len(unit) * len(points) // (1 << 22) + 1):
        height = unit[some] @ (points - points.mean(axis=0)).T - (unit[some] * a[fair][some]).sum(axis=1)[:, None]
        if height.max(initial=0) > hair:
            return None
    return hair


def _outside(reference: Solid) -> Measure:
    def measure(triangles: Floats, centers: Floats, radii: Floats) -> tuple[Floats, Floats]:
        signed, face = reference.probe(centers)
        beside = _to_corners(triangles, reference.corners(face))
        return np.maximum(signed, 0), np.minimum(np.maximum(signed + radii, 0), beside)

    return measure


def _uncovered(union: Union, surface: Floats) -> Measure:
    within = 1e-6 * float(np.ptp(surface.reshape(-1, 3), axis=0).max())
    skin = union.exposed

    def measure(triangles: Floats, centers: Floats, radii: Floats) -> tuple[Floats, Floats]:
        bound = union.covered(triangles, within)
        value = np.zeros(len(triangles))
        gap = ~np.isfinite(bound) | (bound > within)
        value[gap] = union.distance(centers[gap])
        face = skin.nearest(centers[gap])[2]
        beside = _to_corners(triangles[gap], skin.corners(face)) + union.slack
        bound[gap] = np.minimum(bound[gap], np.minimum(value[gap] + radii[gap], beside))
        return value, bound

    return measure


def _measured(triangles: Floats, measure: Measure) -> tuple[Floats, Floats]:
    values, bounds = np.zeros(len(triangles)), np.zeros(len(triangles))
    for start in range(0, len(triangles), 8 * _BATCH):
        some = slice(start, start + 8 * _BATCH)
        values[some], bounds[some] = measure(triangles[some], *_covering(triangles[some]))
    return values, bounds


def _to_corners(triangles: Floats, targets: Floats) -> Floats:
    """Return the largest distance from the corners of each triangle to its own target triangle."""
    points = triangles.reshape(-1, 3)
    foot = closest_on_triangles(points, np.repeat(targets, 3, axis=0))
    return np.asarray(np.linalg.norm(points - foot, axis=1).reshape(-1, 3).max(axis=1))


def _covering(triangles: Floats) -> tuple[Floats, Floats]:
    """
    Return centre (k, 3) and radius (k,) of the smallest circle around each triangle.

    Half the longest side where the angle opposite is obtuse or right, else the circumcircle.
    """
    turned = _longest_first(triangles)
    a, b, c = np.moveaxis(turned, 1, 0)
    center = (a + b) / 2
    u, v = b - a, c - a
    uu, vv, uv = (u * u).sum(axis=1), (v * v).sum(axis=1), (u * v).sum(axis=1)
    across = uu * vv - uv**2
    sharp = (((a - c) * (b - c)).sum(axis=1) > 0) & (across > 0)
    # Circumcentre a + s u + t v, from equal distances to the three corners.
    s = 0.5 * vv[sharp] * (uu[sharp] - uv[sharp]) / across[sharp]
    t = 0.5 * uu[sharp] * (vv[sharp] - uv[sharp]) / across[sharp]
    center[sharp] = a[sharp] + s[:, None] * u[sharp] + t[:, None] * v[sharp]
    return center, np.linalg.norm(turned - center[:, None], axis=2).max(axis=1)


def _halved(triangles: Floats) -> Floats:
    """Return both halves of each triangle, cut from the middle of its longest side."""
    a, b, c = np.moveaxis(_longest_first(triangles), 1, 0)
    middle = (a + b) / 2
    return np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])


def _longest_first(triangles: Floats) -> Floats:
    sides = np.linalg.norm(np.roll(triangles, -1, axis=1) - triangles, axis=2)
    turn = (sides.argmax(axis=1)[:, None] + np.arange(3)) % 3
    return np.asarray(np.take_along_axis(triangles, turn[:, :, None], axis=1))
