"""
What the scanner did not see: the net normal, open boundaries, and the plane that hides the underside.

Over a closed surface the normals weighted by area sum to zero, so what they sum to is the projected area of what is
missing, pointing away from the hole (divergence theorem).  Opposite holes cancel, which is why the boundary counts too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Floats, Ints
from r2s.passes.points.points import Points
from r2s.passes.points.sides import point_areas

# Below this fraction the net normal of a complete cloud is its own sampling error (metrology: 0.002 to 0.007).
NET_FLAG = 0.03
# The underside is unseen if this share of the shadow lacks a downward surface.
_UNSEEN = 0.5
_CELLS = 60
_COLUMN = 12


@dataclass(frozen=True, eq=False)
class Coverage:
    """
    *area* of the surface seen; *net* (3,) its net normal, in the same unit squared, None where normals are unknown;
    *loops* and *rim* the number and the total length of open boundaries, None for a cloud, which has none to count.
    """

    area: float
    net: Floats | None
    loops: int | None
    rim: float | None

    @property
    def fraction(self) -> float:
        """Length of the net normal over the area, nan where unknown."""
        return math.nan if self.net is None or not self.area > 0 else float(np.linalg.norm(self.net)) / self.area


def coverage(scan: Points) -> Coverage:
    """Return the coverage numbers that a scan gives before it has a closed surface."""
    if scan.is_mesh:
        a, b, c = np.moveaxis(scan.points[scan.faces], 1, 0)
        cross = np.cross(b - a, c - a) / 2
        rims = open_edges(scan)
        rim = float(np.linalg.norm(scan.points[rims[:, 0]] - scan.points[rims[:, 1]], axis=1).sum())
        return Coverage(float(np.linalg.norm(cross, axis=1).sum()), cross.sum(axis=0), _loops(rims), rim)
    area = point_areas(scan.points)
    net = (area[:, None] * scan.normals).sum(axis=0) if len(scan.normals) else None
    return Coverage(float(area.sum()), net, None, None)


def open_edges(mesh: Points) -> Ints:
    """Return the edges (k, 2) that only one face has, after equal vertices are counted as one (texture seams)."""
    _, same = np.unique(mesh.points, axis=0, return_inverse=True)
    first = np.full(int(same.max()) + 1, len(mesh.points))
    np.minimum.at(first, same.reshape(-1), np.arange(len(mesh.points)))
    faces = first[same.reshape(-1)[mesh.faces]]
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    unique, count = np.unique(edges[edges[:, 0] != edges[:, 1]], axis=0, return_counts=True)
    return np.asarray(unique[count == 1], dtype=np.int64)


def unseen_underside(scan: Points, seen: Coverage, noise: float, spacing: float) -> float:
    """
    Return the height of the plane that hid the underside, nan where the underside was seen.

    A mesh tells by an open boundary along its lowest points; a cloud with normals by the downward part of its net
    normal; a bare cloud by columns of points that hold one layer where a closed body has two.
    """
    lowest = float(scan.points[:, 2].min())
    if scan.is_mesh:
        rim = scan.points[open_edges(scan)]
        low = (rim[:, :, 2] < lowest + 0.02 * float(np.ptp(scan.points[:, 2]))).all(axis=1)
        foot = rim[low].reshape(-1, 3)[:, :2]
        wide = len(foot) >= 3 and bool((np.ptp(foot, axis=0) > _UNSEEN * np.ptp(scan.points[:, :2], axis=0)).all())
        return lowest if wide else math.nan
    shadow, single = _columns(scan.points)
    if seen.net is not None:
        if seen.fraction < NET_FLAG or seen.net[2] < _UNSEEN * shadow:
            return math.nan
    elif single < _UNSEEN:
        return math.nan
    return _foot(scan.points[:, 2], noise, spacing)


def _columns(points: Floats) -> tuple[float, float]:
    """
    Return the area of the footprint, and the share of its inner cells that hold one layer where a closed body has two.

    Cells hold a dozen points on average, so an empty layer is no accident.
    """
    from scipy.ndimage import binary_erosion

    flat, z = points[:, :2], points[:, 2]
    span = np.ptp(flat, axis=0)
    edge = max(float(span.max()) / _CELLS, math.sqrt(_COLUMN * float(np.prod(span)) / len(points)), 1e-300)
    cell = np.floor((flat - flat.min(axis=0)) / edge).astype(np.int64)
    shape = tuple(int(n) + 1 for n in cell.max(axis=0))
    column = cell[:, 0] * shape[1] + cell[:, 1]
    count = np.bincount(column, minlength=shape[0] * shape[1])
    low, high = np.full(len(count), np.inf), np.full(len(count), -np.inf)
    np.minimum.at(low, column, z)
    np.maximum.at(high, column, z)
    used = count > 0
    inner = binary_erosion(used.reshape(shape), np.ones((3, 3), dtype=bool)).reshape(-1)
    thick = np.where(used, high - low, 0.0)
    single = float((thick[inner] <= edge).mean()) if inner.any() else 0.0
    return float(used.sum()) * edge * edge, single


def _foot(z: Floats, noise: float, spacing: float) -> float:
    """
    Return the height at which walls begin.

    Above the foot of a wall, or of a ball, points lie evenly in height, and noise blurs the end of that but leaves the
    count below a height in line with it: a line through the counts meets zero at the foot.  A rounded foot that the
    scanner could not look under bends the line; then the lowest point is the better answer.
    """
    heights = np.sort(z)
    lowest, height = float(heights[0]), float(np.ptp(z))
    top = lowest + max(0.1 * height, 10 * spacing)
    start = lowest + 4 * noise
    index = np.flatnonzero((heights >= start) & (heights <= top))
    lower = int((heights[index] <= (start + top) / 2).sum())
    if len(index) < 10 or abs(lower - len(index) / 2) > 1.5 * math.sqrt(len(index)):
        return lowest
    slope, at_zero = np.polyfit(heights[index] - lowest, index + 0.5, 1)
    foot = lowest - float(at_zero / slope) if slope > 0 else lowest
    return float(np.clip(foot, lowest - spacing, lowest + 4 * noise))


def _loops(edges: Ints) -> int:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if len(edges) == 0:
        return 0
    _, ends = np.unique(edges, return_inverse=True)
    ends = ends.reshape(edges.shape)
    size = int(ends.max()) + 1
    graph = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(size, size))
    return int(connected_components(graph, directed=False)[0])
