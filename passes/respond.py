"""The closed surface as a solid: what each error of the scan would do to its volume, centre of mass and moments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from r2s.compiler.ir import Asset, Floats, Hulls, Surface
from r2s.compiler.measured import VIEWS
from r2s.compiler.protocol import Outcome
from r2s.compiler.responses import COLUMNS, DRIFTS, OFFSET, SCALE, UNSEEN, SolidResponse
from r2s.compiler.uncertainty.geometry import Response, Solid
from r2s.passes.caliper.response import view_of
from r2s.passes.caliper.seen import jaw_on_scan

_TOUCHING = 1e-3  # of the diagonal: what lies no higher than that above the floor touches it, or more where noise is


@dataclass(frozen=True)
class Respond:
    """
    Derivatives of the last surface before the pieces; *origin* is that of the asset's frame, as for emit.

    The asset's frame moves with the errors: the base of an object whose underside was seen too low lies too low.
    """

    name: ClassVar[str] = "respond"
    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy",)

    origin: str = "base"

    def run(self, source: Surface | Hulls | Asset, /) -> Outcome[SolidResponse]:
        """Return the derivatives, in the scan's frame."""
        surface = _surface(source)
        solid = Solid(surface.vertices, surface.faces)
        felt = _responses(solid, surface)
        origin, moved = self._origin(surface, solid)
        com = felt.com - moved
        return Outcome(
            SolidResponse(
                volume=solid.volume,
                area=solid.area,
                com=_row(solid.com - origin),
                second=_row(solid.second.ravel()),
                d_volume=_row(felt.volume),
                d_com=tuple(_row(r) for r in com),
                d_second=tuple(_row(r.ravel()) for r in felt.second),
                span=_row(_span(surface)),
            )
        )

    def _origin(self, surface: Surface, solid: Solid) -> tuple[Floats, Floats]:
        """Return the origin (3,) of the asset's frame, and how each column moves it, (k, 3)."""
        low, high = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
        if self.origin == "com":
            return solid.com, _responses(solid, surface).com
        if self.origin == "scan":
            origin = np.asarray(surface.scan.from_source[:3, 3])
            return origin, _columns({SCALE: origin, DRIFTS[0]: origin * (1, 0, 0), DRIFTS[1]: origin * (0, 1, 0)})
        origin = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
        by = {SCALE: origin, DRIFTS[0]: origin * (1, 0, 0), DRIFTS[1]: origin * (0, 1, 0)}
        half = 0.5 * np.eye(3)
        by |= {"+x": half[0], "-x": -half[0], "+y": half[1], "-y": -half[1]}
        seen = jaw_on_scan(surface, np.array([0.0, 0.0, -1.0]))
        by["-z" if seen else UNSEEN] = np.array([0.0, 0.0, -1.0])
        by[OFFSET] = np.array([0.0, 0.0, -1.0 if seen else 0.0])
        return origin, _columns(by)


def _surface(source: Surface | Hulls | Asset) -> Surface:
    match source:
        case Surface():
            return source
        case Hulls():
            return source.surface
        case Asset():
            return source.hulls.surface


def _responses(solid: Solid, surface: Surface) -> Response:
    """Return the responses to all of ``COLUMNS``, in order."""
    a, b, c = np.moveaxis(surface.triangles, 1, 0)
    labels = np.where(surface.observed, view_of(np.cross(b - a, c - a)), len(VIEWS))
    patches = solid.patches(labels, len(VIEWS) + 1)
    parts = [solid.scale(), *(solid.stretch(np.diag(axis)) for axis in np.eye(3)[:2])]
    parts.append(solid.field(np.repeat(surface.observed[:, None], 3, axis=1).astype(np.float64)))
    return Response.joined([*parts, patches])


def _columns(by: dict[str, Floats]) -> Floats:
    return np.array([by.get(name, np.zeros(3)) for name in COLUMNS])


def _span(surface: Surface) -> Floats:
    """Return how far what touches the floor reaches along x and y."""
    height = surface.vertices[:, 2] - surface.vertices[:, 2].min()
    touching = surface.vertices[height <= max(3 * surface.scan.noise, _TOUCHING * surface.diagonal)]
    return np.asarray(np.ptp(touching[:, :2], axis=0))


def _row(values: Floats) -> tuple[float, ...]:
    return tuple(float(v) for v in values)
