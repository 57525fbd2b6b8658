"""Normals of a file: whether they tell inside from outside, which way they point, and skins behind each other."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from r2s.compiler.errors import Diagnostic
from r2s.compiler.ir import Floats, Ints
from r2s.passes.points.nearest import nearest, tree_of
from r2s.passes.points.points import Points

SEED = 20_240_919
_SAMPLES = 4_000
# Neighbours a spacing apart must agree; with random signs half of them do.
_AGREE = 0.75
# Neighbours this close to each other's tangent plane lie on the same sheet, not across a thin wall.
_SHEET = 0.2
# Signed volume over area times size: a closed body has about 1/10.  Only nearly closed scans are judged by it: what is
# seen of a bowl from above does face its middle.
_INWARD = -0.02
_CLOSED = 0.1
# Two skins that face the same way, seen from this share of the points, are no accident of one edge.
_DOUBLED = 0.02
# Area of a point from its k nearest neighbours: π r² / k.
_RING = 16


@dataclass(frozen=True, slots=True)
class Skins:
    """Two skins one behind the other: the share of points that see another, and the median gap; 0 if too few do."""

    share: float
    gap: float


def usable_normals(cloud: Points) -> tuple[Points, tuple[Diagnostic, ...]]:
    """
    Return the scan with unit outward normals, or without normals where the file's say nothing.

    Neighbours that disagree about the side make them useless; all inward is a plain mistake and is turned round.
    A mesh's normals stay only if they side with its faces.
    """
    if len(cloud.normals) == 0:
        return cloud, ()
    none = replace(cloud, normals=np.zeros((0, 3)))
    length = np.linalg.norm(cloud.normals, axis=1)
    bad = int((~(np.isfinite(length) & (length > 1e-12))).sum())
    if bad and cloud.is_mesh:  # nothing is lost: the faces tell
        return none, ()
    if bad:
        said = f"{bad} of {len(length)} normals have no direction; all are dropped"
        return none, (Diagnostic("note", "R2S333", said),)
    unit = replace(cloud, normals=cloud.normals / length[:, None])
    if cloud.is_mesh:
        return (unit if _sides_with_faces(unit) else none), ()
    agree = _agreement(unit)
    if agree < _AGREE:
        said = f"normals dropped: {1 - agree:.0%} of neighbouring normals point to opposite sides"
        return none, (Diagnostic("warning", "R2S331", said),)
    if not _is_inside_out(unit):
        return unit, ()
    turned = replace(unit, normals=-unit.normals)
    return turned, (Diagnostic("warning", "R2S332", f"all {len(length)} normals pointed inward and were reversed"),)


def point_areas(points: Floats) -> Floats:
    """Return the surface area that each point stands for, from the radius that holds its 16 nearest neighbours."""
    count = min(_RING + 1, len(points))
    radius = nearest(tree_of(points), points, count)[0][:, -1]
    return np.asarray(np.pi * radius**2 / (count - 1), dtype=np.float64)


def skins(cloud: Points, spacing: float, noise: float) -> Skins:
    """
    Return how much of the surface has a second skin behind it that faces the same way.

    A thin wall's other side faces the other way, and so does whatever lies between two steps of one body; two passes
    that were not registered do neither.  Looked for along the normal, within eight spacings.
    """
    if cloud.is_mesh or len(cloud.normals) == 0 or not spacing > 0:
        return Skins(0.0, 0.0)
    chosen = _chosen(len(cloud.points))
    near = min(len(cloud.points), 256)
    distance, index = nearest(tree_of(cloud.points), cloud.points[chosen], near, 8 * spacing)
    real = np.isfinite(distance)
    index = np.where(real, index, 0)
    offset = cloud.points[index] - cloud.points[chosen][:, None, :]
    along = np.einsum("mki,mi->mk", offset, cloud.normals[chosen])
    beside = np.sqrt(np.maximum(np.einsum("mki,mki->mk", offset, offset) - along**2, 0)) < 2 * spacing
    facing = np.einsum("mki,mi->mk", cloud.normals[index], cloud.normals[chosen])
    apart = max(1.2 * spacing, 5 * noise)
    same = real & beside & (facing > 0.95) & (np.abs(along) > apart)
    other = real & beside & (facing < 0)
    gap = np.where(same, np.abs(along), np.inf).min(axis=1)
    between = (other & (np.abs(along) < gap[:, None])).any(axis=1)
    doubled = np.isfinite(gap) & ~between & (same.sum(axis=1) >= 2)
    share = float(doubled.mean())
    return Skins(share, float(np.median(gap[doubled])) if share >= _DOUBLED else 0.0)


def _is_inside_out(cloud: Points) -> bool:
    area = point_areas(cloud.points)
    inside = cloud.points - (cloud.points.min(axis=0) + cloud.points.max(axis=0)) / 2
    flux = float((area * np.einsum("ij,ij->i", inside, cloud.normals)).sum() / (area.sum() * cloud.diagonal))
    net = float(np.linalg.norm((area[:, None] * cloud.normals).sum(axis=0)) / area.sum())
    return flux < _INWARD and net < _CLOSED


def _agreement(cloud: Points) -> float:
    """Return the share of nearest neighbours on one sheet whose normals point to the same side."""
    chosen = _chosen(len(cloud.points))
    index = nearest(tree_of(cloud.points), cloud.points[chosen], min(7, len(cloud.points)))[1][:, 1:]
    offset = cloud.points[index] - cloud.points[chosen][:, None, :]
    along = np.abs(np.einsum("mki,mi->mk", offset, cloud.normals[chosen]))
    sheet = along < _SHEET * np.linalg.norm(offset, axis=2)
    dots = np.einsum("mki,mi->mk", cloud.normals[index], cloud.normals[chosen])
    return float((dots[sheet] > 0).mean()) if sheet.any() else 0.0


def _chosen(count: int) -> Ints:
    return np.sort(np.random.default_rng(SEED).choice(count, min(_SAMPLES, count), replace=False))


def _sides_with_faces(mesh: Points) -> bool:
    a, b, c = np.moveaxis(mesh.points[mesh.faces], 1, 0)
    cross = np.cross(b - a, c - a)
    side = np.einsum("mi,mki->mk", cross, mesh.normals[mesh.faces]).mean(axis=1)
    return bool((side > 0).mean() > 0.9)
