"""
Surface to Surface with fewer triangles: decimated to an error in metres, not to a count.

Quadric edge collapse by pymeshlab takes a count, so the count is searched: the fewest triangles whose largest distance,
bounded both ways, stays within the error, and that still make a closed, outward mesh.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from r2s.compiler.errors import Diagnostic, UsageError
from r2s.compiler.ir import Bools, Floats, Ints, Surface, bools, floats, ints
from r2s.compiler.ledger import Change, Term
from r2s.compiler.protocol import Outcome
from r2s.compiler.units import format_length
from r2s.passes.meshes.canonical import canonical
from r2s.passes.shapes.decimated import fewest
from r2s.passes.shapes.distance import Solid, describe, samples
from r2s.passes.shapes.terms import NOTHING, Role, distance_term

_AUTOMATIC = 0.0015  # of the diagonal
_WALL = 0.2  # of the thickness that 98 % of the surface has behind it
_PROBES = 4_000
_SAMPLES = 20_000


@dataclass(frozen=True)
class Simplify:
    """
    The same surface with fewer triangles.

    max_error  largest distance between the two surfaces, either way, m; 0 chooses 0.15 % of the diagonal, at most a
               fifth of the thinnest walls, at least the noise of a point
    min_faces  never fewer than this; a mesh that has no more is left alone
    """

    name: ClassVar[str] = "simplify"
    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy", "open3d-cpu", "pymeshlab", "scipy")

    max_error: float = field(default=0.0, metadata={"unit": "m"})
    min_faces: int = 200

    def run(self, source: Surface, /) -> Outcome[Surface]:
        """
        Return the simplified surface with its distances to *source*.

        Raises UsageError R2S408 for options out of range.
        """
        if not 0 <= self.max_error < np.inf:
            raise UsageError("R2S408", f"simplify.max_error is {self.max_error:g} m", hint="use a length such as 0.2mm")
        if self.min_faces < 4:
            raise UsageError("R2S408", f"simplify.min_faces is {self.min_faces}", hint="use 4 or more")
        limit = self.max_error or automatic_error(source)
        few = len(source.faces) <= self.min_faces
        best = None if few else fewest(source.vertices, source.faces, least=self.min_faces, limit=limit)
        if best is None:
            kept = Surface(source.vertices, source.faces, source.observed, source.scan, source)
            return Outcome(kept, _terms(source, kept, 0.0, 0.0), _reasons(source, limit, self.min_faces))
        vertices, faces, observed = canonical(best.vertices, best.faces, _inherited(source, best.vertices, best.faces))
        value = Surface(floats(vertices, -1, 3), ints(faces, -1, 3), bools(observed), source.scan, source)
        return Outcome(value, _terms(source, value, best.forward, best.backward))


def automatic_error(source: Surface) -> float:
    """Return the error in metres that suits *source*: see ``Simplify``."""
    spots, face = samples(source.vertices, source.faces, _PROBES)
    a, b, c = np.moveaxis(source.triangles[face], 1, 0)
    normal = np.cross(b - a, c - a)
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    lift = 1e-6 * source.diagonal
    wall = Solid(source.vertices, source.faces).thickness(spots - lift * normal, -normal)
    thin = float(np.quantile(wall[np.isfinite(wall)], 0.02)) if np.isfinite(wall).any() else np.inf
    return max(min(_AUTOMATIC * source.diagonal, _WALL * thin), source.scan.noise)


def _inherited(source: Surface, vertices: Floats, faces: Ints) -> Bools:
    """Return (m,) whether the face of *source* nearest to each new face's middle is observed."""
    nearest = Solid(source.vertices, source.faces).nearest(vertices[faces].mean(axis=1))[2]
    return np.asarray(source.observed[nearest])


def _reasons(source: Surface, limit: float, least: int) -> tuple[Diagnostic, ...]:
    if len(source.faces) <= least:
        return ()
    message = f"not simplified: no smaller mesh of {len(source.faces)} faces stays within {format_length(limit)}"
    return (Diagnostic("note", "R2S425", message, "allow more with -p simplify.max_error=0.5mm"),)


def _terms(source: Surface, value: Surface, forward: float, backward: float) -> tuple[Term, ...]:
    return (
        _distance("forward", "surface", "simplified", source, value, forward),
        _distance("backward", "simplified", "surface", value, source, backward),
        Change("simplify.volume", "enclosed volume", source.volume, value.volume, "m^3", "divergence theorem"),
        Change("simplify.faces", "face count", float(len(source.faces)), float(len(value.faces)), "1", "count"),
    )


def _distance(role: Role, start: str, end: str, one: Surface, two: Surface, bound: float) -> Term:
    if one.faces is two.faces:
        return distance_term("simplify", role, start, end, NOTHING, "the same mesh", signed_mean=0.0, bound=0.0)
    signed = Solid(two.vertices, two.faces).signed(samples(one.vertices, one.faces, _SAMPLES)[0])
    evidence = "maximum bounded by branch and bound over all faces; the rest from area samples"
    size = describe(np.abs(signed))
    return distance_term("simplify", role, start, end, size, evidence, signed_mean=float(signed.mean()), bound=bound)
