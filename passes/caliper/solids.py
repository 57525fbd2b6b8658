"""Convex pieces as the caliper needs them: support function, facets, and which points other pieces hide."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.ir import Bools, Floats, Piece

Mesh = tuple[NDArray[np.float64], NDArray[np.int64]]

_GAPS = (1e-5, 1e-3)  # of the largest piece
_RINGS, _SEGMENTS = 24, 48  # the sagitta of a facet is 0.2 % of the radius; widths do not use facets


def support(piece: Piece, direction: Floats) -> float:
    """Return the largest coordinate of the piece along the unit *direction*."""
    if piece.kind == "mesh":
        return float((piece.vertices @ direction).max())
    local = direction @ piece.rotation
    middle = float(piece.center @ direction)
    if piece.kind == "box":
        return middle + float(np.abs(local) @ piece.size)
    if piece.kind == "sphere":
        return middle + float(piece.size[0])
    return middle + float(piece.size[0] + piece.size[1] * abs(local[2]))


def triangles_of(piece: Piece) -> Mesh:
    """Return the vertices and outward faces of the piece; round ones in facets."""
    if piece.kind == "mesh":
        return piece.vertices, piece.faces
    if piece.kind == "box":
        vertices, faces = _box()
        vertices = vertices * piece.size
    else:
        vertices, faces = _ball()
        half = piece.size[1] if piece.kind == "capsule" else 0.0
        apart = np.where(vertices[:, 2:] >= 0, 1.0, -1.0) * np.array([0.0, 0.0, half])
        vertices = vertices * piece.size[0] + apart
    return vertices @ piece.rotation.T + piece.center, faces


def covered(points: Floats, normals: Floats, pieces: tuple[Piece, ...]) -> Bools:
    """
    Return True for each surface point with nothing but another piece before it: contact never reaches it.

    Pieces that were cut apart share a face, or leave a gap too narrow for anything, so it is asked a little before it:
    closely, since next to a ridge the other piece falls away, and again at the width of a gap.
    """
    size = max(float((_halfspaces(piece).high - _halfspaces(piece).low).max()) for piece in pieces)
    inside = [hidden(points + gap * size * normals, pieces) for gap in _GAPS]
    return np.asarray(inside[0] | inside[1])


def hidden(points: Floats, pieces: tuple[Piece, ...]) -> Bools:
    """Return True for each point that lies inside a piece, deeper than rounding: contact never reaches it."""
    inside = np.zeros(len(points), dtype=np.bool_)
    if len(points) == 0:
        return inside
    low, high = points.min(axis=0), points.max(axis=0)
    for piece in pieces:
        body = _halfspaces(piece)
        if (body.high < low).any() or (body.low > high).any():
            continue
        near = np.flatnonzero(~inside & ((points > body.low) & (points < body.high)).all(axis=1))
        inside[near] = (points[near] @ body.normals.T - body.offsets < -body.slack).all(axis=1)
    return inside


@dataclass(frozen=True, eq=False)
class _Halfspaces:
    """A convex piece as outward planes, its box, and how deep rounding is."""

    normals: Floats
    offsets: Floats
    low: Floats
    high: Floats
    slack: float


@lru_cache(maxsize=1024)  # pieces compare by identity
def _halfspaces(piece: Piece) -> _Halfspaces:
    vertices, faces = triangles_of(piece)
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    normals = np.cross(b - a, c - a)
    length = np.linalg.norm(normals, axis=1)
    real = length > 0
    normals = normals[real] / length[real, None]
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    return _Halfspaces(normals, np.einsum("ij,ij->i", normals, a[real]), low, high, 1e-6 * float((high - low).max()))


def _box() -> Mesh:
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    return corners, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def _ball() -> Mesh:
    """A unit ball in rings about z; the equator is there twice, so that a capsule's halves can be drawn apart."""
    half = _RINGS // 2
    polar = np.concatenate([np.linspace(0, np.pi / 2, half), np.linspace(np.pi / 2, np.pi, half)])
    turn = np.arange(_SEGMENTS) * 2 * np.pi / _SEGMENTS
    z = np.cos(polar)
    z[half - 1], z[half] = 0.0, -1e-12
    xy = np.sin(polar)[:, None, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    ring, step = np.meshgrid(np.arange(len(polar) - 1), np.arange(_SEGMENTS), indexing="ij")
    a, b = (ring * _SEGMENTS + step).ravel(), (ring * _SEGMENTS + (step + 1) % _SEGMENTS).ravel()
    lower, upper = np.stack([a, a + _SEGMENTS, b], axis=1), np.stack([b, a + _SEGMENTS, b + _SEGMENTS], axis=1)
    faces = np.concatenate([lower, upper])
    return np.column_stack([xy.reshape(-1, 2), np.repeat(z, _SEGMENTS)]), faces
