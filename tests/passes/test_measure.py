"""The analysis that reads a sheet's features on every stage, and the gauge that reads them before the unit is known."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
import trimesh
from scan_shapes import MM

from r2s.compiler.errors import InternalError
from r2s.compiler.ir import Anchor, Asset, Floats, Hulls, Scan, Surface, bools, floats, ints
from r2s.compiler.readings import Feature, Quantity
from r2s.passes.convex.hulls import hull
from r2s.passes.convex.pieces import mesh_piece, round_piece
from r2s.passes.emit import Emit
from r2s.passes.measure import Measure
from r2s.passes.points.clean import clean
from r2s.passes.points.gauge import Gauge
from r2s.passes.readers.raw import RawScan
from r2s.passes.shapes.distance import describe
from r2s.passes.shapes.terms import distance_term

SIZE = np.array([80.0, 50.0, 30.0]) * MM
FEATURES = tuple(
    (kind, Feature(kind)) for kind in ("extent_x", "extent_y", "extent_z", "extent_long", "sphere_diameter")
)


def scanned(made: trimesh.Trimesh, grown: float = 1.0) -> Surface:
    """A surface *grown* times as large as the scan that it was drawn through."""
    vertices, faces = floats(made.vertices), ints(made.faces)
    scan = Scan(vertices, floats([], 0, 3), faces, floats(np.eye(4)), 0.0, MM, 0.0, math.nan, "m")
    return Surface(floats(made.vertices * grown), faces, bools(np.ones(len(faces))), scan)


def brick(grown: float = 1.0) -> Surface:
    return scanned(trimesh.creation.box(extents=SIZE), grown)


def values(stage: str, source: Surface | Hulls | Asset) -> dict[str, float]:
    found = Measure(stage, FEATURES).run(source).value
    assert found.stage == stage
    assert [m.id for m in found.values] == [name for name, _ in FEATURES]
    for measured in found.values:
        assert measured.there != bool(measured.refused)
    return {m.id: m.value for m in found.values if m.there}


def told(factor: float) -> dict[str, object]:
    x, y, z = SIZE * factor
    return {
        "extent_x": pytest.approx(x),
        "extent_y": pytest.approx(y),
        "extent_z": pytest.approx(z),
        "extent_long": pytest.approx(x),
    }


def test_each_stage_is_read_on_its_own_geometry() -> None:
    first = brick(grown=1.02)
    simplified = dataclasses.replace(brick(grown=1.05), origin=first)
    assert values("scan", first) == told(1.0)
    assert values("surface", first) == told(1.02)
    assert values("simplified", simplified) == told(1.05)

    made = hull(simplified.vertices * 1.01)
    assert made is not None
    pieces = Hulls((mesh_piece(made),), simplified)
    assert values("pieces", pieces) == told(1.05 * 1.01)
    anchored = dataclasses.replace(pieces, anchor=Anchor(factor=0.5))
    assert values("pieces", anchored) == told(1.05 * 1.01)
    asset = Emit(mass=Quantity(0.1, 0.001, "kg", "measured")).run(anchored).value
    assert values("model", asset) == told(1.05 * 1.01 * 0.5)


def test_what_a_stage_lacks_is_refused_with_its_reason() -> None:
    (found,) = Measure("surface", (("ball", Feature("sphere_diameter")),)).run(brick()).value.values
    assert math.isnan(found.value)
    assert "not a sphere" in found.refused


@pytest.mark.parametrize(("stage", "source"), [("model", brick()), ("pieces", brick()), ("tale", brick())])
def test_a_stage_of_another_value_is_a_bug_of_ours(stage: str, source: Surface) -> None:
    with pytest.raises(InternalError) as error:
        Measure(stage, FEATURES).run(source)
    assert error.value.code == "R2S904"


def test_a_section_of_the_model_is_read_where_the_part_has_it() -> None:
    """The asset stands with its base on zero, the surface elsewhere: heights are from the support of each."""
    cone = trimesh.creation.cylinder(0.02, 0.06, sections=64)
    cone.vertices[:, :2] *= 1 + 5 * (cone.vertices[:, 2:] + 0.03)  # 40 mm wide at the foot, 52 mm at the top
    cone.vertices += np.array([0.3, 0.1, 0.7])
    surface = scanned(cone)
    made = hull(surface.vertices)
    assert made is not None
    hulls = Hulls((mesh_piece(made),), surface)
    asset = Emit(mass=Quantity(0.1, 0.001, "kg", "measured")).run(hulls).value
    feature = (("d", Feature("outer_diameter", along=0.03)),)
    for stage, source in (("surface", surface), ("pieces", hulls), ("model", asset)):
        (found,) = Measure(stage, feature).run(source).value.values
        assert found.value == pytest.approx(0.046, rel=2e-3), stage


def test_pieces_of_a_kind_are_read_by_their_formula() -> None:
    ball = round_piece("sphere", np.array([0.1, 0.0, 0.05]), np.eye(3), (0.03, 0.0, 0.0))
    surface = scanned(trimesh.creation.icosphere(3, radius=0.03))
    (found,) = Measure("pieces", (("d", Feature("sphere_diameter")),)).run(Hulls((ball,), surface)).value.values
    assert (found.value, found.u) == (0.06, 0.0)


def raw(points: Floats) -> RawScan:
    return RawScan(points, np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64), 0.0)


def test_the_gauge_reads_a_section_in_the_files_own_numbers() -> None:
    rng = np.random.default_rng(1)
    turn, up = rng.uniform(0, 2 * np.pi, 12_000), rng.uniform(0, 60, 12_000)
    radius = 20 + up / 10
    points = np.column_stack([radius * np.cos(turn), up, radius * np.sin(turn)])  # y is up
    ends = [
        np.column_stack([r * np.sqrt(rng.uniform(0, 1, 3000)), np.full(3000, h)]) for r, h in ((20, 0.0), (26, 60.0))
    ]
    for away, height in (part.T for part in ends):
        angle = rng.uniform(0, 2 * np.pi, 3000)
        points = np.concatenate([points, np.column_stack([away * np.cos(angle), height, away * np.sin(angle)])])
    cleaned = clean(raw(points + np.array([500.0, 0, 0])), support="none")
    gauge = Gauge(cleaned, "+x-z+y", frozenset({"outer_diameter"}))

    section = Feature("outer_diameter", along=0.03)
    assert "needs the unit first" in gauge.measure(section).refused
    assert gauge.measure(section, factor=1e-3).value == pytest.approx(46, rel=0.01)
    assert gauge.measure(Feature("outer_diameter", along=0.06), factor=2e-3).value == pytest.approx(46, rel=0.01)
    assert gauge.measure(Feature("extent_z")).value == pytest.approx(60, rel=0.01)
    assert gauge.measure(Feature("extent_x")).value == pytest.approx(52, rel=0.01)


def test_a_term_is_certified_by_its_bound_alone() -> None:
    size = describe(np.array([1.0, 2.0, 3.0]))
    plain = distance_term("emit", "forward", "a", "b", size, "told", signed_mean=0.5)
    assert (plain.id, plain.maximum, plain.certified, plain.signed_mean) == ("emit.forward", 3.0, False, 0.5)
    bound = distance_term("emit", "backward", "a", "b", size, "told", bound=0.0)
    assert (bound.maximum, bound.certified, bound.samples, bound.p99) == (0.0, True, 3, size.p99)
