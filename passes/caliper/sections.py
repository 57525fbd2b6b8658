"""
Sections across an axis: what of the surface lies at one height on it.

A mesh is cut exactly, so its density along the axis does not matter; of a cloud a slice is taken, thick enough to hold
points all around.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import copysign, hypot, sqrt

import numpy as np

from r2s.compiler.ir import Floats
from r2s.passes.caliper.contact import touch
from r2s.passes.caliper.local import across_of
from r2s.passes.caliper.ring import Ring, Wall, ring
from r2s.passes.caliper.solids import hidden
from r2s.passes.caliper.stage import Samples, Stage, face_normals, samples_of, support_of

_COUNT = 40
_RADIAL = 0.5  # normals within 60 degrees of the radius belong to a wall
_ROUND = 720  # points along the lines of a cut
_SHARED = 5  # neighbouring facets of a cut share their error
_APART = 2  # sections between the rings that tell a wall's lean
_PROVEN = 4  # standard uncertainties

Slice = tuple[Floats, Floats, Floats, float]


@dataclass(frozen=True, eq=False)
class Sections:
    """
    A stage seen from an axis.

    points, normals: vertices and face normals of a mesh, or points and normals of a cloud, in the frame of the axis:
    two coordinates across it and one along it.  *low* and *high* are where jaws would close along it.
    """

    stage: Stage
    samples: Samples
    points: Floats
    normals: Floats
    frame: Floats
    center: Floats
    low: float
    high: float

    @classmethod
    def across(cls, stage: Stage, axis: Floats, center: Floats) -> Sections:
        """Return the sections across the unit *axis* through *center*."""
        samples, frame = samples_of(stage), np.vstack([across_of(axis), axis])
        exact = stage.kind == "pieces"
        low = -(support_of(stage, -axis) if exact else touch(samples, -axis).height) - float(center @ axis)
        high = (support_of(stage, axis) if exact else touch(samples, axis).height) - float(center @ axis)
        points, normals = samples.points, samples.normals
        if len(stage.faces):
            points, normals = stage.points, face_normals(stage.points, stage.faces)[0]
        return cls(stage, samples, (points - center) @ frame.T, normals @ frame.T, frame, center, low, high)

    def places(self) -> list[float]:
        """Return evenly spaced heights of sections; a mesh is cut near its ends too, where a bowl is widest."""
        tall = self.high - self.low
        count = max(int(tall / self._thickness), 1)
        shares = (np.arange(count) + 0.5) / count
        if len(self.stage.faces):
            shares = np.concatenate([[0.1 / count], shares, [1 - 0.25 / count, 1 - 0.1 / count]])
        return [float(self.low + share * tall) for share in shares]

    def ring(self, place: float, wall: Wall) -> Ring | None:
        """Return the wall's circle at *place*; an inner wall counts only if it lies inside an outer one."""
        outer = self._fitted(place, "outer")
        if wall == "outer" or outer is None:
            return outer
        inner = self._fitted(place, "inner")
        if inner is None:
            return None
        least = max(4 * self.samples.sigma, 1e-3 * outer.radius)
        if not self.samples.oriented:  # without a side, an inner wall must stand clear of the outer one's scatter
            least = max(least, 4 * (outer.scatter + inner.scatter))
        return inner if outer.radius - inner.radius > least else None

    def slope(self, found: Ring, wall: Wall) -> float:
        """
        Return how much the wall's radius grows per length along the axis at the ring *found*; 0 where that is unproven.

        Its neighbours tell.  A bead at a rim is wider than what is below it and still stands upright, so no wall leans
        by more than its normals do.
        """
        beside = [found.along + side * _APART * self._thickness for side in (-1, 1)]
        rings = [at for place in beside if self.low < place < self.high and (at := self.ring(place, wall)) is not None]
        low, *_, high = sorted([*rings, found], key=lambda at: at.along) if rings else (found, found)
        grown = high.radius - low.radius
        if abs(grown) <= _PROVEN * hypot(low.u, high.u) + 1e-9 * found.radius:
            return 0.0
        return copysign(min(abs(grown) / (high.along - low.along), found.tilt / sqrt(1 - found.tilt**2)), grown)

    @property
    def _thickness(self) -> float:
        return max((self.high - self.low) / _COUNT, 2 * self.samples.spacing * (len(self.stage.faces) == 0))

    def _fitted(self, place: float, wall: Wall) -> Ring | None:
        if len(self.stage.faces):
            return self._fit(self._cut(place), wall)
        for thickness in (self._thickness, 2 * self._thickness, 4 * self._thickness):
            found = self._fit(self._slice(place, thickness), wall)
            if found is not None:
                return found
        return None

    def _fit(self, part: Slice, wall: Wall) -> Ring | None:
        where, along, normals, patch = part
        radial = np.einsum("ij,ij->i", where, normals[:, :2]) / np.maximum(np.hypot(*where.T), 1e-300)
        facing = np.abs(radial) if not self.samples.oriented else radial if wall == "outer" else -radial
        kept = facing > _RADIAL
        found = ring(where[kept], along[kept], self.samples.sigma, patch, wall)
        if found is None:
            return None
        return replace(found, tilt=float(np.median(np.abs(normals[kept, 2]))))

    def _slice(self, place: float, thickness: float) -> Slice:
        """Points of a cloud; near an end face a point's neighbours lie on both faces, and its normal is mixed."""
        margin = 4 * self.samples.sigma + 2 * self.samples.spacing
        along = self.points[:, 2]
        shown = (np.abs(along - place) < thickness / 2) & (along > self.low + margin) & (along < self.high - margin)
        return self.points[shown, :2], along[shown], self.normals[shown], 1.0

    def _cut(self, place: float) -> Slice:
        """Points evenly spread along the lines in which a plane cuts the faces."""
        height = self.points[self.stage.faces, 2] - place
        above = height > 0
        cut = np.flatnonzero(above.any(axis=1) & ~above.all(axis=1))
        if len(cut) == 0:
            return np.zeros((0, 2)), np.zeros(0), np.zeros((0, 3)), 1.0
        # the corner that is alone on its side of the plane
        alone = np.where(above[cut].sum(axis=1) == 1, above[cut].argmax(axis=1), (~above[cut]).argmax(axis=1))
        ends = []
        for step in (1, 2):
            here, there = self.stage.faces[cut, alone], self.stage.faces[cut, (alone + step) % 3]
            share = (self.points[here, 2] - place) / (self.points[here, 2] - self.points[there, 2])
            ends.append(self.points[here, :2] + share[:, None] * (self.points[there, :2] - self.points[here, :2]))
        length = np.linalg.norm(ends[1] - ends[0], axis=1)
        count = np.maximum(np.rint(length / max(float(length.sum()), 1e-300) * _ROUND), 1).astype(np.int64)
        line = np.repeat(np.arange(len(cut)), count)
        share = (np.arange(len(line)) - np.repeat(np.cumsum(count) - count, count) + 0.5) / count[line]
        where = ends[0][line] + share[:, None] * (ends[1] - ends[0])[line]
        seen = np.ones(len(line), dtype=np.bool_)
        if len(self.stage.pieces) > 1:
            points = np.column_stack([where, np.full(len(where), place)]) @ self.frame + self.center
            seen = ~hidden(points, self.stage.pieces)
        patch = _SHARED * len(line) / len(cut)
        return where[seen], np.full(int(seen.sum()), place), self.normals[cut][line][seen], patch
