"""The geoms that MuJoCo makes of an asset, for whoever looks at a dump."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from r2s.compiler.codec import plain
from r2s.compiler.ir import Asset
from r2s.compiler.protocol import Outcome


@dataclass(frozen=True)
class Compiled:
    """Each colliding geom as the fields of a Piece, in the asset's frame: what a simulation touches."""

    name: ClassVar[str] = "compiled"
    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("mujoco", "numpy")

    def run(self, source: Asset, /) -> Outcome[list[dict[str, Any]]]:
        """Return the geoms in the order of the model; raise SimulationError where MuJoCo refuses the asset."""
        from r2s.passes.mjcf.readback import compiled_pieces

        return Outcome([plain(piece) for piece in compiled_pieces(source)])
