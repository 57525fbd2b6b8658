"""What looks odd about a finished surface: it stands out beyond its points, or it is several bodies."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from r2s.compiler.errors import Diagnostic
from r2s.compiler.ir import Surface
from r2s.compiler.units import format_length
from r2s.passes.meshes.edges import shells_of, volume

_GROWN = 0.02  # of the diagonal, by which a width may exceed that of the points before it is worth a warning


def doubts(surface: Surface) -> Iterator[Diagnostic]:
    """Yield a warning where *surface* is clearly larger than its points, and a note where it is not one body."""
    points = np.ptp(surface.scan.points, axis=0)
    grown = np.ptp(surface.vertices, axis=0) - points
    axis = int(grown.argmax())
    if grown[axis] > _GROWN * float(np.linalg.norm(points)):
        width = format_length(float(points[axis]))
        yield Diagnostic(
            "warning",
            "R2S433",
            f"the surface is {format_length(float(grown[axis]))} wider in {'xyz'[axis]} than its points ({width}), "
            f"which lie {format_length(surface.scan.spacing)} apart: too sparse for a shape with edges",
            "scan more densely; the bound from asset to scan says how far it can stand out",
        )
    # bodies that meet in a point or an edge were one mesh there, and are one object
    places, at = np.unique(surface.vertices, axis=0, return_inverse=True)
    count, label = shells_of(at.reshape(-1)[surface.faces], len(places))
    sizes = sorted((volume(surface.vertices, surface.faces[label == i]) for i in range(count)), reverse=True)
    bodies = [size for size in sizes if size > 0]
    if len(bodies) > 1:
        share = 100 * bodies[1] / bodies[0]
        yield Diagnostic(
            "note",
            "R2S434",
            f"the surface is {len(bodies)} separate bodies (the second has {share:.3g} % of the first's volume); "
            "they become one rigid body",
            "if they are separate objects, cut the scan and compile each by itself",
        )
