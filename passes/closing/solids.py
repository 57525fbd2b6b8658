"""
One emitted geom as a solid: all points within a radius of the hull of a few points, which a mesh, a box, a sphere and a
capsule all are.  The hull is taken of the emitted vertices themselves, since that is what a simulator collides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Floats
from r2s.passes.closing.mjcf import Emitted
from r2s.passes.closing.triangles import cut

_CELLS = 1 << 21  # numbers in memory at once


@dataclass(frozen=True, eq=False)
class Samples:
    """Points (k, 3) on a surface, its outward *normals*, the *areas* m² they stand for; none is over *reach* m away."""

    points: Floats
    normals: Floats
    areas: Floats
    reach: float


@dataclass(frozen=True, eq=False)
class Solid:
    """
    A polytope or a round body, m.

    *core* and *radius* are as in :class:`Emitted`.  *planes* (p, 4) hold unit outward normals n and offsets d with
    n . x + d <= 0 inside, *triangles* (f, 3, 3) the polytope's boundary; a round body has none of either.
    """

    core: Floats
    radius: float
    planes: Floats
    triangles: Floats

    @classmethod
    def of(cls, geom: Emitted) -> Solid:
        """Return *geom* as a solid; raise ValueError where its points span no volume."""
        if geom.radius > 0:
            return cls(geom.core, geom.radius, np.zeros((0, 4)), np.zeros((0, 3, 3)))
        from scipy.spatial import ConvexHull, QhullError

        center = geom.core.mean(axis=0)
        size = float(np.abs(geom.core - center).max(initial=0.0))
        try:
            made = ConvexHull((geom.core - center) / (size or 1.0))
        except (QhullError, ValueError):
            raise ValueError(f"geom {geom.name} spans no volume") from None
        normals, offsets = made.equations[:, :3], made.equations[:, 3] * size
        corners = geom.core[made.simplices]
        facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        back = (facing * normals).sum(axis=1) < 0
        corners[back] = corners[back][:, ::-1]
        flat = np.unique(np.column_stack([normals, offsets - normals @ center]), axis=0)
        return cls(geom.core, 0.0, flat, corners)

    @property
    def box(self) -> tuple[Floats, Floats]:
        """Lowest and highest corner of the axis-aligned box, m."""
        return self.core.min(axis=0) - self.radius, self.core.max(axis=0) + self.radius

    @property
    def volume(self) -> float:
        """Volume of the polytope, m³; 0 for a round body."""
        a, b, c = np.moveaxis(self.triangles - self.core.mean(axis=0), 1, 0)
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)

    def level(self, points: Floats) -> Floats:
        """
        Return for each of *points* (k, 3) how far it lies outside, m, negative inside.

        Exact for a round body and inside a polytope; outside a polytope the height over its worst face, which is at
        most the distance.
        """
        if self.radius > 0:
            return self.away(points)
        found = np.zeros(len(points))
        step = max(_CELLS // len(self.planes), 1)
        for start in range(0, len(points), step):
            some = slice(start, start + step)
            found[some] = (points[some] @ self.planes[:, :3].T + self.planes[:, 3]).max(axis=1)
        return found

    def away(self, points: Floats) -> Floats:
        """Return the signed distance (k,) of *points* (k, 3) from a round body, m."""
        start, along = self.core[0], self.core[-1] - self.core[0]
        length = float(along @ along)
        share = ((points - start) @ along / length).clip(0, 1) if length > 0 else np.zeros(len(points))
        return np.asarray(np.linalg.norm(points - start - share[:, None] * along, axis=1) - self.radius)

    def samples(self, radius: float) -> Samples:
        """Return points over the whole surface, none of it further than about *radius* m from one."""
        if self.radius > 0:
            return self._round(radius)
        parts = cut(self.triangles, radius)
        a, b, c = np.moveaxis(self.triangles, 1, 0)
        normals = np.cross(b - a, c - a)
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
        return Samples(parts.centers, normals[parts.parent], parts.areas, parts.reach)

    def _round(self, radius: float) -> Samples:
        """Cells of turn and rise over two half spheres, and of turn and height over the flank between them."""
        axis = self.core[-1] - self.core[0]
        half = float(np.linalg.norm(axis)) / 2
        frame = _frame(axis / (2 * half) if half > 0 else np.array([0.0, 0.0, 1.0]))
        rings = 2 * max(int(np.ceil(np.pi * self.radius / radius / np.sqrt(2) / 2)), 3)  # even: none on the equator
        normals, areas = _sphere(rings)
        points = self.radius * normals + np.sign(normals[:, 2:]) * [0, 0, half]
        areas = self.radius**2 * areas
        rows = int(np.ceil(half / (self.radius * np.pi / (2 * rings))))
        if rows:
            flank, heights = _flank(2 * rings, rows)
            cell = 2 * half / rows * np.pi * self.radius / rings
            points = np.concatenate([points, self.radius * flank + half * heights[:, None] * [0, 0, 1]])
            normals, areas = np.concatenate([normals, flank]), np.concatenate([areas, np.full(len(flank), cell)])
        center = (self.core[0] + self.core[-1]) / 2
        # Half a cell is this long along the equator and no longer along anything else.
        reach = float(np.sqrt(2) * self.radius * np.pi / (2 * rings))
        return Samples(points @ frame.T + center, normals @ frame.T, areas, reach)


def _sphere(rings: int) -> tuple[Floats, Floats]:
    """Return the middles (k, 3) of the cells of a unit sphere, twice as many round it as *rings*, and their areas."""
    edges = np.pi * (np.arange(rings + 1) / rings - 0.5)
    rise, turn = _grid((edges[1:] + edges[:-1]) / 2, np.pi * np.arange(2 * rings) / rings)
    normals = np.column_stack([np.cos(rise) * np.cos(turn), np.cos(rise) * np.sin(turn), np.sin(rise)])
    return normals, np.repeat(np.diff(np.sin(edges)) * np.pi / rings, 2 * rings)


def _flank(around: int, rows: int) -> tuple[Floats, Floats]:
    """Return normals (k, 3) of a cylinder along z and heights (k,) from -1 to 1, the middles of its cells."""
    height, turn = _grid((2 * np.arange(rows) + 1) / rows - 1, 2 * np.pi * np.arange(around) / around)
    return np.column_stack([np.cos(turn), np.sin(turn), np.zeros(len(turn))]), height


def _grid(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    first, second = np.meshgrid(one, other, indexing="ij")
    return first.reshape(-1), second.reshape(-1)


def _frame(axis: Floats) -> Floats:
    """Return a rotation (3, 3) whose last column is the unit *axis*."""
    other = np.eye(3)[int(np.abs(axis).argmin())]
    first = np.cross(other, axis)
    first /= np.linalg.norm(first)
    return np.column_stack([first, np.cross(axis, first), axis])
