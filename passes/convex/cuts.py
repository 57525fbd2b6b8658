"""
Cutting a solid by planes into convex or nearly convex parts.

``exact`` is for parts that people drew: a plane along a concave edge takes that edge away, and planes that take many at
once come first, so a bracket becomes two boxes and a plate with 25 holes 36.
``finer`` is for scans, which have thousands of concave edges: it halves the part whose hull fills most empty space.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Floats, Ints
from r2s.passes.convex import boolean as _boolean
from r2s.passes.convex.hulls import Hull, hull

_DRAWN = 400  # concave edges that a drawn part may have
_BEND = 1e-3  # rad; a flatter valley is a rounding of coordinates
_TOUCH = 1e-6  # of the size; nearer to a plane is on it
_GAP = 1e-9  # of the size; how far beside its plane a cut is made
_FILM = 1e-6  # of the volume; a part that holds less is rounding
_TIES = 48
_PLACES = 9  # cut positions tried along each direction


@dataclass(frozen=True, eq=False)
class _Valley:
    """Concave edges: start and end (k, 3), normals of the two faces (k, 3) each."""

    start: Floats
    end: Floats
    left: Floats
    right: Floats


def exact(vertices: Floats, faces: Ints, most: int) -> list[Floats] | None:
    """
    Return the vertices of convex parts that together are exactly the closed mesh, or None.

    None where the mesh has more concave edges than a drawn part, or more than *most* parts would be needed.
    """
    size = float(np.ptp(vertices, axis=0).max())
    queue = _boolean.parts(_boolean.manifold(vertices, faces))
    done: list[Floats] = []
    planes: list[tuple[Floats, float]] = []
    while queue:
        part = queue.pop()
        points, triangles = _boolean.mesh(part)
        valley = _valley(points, triangles, size)
        if len(valley.start) == 0:
            done.append(points)
            continue
        if len(valley.start) > _DRAWN or len(done) + len(queue) >= most:
            return None
        planes.append(_plane(part, valley, size))
        halves = _boolean.cut(part, *planes[-1], _GAP * size)
        if len(halves) < 2:
            return None
        queue.extend(halves)
    return [_snapped(points, planes, vertices, size) for points in done]


def finer(vertices: Floats, faces: Ints, hulls: list[Hull], volume: float, most: int) -> list[Hull]:
    """
    Return hulls of finer parts of the closed mesh, until they hold no more than *volume* m³ or are *most*.

    *hulls* must cover the mesh; the parts are what each holds of it, so no part's hull exceeds the one it came from.
    """
    size = float(np.ptp(vertices, axis=0).max())
    solid = _boolean.manifold(vertices, faces)
    least = _FILM * float(solid.volume())  # rounding leaves films between neighbours
    found: list[tuple[float, _boolean.Manifold, Hull]] = []
    queue = [p for shape in hulls for p in _boolean.parts(_boolean.shared(solid, _grown(shape, _TOUCH)))]
    total = 0.0
    while True:
        for part in queue:
            made = hull(_boolean.mesh(part)[0]) if part.volume() > least else None
            if made is not None:
                found.append((max(made.volume - part.volume(), 0.0), part, made))
                total += made.volume
        if total <= volume or len(found) >= most:
            return [shape for _, _, shape in found]
        worst = int(np.argmax([excess for excess, _, _ in found]))
        _, part, shape = found.pop(worst)
        total -= shape.volume
        queue = _boolean.cut(part, *_halving(*_boolean.mesh(part)), _GAP * size)


def _grown(shape: Hull, share: float) -> _boolean.Manifold:
    middle = shape.vertices.mean(axis=0)
    return _boolean.manifold(middle + (shape.vertices - middle) * (1 + share), shape.faces)


def _valley(points: Floats, faces: Ints, size: float) -> _Valley:
    """Return the concave edges of a closed mesh, those of degenerate faces left out."""
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(normals, axis=1)
    longest = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2).max(axis=1)
    fair = area > 1e-9 * size * longest
    unit = np.divide(normals, area[:, None], out=np.zeros_like(normals), where=area[:, None] > 0)

    count = len(points)
    start, end = faces.reshape(-1), np.roll(faces, -1, axis=1).reshape(-1)
    owner = np.repeat(np.arange(len(faces)), 3)
    key = np.minimum(start, end) * count + np.maximum(start, end)
    order = np.lexsort([start > end, key])
    one, two = order[0::2], order[1::2]  # each edge once each way
    left, right = owner[one], owner[two]
    along = points[end[one]] - points[start[one]]
    length = np.linalg.norm(along, axis=1)
    # Seen along the edge, the normals of a valley turn towards each other.
    bend = (np.cross(unit[left], unit[right]) * along).sum(axis=1)
    opposite = (unit[left] * unit[right]).sum(axis=1) < -1 + 1e-9
    keep = (bend < -_BEND * length) & fair[left] & fair[right] & (length > _TOUCH * size) & ~opposite
    return _Valley(points[start[one]][keep], points[end[one]][keep], unit[left][keep], unit[right][keep])


def _plane(part: _boolean.Manifold, valley: _Valley, size: float) -> tuple[Floats, float]:
    """Return the plane that takes away the greatest length of concave edges, of equals the one that cuts least."""
    between = valley.left - valley.right
    between = between / np.linalg.norm(between, axis=1)[:, None]
    normals = np.concatenate([between, valley.left, valley.right])
    offsets = (normals * np.tile(valley.start, (3, 1))).sum(axis=1)
    on = np.maximum(
        np.abs(normals @ valley.start.T - offsets[:, None]), np.abs(normals @ valley.end.T - offsets[:, None])
    )
    along = valley.end - valley.start
    length = np.linalg.norm(along, axis=1)
    inward = np.cross(normals[:, None], (along / length[:, None])[None])  # in the plane, across each edge
    left, right = (inward * valley.left).sum(axis=2), (inward * valley.right).sum(axis=2)
    splits = np.logical_or(np.maximum(left, right) <= _TOUCH, np.minimum(left, right) >= -_TOUCH)
    gain = np.logical_and(on <= _TOUCH * size, splits) @ length
    ties = np.flatnonzero(gain >= gain.max() * (1 - 1e-6))
    same = np.round(np.column_stack([normals, offsets / size])[ties], 6) + 0.0
    ties = ties[np.sort(np.unique(same, axis=0, return_index=True)[1])][:_TIES]
    costs = [sum(half.surface_area() for half in _boolean.cut(part, normals[i], offsets[i], _GAP * size)) for i in ties]
    least = min(costs)
    best = next(i for i, cost in zip(ties, costs, strict=True) if cost <= least * (1 + 1e-9))
    return normals[best], float(offsets[best])


def _halving(points: Floats, faces: Ints) -> tuple[Floats, float]:
    """Return the plane, of some across the axes of the world and of the part, whose two hulls hold least."""
    corners = points[faces]
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    local = corners.mean(axis=1)
    local = local - (area @ local) / area.sum()
    principal = np.linalg.eigh((local * area[:, None]).T @ local)[1]
    edges = np.unique(np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1), axis=0)
    best, found = np.inf, (principal[:, 2], float(points.mean(axis=0) @ principal[:, 2]))
    for normal in np.vstack([principal.T[::-1], np.eye(3)]):
        height = points @ normal
        for share in np.arange(1, _PLACES + 1) / (_PLACES + 1):
            offset = height.min() + share * np.ptp(height)
            held = _held(points, edges, height, offset)
            if held < best * (1 - 1e-9):
                best, found = held, (normal, float(offset))
    return found


def _held(points: Floats, edges: Ints, height: Floats, offset: float) -> float:
    """Return the volume of the hulls of the two sides of a cut, without making the cut."""
    from scipy.spatial import ConvexHull, QhullError

    a, b = edges.T
    crossing = (height[a] - offset) * (height[b] - offset) < 0
    a, b = a[crossing], b[crossing]
    share = ((offset - height[a]) / (height[b] - height[a]))[:, None]
    rim = points[a] * (1 - share) + points[b] * share
    held = 0.0
    for side in (height >= offset, height <= offset):
        try:
            held += float(ConvexHull(np.vstack([points[side], rim])).volume)
        except (QhullError, ValueError):  # flat, or fewer than four points: it holds nothing
            continue
    return held


def _snapped(points: Floats, planes: list[tuple[Floats, float]], originals: Floats, size: float) -> Floats:
    """Return *points* with those that cuts have left a hair off back on the planes, or on the vertices they were."""
    from scipy.spatial import cKDTree

    hair = 10 * _GAP * size
    moved = points.copy()
    for normal, offset in planes:
        height = moved @ normal - offset
        moved -= np.outer(np.where(np.abs(height) < hair, height, 0.0), normal)
    distance, index = cKDTree(originals).query(moved)
    return np.where((np.asarray(distance) < hair)[:, None], originals[index], moved)
