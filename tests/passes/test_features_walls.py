"""Thickness, depth and step between picked faces, on cups and brackets whose size is known, on every kind of stage."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import scan_shapes

from r2s.compiler.ir import Floats, Ints, Piece, floats, ints
from r2s.compiler.readings import Feature
from r2s.passes.caliper.features import Marks, Pose, Stage, Value, marks_of, measure, stage_of_pieces

NO_FACES = np.zeros((0, 3), dtype=np.int64)
SIGMA = 5e-5
RADIUS, HEIGHT, WALL = 0.04, 0.09, 0.003
SIDES = 32
UNUSED = Pose(np.eye(3), None, np.zeros(3), 0.0)  # picks need no pose

SIDE = Feature("thickness", pick=(RADIUS + 0.0003, 0.001, 0.045))
FLOOR = Feature("thickness", pick=(0.002, 0.003, WALL))
DEPTH = Feature("depth", start=(0.0385, 0.001, HEIGHT + 0.0005), end=(0.004, -0.002, WALL + 0.0004))


def stage(points: Floats, normals: Floats | None = None, sigma: float = SIGMA) -> Stage:
    from scipy.spatial import cKDTree

    spacing = float(np.median(cKDTree(points).query(points[::20], k=2)[0][:, 1]))
    none = np.zeros((0, 3))
    return Stage(points, NO_FACES, sigma, spacing, 0.0, "points", (), none if normals is None else normals)


def mesh(shape: tuple[Floats, Ints]) -> Stage:
    return Stage(*shape, 0.0, 0.0, 0.0, "mesh")


def cup(seed: int) -> Stage:
    """A noisy cup without normals and without an underside, a millimetre between points."""
    return stage(scan_shapes.cup_cloud(RADIUS, HEIGHT, WALL, 1e-3, SIGMA, seed))


def prism(radius: float, low: float, high: float) -> tuple[Floats, Ints]:
    """A closed prism of SIDES sides about z; the middles of its sides lie on *radius*."""
    import trimesh

    turn = (np.arange(SIDES) + 0.5) * 2 * np.pi / SIDES
    across = radius / np.cos(np.pi / SIDES) * np.column_stack([np.cos(turn), np.sin(turn)])
    corners = np.concatenate([np.column_stack([across, np.full(SIDES, z)]) for z in (low, high)])
    hull = trimesh.convex.convex_hull(corners)
    return np.asarray(hull.vertices), np.asarray(hull.faces, dtype=np.int64)


def exact_cup(wall: float = WALL) -> tuple[Floats, Ints]:
    """A closed faceted cup: the cavity is a prism turned inside out and sunk into a larger one up to the rim."""
    import manifold3d

    def solid(shape: tuple[Floats, Ints]) -> manifold3d.Manifold:
        return manifold3d.Manifold(manifold3d.Mesh(shape[0].astype(np.float32), shape[1].astype(np.uint32)))

    # millimetres, since the library keeps single precision
    outer, inner = (prism(1e3 * r, z, h) for r, z, h in ((RADIUS, 0, 90.0), (RADIUS - wall, 1e3 * wall, 120.0)))
    made = (solid(outer) - solid(inner)).to_mesh()
    return np.asarray(made.vert_properties[:, :3], dtype=np.float64) / 1e3, np.asarray(made.tri_verts, dtype=np.int64)


def cup_of_pieces(wall: float = WALL) -> tuple[Piece, ...]:
    """The same cup as staves that touch each other side by side, upon a floor: each cut is a face of two pieces."""
    import trimesh

    turn = np.arange(SIDES + 1) * 2 * np.pi / SIDES
    grow = 1 / np.cos(np.pi / SIDES)
    none = floats(np.zeros(3))

    def piece(corners: Floats) -> Piece:
        hull = trimesh.convex.convex_hull(corners)
        return Piece("mesh", floats(hull.vertices), ints(hull.faces), none, floats(np.eye(3)), none)

    def stave(k: int) -> Piece:
        ends = turn[[k, k + 1]] + np.pi / SIDES
        across = np.column_stack([np.cos(ends), np.sin(ends)])
        rings = np.concatenate([grow * RADIUS * across, grow * (RADIUS - wall) * across])
        return piece(np.concatenate([np.column_stack([rings, np.full(4, z)]) for z in (0.0, HEIGHT)]))

    return (*(stave(k) for k in range(SIDES)), piece(prism(RADIUS - wall / 2, 0.0, wall)[0]))


def bracket(tall: float = 0.05) -> tuple[Floats, Ints]:
    """An L: an 80 × 60 mm base 12 mm thick, and at x < 12 mm an upright *tall* metres high."""
    import trimesh

    outline = np.array([(0, 0), (0.08, 0), (0.08, 0.012), (0.012, 0.012), (0.012, tall), (0, tall)])
    low, high = np.column_stack([outline, np.zeros(6)]), np.column_stack([outline, np.full(6, 0.06)])
    fan = np.array([[0, i, i + 1] for i in range(1, 5)])
    sides = [f for i in range(6) for f in ([i, (i + 1) % 6, (i + 1) % 6 + 6], [i, (i + 1) % 6 + 6, i + 6])]
    made = trimesh.Trimesh(np.vstack([low, high]), np.vstack([fan[:, ::-1], fan + 6, sides]), process=False)
    return np.asarray(made.vertices)[:, [0, 2, 1]] * [1, -1, 1], np.asarray(made.faces, dtype=np.int64)


def bracket_cloud(seed: int, grow: float = 0.0) -> Stage:
    """A noisy cloud of the bracket, each face moved out by *grow*, a millimetre between points."""
    from r2s.passes.caliper.stage import spread

    vertices, faces = bracket()
    points, normals, _ = spread(vertices, faces, 16_000)
    rng = np.random.default_rng(seed)
    return stage(points + (grow + rng.normal(0, SIGMA, len(points)))[:, None] * normals, normals)


STEP = Feature("step", start=(0.05, -0.03, 0.0123), end=(0.006, -0.025, 0.0498))
REACH = Feature("step", start=(0.012, -0.03, 0.035), end=(0.08, -0.03, 0.006))
LEG = Feature("thickness", pick=(0.0115, -0.03, 0.035))


def read(at: Stage, feature: Feature, marks: Marks | str | None = None) -> Value:
    found = measure(at, feature, UNUSED, marks=marks)
    assert not found.refused, found.refused
    return found


def test_a_noisy_cup_reads_its_wall_and_its_depth() -> None:
    pulls = []
    for seed in range(5):
        at = cup(seed)
        for feature, truth, u in ((SIDE, WALL, 0.03e-3), (DEPTH, HEIGHT - WALL, 0.15e-3)):
            found = read(at, feature)
            pulls.append((found.value - truth) / found.u)
            assert found.u < u

    assert np.abs(pulls).max() < 3
    assert 0.2 < np.std(pulls) < 1.5


def test_a_wall_reads_the_same_from_either_side_and_from_within() -> None:
    at = mesh(exact_cup())
    for out in (RADIUS, RADIUS - WALL / 2, RADIUS - WALL):
        assert read(at, Feature("thickness", pick=(out, 0.001, 0.045))).value == pytest.approx(WALL, abs=2e-6)
    assert read(at, FLOOR).value == pytest.approx(WALL, abs=2e-6)
    assert read(at, DEPTH).value == pytest.approx(HEIGHT - WALL, abs=2e-6)


def test_pieces_are_read_on_what_they_show() -> None:
    at = stage_of_pieces(cup_of_pieces())
    for feature, truth in ((SIDE, WALL), (FLOOR, WALL), (DEPTH, HEIGHT - WALL)):
        assert read(at, feature).value == pytest.approx(truth, abs=1e-9)
    cut = Feature("thickness", pick=(RADIUS - WALL / 2, (RADIUS - WALL / 2) * np.tan(np.pi / SIDES), 0.045))
    assert read(at, cut).value == pytest.approx(WALL, abs=0.02 * WALL)  # on a cut, where four inner faces meet


def test_a_stage_is_read_where_its_faces_went() -> None:
    """A wall fattened by 0.8 mm inwards, as by hulls, is read as it is; its faces are those named on the scan."""
    scan, fat = cup(1), stage_of_pieces(cup_of_pieces(WALL + 0.8e-3))
    for feature, truth in ((SIDE, WALL + 0.8e-3), (DEPTH, HEIGHT - WALL - 0.8e-3)):
        marks = marks_of(feature, scan, mesh(exact_cup()))
        assert isinstance(marks, Marks)
        assert read(fat, feature, marks).value == pytest.approx(truth, abs=0.02e-3)


def test_a_filled_hollow_is_said_to_be_filled() -> None:
    import trimesh

    corners, faces = prism(RADIUS, 0.0, HEIGHT)
    none = floats(np.zeros(3))
    hull = Piece("mesh", floats(corners), ints(faces), none, floats(np.eye(3)), none)
    lump = stage_of_pieces((hull, hull))
    for feature in (SIDE, DEPTH):
        found = measure(lump, feature, UNUSED, marks=marks_of(feature, cup(1), mesh(exact_cup())))
        assert "has filled the place of" in found.refused
    assert trimesh.Trimesh(corners, faces).is_convex


def test_what_nobody_saw_has_no_value_on_the_scan_but_has_one_on_the_closed_surface() -> None:
    scan, closed = cup(1), mesh(exact_cup())
    alone = measure(scan, FLOOR, UNUSED)
    assert alone.refused == "the other side of the wall at the pick was never seen"
    marks = marks_of(FLOOR, scan, closed)
    assert isinstance(marks, Marks)
    assert "no face like the one at the other side of the wall" in measure(scan, FLOOR, UNUSED, marks=marks).refused
    assert read(closed, FLOOR, marks).value == pytest.approx(WALL, abs=0.02e-3)


@pytest.mark.parametrize(("feature", "truth"), [(STEP, 0.038), (REACH, 0.068), (LEG, 0.012)])
def test_a_bracket_is_read_on_a_cloud_and_on_a_mesh(feature: Feature, truth: float) -> None:
    assert read(mesh(bracket()), feature).value == pytest.approx(truth, abs=1e-9)
    found = read(bracket_cloud(2), feature)
    assert abs(found.value - truth) < 3 * found.u
    assert found.u < 0.1e-3


def offset_readings() -> Iterator[tuple[Feature, float]]:
    slot = Feature("distance", start=(0.0385 - WALL / 2, 0, 0.05), end=(-0.0385 + WALL / 2, 0, 0.05))
    yield slot, -2.0
    yield DEPTH, 0.0


def test_readings_tell_an_offset_from_a_scale() -> None:
    """Material between moves by twice the offset, a gap by twice the other way, a step and a depth not at all."""
    thin, fat = bracket_cloud(3), bracket_cloud(3, 0.2e-3)
    for feature, moves in ((LEG, 2.0), (STEP, 0.0), (REACH, 0.0)):
        before, after = read(thin, feature), read(fat, feature)
        assert after.value - before.value == pytest.approx(moves * 0.2e-3, abs=before.u)
    grown = mesh(exact_cup(WALL + 0.2e-3))
    for feature, moves in offset_readings():
        expected = moves * 0.2e-3 if moves else -0.2e-3  # this cup's outside and rim stayed where they were
        difference = read(grown, feature).value - read(mesh(exact_cup()), feature).value
        assert difference == pytest.approx(expected, abs=4e-6)


def test_a_step_to_a_rim_too_narrow_for_a_face_rests_on_its_top() -> None:
    at = cup(4)
    found = read(at, Feature("step", start=(0.004, 0.003, WALL), end=(0.0386, 0.0, HEIGHT)))

    assert abs(found.value - (HEIGHT - WALL)) < 3 * found.u


@pytest.mark.parametrize(
    ("feature", "said"),
    [
        (Feature("step", start=(0.0, -0.03, 0.02), end=(0.012, -0.03, 0.03)), "the two faces look opposite ways"),
        (Feature("depth", start=(0.05, -0.03, 0.012), end=(0.006, -0.03, 0.05)), "exchange them"),
        (Feature("thickness", pick=(0.2, 0.0, 0.0)), "no surface near the pick: the nearest is 12"),
        (Feature("step", start=(0.05, -0.03, 0.012), end=(0.012, -0.03, 0.03)), "they meet at 90.0 degrees"),
    ],
)
def test_a_refusal_says_what_is_wrong(feature: Feature, said: str) -> None:
    assert said in measure(mesh(bracket()), feature, UNUSED).refused


def test_a_wall_within_the_noise_is_refused() -> None:
    """A sheet of 0.2 mm seen with 0.05 mm of noise is one face."""
    rng = np.random.default_rng(1)
    place = rng.uniform(-0.03, 0.03, (8000, 2))
    side = np.where(np.arange(8000) % 2 == 0, 1.0, -1.0)
    points = np.column_stack([place, side * 1e-4 + rng.normal(0, SIGMA, 8000)])
    normals = np.column_stack([np.zeros((8000, 2)), side])

    found = measure(stage(points, normals), Feature("thickness", pick=(0.001, 0.002, 1e-4)), UNUSED)
    assert found.refused


def bowl_cloud(seed: int) -> Stage:
    """The inside of half a ball of 40 mm radius within a flat rim 6 mm wide at z = 0, seen with normals."""
    rng = np.random.default_rng(seed)
    ray = rng.normal(size=(22_000, 3))
    ray /= np.linalg.norm(ray, axis=1, keepdims=True)
    ray[:, 2] = -np.abs(ray[:, 2])
    inside = ray * (0.04 + rng.normal(0, SIGMA, len(ray)))[:, None]
    turn, radius = rng.uniform(0, 2 * np.pi, 2500), np.sqrt(rng.uniform(0.04**2, 0.046**2, 2500))
    rim = np.column_stack([radius * np.cos(turn), radius * np.sin(turn), rng.normal(0, SIGMA, 2500)])
    normals = np.concatenate([-ray, np.tile([0.0, 0.0, 1.0], (2500, 1))])
    return stage(np.concatenate([inside, rim]), normals)


def test_a_beam_across_the_rim_needs_no_normal_of_the_floor() -> None:
    """Picked 3 mm beside the bottom of a round bowl, where the normal leans by 4 degrees: 3 mm over the rim's reach."""
    for seed in range(3):
        found = read(bowl_cloud(seed), Feature("depth", start=(0.043, 0.0, 0.0), end=(-0.003, 0.001, -0.0398)))
        assert "beam across" in found.how
        assert abs(found.value - 0.04) < 3 * found.u
        assert found.u < 0.1e-3


def test_a_wall_that_steps_at_the_pick_is_read_at_the_price_of_its_form() -> None:
    """Staves of two thicknesses: no smooth face where they meet, but a jaw rests there."""
    thin, thick = cup_of_pieces(), cup_of_pieces(WALL + 0.12e-3)
    mixed = tuple(pieces[k % 2] for k, pieces in enumerate(zip(thin, thick, strict=True)))
    seam = 2 * np.pi / SIDES + np.pi / SIDES
    x, y = RADIUS * np.cos(seam) / np.cos(np.pi / SIDES), RADIUS * np.sin(seam) / np.cos(np.pi / SIDES)
    found = read(stage_of_pieces(mixed), Feature("thickness", pick=(float(x), float(y), 0.045)))

    assert WALL - 0.02e-3 < found.value < WALL + 0.14e-3
    assert found.form > 0.05e-3
    assert abs(found.value - WALL - 0.06e-3) < 3 * found.u


@pytest.mark.parametrize(("radius", "outward"), [(RADIUS, 1.0), (RADIUS - WALL, -1.0)], ids=["outside", "inside"])
def test_the_closed_surface_tells_the_sides_of_a_cloud_without_normals(radius: float, outward: float) -> None:
    for turn in (0.1, 2.0, 4.0):
        pick = (float(radius * np.cos(turn)), float(radius * np.sin(turn)), 0.045)
        marks = marks_of(Feature("thickness", pick=pick), cup(1), mesh(exact_cup()))
        assert isinstance(marks, Marks)
        assert marks.start.signed
        assert marks.end.signed
        assert float(marks.start.normal[:2] @ pick[:2]) / radius == pytest.approx(outward, abs=0.02)
        assert float(marks.end.normal @ marks.start.normal) == pytest.approx(-1, abs=0.02)
