"""
Errors laid onto a scan on purpose, as large as the account says they may be: one draw of a virtual experiment.

A scan holds its own errors already, and these come on top.  So its noise grows, while the spread that many draws show
is that of what was drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from r2s.compiler.ir import Floats, Ints, Scan, floats
from r2s.compiler.protocol import Outcome
from r2s.passes.caliper.response import view_of
from r2s.passes.clouds.cloud import pitch_of
from r2s.passes.clouds.normals import directions, outward, planes, refined, sight
from r2s.passes.meshes.normals import vertex_normals


@dataclass(frozen=True)
class Perturb:
    """
    Move the points of a scan by given errors.

    scale           of ln scale, about the origin of the scan's frame
    drift_x         how much longer x gets against z, relative
    drift_y         how much longer y gets against z, relative
    offset          how far every point stands out along its normal, m
    right, left     the same of those alone whose normal is nearest to +x, -x, m
    back, front     +y, -y
    top, bottom     +z, -z
    noise           standard deviation of a normal deviate of each point along its normal, m
    seed            of that deviate
    """

    name: ClassVar[str] = "perturb"
    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy", "scipy")

    scale: float = 0.0
    drift_x: float = 0.0
    drift_y: float = 0.0
    offset: float = 0.0
    right: float = 0.0
    left: float = 0.0
    back: float = 0.0
    front: float = 0.0
    top: float = 0.0
    bottom: float = 0.0
    noise: float = 0.0
    seed: int = 0

    def run(self, source: Scan, /) -> Outcome[Scan]:
        """Return the scan with these errors in it; what the file's numbers map to moves with scale and drift."""
        stretch = math.exp(self.scale) * np.array([1 + self.drift_x, 1 + self.drift_y, 1.0])
        points = source.points * stretch
        if any((self.offset, *self._views, self.noise)):
            points, one = _distinct(points) if source.is_mesh else (points, None)
            normals = _outward(source, points, one)
            out = self.offset + np.array(self._views)[view_of(normals)]
            out = out + abs(self.noise) * np.random.default_rng(self.seed).standard_normal(len(points))
            points = points + out[:, None] * normals
            points = points if one is None else points[one]
        frame = np.diag([*stretch, 1.0]) @ source.from_source
        moved = replace(
            source,
            points=floats(points, -1, 3),
            from_source=floats(frame, 4, 4),
            noise=math.hypot(source.noise, self.noise),
            support=source.support * float(stretch[2]),
        )
        moved.verify()
        return Outcome(moved)

    @property
    def _views(self) -> tuple[float, ...]:
        """By view, in the order of ``VIEWS``."""
        return (self.right, self.left, self.back, self.front, self.top, self.bottom)


def _distinct(points: Floats) -> tuple[Floats, Ints]:
    """Return distinct points, and which of them each was: a vertex that stands twice must not be torn apart."""
    distinct, one = np.unique(points, axis=0, return_inverse=True)
    return distinct, one.reshape(-1).astype(np.int64)


def _outward(source: Scan, points: Floats, one: Ints | None) -> Floats:
    """
    Return unit outward normals of *points*: of the faces around, the scan's own, or of local fits.

    Of a mesh the points are distinct, and *one* leads to them from the vertices.
    """
    if one is not None:
        return vertex_normals(points, one[source.faces])
    if len(source.normals):
        return source.normals
    pitch, flat = pitch_of(points), planes(points)
    facing = outward(points, flat, sight(points, flat, pitch, source.noise, directions()), pitch)
    return refined(points, facing, pitch)
