"""
Convex hulls: made, ordered the same way every time, measured, and thinned to an error bound.

Qhull works in coordinates of size 1 about the centre, so a 2 mm screw and a far origin make no difference to it;
the vertices handed out are the points that came in, to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from r2s.compiler.ir import Bools, Floats, Ints, is_closed
from r2s.passes.convex import boolean as _boolean
from r2s.passes.shapes.distance import Solid

FEW = 24  # a hull with so few vertices costs a simulator next to nothing, so thinning it would only lose shape
_CELLS = 1 << 21  # numbers in memory at once
_FLAT = 1e-5  # MuJoCo refuses coplanar hulls; below this share of its own extent a hull counts as flat


@dataclass(frozen=True, eq=False)
class Hull:
    """
    A convex polyhedron: vertices (k, 3) in lexicographic order, outward faces (f, 3), both canonical.

    *planes* (p, 4) are the faces' unit outward normals n and offsets d, each once: n . x + d <= 0 inside.
    """

    vertices: Floats
    faces: Ints
    planes: Floats

    @cached_property
    def volume(self) -> float:
        """Enclosed volume, m³."""
        a, b, c = np.moveaxis((self.vertices - self.vertices.mean(axis=0))[self.faces], 1, 0)
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)

    @cached_property
    def box(self) -> tuple[Floats, Floats]:
        """Lowest and highest corner of the axis-aligned box, m."""
        return self.vertices.min(axis=0), self.vertices.max(axis=0)

    @property
    def thickness(self) -> float:
        """Least width across any face, m."""
        return -float((self.vertices @ self.planes[:, :3].T + self.planes[:, 3]).min(axis=0).max())

    def excess(self, points: Floats) -> Floats:
        """Return for each of *points* how far it lies beyond the worst face plane, m; at most 0 inside."""
        found = np.zeros(len(points))
        step = max(_CELLS // len(self.planes), 1)
        for start in range(0, len(points), step):
            some = slice(start, start + step)
            found[some] = (points[some] @ self.planes[:, :3].T + self.planes[:, 3]).max(axis=1)
        return found


def hull(points: Floats) -> Hull | None:
    """Return the convex hull of *points* (n, 3), or None where they are flat for MuJoCo's purposes."""
    from scipy.spatial import ConvexHull, QhullError

    if len(points) < 4:
        return None
    center = (points.min(axis=0) + points.max(axis=0)) / 2
    size = float(np.abs(points - center).max())
    if size == 0:
        return None
    try:
        made = ConvexHull((points - center) / size)
    except QhullError:
        return None
    flipped = np.einsum("ij,ij->i", _normals(points[made.simplices]), made.equations[:, :3]) < 0
    faces = np.where(flipped[:, None], made.simplices[:, ::-1], made.simplices).astype(np.int64)
    if not is_closed(faces):  # Qhull's triangulated facets overlap where points are nearly coplanar
        return _by_manifold(points)
    planes = np.unique(made.equations, axis=0)
    planes[:, 3] = planes[:, 3] * size - planes[:, :3] @ center
    return _solid(Hull(*_canonical(points, faces), planes))


def convex(hulls: list[Hull]) -> Hull:
    """Return the hull of the union of *hulls*, none of them flat."""
    made = hull(np.vstack([h.vertices for h in hulls]))
    if made is None:
        raise ValueError("the hull of solid hulls is solid")
    return made


def pruned(shape: Hull, bound: float, most: int = 0) -> Hull:
    """
    Return the hull of few of *shape*'s vertices such that no point of *shape* is further than *bound* from it, m.

    *most* caps the number of vertices whatever the error; 0 is no cap.  Vertices come in by their distance from what
    is there already, in rounds: over each face the furthest, if it is among the worst.  The distance to a convex set
    is largest at a vertex, so checking the vertices left out is exact.
    """
    points = shape.vertices
    if len(points) <= (min(FEW, most) if most else FEW):
        return shape
    center, size = points.mean(axis=0), float(np.ptp(points, axis=0).max())
    local = (points - center) / size
    chosen = _extremes(local)
    while not most or chosen.sum() < most:
        planes = _planes(local[chosen])
        if planes is None:
            return shape
        beyond = local @ planes[:, :3].T + planes[:, 3]
        over = beyond.argmax(axis=1)
        excess = np.where(chosen, 0.0, beyond[np.arange(len(local)), over])
        if excess.max() * size <= bound:
            # The worst plane is no further than the hull itself; only now is the distance to the hull worth its price.
            current = hull(points[chosen])
            if current is None:
                return shape
            excess[~chosen] = _outside(current, points[~chosen]) / size
            if excess.max(initial=0) * size <= bound:
                return current
        order = np.argsort(-excess, kind="stable")
        furthest = order[np.sort(np.unique(over[order], return_index=True)[1])]
        worst = furthest[excess[furthest] >= max(0.5 * excess.max(), bound / size)]
        room = most - int(chosen.sum()) if most else len(worst)
        chosen[worst[:room] if len(worst) else order[:1]] = True
    return hull(points[chosen]) or shape


def with_small_faces(shape: Hull, most: int) -> Hull:
    """Return *shape* less the vertices, nearest to their neighbours first, that give a flat face more than *most*."""
    while True:
        crowd = _crowded(shape, most)
        if crowd is None:
            return shape
        ring = shape.vertices[crowd]
        center = ring.mean(axis=0)
        arm = ring - center
        axis = np.linalg.svd(arm, full_matrices=False)[2]
        order = np.argsort(np.arctan2(arm @ axis[1], arm @ axis[0]), kind="stable")
        turned = ring[order]
        rise = np.linalg.norm(np.cross(np.roll(turned, 1, 0) - turned, np.roll(turned, -1, 0) - turned), axis=1)
        gone = crowd[order[int(rise.argmin())]]
        smaller = hull(np.delete(shape.vertices, gone, axis=0))
        if smaller is None:
            return shape
        shape = smaller


def _crowded(shape: Hull, most: int) -> Ints | None:
    reach = 1e-6 * float(np.ptp(shape.vertices, axis=0).max())
    on = np.abs(shape.vertices @ shape.planes[:, :3].T + shape.planes[:, 3]) <= reach
    worst = int(on.sum(axis=0).argmax())
    found = np.flatnonzero(on[:, worst])
    return found if len(found) > most else None


def _extremes(points: Floats) -> Bools:
    """Return a mask of the points furthest along the 13 axes of a cube: a start that is never flat for a solid hull."""
    steps = np.array([[x, y, z] for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)])
    chosen = np.zeros(len(points), dtype=np.bool_)
    chosen[(points @ steps.T).argmax(axis=0)] = True
    return chosen


def _planes(points: Floats) -> Floats | None:
    """Return the face planes (p, 4) of the hull of *points* in coordinates of size 1, or None if it is flat."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return np.asarray(ConvexHull(points).equations)
    except QhullError:
        return None


def _outside(shape: Hull, points: Floats) -> Floats:
    """Return the distance from each of *points* to the hull, m, 0 inside."""
    found = np.zeros(len(points))
    far = shape.excess(points) > 0
    if far.any():
        found[far] = Solid(shape.vertices, shape.faces).unsigned(points[far])
    return found


def _by_manifold(points: Floats) -> Hull | None:
    from manifold3d import Manifold

    made = Manifold.hull_points(np.ascontiguousarray(points).copy())
    if made.num_tri() < 4:
        return None
    vertices, faces = _canonical(*_boolean.mesh(made))
    normals = _normals(vertices[faces])
    length = np.linalg.norm(normals, axis=1)
    unit = normals[length > 0] / length[length > 0][:, None]
    offsets = -np.einsum("ij,ij->i", unit, vertices[faces[length > 0][:, 0]])
    return _solid(Hull(vertices, faces, np.column_stack([unit, offsets])))


def _canonical(points: Floats, faces: Ints) -> tuple[Floats, Ints]:
    used = np.unique(faces)
    order = used[np.lexsort(points[used].T[::-1])]
    place = np.full(len(points), -1, dtype=np.int64)
    place[order] = np.arange(len(order))
    renamed = place[faces]
    first = renamed.argmin(axis=1)
    turned = np.take_along_axis(renamed, (first[:, None] + np.arange(3)) % 3, axis=1)
    return points[order], turned[np.lexsort(turned.T[::-1])]


def _solid(made: Hull) -> Hull | None:
    extent = float(np.ptp(made.vertices, axis=0).max())
    return made if is_closed(made.faces) and made.thickness > _FLAT * extent else None


def _normals(triangles: Floats) -> Floats:
    return np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
