"""Primitives: fits give back what made the surface, and formulas agree with meshes."""

from __future__ import annotations

import numpy as np
import pytest
from scan_shapes import MM, box, mesh_scan, sphere
from scipy.spatial.transform import Rotation

from r2s.compiler.ir import Floats, Ints, Piece, Surface, bools, floats, ints
from r2s.passes.convex.hulls import hull
from r2s.passes.convex.pieces import Union, outside, round_piece, tessellate, volume
from r2s.passes.convex.primitives import fits
from r2s.passes.shapes.distance import Solid

TURN = Rotation.from_rotvec([0.3, -0.8, 0.4]).as_matrix()
SHIFT = np.array([0.2, -0.1, 0.3])


def surface(vertices: Floats, faces: Ints) -> Surface:
    whole = np.ones(len(faces), dtype=bool)
    return Surface(floats(vertices, -1, 3), ints(faces, -1, 3), bools(whole), mesh_scan(vertices, faces))


def fit(kind: str, vertices: Floats, faces: Ints) -> Piece:
    return next(piece for piece in fits(surface(vertices, faces)) if piece.kind == kind)


def pill(radius: float, half: float) -> tuple[Floats, Ints]:
    dots = sphere(radius, 4)[0]
    found = hull(np.concatenate([dots + np.array([0, 0, half]), dots - np.array([0, 0, half])]))
    assert found is not None
    return found.vertices, found.faces


@pytest.mark.parametrize("scale", [1e-2, 1.0])
def test_a_turned_box_comes_back(scale: float) -> None:
    vertices, faces = box((80 * MM, 50 * MM, 40 * MM))
    found = fit("box", scale * (vertices @ TURN.T + SHIFT), faces)
    assert np.sort(found.size) == pytest.approx(scale * np.array([20, 25, 40]) * MM, rel=1e-9)
    assert found.center == pytest.approx(scale * (TURN @ np.array([40, 25, 20]) * MM + SHIFT), abs=1e-12)
    assert np.abs(found.rotation.T @ TURN).max(axis=0) == pytest.approx([1, 1, 1], abs=1e-9)
    assert np.linalg.det(found.rotation) == pytest.approx(1)


def test_an_upright_box_is_not_turned_at_all() -> None:
    found = fit("box", *box((80 * MM, 60 * MM, 0.05 * MM)))
    assert np.array_equal(found.rotation, np.eye(3))
    assert found.size == pytest.approx([40 * MM, 30 * MM, 0.025 * MM], rel=1e-12)


def test_a_sphere_comes_back_within_its_facets() -> None:
    vertices, faces = sphere(40 * MM, 4)
    found = fit("sphere", vertices + SHIFT, faces)
    assert found.center == pytest.approx(SHIFT, abs=1e-6)
    assert found.size[0] == pytest.approx(40 * MM, rel=1e-3)


def test_a_capsule_comes_back_within_its_facets() -> None:
    vertices, faces = pill(10 * MM, 25 * MM)
    found = fit("capsule", vertices @ TURN.T + SHIFT, faces)
    assert found.size[:2] == pytest.approx([10 * MM, 25 * MM], rel=3e-3)
    assert found.center == pytest.approx(SHIFT, abs=1e-5)
    assert abs(found.rotation[:, 2] @ TURN[:, 2]) == pytest.approx(1, abs=1e-6)
    assert found.rotation.T @ found.rotation == pytest.approx(np.eye(3), abs=1e-12)


@pytest.mark.parametrize(("kind", "size"), [("box", (3, 2, 1)), ("sphere", (2, 0, 0)), ("capsule", (1, 3, 0))])
def test_formulas_agree_with_the_inscribed_mesh(kind: str, size: tuple[float, float, float]) -> None:
    piece = round_piece(kind, SHIFT, TURN, size)
    shape, sagitta = tessellate(piece)
    points = np.random.default_rng(6).uniform(-5, 5, (5000, 3))
    gap = Solid(shape.vertices, shape.faces).signed(points).clip(min=0) - outside(piece, points)
    assert gap.min() > -1e-12
    assert gap.max() <= sagitta + 1e-6
    assert shape.volume <= volume(piece) * (1 + 1e-12)
    assert shape.volume == pytest.approx(volume(piece), rel=2e-3)
    assert Union((piece,)).distance(points) == pytest.approx(outside(piece, points))
    assert Union((piece,)).volume == volume(piece)


def test_unknown_primitives_are_refused() -> None:
    with pytest.raises(ValueError, match="cylinder"):
        round_piece("cylinder", SHIFT, TURN, (1, 1, 0))
