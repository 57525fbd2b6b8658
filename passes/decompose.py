"""Decompose: a closed surface becomes convex pieces, with certified bounds of how far both differ."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from r2s.compiler.errors import Diagnostic, PassFailedError, UsageError
from r2s.compiler.ir import Hulls, Surface
from r2s.compiler.ledger import Change, DirectedDistance, Scalar, Term
from r2s.compiler.protocol import Outcome
from r2s.passes.convex import certify as _certify
from r2s.passes.convex.search import Candidate, Goal, search
from r2s.passes.shapes.distance import Solid, Summary, describe, samples

_SHARE = 0.02  # of the diagonal, the default error
_FORM = 0.005  # of the diagonal, what a primitive may be off in the p99
_SIGMAS = 3.0  # an error below three standard deviations of the scan's noise would copy the noise
_SAMPLES = 40_000
_RAYS = 4_000
_THIN = 0.05  # the wall that this share of the area does not reach counts as the thinnest
_MJX = 64, 20  # vertices of a hull, of a flat face: what MJX collides


@dataclass(frozen=True)
class Decompose:
    """
    Replace the surface by few convex pieces: a primitive, one hull, exact parts, or CoACD's.

    max_error         p99 of how far the pieces stand out, m; 0: *share* of the diagonal, never under the scan's noise
    share             of the diagonal, where max_error is 0
    max_volume_error  share by which the union's volume may differ from the surface's, so that no cavity is filled
    primitives        whether a box, sphere or capsule may stand for the whole
    max_pieces        cap of the number of pieces, whatever the error; 0: none
    prune_error       m that the hull of the vertices kept may lie inside the full one; 0: a tenth of max_error
    seed              of CoACD's search
    mjx               keep hulls to 64 vertices and flat faces to 20, as MJX needs; what that costs is measured with all
    """

    name: ClassVar[str] = "decompose"
    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("coacd", "manifold3d", "numpy", "open3d-cpu", "scipy")

    max_error: float = field(default=0.0, metadata={"unit": "m"})
    share: float = _SHARE
    max_volume_error: float = 0.12
    primitives: bool = True
    max_pieces: int = 0
    prune_error: float = field(default=0.0, metadata={"unit": "m"})
    seed: int = 0
    mjx: bool = False

    def run(self, source: Surface, /) -> Outcome[Hulls]:
        """Return the pieces; raise PassFailedError where none has a volume, UsageError where a limit makes no sense."""
        self._check()
        goal = self._goal(source)
        reference = Solid(source.vertices, source.faces)
        try:
            found = search(source, reference, goal)
        except ValueError as error:
            raise PassFailedError(
                "R2S502",
                f"the surface has no solid part: {1e3 * source.diagonal:.3g} mm across, {1e9 * source.volume:.3g} mm³",
                hint="check the unit, and that the scan shows a body",
            ) from error
        wall = _wall(source, reference)
        pieces = len(found.union.pieces)
        terms = (
            *_distances(found, source, reference, goal.error),
            *_volumes(found, source),
            Scalar("decompose.pieces", f"convex pieces ({found.method})", float(pieces), "1", "measured", "count"),
            Scalar("decompose.wall", "thinnest wall", wall, "m", "estimated", f"5th percentile of {_RAYS} inward rays"),
        )
        return Outcome(Hulls(found.union.pieces, source), terms, _diagnostics(found, goal, wall))

    def _check(self) -> None:
        lengths = {"max_error": self.max_error, "prune_error": self.prune_error}
        bad = [f"{name} is {value:g} m" for name, value in lengths.items() if not 0 <= value < math.inf]
        if not 0 < self.share < 1:
            bad.append(f"share is {self.share:g}")
        if not 0 < self.max_volume_error < 1:
            bad.append(f"max_volume_error is {self.max_volume_error:g}")
        if self.max_pieces < 0:
            bad.append(f"max_pieces is {self.max_pieces}")
        if bad:
            raise UsageError("R2S501", f"decompose: {'; '.join(bad)}", hint="0 lets decompose choose")

    def _goal(self, source: Surface) -> Goal:
        noise = _SIGMAS * source.scan.noise
        error = self.max_error or max(self.share * source.diagonal, noise)
        vertices, ring = _MJX if self.mjx else (0, 0)
        return Goal(
            error=error,
            form=min(error, max(_FORM * source.diagonal, noise)),
            volume=self.max_volume_error,
            prune=self.prune_error or error / 10,
            most=self.max_pieces,
            vertices=vertices,
            ring=ring,
            primitives=self.primitives,
            seed=self.seed,
        )


def _distances(found: Candidate, source: Surface, reference: Solid, error: float) -> tuple[Term, ...]:
    """Return inflation and deficit: the maxima by branch and bound, the rest by samples."""
    union, tolerance = found.union, error / 25
    points, _ = samples(*union.mesh, _SAMPLES)
    signed = reference.signed(points)
    inflation = _directed(
        "inflation", ("pieces", "simplified"), _certify.inflation(union, reference, tolerance),
        describe(np.maximum(signed, 0)), float(signed.mean()),
    )  # fmt: skip
    points, _ = samples(source.vertices, source.faces, _SAMPLES)
    deficit = _directed(
        "deficit", ("simplified", "pieces"), _certify.deficit(source.triangles, union, tolerance),
        describe(union.distance(points)), float(union.signed(points).mean()),
    )  # fmt: skip
    return inflation, deficit


def _directed(
    role: str, ends: tuple[str, str], bound: _certify.Maximum, said: Summary, signed_mean: float
) -> DirectedDistance:
    return DirectedDistance(
        id=f"decompose.{role}",
        role="inflation" if role == "inflation" else "deficit",
        start=ends[0],
        end=ends[1],
        maximum=bound.upper,
        certified=True,
        p99=said.p99,
        p95=said.p95,
        rms=said.rms,
        signed_mean=signed_mean,
        samples=said.samples,
        evidence=(
            f"branch and bound over {bound.work} triangles, attained {1e3 * bound.lower:.3f} mm; "
            "exposed surface only" if role == "inflation" else
            f"branch and bound over {bound.work} triangles, attained {1e3 * bound.lower:.3f} mm"
        ),
    )  # fmt: skip


def _volumes(found: Candidate, source: Surface) -> tuple[Term, ...]:
    union = found.union
    return (
        Change("decompose.volume", "volume", source.volume, union.volume, "m^3", "boolean union of the pieces"),
        Change(
            "decompose.overlap", "volume if pieces are summed", union.volume, union.total, "m^3", "sum of the pieces"
        ),
    )


def _wall(source: Surface, reference: Solid) -> float:
    """Return the thinnest wall, m: a low percentile of the way inwards along the normal to the far side."""
    points, face = samples(source.vertices, source.faces, _RAYS)
    a, b, c = np.moveaxis(source.triangles, 1, 0)
    normals = np.cross(b - a, c - a)[face]
    length = np.linalg.norm(normals, axis=1)
    fair = length > 0
    inward = -normals[fair] / length[fair][:, None]
    step = 1e-5 * source.diagonal  # past the face that the ray starts on
    way = reference.thickness(points[fair] + step * inward, inward) + step
    return float(np.quantile(way, _THIN, method="lower"))


def _diagnostics(found: Candidate, goal: Goal, wall: float) -> tuple[Diagnostic, ...]:
    said = []
    pieces = len(found.union.pieces)
    if pieces > 1 and wall < goal.error:
        said.append(
            Diagnostic(
                "warning",
                "R2S503",
                f"thinnest wall {1e3 * wall:.2g} mm against the {1e3 * goal.error:.2g} mm that pieces may be off",
                "compare the certified inflation in the report with the clearance you need",
            )
        )
    if found.p99 > goal.error:
        said.append(
            Diagnostic(
                "warning",
                "R2S504",
                f"{pieces} pieces stand out {1e3 * found.p99:.3g} mm (p99), "
                f"{1e3 * (found.p99 - goal.error):.2g} mm over the {1e3 * goal.error:.3g} mm asked",
                "allow more pieces or a larger max_error",
            )
        )
    if abs(found.volume) > goal.volume:
        said.append(
            Diagnostic(
                "warning",
                "R2S505",
                f"{pieces} pieces differ by {100 * found.volume:+.0f} % from the surface's volume, "
                f"where {100 * goal.volume:.0f} % was asked",
                "allow more pieces, a smaller max_error, or a larger max_volume_error",
            )
        )
    return tuple(said)
