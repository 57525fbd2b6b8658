"""
From what a file says to a RawScan, alike for all formats: no mesh leaves here with a bad index or a bad vertex.

What a file holds beside its surface is left out, with a note that counts it: vertices that no face uses, and faces of
fewer than three corners.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.errors import Diagnostic, InvalidInputError
from r2s.passes.readers.polygons import triangulate
from r2s.passes.readers.raw import RawScan

NO_NORMALS = np.zeros((0, 3))
NO_FACES = np.zeros((0, 3), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Polygons:
    """
    The faces of a file, as it numbers them.

    corners  (k,) vertex indices from 0, not yet checked
    counts   (n,) how many of them each face has
    origin   0 or 1: the number that the format gives to its first vertex, for messages
    place    says where face i stands in the file, for messages
    """

    corners: NDArray[np.int64]
    counts: NDArray[np.int64]
    origin: int = 0
    place: Callable[[int], str] = field(default=lambda i: f"face {i + 1}")


def make_cloud(
    points: NDArray[np.float64],
    normals: NDArray[np.float64],
    quantum: float,
    diagnostics: tuple[Diagnostic, ...] = (),
) -> RawScan:
    """Return the cloud; normals that are all zero are none.  Raises InvalidInputError where there are no points."""
    _refuse_nothing(points)
    return RawScan(points, _meant(normals), NO_FACES, quantum, diagnostics=diagnostics)


def make_mesh(
    points: NDArray[np.float64],
    normals: NDArray[np.float64],
    polygons: Polygons,
    quantum: float,
    diagnostics: tuple[Diagnostic, ...] = (),
    *,
    triangles: NDArray[np.int64] = NO_FACES,
) -> RawScan:
    """
    Return the mesh of *polygons* and of *triangles* (m, 3), which are indices in range already.

    A file with no face of three corners is a cloud.
    Raises InvalidInputError for an index that names no vertex, and for a vertex of the surface that is not finite.
    """
    _refuse_nothing(points)
    _refuse_bad_index(polygons, len(points))
    used = np.zeros(len(points), dtype=bool)
    surface = polygons.counts >= 3
    used[polygons.corners if surface.all() else polygons.corners[np.repeat(surface, polygons.counts)]] = True
    used[triangles] = True
    found = [*diagnostics, *_note_short_faces(int((~surface).sum()), len(surface))]
    if not used.any():
        return make_cloud(points, normals, quantum, tuple(found))
    _refuse_bad_vertex(points, used, polygons.origin)
    faces = triangulate(points, polygons.corners, polygons.counts)
    faces = np.concatenate([faces, triangles]) if len(triangles) else faces
    if used.all():
        return RawScan(points, _meant(normals), faces, quantum, diagnostics=tuple(found))
    found.append(
        Diagnostic("note", "R2S130", f"left out {(~used).sum():,} of {len(used):,} vertices, which no face uses")
    )
    kept_normals = normals[used] if len(normals) else normals
    renumbered = (np.cumsum(used) - 1)[faces]
    return RawScan(points[used], _meant(kept_normals), renumbered, quantum, diagnostics=tuple(found))


def _refuse_nothing(points: NDArray[np.float64]) -> None:
    if not len(points):
        raise InvalidInputError("R2S123", "the scan has no points (0 vertices)", hint="export the scan again")


def _refuse_bad_index(polygons: Polygons, vertices: int) -> None:
    bad = np.flatnonzero((polygons.corners < 0) | (polygons.corners >= vertices))
    if not len(bad):
        return
    face = int(np.searchsorted(np.cumsum(polygons.counts), bad[0], side="right"))
    first = polygons.origin
    raise InvalidInputError(
        "R2S126",
        f"{polygons.place(face)} names vertex {polygons.corners[bad[0]] + first}; "
        f"the file has {vertices:,} vertices, {first} to {vertices - 1 + first}",
        hint="the file is damaged; export the scan again",
    )


def _refuse_bad_vertex(points: NDArray[np.float64], used: NDArray[np.bool_], origin: int) -> None:
    bad = np.flatnonzero(used & ~np.isfinite(points).all(axis=1))
    if not len(bad):
        return
    x, y, z = points[bad[0]]
    raise InvalidInputError(
        "R2S128",
        f"vertex {bad[0] + origin} of the mesh is ({x:g}, {y:g}, {z:g}); {len(bad):,} of {len(points):,} vertices "
        "are not finite",
        hint="remove them and close the holes in the scanning app, then export again",
    )


def _note_short_faces(short: int, total: int) -> list[Diagnostic]:
    if not short:
        return []
    message = f"left out {short:,} of {total:,} faces, which have fewer than three corners"
    return [Diagnostic("warning", "R2S129", message)]


def _meant(normals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return *normals*, or none where all are zero: some exporters write the columns and never fill them."""
    return normals if normals.any() else NO_NORMALS
