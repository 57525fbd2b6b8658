"""
How far a surface lies from the scan it was drawn through: from the local mean of the points, not from their noise.

Each point has a signed distance to the surface; the mean of these over a point's neighbours is what remains when the
noise has cancelled.  Averaging distances, not positions, leaves no error where the part is curved.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from r2s.compiler.ir import Bools, Floats, Ints
from r2s.compiler.ledger import DirectedDistance, Scalar, StandardUncertainty, Term
from r2s.passes.clouds.neighbours import neighbours
from r2s.passes.meshes.edges import areas
from r2s.passes.shapes.distance import Solid, Summary, describe, samples
from r2s.passes.shapes.farthest import Target, bounded
from r2s.passes.shapes.terms import NOTHING, Role, distance_term

_NEIGHBOURS = 16
_NEAREST = 6  # of which one must lie near the tangent plane
_SAMPLES = 20_000
_LEFT_OUT = 1e-4  # of the diagonal: samples further than this from the surface belong to what was left out
_SLACKS = (1.05, 1.3, 2.0)  # times the largest of the samples: a bound that is tried, the tighter the dearer
_FLOOR = 1e-6  # of the diagonal: no tighter bound is asked for


def cloud_fit(points: Floats, vertices: Floats, faces: Ints, observed: Bools) -> tuple[Term, ...]:
    """
    Return the distances scan to surface and observed surface to scan, and the smoothing that their mean shows.

    The way of a point to the surface is its neighbours' mean, ``surface.forward``, and what the point itself adds to
    that, ``surface.scatter``: the scan's noise.  Both are taken of every point, so their maxima bound it together.
    """
    signed = Solid(vertices, faces).signed(points)
    k = min(_NEIGHBOURS, len(points))
    local = signed[neighbours(points, k)[1]].mean(axis=1)
    spots, on = samples(vertices, faces[observed], _SAMPLES)
    near = neighbours(points, k, spots)[1]
    beside = signed[near].mean(axis=1)
    corners = vertices[faces[observed][on]]
    out = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), np.finfo(np.float64).tiny)
    # a bulge between the points leaves their distances small: it shows as a place whose tangent plane no point is near
    apart = np.abs(np.einsum("nkj,nj->nk", points[near[:, :_NEAREST]] - spots[:, None], out)).min(axis=1)
    backward = describe(np.maximum(np.abs(beside), apart))
    forward, scatter = describe(np.abs(local)), describe(np.abs(signed - local))
    mean = float(beside.mean())
    evidence = f"mean signed distance of {k} neighbouring points"
    return (
        distance_term(
            "surface", "scatter", "scan", "scan", scatter, "every point against that mean", bound=scatter.max
        ),
        distance_term(
            "surface",
            "forward",
            "scan",
            "surface",
            forward,
            f"{evidence}, of every point",
            signed_mean=float(local.mean()),
            bound=forward.max,
        ),
        distance_term(
            "surface", "backward", "surface", "scan", backward, f"{evidence}, on observed faces", signed_mean=-mean
        ),
        smoothing(backward, mean, evidence),
        Scalar(
            "surface.reach",
            "no observed place of the surface is further from a point",
            _reach(points, vertices[faces[observed]]),
            "m",
            "measured",
            "middles of faces, and their size",
        ),
    )


def _reach(points: Floats, triangles: Floats) -> float:
    """Return a bound of how far any place of *triangles* (m, 3, 3) lies from the nearest of *points*, m."""
    middles = triangles.mean(axis=1)
    size = np.linalg.norm(triangles - middles[:, None], axis=2).max(axis=1, initial=0.0)
    return float((neighbours(points, 1, middles)[0][:, 0] + size).max(initial=0.0))


def drawn_fit(
    given: Floats, given_faces: Ints, points: Floats, vertices: Floats, faces: Ints, observed: Bools
) -> tuple[Term, ...]:
    """Return what lies between a mesh and the surface that was drawn anew through *points* of it (n, 3), m."""
    drawn = cloud_fit(points, vertices, faces, observed)
    means = {t.role: t.signed_mean for t in drawn if isinstance(t, DirectedDistance)}
    found = mesh_fit(given, given_faces, vertices, faces, observed, excluded=False)
    sided = [replace(t, signed_mean=means[t.role]) if isinstance(t, DirectedDistance) else t for t in found]
    return (*sided, *(t for t in drawn if isinstance(t, StandardUncertainty)))


def smoothing(size: Summary, mean: float, evidence: str) -> StandardUncertainty:
    """Return what the surface's distance from the scan's local *mean* says of its place, as an uncertainty."""
    return StandardUncertainty(
        id="surface.smoothing",
        quantity="offset of the surface from the scan's local mean",
        u=size.rms,
        unit="m",
        distribution="normal",
        dof=float(size.samples - 1),
        method="estimated",
        evidence=evidence,
        shape="form",
        group="surface.smoothing",
        blind_to=("scale", "drift", "registration"),
        value=-mean,
    )


def mesh_fit(
    given: Floats, given_faces: Ints, vertices: Floats, faces: Ints, observed: Bools, *, excluded: bool
) -> tuple[Term, ...]:
    """
    Return the distances between a mesh as read and as repaired or drawn anew, with proven maxima where they were found.

    *excluded*: shells or scraps were left out on purpose, so a face with a vertex that lies on no part of the surface
    is theirs and does not count.
    """
    surface = Target.of(vertices, faces)
    kept = given_faces[areas(given, given_faces) > 0]
    terms: list[Term] = []
    cutoff = np.inf
    if excluded:
        cutoff = _LEFT_OUT * float(np.linalg.norm(np.ptp(vertices, axis=0)))
        used = np.unique(given_faces)
        away = np.zeros(len(given))
        away[used] = surface.solid.unsigned(given[used])
        kept = kept[(away <= cutoff)[kept].all(axis=1)]
        gone = int((away[used] > cutoff).sum())
        terms.append(
            Scalar(
                "surface.left_out", "distance from which on a vertex belongs to what was left out", cutoff, "m",
                "declared", f"{gone} of {len(used)} vertices",
            )
        )  # fmt: skip
    raw = Target.of(given, given_faces[areas(given, given_faces) > 0])
    forward = _between(given, kept, surface, ("forward", "scan", "surface"), cutoff)
    backward = _between(vertices, faces[observed], raw, ("backward", "surface", "scan"), np.inf)
    return (forward, backward, *terms)


def _between(vertices: Floats, faces: Ints, target: Target, ends: tuple[Role, str, str], cutoff: float) -> Term:
    """
    Return the directed distance of a mesh from *target*, its maximum proven where few divisions prove it.

    Samples beyond *cutoff*, m, do not count: they lie on a face that runs into a part which it was joined to.
    """
    if len(faces) == 0:
        return distance_term("surface", *ends, NOTHING, "no face to measure", bound=0.0)
    corners = target.solid.unsigned(vertices[np.unique(faces)])
    away = target.solid.unsigned(samples(vertices, faces, _SAMPLES)[0])
    joined = bool((away > cutoff).any())
    size = describe(away[away <= cutoff])
    most = max(float(corners.max()), size.max)
    proven = None if joined else _proven(vertices, faces, target, most)
    how = (
        "largest of vertices and area samples" if proven is None else "maximum proven over all faces, the rest sampled"
    )
    note = f"{how}; parts left out on purpose do not count" if np.isfinite(cutoff) else how
    return distance_term("surface", *ends, replace(size, max=most), note, bound=proven)


def _proven(vertices: Floats, faces: Ints, target: Target, most: float) -> float | None:
    """Return a bound that no point of the mesh passes, from the tightest that is tried on, m; *most* is attained."""
    floor = _FLOOR * float(np.linalg.norm(np.ptp(target.solid.triangles.reshape(-1, 3), axis=0)))
    for slack in _SLACKS:
        found = bounded(vertices, faces, target, max(slack * most, floor))
        if found is not None:
            return max(found, most)
    return None


def identity_fit() -> tuple[Term, ...]:
    """Return the two distances of a mesh that passed through: nothing, and certainly so."""
    why = "the scan's own vertices and faces"
    return (
        distance_term("surface", "forward", "scan", "surface", NOTHING, why, signed_mean=0.0, bound=0.0),
        distance_term("surface", "backward", "surface", "scan", NOTHING, why, signed_mean=0.0, bound=0.0),
    )
