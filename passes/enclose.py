"""One convex hull around a surface, for runs that are after the estimate: pieces do not enter it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from r2s.compiler.errors import PassFailedError
from r2s.compiler.ir import Hulls, Surface
from r2s.compiler.protocol import Outcome
from r2s.passes.convex.hulls import hull
from r2s.passes.convex.pieces import mesh_piece


@dataclass(frozen=True)
class Enclose:
    """Wrap the surface in its hull, however far that stands out: no distance is measured, and no budget can hold."""

    name: ClassVar[str] = "enclose"
    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy", "scipy")

    def run(self, source: Surface, /) -> Outcome[Hulls]:
        """Return the hull; raise PassFailedError where it has no volume."""
        made = hull(source.vertices)
        if made is None:
            what = f"the surface has no solid part: {1e3 * source.diagonal:.3g} mm across"
            raise PassFailedError("R2S502", what, hint="check the unit, and that the scan shows a body")
        return Outcome(Hulls((mesh_piece(made),), source))
