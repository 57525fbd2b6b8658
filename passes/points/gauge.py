"""The virtual caliper on cleaned points whose unit is not known yet, with any of their axes up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from r2s.compiler.ir import Floats
from r2s.compiler.readings import Feature
from r2s.passes.caliper import features as _features
from r2s.passes.caliper.value import Value, refuse
from r2s.passes.points.clean import Cleaned
from r2s.passes.points.frame import levelled, rotation_of


@dataclass(frozen=True, eq=False)
class Gauge:
    """
    Measures features on *cleaned* under the axis map *axes*, in the file's numbers.

    *factor* (metres for a file number) is only needed for a section at a height given in metres.
    """

    cleaned: Cleaned
    axes: str
    kinds: frozenset[str]

    def measure(self, feature: Feature, factor: float | None = None) -> Value:
        """Return the value of *feature*, refused where the points do not have it."""
        if feature.along is not None:
            if factor is None:
                return refuse("it is read at a height in metres, which needs the unit first")
            feature = replace(feature, along=feature.along / factor)
        return _features.measure(self._stage, _features.placed(feature, self._matrix), self._pose, self.kinds)

    @cached_property
    def _matrix(self) -> Floats:
        """(4, 4) from the file's numbers to those that are measured: turned, and about their middle."""
        turn = levelled(rotation_of(self.axes), self.cleaned.table)
        # Lengths do not depend on the place, and large coordinates would cost digits.
        return np.vstack([np.column_stack([turn, -turn @ self.cleaned.scan.points.mean(axis=0)]), [0.0, 0.0, 0.0, 1.0]])

    @cached_property
    def _points(self) -> Floats:
        middle = self.cleaned.scan.points.mean(axis=0)
        return np.asarray((self.cleaned.scan.points - middle) @ self._matrix[:3, :3].T, dtype=np.float64)

    @cached_property
    def _stage(self) -> _features.Stage:
        quality, faces = self.cleaned.quality, self.cleaned.scan.faces
        kind = "mesh" if self.cleaned.scan.is_mesh else "points"
        normals = self.cleaned.scan.normals if kind == "points" else np.zeros((0, 3))
        return _features.Stage(
            self._points,
            faces,
            quality.noise,
            quality.spacing,
            quality.floor,
            kind,
            normals=normals @ self._matrix[:3, :3].T,
            unit="",
        )

    @cached_property
    def _pose(self) -> _features.Pose:
        return _features.pose_of(self._points, self.cleaned.scan.faces)
