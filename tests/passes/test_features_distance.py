"""Distances between two picked faces, against shapes whose size is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scan_shapes

from r2s.compiler.ir import Floats, Ints, Piece, floats
from r2s.compiler.readings import Feature, Point
from r2s.passes.caliper.features import Pose, Stage, Value, measure, placed, stage_of_pieces

NO_FACES = np.zeros((0, 3), dtype=np.int64)
SIZE = (0.08, 0.06, 0.1)
SIGMA = 5e-5
UNUSED = Pose(np.eye(3), None, np.zeros(3), 0.0)  # picks need no pose


def box_cloud(seed: int, grow: float = 0.0, pitch: float = 1e-3) -> tuple[Floats, Floats]:
    """Points on a box about the origin with *SIGMA* along the normal, each face moved out by *grow*; and normals."""
    rng = np.random.default_rng(seed)
    points, normals = [], []
    for axis in range(3):
        others = [k for k in range(3) if k != axis]
        count = int(np.prod(np.array(SIZE)[others]) / pitch**2)
        for side in (-1.0, 1.0):
            face, normal = np.zeros((count, 3)), np.zeros((count, 3))
            face[:, others] = rng.uniform(-0.5, 0.5, (count, 2)) * np.array(SIZE)[others]
            face[:, axis] = side * (SIZE[axis] / 2 + grow + rng.normal(0, SIGMA, count))
            normal[:, axis] = side
            points.append(face)
            normals.append(normal)
    return np.concatenate(points), np.concatenate(normals)


def cloud(points: Floats, normals: Floats | None = None, unit: str = "m", sigma: float = SIGMA) -> Stage:
    from scipy.spatial import cKDTree

    spacing = float(np.median(cKDTree(points).query(points[::20], k=2)[0][:, 1]))
    return Stage(
        points, NO_FACES, sigma, spacing, 0.0, "points", (), np.zeros((0, 3)) if normals is None else normals, unit
    )


def mesh(shape: tuple[Floats, Ints]) -> Stage:
    return Stage(*shape, 0.0, 0.0, 0.0, "mesh")


def distance(start: Point, end: Point) -> Feature:
    return Feature("distance", start=start, end=end)


def read(stage: Stage, feature: Feature) -> Value:
    found = measure(stage, feature, UNUSED)
    assert not found.refused, found.refused
    return found


def exact_box() -> Stage:
    return mesh(scan_shapes.box(SIZE, (-0.04, -0.03, -0.05)))


ACROSS = (
    (distance((-0.0405, 0.005, 0.01), (0.0396, -0.003, -0.008)), 0.08),  # typed half a millimetre off the faces
    (distance((0.003, 0.005, -0.05), (-0.01, -0.003, 0.05)), 0.1),
)


def test_noise_is_told_apart_from_the_faces() -> None:
    pulls, errors = [], []
    for seed in range(6):
        stage = cloud(*box_cloud(seed))
        for feature, truth in ACROSS:
            found = read(stage, feature)
            errors.append(found.value - truth)
            pulls.append(errors[-1] / found.u)
            assert found.u < 0.05e-3

    assert np.abs(pulls).max() < 3.5
    assert 0.5 < np.std(pulls) < 1.5
    assert np.abs(errors).max() < 0.1e-3


def test_exact_faces_are_read_exactly_on_any_stage() -> None:
    shape = scan_shapes.box(SIZE, (-0.04, -0.03, -0.05))
    none = floats(np.zeros(3))
    left = scan_shapes.box((0.05, 0.06, 0.1), (-0.04, -0.03, -0.05))
    right = scan_shapes.box((0.03, 0.06, 0.1), (0.01, -0.03, -0.05))  # the cut between them is no face
    pieces = tuple(Piece("mesh", floats(v), f, none, floats(np.eye(3)), none) for v, f in (left, right))
    for stage in (mesh(shape), stage_of_pieces(pieces)):
        for feature, truth in ACROSS:
            assert read(stage, feature).value == pytest.approx(truth, abs=1e-9)
    found = measure(stage_of_pieces(pieces), distance((-0.04, 0, 0), (0.0105, 0.002, 0)), UNUSED)
    assert "no surface near the pick 'to'" in found.refused


def test_a_length_does_not_depend_on_the_pose_or_the_unit() -> None:
    from scipy.spatial.transform import Rotation

    points, normals = box_cloud(1)
    turn = Rotation.from_rotvec((0.3, -0.7, 1.1)).as_matrix()
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = 1000 * turn, (5.0, -20.0, 100.0)
    moved = points @ matrix[:3, :3].T + matrix[:3, 3]
    here, there = cloud(points, normals), cloud(moved, normals @ turn.T, "", 1000 * SIGMA)
    for feature, _ in ACROSS:
        one, other = read(here, feature), read(there, placed(feature, matrix))
        # the frame in which a patch is fitted is another one, and rounding may move a point across its rim
        assert other.value == pytest.approx(1000 * one.value, abs=1000 * one.u)
        assert other.u == pytest.approx(1000 * one.u, rel=0.3)
    scaled = cloud(1024 * points, normals, "", 1024 * SIGMA)
    for feature, _ in ACROSS:
        one, other = read(here, feature), read(scaled, placed(feature, np.diag([1024.0, 1024, 1024, 1])))
        assert other.value == pytest.approx(1024 * one.value, rel=1e-9)


def test_an_offset_moves_an_outside_distance_by_twice_itself() -> None:
    feature = ACROSS[0][0]
    thin, fat = (read(cloud(*box_cloud(3, grow)), feature) for grow in (0.0, 0.2e-3))

    # the larger box has the larger patches, so a few other points
    assert fat.value - thin.value == pytest.approx(0.4e-3, abs=thin.u)
    assert thin.u < 0.03e-3


def test_normals_are_not_needed() -> None:
    points, normals = box_cloud(4)
    for feature, truth in ACROSS:
        bare, oriented = read(cloud(points), feature), read(cloud(points, normals), feature)
        assert bare.value == pytest.approx(truth, abs=3 * bare.u)
        assert "sides unknown" in bare.how
        assert "material between" in oriented.how


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        ((-0.06, 0, 0), (0.04, 0, 0), "no surface near the pick 'from': the nearest is 20 mm away"),
        ((-0.04, 0, 0), (0.0, -0.03, 0), "not parallel: they meet at 90.0 degrees"),
        ((-0.04, 0.03, 0.01), (0.04, 0, 0), "the pick 'from' lies on an edge"),
        ((-0.04, 0, 0), (0.04, 0.03, 0.05), "the pick 'to' lies on an edge"),
    ],
)
def test_a_refusal_says_what_is_wrong_and_by_how_much(start: Point, end: Point, said: str) -> None:
    found = measure(exact_box(), distance(start, end), UNUSED)

    assert said in found.refused
    assert np.isnan(found.value)


def test_lengths_in_messages_are_the_file_s_own_while_the_unit_is_unknown() -> None:
    stage = replace(exact_box(), unit="")

    assert "0.02 of the file's numbers" in measure(stage, distance((-0.06, 0, 0), (0.04, 0, 0)), UNUSED).refused


def test_a_pick_between_two_faces_is_ambiguous() -> None:
    plate = mesh(scan_shapes.box((0.08, 0.06, 0.003)))

    said = measure(plate, distance((0.04, 0.03, 0.0014), (0.03, 0.03, 0.003)), UNUSED).refused
    assert said.startswith("the pick 'from' is ambiguous: one face is 1.4 mm away, another 1.6 mm")
    assert read(plate, distance((0.04, 0.03, -0.0003), (0.03, 0.03, 0.0034))).value == pytest.approx(0.003, abs=1e-9)
