"""Convex pieces for the caliper: widths, facets and what other pieces hide, against formulas."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from scan_shapes import MM, box

from r2s.compiler.ir import Floats, Piece, floats, ints
from r2s.passes.caliper.solids import covered, hidden, support, triangles_of

NONE = floats([], 0, 3), ints([], 0, 3)
AT = np.array([0.3, -0.2, 0.1])
TURN = trimesh.transformations.euler_matrix(0.3, -0.8, 1.1)[:3, :3]


def piece(kind: str, *size: float, at: Floats = AT, turn: Floats = TURN) -> Piece:
    full = np.array([*size, 0.0, 0.0])[:3]
    return Piece(kind, *NONE, floats(at, 3), floats(turn, 3, 3), floats(full, 3))  # type: ignore[arg-type]


def mesh(size: tuple[float, float, float], at: tuple[float, float, float]) -> Piece:
    vertices, faces = box(size, at)
    return Piece(
        "mesh", floats(vertices, -1, 3), ints(faces, -1, 3), floats(np.zeros(3)), floats(np.eye(3)), floats(np.zeros(3))
    )


BOX, SPHERE, CAPSULE = piece("box", 0.04, 0.03, 0.02), piece("sphere", 0.05), piece("capsule", 0.02, 0.06)
DIRECTIONS = trimesh.creation.icosphere(subdivisions=2).vertices


def reach(kind: str, local: Floats) -> float:
    """How far each shape reaches along a direction in its own frame, by its formula."""
    if kind == "box":
        return max(
            float(np.array(s) * (0.04, 0.03, 0.02) @ local) for s in np.ndindex(2, 2, 2) for s in [2 * np.array(s) - 1]
        )
    if kind == "sphere":
        return 0.05
    return max(float(np.array((0, 0, end)) @ local) for end in (-0.06, 0.06)) + 0.02


@pytest.mark.parametrize("shape", [BOX, SPHERE, CAPSULE], ids=lambda shape: shape.kind)
def test_support_is_that_of_the_formula(shape: Piece) -> None:
    for direction in DIRECTIONS:
        assert support(shape, direction) == pytest.approx(
            AT @ direction + reach(shape.kind, TURN.T @ direction), abs=1e-12
        )


def test_support_of_a_mesh_is_its_furthest_vertex() -> None:
    assert support(mesh((1, 2, 3), (0, 0, 0)), np.array([0.0, 0.6, 0.8])) == pytest.approx(1.2 + 2.4)
    assert support(mesh((1, 2, 3), (5, 0, 0)), np.array([-1.0, 0.0, 0.0])) == pytest.approx(-5)


@pytest.mark.parametrize(
    ("shape", "volume", "within"),
    [
        (BOX, 8 * 0.04 * 0.03 * 0.02, 1e-12),
        (SPHERE, 4 / 3 * np.pi * 0.05**3, 0.02),
        (CAPSULE, np.pi * 0.02**2 * (0.12 + 4 / 3 * 0.02), 0.02),
        (mesh((1, 2, 3), (4, 5, 6)), 6, 1e-12),
    ],
    ids=lambda value: getattr(value, "kind", None),
)
def test_facets_are_closed_outward_and_inscribed(shape: Piece, volume: float, within: float) -> None:
    vertices, faces = triangles_of(shape)
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    flat = np.linalg.norm(np.cross(b - a, c - a), axis=1) <= 1e-9 * np.ptp(vertices) ** 2
    made = trimesh.Trimesh(vertices, faces[~flat])  # a ball's poles are rings of no size
    made.merge_vertices(digits_vertex=9)
    assert made.is_watertight
    assert volume * (1 - within) <= made.volume <= volume * (1 + 1e-12)
    for direction in DIRECTIONS:
        furthest = (vertices @ direction).max()
        assert furthest <= support(shape, direction) + 1e-12
        assert furthest >= support(shape, direction) - 0.005 * np.ptp(vertices, axis=0).max()


def test_what_lies_inside_a_piece_is_hidden() -> None:
    rng = np.random.default_rng(1)
    for shape in (BOX, SPHERE, CAPSULE):
        points = AT + rng.uniform(-0.1, 0.1, (20_000, 3))
        local = (points - AT) @ TURN
        if shape.kind == "box":
            depth = (np.abs(local) - (0.04, 0.03, 0.02)).max(axis=1)
        else:
            half = 0.06 if shape.kind == "capsule" else 0.0
            ends = local - np.clip(local[:, 2:], -half, half) * (0.0, 0.0, 1.0)
            depth = np.linalg.norm(ends, axis=1) - shape.size[0]
        found = hidden(points, (shape,))
        assert not found[depth > 0].any()
        assert found[depth < -0.002 * shape.size[0]].all() or shape.kind != "box"
        assert found[depth < -0.01 * shape.size[0]].all()
        assert found.sum() > 100


def test_a_point_on_the_skin_is_not_hidden() -> None:
    vertices, faces = triangles_of(mesh((0.1, 0.1, 0.1), (0, 0, 0)))
    middles = vertices[faces].mean(axis=1)
    assert not hidden(middles, (mesh((0.1, 0.1, 0.1), (0, 0, 0)),)).any()
    inward = middles + (0.05 - middles) * 1e-4
    assert hidden(inward, (mesh((0.1, 0.1, 0.1), (0, 0, 0)),)).all()


def test_a_shared_face_is_covered_and_a_free_one_is_not() -> None:
    left, right = mesh((0.1, 0.1, 0.1), (0, 0, 0)), mesh((0.1, 0.1, 0.1), (0.1 + 0.02 * MM, 0, 0))
    points = np.array([[0.1, 0.05, 0.05], [0.0, 0.05, 0.05], [0.05, 0.1, 0.05]])
    normals = np.array([[1.0, 0, 0], [-1, 0, 0], [0, 1, 0]])
    assert covered(points, normals, (left, right)).tolist() == [True, False, False]
    assert covered(points, normals, (left,)).tolist() == [False, False, False]
    # a millimetre is room enough for something to touch the face
    apart = mesh((0.1, 0.1, 0.1), (0.101, 0, 0))
    assert covered(points, normals, (left, apart)).tolist() == [False, False, False]
