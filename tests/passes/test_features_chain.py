"""Picks are typed in the scan file's own numbers, and name the same faces from settling the unit to the model."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.ir import Anchor, Asset, Floats, Hulls, Ints, Piece, Scan, Source, Surface, bools, floats, ints
from r2s.compiler.readings import Feature, Point, Reading
from r2s.passes.caliper.features import Pose, Stage, measure, placed
from r2s.passes.emit import Emit
from r2s.passes.measure import Measure
from r2s.passes.readers import read as read_file
from r2s.passes.scale import Scale
from r2s.passes.settle import Settle

WALL, SIZE = 0.003, (0.06, 0.05, 0.04)


def tray(wall: float = WALL) -> tuple[Floats, Ints]:
    """An open box with walls and a floor of one thickness, its low corner at the origin, metres."""
    import trimesh

    outer = trimesh.creation.box(bounds=[(0, 0, 0), SIZE])
    inner = trimesh.creation.box(bounds=[(wall, wall, wall), (SIZE[0] - wall, SIZE[1] - wall, 1.0)])
    made = trimesh.boolean.difference([outer, inner], engine="manifold")
    return np.asarray(made.vertices), np.asarray(made.faces, dtype=np.int64)


def panels(wall: float = WALL) -> tuple[Piece, ...]:
    """The tray as five boxes that overlap in its edges."""
    x, y, z = SIZE
    bounds = [
        ((0, 0, 0), (x, y, wall)),
        ((0, 0, 0), (wall, y, z)),
        ((x - wall, 0, 0), (x, y, z)),
        ((0, 0, 0), (x, wall, z)),
        ((0, y - wall, 0), (x, y, z)),
    ]
    none = (floats(np.zeros((0, 3))), ints(np.zeros((0, 3))))
    return tuple(
        Piece("box", *none, floats(np.add(lo, hi) / 2), floats(np.eye(3)), floats(np.subtract(hi, lo) / 2))
        for lo, hi in bounds
    )


# The file: millimetres, y up, far from the origin.
FROM_SOURCE = np.array([[1e-3, 0, 0, -0.3], [0, 0, -1e-3, 0.1], [0, 1e-3, 0, -0.05], [0, 0, 0, 1.0]])


def typed(x: float, y: float, z: float) -> Point:
    """A place on the tray, in the numbers of the file."""
    back = np.linalg.inv(FROM_SOURCE)
    a, b, c = back[:3, :3] @ np.array([x, y, z]) + back[:3, 3]
    return (float(a), float(b), float(c))


FEATURES = {
    "across": Feature("distance", start=typed(0, 0.02, 0.025), end=typed(SIZE[0], 0.024, 0.03)),
    "gap": Feature("distance", start=typed(WALL, 0.02, 0.025), end=typed(SIZE[0] - WALL, 0.03, 0.03)),
    "wall": Feature("thickness", pick=typed(0.0302, -0.0004, 0.02)),
    "deep": Feature("depth", start=typed(0.0015, 0.025, SIZE[2]), end=typed(0.03, 0.025, WALL)),
    "step": Feature("step", start=typed(0.03, 0.025, WALL), end=typed(0.0585, 0.02, SIZE[2])),
}
LENGTHS = {"across": SIZE[0], "gap": SIZE[0] - 2 * WALL, "wall": WALL, "deep": SIZE[2] - WALL, "step": SIZE[2] - WALL}


def hulls(factor: float = 1.0, pieces: tuple[Piece, ...] | None = None) -> Hulls:
    vertices, faces = tray()
    scan = Scan(floats(vertices), floats([], 0, 3), ints(faces), floats(FROM_SOURCE), 0.0, 1e-3, 0.0, np.nan, "mm")
    surface = Surface(floats(vertices), ints(faces), bools(np.ones(len(faces))), scan)
    return Hulls(
        pieces or panels(), surface, Anchor(factor=factor, fitted=factor, u=1e-3, applied=True, method="measured")
    )


def read(stage: str, source: Surface | Hulls | Asset) -> dict[str, float]:
    made = Measure(stage=stage, features=tuple(FEATURES.items())).run(source).value
    assert not [m.refused for m in made.values if m.refused]
    return {m.id: m.value for m in made.values}


def test_a_feature_keeps_its_faces_from_the_file_to_the_compiled_model() -> None:
    chain = hulls()
    for stage, source in (("scan", chain.surface), ("surface", chain.surface), ("pieces", chain)):
        assert read(stage, source) == pytest.approx(LENGTHS, abs=1e-6)
    grown = Emit().run(hulls(1.03)).value
    assert read("model", grown) == pytest.approx({k: 1.03 * v for k, v in LENGTHS.items()}, abs=1e-6)


def test_a_stage_that_fattens_walls_is_read_as_it_is() -> None:
    fat = read("pieces", hulls(pieces=panels(WALL + 0.4e-3)))

    moves = {"across": 0.0, "gap": -0.8e-3, "wall": 0.4e-3, "deep": -0.4e-3, "step": -0.4e-3}
    assert fat == pytest.approx({k: LENGTHS[k] + moves[k] for k in LENGTHS}, abs=1e-6)


def test_a_stage_that_fills_the_hollow_is_named() -> None:
    none = (floats(np.zeros((0, 3))), ints(np.zeros((0, 3))))
    lump = Piece("box", *none, floats(np.array(SIZE) / 2), floats(np.eye(3)), floats(np.array(SIZE) / 2))
    made = Measure(stage="pieces", features=tuple(FEATURES.items())).run(hulls(pieces=(lump,))).value
    refused = {m.id: m.refused for m in made.values}

    assert refused["across"] == ""
    for id_ in ("gap", "wall", "deep", "step"):
        assert "has filled the place of" in refused[id_]


def reading(id_: str, metres: float | None = None) -> Reading:
    value = LENGTHS[id_] if metres is None else metres
    return Reading(id_, FEATURES[id_], (value,), 3e-5, "declared", 1e-5, "calibrate", 5e-4, False, "caliper")


def test_picked_features_anchor_the_scale() -> None:
    readings = tuple(reading(id_, 0.99 * LENGTHS[id_]) for id_ in ("across", "gap", "deep"))
    made = Scale(readings=readings).run(replace(hulls(), anchor=Anchor()))

    assert not [d for d in made.diagnostics if d.code == "R2S601"]
    assert made.value.anchor.factor == pytest.approx(0.99, rel=1e-4)


def file_of(folder: Path, per_number: float) -> Source:
    """The tray as an OBJ in numbers of *per_number* metres, y up and far from the origin, as FROM_SOURCE has it."""
    vertices, faces = tray()
    back = np.linalg.inv(FROM_SOURCE) @ np.concatenate([vertices, np.ones((len(vertices), 1))], axis=1).T
    numbers = back[:3].T * 1e-3 / per_number
    text = "".join(f"v {x!r} {y!r} {z!r}\n" for x, y, z in numbers.tolist())
    text += "".join(f"f {a} {b} {c}\n" for a, b, c in (faces + 1).tolist())
    path = folder / "tray.obj"
    path.write_text(text)
    return Source("obj", hashlib.sha256(text.encode()).hexdigest(), str(path))


def typed_for(per_number: float, *ids: str) -> tuple[Reading, ...]:
    """Readings whose picks are in numbers of *per_number* metres."""
    scale = np.diag([1e-3 / per_number] * 3 + [1.0])
    return tuple(replace(r, feature=placed(r.feature, scale)) for r in map(reading, ids))


@pytest.mark.parametrize("id_", sorted(LENGTHS))
def test_any_of_them_settles_the_unit(tmp_path: Path, id_: str) -> None:
    for unit, per_number in (("mm", 1e-3), ("in", 0.0254)):
        decision = Settle(readings=typed_for(per_number, id_)).run(file_of(tmp_path, per_number)).value
        assert (decision.unit, decision.factor) == (unit, per_number)


def test_two_of_them_settle_a_free_scale(tmp_path: Path) -> None:
    per_number = 3.217e-2
    decision = Settle(readings=typed_for(per_number, "wall", "across")).run(file_of(tmp_path, per_number)).value

    assert (decision.unit, decision.free) == ("free", True)
    assert decision.factor == pytest.approx(per_number, rel=0.02)  # to two digits; the scale pass finds the rest


def test_a_pick_beside_the_object_is_told_in_the_file_s_numbers(tmp_path: Path) -> None:
    astray = replace(reading("wall"), feature=Feature("thickness", pick=(0.0, 0.0, 0.0)))
    with pytest.raises(InvalidInputError) as caught:
        Settle(readings=(astray,)).run(file_of(tmp_path, 1e-3))
    assert caught.value.code == "R2S301"
    assert "no surface near the pick: the nearest is" in caught.value.message
    assert "of the file's numbers away" in caught.value.message


def test_the_wall_of_a_real_mug_is_what_rays_through_it_say(data: Path) -> None:
    from r2s.passes.shapes.distance import Solid

    raw = read_file(data / "ycb" / "025_mug" / "scan.ply", "ply")
    points, faces = floats(raw.points), ints(raw.faces)
    stage, solid = Stage(points, faces, 0.0, 0.0, 0.0, "mesh"), Solid(points, faces)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2 + [0, 0, 0.01]
    for turn in np.radians([60, 100, 145, 190, 235]):  # clear of the handle
        away = np.array([np.cos(turn), np.sin(turn), 0.0])
        across = (points - middle) @ away
        beside = np.linalg.norm(points - middle - across[:, None] * away, axis=1)
        pick = points[np.argmax(np.where(beside < 0.004, across, -np.inf))]
        x, y, z = map(float, pick)
        found = measure(stage, Feature("thickness", pick=(x, y, z)), Pose(np.eye(3), None, middle, 0.0))
        inwards = solid.thickness((pick - 1e-5 * away)[None], -away[None])[0]
        assert found.value == pytest.approx(inwards, abs=0.2e-3)
        assert 0 < found.u < 0.1e-3
