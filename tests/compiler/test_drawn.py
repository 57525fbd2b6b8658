"""Primitives as triangles: closed, outward, inside what they stand for and nearly all of it."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from r2s.compiler.drawn import drawn
from r2s.compiler.ir import Piece, PieceKind, floats, ints, is_closed

NONE = floats([], 0, 3), ints([], 0, 3)
TURN = trimesh.transformations.rotation_matrix(0.7, [1, 2, 3])[:3, :3]
AT = np.array([0.3, -0.2, 0.1])


@pytest.mark.parametrize(
    ("kind", "size", "volume"),
    [
        ("box", (0.01, 0.02, 0.03), 8 * 0.01 * 0.02 * 0.03),
        ("sphere", (0.02, 0, 0), 4 / 3 * np.pi * 0.02**3),
        ("capsule", (0.02, 0.05, 0), 4 / 3 * np.pi * 0.02**3 + np.pi * 0.02**2 * 0.1),
    ],
)
def test_a_primitive(kind: PieceKind, size: tuple[float, ...], volume: float) -> None:
    vertices, faces = drawn(Piece(kind, *NONE, floats(AT), floats(TURN), floats(size)))
    local = (vertices - AT) @ TURN
    mesh = trimesh.Trimesh(vertices, faces, process=False)

    assert is_closed(faces)
    assert mesh.volume == pytest.approx(volume, rel=0.01)
    assert mesh.volume <= volume * (1 + 1e-12)
    assert len(np.unique(faces)) == len(vertices)
    if kind == "box":
        assert np.abs(local) == pytest.approx(np.broadcast_to(size, local.shape))
    else:
        axis = np.clip(local[:, 2], -size[1], size[1])
        assert np.hypot(np.hypot(local[:, 0], local[:, 1]), local[:, 2] - axis) == pytest.approx(size[0])


def test_a_mesh_is_itself() -> None:
    box = trimesh.creation.box()
    piece = Piece(
        "mesh", floats(box.vertices), ints(box.faces), floats([0, 0, 0]), floats(np.eye(3)), floats([0, 0, 0])
    )

    assert drawn(piece)[0] is piece.vertices
