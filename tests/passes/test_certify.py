"""Certified maxima against closed forms, and never below what a million samples find."""

from __future__ import annotations

import numpy as np
import pytest
from scan_shapes import MM, box, sphere, together

from r2s.compiler.ir import Floats, Ints, Piece
from r2s.passes.convex.certify import Maximum, deficit, inflation
from r2s.passes.convex.hulls import Hull, hull
from r2s.passes.convex.pieces import Union, mesh_piece, round_piece
from r2s.passes.shapes.distance import Solid, samples

TOLERANCE = 0.02 * MM


def solid_hull(points: Floats) -> Hull:
    found = hull(points)
    assert found is not None
    return found


def block(size: tuple[float, float, float], at: tuple[float, float, float] = (0, 0, 0)) -> Piece:
    return mesh_piece(solid_hull(box(size, at)[0]))


def ball(radius: float, at: tuple[float, float, float] = (0, 0, 0)) -> Piece:
    return round_piece("sphere", np.array(at, dtype=float), np.eye(3), (radius, 0.0, 0.0))


def bracket() -> tuple[Floats, Ints]:
    """Return an L profile as a closed mesh: a foot of 80 x 10 and a post of 10 x 40, 50 deep, mm."""
    from r2s.passes.convex import boolean as _boolean

    foot, post = box((80 * MM, 50 * MM, 10 * MM)), box((10 * MM, 50 * MM, 40 * MM))
    return _boolean.mesh(_boolean.union([_boolean.manifold(*foot), _boolean.manifold(*post)]))


def rounded_box(half: float, radius: float) -> tuple[Floats, Ints]:
    """Return the hull of eight spheres: a cube with rounded edges."""
    dots = sphere(radius, 3)[0]
    corners = [np.array([x, y, z]) * (half - radius) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    found = solid_hull(np.concatenate([dots + corner for corner in corners]))
    return found.vertices, found.faces


def within(found: Maximum, expected: float, slack: float = 0.0) -> bool:
    return found.lower <= expected + slack + 1e-12 and expected - 1e-12 <= found.upper <= expected + TOLERANCE + slack


def test_one_hull_of_a_bracket_stands_out_by_the_closed_form() -> None:
    """On the hull's slope z - 10 = 30 t and x - 10 = 70 (1 - t): the foot and the post are both 21 mm away."""
    vertices, faces = bracket()
    found = inflation(Union((mesh_piece(solid_hull(vertices)),)), Solid(vertices, faces), TOLERANCE)
    assert within(found, 21 * MM)


def test_faces_between_pieces_do_not_count() -> None:
    whole = box((40 * MM, 40 * MM, 40 * MM))
    halves = (block((20 * MM, 40 * MM, 40 * MM)), block((20 * MM, 40 * MM, 40 * MM), (20 * MM, 0, 0)))
    assert inflation(Union(halves), Solid(*whole), TOLERANCE).upper <= TOLERANCE
    # The cut runs through phantom space too: the exposed surface is 10 mm out, the inside of the cut face 20 mm.
    core = box((20 * MM, 40 * MM, 1 * MM), (10 * MM, 0, 0))
    assert within(inflation(Union(halves), Solid(*core), TOLERANCE), np.hypot(10, 39) * MM)


def test_overlapping_pieces_expose_only_their_union() -> None:
    small, large = block((10 * MM,) * 3, (15 * MM,) * 3), block((40 * MM,) * 3)
    found = inflation(Union((small, large)), Solid(*box((40 * MM, 40 * MM, 39 * MM))), TOLERANCE)
    assert within(found, 1 * MM)


def test_a_sphere_stands_out_of_a_cube_by_its_cap() -> None:
    cube = Solid(*box((40 * MM,) * 3, (-20 * MM,) * 3))
    union = Union((ball(23 * MM),))
    found = inflation(union, cube, TOLERANCE)
    assert 3 * MM <= found.upper <= 3 * MM + TOLERANCE + union.slack
    assert union.slack < 0.03 * MM


def test_deficit_beyond_an_edge_is_longer_than_the_distance_to_a_plane() -> None:
    vertices, faces = box((43 * MM, 54 * MM, 40 * MM))
    one = Union((block((40 * MM, 50 * MM, 40 * MM)),))
    two = Union((block((40 * MM, 50 * MM, 15 * MM)), block((40 * MM, 50 * MM, 25 * MM), (0, 0, 15 * MM))))
    assert deficit(vertices[faces], one, TOLERANCE).upper == pytest.approx(5 * MM)
    assert within(deficit(vertices[faces], two, TOLERANCE), 5 * MM)


def test_deficit_between_corners_is_found() -> None:
    """The largest distance lies in the middle of the faces, over a slit, far from every vertex of the surface."""
    vertices, faces = box((42 * MM, 40 * MM, 40 * MM))
    union = Union((block((20 * MM, 40 * MM, 40 * MM)), block((20 * MM, 40 * MM, 40 * MM), (22 * MM, 0, 0))))
    assert within(deficit(vertices[faces], union, TOLERANCE), 1 * MM)


def test_pieces_that_cover_the_surface_leave_no_deficit() -> None:
    vertices, faces = bracket()
    union = Union((block((80 * MM, 50 * MM, 10 * MM)), block((10 * MM, 50 * MM, 40 * MM))))
    found = deficit(vertices[faces], union, TOLERANCE)
    assert found.upper < 1e-12
    assert union.volume == pytest.approx(80 * 50 * 10e-9 + 10 * 50 * 30e-9, rel=1e-12)
    assert union.total == pytest.approx(union.volume + 10 * 50 * 10e-9, rel=1e-12)


def test_a_bound_that_runs_out_of_effort_is_wider_and_still_a_bound() -> None:
    vertices, faces = bracket()
    union, reference = Union((mesh_piece(solid_hull(vertices)),)), Solid(vertices, faces)
    short = inflation(union, reference, 1e-9, effort=40)
    assert short.upper > 21 * MM + TOLERANCE
    assert short.lower <= 21 * MM


def test_several_parts_are_one_reference() -> None:
    apart = together(box((10 * MM,) * 3), box((10 * MM,) * 3, (30 * MM, 0, 0)))
    union = Union((block((40 * MM, 10 * MM, 10 * MM)),))
    assert within(inflation(union, Solid(*apart), TOLERANCE), 10 * MM)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["hull", "box", "sphere", "many"])
def test_no_million_samples_exceed_the_bound(shape: str) -> None:
    vertices, faces = rounded_box(28.5 * MM, 6 * MM)
    bumps = 0.3 * MM * np.sin(400 * vertices[:, :1] + 3) * np.cos(350 * vertices[:, 1:2])
    vertices = vertices + bumps * vertices / np.linalg.norm(vertices, axis=1, keepdims=True)
    made: dict[str, tuple[Piece, ...]] = {
        "hull": (mesh_piece(solid_hull(vertices[::7])),),
        "box": (round_piece("box", np.zeros(3), np.eye(3), (28 * MM, 28 * MM, 28 * MM)),),
        "sphere": (ball(34 * MM),),
        "many": tuple(
            mesh_piece(solid_hull(vertices[side])) for side in (vertices[:, 0] > -MM, vertices[:, 0] < 2 * MM)
        ),
    }
    union, reference = Union(made[shape]), Solid(vertices, faces)
    out, gap = inflation(union, reference, TOLERANCE), deficit(vertices[faces], union, TOLERANCE)

    # The samples lie on the pieces themselves, and what another piece holds is dropped by its planes: no union needed.
    parts = [points[_outer(points, i, union)] for i, points in enumerate(map(_skin, union.pieces))]
    sampled = max(float(reference.signed(points).max(initial=0)) for points in parts)
    assert sampled <= out.upper
    assert sampled >= out.lower - 0.2 * MM
    points, _ = samples(vertices, faces, 1_000_000)
    sampled = float(union.distance(points).max())
    assert sampled <= gap.upper
    assert sampled >= gap.lower - 0.2 * MM


def _skin(piece: Piece) -> Floats:
    if piece.kind == "sphere":
        ray = np.random.default_rng(1).normal(size=(1_000_000, 3))
        return piece.center + piece.size[0] * ray / np.linalg.norm(ray, axis=1, keepdims=True)
    if piece.kind == "box":
        return samples(*box(tuple(2 * piece.size), tuple(piece.center - piece.size)), 1_000_000)[0]
    return samples(piece.vertices, piece.faces, 1_000_000)[0]


def _outer(points: Floats, index: int, union: Union) -> np.ndarray:
    free = np.ones(len(points), dtype=bool)
    for other, shape in enumerate(union.hulls):
        if other != index:
            free &= shape.excess(points) > 0
    return free
