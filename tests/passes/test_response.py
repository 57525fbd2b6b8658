"""What errors of a scan do to a length, against the virtual caliper's own reading of a body whose faces were moved."""

from __future__ import annotations

from math import cos, hypot, pi, sin

import numpy as np
import pytest
import scan_shapes

from r2s.compiler.ir import Floats, Ints, Surface, bools, floats, ints
from r2s.compiler.measured import VIEWS
from r2s.compiler.readings import Feature
from r2s.passes.caliper import stage as stage_module
from r2s.passes.caliper.features import PICKED, Pose, Stage, Value, marks_of, measure, placed
from r2s.passes.caliper.response import response, view_of

Shape = tuple[Floats, Ints]


@pytest.fixture(autouse=True)
def few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the points that a build spreads over a surface: these are flat."""
    monkeypatch.setattr(stage_module, "_SAMPLES", 1600)


STEP, STRAIN = 1e-6, 1e-5  # m, 1: less than facets stand off a circle, so that its fit keeps all of them
# no two alike and none the negative of another, so that derivatives cannot change places unseen
BY_VIEW = np.array([1.0, -0.71, 0.43, 0.86, -0.35, 0.59])
BY_AXIS = np.array([1.0, -0.63, 0.41])
SIDES = 72  # ten points of a section fall on each, and the bounds between views on the edges between sides

# half-widths of 30 and 22 mm, 90 mm high, a floor of 10 mm
TROUGH = [(0.0, 0.0), (0.03, 0.0), (0.03, 0.09), (0.022, 0.09), (0.022, 0.01), (0.0, 0.01)]
STAIR = [(0.0, 0.0), (0.03, 0.0), (0.03, 0.05), (0.012, 0.05), (0.012, 0.09), (0.0, 0.09)]
CONE = [(0.0, 0.0), (0.025, 0.0), (0.035, 0.09), (0.031, 0.09), (0.022, 0.01), (0.0, 0.01)]
WIDER_BELOW = [(0.0, 0.0), (0.035, 0.0), (0.025, 0.09), (0.0, 0.09)]
TURN = (0.3, -0.5, 0.4)


def rotation(*vector: float) -> Floats:
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_rotvec(vector).as_matrix())


def turned(shape: Shape, by: Floats) -> Shape:
    return shape[0] @ by.T, shape[1]


def square(profile: list[tuple[float, float]]) -> Shape:
    """The profile turned into a body of four sides that look along x and y."""
    return turned(scan_shapes.lathe(profile, 4), rotation(0, 0, pi / 4))


def pose(turn: Floats, *, is_round: bool = False) -> Pose:
    """A pose whose long, mid and short axes are the turned z, x and y."""
    rows = turn.T[[2, 0, 1]]
    return Pose(rows, rows[0] if is_round else None, np.zeros(3), 0.0)


def closed(shape: Shape, unseen: str = "") -> Surface:
    """The body as a surface, of which nobody saw the faces that look along the view *unseen*."""
    seen = view_of(scan_shapes.outward(*shape)) != (VIEWS.index(unseen) if unseen else -1)
    return Surface(floats(shape[0]), ints(shape[1]), bools(seen), scan_shapes.mesh_scan(*shape))


class Bench:
    """The virtual caliper on one body, and on it again after its faces were moved."""

    def __init__(self, shape: Shape, feature: Feature, pose: Pose, unseen: str = "") -> None:
        self.shape, self.feature, self.pose = shape, feature, pose
        self.surface = closed(shape, unseen)
        self.marks = marks_of(feature, self._stage(shape)) if feature.kind in PICKED else None
        self.value = self.read(shape)
        views, stretch = response(self.value, feature, pose, self.surface)
        self.views, self.stretch = np.array(views), np.array(stretch)

    @staticmethod
    def _stage(shape: Shape) -> Stage:
        return Stage(*shape, 0.0, 0.0, 0.0, "mesh")

    def read(self, shape: Shape) -> Value:
        found = measure(self._stage(shape), self.feature, self.pose, frozenset({"outer_diameter"}), self.marks)
        assert not found.refused, found.refused
        return found

    @property
    def changed(self) -> float:
        """What the reading gains, m, where the faces that were seen stand out by view and the axes are longer."""
        out = STEP * BY_VIEW[view_of(scan_shapes.outward(*self.shape))] * self.surface.observed
        vertices, faces = scan_shapes.moved(self.shape, out)
        return self.read((vertices * (1 + STRAIN * BY_AXIS), faces)).value - self.value.value


def assert_felt(bench: Bench, within: float = 1e-4) -> None:
    """The derivatives foretell the change, to *within* of a face's step."""
    foretold = STEP * bench.views @ BY_VIEW + STRAIN * bench.stretch @ BY_AXIS
    assert foretold == pytest.approx(bench.changed, abs=within * STEP)


FLAT = {
    "outside": (TROUGH, Feature("distance", start=(-0.03, 0.003, 0.05), end=(0.03, -0.002, 0.04))),
    "gap": (TROUGH, Feature("distance", start=(0.002, -0.022, 0.05), end=(-0.003, 0.022, 0.05))),
    "wall": (TROUGH, Feature("thickness", pick=(0.001, 0.03, 0.06))),
    "floor": (TROUGH, Feature("thickness", pick=(0.001, 0.002, 0.01))),
    "depth": (TROUGH, Feature("depth", start=(0.026, 0.001, 0.09), end=(0.002, -0.001, 0.01))),
    "step": (STAIR, Feature("step", start=(0.021, 0.001, 0.05), end=(0.002, 0.001, 0.09))),
}
GAIN = {"outside": 2, "gap": -2, "wall": 2, "floor": 2, "depth": 0, "step": 0}


@pytest.mark.parametrize("name", FLAT)
def test_lengths_between_picked_faces_feel_those_faces(name: str) -> None:
    profile, feature = FLAT[name]
    matrix = np.eye(4)
    matrix[:3, :3] = rotation(*TURN)
    bench = Bench(turned(square(profile), matrix[:3, :3]), placed(feature, matrix), pose(matrix[:3, :3]))

    assert bench.views.sum() == pytest.approx(GAIN[name], abs=1e-9)
    assert_felt(bench)


@pytest.mark.parametrize("kind", ["extent_x", "extent_y", "height"])
def test_jaws_along_the_axes_feel_the_two_faces_they_rest_on(kind: str) -> None:
    shape = scan_shapes.box((0.08, 0.06, 0.1))
    bench = Bench(shape, Feature(kind), pose(np.eye(3), is_round=True))
    axis = "xyz".index(kind[-1]) if kind != "height" else 2

    assert bench.views.tolist() == np.kron(np.eye(3)[axis], [1, 1]).tolist()
    assert_felt(bench)


@pytest.mark.parametrize("kind", ["extent_long", "extent_short"])
def test_jaws_on_a_turned_box_feel_its_own_faces(kind: str) -> None:
    turn = rotation(*TURN)
    bench = Bench(turned(scan_shapes.box((0.08, 0.06, 0.1)), turn), Feature(kind), pose(turn))

    assert bench.views.sum() == pytest.approx(2)
    assert_felt(bench)


@pytest.mark.parametrize("kind", ["extent_z", "height"])
def test_a_jaw_on_what_nobody_saw_feels_nothing(kind: str) -> None:
    bench = Bench(scan_shapes.box((0.08, 0.06, 0.1)), Feature(kind), pose(np.eye(3), is_round=True), unseen="-z")

    assert bench.views.tolist() == [0, 0, 0, 0, 1, 0]
    assert_felt(bench)


def test_a_length_whose_sides_cannot_be_told_is_taken_for_an_outside_one() -> None:
    surface = closed(scan_shapes.box((0.08, 0.06, 0.1)))
    found = Value(0.08, 0.0, "two fitted faces, sides unknown", along=(1.0, 0.0, 0.0))

    assert response(found, Feature("distance"), pose(np.eye(3)), surface)[0] == (1, 1, 0, 0, 0, 0)


@pytest.mark.parametrize("turn", [(0.0, 0.0, 0.0), (0.0, 0.4, 0.0), (pi / 2, 0.0, 0.0)], ids=["up", "leaning", "lying"])
@pytest.mark.parametrize("wall", ["outer_diameter", "inner_diameter"])
def test_the_section_of_a_cup_feels_what_is_around_it(wall: str, turn: tuple[float, float, float]) -> None:
    by = rotation(*turn)
    shape = turned(scan_shapes.lathe(TROUGH, SIDES), by)
    bench = Bench(shape, Feature(wall, along=0.054), pose(by, is_round=True))

    assert bench.value.slope == 0
    assert bench.views.sum() == pytest.approx(2 if wall == "outer_diameter" else -2)
    assert_felt(bench, 0.01 if turn[1] == 0 else 2 / SIDES)  # a side of it may be of another view


@pytest.mark.parametrize("unseen", ["", "-z"])
@pytest.mark.parametrize("wall", ["outer_diameter", "inner_diameter"])
def test_a_section_of_a_cone_goes_with_the_foot_that_its_height_counts_from(wall: str, unseen: str) -> None:
    """The foot a metre lower takes the section a metre down the wall; a wall that leans gives way by 1/cos."""
    bench = Bench(scan_shapes.lathe(CONE, SIDES), Feature(wall, along=0.054), pose(np.eye(3), is_round=True), unseen)
    out, slope = (1, 10 / 90) if wall == "outer_diameter" else (-1, 9 / 80)

    assert bench.value.slope == pytest.approx(slope, rel=1e-3)
    foot = 0.0 if unseen else -2 * slope
    assert bench.views == pytest.approx([out * hypot(1, slope) / 2] * 4 + [0, foot], abs=2e-4)
    assert bench.stretch[2] == pytest.approx(-2 * slope * 0.054, rel=1e-3)
    assert_felt(bench, 0.01)


@pytest.mark.parametrize(
    ("profile", "wall", "end"),
    [(CONE, "inner_diameter", "+z"), (WIDER_BELOW, "outer_diameter", "-z")],
    ids=["mouth", "foot"],
)
def test_the_largest_circle_of_a_cone_goes_with_the_end_where_it_lies(
    profile: list[tuple[float, float]], wall: str, end: str
) -> None:
    bench = Bench(scan_shapes.lathe(profile, SIDES), Feature(wall), pose(np.eye(3), is_round=True))

    assert bench.views[VIEWS.index(end)] == pytest.approx(2 * abs(bench.value.slope))
    assert abs(bench.value.slope) > 0.1
    assert_felt(bench, 0.01)


def test_a_bead_around_a_rim_is_no_cone() -> None:
    """It is wider by 4 mm than the wall 4 mm below; but where it is widest its normals lie nearly in the section."""
    angle = np.linspace(-0.75 * pi, 0.5 * pi, 41)
    bead = [(0.03 + 0.004 * cos(a), 0.086 + 0.004 * sin(a)) for a in angle]
    shape = scan_shapes.lathe([(0.0, 0.0), (0.02717, 0.0), *bead, (0.0, 0.09)], SIDES)
    feature, at = Feature("outer_diameter"), pose(np.eye(3), is_round=True)
    found = measure(Stage(*shape, 0.0, 0.0, 0.0, "mesh"), feature, at)

    assert found.value == pytest.approx(0.068, rel=0.01)
    assert 0 <= found.slope < 0.3
    assert response(found, feature, at, closed(shape))[0][:4] == pytest.approx([0.5] * 4, abs=0.02)


def test_a_round_wall_and_a_ball() -> None:
    pick = (0.03 * cos(0.6), 0.03 * sin(0.6), 0.05)
    wall = Bench(scan_shapes.lathe(TROUGH, SIDES), Feature("thickness", pick=pick), pose(np.eye(3)))
    ball = Bench(scan_shapes.ball(0.03), Feature("sphere_diameter"), pose(np.eye(3)))

    assert wall.views.tolist() == [1, 1, 0, 0, 0, 0]
    assert_felt(wall, 0.03)
    assert ball.views == pytest.approx([1 / 3] * 6, abs=0.01)
    assert_felt(ball, 0.02)


def test_a_direction_belongs_to_the_axis_it_is_nearest_to() -> None:
    near = np.array([[0.9, 0.3, -0.1], [-0.9, 0.3, -0.1], [0.1, 2, 0], [0.1, -2, 1], [0, 0.1, 0.2], [0, 0, -1]])

    assert [VIEWS[k] for k in view_of(near)] == list(VIEWS)
