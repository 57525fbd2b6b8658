"""
What the virtual caliper measures: one stage of the chain, seen as points spread over its surface.

A stage is a cloud, a mesh or a set of convex pieces.  The rules of the caliper are the same for all, so each is turned
into samples: points with an area, a normal and the scatter that a fit must expect of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from r2s.compiler.ir import Floats, Ints, Piece, floats, ints
from r2s.passes.caliper.local import normals_of, roughness, spacing_of
from r2s.passes.caliper.solids import hidden, support, triangles_of

_SAMPLES = 16_000  # a face of a cube then holds 2,700: enough for planes and for the area under them
_CLOUD = 60_000  # a larger cloud is thinned: neighbours would cost seconds and gain nothing


@dataclass(frozen=True, eq=False)
class Stage:
    """
    Geometry to be measured, in metres, or in the file's own numbers while the unit is unknown.

    points  (n, 3) cloud points, or vertices
    faces   (m, 3), or (0, 3) for a cloud
    noise   standard deviation of a point along the normal; 0 where the stage itself adds none (surface, pieces, model)
    spacing median distance to the nearest neighbour; 0 for meshes
    floor   resolution floor: smaller features are refused
    kind    ``points``, ``mesh`` or ``pieces`` (all pieces one after the other; they may overlap)
    pieces  the convex pieces themselves, so that round ones are measured by their formula
    normals (n, 3) unit outward normals that came with a cloud, or (0, 3)
    unit    what the numbers are: ``m``, or empty while nobody knows
    """

    points: Floats
    faces: Ints
    noise: float
    spacing: float
    floor: float
    kind: str
    pieces: tuple[Piece, ...] = ()
    normals: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    unit: str = "m"

    def said(self, length: float) -> str:
        """Return *length* in words: millimetres, or the file's own numbers."""
        return f"{length * 1e3:.3g} mm" if self.unit == "m" else f"{length:.3g} of the file's numbers"


@dataclass(frozen=True, eq=False)
class Samples:
    """
    Points spread over a stage's surface.

    points  (n, 3), weights (n,) area of each, normals (n, 3) unit, outward where *oriented*
    corners (k, 3) the points that can be outermost: the vertices of a mesh, the points of a cloud
    sigma   scatter of one corner about the smooth surface; 0 for exact geometry
    patch   how many neighbouring samples share their error: 1 for a cloud, more for a mesh, whose error is smooth
    spacing typical distance between corners; size: the diagonal of the box around them
    """

    points: Floats
    weights: Floats
    normals: Floats
    oriented: bool
    corners: Floats
    sigma: float
    patch: float
    spacing: float
    size: float


def stage_of_pieces(pieces: tuple[Piece, ...]) -> Stage:
    """Return the stage of convex pieces; spheres and capsules are faceted for sections and stay exact for widths."""
    meshes = [triangles_of(piece) for piece in pieces]
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in meshes)])
    points = np.concatenate([vertices for vertices, _ in meshes])
    faces = np.concatenate([f + start for (_, f), start in zip(meshes, starts, strict=False)])
    return Stage(floats(points), ints(faces), 0.0, 0.0, 0.0, "pieces", pieces)


def support_of(stage: Stage, direction: Floats) -> float:
    """Return how far the stage reaches along the unit *direction*, exactly as its geometry says."""
    if stage.pieces:
        return max(support(piece, direction) for piece in stage.pieces)
    return float((stage.points @ direction).max())


@lru_cache(maxsize=4)  # a stage is measured many times; stages are hashed by identity
def samples_of(stage: Stage) -> Samples:
    """Return the stage's samples, the same for the same stage."""
    return _of_cloud(stage) if len(stage.faces) == 0 else _of_mesh(stage)


def _of_cloud(stage: Stage) -> Samples:
    points = thinned(stage.points, _CLOUD)
    spacing = stage.spacing if stage.spacing > 0 else spacing_of(points)
    spacing *= np.sqrt(len(stage.points) / len(points))
    sigma = stage.noise if stage.noise > 0 else roughness(points, None)
    normals = normals_of(points, sigma, spacing)
    area = np.full(len(points), 4 * spacing**2)  # of uniform points, the nearest neighbour is at 0.5/√density
    return Samples(points, area, normals, False, points, sigma, 1.0, spacing, _diagonal(points))


def _of_mesh(stage: Stage) -> Samples:
    points, normals, weights = spread(stage.points, stage.faces, _SAMPLES)
    if len(stage.pieces) > 1:
        seen = ~hidden(points, stage.pieces)
        points, normals, weights = points[seen], normals[seen], weights[seen]
    used = stage.points[np.unique(stage.faces)]
    edge = float(np.median(np.linalg.norm(stage.points[stage.faces[:, 0]] - stage.points[stage.faces[:, 1]], axis=1)))
    sigma = 0.0 if stage.kind == "pieces" else max(stage.noise, roughness(stage.points, stage.faces))
    per_corner = max(len(points) / len(used), 1.0)
    return Samples(points, weights, normals, True, used, sigma, 24 * per_corner, edge, _diagonal(used))


def spread(vertices: Floats, faces: Ints, count: int) -> tuple[Floats, Floats, Floats]:
    """
    Return about *count* points, normals and areas, evenly spread over the faces whatever the mesh's density.

    A face is cut into k² equal parts, with k from its area; a sample is a part's centroid, so nothing is random.
    """
    units, areas = face_normals(vertices, faces)
    real = areas > 1e-12 * max(float(areas.max(initial=0.0)), 1e-300)
    (a, b, c), units, areas = np.moveaxis(vertices[faces[real]], 1, 0), units[real], areas[real]
    parts = np.maximum(np.rint(np.sqrt(areas / areas.sum() * count)), 1).astype(np.int64)
    points, normals, weights = [], [], []
    for k in np.unique(parts):
        chosen = parts == k
        where = _lattice(int(k))
        points.append(np.einsum("sj,jfi->fsi", where, np.stack([a[chosen], b[chosen], c[chosen]])).reshape(-1, 3))
        normals.append(np.repeat(units[chosen], k * k, axis=0))
        weights.append(np.repeat(areas[chosen] / (k * k), k * k))
    return np.concatenate(points), np.concatenate(normals), np.concatenate(weights)


def face_normals(vertices: Floats, faces: Ints) -> tuple[Floats, Floats]:
    """Return unit normals (m, 3), outward on the whole, and areas (m,); some files wind all faces the other way."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    cross = np.cross(b - a, c - a)
    twice = np.linalg.norm(cross, axis=1)
    outward = float(np.einsum("ij,ij->", (a + b + c) / 3 - vertices.mean(axis=0), cross)) >= 0
    return (cross if outward else -cross) / np.maximum(twice, 1e-300)[:, None], twice / 2


def thinned(points: Floats, count: int) -> Floats:
    """Return at most *count* of the points, drawn with a fixed seed: a stride would beat with scan lines."""
    if len(points) <= count:
        return points
    return points[np.sort(np.random.default_rng(20_240_229).permutation(len(points))[:count])]


def _lattice(k: int) -> Floats:
    """(k², 3) barycentric coordinates of the centroids of a triangle's k² equal parts."""
    i, j = np.meshgrid(np.arange(k), np.arange(k), indexing="ij")
    upright = i + j < k
    inverted = i + j < k - 1
    low = np.stack([3 * i[upright] + 1, 3 * j[upright] + 1], axis=1)
    high = np.stack([3 * i[inverted] + 2, 3 * j[inverted] + 2], axis=1)
    where = np.concatenate([low, high]) / (3 * k)
    return np.column_stack([where, 1 - where.sum(axis=1)])


def _diagonal(points: Floats) -> float:
    return float(np.linalg.norm(np.ptp(points, axis=0)))
