"""What a dump colours: distances of known shapes, with their sign, in the order of the drawn vertices."""

from __future__ import annotations

import numpy as np
import pytest
import scan_shapes

from r2s.compiler.drawn import drawn
from r2s.compiler.ir import Floats, Hulls, Piece, Surface, bools, floats, ints
from r2s.compiler.packed import unpack
from r2s.passes.distances import Distances

MM = 1e-3


def surface(size: float, points: Floats) -> Surface:
    """A cube of half-width *size* whose scan is a cloud of *points*."""
    vertices, faces = scan_shapes.box((2 * size,) * 3, (-size,) * 3)
    scan = scan_shapes.cloud_scan(points)
    return Surface(floats(vertices), ints(faces), bools(np.ones(len(faces))), scan)


def ask(stage: str, value: Surface | Hulls) -> Floats:
    return unpack(Distances(stage).run(value).value)


POINTS = np.array([[21.0, 0, 0], [18.0, 0, 0], [0, 20.0, 0], [20.0, 20.0, 23.0]]) * MM


def test_points_have_the_side_of_the_surface() -> None:
    assert ask("scan", surface(20 * MM, POINTS)) == pytest.approx(np.array([1, -2, 0, 3]) * MM, abs=1e-8)


def test_vertices_have_the_distance_to_the_nearest_point() -> None:
    found = ask("surface", surface(20 * MM, POINTS))

    assert found.min() == pytest.approx(3 * MM, abs=1e-8)  # the corner below (20, 20, 23)
    assert len(found) == 8


def test_a_simplified_surface_is_measured_to_the_first() -> None:
    first, second = surface(20 * MM, POINTS), surface(19 * MM, POINTS)
    smaller = Surface(second.vertices, second.faces, second.observed, first.scan, first)

    assert ask("simplified", smaller) == pytest.approx(-1 * MM, abs=1e-8)


def test_pieces_are_measured_where_they_are_drawn() -> None:
    none = floats([], 0, 3), ints([], 0, 3)
    size, turn = floats([21 * MM] * 3), floats(np.eye(3))
    box = Piece("box", *none, floats([0, 0, 0]), turn, size)
    ball = Piece("sphere", *none, floats([0, 0, 0]), turn, floats([15 * MM, 0, 0]))
    found = ask("pieces", Hulls((box, ball), surface(20 * MM, POINTS)))

    assert found[:8] == pytest.approx(3**0.5 * MM, abs=1e-8)
    assert len(found) == 8 + len(drawn(ball)[0])
    assert found[8:].max() == pytest.approx(-5 * MM, abs=1e-5)  # where it comes nearest, by its facets
    assert (found[8:] <= -5 * MM + 1e-8).all()
