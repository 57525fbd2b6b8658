"""The closed surface as a solid: what each error of the scan would do to its volume, centre of mass and moments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from r2s.compiler.ir import Asset, Floats, Hulls, Ints, Surface
from r2s.compiler.measured import VIEWS
from r2s.compiler.protocol import Outcome
from r2s.compiler.responses import COLUMNS, DRIFTS, OFFSET, SCALE, UNSEEN, SolidResponse
from r2s.compiler.uncertainty.geometry import Response, Solid
from r2s.passes.caliper.response import view_of

_TOUCHING = 1e-3  # of the diagonal: what lies no higher than that above the floor touches it, or more where noise is
_ALIKE = 0.1  # of the largest eigenvalue: normals that differ less, by some 30 degrees, differ by noise or rounding


@dataclass(frozen=True)
class Respond:
    """
    Derivatives of the closed surface, before it is simplified; *origin* is that of the asset's frame, as for emit.

    The asset's frame moves with the errors: the base of an object whose underside was seen too low lies too low.
    """

    name: ClassVar[str] = "respond"
    version: ClassVar[int] = 2
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
        for axis, sides in enumerate([(0.5, 0.5), (0.5, 0.5), (0.0, 1.0)]):  # the middle of two, and the lower one
            for side, share in zip((1.0, -1.0), sides, strict=True):
                for column, reach in _outermost(surface, side * np.eye(3)[axis]).items():
                    by[column] = by.get(column, np.zeros(3)) + side * share * reach * np.eye(3)[axis]
        return origin, _columns(by)


def _surface(source: Surface | Hulls | Asset) -> Surface:
    match source:
        case Surface():
            return source.first
        case Hulls():
            return source.surface.first
        case Asset():
            return source.hulls.surface.first


def _responses(solid: Solid, surface: Surface) -> Response:
    """Return the responses to all of ``COLUMNS``, in order."""
    patches = solid.patches(_labels(surface), len(VIEWS) + 1)
    parts = [solid.scale(), *(solid.stretch(np.diag(axis)) for axis in np.eye(3)[:2])]
    parts.append(solid.field(np.repeat(surface.observed[:, None], 3, axis=1).astype(np.float64)))
    return Response.joined([*parts, patches])


def _labels(surface: Surface) -> Ints:
    """Return (m,) the index of each face's view, one more than the last for a face that nobody saw."""
    return np.asarray(np.where(surface.observed, view_of(_normals(surface)), len(VIEWS)))


def _normals(surface: Surface) -> Floats:
    """(m, 3) unit, outward; zero for a face without area."""
    a, b, c = np.moveaxis(surface.triangles, 1, 0)
    cross = np.cross(b - a, c - a)
    return np.asarray(cross / np.maximum(np.linalg.norm(cross, axis=1), 1e-300)[:, None])


def _outermost(surface: Surface, way: Floats) -> dict[str, float]:
    """
    Return by how much further the surface reaches along the unit *way* (3,), for each column that moves faces by one.

    A corner goes where the faces that meet there go: its step d has n·d = 1 for those that move and 0 for the others,
    the shortest where they are too much alike to tell more.  Of several outermost corners it is the mean.
    """
    normals, labels = _normals(surface), _labels(surface)
    height = surface.vertices @ way
    top = np.flatnonzero(height > height.max() - _TOUCHING * surface.diagonal)
    faces, corners = np.nonzero(np.isin(surface.faces, top))
    at = np.searchsorted(top, surface.faces[faces, corners])
    n, moves = normals[faces], np.eye(len(VIEWS) + 1)[labels[faces]]
    gram, goal = np.zeros((len(top), 3, 3)), np.zeros((len(top), 3, len(VIEWS) + 1))
    np.add.at(gram, at, n[:, :, None] * n[:, None])
    np.add.at(goal, at, n[:, :, None] * moves[:, None])
    steps = np.linalg.pinv(gram, rcond=_ALIKE, hermitian=True) @ goal
    reach = (way @ steps).mean(axis=0)
    found = dict(zip((*VIEWS, UNSEEN), map(float, reach), strict=True))
    return found | {OFFSET: float(reach[:-1].sum())}


def _columns(by: dict[str, Floats]) -> Floats:
    return np.array([by.get(name, np.zeros(3)) for name in COLUMNS])


def _span(surface: Surface) -> Floats:
    """Return how far what touches the floor reaches along x and y."""
    height = surface.vertices[:, 2] - surface.vertices[:, 2].min()
    touching = surface.vertices[height <= max(3 * surface.scan.noise, _TOUCHING * surface.diagonal)]
    return np.asarray(np.ptp(touching[:, :2], axis=0))


def _row(values: Floats) -> tuple[float, ...]:
    return tuple(float(v) for v in values)
