"""
How far a surface lies from the scan it was drawn through: from the local mean of the points, not from their noise.

Each point has a signed distance to the surface; the mean of these over a point's neighbours is what remains when the
noise has cancelled.  Averaging distances, not positions, leaves no error where the part is curved.
"""

from __future__ import annotations

import numpy as np

from r2s.compiler.ir import Bools, Floats, Ints
from r2s.compiler.ledger import StandardUncertainty, Term
from r2s.passes.clouds.neighbours import neighbours
from r2s.passes.meshes.edges import areas
from r2s.passes.shapes.distance import Solid, describe, samples
from r2s.passes.shapes.terms import NOTHING, distance_term

_NEIGHBOURS = 16
_NEAREST = 6  # of which one must lie near the tangent plane
_POINTS = 40_000
_SAMPLES = 20_000
_LEFT_OUT = 1e-4  # of the diagonal: samples further than this from the surface belong to what was left out


def cloud_fit(points: Floats, vertices: Floats, faces: Ints, observed: Bools) -> tuple[Term, ...]:
    """Return the distances scan to surface and observed surface to scan, and the smoothing that their mean shows."""
    chosen = points[np.linspace(0, len(points) - 1, min(len(points), _POINTS)).astype(np.int64)]
    signed = Solid(vertices, faces).signed(chosen)
    k = min(_NEIGHBOURS, len(chosen))
    local = signed[neighbours(chosen, k)[1]].mean(axis=1)
    spots, on = samples(vertices, faces[observed], _SAMPLES)
    near = neighbours(chosen, k, spots)[1]
    beside = signed[near].mean(axis=1)
    corners = vertices[faces[observed][on]]
    out = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), np.finfo(np.float64).tiny)
    # a bulge between the points leaves their distances small: it shows as a place whose tangent plane no point is near
    apart = np.abs(np.einsum("nkj,nj->nk", chosen[near[:, :_NEAREST]] - spots[:, None], out)).min(axis=1)
    backward = describe(np.maximum(np.abs(beside), apart))
    mean = float(beside.mean())
    evidence = f"mean signed distance of {k} neighbouring points"
    return (
        distance_term(
            "surface", "forward", "scan", "surface", describe(np.abs(local)), evidence, signed_mean=float(local.mean())
        ),
        distance_term(
            "surface", "backward", "surface", "scan", backward, f"{evidence}, on observed faces", signed_mean=-mean
        ),
        StandardUncertainty(
            id="surface.smoothing",
            quantity="offset of the surface from the scan's local mean",
            u=backward.rms,
            unit="m",
            distribution="normal",
            dof=float(backward.samples - 1),
            method="estimated",
            evidence=evidence,
            shape="form",
            group="surface.smoothing",
            blind_to=("scale", "drift", "registration"),
            value=-mean,
        ),
    )


def mesh_fit(
    given: Floats, given_faces: Ints, vertices: Floats, faces: Ints, observed: Bools, *, excluded: bool
) -> tuple[Term, ...]:
    """
    Return the distances between a mesh as read and as repaired.

    *excluded*: shells or scraps were left out on purpose, so samples of the scan that lie on no part of the surface are
    theirs and do not count.
    """
    kept = given_faces[areas(given, given_faces) > 0]
    away = Solid(vertices, faces).unsigned(samples(given, kept, _SAMPLES)[0])
    if excluded:
        away = away[away <= _LEFT_OUT * float(np.linalg.norm(np.ptp(vertices, axis=0)))]
    back = Solid(given, kept).unsigned(samples(vertices, faces[observed], _SAMPLES)[0])
    note = "area samples; parts left out on purpose do not count" if excluded else "area samples"
    return (
        distance_term("surface", "forward", "scan", "surface", describe(away), note),
        distance_term("surface", "backward", "surface", "scan", describe(back), "area samples of observed faces"),
    )


def identity_fit() -> tuple[Term, ...]:
    """Return the two distances of a mesh that passed through: nothing, and certainly so."""
    why = "the scan's own vertices and faces"
    return (
        distance_term("surface", "forward", "scan", "surface", NOTHING, why, signed_mean=0.0, bound=0.0),
        distance_term("surface", "backward", "surface", "scan", NOTHING, why, signed_mean=0.0, bound=0.0),
    )
