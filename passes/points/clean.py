"""
From what a reader returned to points worth measuring, in the file's own numbers.

Settle and ingest both begin here, so what the calipers decided the unit on is what ingest hands on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.errors import Diagnostic, InvalidInputError
from r2s.passes.points import points as _points
from r2s.passes.points import quality as _quality
from r2s.passes.points.points import Points
from r2s.passes.points.sides import usable_normals
from r2s.passes.points.support_plane import Plane, table_of, without_table
from r2s.passes.points.thin import thinned
from r2s.passes.readers.raw import RawScan

LIMIT = 200_000
# A second part with this share of the largest one's points is another object, not its crumb.
_OBJECT = 0.2


@dataclass(frozen=True, eq=False)
class Cleaned:
    """
    Clean points in the file's numbers and what cleaning them told.

    *table* is the plane that was cut away with *cut* points, None if there was none.  *cell* is the edge of the
    thinning grid and *cells* the number of points it left, both 0 if the cloud was small enough.  *before* counts the
    points of the file, *raw_noise* is the noise before thinning.
    """

    scan: Points
    quality: _quality.Quality
    table: Plane | None
    cut: int
    cell: float
    cells: int
    before: int
    raw_noise: float
    diagnostics: tuple[Diagnostic, ...]


def clean(raw: RawScan, *, support: str = "auto", strays: str = "drop", limit: int = LIMIT) -> Cleaned:
    """
    Drop what says nothing, cut the table, thin what is too dense, and measure noise and spacing.

    Raises InvalidInputError for points that cannot make an object: too few, on a line or plane, precision lost, several
    objects on one table, or no table where *support* is ``cut``.
    """
    points = np.asarray(raw.points, dtype=np.float64).reshape(-1, 3)
    scan = Points(points, np.asarray(raw.normals, dtype=np.float64), np.asarray(raw.faces, dtype=np.int64))
    said = list(raw.diagnostics)
    scan, new = _points.without_holes(scan)
    said += new
    usable = len(scan.points)
    scan, new = _points.in_order(scan)
    said += new
    _points.refuse_lost_precision(scan.points, raw.quantum)
    _points.refuse_too_few(scan.points, usable)
    _points.refuse_flat(scan.points)

    scan, cell, raw_noise = _thin_if_dense(scan, limit)
    cells = len(scan.points) if cell > 0 else 0
    if strays == "drop":
        scan, new = _points.without_strays(scan)
        said += new
    scan, new = usable_normals(scan)
    said += new
    quality = _quality.quality(scan.points, scan.normals, scan.faces)
    whole, table = len(scan.points), None
    if support != "none":
        scan, table, quality = _cut(scan, quality, must=support == "cut", strays=strays)
    _points.refuse_flat(scan.points, quality.noise)
    cut = whole - len(scan.points)
    return Cleaned(scan, quality, table, cut, cell, cells, len(raw.points), raw_noise or quality.noise, tuple(said))


def _thin_if_dense(scan: Points, limit: int) -> tuple[Points, float, float]:
    if scan.is_mesh or len(scan.points) <= limit:
        return scan, 0.0, 0.0
    spacing, _ = _quality.neighbour_distance(scan.points)
    noise, _, _ = _quality.noise_of(scan.points)
    fewer, cell = thinned(scan, limit, spacing)
    return fewer, cell, noise


def _cut(
    scan: Points, quality: _quality.Quality, *, must: bool, strays: str
) -> tuple[Points, Plane | None, _quality.Quality]:
    drawn = scan.is_mesh and quality.dof == 0
    table = None if drawn else table_of(scan.points, quality.noise, quality.spacing)
    if table is None:
        if must:
            raise InvalidInputError(
                "R2S338",
                "no support plane was found to cut",
                hint="crop the scan so that the table reaches beyond the object on most sides, or use support=auto",
            )
        return scan, None, quality
    standing = without_table(scan, table, quality.noise)
    _points.refuse_too_few(standing.points, len(standing.points))
    if strays == "drop":
        # What is left of the table lies apart from the object; its number is part of the cut, not a warning of its own.
        standing, _ = _points.without_strays(standing)
    _refuse_several(standing)
    return standing, table, _quality.quality(standing.points, standing.normals, standing.faces)


def _refuse_several(scan: Points) -> None:
    sizes = np.bincount(_points.clusters(scan.points))
    like = int((sizes >= _OBJECT * sizes[0]).sum())
    if like > 1:
        raise InvalidInputError(
            "R2S329", f"{like} separate objects of like size stand on the table", hint="crop the scan to one of them"
        )
