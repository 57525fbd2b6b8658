"""A wall inside a closed surface, against closed forms, wherever and however the object lies."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest
import trimesh

from r2s.passes.mjcf.hollow import wall
from r2s.passes.mjcf.massprops import Distribution

WALLS = (0.0005, 0.006)
TURN = trimesh.transformations.rotation_matrix(0.7, (1, 2, 3))
NEAR = 3e-3  # relative


def of(mesh: trimesh.Trimesh, thickness: float) -> Distribution:
    return wall(np.asarray(mesh.vertices), np.asarray(mesh.faces), thickness)


@pytest.mark.parametrize("thickness", WALLS)
def test_ball(thickness: float) -> None:
    mesh = trimesh.creation.icosphere(subdivisions=4, radius=0.04)
    mesh.apply_translation([0.3, -0.2, 5.0])
    outer = (3 * mesh.volume / 4 / pi) ** (1 / 3)
    inner = outer - thickness
    found = of(mesh, thickness)

    assert found.measure == pytest.approx(4 / 3 * pi * (outer**3 - inner**3), rel=NEAR)
    gyration = 2 / 5 * (outer**5 - inner**5) / (outer**3 - inner**3)
    assert found.gyration == pytest.approx(gyration * np.eye(3), rel=NEAR, abs=NEAR * gyration)
    assert found.com == pytest.approx([0.3, -0.2, 5.0], abs=1e-7)


@pytest.mark.parametrize("turn", [np.eye(4), TURN], ids=["upright", "turned"])
@pytest.mark.parametrize("thickness", WALLS)
def test_box(thickness: float, turn: np.ndarray) -> None:
    outer = np.array([0.05, 0.08, 0.11])
    inner = outer - 2 * thickness
    mesh = trimesh.creation.box(outer)
    mesh.apply_transform(turn)
    found = of(mesh, thickness)

    def second(size: np.ndarray) -> np.ndarray:
        square = size**2
        return np.asarray(size.prod() * (square.sum() - square) / 12)

    volume = outer.prod() - inner.prod()
    assert found.measure == pytest.approx(volume, rel=NEAR)
    gyration = turn[:3, :3].T @ found.gyration @ turn[:3, :3]
    assert gyration.diagonal() == pytest.approx((second(outer) - second(inner)) / volume, rel=NEAR)
    assert gyration == pytest.approx(np.diag(gyration.diagonal()), abs=NEAR * gyration.max())


@pytest.mark.parametrize("thickness", WALLS)
def test_cylinder(thickness: float) -> None:
    sides, radius, height = 256, 0.03, 0.1
    mesh = trimesh.creation.cylinder(radius, height, sections=sides)
    facets = sides / 2 / pi * np.sin(2 * pi / sides)  # area of the polygon over the circle's
    inner, low = radius - thickness, height - 2 * thickness
    volume = pi * facets * (radius**2 * height - inner**2 * low)
    found = of(mesh, thickness)

    assert found.measure == pytest.approx(volume, rel=NEAR)
    assert found.gyration[2, 2] == pytest.approx(pi / 2 * (radius**4 * height - inner**4 * low) / volume, rel=NEAR)


def test_a_wall_thicker_than_a_part_fills_it() -> None:
    """A lollipop: the stick, 6 mm thick, is solid in a wall of 4 mm, the ball is not."""
    import manifold3d

    def solid(mesh: trimesh.Trimesh) -> manifold3d.Manifold:
        return manifold3d.Manifold(
            manifold3d.Mesh((1e3 * mesh.vertices).astype(np.float32), mesh.faces.astype(np.uint32))
        )

    ball, stick = trimesh.creation.icosphere(4, 0.025), trimesh.creation.cylinder(0.003, 0.1, sections=64)
    stick.apply_translation([0, 0, 0.06])
    made = (solid(ball) + solid(stick)).to_mesh()
    mesh = trimesh.Trimesh(made.vert_properties[:, :3].astype(np.float64) / 1e3, made.tri_verts)
    found = of(mesh, 0.004)

    hollow = 4 / 3 * pi * 0.021**3
    assert found.measure == pytest.approx(mesh.volume - hollow, rel=0.01)
    assert found.com[2] == pytest.approx(mesh.center_mass[2] * mesh.volume / (mesh.volume - hollow), rel=0.01)


def test_an_off_centre_hollow_moves_the_centre_of_mass() -> None:
    """An L: its wall's centre lies elsewhere than that of the solid."""
    a, b = trimesh.creation.box((0.08, 0.04, 0.02)), trimesh.creation.box((0.02, 0.04, 0.06))
    a.apply_translation([0.04, 0, 0.01])
    b.apply_translation([0.01, 0, 0.03])
    mesh = trimesh.boolean.union([a, b], engine="manifold")
    t = 0.003
    wide, tall = (np.array(s) - 2 * t for s in ((0.08, 0.04, 0.02), (0.02, 0.04, 0.06)))
    both = np.array([0.014, 0.034, 0.014])
    parts = ((wide, (0.04, 0, 0.01), 1), (tall, (0.01, 0, 0.03), 1), (both, (0.01, 0, 0.01), -1))
    hollow = sum(sign * size.prod() for size, _, sign in parts)
    first = sum(sign * size.prod() * np.array(at) for size, at, sign in parts)
    found = of(mesh, t)

    hollow += (1 - pi / 4) * t**2 * 0.034  # the concave edge is a wall's thickness away along a circle, not a square
    assert found.measure == pytest.approx(mesh.volume - hollow, rel=NEAR)
    expected = (mesh.center_mass * mesh.volume - first) / (mesh.volume - hollow)
    assert found.com == pytest.approx(expected, abs=1e-4)
    assert abs(found.com[0] - mesh.center_mass[0]) > 5e-4
