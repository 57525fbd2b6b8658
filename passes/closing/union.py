"""The union of the emitted solids: how far points lie outside it, and which of its surface can be touched."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from r2s.compiler.ir import Bools, Floats
from r2s.passes.closing.solids import Samples, Solid
from r2s.passes.closing.triangles import Nearest

_SKIN = (
    1e-6  # of the diagonal: what lies this near under another piece is where two pieces meet, and nothing touches it
)
_LEAST_SKIN = 5e-9  # m: files are written to a nanometre


@dataclass(frozen=True, eq=False)
class Exposed:
    """Samples of all surfaces of pieces; *open* (k,) marks those in no other piece, which alone can be touched."""

    samples: Samples
    open: Bools


@dataclass(frozen=True, eq=False)
class Union:
    """Solids as one."""

    solids: tuple[Solid, ...]

    @cached_property
    def diagonal(self) -> float:
        """Length of the diagonal of the box around all, m."""
        low = np.min([solid.box[0] for solid in self.solids], axis=0)
        high = np.max([solid.box[1] for solid in self.solids], axis=0)
        return float(np.linalg.norm(high - low))

    @cached_property
    def area(self) -> float:
        """Area of all pieces, what they hide from one another included, m²."""
        return float(sum(solid.samples(np.inf).areas.sum() for solid in self.solids))

    def outside(self, points: Floats, radius: float) -> Floats:
        """
        Return the exact distance (k,) of *points* (k, 3) to the union, m, 0 inside.

        Outside all pieces the nearest point of the union lies on the surface of one of them.  *radius*, m, is how small
        triangles are cut for the search and changes nothing else.
        """
        open_ = np.ones(len(points), dtype=np.bool_)
        for solid in self.solids:
            low, high = solid.box
            near = np.flatnonzero(open_ & ((points >= low) & (points <= high)).all(axis=1))
            open_[near[solid.level(points[near]) <= 0]] = False
        found = np.zeros(len(points))
        left = points[open_]
        best = np.full(len(left), np.inf)
        for solid in self.solids:
            if solid.radius > 0:
                best = np.minimum(best, solid.away(left))
        flat = [solid.triangles for solid in self.solids if solid.radius == 0]
        if flat and len(left):
            best = np.minimum(best, Nearest(np.concatenate(flat), radius).distance(left)[0])
        found[open_] = best
        return found

    def exposed(self, radius: float) -> Exposed:
        """Return samples of every piece's surface, *radius* m apart or less, and which of them can be touched."""
        skin = max(_SKIN * self.diagonal, _LEAST_SKIN)
        each = [solid.samples(radius) for solid in self.solids]
        depths = []
        for index, one in enumerate(each):
            points = one.points + skin * one.normals
            depth = np.full(len(points), np.inf)
            for other in (solid for i, solid in enumerate(self.solids) if i != index):
                low, high = other.box
                near = np.flatnonzero(((points >= low) & (points <= high)).all(axis=1))
                depth[near] = np.minimum(depth[near], other.level(points[near]))
            depths.append(depth)
        together = Samples(
            np.concatenate([one.points for one in each]),
            np.concatenate([one.normals for one in each]),
            np.concatenate([one.areas for one in each]),
            max(one.reach for one in each),
        )
        return Exposed(together, np.concatenate(depths) > 0)
