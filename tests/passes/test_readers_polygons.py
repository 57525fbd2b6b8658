"""Polygons are cut into triangles that cover them once: the areas add up and none is turned round or flat."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from r2s.compiler.errors import InvalidInputError
from r2s.passes.readers.polygons import MOST_CORNERS, expand_strips, triangulate

L_SHAPE = np.array([[80, 0], [80, 20], [20, 20], [20, 50], [0, 50], [0, 0]], dtype=float)
COMB = np.array([[0, 0], [9, 0], [9, 5], [8, 1], [7, 5], [6, 1], [5, 5], [4, 1], [3, 5], [2, 1], [1, 5]], dtype=float)
SPLIT_SQUARE = np.array([[0, 0], [1, 0], [2, 0], [2, 1], [2, 2], [1, 2], [0, 2], [0, 1]], dtype=float)
NOTCHED_SPLIT = np.array([[0, 0], [2, 0], [4, 0], [4, 4], [2, 4], [2, 1], [1, 1], [1, 4], [0, 4]], dtype=float)


def areas(points: NDArray[np.float64], faces: NDArray[np.int64]) -> NDArray[np.float64]:
    """Signed areas seen from +z."""
    a, b, c = (points[faces[:, i], :2] for i in range(3))
    u, v = b - a, c - a
    return (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]) / 2


def cut(outline: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    points = np.column_stack([outline, np.zeros(len(outline))])
    return points, triangulate(points, np.arange(len(outline)), np.array([len(outline)]))


def shoelace(outline: NDArray[np.float64]) -> float:
    x, y = outline.T
    return float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum() / 2)


@pytest.mark.parametrize("turn", range(8))
@pytest.mark.parametrize("outline", [L_SHAPE, COMB, SPLIT_SQUARE, NOTCHED_SPLIT], ids=["L", "comb", "split", "notched"])
def test_triangles_cover_the_outline_once(outline: NDArray[np.float64], turn: int) -> None:
    outline = np.roll(outline, turn, axis=0)

    points, faces = cut(outline)

    assert len(faces) == len(outline) - 2
    assert (areas(points, faces) > 1e-9).all()
    assert areas(points, faces).sum() == pytest.approx(shoelace(outline))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.floats(0.2, 1.0), min_size=5, max_size=40),
    st.permutations([0, 1, 2]),
    st.booleans(),
)
def test_star_shaped_outlines_in_any_plane(radii: list[float], axes: list[int], mirrored: bool) -> None:
    angles = np.linspace(0, 2 * np.pi, len(radii), endpoint=False) * (-1 if mirrored else 1)
    flat = np.column_stack([np.cos(angles), np.sin(angles)]) * np.array(radii)[:, None]
    points = np.column_stack([flat, 0.3 * flat[:, 0] + 5])[:, axes]

    faces = triangulate(points, np.arange(len(radii)), np.array([len(radii)]))

    a, b, c = (points[faces[:, i]] for i in range(3))
    vectors = np.cross(b - a, c - a) / 2
    whole = np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0) / 2
    assert np.allclose(vectors.sum(axis=0), whole)
    assert (vectors @ whole > 0).all()  # with the sum right and none turned round, nothing is covered twice
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    _, uses = np.unique(edges, axis=0, return_counts=True)
    assert (uses == 1).sum() == len(radii)


def test_a_concave_quad_is_cut_at_its_inner_corner() -> None:
    outline = np.array([[0, 0], [4, 0], [1, 1], [0, 4]], dtype=float)

    for turn in range(4):
        points, faces = cut(np.roll(outline, turn, axis=0))
        assert (areas(points, faces) > 0).all()


def test_a_quad_is_cut_along_its_shorter_diagonal() -> None:
    _, faces = cut(np.array([[0, 0], [3, -1], [6, 0], [3, 1]], dtype=float))

    assert sorted(map(sorted, faces.tolist())) == [[0, 1, 3], [1, 2, 3]]


def test_order_is_kept_and_short_faces_give_nothing() -> None:
    points = np.column_stack([SPLIT_SQUARE, np.zeros(8)])
    corners = np.array([0, 2, 4, 1, 0, 2, 4, 6, 4, 6, 0])

    faces = triangulate(points, corners, np.array([3, 1, 4, 3]))

    assert faces[[0, 3]].tolist() == [[0, 2, 4], [4, 6, 0]]
    assert len(faces) == 4


@pytest.mark.parametrize("outline", [np.zeros((7, 2)), np.array([[0, 0], [4, 4], [4, 0], [0, 4], [2, 9.0]])])
def test_an_outline_without_an_inside_still_ends(outline: NDArray[np.float64]) -> None:
    _, faces = cut(outline)

    assert faces.shape == (len(outline) - 2, 3)


def test_a_round_face_of_many_corners_is_cut_and_a_huge_one_refused() -> None:
    angles = np.linspace(0, 2 * np.pi, MOST_CORNERS + 1, endpoint=False)
    circle = np.column_stack([np.cos(angles), np.sin(angles)])

    points, faces = cut(circle[::16])
    assert areas(points, faces).sum() == pytest.approx(shoelace(circle[::16]))
    with pytest.raises(InvalidInputError, match="4,097 corners"):
        cut(circle)


def test_strips_turn_every_second_triangle() -> None:
    indices = np.array([0, 1, 2, 3, 4, -1, 5, 6, 7, 8, 9, 9, 10, 11])

    faces = expand_strips(indices, np.array([9, 5]))

    assert faces.tolist() == [[0, 1, 2], [1, 3, 2], [2, 3, 4], [5, 6, 7], [9, 10, 11]]
