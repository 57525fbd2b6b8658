"""
Closure as an analysis: the emitted files, parsed back, against the scan, past every pass between.

It shares no distance with the passes.  They ask Open3D's rays and certify by branch and bound; here distances come from
trees of triangles and from half-spaces, the side from plumb lines, and the shapes from the text and bytes of the files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar
from xml.etree.ElementTree import ParseError

import numpy as np

from r2s.compiler.direct import Directs
from r2s.compiler.ir import Asset, Bools, Floats
from r2s.compiler.protocol import Outcome
from r2s.passes.closing.fidelity import folded, moved
from r2s.passes.closing.mjcf import Emitted, emitted
from r2s.passes.closing.scans import Places, places
from r2s.passes.closing.shape import Shape, radius_for, radius_of
from r2s.passes.closing.solids import Solid
from r2s.passes.closing.statistics import NOTHING, described
from r2s.passes.closing.triangles import Nearest
from r2s.passes.closing.union import Union


@dataclass(frozen=True)
class Closure:
    """
    Measure the emitted asset against its scan, both ways.

    *left_out* is the distance, in the scan's metres, beyond which a vertex of a mesh belongs to what the surface left
    out on purpose; 0 where nothing was.
    """

    name: ClassVar[str] = "closure"
    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy", "scipy")

    left_out: float = 0.0

    def run(self, source: Asset, /) -> Outcome[Directs]:
        """Return the direct distances; files that cannot be read back are a fault in the result."""
        try:
            geoms = emitted(source.xml, dict(source.files()))
            solids = tuple(Solid.of(geom) for geom in geoms)
        except (ValueError, KeyError, ParseError) as error:
            return Outcome(_unread(source, " ".join(str(error).split())))
        if not geoms:
            return Outcome(_unread(source, "no geom can touch"))
        return Outcome(_measured(source, geoms, Union(solids), self.left_out))


def _measured(source: Asset, geoms: tuple[Emitted, ...], union: Union, cutoff: float) -> Directs:
    surface, scan = source.hulls.surface.first, source.hulls.surface.scan
    turn, shift = source.to_asset[:3, :3], source.to_asset[:3, 3]
    closed = surface.triangles @ turn.T + shift
    shape = Shape(closed)
    factor = float(np.cbrt(np.linalg.det(turn)))
    seen = places(scan.points @ turn.T + shift, scan.faces, shape, cutoff * factor)
    size = radius_of(union.area)
    outside = union.outside(seen.points, size)

    exposed = union.exposed(size)
    spots, areas = exposed.samples.points[exposed.open], exposed.samples.areas[exposed.open]
    sided = shape.sided(spots)
    observed = surface.observed[sided.face]
    reference, signed = "surface", sided.signed
    if scan.is_mesh:
        reference, signed = "scan", _to_faces(seen, spots, sided.signed, observed)
    far, far_name = moved(source.hulls.pieces, source.to_asset, geoms)
    deep, deep_name = folded(geoms, union.solids)
    return Directs(
        pieces=len(source.hulls.pieces),
        emitted=len(geoms),
        diagonal=union.diagonal,
        forward=described(seen.points, outside, seen.areas, seen.reach),
        backward=described(spots, signed, areas, exposed.samples.reach),
        reference=reference,
        within=float(seen.areas[outside <= 0].sum() / seen.areas.sum()),
        left_out=seen.left_out,
        hidden=float(1 - areas.sum() / exposed.samples.areas.sum()),
        unobserved=float(areas[~observed].sum() / areas.sum()),
        unsupported=np.nan if scan.is_mesh else _unsupported(seen.points, spots[observed], sided.signed[observed]),
        moved=far,
        moved_name=far_name,
        folded=deep,
        folded_name=deep_name,
    )


def _to_faces(seen: Places, spots: Floats, signed: Floats, observed: Bools) -> Floats:
    """Return *signed* with, where the scan supports a place outside, the distance to the scan's own faces instead."""
    asked = observed & (signed > 0)
    found = signed.copy()
    if asked.any() and len(seen.faces):
        found[asked] = Nearest(seen.faces, radius_for(seen.faces)).distance(spots[asked])[0]
    return found


def _unsupported(points: Floats, spots: Floats, signed: Floats) -> float:
    """
    Return how far a place of the closed surface that counts as observed must lie from every scan point, m.

    The place is the one nearest to a spot, *signed* away from it; by the triangle inequality no point is nearer to it
    than to the spot less that way.
    """
    from scipy.spatial import cKDTree

    if len(spots) == 0:
        return 0.0
    return float((cKDTree(points).query(spots)[0] - np.abs(signed)).max())


def _unread(source: Asset, why: str) -> Directs:
    pieces = len(source.hulls.pieces)
    return Directs(pieces, 0, 0.0, NOTHING, NOTHING, "", 0.0, 0, 0.0, 0.0, np.nan, 0.0, "", 0.0, "", why)
