"""The asset's geometry in its own frame: pieces with their files, the visual mesh, and what a scene must know."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from r2s.compiler.ir import Floats, Hulls, Ints, Piece, floats
from r2s.passes.mjcf.obj import content_name, obj_bytes

VISUAL_FACES = 20_000  # the visual mesh is the cost of every recompile: 0.1 s at 30,000 faces

_THIN, _SMALL = 2e-3, 5e-3  # m: below, contacts must be stiffer and steps shorter


@dataclass(frozen=True, eq=False)
class Part:
    """A collision geom: its names, its mesh file (empty for a primitive) and its piece in the asset's frame."""

    geom: str
    mesh: str
    file: str
    piece: Piece


@dataclass(frozen=True, eq=False)
class Form:
    """
    Geometry in metres of the asset's frame, and the bytes of its mesh files.

    *visual* (k, 3) are the vertices that the visual mesh uses; *low* and *high* (3,) bound the pieces.
    *thinnest* is the smallest thickness of a piece.
    """

    parts: tuple[Part, ...]
    files: dict[str, bytes]
    visual_file: str
    visual: Floats
    low: Floats
    high: Floats
    thinnest: float

    @property
    def floor(self) -> float:
        """Height of the lowest point that can touch."""
        return float(self.low[2])

    @property
    def middle(self) -> Floats:
        """Centre of the pieces' box."""
        return (self.low + self.high) / 2

    @property
    def diagonal(self) -> float:
        """Length of the pieces' box diagonal."""
        return float(np.linalg.norm(self.high - self.low))

    @property
    def delicate(self) -> bool:
        """Whether the usual step and contact are too coarse for it."""
        return self.thinnest < _THIN or float((self.high - self.low).max()) < _SMALL

    @property
    def timestep(self) -> float:
        """Step that the scene recommends, s."""
        return 0.001 if self.delicate else 0.002

    @property
    def solref(self) -> float:
        """Time constant of contacts, s: at least twice the step, and small, since an object sinks with its square."""
        return 0.004 if self.delicate else 0.005


def form_of(hulls: Hulls, shift: Floats, name: str) -> Form:
    """Return the form of *hulls* scaled by its anchor and moved by *shift* (3,) m; *name* begins every name in it."""
    factor = hulls.anchor.factor
    parts, files = [], {}
    digits = max(2, len(str(len(hulls.pieces) - 1)))
    for index, piece in enumerate(hulls.pieces):
        placed = _place(piece, factor, shift)
        file = ""
        if placed.kind == "mesh":
            content = obj_bytes(f"piece_{index:03d}", placed.vertices, placed.faces)
            file = content_name(f"piece_{index:03d}", content)
            files[file] = content
        parts.append(Part(f"{name}_collision_{index:0{digits}d}", f"{name}_piece_{index:03d}", file, placed))
    vertices, faces = _visual(hulls)
    vertices = vertices * factor + shift
    content = obj_bytes("visual", vertices, faces)
    visual_file = content_name("visual", content)
    pieces = tuple(p.piece for p in parts)
    axes = np.eye(3)
    return Form(
        parts=tuple(parts),
        files={visual_file: content, **files},
        visual_file=visual_file,
        visual=floats(vertices[np.unique(faces)]),
        low=floats([-max(reach(p, -a) for p in pieces) for a in axes]),
        high=floats([max(reach(p, a) for p in pieces) for a in axes]),
        thinnest=min(_thickness(p) for p in pieces),
    )


def reach(piece: Piece, direction: Floats) -> float:
    """Return the largest coordinate of *piece* along the unit *direction*, m: its support function."""
    if piece.kind == "mesh":
        return float((piece.vertices @ direction).max())
    middle, local = float(piece.center @ direction), np.abs(direction @ piece.rotation)
    if piece.kind == "box":
        return middle + float(local @ piece.size)
    segment = float(piece.size[1] * local[2]) if piece.kind == "capsule" else 0.0
    return middle + float(piece.size[0]) + segment


def _visual(hulls: Hulls) -> tuple[Floats, Ints]:
    """The surface before simplification, unless it is too large to draw."""
    first = hulls.surface.first
    shown = first if len(first.faces) <= VISUAL_FACES else hulls.surface
    return shown.vertices, shown.faces


def _place(piece: Piece, factor: float, shift: Floats) -> Piece:
    if piece.kind == "mesh":
        return replace(piece, vertices=floats(piece.vertices * factor + shift))
    return replace(piece, center=floats(piece.center * factor + shift), size=floats(piece.size * factor))


def _thickness(piece: Piece) -> float:
    """Extent along the piece's flattest principal direction; exact for primitives."""
    if piece.kind != "mesh":
        return 2 * float(piece.size.min() if piece.kind == "box" else piece.size[0])
    centred = piece.vertices - piece.vertices.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    return float(np.ptp(centred @ axes, axis=0).min())
