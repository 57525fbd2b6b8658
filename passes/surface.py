"""
Scan to Surface: a closed, oriented mesh.

A mesh that is a solid already passes through with its own vertices.  One with faults is repaired, with the size of
each repair said.  A cloud, or a mesh beyond repair, becomes a surface by screened Poisson.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from r2s.compiler.errors import Diagnostic, InvalidInputError, UsageError
from r2s.compiler.ir import Bools, Floats, Ints, Scan, Surface, bools, floats, ints
from r2s.compiler.ledger import Term
from r2s.compiler.protocol import Outcome
from r2s.passes.clouds.cloud import Cloud, pitch_of, working_cloud
from r2s.passes.clouds.completed import completed
from r2s.passes.clouds.fit import cloud_fit, drawn_fit, identity_fit, mesh_fit
from r2s.passes.clouds.volume import volume_terms
from r2s.passes.meshes.canonical import canonical
from r2s.passes.meshes.doubts import doubts
from r2s.passes.meshes.edges import areas
from r2s.passes.meshes.repair import mended, must_have_thickness
from r2s.passes.shapes.distance import samples

_LEAST_POINTS = 64
_REMESH_SAMPLES = 20_000
_STRAYS = 10  # lowest points that may be noise


@dataclass(frozen=True)
class ExtractSurface:
    """
    The surface that the scan shows, closed.

    method          ``auto``: a mesh is kept and repaired, a cloud reconstructed; ``poisson``: always reconstruct;
                    ``keep``: never
    depth           of the Poisson octree; 0 lets its cell follow the spacing and noise of the points
    max_unobserved  share of the closed area, a flat underside apart, that may be invented before the scan is refused
    """

    name: ClassVar[str] = "surface"
    version: ClassVar[int] = 2
    libraries: ClassVar[tuple[str, ...]] = ("manifold3d", "numpy", "open3d-cpu", "pymeshlab", "scipy")

    method: str = "auto"
    depth: int = 0
    max_unobserved: float = 0.20

    def run(self, source: Scan, /) -> Outcome[Surface]:
        """
        Return the closed surface of *source* with its distances to the scan.

        Raises UsageError R2S407 for options out of range; InvalidInputError R2S401 (no thickness), R2S402 (one-sided),
        R2S403 (too much missing), R2S404 (too few points); PassFailedError R2S405 (does not close).
        """
        self._must_make_sense(source)
        made = self._made(source)
        return replace(made, diagnostics=(*made.diagnostics, *doubts(made.value)))

    def _made(self, source: Scan) -> Outcome[Surface]:
        if source.is_mesh and self.method != "poisson":
            return self._from_mesh(source)
        must_have_thickness(source.points, source.faces)
        return self._from_cloud(source, _sampled(source) if source.is_mesh else working_cloud(source), ())

    def _must_make_sense(self, source: Scan) -> None:
        if self.method not in ("auto", "poisson", "keep"):
            raise UsageError("R2S407", f"surface.method is {self.method!r}", hint="use auto, poisson or keep")
        if self.depth and not 5 <= self.depth <= 10:
            raise UsageError("R2S407", f"surface.depth is {self.depth}", hint="use 0 (automatic) or 5 to 10")
        if not 0 <= self.max_unobserved <= 1:
            raise UsageError("R2S407", f"surface.max_unobserved is {self.max_unobserved:g}", hint="use 0 to 1")
        if self.method == "keep" and not source.is_mesh:
            raise UsageError("R2S407", "surface.method is 'keep' and the scan has no faces", hint="use auto or poisson")

    def _from_mesh(self, source: Scan) -> Outcome[Surface]:
        found = mended(source.points, source.faces, max_unobserved=self.max_unobserved)
        if found is None and self.method == "keep":
            raise InvalidInputError(
                "R2S406", "the mesh cannot be closed by repair", hint="use -p surface.method=auto to draw a new surface"
            )
        if found is None:
            note = Diagnostic(
                "warning",
                "R2S422",
                "the mesh cannot be closed by repair: a new surface was drawn through samples of it",
                "repair it where it was made to keep its own vertices",
            )
            return self._from_cloud(source, _sampled(source), (note,))
        value = _surface(found.vertices, found.faces, found.observed, source, exact=True)
        if found.untouched:
            return Outcome(value, (*identity_fit(), *volume_terms(value, (), source.spacing)))
        measured = mesh_fit(
            source.points, source.faces, value.vertices, value.faces, value.observed, excluded=found.excluded
        )
        told = (*measured, *found.terms)
        return Outcome(value, (*told, *volume_terms(value, told, source.spacing)), found.diagnostics)

    def _from_cloud(self, source: Scan, cloud: Cloud, notes: tuple[Diagnostic, ...]) -> Outcome[Surface]:
        if len(cloud.points) < _LEAST_POINTS:
            raise InvalidInputError(
                "R2S404",
                f"{len(cloud.points)} usable points; a surface needs at least {_LEAST_POINTS}",
                hint="scan the part more densely",
            )
        made = completed(
            cloud,
            ground=_ground(source),
            spacing=source.spacing if not source.is_mesh else cloud.pitch,
            depth=self.depth,
            max_unobserved=self.max_unobserved,
        )
        value = _surface(made.vertices, made.faces, made.observed, source, exact=False)
        shape = value.vertices, value.faces, value.observed
        terms: tuple[Term, ...] = (
            drawn_fit(source.points, source.faces, cloud.points, *shape)
            if source.is_mesh
            else cloud_fit(source.points, *shape)
        )
        told = (*terms, *made.terms)
        return Outcome(value, (*told, *volume_terms(value, told, source.spacing)), (*notes, *made.diagnostics))


def _surface(vertices: Floats, faces: Ints, observed: Bools, source: Scan, *, exact: bool) -> Surface:
    v, f, o = canonical(vertices, faces, observed, exact=exact)
    return Surface(floats(v, -1, 3), ints(f, -1, 3), bools(o), source)


def _ground(source: Scan) -> float:
    """Return the height that the part stood on, m: the support plane, else its lowest points but for a few strays."""
    if np.isfinite(source.support):
        return source.support
    heights = source.points[:, 2]
    few = min(_STRAYS, len(heights) // 300)
    return float(np.partition(heights, few)[few])


def _sampled(source: Scan) -> Cloud:
    """Return points spread evenly over a mesh, without its normals: a mesh that gets here may be wound at random."""
    kept = source.faces[areas(source.points, source.faces) > 0]
    points, _ = samples(source.points, kept, _REMESH_SAMPLES)
    return Cloud(points, np.zeros((0, 3)), pitch_of(points), source.noise)
