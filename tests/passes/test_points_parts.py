"""The steps of ingest and of emission that are plain arithmetic, each by itself."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import trimesh
from scan_shapes import MM, box

from r2s.compiler.ir import Floats, Ints
from r2s.passes.mjcf.massprops import shell, solid
from r2s.passes.mjcf.rotation import matrix, principal, quaternion
from r2s.passes.points.frame import from_source, levelled, moved, rotation_of, tilt_of
from r2s.passes.points.points import Points
from r2s.passes.points.support_plane import Plane, table_of, without_table
from r2s.passes.points.thin import thinned

NO_FACES: Ints = np.zeros((0, 3), dtype=np.int64)
NONE: Floats = np.zeros((0, 3))


def turns(count: int, seed: int = 1) -> Floats:
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.random(count, random_state=seed).as_matrix())


def test_a_quaternion_is_its_rotation_with_w_not_negative() -> None:
    from scipy.spatial.transform import Rotation

    half = [np.diag([1.0, -1, -1]), np.diag([-1.0, 1, -1]), np.diag([-1.0, -1, 1])]
    for turn in (*turns(200), np.eye(3), *half):
        found = quaternion(turn)
        assert found[0] >= 0
        assert np.linalg.norm(found) == pytest.approx(1)
        assert matrix(found) == pytest.approx(turn, abs=1e-12)
        told = Rotation.from_matrix(turn).as_quat(canonical=True)[[3, 0, 1, 2]]
        if found[0] > 1e-9:
            assert found == pytest.approx(told, abs=1e-9)
    assert matrix(2 * quaternion(half[0])) == pytest.approx(half[0])


def test_principal_axes_turn_as_little_as_they_can() -> None:
    moments = np.array([1.0, 2.0, 2.5])
    for turn in turns(30, seed=2):
        found, axes = principal(turn @ np.diag(moments) @ turn.T)
        assert axes @ np.diag(found) @ axes.T == pytest.approx(turn @ np.diag(moments) @ turn.T)
        assert np.linalg.det(axes) == pytest.approx(1)
        frames = [
            np.eye(3)[:, order] * np.array(signs)
            for order in itertools.permutations(range(3))
            for signs in itertools.product((1.0, -1.0), repeat=3)
        ]
        best = max(np.trace(axes @ f) for f in frames if np.linalg.det(f) > 0)
        assert np.trace(axes) >= best - 1e-9


def cut_finer(vertices: Floats, faces: Ints, some: Ints) -> Floats:
    """Triangles of the mesh, those of *some* cut into four: the same shape with another mean of its corners."""
    triangles = vertices[faces]
    a, b, c = np.moveaxis(triangles[some], 1, 0)
    ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
    parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return np.concatenate([np.delete(triangles, some, axis=0), *(np.stack(p, axis=1) for p in parts)])


@pytest.mark.parametrize("of", [solid, shell])
def test_mass_does_not_depend_on_how_faces_are_cut(of: object) -> None:
    vertices, faces = box((0.3, 0.2, 0.1), at=(1.0, 2.0, 3.0))
    vertices = vertices + 0.05 * vertices[:, [1]] * [1, 0, 0]  # slanted: no symmetry hides a slip
    whole, cut = (of(t) for t in (vertices[faces], cut_finer(vertices, faces, np.array([0, 1, 5]))))  # type: ignore[operator]
    assert cut.measure == pytest.approx(whole.measure)
    assert cut.com == pytest.approx(whole.com)
    assert cut.gyration == pytest.approx(whole.gyration, abs=1e-12)
    made = trimesh.Trimesh(vertices, faces)
    told = made.center_mass if of is solid else made.centroid
    assert whole.com == pytest.approx(told)


def test_a_dense_cloud_is_averaged_in_cells_of_the_files_own_grid() -> None:
    rng = np.random.default_rng(1)
    points = rng.uniform(-50, 50, (30_000, 3)) * [1, 1, 0.02]
    up = np.tile([0.0, 0.0, 1.0], (30_000, 1)) + rng.normal(0, 0.1, (30_000, 3))
    found, edge = thinned(Points(points, up, NO_FACES), 3000, 0.3)
    assert edge == float(f"{edge:.1e}")
    index = np.floor(points / edge).astype(int)
    cells, which = np.unique(index, axis=0, return_inverse=True)
    assert len(found.points) == len(cells) <= 3000
    assert len(cells) > 1500
    means = np.array([points[which.ravel() == k].mean(axis=0) for k in range(0, len(cells), 97)])
    assert found.points[::97] == pytest.approx(means)
    assert np.linalg.norm(found.normals, axis=1) == pytest.approx(np.ones(len(cells)))
    assert found.normals[:, 2].min() > 0.7
    # a crop moves no cell
    half, same = thinned(Points(points[points[:, 0] < 0], NONE, NO_FACES), 1500, 0.3)
    assert same == pytest.approx(edge, rel=0.2)
    assert half.normals.shape == (0, 3)


def test_the_grid_grows_until_the_cells_fit_and_no_further() -> None:
    line = np.column_stack([np.arange(4000.0), np.zeros(4000), np.zeros(4000)])
    found, edge = thinned(Points(line, NONE, NO_FACES), 1000, 1.0)
    assert len(found.points) <= 1000
    assert len(found.points) > 700
    assert len(np.unique(np.floor(line[:, 0] / edge))) == len(found.points)
    exact, width = thinned(Points(line[:2001], NONE, NO_FACES), 1001, 0.7072)
    assert (len(exact.points), width) == (1001, 2.0)  # as many as are allowed


@pytest.mark.parametrize(("count", "spacing"), [(1000, 1.0), (5000, 0.0), (5000, float("nan"))])
def test_a_small_cloud_and_one_without_spacing_stay(count: int, spacing: float) -> None:
    cloud = Points(np.random.default_rng(1).uniform(0, 1, (count, 3)), NONE, NO_FACES)
    found, edge = thinned(cloud, 1000, spacing)
    assert found is cloud
    assert edge == 0.0
    mesh = Points(np.zeros((5000, 3)), NONE, np.array([[0, 1, 2]]))
    assert thinned(mesh, 1000, 1.0)[1] == 0.0


def test_a_far_scan_is_moved_by_a_round_number_and_a_near_one_stays() -> None:
    cloud = np.random.default_rng(2).uniform(0, 100, (50, 3))
    near = from_source(cloud, 1e-3, np.eye(3))
    assert near == pytest.approx(np.diag([1e-3, 1e-3, 1e-3, 1]))
    away = cloud + np.array([500_000, -4_000_000, 200])
    far = from_source(away, 1e-3, rotation_of("y"))
    assert far[:3, :3] == pytest.approx(1e-3 * rotation_of("+x-z+y"))
    assert far[:3, 3] * 10 == pytest.approx(np.round(far[:3, 3] * 10), abs=1e-6)
    there = moved(away, far)
    assert np.abs(there).max() < 1.2
    assert np.ptp(there, axis=0) == pytest.approx(np.ptp(cloud @ rotation_of("y").T * 1e-3, axis=0))


def test_moving_is_the_map_and_keeps_the_digits_of_far_numbers() -> None:
    by = from_source(np.array([[0.0, 0, 0], [1, 1, 1]]), 2.0, turns(1)[0])
    by[:3, 3] = [3, -4, 5]
    points = np.random.default_rng(3).uniform(-1, 1, (20, 3))
    assert moved(points, by) == pytest.approx(points @ by[:3, :3].T + by[:3, 3])


@pytest.mark.parametrize("seed", range(4))
def test_levelling_turns_the_table_up_by_the_smallest_turn(seed: int) -> None:
    normal = turns(1, seed)[0][:, 2]
    table = Plane((float(normal[0]), float(normal[1]), float(normal[2])), 0.0, 0.0, 100)
    found = levelled(np.eye(3), table)
    assert found @ normal == pytest.approx([0, 0, 1])
    assert np.linalg.det(found) == pytest.approx(1)
    angle = np.arccos((np.trace(found) - 1) / 2)
    assert angle == pytest.approx(np.arccos(normal[2]), abs=1e-9)
    assert tilt_of(table, np.eye(3)) == pytest.approx(np.arccos(normal[2]))
    assert tilt_of(table, found) == pytest.approx(0, abs=1e-9)


def test_a_level_table_a_missing_one_and_one_upside_down() -> None:
    turn = rotation_of("y")
    assert levelled(turn, None) is turn
    up = Plane((0.0, np.sin(0.008), np.cos(0.008)), 0.0, 0.0, 1)
    assert levelled(np.eye(3), up).tolist() == np.eye(3).tolist()
    tilted = Plane((0.0, float(np.sin(0.01)), float(np.cos(0.01))), 0.0, 0.0, 1)
    assert levelled(np.eye(3), tilted) @ np.array(tilted.normal) == pytest.approx([0, 0, 1])
    down = levelled(np.eye(3), Plane((0.0, 0.0, -1.0), 0.0, 0.0, 1))
    assert down @ [0, 0, -1] == pytest.approx([0, 0, 1])
    assert np.linalg.det(down) == pytest.approx(1)


def on_table(seed: int, *, size: float = 400.0, tilt: Floats | None = None) -> tuple[Floats, int]:
    """A box of 80 x 50 x 40 on a noisy table of *size*, and how many points the table has."""
    rng = np.random.default_rng(seed)
    table = np.column_stack([rng.uniform(-size / 2, size / 2, (8000, 2)), rng.normal(0, 0.2, 8000)])
    inside = (np.abs(table[:, 0]) < 40) & (np.abs(table[:, 1]) < 25)
    table = table[~inside]
    made = trimesh.creation.box(bounds=[[-40, -25, 0], [40, 25, 40]])
    points, face = trimesh.sample.sample_surface(made, 9000, seed=seed)
    points = (
        points[made.face_normals[face][:, 2] > -0.5]
        + rng.normal(0, 0.2, (9000, 3))[: int((made.face_normals[face][:, 2] > -0.5).sum())]
    )
    both = np.concatenate([table, points])
    return (both if tilt is None else both @ tilt.T) + [7, 8, 9], len(table)


@pytest.mark.parametrize("tilt", [None, turns(1, 5)[0], np.diag([1.0, -1.0, -1.0])], ids=["level", "tilted", "down"])
def test_the_table_is_found_and_what_stands_on_it_is_kept(tilt: Floats | None) -> None:
    points, count = on_table(1, tilt=tilt)
    found = table_of(points, 0.2, 1.0)
    assert found is not None
    up = np.array([0.0, 0, 1]) if tilt is None else tilt[:, 2]
    assert np.array(found.normal) @ up == pytest.approx(1, abs=1e-5)
    assert found.height == pytest.approx(np.array([7, 8, 9]) @ up, abs=0.05)
    assert found.scatter == pytest.approx(0.2, rel=0.15)
    assert abs(found.count - count) < 0.1 * count
    kept = without_table(Points(points, NONE, NO_FACES), found, 0.2)
    assert found.above(kept.points).min() > 0.6
    assert found.above(kept.points).max() == pytest.approx(40, abs=1)
    beside = np.abs((kept.points - [7, 8, 9]) @ (np.eye(3) if tilt is None else tilt))[:, :2] > [41.5, 26.5]
    assert beside.any(axis=1).mean() < 0.01


def test_a_part_alone_has_no_table() -> None:
    points, count = on_table(2)
    assert table_of(points[count:], 0.2, 1.0) is None
    assert table_of(points[:count], 0.2, 1.0) is None  # nothing stands on it
    assert table_of(points[:199], 0.2, 1.0) is None
    plate, faces = trimesh.sample.sample_surface(trimesh.creation.box(extents=(100, 100, 5)), 6000, seed=3)
    assert len(faces) == 6000
    assert table_of(np.asarray(plate), 0.0, 1.0) is None


def test_a_wall_on_one_side_is_no_table() -> None:
    """A step: its lower face reaches beyond what stands on it, on one side only."""
    rng = np.random.default_rng(4)
    low = np.column_stack([rng.uniform(0, 100, 5000), rng.uniform(0, 100, 5000), rng.normal(0, 0.05, 5000)])
    high = np.column_stack([rng.uniform(-40, 0, 2000), rng.uniform(0, 100, 2000), 30 + rng.normal(0, 0.05, 2000)])
    side = np.column_stack([np.zeros(1500), rng.uniform(0, 100, 1500), rng.uniform(0, 30, 1500)])
    assert table_of(np.concatenate([low, high, side]), 0.05, 1.0) is None


def test_millimetres_here_are_metres() -> None:
    """Guards the helper: sizes of the mesh that is cut finer."""
    vertices, faces = box((3 * MM, 2 * MM, MM))
    whole, cut = vertices[faces], cut_finer(vertices, faces, np.array([0]))
    assert (len(whole), len(cut)) == (12, 15)
