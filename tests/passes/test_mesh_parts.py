"""The steps of mesh repair and of hulls, each by itself on shapes whose answer is known."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
import trimesh
from scan_shapes import MM, box, mesh_scan, together

from r2s.compiler.ir import Floats, Ints, Surface, bools, floats, ints, is_closed
from r2s.passes.convex import hulls
from r2s.passes.convex.coacd import decomposed
from r2s.passes.convex.pieces import mesh_piece, outside, round_piece, tessellate, volume
from r2s.passes.meshes.doubts import doubts
from r2s.passes.meshes.edges import areas, shells_of
from r2s.passes.meshes.edges import volume as mesh_volume
from r2s.passes.meshes.holes import lids, loops_of
from r2s.passes.meshes.split import separated
from r2s.passes.shapes.distance import Solid

Mesh = tuple[Floats, Ints]
TURN = trimesh.transformations.euler_matrix(0.4, -0.8, 1.2)[:3, :3]


def funnel(rim: Floats) -> Mesh:
    """A cone from a point far below to the corners of *rim*, open at the rim."""
    n = len(rim)
    vertices = np.vstack([rim, rim.mean(axis=0) - [0, 0, 50]])
    return vertices, np.array([(n, (i + 1) % n, i) for i in range(n)])


def triangulations(loop: list[int]) -> list[list[tuple[int, int, int]]]:
    """Every way to cut a polygon into triangles by its diagonals."""
    if len(loop) < 3:
        return [[]]
    first, last = loop[0], loop[-1]
    return [
        [*left, *right, (first, loop[k], last)]
        for k in range(1, len(loop) - 1)
        for left in triangulations(loop[: k + 1])
        for right in triangulations(loop[k:])
    ]


@pytest.mark.parametrize("seed", range(4))
def test_a_crooked_hole_gets_the_lid_of_least_area(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn = np.arange(7) * 2 * np.pi / 7
    rim = np.column_stack([np.cos(turn), np.sin(turn), rng.uniform(-0.5, 0.5, 7)]) * rng.uniform(0.6, 1.4, (7, 1))
    vertices, faces = funnel(rim)
    (loop,) = loops_of(faces)
    assert sorted(loop) == list(range(7))
    least = min(float(areas(vertices, np.array(t)).sum()) for t in triangulations(list(range(7))))

    closed, (lid,) = lids(vertices, faces)
    assert not lid.flat
    assert lid.corners == 7
    assert lid.area == pytest.approx(least)
    assert lid.height == pytest.approx(rim[:, 2].mean())
    assert len(closed) == len(vertices)
    assert len(lid.faces) == 5
    assert is_closed(np.concatenate([faces, lid.faces]))


def test_a_flat_hole_and_a_ring_are_closed_flat() -> None:
    outer = trimesh.creation.annulus(r_min=1.0, r_max=2.0, height=1.0, sections=16)
    vertices, faces = np.asarray(outer.vertices), np.asarray(outer.faces)
    top = (vertices[faces][:, :, 2] > 0.49).all(axis=1)
    open_ring = faces[~top]
    assert len(loops_of(open_ring)) == 2
    again, (lid,) = lids(vertices, open_ring)
    assert np.array_equal(again, vertices)
    assert lid.flat
    assert lid.corners == 32
    assert lid.area == pytest.approx(areas(vertices, faces[top]).sum())
    assert lid.normal == pytest.approx([0, 0, 1])
    assert lid.height == pytest.approx(0.5)
    whole = np.concatenate([open_ring, lid.faces])
    assert is_closed(whole)
    assert mesh_volume(vertices, whole) == pytest.approx(outer.volume)


def test_a_small_hole_beside_a_large_one_is_no_ring() -> None:
    one, two = box((2.0, 2.0, 1.0)), box((0.5, 0.5, 1.0), at=(3.0, 0.0, 0.0))
    vertices, faces = together(one, two)
    faces = faces[~(vertices[faces][:, :, 2] > 0.99).all(axis=1)]
    _, found = lids(vertices, faces)
    assert sorted(round(lid.area, 9) for lid in found) == [0.25, 4.0]
    assert is_closed(np.concatenate([faces, *(lid.faces for lid in found)]))


def test_a_long_crooked_hole_gets_a_fan() -> None:
    turn = np.arange(310) * 2 * np.pi / 310
    rim = np.column_stack([np.cos(turn), np.sin(turn), 0.9 * np.sign(np.sin(4 * turn)) * np.sin(turn) ** 2])
    rim[::2, :2] *= 0.2
    vertices, faces = funnel(rim)
    closed, (lid,) = lids(vertices, faces)
    assert is_closed(np.concatenate([faces, lid.faces]))
    assert len(lid.faces) in (308, 310)
    if len(closed) > len(vertices):
        assert closed[-1] == pytest.approx(rim.mean(axis=0))


def test_holes_that_touch_in_a_corner_are_two() -> None:
    """A grid of 2 x 2 cells without two of them that meet in the middle."""
    corners = np.array([[x, y, 0.0] for y in range(3) for x in range(3)])
    frame = [(i, i + 1, i + 4, i + 3) for i in (0, 1, 3, 4)]
    outer = np.array([[x, y, 0.0] for x, y in ((-1, -1), (3, -1), (3, 3), (-1, 3))])
    around = [0, 1, 2, 5, 8, 7, 6, 3]
    quads = [frame[0], frame[3]]
    faces = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    for k, (a, b) in enumerate(itertools.pairwise([*around, around[0]])):
        faces.append((b, a, 9 + (k // 2) % 4))
        if k % 2:
            faces.append((b, 9 + (k // 2) % 4, 9 + (k // 2 + 1) % 4))
    vertices = np.concatenate([corners, outer])
    holes = [sorted(loop) for loop in loops_of(np.array(faces)) if not set(loop) & {9, 10, 11, 12}]
    assert sorted(holes) == [[1, 2, 4, 5], [3, 4, 6, 7]]
    assert len(vertices) == 13


def wedge(start: float, end: float) -> Mesh:
    """A prism of height 1 whose edge at the angles' corner is the z axis."""
    flat = np.array([[0, 0], [np.cos(start), np.sin(start)], [np.cos(end), np.sin(end)]])
    vertices = np.concatenate([np.column_stack([flat, np.full(3, z)]) for z in (0.0, 1.0)])
    faces = [(0, 2, 1), (3, 4, 5)]
    for a, b in ((0, 1), (1, 2), (2, 0)):
        faces += [(a, b, b + 3), (a, b + 3, a + 3)]
    return vertices, np.array(faces)


@pytest.mark.parametrize(
    "angles",
    [
        [(0.0, 1.0), (3.0, 4.0)],
        [(0.0, 2.5), (3.0, 6.0)],
        [(-0.4, 0.4), (1.0, 2.9), (3.3, 3.5)],
        [(0.1, 1.4), (1.5, 3.0), (3.1, 4.6), (4.7, 6.2)],
    ],
)
@pytest.mark.parametrize("turn", [np.eye(3), TURN, np.diag([1.0, -1.0, -1.0])], ids=["upright", "turned", "down"])
def test_solids_that_share_an_edge_come_apart(angles: list[tuple[float, float]], turn: Floats) -> None:
    parts = [wedge(*pair) for pair in angles]
    vertices, faces = together(*parts)
    places, at = np.unique(np.round(vertices @ turn.T, 12), axis=0, return_inverse=True)
    joined = at.reshape(-1)[faces]
    assert not is_closed(joined)

    apart, found = separated(places, joined)
    assert is_closed(found)
    count, label = shells_of(found, len(apart))
    made = sorted(mesh_volume(apart, found[label == k]) for k in range(count))
    assert made == pytest.approx(sorted(mesh_volume(*part) for part in parts))


def test_a_mesh_without_crowded_edges_stays_as_it_is() -> None:
    vertices, faces = box((1.0, 2.0, 3.0))
    apart, found = separated(vertices, faces)
    assert len(apart) == 8
    assert is_closed(found)
    assert np.array_equal(apart[found], vertices[faces])


def surface(vertices: Floats, faces: Ints, points: Floats) -> Surface:
    scan = mesh_scan(points, faces)
    return Surface(floats(vertices), ints(faces), bools(np.ones(len(faces))), scan)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_surface_that_outgrew_its_points_is_told_where(axis: int) -> None:
    points, faces = box((0.03, 0.04, 0.12))
    room = 0.02 * float(np.linalg.norm(np.ptp(points, axis=0)))
    grown = np.ones(3)
    grown[axis] = 1 + 1.01 * room / np.ptp(points[:, axis])
    (said,) = doubts(surface(points * grown, faces, points))
    assert said.code == "R2S433"
    assert f"wider in {'xyz'[axis]} than its points" in said.message
    grown[axis] = 1 + 0.99 * room / np.ptp(points[:, axis])
    assert list(doubts(surface(points * grown, faces, points))) == []


def test_several_bodies_are_told_with_their_share() -> None:
    vertices, faces = together(
        box((0.1, 0.1, 0.1)), box((0.05, 0.05, 0.05), at=(0.2, 0, 0)), box((0.01, 0.01, 0.01), at=(0, 0.2, 0))
    )
    (said,) = doubts(surface(vertices, faces, vertices))
    assert said.code == "R2S434"
    assert "3 separate bodies (the second has 12.5 % of the first's volume)" in said.message
    hollow = together(box((0.1, 0.1, 0.1)), (box((0.05, 0.05, 0.05), at=(0.02, 0.02, 0.02))[0], faces[:12, ::-1]))
    assert list(doubts(surface(*hollow, hollow[0]))) == []
    touching = together(box((0.1, 0.1, 0.1)), box((0.1, 0.1, 0.1), at=(0.1, 0.1, 0.1)))
    assert list(doubts(surface(*touching, touching[0]))) == []


@pytest.mark.parametrize("seed", range(3))
def test_both_ways_to_a_hull_agree(seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(60, 3)) * 0.03 + 0.2
    one, other = hulls.hull(points), hulls._by_manifold(points)
    assert one is not None
    assert other is not None
    assert np.array_equal(one.vertices, other.vertices)
    assert {frozenset(f) for f in one.faces.tolist()} == {frozenset(f) for f in other.faces.tolist()}
    assert other.volume == pytest.approx(one.volume)
    assert np.abs(other.excess(points) - one.excess(points)).max() < 1e-12
    assert other.thickness == pytest.approx(one.thickness)
    assert is_closed(other.faces)
    assert np.linalg.norm(other.planes[:, :3], axis=1) == pytest.approx(np.ones(len(other.planes)))


@pytest.mark.parametrize(
    "points", [np.zeros((9, 3)), np.eye(3), np.random.default_rng(1).uniform(0, 1, (30, 3)) * [1, 1, 1e-7]]
)
def test_what_is_flat_has_no_hull(points: Floats) -> None:
    assert hulls.hull(points) is None


PIECES = [
    ("box", (0.04, 0.03, 0.02), 8 * 0.04 * 0.03 * 0.02),
    ("sphere", (0.05, 0.0, 0.0), 4 / 3 * np.pi * 0.05**3),
    ("capsule", (0.02, 0.06, 0.0), np.pi * 0.02**2 * (0.12 + 4 / 3 * 0.02)),
]


@pytest.mark.parametrize(("kind", "size", "told"), PIECES)
def test_a_round_piece_is_its_formula(kind: str, size: tuple[float, float, float], told: float) -> None:
    piece = round_piece(kind, np.array([0.1, 0.2, 0.3]), TURN, size)
    assert (piece.vertices.shape, piece.faces.shape) == ((0, 3), (0, 3))
    assert volume(piece) == pytest.approx(told)
    made, sagitta = tessellate(piece)
    assert told * 0.995 <= made.volume <= told * (1 + 1e-9)
    assert outside(piece, made.vertices).max() < 1e-12
    assert sagitta <= 1.2e-3 * max(size)
    assert volume(mesh_piece(made)) == pytest.approx(made.volume)
    assert tessellate(mesh_piece(made))[1] == 0
    # how far points lie outside, by the distance to the polyhedron inside it
    away = piece.center + np.random.default_rng(1).normal(size=(200, 3)) * 0.1
    beyond = made.excess(away) > 0
    told_away = np.where(beyond, Solid(made.vertices, made.faces).unsigned(away), 0.0)
    assert np.abs(outside(piece, away) - told_away).max() <= 2 * sagitta + 1e-9
    assert beyond.any()


def test_there_are_three_kinds_of_primitive() -> None:
    with pytest.raises(ValueError, match="no such primitive: cone"):
        round_piece("cone", np.zeros(3), np.eye(3), (1, 1, 1))


def test_coacd_answers_in_metres_where_the_part_lies() -> None:
    low, high = (
        trimesh.creation.box(bounds=[[0, 0, 0], [60, 40, 15]]),
        trimesh.creation.box(bounds=[[0, 0, 0], [12, 40, 30]]),
    )
    made = trimesh.boolean.union([low, high])
    vertices, faces = np.asarray(made.vertices) * MM + [0.5, -0.2, 0.3], np.asarray(made.faces)
    found = decomposed(vertices, faces, 1 * MM, seed=1)
    every = np.concatenate(found)
    assert len(found) == 2
    assert every.min(axis=0) == pytest.approx(vertices.min(axis=0), abs=0.1 * MM)
    assert every.max(axis=0) == pytest.approx(vertices.max(axis=0), abs=0.1 * MM)
    held = sum(trimesh.convex.convex_hull(points).volume for points in found)
    assert held == pytest.approx(made.volume * MM**3, rel=0.02)


def test_surfaces_here_are_what_they_say() -> None:
    """Guards the helpers."""
    vertices, faces = wedge(0.0, np.pi / 2)
    assert is_closed(faces)
    assert mesh_volume(vertices, faces) == pytest.approx(0.5)
    made = surface(*box((0.1, 0.1, 0.1)), box((0.1, 0.1, 0.1))[0])
    dataclasses.replace(made).verify()
