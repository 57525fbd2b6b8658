"""
The mesh doctor: what keeps a scanned mesh from being a solid, mended one kind at a time, and said with its size.

A mesh that is a solid already comes back as it is.  The order matters: first what stands twice is made one, then faces
are turned to agree, then edges that too many faces share are split, cracks stitched, and only then is a hole a hole.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.errors import Diagnostic, InvalidInputError
from r2s.compiler.ir import Bools, Floats, Ints
from r2s.compiler.ledger import Change, Term, Unobserved
from r2s.compiler.units import format_length
from r2s.passes.meshes.cracks import stitched
from r2s.passes.meshes.edges import areas, closed, edges_of, ribboned, shells_of, volume
from r2s.passes.meshes.holes import Lid, lids
from r2s.passes.meshes.shells import settled
from r2s.passes.meshes.split import separated
from r2s.passes.meshes.weld import collapsed, open_edges, single, welded
from r2s.passes.meshes.winding import oriented

_NEAR = (1e-7, 1e-5)  # of the diagonal: vertices this near are tried as one, where that closes the mesh
_CRACK = 1e-5  # of the diagonal: a vertex this near to an edge lies on it
_SCRAP = 0.01  # an open piece of surface with less than this share of the area is no part of the object
_DOWN = -0.9  # z of a lid's normal: below, it closes the underside that the part stands on
_THIN = 1e-8  # of the size: thinner is no solid


@dataclass(frozen=True, eq=False)
class Mended:
    """
    A closed, outward mesh, which faces the scan supports, what was done, and whether any vertex or face changed.

    *excluded* says that parts of the scan were left out on purpose, so that they must not count as distance.
    """

    vertices: Floats
    faces: Ints
    observed: Bools
    diagnostics: tuple[Diagnostic, ...] = ()
    terms: tuple[Term, ...] = ()
    untouched: bool = True
    excluded: bool = False


def mended(vertices: Floats, faces: Ints, *, max_unobserved: float) -> Mended | None:
    """
    Return the mesh as a solid, or None where these means do not close it.

    Raises InvalidInputError R2S401 (no thickness), R2S402 (not orientable), R2S403 (too much of it missing).
    """
    must_have_thickness(vertices, faces)
    seamless = faces if closed(faces) else collapsed(welded(vertices, faces))
    notes: list[Diagnostic] = []
    lid_list: list[Lid] = []
    given, excluded = vertices, False
    empty = len(faces) - len(collapsed(faces))
    if closed(seamless) and empty:
        notes.append(_note("R2S411", f"{empty} of {len(faces)} faces removed: they named a vertex twice"))
    if not closed(seamless):
        vertices, seamless, excluded = _made_consistent(vertices, faces, notes)
        if not ribboned(seamless):
            return None
        if not closed(seamless):
            vertices, lid_list = lids(vertices, seamless)
            seamless = np.concatenate([seamless, *(lid.faces for lid in lid_list)])
            if not closed(seamless):
                return None
    _must_hold_volume(vertices, seamless)
    result = settled(vertices, seamless)
    if not closed(result.faces):
        return None
    observed = _observed(vertices, lid_list, result.vertices, result.faces, joined=result.joined)
    notes += _lid_notes(lid_list, float(areas(result.vertices, result.faces).sum()), max_unobserved)
    notes += result.diagnostics
    terms = _terms(given, faces, result.vertices, result.faces, lid_list) if notes else ()
    same = result.vertices is given and np.array_equal(result.faces, faces)
    return Mended(
        result.vertices, result.faces, observed, tuple(notes), terms, same, excluded=result.removed or excluded
    )


def must_have_thickness(vertices: Floats, faces: Ints) -> None:
    """Raise InvalidInputError R2S401 for what cannot be a solid: under four vertices, or all of them in one plane."""
    used = vertices[np.unique(faces)] if len(faces) else vertices
    if len(used) < 4:
        raise InvalidInputError(
            "R2S401",
            f"the scan has {_counted(len(used), 'vertex', 'vertices')} and {_counted(len(faces), 'face', 'faces')}; "
            "a solid needs at least 4 of each"
            if len(faces)
            else f"the scan has {_counted(len(used), 'point', 'points')}; a solid needs at least 4",
            hint="check that the export holds the whole part",
        )
    centred = used - used.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    extents = np.ptp(centred @ axes.T, axis=0)
    if extents.min() <= _THIN * extents.max():
        raise InvalidInputError(
            "R2S401",
            f"the scan has no thickness: {format_length(extents[0])} by {format_length(extents[1])}, and all points "
            "lie in one plane",
            hint="scan the other side too, or model the part as a box or plane with a measured thickness",
        )


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _must_hold_volume(vertices: Floats, faces: Ints) -> None:
    size = float(np.linalg.norm(np.ptp(vertices[np.unique(faces)], axis=0)))
    if abs(volume(vertices, faces)) <= _THIN * size * float(areas(vertices, faces).sum()):
        raise InvalidInputError(
            "R2S401",
            "the mesh has no thickness: its faces lie back to back and enclose no volume",
            hint="scan the other side too, or model the part as a box or plane with a measured thickness",
        )


def _made_consistent(vertices: Floats, faces: Ints, notes: list[Diagnostic]) -> tuple[Floats, Ints, bool]:
    """Return vertices and faces without doubles, wound alike, each edge with one or two faces; whether scraps went."""
    size = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    choices = [single(collapsed(f)) for f in (faces, welded(vertices, faces))]
    best = min(choices, key=open_edges)
    for share in _NEAR:
        if open_edges(best) == 0:
            break
        near = single(collapsed(welded(vertices, faces, share * size)))
        if open_edges(near) == 0:
            best = near
            notes.append(_note("R2S410", f"vertices up to {format_length(share * size)} apart were joined"))
    if len(best) < len(faces):
        extra = len(faces) - len(best)
        notes.append(_note("R2S411", f"{extra} of {len(faces)} faces removed: they stood twice or had no area"))
    best, turned = oriented(best)
    if turned.any():
        notes.append(_note("R2S414", f"{int(turned.sum())} of {len(best)} faces turned to agree with their neighbours"))
    crowded = int(edges_of(best).crowded.sum())
    if crowded:
        vertices, best = separated(vertices, best)
        notes.append(
            _note("R2S416", f"{crowded} edge{'s' if crowded > 1 else ''} shared by more than two faces split apart")
        )
    best, cuts = stitched(vertices, best, _CRACK * size)
    if cuts:
        notes.append(
            _note(
                "R2S415",
                f"{cuts} T-junction{'s' if cuts > 1 else ''} stitched, gaps under {format_length(_CRACK * size)}",
            )
        )
    kept, scraps = _without_scraps(vertices, best)
    if scraps:
        lost = float(areas(vertices, best).sum() - areas(vertices, kept).sum())
        notes.append(
            _note(
                "R2S419", f"{scraps} loose open piece{'s' if scraps > 1 else ''} dropped, {lost * 1e6:.1f} mm^2 in all"
            )
        )
    return vertices, kept, scraps > 0


def _without_scraps(vertices: Floats, faces: Ints) -> tuple[Ints, int]:
    """Return *faces* without small pieces of surface that are open, and how many pieces went."""
    count, label = shells_of(faces, len(vertices))
    if count == 1:
        return faces, 0
    size = np.bincount(label, weights=areas(vertices, faces), minlength=count)
    rim = np.bincount(label[np.flatnonzero(edges_of(faces).boundary) % len(faces)], minlength=count)
    scrap = (size < _SCRAP * size.sum()) & (rim > 0)
    return faces[~scrap[label]], int(scrap.sum())


def _observed(vertices: Floats, lid_list: list[Lid], new: Floats, faces: Ints, *, joined: bool) -> Bools:
    """Return (m,) which faces are the scan's own; after a union, those whose middle does not lie on a lid."""
    if not lid_list:
        return np.ones(len(faces), dtype=np.bool_)
    made = np.concatenate([lid.faces for lid in lid_list])
    if not joined:
        names = {tuple(sorted(map(int, f))) for f in made}
        return np.array([tuple(sorted(map(int, f))) not in names for f in faces], dtype=np.bool_)
    from r2s.passes.shapes.distance import Solid

    middles = new[faces].mean(axis=1)
    size = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    return np.asarray(Solid(vertices, made).unsigned(middles) > 1e-6 * size, dtype=np.bool_)


def _lid_notes(lid_list: list[Lid], area: float, limit: float) -> list[Diagnostic]:
    """Return what was closed; raise R2S403 where lids other than a flat underside pass *limit* of the area."""
    if not lid_list:
        return []
    under = [lid for lid in lid_list if lid.flat and lid.normal[2] < _DOWN]
    base = max(under, key=lambda lid: lid.area) if under else None
    others = [lid for lid in lid_list if lid is not base]
    invented = sum(lid.area for lid in others)
    if invented > limit * area:
        raise InvalidInputError(
            "R2S403",
            f"{100 * invented / area:.0f} % of the closed surface is not in the scan "
            f"({invented * 1e6:.0f} mm^2 in {len(others)} hole{'s' if len(others) > 1 else ''}); "
            f"at most {100 * limit:.0f} % may be",
            hint="scan the missing side, or allow it with -p surface.max_unobserved=0.5",
        )
    notes = []
    if base is not None:
        notes.append(_note("R2S420", f"open underside closed flat: {base.area * 1e6:.0f} mm^2 that nobody measured"))
    if others:
        notes.append(
            _note(
                "R2S421",
                f"{len(others)} hole{'s' if len(others) > 1 else ''} closed with {invented * 1e6:.1f} mm^2, "
                f"{100 * invented / area:.1f} % of the surface",
            )
        )
    return notes


def _terms(given: Floats, before: Ints, vertices: Floats, faces: Ints, lid_list: list[Lid]) -> tuple[Term, ...]:
    terms: list[Term] = [
        Change("surface.repair.faces", "face count", float(len(before)), float(len(faces)), "1", "mesh repair"),
        Change(
            "surface.repair.volume",
            "signed volume by the divergence theorem, as read and as repaired",
            volume(given, before),
            volume(vertices, faces),
            "m^3",
            "mesh repair",
        ),
    ]
    if lid_list:
        area, total = sum(lid.area for lid in lid_list), float(areas(vertices, faces).sum())
        how = "flat lids" if all(lid.flat for lid in lid_list) else "lids of least area"
        terms.append(Unobserved("surface.lids", area, area / total, how, f"{len(lid_list)} boundary loops", "measured"))
    return tuple(terms)


_HINTS = {
    "R2S410": "export with shared vertices to choose them yourself",
    "R2S411": "export the part once, without hidden copies",
    "R2S414": "check the part's outline in the viewer",
    "R2S415": "export without T-junctions to be sure",
    "R2S416": "separate the solids, or join them, where the mesh was made",
    "R2S419": "crop the scan to the part if they belong to something else",
    "R2S420": "turn the part over and scan its underside to measure it",
    "R2S421": "scan those places to measure them",
}


def _note(code: str, message: str) -> Diagnostic:
    return Diagnostic("warning", code, message, _HINTS[code])
