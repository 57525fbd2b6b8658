"""A cloud to a closed surface: directions, the underside, Poisson, and what of the result no point supports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from r2s.compiler.errors import Diagnostic, InvalidInputError
from r2s.compiler.ir import Bools, Floats, Ints
from r2s.compiler.ledger import BRIDGED, Scalar, Term, Unobserved
from r2s.compiler.units import format_length
from r2s.passes.clouds.clipped import clipped
from r2s.passes.clouds.cloud import Cloud
from r2s.passes.clouds.layers import layers
from r2s.passes.clouds.neighbours import neighbours
from r2s.passes.clouds.normals import agreement, directions, misfit, outward, planes, refined, sight, usable
from r2s.passes.clouds.poisson import depth_for, reconstruct
from r2s.passes.clouds.support import Fill, underside
from r2s.passes.meshes.edges import areas
from r2s.passes.points.points import Points
from r2s.passes.points.sides import skins

_CELL = 1.0  # pitches to a cell of the grid: a finer one follows noise, a coarser one rounds edges off
_WAVES = 0.15  # pitches off its plane to which a closed underside is wavy: further off it is a rounded foot
_SUPPORTED = 5.0  # spacings to the nearest point of a face that the scan supports ...
_SUPPORTED_PITCH = 3.0  # ... or pitches, where points clump
_BRIDGED = 2.0  # pitches to the nearest point of a face that spans a place without points
_WORTH_SAYING = 0.03  # of the area
_SURE = 0.5  # mean signed cosine to the eyes, over which a point's side is certain


@dataclass(frozen=True, eq=False)
class Completed:
    """A closed, outward mesh, which of its faces points support, and what to say about it."""

    vertices: Floats
    faces: Ints
    observed: Bools
    terms: tuple[Term, ...]
    diagnostics: tuple[Diagnostic, ...]


def completed(cloud: Cloud, *, ground: float, spacing: float, depth: int, max_unobserved: float) -> Completed:
    """
    Return the closed surface through *cloud*.

    *ground* is the height of what it stood on, m; *depth* 0 lets the grid follow the pitch.
    Raises InvalidInputError R2S403 where more than *max_unobserved* of the area, the underside apart, is invented.
    """
    cloud, terms, notes = _one_skin(cloud, spacing)
    bare = planes(cloud.points)
    fill = underside(cloud, bare, ground)
    normals, more = _directed(cloud, bare, fill)
    notes += more
    points = np.concatenate([cloud.points, fill.points])
    depth = depth or depth_for(points, _CELL * cloud.pitch)
    vertices, faces = reconstruct(points, normals, _CELL * cloud.pitch, depth)
    reach = max(_SUPPORTED * spacing, _SUPPORTED_PITCH * cloud.pitch)
    observed, under = _support_of(vertices, faces, cloud.points, fill.points, reach)
    vertices = clipped(vertices, faces, observed, cloud.points, cloud.pitch)
    vertices = _level(vertices, faces, under, ground, _WAVES * cloud.pitch)
    area = areas(vertices, faces)
    told, said = _unobserved(area, observed, under, max_unobserved, reach)
    told.append(_bridged(vertices, faces, area * ~under, cloud))
    return Completed(vertices, faces, observed, (*terms, *told), (*notes, *said))


def _bridged(vertices: Floats, faces: Ints, area: Floats, cloud: Cloud) -> Scalar:
    """
    Return the volume between the surface over places without points and where else it could lie.

    Nothing holds it there but the points around: it may be off by as much as the nearest of them is away.
    """
    away = neighbours(cloud.points, 1, vertices[faces].mean(axis=1))[0][:, 0]
    spans = away > _BRIDGED * cloud.pitch
    evidence = f"{area[spans].sum() * 1e6:.0f} mm^2 further than {_BRIDGED:g} pitches from any point, times how far"
    bridged = float((area * away)[spans].sum())
    return Scalar(BRIDGED, "volume left open over places without points", bridged, "m^3", "estimated", evidence)


def _one_skin(cloud: Cloud, spacing: float) -> tuple[Cloud, list[Term], list[Diagnostic]]:
    """
    Return the cloud without a second, hidden skin, with the gap between the two.

    Where ingest saw them too, by their normals, it has warned already, and this only notes what was done.
    """
    found = layers(cloud)
    if not found.gap:
        return cloud, [], []
    keep = ~found.hidden
    normals = cloud.file_normals[keep] if len(cloud.file_normals) else cloud.file_normals
    share = float(found.hidden.mean())
    evidence = f"{100 * share:.1f} % of the points lie in a second skin"
    # What this means for the position of the surface is a term of the scan; charging it here too would count it twice.
    term = Scalar("surface.double_layer", "distance between two skins", found.gap, "m", "measured", evidence)
    faceless = Points(cloud.points, cloud.file_normals, np.zeros((0, 3), dtype=np.int64))
    severity: Literal["note", "warning"] = "note" if skins(faceless, spacing, cloud.noise).gap > 0 else "warning"
    note = Diagnostic(
        severity,
        "R2S432",
        f"two skins {format_length(found.gap)} apart: views of the scan do not meet; the outer one was kept",
        "register the views again, or scan in one pass",
    )
    return Cloud(cloud.points[keep], normals, cloud.pitch, cloud.noise), [term], [note]


def _directed(cloud: Cloud, bare: Floats, fill: Fill) -> tuple[Floats, list[Diagnostic]]:
    """Return outward normals of the cloud's and the fill's points, and what was wrong with the file's."""
    points = np.concatenate([cloud.points, fill.points])
    down = np.tile([0.0, 0.0, -1.0], (len(fill.points), 1))
    count = len(cloud.points)
    either = np.concatenate([bare, down])
    seen = sight(points, either, cloud.pitch, cloud.noise, directions())
    normals = outward(points, either, seen, cloud.pitch)
    notes: list[Diagnostic] = []
    if len(cloud.file_normals):
        sure = np.abs(seen.vote[:count]) > _SURE * np.maximum(seen.weight[:count], 1.0)
        share = agreement(normals[:count], cloud.file_normals, sure)
        notes = _file_normal_notes(share)
        if usable(share):
            side = np.sign((normals[:count] * cloud.file_normals).sum(axis=1)) * (1.0 if share > 0.5 else -1.0)
            doubtful = ~sure & (side < 0)
            normals[:count][doubtful] *= -1
    normals[count:] = down
    normals = refined(points, normals, cloud.pitch)
    normals[count:] = down
    if len(cloud.file_normals) and usable(share):
        filed = cloud.file_normals * (1.0 if share > 0.5 else -1.0)
        if misfit(cloud.points, filed) < misfit(cloud.points, normals[:count]):
            normals[:count] = filed
    return normals, notes


def _file_normal_notes(share: float) -> list[Diagnostic]:
    if usable(share) and share > 0.5:
        return []
    if usable(share):
        message = f"{100 * (1 - share):.0f} % of the file's normals point inward: all were taken the other way round"
    else:
        message = f"{100 * (1 - share):.0f} % of the file's normals point inward: they were set aside and found anew"
    return [Diagnostic("warning", "R2S431", message, "export without normals, or orient them towards the scanner")]


def _support_of(vertices: Floats, faces: Ints, points: Floats, fill: Floats, reach: float) -> tuple[Bools, Bools]:
    """Return which faces (m,) have a scan point within *reach*, and which belong to the filled underside."""
    middles = vertices[faces].mean(axis=1)
    scan = neighbours(points, 1, middles)[0][:, 0]
    made = neighbours(fill, 1, middles)[0][:, 0] if len(fill) else np.full(len(middles), np.inf)
    under = made < scan
    return (scan <= reach) & ~under, under


def _level(vertices: Floats, faces: Ints, under: Bools, ground: float, waves: float) -> Floats:
    """
    Return *vertices* with the closed underside on the plane z = *ground*, m, that it was closed on.

    Poisson leaves it wavy by up to *waves*, m, and a part would rock on three of them.  A tenth of each wave stays: a
    plane without any leaves decimation nothing to go by.
    """
    level, beside = np.zeros(len(vertices), dtype=np.bool_), np.zeros(len(vertices), dtype=np.bool_)
    level[faces[under]] = True
    beside[faces[~under]] = True
    off = vertices[:, 2] - ground
    # a tenth up to *waves*, all from thrice that on, and no step between
    kept = np.sign(off) * np.clip(1.5 * (np.abs(off) - waves), 0.1 * np.abs(off), np.abs(off))
    moved = vertices.copy()
    moved[level & ~beside, 2] = ground + kept[level & ~beside]
    moved[level, 2] = np.maximum(moved[level, 2], ground)
    return moved


def _unobserved(
    area: Floats, observed: Bools, under: Bools, limit: float, reach: float
) -> tuple[list[Term], list[Diagnostic]]:
    total = float(area.sum())
    base, rest = float(area[under].sum()), float(area[~observed & ~under].sum())
    if rest > limit * total:
        raise InvalidInputError(
            "R2S403",
            f"{100 * rest / total:.0f} % of the closed surface is not in the scan ({rest * 1e6:.0f} mm^2); "
            f"at most {100 * limit:.0f} % may be",
            hint="scan the missing side, or allow it with -p surface.max_unobserved=0.5",
        )
    terms: list[Term] = []
    notes: list[Diagnostic] = []
    if base > 0:
        terms.append(
            Unobserved("surface.underside", base, base / total, "support plane", "columns whose lowest point faces up")
        )
    if rest > 0:
        evidence = f"faces further than {format_length(reach)} from any point"
        terms.append(Unobserved("surface.gaps", rest, rest / total, "screened Poisson", evidence))
    if base > _WORTH_SAYING * total:
        message = (
            f"underside not in the scan: closed flat, {base * 1e6:.0f} mm^2, {100 * base / total:.0f} % of the surface"
        )
        notes.append(
            Diagnostic("warning", "R2S420", message, "turn the part over and scan its underside to measure it")
        )
    if rest > _WORTH_SAYING * total:
        message = (
            f"{100 * rest / total:.1f} % of the surface, {rest * 1e6:.0f} mm^2, is closed over places without points"
        )
        notes.append(Diagnostic("warning", "R2S421", message, "scan those places to measure them"))
    return terms, notes
