"""
Collision pieces as solids: their surface, their volume, how far points lie outside, and their union.

Boxes are meshes exactly.  Spheres and capsules are measured by formula where a formula exists; where a mesh is needed
they are inscribed polyhedra, and ``sagitta`` says how far the round surface stands out from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from r2s.compiler.ir import Floats, Ints, Piece, floats, ints
from r2s.passes.convex import boolean as _boolean
from r2s.passes.convex.hulls import Hull, hull
from r2s.passes.shapes.distance import Solid

_RINGS = 96  # facets round a sphere or capsule: its sagitta is 5e-4 of the radius


def mesh_piece(shape: Hull) -> Piece:
    """Return a hull as a mesh piece."""
    return Piece(
        "mesh", floats(shape.vertices), ints(shape.faces), floats(np.zeros(3)), floats(np.eye(3)), floats(np.zeros(3))
    )


def round_piece(kind: str, center: Floats, rotation: Floats, size: tuple[float, float, float]) -> Piece:
    """Return a box, sphere or capsule; see :class:`Piece` for the meaning of *size*."""
    if kind not in ("box", "sphere", "capsule"):
        raise ValueError(f"no such primitive: {kind}")
    nothing = floats(np.zeros((0, 3))), ints(np.zeros((0, 3)))
    return Piece(kind, *nothing, floats(center), floats(rotation), floats(size))  # type: ignore[arg-type]  # checked above


def volume(piece: Piece) -> float:
    """Return the volume of a piece, m³, by formula where it is no mesh."""
    x, y, z = (float(s) for s in piece.size)
    if piece.kind == "box":
        return 8 * x * y * z
    if piece.kind == "sphere":
        return 4 / 3 * np.pi * x**3
    if piece.kind == "capsule":
        return np.pi * x**2 * (2 * y + 4 / 3 * x)
    a, b, c = np.moveaxis((piece.vertices - piece.vertices.mean(axis=0))[piece.faces], 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def tessellate(piece: Piece) -> tuple[Hull, float]:
    """Return a polyhedron inside *piece* and the sagitta, m: no point of the piece's surface is further from it."""
    if piece.kind == "mesh":
        return _solid(hull(piece.vertices)), 0.0
    local, sagitta = _local(piece)
    return _solid(hull(local @ piece.rotation.T + piece.center)), sagitta


def outside(piece: Piece, points: Floats) -> Floats:
    """Return the distance from each of *points* (k, 3) to a box, sphere or capsule, m, 0 inside; exact."""
    local = (points - piece.center) @ piece.rotation
    if piece.kind == "box":
        return np.asarray(np.linalg.norm(np.maximum(np.abs(local) - piece.size, 0), axis=1))
    if piece.kind == "capsule":
        local = local - np.outer(local[:, 2].clip(-piece.size[1], piece.size[1]), [0, 0, 1])
    return np.asarray(np.maximum(np.linalg.norm(local, axis=1) - piece.size[0], 0))


@dataclass(frozen=True, eq=False)
class Union:
    """The union of pieces: what a contact sees of them."""

    pieces: tuple[Piece, ...]

    @cached_property
    def hulls(self) -> tuple[Hull, ...]:
        """A polyhedron for each piece, inscribed where the piece is round."""
        return tuple(shape for shape, _ in self._shapes)

    @cached_property
    def slack(self) -> float:
        """How far the true surface may lie from ``mesh``, m: the largest sagitta and the rounding of the union."""
        return max(sagitta for _, sagitta in self._shapes) + _boolean.rounding(self._solid)

    @cached_property
    def mesh(self) -> tuple[Floats, Ints]:
        """Vertices and faces of the exposed surface: faces between pieces are gone."""
        vertices, faces = _boolean.mesh(self._solid)
        return vertices + self._origin, faces

    @cached_property
    def volume(self) -> float:
        """Volume of the union, m³; overlaps count once."""
        return volume(self.pieces[0]) if len(self.pieces) == 1 else float(self._solid.volume())

    @cached_property
    def total(self) -> float:
        """Sum of the pieces' volumes, m³; overlaps count as often as there are pieces."""
        return float(sum(volume(piece) for piece in self.pieces))

    def distance(self, points: Floats) -> Floats:
        """
        Return the distance from each of *points* (k, 3) to the union, m, 0 inside.

        Exact for boxes, spheres and capsules, never below the true one for meshes.
        """
        best = np.full(len(points), np.inf)
        for piece, shape in zip(self.pieces, self.hulls, strict=True):
            if piece.kind != "mesh":
                best = np.minimum(best, outside(piece, points))
                continue
            within = np.flatnonzero(((points >= shape.box[0]) & (points <= shape.box[1])).all(axis=1))
            best[within[shape.excess(points[within]) <= 0]] = 0.0
        if self._skin is not None:
            out = best > 0
            best[out] = np.minimum(best[out], self._skin.unsigned(points[out]))
        return best

    def signed(self, points: Floats) -> Floats:
        """Return the distance from each of *points* (k, 3) to the union's surface, m, negative inside."""
        distance = self.distance(points)
        within = distance <= 0
        distance[within] = -self.exposed.unsigned(points[within])
        return distance

    def covered(self, triangles: Floats, within: float) -> Floats:
        """
        Return for each of *triangles* (k, 3, 3) a bound of its distance to the union, m; inf where none is cheap.

        The distance to one convex piece is largest at a corner, so a triangle whose corners lie within a hair
        (*within*, m) of the same piece is bounded by them, exactly.
        """
        corners = triangles.reshape(-1, 3)
        best = np.full(len(triangles), np.inf)
        for piece, shape, solid in zip(self.pieces, self.hulls, self._solids, strict=True):
            if piece.kind != "mesh":
                best = np.minimum(best, outside(piece, corners).reshape(-1, 3).max(axis=1))
                continue
            low, high = shape.box[0] - within, shape.box[1] + within
            near = np.flatnonzero(((triangles >= low) & (triangles <= high)).all(axis=(1, 2)))
            excess = shape.excess(triangles[near].reshape(-1, 3)).reshape(-1, 3)
            some = excess.max(axis=1) <= within
            near, beyond = near[some], excess[some] > 0
            bound = np.zeros((len(near), 3))
            bound[beyond] = solid.unsigned(triangles[near][beyond])
            best[near] = np.minimum(best[near], bound.max(axis=1))
        return best

    @cached_property
    def exposed(self) -> Solid:
        """The exposed surface, for distances."""
        return Solid(*self.mesh)

    @cached_property
    def _skin(self) -> Solid | None:
        """All faces of all mesh pieces: outside every piece, the nearest of them is the nearest of the union."""
        shapes = [h for piece, h in zip(self.pieces, self.hulls, strict=True) if piece.kind == "mesh"]
        if not shapes:
            return None
        starts = np.cumsum([0, *(len(h.vertices) for h in shapes[:-1])])
        faces = [h.faces + start for h, start in zip(shapes, starts, strict=True)]
        return Solid(np.concatenate([h.vertices for h in shapes]), np.concatenate(faces))

    @cached_property
    def _shapes(self) -> tuple[tuple[Hull, float], ...]:
        return tuple(tessellate(piece) for piece in self.pieces)

    @cached_property
    def _solids(self) -> tuple[Solid, ...]:
        return tuple(Solid(shape.vertices, shape.faces) for shape in self.hulls)

    @cached_property
    def _origin(self) -> Floats:
        return np.asarray(self.hulls[0].vertices.mean(axis=0))

    @cached_property
    def _solid(self) -> _boolean.Manifold:
        return _boolean.union([_boolean.manifold(h.vertices - self._origin, h.faces) for h in self.hulls])


def _local(piece: Piece) -> tuple[Floats, float]:
    """Return the vertices of the inscribed polyhedron in the piece's own frame, and its sagitta."""
    if piece.kind == "box":
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
        return corners * piece.size, 0.0
    radius, half = float(piece.size[0]), float(piece.size[1])
    turn = 2 * np.pi * np.arange(_RINGS) / _RINGS
    rise = np.pi * (np.arange(_RINGS // 2 + 1) / (_RINGS // 2) - 0.5)
    ring = np.column_stack([np.cos(turn), np.sin(turn)])
    layers = [np.column_stack([np.cos(t) * ring, np.full(_RINGS, np.sin(t))]) for t in rise[1:-1]]
    poles = np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]])
    unit = np.vstack([*layers, poles])
    lifts = [unit * radius + [0, 0, s * half] for s in (-1, 1)] if half > 0 else [unit * radius]
    # A facet spans at most one step of turn and of rise; the corner of that patch is the furthest from its middle.
    return np.vstack(lifts), radius * (1 - np.cos(np.pi / _RINGS) ** 2)


def _solid(shape: Hull | None) -> Hull:
    if shape is None:
        raise ValueError("a piece is flat")
    return shape
