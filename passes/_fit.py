"""
How far a surface lies from the scan it was drawn through: from the local mean of the points, not from their noise.

Each point has a signed distance to the surface; the mean of these over a point's neighbours is what remains when the
noise has cancelled.  Averaging distances, not positions, leaves no error where the part is curved.
"""

from __future__ import annotations

import numpy as np

from r2s.compiler.ir import Bools, Floats, Ints
from r2s.compiler.ledger import DirectedDistance, Term, StandardUncertainty
from r2s.passes._distance import Solid, describe, samples
from r2s.passes._edges import areas

_NEIGHBOURS = 16
_POINTS = 40_000
_SAMPLES = 20_000


def cloud_fit(points: Floats, vertices: Floats, faces: Ints, observed: Bools) -> tuple[Term, ...]:
    """Return the distances scan to surface and observed surface to scan, and the smoothing that their mean shows."""
    from scipy.spatial import cKDTree

    chosen = points[np.linspace(0, len(points) - 1, min(len(points), _POINTS)).astype(np.int64)]
    signed = Solid(vertices, faces).signed(chosen)
    tree = cKDTree(chosen)
    k = min(_NEIGHBOURS, len(chosen))
    local = signed[tree.query(chosen, k=k)[1]].mean(axis=1)
    spots, _ = samples(vertices, faces[observed], _SAMPLES)
    beside = signed[tree.query(spots, k=k)[1]].mean(axis=1)
    evidence = f"mean signed distance of {k} neighbouring points"
    forward, backward = describe(np.abs(local)), describe(np.abs(beside))
    return (
        DirectedDistance(
            "surface.forward", "forward", "scan", "surface", forward.max, False, forward.p99, forward.p95, forward.rms,
            float(local.mean()), forward.samples, evidence,
        ),
        DirectedDistance(
            "surface.backward", "backward", "surface", "scan", backward.max, False, backward.p99, backward.p95,
            backward.rms, float(-beside.mean()), backward.samples, f"{evidence}, on observed faces only",
        ),
        StandardUncertainty(
            "surface.smoothing", "offset of the surface from the scan's local mean", backward.rms, "m", "normal",
            float(backward.samples - 1), "estimated", evidence, "form", "surface.smoothing",
            ("scale", "drift", "registration"), float(-beside.mean()),
        ),
    )  # fmt: skip


def mesh_fit(
    given: Floats, given_faces: Ints, vertices: Floats, faces: Ints, observed: Bools, *, excluded: bool
) -> tuple[Term, ...]:
    """
    Return the distances between a mesh as read and as repaired.

    *excluded*: shells or scraps were left out on purpose; then points of the scan inside the solid, or on no part of
    it, are not counted.
    """
    kept = given_faces[areas(given, given_faces) > 0]
    spots, _ = samples(given, kept, _SAMPLES)
    solid = Solid(vertices, faces)
    away = solid.unsigned(spots)
    if excluded:
        size = float(np.linalg.norm(np.ptp(vertices, axis=0)))
        away = away[away <= 1e-4 * size]
    forward = describe(away)
    there, _ = samples(vertices, faces[observed], _SAMPLES)
    backward = describe(Solid(given, kept).unsigned(there))
    note = "area samples; parts left out on purpose not counted" if excluded else "area samples"
    return (
        DirectedDistance(
            "surface.forward", "forward", "scan", "surface", forward.max, False, forward.p99, forward.p95, forward.rms,
            None, forward.samples, note,
        ),
        DirectedDistance(
            "surface.backward", "backward", "surface", "scan", backward.max, False, backward.p99, backward.p95,
            backward.rms, None, backward.samples, "area samples of observed faces",
        ),
    )  # fmt: skip


def identity_fit(count: int) -> tuple[Term, ...]:
    """Return the two distances of a mesh of *count* vertices that passed through as it was: nothing, and certainly so."""
    return tuple(
        DirectedDistance(
            f"surface.{role}", role, start, end, 0.0, True, 0.0, 0.0, 0.0, 0.0, count, "the scan's own vertices and faces"
        )
        for role, start, end in (("forward", "scan", "surface"), ("backward", "surface", "scan"))
    )
