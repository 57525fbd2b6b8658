"""Stages as bytes without a build: primitives are placed with their size, places and distances keep every bit."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
import scan_shapes
import trimesh

from r2s.compiler.codec import plain
from r2s.compiler.dump.frame import Frame
from r2s.compiler.dump.shapes import draw, piece_of
from r2s.compiler.ir import Hulls, Piece, Surface, bools, floats, ints

TWICE = Frame("asset", floats([[2, 0, 0, 1], [0, 2, 0, 0], [0, 0, 2, -1], [0, 0, 0, 1]]), floats(np.eye(4)))
BOX = Piece("box", floats([], 0, 3), ints([], 0, 3), floats([1, 2, 3]), floats(np.eye(3)), floats([0.1, 0.2, 0.3]))


def surface() -> Surface:
    vertices, faces = scan_shapes.box((1, 1, 1))
    scan = scan_shapes.cloud_scan(vertices / 3, vertices / 3**0.5)
    return Surface(floats(vertices), ints(faces), bools([i < 4 for i in range(12)]), scan)


def test_a_primitive_is_placed_with_its_size() -> None:
    drawing = draw("pieces", Hulls((BOX,), surface()), TWICE, floats(np.full(8, 0.01)))
    drawn = trimesh.load(BytesIO(drawing.data), file_type="obj", process=False)

    assert drawing.suffix == "obj"
    assert drawn.bounds == pytest.approx(np.array([[2.8, 3.6, 4.4], [3.2, 4.4, 5.6]]))
    (told,) = drawing.facts["pieces"]
    assert (told["center"], told["size"]) == ([3, 4, 5], [0.2, 0.4, 0.6])
    assert told["distance"] == {"lowest": 0.02, "highest": 0.02}  # lengths grow with the frame


def test_a_surface_keeps_every_bit_and_says_what_was_seen() -> None:
    value = surface()
    away = floats(np.arange(8) / 7 * 1e-3)
    drawing = draw("surface", value, TWICE, away)
    mesh = trimesh.load(BytesIO(drawing.data), file_type="ply", process=False)
    raw = mesh.metadata["_ply_raw"]

    assert (mesh.vertices == value.vertices * 2 + [1, 0, -1]).all()
    assert raw["face"]["data"]["observed"].ravel().tolist() == [1] * 4 + [0] * 8
    assert raw["vertex"]["data"]["distance"].ravel() == pytest.approx(np.asarray(away) * 2)
    seen = np.unique(value.faces[:4])
    assert drawing.facts["distance"]["highest"] == pytest.approx(2 * float(away[seen].max()))
    assert (drawing.facts["volume"], drawing.facts["area"]) == pytest.approx((8, 24))


def test_a_cloud_has_its_normals_and_no_colour_that_nobody_measured() -> None:
    scan = surface().scan
    drawing = draw("scan", scan, TWICE, None)
    header = drawing.data.split(b"end_header\n")[0].decode().splitlines()

    assert "comment r2s scan; metres; frame: asset" in header
    assert "property float nx" in header
    assert not [line for line in header if "red" in line or "distance" in line or "face" in line]
    assert len(drawing.data.split(b"end_header\n", 1)[1]) == 8 * (3 * 8 + 3 * 4)


def test_what_mujoco_compiled_comes_back_from_its_facts() -> None:
    assert plain(piece_of(plain(BOX))) == plain(BOX)
