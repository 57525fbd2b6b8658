"""Distances, sides and samples against closed forms and against brute force."""

from __future__ import annotations

import numpy as np
import pytest

from r2s.compiler.ir import Floats, Ints
from r2s.passes.shapes.distance import Solid, closest_on_triangles, describe, samples


def box(low: tuple[float, ...], high: tuple[float, ...]) -> tuple[Floats, Ints]:
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def bracket() -> tuple[Floats, Ints]:
    """Return an L profile, 80 x 40 with 10 walls, drawn out to 50: concave along one edge."""
    outline = np.array([(0, 0), (80, 0), (80, 10), (10, 10), (10, 40), (0, 40)]) * 1e-3
    n = len(outline)
    vertices = np.vstack([np.c_[outline, np.zeros(n)], np.c_[outline, np.full(n, 0.05)]])
    sides = [t for i in range(n) for j in [(i + 1) % n] for t in ((i, j, n + j), (i, n + j, n + i))]
    cap = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    lids = [t for a, b, c in cap for t in ((a, c, b), (n + a, n + b, n + c))]
    return vertices, np.array(sides + lids)


def in_bracket(p: Floats) -> np.ndarray:
    x, y, z = p.T * 1e3
    foot, post = (y <= 10) & (x <= 80), (x <= 10) & (y <= 40)
    return (foot | post) & (x >= 0) & (y >= 0) & (z >= 0) & (z <= 50)


def brute(points: Floats, vertices: Floats, faces: Ints) -> Floats:
    corners = vertices[faces]
    every = [
        np.linalg.norm(points - closest_on_triangles(points, np.broadcast_to(t, (len(points), 3, 3))), axis=1)
        for t in corners
    ]
    return np.min(every, axis=0)


def test_distance_to_a_box_is_the_closed_form() -> None:
    low, high = np.array([-0.03, -0.02, -0.01]), np.array([0.03, 0.02, 0.01])
    solid = Solid(*box(tuple(low), tuple(high)))
    points = np.random.default_rng(1).uniform(-0.06, 0.06, (4000, 3))
    outside = np.linalg.norm(np.maximum(np.maximum(low - points, points - high), 0), axis=1)
    within = np.minimum(points - low, high - points).min(axis=1)
    expected = np.where(within > 0, -within, outside)
    assert np.abs(solid.signed(points) - expected).max() < 1e-9


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_nearest_is_never_below_brute_force_and_above_by_rounding_at_most(size: float) -> None:
    vertices, faces = bracket()
    vertices = vertices * size
    solid = Solid(vertices, faces)
    points = np.random.default_rng(2).uniform(0, 0.08 * size, (3000, 3))
    distance, closest, face = solid.nearest(points)
    exact = brute(points, vertices, faces)
    assert (distance >= exact - 1e-12 * size).all()
    assert (distance <= exact + solid.rounding).all()
    again = closest_on_triangles(points, vertices[faces][face])
    assert np.abs(closest - again).max() < 1e-12 * size


def test_an_offset_of_metres_costs_no_precision() -> None:
    vertices, faces = bracket()
    away = np.array([1.5, -800.0, 30.0])
    points = np.random.default_rng(3).uniform(-0.02, 0.1, (2000, 3))
    here, there = Solid(vertices, faces).signed(points), Solid(vertices + away, faces).signed(points + away)
    assert np.abs(here - there).max() < 1e-9


def test_sides_of_a_concave_part() -> None:
    vertices, faces = bracket()
    points = np.random.default_rng(4).uniform(-0.01, 0.09, (30000, 3))
    assert np.array_equal(Solid(vertices, faces).inside(points), in_bracket(points))


def test_sides_hold_straight_above_edges_and_corners() -> None:
    """Rays along the lattice of a part meet edges and corners; a count of crossings alone would miscount."""
    vertices, faces = bracket()
    grid = np.array(np.meshgrid(*[np.arange(-0.0125, 0.0926, 0.005)] * 3)).reshape(3, -1).T
    assert np.array_equal(Solid(vertices, faces).inside(grid), in_bracket(grid))


def test_points_on_edges_have_no_distance() -> None:
    vertices, faces = bracket()
    edges = np.concatenate(
        [vertices[faces].mean(axis=1), vertices, (vertices[faces[:, 0]] + vertices[faces[:, 1]]) / 2]
    )
    assert np.abs(Solid(vertices, faces).signed(edges)).max() < 1e-15


def test_rays_that_disagree_are_settled_by_the_solid_angle(monkeypatch: pytest.MonkeyPatch) -> None:
    vertices, faces = bracket()
    solid = Solid(vertices, faces)
    points = np.random.default_rng(5).uniform(-0.01, 0.09, (300, 3))
    lies = iter(range(100))
    monkeypatch.setattr(solid, "_crossings", lambda p, ray: np.full(len(p), next(lies)))
    assert np.array_equal(solid.inside(points), in_bracket(points))


def test_an_open_mesh_has_unsigned_distances() -> None:
    solid = Solid(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]]))
    assert solid.unsigned(np.array([[0.2, 0.2, -0.5], [-3, -4, 0]])) == pytest.approx([0.5, 5.0])


def test_thickness_is_the_length_of_the_ray() -> None:
    solid = Solid(*bracket())
    rays = np.array([[0.05, 0.0001, 0.02], [0.05, 0.005, 0.0001]]), np.array([[0.0, 1, 0], [0, 0, 1]])
    assert solid.thickness(*rays) == pytest.approx([0.0099, 0.0499], rel=1e-5)


def test_samples_stand_for_equal_areas() -> None:
    vertices, faces = box((0, 0, 0), (1, 2, 3))
    points, face = samples(vertices, faces, 22000)
    assert np.abs(np.linalg.norm(points - closest_on_triangles(points, vertices[faces[face]]), axis=1)).max() < 1e-12
    share = np.bincount(face // 2, minlength=6) / len(points) * 22
    assert share == pytest.approx([6, 6, 3, 3, 2, 2], abs=2e-3)
    assert points.mean(axis=0) == pytest.approx([0.5, 1, 1.5], abs=2e-3)
    assert np.array_equal(points, samples(vertices, faces, 22000)[0])


def test_describe_weighs_by_area() -> None:
    d = np.arange(1.0, 101.0)
    said = describe(d)
    assert (said.max, said.p99, said.p95, said.mean) == (100, 99, 95, 50.5)
    assert said.rms == pytest.approx(np.sqrt((d**2).mean()))
    heavy = describe(np.array([5.0, 1.0]), np.array([0.02, 0.98]))
    assert (heavy.p95, heavy.p99, heavy.max) == (1.0, 5.0, 5.0)
    assert heavy.mean == pytest.approx(1.08)
    assert describe(np.zeros(0)).max == 0


def test_no_points_is_no_trouble() -> None:
    solid = Solid(*bracket())
    nothing = np.zeros((0, 3))
    assert len(solid.signed(nothing)) == len(solid.thickness(nothing, nothing)) == 0
    assert solid.inside(np.full((2, 3), 9.0)).tolist() == [False, False]
