"""
The virtual caliper against shapes whose size is known, and against real objects whose size is published.

Synthetic lengths are in millimetres, real ones in metres: the caliper must not care.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from r2s.compiler.ir import Floats, Ints, Piece, floats, ints
from r2s.compiler.readings import FEATURES, Feature
from r2s.passes.caliper.features import PICKED, Pose, Stage, Value, measure, pose_of, stage_of_pieces

SIGMA = 0.3


def box(rng: np.random.Generator, size: tuple[float, float, float], a_face: int = 10_000, bulge: float = 0.0) -> Floats:
    """A box around the origin; its two z faces bulge by *bulge* in the middle."""
    faces = []
    for axis in range(3):
        others = [k for k in range(3) if k != axis]
        for side in (-1, 1):
            place = rng.uniform(-1, 1, (a_face, 2))
            face = np.zeros((a_face, 3))
            face[:, others] = place * np.array(size)[others] / 2
            dome = bulge * np.cos(place * np.pi / 2).prod(axis=1) if axis == 2 else 0.0
            face[:, axis] = side * (size[axis] / 2 + dome + rng.normal(0, SIGMA, a_face))
            faces.append(face)
    return np.concatenate(faces)


def rounded_box(rng: np.random.Generator, size: tuple[float, float, float], radius: float, count: int) -> Floats:
    """A box with all edges rounded; points are spread by the volume outside its core."""
    core = np.array(size) / 2 - radius
    point = rng.uniform(-1, 1, (4 * count, 3)) * (np.array(size) / 2 + 5)
    nearest = np.clip(point, -core, core)
    away = point - nearest
    length = np.linalg.norm(away, axis=1)
    far = length > radius / 2
    normal = away[far] / length[far, None]
    return (nearest[far] + normal * (radius + rng.normal(0, SIGMA, far.sum()))[:, None])[:count]


def tube(
    rng: np.random.Generator, outer: float, height: float, inner: float = 0.0, handle: bool = False, count: int = 20_000
) -> Floats:
    """A cylinder on z = 0 with flat ends, a bore of radius *inner*, and a mug's handle."""
    parts = []
    for radius in (outer, inner)[: 2 if inner else 1]:
        turn = rng.uniform(0, 2 * np.pi, count)
        parts.append(_polar(radius + rng.normal(0, SIGMA, count), turn, rng.uniform(0, height, count)))
    for level in (0.0, height):
        radius, turn = np.sqrt(rng.uniform(inner**2, outer**2, count // 3)), rng.uniform(0, 2 * np.pi, count // 3)
        parts.append(_polar(radius, turn, level + rng.normal(0, SIGMA, count // 3)))
    if handle:
        along, round_it = rng.uniform(-np.pi / 2, np.pi / 2, count // 6), rng.uniform(0, 2 * np.pi, count // 6)
        reach = 0.3 * height + 5 * np.cos(round_it)
        parts.append(
            np.column_stack([outer + reach * np.cos(along), 5 * np.sin(round_it), height / 2 + reach * np.sin(along)])
        )
    return np.concatenate(parts)


def ball(rng: np.random.Generator, radius: float, count: int = 10_000, above: float = -1.0) -> Floats:
    """A ball around the origin, without the cap below *above* (in radii)."""
    unit = rng.normal(size=(count, 3))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    unit = unit[unit[:, 2] >= above]
    return unit * (radius + rng.normal(0, SIGMA, len(unit)))[:, None]


def prism(sides: int, radius: float, height: float) -> tuple[Floats, Ints]:
    """An exact closed prism on z = 0, its vertices on a circle: what CAD exports for a cylinder."""
    turn = np.arange(sides) * 2 * np.pi / sides
    ring = np.column_stack([radius * np.cos(turn), radius * np.sin(turn)])
    bottom, top = np.column_stack([ring, np.zeros(sides)]), np.column_stack([ring, np.full(sides, height)])
    ends = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, height]])
    k, after = np.arange(sides), (np.arange(sides) + 1) % sides
    faces = [
        np.column_stack([k, after, after + sides]),
        np.column_stack([k, after + sides, k + sides]),
        np.column_stack([after, k, np.full(sides, 2 * sides)]),
        np.column_stack([k + sides, after + sides, np.full(sides, 2 * sides + 1)]),
    ]
    return np.concatenate([bottom, top, ends]), np.concatenate(faces).astype(np.int64)


def _polar(radius: Floats, turn: Floats, level: Floats) -> Floats:
    return np.column_stack([radius * np.cos(turn), radius * np.sin(turn), level])


NO_FACES = np.zeros((0, 3), dtype=np.int64)
BOX = (80.0, 60.0, 100.0)
ROUND = frozenset({"outer_diameter", "height"})


def cloud(points: Floats, scale: float = 1.0, floor: float = 0.0) -> Stage:
    """A stage as ingest would hand it on: the spacing is the median distance to the nearest neighbour."""
    from scipy.spatial import cKDTree

    spacing = float(np.median(cKDTree(points).query(points[::20], k=2)[0][:, 1]))
    return Stage(points * scale, NO_FACES, SIGMA * scale, spacing * scale, floor, "points")


def mesh(points: Floats, faces: Ints) -> Stage:
    return Stage(points, faces, 0.0, 0.0, 0.0, "mesh")


def turn(vector: tuple[float, float, float]) -> Floats:
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_rotvec(vector).as_matrix().T)


def read(stage: Stage, kind: str, pose: Pose | None = None, along: float | None = None) -> Value:
    found = measure(stage, Feature(kind, along=along), pose or pose_of(stage.points, stage.faces), ROUND)
    assert not found.refused, found.refused
    return found


def within(found: Value, truth: float) -> bool:
    return abs(found.value - truth) <= 2 * found.u


def calibrated(values: list[Value], truth: float, low: float, high: float) -> None:
    """Assert that the mean is unbiased, that u is neither too small nor too large, and that U95 holds the truth."""
    score = np.array([(v.value - truth) / v.u for v in values])
    error = np.array([v.value - truth for v in values])
    mean_u = float(np.mean([v.u for v in values]))

    assert abs(error.mean()) < 3 * mean_u / np.sqrt(len(values))
    assert low < score.std() < high
    assert np.mean(np.abs(score) < 2) >= 0.9


@pytest.mark.slow
def test_a_noisy_box_reads_its_faces_and_not_its_noise() -> None:
    """A bounding box of these points reads 2.4 mm too much."""
    pose = pose_of(box(np.random.default_rng(99), BOX))
    values: dict[str, list[Value]] = {"extent_x": [], "extent_y": [], "extent_z": []}
    for seed in range(20):
        stage = cloud(box(np.random.default_rng(seed), BOX, 5000))
        for kind, found in values.items():
            found.append(read(stage, kind, pose))

    for found, truth in zip(values.values(), BOX, strict=True):
        calibrated(found, truth, 0.5, 1.4)
        assert max(v.u for v in found) < 0.03
    pooled = [(v.value - t) / v.u for found, t in zip(values.values(), BOX, strict=True) for v in found]
    assert 0.65 < np.std(pooled) < 1.4


def test_box_axes_are_found_in_any_pose() -> None:
    rotation = turn((0.5, 0.3, 1.0))
    stage = cloud(box(np.random.default_rng(1), BOX) @ rotation)
    pose = pose_of(stage.points)

    cosine = np.abs(pose.rotation @ np.linalg.inv(rotation)[:, [2, 0, 1]]).diagonal()
    assert np.degrees(np.arccos(np.minimum(cosine, 1))).max() < 0.1
    assert np.linalg.det(pose.rotation) == pytest.approx(1)
    for kind, truth in (("extent_long", 100), ("extent_mid", 80), ("extent_short", 60)):
        found = read(stage, kind, pose)
        assert within(found, truth)
        assert abs(found.value - truth) < 0.03


def test_an_object_turned_about_z_is_refused_with_a_way_out() -> None:
    stage = cloud(box(np.random.default_rng(1), BOX) @ turn((0, 0, 0.3)))
    found = measure(stage, Feature("extent_x"), pose_of(stage.points))

    assert np.isnan(found.value)
    assert "17.2 degrees" in found.refused
    assert "extent_long" in found.refused


def test_a_slight_tilt_is_measured_on_the_face_and_charged() -> None:
    stage = cloud(box(np.random.default_rng(1), BOX) @ turn((0.012, 0, 0)))
    found = read(stage, "extent_z")

    assert abs(found.value - 100) < 0.05
    assert found.form > 0.2  # 0.7 degrees over 60 mm


def test_rounded_edges_do_not_pull_the_plane_down() -> None:
    for seed in range(2):
        stage = cloud(rounded_box(np.random.default_rng(seed), BOX, 8, 40_000))
        pose = pose_of(stage.points)
        for kind, truth in (("extent_long", 100), ("extent_mid", 80), ("extent_short", 60)):
            found = read(stage, kind, pose)
            assert abs(found.value - truth) < 0.03
            assert within(found, truth) or abs(found.value - truth) < 3 * found.u


def test_a_bulge_is_a_one_sided_share_of_the_uncertainty() -> None:
    """Jaws may rest on the edges, 60 mm apart, or on the bulges, 64 mm apart."""
    found = read(cloud(box(np.random.default_rng(3), (80, 90, 60), bulge=2.0)), "extent_short")

    assert 60.5 < found.value < 63
    assert within(found, 60)
    assert within(found, 64)
    assert found.form > 0.9 * found.u


def test_a_boss_holds_the_jaw() -> None:
    rng = np.random.default_rng(5)
    boss = np.column_stack([rng.uniform(-8, 8, (2000, 2)), 52 + rng.normal(0, SIGMA, 2000)])
    stage = cloud(np.concatenate([box(rng, BOX), boss]))

    assert abs(read(stage, "extent_z").value - 102) < 0.05


def test_a_mug_reads_without_its_handle() -> None:
    values = []
    for seed in range(3):
        stage = cloud(tube(np.random.default_rng(seed), 40, 100, handle=True))
        pose = pose_of(stage.points)
        assert pose.revolution is not None
        assert np.degrees(np.arccos(pose.revolution[2])) < 0.2
        values.append(read(stage, "outer_diameter", pose))
        assert within(read(stage, "outer_diameter", pose, along=30.0), 80)
        assert abs(read(stage, "height", pose).value - 100) < 0.03
    assert max(abs(v.value - 80) for v in values) < 0.02
    assert max(v.u for v in values) < 0.02


def test_a_tube_in_any_pose_reads_inside_and_outside() -> None:
    stage = cloud(tube(np.random.default_rng(2), 40, 60, inner=35) @ turn((0.4, -0.8, 0.1)))
    pose = pose_of(stage.points)

    assert abs(read(stage, "outer_diameter", pose).value - 80) < 0.03
    assert abs(read(stage, "inner_diameter", pose).value - 70) < 0.03
    assert within(read(stage, "inner_diameter", pose, along=30.0), 70)
    assert abs(read(stage, "height", pose).value - 60) < 0.06


def test_a_solid_has_no_inside_and_a_box_no_axis() -> None:
    solid = cloud(tube(np.random.default_rng(2), 40, 60))
    cube = cloud(box(np.random.default_rng(2), (60, 60, 60), a_face=4000))

    assert "no inside surface" in measure(solid, Feature("inner_diameter"), pose_of(solid.points)).refused
    assert "no axis of revolution" in measure(cube, Feature("outer_diameter"), pose_of(cube.points)).refused
    assert "not a sphere" in measure(cube, Feature("sphere_diameter"), pose_of(cube.points)).refused
    assert "not a sphere" in measure(solid, Feature("sphere_diameter"), pose_of(solid.points)).refused


@pytest.mark.parametrize(
    "above", [pytest.param(-1.0, id="whole"), pytest.param(-0.6, id="cap missing", marks=pytest.mark.slow)]
)
def test_a_noisy_ball(above: float) -> None:
    pose = pose_of(ball(np.random.default_rng(99), 20, above=above))
    stages = [cloud(ball(np.random.default_rng(seed), 20, 5000, above)) for seed in range(20)]

    calibrated([read(stage, "sphere_diameter", pose) for stage in stages], 40, 0.4, 1.4)
    calibrated([read(stage, "extent_x", pose) for stage in stages], 40, 0.5, 1.5)


@pytest.mark.parametrize(("scale", "exact"), [(2.0**-10, 1e-9), pytest.param(1e-3, 1e-4, marks=pytest.mark.slow)])
def test_lengths_follow_the_unit(scale: float, exact: float) -> None:
    for points in (box(np.random.default_rng(1), BOX, 1000), tube(np.random.default_rng(2), 40, 60, 35, count=4000)):
        large, small = cloud(points), cloud(points, scale)
        pose, other = pose_of(large.points), pose_of(small.points)
        for kind in ("extent_x", "extent_long", "extent_short", "height", "outer_diameter", "inner_diameter"):
            a = measure(large, Feature(kind), pose, ROUND)
            b = measure(small, Feature(kind), other, ROUND)
            assert a.refused == b.refused
            if not a.refused:
                assert b.value == pytest.approx(a.value * scale, rel=exact)
                assert b.how == a.how


def test_the_same_stage_reads_the_same() -> None:
    points = tube(np.random.default_rng(2), 40, 60, handle=True)
    first, second = (read(cloud(points), "outer_diameter") for _ in range(2))

    assert first == second


def test_an_exact_mesh_is_read_exactly_whatever_its_density() -> None:
    vertices, faces = prism(64, 40.0, 60.0)
    stage, pose = mesh(vertices, faces), pose_of(vertices, faces)

    assert read(stage, "extent_x", pose).value == pytest.approx(80, abs=1e-9)
    assert read(stage, "height", pose).value == pytest.approx(60, abs=1e-6)
    assert read(stage, "outer_diameter", pose).value == pytest.approx(80, rel=2e-3)
    assert read(stage, "outer_diameter", pose, along=20.0).value == pytest.approx(80, rel=2e-3)
    square = prism(4, 40.0, 60.0)
    assert read(mesh(*square), "extent_mid").value == pytest.approx(40 * np.sqrt(2), rel=1e-6)


def test_an_exact_cup_and_an_exact_plate_keep_their_walls_apart() -> None:
    outside, inside = prism(48, 30.0, 60.0), prism(48, 27.0, 57.0)
    vertices = np.concatenate([outside[0], inside[0] + [0, 0, 3]])
    faces = np.concatenate([outside[1], inside[1][:, ::-1] + len(outside[0])])
    cup, pose = mesh(vertices, faces), pose_of(vertices, faces)

    assert read(cup, "outer_diameter", pose).value == pytest.approx(60, rel=4e-3)
    assert read(cup, "inner_diameter", pose).value == pytest.approx(54, rel=4e-3)
    assert read(cup, "height", pose).value == pytest.approx(60, rel=1e-6)
    plate = prism(4, 40.0, 0.05)
    for stage in (mesh(*plate), mesh(plate[0], plate[1][:, ::-1])):
        assert read(stage, "extent_z").value == pytest.approx(0.05, rel=1e-3)


def test_a_thin_noisy_plate_keeps_its_thickness() -> None:
    stage = cloud(box(np.random.default_rng(4), (100, 80, 4)))

    assert abs(read(stage, "extent_z").value - 4) < 0.03


def test_pieces_are_measured_by_their_support() -> None:
    vertices, faces = prism(4, 40.0, 60.0)
    eye, none = np.eye(3), (floats(np.zeros((0, 3))), ints(np.zeros((0, 3))))
    hull = Piece("mesh", floats(vertices), ints(faces), floats(np.zeros(3)), floats(eye), floats(np.zeros(3)))
    knob = Piece("sphere", *none, floats([0, 0, 60]), floats(eye), floats([7, 0, 0]))
    pin = Piece("capsule", *none, floats([0, 0, 0]), floats(eye[:, [1, 2, 0]]), floats([5, 50, 0]))
    pose = pose_of(vertices, faces)

    both = stage_of_pieces((hull, knob, pin))
    assert measure(both, Feature("extent_z"), pose) == Value(
        67 + 5, 0.0, "support of the pieces", gain=2.0, along=(0.0, 0.0, 1.0)
    )
    assert measure(both, Feature("extent_x"), pose).value == pytest.approx(110)
    ball_alone = stage_of_pieces((knob,))
    assert measure(ball_alone, Feature("sphere_diameter"), pose).value == 14
    assert np.ptp(both.points[:, 0]) == pytest.approx(110, rel=1e-2)


def test_what_is_too_small_is_refused() -> None:
    stage = cloud(box(np.random.default_rng(1), BOX, 2000), floor=70.0)
    pose = pose_of(stage.points)

    assert "below the resolution floor" in measure(stage, Feature("extent_short"), pose).refused
    assert measure(stage, Feature("extent_long"), pose).refused == ""
    for kind in (k for k in FEATURES if k not in PICKED):
        found = measure(stage, Feature(kind), pose)
        assert bool(found.refused) == bool(np.isnan(found.value))


def scan_of(data: Path, name: str) -> Stage:
    """A real scan, as its file has it."""
    lines = (data / "ycb" / name / "scan.ply").read_text(encoding="ascii").splitlines()
    counts = [int(line.split()[-1]) for line in lines if line.startswith("element")]
    start = lines.index("end_header") + 1
    vertices = np.array([line.split()[:3] for line in lines[start : start + counts[0]]], dtype=np.float64)
    rows = lines[start + counts[0] : start + sum(counts)]
    return mesh(vertices, np.array([line.split()[1:4] for line in rows], dtype=np.int64))


# millimetres: what the object measures, and how far the copy that was scanned may differ from what is published
PUBLISHED = [
    ("077_rubiks_cube", "extent_long", None, 57.0, 0.3),
    ("077_rubiks_cube", "extent_mid", None, 57.0, 0.3),
    ("077_rubiks_cube", "extent_short", None, 57.0, 0.3),
    ("058_golf_ball", "sphere_diameter", None, 42.5, 0.2),
    ("055_baseball", "sphere_diameter", None, 73.8, 1.0),
    ("056_tennis_ball", "sphere_diameter", None, 67.0, 0.5),
    ("004_sugar_box", "extent_long", None, 175.0, 1.0),
    ("004_sugar_box", "extent_mid", None, 89.0, 1.5),
    ("004_sugar_box", "extent_short", None, 38.0, 3.5),
    ("005_tomato_soup_can", "outer_diameter", None, 66.0, 1.6),  # jaws meet the seams, which stand out from the body
    ("005_tomato_soup_can", "outer_diameter", 0.05, 66.0, 0.8),
    ("005_tomato_soup_can", "height", None, 101.0, 1.0),
    ("006_mustard_bottle", "extent_long", None, 190.0, 1.5),
    ("006_mustard_bottle", "extent_mid", None, 95.0, 1.0),
    ("006_mustard_bottle", "extent_short", None, 58.0, 0.5),
    ("024_bowl", "outer_diameter", None, 159.0, 1.5),
    ("024_bowl", "height", None, 53.0, 2.0),
    ("025_mug", "outer_diameter", 0.04, 80.0, 2.0),
    ("025_mug", "height", None, 82.0, 1.0),
    ("042_adjustable_wrench", "extent_long", None, 205.0, 2.5),
    ("061_foam_brick", "extent_long", None, 75.0, 0.5),
    ("061_foam_brick", "extent_mid", None, 50.0, 0.8),
    ("061_foam_brick", "extent_short", None, 50.0, 0.8),
]


QUICK = ("077_rubiks_cube", "058_golf_ball", "005_tomato_soup_can")  # a box, a ball and a cylinder


@pytest.fixture(scope="module")
def real(data: Path) -> Callable[[str], tuple[Stage, Pose]]:
    @cache
    def posed(name: str) -> tuple[Stage, Pose]:
        stage = scan_of(data, name)
        return stage, pose_of(stage.points, stage.faces)

    return posed


@pytest.mark.parametrize(
    ("name", "kind", "along", "truth", "allowed"),
    [pytest.param(*row, marks=() if row[0] in QUICK else pytest.mark.slow) for row in PUBLISHED],
)
def test_real_objects(
    real: Callable[[str], tuple[Stage, Pose]], name: str, kind: str, along: float | None, truth: float, allowed: float
) -> None:
    stage, pose = real(name)
    found = read(stage, kind, pose, along)

    assert abs(1000 * found.value - truth) <= allowed
    assert 0 < found.u < 0.05 * found.value
