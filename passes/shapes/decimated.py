"""The fewest triangles within an error: tries at a count, each checked for closure and measured both ways."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Floats, Ints
from r2s.passes.meshes.canonical import rounded
from r2s.passes.meshes.edges import closed, volume
from r2s.passes.shapes.distance import Solid, samples
from r2s.passes.shapes.farthest import Target, bounded

_TRIES = 6
_SAMPLES = 15_000
_SHARE = 0.8  # of the limit that sampled distances may reach: the largest of all points is above that of any sample
_ENOUGH = 0.55  # of the limit: nearer to it, fewer faces are not worth another try
_SLACK = 1.3  # a bound this much over the samples is cheap to prove
_FLOOR = 0.1  # of the limit: no tighter bound is asked for
_ORDER = 0.7  # distance falls about as count**-0.7 on scans
_DRIFT = 0.05  # share of the volume beyond which the shape is another one


@dataclass(frozen=True, eq=False)
class Candidate:
    """A decimated mesh and the largest sampled distances from the original to it and back, m."""

    vertices: Floats
    faces: Ints
    forward: float
    backward: float

    @property
    def error(self) -> float:
        """The larger of the two, m."""
        return max(self.forward, self.backward)


def fewest(vertices: Floats, faces: Ints, *, least: int, limit: float) -> Candidate | None:
    """
    Return the mesh with the fewest faces found whose distance is proven to stay within *limit*, m, both ways.

    The distances of the result are proven bounds.  None where no try with fewer faces is closed and near enough.
    """
    original = Target.of(vertices, faces)
    spots = np.concatenate([vertices, samples(vertices, faces, _SAMPLES)[0]])
    low, high = math.log(least), math.log(len(faces))
    guess = low + 0.6 * (high - low)
    fits: list[Candidate] = []
    for _ in range(_TRIES):
        found = _tried(vertices, faces, round(math.exp(guess)), original, spots)
        error = found.error if found else math.inf
        if found and error <= _SHARE * limit:
            fits.append(found)
            high = guess
            if error > _ENOUGH * limit:
                break
        else:
            low = guess
        if high - low < 0.1:
            break
        step = math.log(error / (0.68 * limit)) / _ORDER if 0 < error < math.inf else 0.0
        margin = 0.15 * (high - low)
        guess = min(max(guess + step, low + margin), high - margin) if step else (low + high) / 2
    for found in reversed(fits):
        proven = _proven(found, vertices, faces, original, limit)
        if proven:
            return proven
    return None


def _tried(vertices: Floats, faces: Ints, count: int, original: Target, spots: Floats) -> Candidate | None:
    """Return the mesh with about *count* faces and its sampled distances, or None if it opens or folds over."""
    new_vertices, new_faces = quadric(vertices, faces, count)
    if len(new_faces) >= len(faces) or not closed(new_faces):
        return None
    before, after = volume(vertices, faces), volume(new_vertices, new_faces)
    if after <= 0 or abs(after - before) > _DRIFT * before:
        return None
    back = np.concatenate([new_vertices, samples(new_vertices, new_faces, _SAMPLES)[0]])
    forward = float(Solid(new_vertices, new_faces).unsigned(spots).max())
    return Candidate(new_vertices, new_faces, forward, float(original.solid.unsigned(back).max()))


def _proven(found: Candidate, vertices: Floats, faces: Ints, original: Target, limit: float) -> Candidate | None:
    """Return *found* with proven distances in place of sampled ones, or None if they may pass *limit*."""
    simple = Target.of(found.vertices, found.faces)
    for within in sorted({min(limit, max(_SLACK * found.error, _FLOOR * limit)), limit}):
        # The simple mesh first: its large faces are the likelier to fail.
        backward = bounded(found.vertices, found.faces, original, within)
        forward = bounded(vertices, faces, simple, within) if backward is not None else None
        if forward is not None and backward is not None:
            return Candidate(found.vertices, found.faces, max(forward, found.forward), max(backward, found.backward))
    return None


def quadric(vertices: Floats, faces: Ints, count: int) -> tuple[Floats, Ints]:
    """Return the mesh after quadric edge collapse to *count* faces; the library may stop short of it."""
    import pymeshlab

    middle = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    extent = float(np.ptp(vertices, axis=0).max())
    meshes = pymeshlab.MeshSet(verbose=False)
    meshes.add_mesh(pymeshlab.Mesh(vertex_matrix=(vertices - middle) / extent, face_matrix=faces.astype(np.int32)))
    meshes.meshing_decimation_quadric_edge_collapse(
        targetfacenum=count, preservenormal=True, preservetopology=True, optimalplacement=True, planarquadric=False
    )
    mesh = meshes.current_mesh()
    found = np.asarray(mesh.vertex_matrix(), dtype=np.float64) * extent + middle
    # Rounded here and not later, so that what is measured is what is handed on.
    return rounded(found), np.asarray(mesh.face_matrix(), dtype=np.int64)
