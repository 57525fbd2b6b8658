"""How far each vertex of a stage lies from the shape that it should match, for whoever looks at a dump."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from r2s.compiler.drawn import drawn
from r2s.compiler.errors import InternalError
from r2s.compiler.ir import Floats, Hulls, Scan, Surface, floats
from r2s.compiler.packed import pack
from r2s.compiler.protocol import Outcome
from r2s.passes.shapes.distance import Solid


@dataclass(frozen=True)
class Distances:
    """
    Distances of the vertices of *stage*, m, in the frame of the passes.

    ``scan``: points to the closed surface; ``surface``: vertices to the scan, always positive; ``simplified``: vertices
    to the surface before; ``pieces``: vertices as they are drawn to that surface.  Positive is outside.
    The answer is text: see :func:`r2s.compiler.packed.pack`.
    """

    name: ClassVar[str] = "distances"
    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy", "open3d-cpu", "scipy")

    stage: str

    def run(self, source: Surface | Hulls, /) -> Outcome[str]:
        """Return one distance a vertex, in the order in which the stage is written."""
        return Outcome(pack(self._distances(source)))

    def _distances(self, source: Surface | Hulls) -> Floats:
        surface = source.surface if isinstance(source, Hulls) else source
        first = surface.first
        match self.stage, source:
            case "scan", _:
                return Solid(first.vertices, first.faces).signed(first.scan.points)
            case "surface", _:
                return _to_scan(first.vertices, first.scan)
            case "simplified", _:
                return Solid(first.vertices, first.faces).signed(surface.vertices)
            case "pieces", Hulls():
                corners = np.concatenate([drawn(piece)[0] for piece in source.pieces])
                return Solid(first.vertices, first.faces).signed(corners)
        raise InternalError("R2S904", f"no stage {self.stage!r} of a {type(source).__name__}")


def _to_scan(vertices: Floats, scan: Scan) -> Floats:
    if scan.is_mesh:
        return Solid(scan.points, scan.faces).unsigned(vertices)
    from scipy.spatial import cKDTree

    return floats(cKDTree(scan.points).query(vertices)[0])
