"""
Closed pieces of surface that belong to one mesh: which is skin, which a cavity, which junk.

A shell inside an odd number of others and wound inward is a cavity and stays.  One wound outward there is an inner
surface of a two-sided scan and would be counted twice.  Outer shells that overlap are joined, crumbs apart are dropped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.errors import Diagnostic
from r2s.compiler.ir import Floats, Ints
from r2s.compiler.units import format_length
from r2s.passes.meshes.edges import shells_of, volume
from r2s.passes.shapes.distance import Solid

_CRUMB = 0.01  # a separate shell below this share of the largest volume is no part of the object
_TOUCH = 1e-6  # of the diagonal: nearer shells touch


@dataclass(frozen=True, eq=False)
class Shell:
    """Faces (k, 3) of one closed shell, its signed volume m³, and its box's corners m."""

    faces: Ints
    volume: float
    low: Floats
    high: Floats

    @property
    def size(self) -> float:
        """Length of the box's diagonal, m."""
        return float(np.linalg.norm(self.high - self.low))

    def turned(self) -> Shell:
        """The same shell inside out."""
        return Shell(self.faces[:, ::-1].copy(), -self.volume, self.low, self.high)


@dataclass(frozen=True, eq=False)
class Settled:
    """The mesh after its shells were put in order; *joined* where the vertices are new ones, *removed* what went."""

    vertices: Floats
    faces: Ints
    diagnostics: tuple[Diagnostic, ...]
    joined: bool = False
    removed: bool = False


def settled(vertices: Floats, faces: Ints) -> Settled:
    """Return a closed mesh with outer shells facing out, cavities facing in, and nothing counted twice."""
    parts = _shells(vertices, faces)
    notes: list[Diagnostic] = []
    if parts[0].volume < 0:
        parts = [part.turned() for part in parts]
        notes.append(_mirror(parts[0].volume))
    if len(parts) == 1:
        return Settled(vertices, parts[0].faces, tuple(notes))
    families, junk, turned = _families(vertices, parts)
    if junk:
        notes.append(_inner(junk))
    if turned:
        notes.append(_inside_out(turned))
    families, crumbs = _without_crumbs(vertices, families)
    notes += crumbs
    solids = [np.concatenate([part.faces for part in family]) for family in families]
    whole = united(vertices, solids) if _boxes_meet(families) else None
    if whole is None:
        return Settled(vertices, np.concatenate(solids), tuple(notes), removed=bool(junk or crumbs))
    before = sum(part.volume for family in families for part in family)
    notes.append(_joined(len(solids), before, volume(*whole)))
    return Settled(*whole, tuple(notes), joined=True, removed=True)


def _shells(vertices: Floats, faces: Ints) -> list[Shell]:
    count, label = shells_of(faces, len(vertices))
    order = np.argsort(label, kind="stable")
    parts = np.split(faces[order], np.flatnonzero(np.diff(label[order])) + 1) if count > 1 else [faces]
    made = [Shell(p, volume(vertices, p), vertices[p].min(axis=(0, 1)), vertices[p].max(axis=(0, 1))) for p in parts]
    return sorted(made, key=lambda s: (-abs(s.volume), tuple(s.low), tuple(s.high)))


def _families(vertices: Floats, parts: list[Shell]) -> tuple[list[list[Shell]], list[Shell], list[Shell]]:
    """Sort shells (largest first) into outer ones, each with the shells it rightly holds; junk; outer ones turned."""
    families: list[list[Shell]] = []
    junk: list[Shell] = []
    turned: list[Shell] = []
    inside: dict[int, Solid] = {}
    kept: list[tuple[Shell, int]] = []
    for part in parts:
        around = [
            (k, home)
            for k, (other, home) in enumerate(kept)
            if (other.low < part.low).all() and (other.high > part.high).all()
        ]
        holders = []
        for k, home in around:
            if k not in inside:
                other = kept[k][0]
                inside[k] = Solid(vertices, other.faces if other.volume > 0 else other.faces[:, ::-1])
            if _holds(inside[k], vertices, part.faces):
                holders.append(home)
        if not holders:
            if part.volume < 0:
                part = part.turned()
                turned.append(part)
            kept.append((part, len(families)))
            families.append([part])
        elif (part.volume > 0) == (len(holders) % 2 == 0):
            kept.append((part, holders[0]))
            families[holders[0]].append(part)
        else:
            junk.append(part)
    return families, junk, turned


def _holds(outer: Solid, vertices: Floats, inner: Ints) -> bool:
    """Return whether the vertices of *inner* (up to 256, evenly chosen) all lie inside *outer*."""
    corners = np.unique(inner)
    probe = corners[np.linspace(0, len(corners) - 1, min(len(corners), 256)).astype(np.int64)]
    return bool(outer.inside(vertices[probe]).all())


def _without_crumbs(vertices: Floats, families: list[list[Shell]]) -> tuple[list[list[Shell]], list[Diagnostic]]:
    """Return the families without small ones that stand apart from the largest, and what was dropped."""
    main = Solid(vertices, families[0][0].faces)
    touch = _TOUCH * families[0][0].size
    kept, dropped = [families[0]], []
    for family in families[1:]:
        gap = float(main.unsigned(vertices[np.unique(family[0].faces)]).min())
        if (
            family[0].volume < _CRUMB * families[0][0].volume
            and gap > touch
            and not _crosses(main, vertices, family[0])
        ):
            dropped.append((family[0].size, gap))
        else:
            kept.append(family)
    if not dropped:
        return kept, []
    size, far = max(s for s, _ in dropped), max(g for _, g in dropped)
    return kept, [
        Diagnostic(
            "warning",
            "R2S419",
            f"{len(dropped)} loose piece{'s' if len(dropped) > 1 else ''} of surface dropped, up to "
            f"{format_length(size)} large and {format_length(far)} away from the part",
            "crop the scan to the part if they belong to something else",
        )
    ]


def _crosses(main: Solid, vertices: Floats, shell: Shell) -> bool:
    return bool(main.inside(vertices[np.unique(shell.faces)]).any())


def _boxes_meet(families: list[list[Shell]]) -> bool:
    outer = [family[0] for family in families]
    return any(
        bool((a.low <= b.high).all() and (b.low <= a.high).all()) for i, a in enumerate(outer) for b in outer[i + 1 :]
    )


def united(vertices: Floats, parts: list[Ints]) -> tuple[Floats, Ints] | None:
    """
    Return the union of closed shells that face outward, or None where nothing overlaps or the kernel refuses a shell.

    They overlap where the union has less volume or less area than the parts together.
    """
    import manifold3d

    middle = vertices.mean(axis=0)
    solids = []
    for part in parts:
        used, local = np.unique(part, return_inverse=True)
        mesh = manifold3d.Mesh64(
            vert_properties=np.ascontiguousarray(vertices[used] - middle),
            tri_verts=np.ascontiguousarray(local.reshape(part.shape), dtype=np.uint64),
        )
        solid = manifold3d.Manifold(mesh)
        if solid.status() != manifold3d.Error.NoError or solid.is_empty():
            return None
        solids.append(solid)
    whole = manifold3d.Manifold.batch_boolean(solids, manifold3d.OpType.Add)
    apart_volume, apart_area = sum(s.volume() for s in solids), sum(s.surface_area() for s in solids)
    if whole.volume() > (1 - 1e-9) * apart_volume and whole.surface_area() > (1 - 1e-9) * apart_area:
        return None
    mesh = whole.to_mesh64()
    return np.asarray(mesh.vert_properties)[:, :3] + middle, np.asarray(mesh.tri_verts).astype(np.int64)


def _mirror(size: float) -> Diagnostic:
    return Diagnostic(
        "warning",
        "R2S413",
        f"the mesh is inside out: its volume is {-size * 1e9:.1f} mm^3; every face was turned",
        "the part may be a mirror image (an axis negated on export): compare a detail that has a left and a right",
    )


def _inside_out(parts: list[Shell]) -> Diagnostic:
    return Diagnostic(
        "warning",
        "R2S412",
        f"{len(parts)} separate shell{'s' if len(parts) > 1 else ''} of up to {parts[0].volume * 1e9:.1f} mm^3 "
        "faced inward and was turned",
        "check that the shells are parts of one solid, not cavities that left their wall",
    )


def _inner(parts: list[Shell]) -> Diagnostic:
    return Diagnostic(
        "warning",
        "R2S417",
        f"{len(parts)} inner shell{'s' if len(parts) > 1 else ''} of up to {abs(parts[0].volume) * 1e9:.1f} mm^3 "
        "dropped: wound so that the inside would count twice",
        "if the part is hollow, wind the inner surface inward",
    )


def _joined(count: int, before: float, after: float) -> Diagnostic:
    return Diagnostic(
        "warning",
        "R2S418",
        f"{count} overlapping shells joined: {before * 1e9:.1f} mm^3 counted apart, {after * 1e9:.1f} mm^3 together",
        "join them in the program that made the mesh to choose the seam yourself",
    )
