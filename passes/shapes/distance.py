"""
How far points lie from a triangle mesh, and on which side of it.

Open3D's ray casting scene finds the nearest triangle in single precision; the distance to that triangle is then
computed again in double precision.  So a distance is never below the true one, which is what an upper bound needs;
where single precision chose the second nearest triangle, it is above by about ``Solid.rounding``.
The side is the winding number: crossings of three rays, each counted with its direction, and where the rays disagree
(one met an edge) the solid angles of all triangles, which need no ray.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from r2s.compiler.ir import Bools, Floats, Ints
from r2s.passes.shapes.open3d import open3d

# Irrational enough that no ray runs along the edges of boxes, plates or lathed parts.
_RAYS = np.array([[0.36613, 0.55217, 0.74909], [-0.71341, 0.29873, -0.63388], [0.13547, -0.88291, 0.44957]])
_CHUNK = 1 << 17
_SINGLE = 2.0**-23  # spacing of single precision numbers near 1


class Solid:
    """
    A triangle mesh that answers distance queries, metres.

    *vertices* (n, 3) m and *faces* (m, 3).  ``unsigned`` and ``nearest`` take any mesh, open ones included;
    ``signed`` and ``inside`` need a closed one that faces outward.
    """

    def __init__(self, vertices: Floats, faces: Ints) -> None:
        if len(faces) == 0:
            raise ValueError("a mesh without faces has no distance")
        self._origin = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
        self._corners = (vertices - self._origin)[faces]
        self._normals = np.cross(self._corners[:, 1] - self._corners[:, 0], self._corners[:, 2] - self._corners[:, 0])
        self._reach = float(np.abs(self._corners).max())
        # The scene works near 1, so that neither a 2 mm screw nor a 2 m shelf meets an absolute threshold.
        self._unit = self._reach if self._reach > 0 else 1.0
        self._scene = _scene(self._corners / self._unit)

    @property
    def rounding(self) -> float:
        """How much a distance may be above the true one inside the mesh's box, m: the search is in float32."""
        return 32 * _SINGLE * self._reach

    def unsigned(self, points: Floats) -> Floats:
        """Return the distance from each of *points* (k, 3) to the mesh, m."""
        return self.nearest(points)[0]

    def nearest(self, points: Floats) -> tuple[Floats, Floats, Ints]:
        """Return distance (k,) m, closest point (k, 3) m and face index (k,) for each of *points* (k, 3)."""
        parts = [self._nearest(chunk) for chunk in _chunks(points)]
        distance, closest, face = (np.concatenate(column) for column in zip(*parts, strict=True))
        return distance, closest + self._origin, face

    @property
    def triangles(self) -> Floats:
        """Corners (m, 3, 3) of all faces, m."""
        return np.asarray(self._corners + self._origin)

    def corners(self, face: Ints) -> Floats:
        """Return the corners (k, 3, 3) of the faces with index *face* (k,), m."""
        return np.asarray(self._corners[face] + self._origin)

    def signed(self, points: Floats) -> Floats:
        """Return the distance from each of *points* (k, 3) to the mesh, m, negative inside."""
        return self.probe(points)[0]

    def probe(self, points: Floats) -> tuple[Floats, Ints]:
        """Return signed distance (k,) m and nearest face index (k,) for each of *points* (k, 3)."""
        distance, _, face = self.nearest(points)
        # Nearer than rounding a side means nothing, and rays that start on a face would only disagree at length.
        apart = distance > self.rounding
        distance[apart] *= np.where(self.inside(points[apart]), -1.0, 1.0)
        return distance, face

    def inside(self, points: Floats) -> Bools:
        """Return for each of *points* (k, 3) whether the mesh winds around it; on the surface either may come."""
        return np.concatenate([self._inside(chunk) for chunk in _chunks(points)])

    def thickness(self, points: Floats, directions: Floats) -> Floats:
        """Return the length of each ray from *points* along unit *directions* to the mesh, m; inf where it misses."""
        if len(points) == 0:
            return np.zeros(0)
        rays = np.concatenate([(points - self._origin) / self._unit, directions], axis=1).astype(np.float32)
        hit = self._scene.cast_rays(open3d().core.Tensor(rays), nthreads=1)["t_hit"].numpy()
        return np.asarray(hit, dtype=np.float64) * self._unit

    def _nearest(self, points: Floats) -> tuple[Floats, Floats, Ints]:
        if len(points) == 0:  # Open3D crashes on an empty query
            return np.zeros(0), np.zeros((0, 3)), np.zeros(0, dtype=np.int64)
        local = points - self._origin
        query = open3d().core.Tensor((local / self._unit).astype(np.float32))
        found = self._scene.compute_closest_points(query, nthreads=1)["primitive_ids"].numpy()
        face = np.asarray(found, dtype=np.int64)
        closest = closest_on_triangles(local, self._corners[face])
        return np.linalg.norm(local - closest, axis=1), closest, face

    def _inside(self, points: Floats) -> Bools:
        local = points - self._origin
        near = (np.abs(local) <= self._reach).all(axis=1)
        result = np.zeros(len(points), dtype=np.bool_)
        if not near.any():
            return result
        turns = np.stack([self._crossings(local[near], ray) for ray in _RAYS])
        agreed = (turns == turns[0]).all(axis=0)
        answer = turns[0] > 0
        answer[~agreed] = self._solid_angle(local[near][~agreed]) > 0.5
        result[near] = answer
        return result

    def _crossings(self, local: Floats, direction: Floats) -> Ints:
        rays = np.concatenate([local / self._unit, np.broadcast_to(direction, local.shape)], axis=1)
        found = self._scene.list_intersections(open3d().core.Tensor(rays.astype(np.float32)), nthreads=1)
        sign = np.sign(self._normals[found["primitive_ids"].numpy()] @ direction).astype(np.int64)
        total = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sign)])
        splits = np.asarray(found["ray_splits"].numpy(), dtype=np.int64)
        return np.diff(total[splits])

    def _solid_angle(self, local: Floats) -> Floats:
        # van Oosterom and Strackee 1983: tan(angle / 2) of a triangle seen from a point; 4 pi all round is one turn.
        turns = np.zeros(len(local))
        for i, point in enumerate(local):
            a, b, c = np.moveaxis(self._corners - point, 1, 0)
            la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
            top = np.einsum("ij,ij->i", a, np.cross(b, c))
            bottom = la * lb * lc + (a * b).sum(1) * lc + (b * c).sum(1) * la + (c * a).sum(1) * lb
            turns[i] = np.arctan2(top, bottom).sum() / (2 * np.pi)
        return turns


@dataclass(frozen=True, slots=True)
class Summary:
    """What a sample of distances says: largest, 99th and 95th percentile, root mean square, mean."""

    max: float
    p99: float
    p95: float
    rms: float
    mean: float
    samples: int


def describe(distances: Floats, weights: Floats | None = None) -> Summary:
    """
    Return the summary of *distances* (k,), each standing for an area *weights* (k,), equal if None.

    A quantile is the smallest of the distances that at least that share of the area does not pass.
    No distance at all (nothing exposed, nothing outside) describes as zeros.
    """
    if len(distances) == 0:
        return Summary(0.0, 0.0, 0.0, 0.0, 0.0, 0)
    share = np.full(len(distances), 1.0) if weights is None else weights
    order = np.argsort(distances, kind="stable")
    ranked = distances[order]
    below = np.cumsum(share[order])
    p95, p99 = (float(ranked[min(np.searchsorted(below, q * below[-1]), len(ranked) - 1)]) for q in (0.95, 0.99))
    total = share.sum()
    mean = float((share * distances).sum() / total)
    rms = float(np.sqrt((share * distances**2).sum() / total))
    return Summary(float(ranked[-1]), p99, p95, rms, mean, len(distances))


def samples(vertices: Floats, faces: Ints, count: int) -> tuple[Floats, Ints]:
    """
    Return *count* points (count, 3) spread evenly over the area of a mesh, and the face (count,) that each lies on.

    Every point stands for the same area.  The walk over the faces is systematic and the place within a face follows
    the R2 sequence (the plastic number's powers), so nothing is random and neighbours keep apart.
    """
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    reach = np.cumsum(np.linalg.norm(np.cross(b - a, c - a), axis=1))
    index = np.arange(count, dtype=np.float64)
    face = np.searchsorted(reach, (index + 0.5) / count * reach[-1]).clip(max=len(faces) - 1)
    u, v = (0.5 + index * 0.7548776662466927) % 1, (0.5 + index * 0.5698402909980532) % 1
    over = u + v > 1
    u, v = np.where(over, 1 - u, u)[:, None], np.where(over, 1 - v, v)[:, None]
    return a[face] + u * (b - a)[face] + v * (c - a)[face], face.astype(np.int64)


def closest_on_triangles(points: Floats, triangles: Floats) -> Floats:
    """
    Return for each of *points* (k, 3) the nearest point (k, 3) of its own triangle in *triangles* (k, 3, 3).

    The nearest of the plane's foot, where it falls inside, and the three edges; a triangle without area is its edges.
    """
    a, b, c = np.moveaxis(triangles, 1, 0)
    best = _closest_on_segments(points, a, b)
    least = ((points - best) ** 2).sum(axis=1)
    for start, end in ((b, c), (c, a)):
        here = _closest_on_segments(points, start, end)
        gap = ((points - here) ** 2).sum(axis=1)
        best = np.where((gap < least)[:, None], here, best)
        least = np.minimum(least, gap)
    normal = np.cross(b - a, c - a)
    size = (normal**2).sum(axis=1)
    lift = np.divide(((points - a) * normal).sum(axis=1), size, out=np.zeros(len(points)), where=size > 0)
    foot = points - lift[:, None] * normal
    within = size > 0
    for start, end in ((a, b), (b, c), (c, a)):
        within &= (np.cross(end - start, foot - start) * normal).sum(axis=1) >= 0
    best[within] = foot[within]
    return best


def _closest_on_segments(points: Floats, start: Floats, end: Floats) -> Floats:
    along = end - start
    length = (along**2).sum(axis=1)
    share: Floats = np.divide(
        ((points - start) * along).sum(axis=1), length, out=np.zeros(len(points)), where=length > 0
    )
    return np.asarray(start + share.clip(0, 1)[:, None] * along)


def _chunks(points: Floats) -> list[Floats]:
    return [points[i : i + _CHUNK] for i in range(0, max(len(points), 1), _CHUNK)]


def _scene(corners: Floats) -> Any:
    o3d = open3d()
    scene = o3d.t.geometry.RaycastingScene(nthreads=1)
    positions = o3d.core.Tensor(np.ascontiguousarray(corners.reshape(-1, 3), dtype=np.float32))
    triangles = o3d.core.Tensor(np.arange(3 * len(corners), dtype=np.uint32).reshape(-1, 3))
    scene.add_triangles(positions, triangles)
    return scene
