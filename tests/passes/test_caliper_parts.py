"""The steps of the virtual caliper, each by itself: local fits, samples, peaks, faces, rings, axes."""

from __future__ import annotations

from math import hypot, sqrt

import numpy as np
import pytest
import trimesh
from scan_shapes import box, sphere

from r2s.compiler.ir import Floats, Ints
from r2s.passes.caliper import pose
from r2s.passes.caliper.contact import Contact, touch
from r2s.passes.caliper.local import across_of, normals_of, roughness, spacing_of
from r2s.passes.caliper.peak import peak
from r2s.passes.caliper.pose import pose_of, smallest_box
from r2s.passes.caliper.revolve import axis_center, revolution_of
from r2s.passes.caliper.ring import ring
from r2s.passes.caliper.stage import Samples, Stage, face_normals, samples_of, spread, thinned

NO_FACES = np.zeros((0, 3), dtype=np.int64)
UP = np.array([0.0, 0.0, 1.0])


def cloud(points: Floats, noise: float, spacing: float = 0.0) -> Samples:
    return samples_of(Stage(points, NO_FACES, noise, spacing, 0.0, "points"))


def plate(count: int, sigma: float, seed: int, size: float = 100.0) -> Floats:
    """A noisy square on z = 0 over a noisy square on z = -20."""
    rng = np.random.default_rng(seed)
    place = rng.uniform(-size / 2, size / 2, (2 * count, 2))
    return np.column_stack([place, np.repeat([0.0, -20.0], count) + rng.normal(0, sigma, 2 * count)])


def test_directions_across_are_unit_and_across() -> None:
    for direction in (UP, np.array([0.6, 0.0, -0.8]), np.ones(3) / sqrt(3)):
        frame = np.vstack([across_of(direction), direction])
        assert np.allclose(frame @ frame.T, np.eye(3), atol=1e-12)


def test_spacing_is_the_median_way_to_the_nearest() -> None:
    line = np.column_stack([np.arange(100) * 0.5, np.zeros(100), np.zeros(100)])
    assert spacing_of(line) == pytest.approx(0.5)
    many = np.random.default_rng(1).uniform(0, 100, (20_000, 3)) * [1, 1, 0]
    assert spacing_of(many) == pytest.approx(0.5 * sqrt(100**2 / 20_000) * 2 * sqrt(np.log(2) / np.pi), rel=0.05)


@pytest.mark.parametrize("sigma", [0.05, 0.3])
def test_roughness_is_the_noise(sigma: float) -> None:
    rng = np.random.default_rng(2)
    ray = rng.normal(size=(8000, 3))
    ray /= np.linalg.norm(ray, axis=1, keepdims=True)
    assert roughness(ray * (30 + rng.normal(0, sigma, (8000, 1))), None) == pytest.approx(sigma, rel=0.1)
    vertices, faces = sphere(30.0, 5)
    noisy = vertices * (1 + rng.normal(0, sigma, (len(vertices), 1)) / 30)
    assert roughness(noisy, faces) == pytest.approx(sigma, rel=0.15)


def test_exact_geometry_has_no_roughness() -> None:
    flat = np.stack(np.meshgrid(np.arange(40.0), np.arange(40.0), [0.0]), axis=-1).reshape(-1, 3)
    assert roughness(flat, None) == 0
    noisy = flat + np.random.default_rng(1).normal(0, 0.1, flat.shape)
    assert roughness(noisy, None) > 0
    assert roughness(noisy[:71], None) == 0  # too few to tell
    assert roughness(*box((1, 2, 3))) == 0


def test_normals_of_a_noisy_plane() -> None:
    points = plate(3000, 0.1, seed=3)
    found = normals_of(points, 0.1, spacing_of(points))
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(6000))
    inner = np.abs(points[:, :2]).max(axis=1) < 45
    assert np.median(np.abs(found[inner, 2])) > 0.999


def test_samples_are_spread_evenly_whatever_the_mesh() -> None:
    coarse = trimesh.creation.box(extents=(10, 20, 30))
    fine = coarse.subdivide().subdivide()
    mixed = trimesh.util.concatenate(
        [coarse, trimesh.creation.icosphere(subdivisions=4, radius=2).apply_translation((40, 0, 0))]
    )
    for made in (coarse, fine, mixed):
        points, normals, weights = spread(np.asarray(made.vertices), np.asarray(made.faces), 16_000)
        assert weights.sum() == pytest.approx(made.area)
        assert 10_000 < len(points) < 24_000
        assert np.linalg.norm(normals, axis=1) == pytest.approx(np.ones(len(points)))
        assert (points * weights[:, None]).sum(axis=0) / weights.sum() == pytest.approx(
            made.triangles_center.T @ made.area_faces / made.area, abs=1e-9
        )
    # of one large face, every part of it holds its share
    points, _, _ = spread(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]]), 10_000)
    assert len(points) == 10_000
    for corner in (points[:, 0] > 0.5, points[:, 1] > 0.5, points[:, :2].sum(axis=1) < 0.5):
        assert corner.mean() == pytest.approx(0.25, abs=0.01)
    assert (points[:, :2] > 0).all()
    assert (points[:, :2].sum(axis=1) < 1).all()


def test_face_normals_point_outward_however_all_faces_are_wound() -> None:
    vertices, faces = box((1.0, 2.0, 3.0))
    for wound in (faces, faces[:, ::-1]):
        normals, areas = face_normals(vertices, wound)
        away = vertices[wound].mean(axis=1) - vertices.mean(axis=0)
        assert ((normals * away).sum(axis=1) > 0).all()
        assert areas.sum() == pytest.approx(22)


def test_thinning_draws_the_same_points_and_keeps_their_order() -> None:
    points = np.arange(3000.0).reshape(1000, 3)
    few = thinned(points, 100)
    assert np.array_equal(few, thinned(points, 100))
    assert (np.diff(few[:, 0]) > 0).all()
    assert len(np.unique(few[:, 0])) == 100
    assert few[:, 0].mean() == pytest.approx(1500, rel=0.1)
    assert thinned(points, 1000) is points


def test_samples_of_a_cloud_stand_for_its_area() -> None:
    points = plate(8000, 0.0, seed=4)
    found = cloud(points, 0.1, spacing_of(points))
    assert found.weights == pytest.approx(np.full(16_000, 4 * spacing_of(points) ** 2))
    assert found.weights.sum() == pytest.approx(2 * 100**2, rel=0.15)
    assert (found.sigma, found.patch, found.oriented) == (0.1, 1.0, False)
    assert found.size == pytest.approx(sqrt(100**2 + 100**2 + 20**2), rel=0.01)
    many = cloud(np.tile(points, (5, 1)) + np.random.default_rng(1).normal(0, 1e-3, (80_000, 3)), 0.1, 0.2)
    assert len(many.points) == 60_000
    assert many.spacing == pytest.approx(0.2 * sqrt(80_000 / 60_000))


def test_the_noise_of_a_mesh_is_shared_by_neighbours() -> None:
    vertices, faces = sphere(30.0, 3)
    found = samples_of(Stage(vertices, faces, 0.0, 0.0, 0.0, "mesh"))
    assert found.patch == pytest.approx(24 * len(found.points) / len(vertices))
    assert found.oriented
    assert found.spacing == pytest.approx(
        np.median(np.linalg.norm(vertices[faces[:, 0]] - vertices[faces[:, 1]], axis=1))
    )
    assert len(found.corners) == len(vertices)


@pytest.mark.parametrize("radius", [20.0, 200.0, 2000.0])
def test_the_top_of_a_dome_is_its_apex_and_not_its_noise(radius: float) -> None:
    """The highest of 10,000 points stands 3 to 4 sigma above the surface."""
    sigma, scores, half = 0.1, [], min(10.0, radius / 4)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        place = rng.uniform(-half, half, (10_000, 2))
        height = np.sqrt(radius**2 - (place**2).sum(axis=1)) - radius
        found = cloud(np.column_stack([place, height + rng.normal(0, sigma, 10_000)]), sigma)
        top, u, where, how = peak(found, UP)
        assert how == "top of a smooth fit"
        assert 0 < u < 0.5 * sigma
        assert np.hypot(*where[:2]) < 4 or radius > 100
        scores.append(top / u)
    assert abs(np.mean(scores)) < 2
    assert np.std(scores) < 2


def test_at_an_edge_the_expected_excess_is_taken_away() -> None:
    sigma, found = 0.1, []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        place = rng.uniform(-10, 10, (8000, 2))
        height = -12 * np.abs(place[:, 0])
        top, u, _, how = peak(cloud(np.column_stack([place, height + rng.normal(0, sigma, 8000)]), sigma), UP)
        found.append((top, u, how))
    tops, us = np.array([f[0] for f in found]), np.array([f[1] for f in found])
    assert [f[2] for f in found].count("highest points") >= 8
    assert abs(tops.mean()) < 0.12
    assert (np.abs(tops) < 3 * us).mean() > 0.9
    assert us.max() < 0.3


def test_exact_geometry_is_touched_at_its_outermost_vertex() -> None:
    vertices, faces = sphere(30.0, 2)
    found = samples_of(Stage(vertices, faces, 0.0, 0.0, 0.0, "mesh"))
    direction = np.array([0.6, 0.0, 0.8])
    top, u, where, how = peak(found, direction)
    assert (top, u, how) == ((vertices @ direction).max(), 0.0, "outermost vertex")
    assert where @ direction == pytest.approx(top)


def test_a_jaw_on_a_noisy_face_rests_on_its_plane_with_the_u_of_a_mean() -> None:
    sigma, contacts = 0.2, []
    for seed in range(16):
        contacts.append(touch(cloud(plate(1600, sigma, seed), sigma), UP))
    heights = np.array([c.height for c in contacts])
    assert all(c.is_face and c.how == "fitted face" for c in contacts)
    us = np.array([c.u for c in contacts])
    used = 1600 * 0.8**2  # the inner part, less its corners
    assert us.mean() == pytest.approx(sigma / sqrt(used), rel=0.35)
    assert 0.6 < heights.std() / us.mean() < 1.5
    assert abs(heights.mean()) < 4 * us.mean() / sqrt(16)
    assert np.mean([c.scatter for c in contacts]) == pytest.approx(sigma, rel=0.03)
    assert np.mean([c.area for c in contacts]) == pytest.approx(0.64 * 100**2, rel=0.15)


def test_heights_of_tilted_planes_are_read_at_one_place() -> None:
    normal = np.array([0.1, 0.0, 1.0]) / hypot(0.1, 1.0)
    tilted = Contact(5.0, 0.0, 0.0, "", np.array([0.0, 0.0, 5.0]), normal, area=1.0)
    assert tilted.height_at(np.array([10.0, 3.0, 0.0]), UP) == pytest.approx(4.0)
    loose = Contact(5.0, 0.0, 0.0, "", np.array([0.0, 0.0, 5.0]), UP)
    assert loose.height_at(np.array([10.0, 3.0, 0.0]), UP) == 5.0


def circle(
    radius: float, sigma: float, seed: int, *, turn: float = 2 * np.pi, cone: float = 0.0
) -> tuple[Floats, Floats]:
    """Points of a wall and how high they lie, within 5 of the middle."""
    rng = np.random.default_rng(seed)
    angle, along = rng.uniform(0, turn, 800), rng.uniform(-5, 5, 800)
    length = radius + cone * along + rng.normal(0, sigma, 800)
    return np.column_stack([length * np.cos(angle), length * np.sin(angle)]) + np.array([0.1, -0.2]), along


def test_a_ring_is_the_circle_of_its_wall() -> None:
    sigma, found = 0.1, [ring(*circle(30.0, 0.1, seed), 0.1, 1.0, "outer") for seed in range(20)]
    rings = [r for r in found if r is not None]
    assert len(rings) == 20
    score = np.array([(r.radius - 30) / r.u for r in rings])
    assert 0.6 < score.std() < 1.5
    assert abs(score.mean()) < 1
    assert np.mean([r.u for r in rings]) == pytest.approx(sigma / sqrt(800), rel=0.1)
    assert np.mean([r.scatter for r in rings]) == pytest.approx(sigma, rel=0.05)
    assert all(abs(r.slope) < 4 * r.u_slope for r in rings)
    assert all(r.reach == pytest.approx(5, rel=0.02) for r in rings)
    shared = ring(*circle(30.0, 0.1, 0), 0.1, 25.0, "outer")
    assert shared is not None
    assert shared.u == pytest.approx(5 * rings[0].u)


def test_a_cone_has_its_slope() -> None:
    found = ring(*circle(30.0, 0.05, 1, cone=0.2), 0.05, 1.0, "outer")
    assert found is not None
    assert found.slope == pytest.approx(0.2, abs=4 * found.u_slope)
    assert found.u_slope == pytest.approx(0.05 / sqrt(800 * 100 / 12), rel=0.1)
    assert found.radius == pytest.approx(30 + 0.2 * found.along, abs=5 * found.u)


def test_a_wall_is_told_from_the_other_one_and_from_a_handle() -> None:
    outer, inner, handle = circle(30.0, 0.1, 1), circle(25.0, 0.1, 2), circle(38.0, 0.1, 3, turn=0.4)
    where, along = (np.concatenate(parts) for parts in zip(outer, inner, handle, strict=True))
    outside, inside = ring(where, along, 0.1, 1.0, "outer"), ring(where, along, 0.1, 1.0, "inner")
    assert outside is not None
    assert inside is not None
    assert (outside.radius, inside.radius) == (pytest.approx(30, abs=0.05), pytest.approx(25, abs=0.05))


@pytest.mark.parametrize(("turn", "seen"), [(1.2 * np.pi, True), (0.8 * np.pi, False)])
def test_less_than_half_of_a_turn_is_no_ring(turn: float, seen: bool) -> None:
    assert (ring(*circle(30.0, 0.1, 1, turn=turn), 0.1, 1.0, "outer") is not None) == seen


def test_few_points_are_no_ring() -> None:
    where, along = circle(30.0, 0.0, 1)
    assert ring(where[:23], along[:23], 0.0, 1.0, "outer") is None


Mesh = tuple[Floats, Ints]


def of(made: trimesh.Trimesh) -> Mesh:
    return np.asarray(made.vertices, dtype=float), np.asarray(made.faces, dtype=np.int64)


TURN = trimesh.transformations.euler_matrix(0.4, -0.8, 0.2)[:3, :3]


@pytest.mark.parametrize(
    "made",
    [
        trimesh.creation.box(extents=(3, 4, 5)),
        trimesh.creation.cylinder(1.0, 4.0, sections=5),
        trimesh.creation.cone(2.0, 3.0, sections=6),
        trimesh.Trimesh(
            [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]
        ),
        trimesh.creation.extrude_triangulation(np.array([[0.0, 0], [6, 0], [0, 2]]), np.array([[0, 1, 2]]), 3.0),
    ],
    ids=["box", "pentagon", "cone", "tetrahedron", "wedge"],
)
def test_the_box_of_the_pose_is_hardly_larger_than_the_smallest(made: trimesh.Trimesh) -> None:
    vertices, faces = of(made)
    vertices = vertices @ TURN.T
    least = np.ptp(vertices @ smallest_box(vertices).T, axis=0).prod()
    assert least <= trimesh.bounds.oriented_bounds(trimesh.Trimesh(vertices, faces))[1].prod() * 1.002
    made_pose = pose_of(vertices, faces)
    extents = np.ptp(vertices @ made_pose.rotation.T, axis=0)
    assert extents.prod() <= 1.03 * least * (1 + 1e-9)
    assert extents[0] >= extents[1] * (1 - 1e-6)
    assert extents[1] >= extents[2] * (1 - 1e-6)
    assert np.linalg.det(made_pose.rotation) == pytest.approx(1)
    assert made_pose.support == vertices[:, 2].min()


def test_faces_that_ask_for_a_larger_box_are_not_its_faces(monkeypatch: pytest.MonkeyPatch) -> None:
    vertices, faces = of(trimesh.creation.box(extents=(3, 4, 5)))
    for angle, followed in ((0.3, False), (0.002, True)):
        turn = trimesh.transformations.rotation_matrix(angle, [0, 0, 1])[:3, :3]
        monkeypatch.setattr(pose, "_settled", lambda samples, rotation, turn=turn: rotation @ turn)
        found = np.ptp(vertices @ pose_of(vertices, faces).rotation.T, axis=0)
        assert (found.prod() > 60.01) == followed
        assert found.prod() < 1.03 * 60


@pytest.mark.parametrize("at", [(0, 0, 0), (50, -80, 300)])
def test_the_axis_of_a_turned_cylinder_and_a_point_on_it(at: tuple[float, float, float]) -> None:
    vertices, faces = of(trimesh.creation.cylinder(10.0, 30.0, sections=48))
    stage = Stage(vertices @ TURN.T + at, faces, 0.0, 0.0, 0.0, "mesh")
    axis, center = revolution_of(samples_of(stage), np.eye(3))
    assert axis is not None
    assert center is not None
    assert abs(float(axis @ TURN[:, 2])) == pytest.approx(1, abs=1e-6)
    assert axis[np.argmax(np.abs(axis))] > 0
    away = center - at
    assert np.linalg.norm(np.cross(away, axis)) < 0.01
    known = axis_center(samples_of(stage), TURN[:, 2])
    assert np.linalg.norm(np.cross(known - at, TURN[:, 2])) < 0.01


def test_a_ball_stands_upright_and_a_box_has_no_axis() -> None:
    ball, cube = (
        samples_of(Stage(*of(m), 0.0, 0.0, 0.0, "mesh"))
        for m in (trimesh.creation.icosphere(3), trimesh.creation.box())
    )
    axis, center = revolution_of(ball, np.eye(3))
    assert axis is not None
    assert center is not None
    assert axis.tolist() == [0, 0, 1]
    assert np.abs(center).max() < 1e-3
    assert revolution_of(cube, np.eye(3)) == (None, None)
