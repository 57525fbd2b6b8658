"""Pieces as triangles: a primitive is drawn with its corners on the surface, so what is drawn lies inside it."""

from __future__ import annotations

import numpy as np

from r2s.compiler.ir import Floats, Ints, Piece, floats, ints

SEGMENTS = 48  # around a sphere or capsule; what is drawn lies at most 1 - cos(pi / 48), 0.2 % of the radius, inside
_CORNERS = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], dtype=float)
_QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def drawn(piece: Piece) -> tuple[Floats, Ints]:
    """Return vertices (k, 3) m and outward faces (f, 3) of *piece* in the frame that it is given in."""
    match piece.kind:
        case "mesh":
            return piece.vertices, piece.faces
        case "box":
            local = _CORNERS * piece.size
            faces = [t for a, b, c, d in _QUADS for t in ((a, b, c), (a, c, d))]
        case "sphere":
            local, faces = _round(float(piece.size[0]), 0.0)
        case "capsule":
            local, faces = _round(float(piece.size[0]), float(piece.size[1]))
    return floats(local @ piece.rotation.T + piece.center), ints(faces, -1, 3)


def _round(radius: float, half: float) -> tuple[Floats, list[tuple[int, int, int]]]:
    """Return a sphere of *radius*, its halves moved *half* apart along z: a capsule."""
    polar = np.linspace(0, np.pi, SEGMENTS // 2 + 1)[1:-1]
    around = np.arange(SEGMENTS) * (2 * np.pi / SEGMENTS)
    equator = len(polar) // 2
    # a capsule's equator stands twice, with the cylinder between
    lower = polar[equator:] if half > 0 else polar[equator + 1 :]
    rings = [(angle, half) for angle in polar[: equator + 1]] + [(angle, -half) for angle in lower]
    points = [(0.0, 0.0, radius + half)]
    for angle, shift in rings:
        r, z = radius * np.sin(angle), radius * np.cos(angle) + shift
        points += [(r * np.cos(a), r * np.sin(a), z) for a in around]
    points.append((0.0, 0.0, -radius - half))
    faces: list[tuple[int, int, int]] = []
    last = len(points) - 1
    for i in range(SEGMENTS):
        j = (i + 1) % SEGMENTS
        faces.append((0, 1 + i, 1 + j))
        for ring in range(len(rings) - 1):
            a, b = 1 + ring * SEGMENTS, 1 + (ring + 1) * SEGMENTS
            faces += [(a + i, b + i, b + j), (a + i, b + j, a + j)]
        bottom = 1 + (len(rings) - 1) * SEGMENTS
        faces.append((bottom + i, last, bottom + j))
    return floats(points, -1, 3), faces
