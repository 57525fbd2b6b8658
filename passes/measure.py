"""
The virtual caliper as an analysis: every feature of the sheet on one stage of the chain.

It knows features, never readings: what a caliper said cannot reach it.  The pose in which jaws are set is that of the
closed surface, so that every stage is measured in the same directions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from r2s.compiler.errors import InternalError
from r2s.compiler.ir import Asset, Hulls, Surface, floats
from r2s.compiler.measured import Measured, StageReadings
from r2s.compiler.protocol import Outcome
from r2s.compiler.readings import Feature
from r2s.passes.caliper import features as _features
from r2s.passes.caliper.response import response


@dataclass(frozen=True)
class Measure:
    """
    Read *features* (id, feature) on *stage*.

    ``scan`` and ``surface`` want the first Surface, ``simplified`` the Surface given, ``pieces`` a Hulls before the
    anchor, ``model`` an Asset, which MuJoCo compiles from its emitted text.  Lengths are those of the
    stage's own frame: metres before the anchor, the asset's metres for ``model``.
    """

    name: ClassVar[str] = "measure"
    version: ClassVar[int] = 2
    libraries: ClassVar[tuple[str, ...]] = ("numpy", "scipy", "mujoco")

    stage: str
    features: tuple[tuple[str, Feature], ...]

    def run(self, source: Surface | Hulls | Asset, /) -> Outcome[StageReadings]:
        """Return one Measured per feature; a feature that the stage lacks is refused with its reason."""
        first = _first_surface(source)
        pose = _features.pose_of_surface(first)
        if isinstance(source, Asset):
            pose = _in_asset(pose, source)
        stage = self._stage(source)
        kinds = frozenset(feature.kind for _, feature in self.features)
        values = []
        for id_, feature in self.features:
            marks = _features.marks_on(first, feature)
            if isinstance(source, Asset) and isinstance(marks, _features.Marks):
                marks = marks.moved(source.to_asset)
            got = _features.measure(stage, feature, pose, kinds, marks)
            felt = response(got, feature, pose, first) if self.stage == "scan" and not got.refused else ((), ())
            still = float(got.still) if self.stage == "scan" else 0.0
            values.append(Measured(id_, float(got.value), float(got.u), got.how, got.refused, *felt, still))
        return Outcome(StageReadings(self.stage, tuple(values)))

    def _stage(self, source: Surface | Hulls | Asset) -> _features.Stage:
        match self.stage, source:
            case "scan", Surface():
                return _features.stage_of_scan(source.first.scan)
            case "surface" | "simplified", Surface():
                return _features.stage_of_surface(source)
            case "pieces", Hulls():
                return _features.stage_of_pieces(source.pieces)
            case "model", Asset():
                from r2s.passes.mjcf.readback import compiled_pieces

                return _features.stage_of_pieces(compiled_pieces(source))
        raise InternalError("R2S904", f"no stage {self.stage!r} of a {type(source).__name__}")


def _first_surface(source: Surface | Hulls | Asset) -> Surface:
    match source:
        case Surface():
            return source.first
        case Hulls():
            return source.surface.first
        case Asset():
            return source.hulls.surface.first


def _in_asset(pose: _features.Pose, asset: Asset) -> _features.Pose:
    """Return *pose* in the asset's frame; directions stay, since the asset is never turned against its surface."""
    center = floats(asset.to_asset[:3, :3] @ pose.center + asset.to_asset[:3, 3])
    support = float(asset.to_asset[2, 2] * pose.support + asset.to_asset[2, 3])
    return replace(pose, center=center, support=support)
