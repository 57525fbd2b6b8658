"""Cutting a scan's solid ever finer: the parts cover it, hold little more, and stop where they are told to."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from scan_shapes import MM, box, sphere

from r2s.compiler.ir import Floats, Ints
from r2s.passes.convex.boolean import cut, manifold
from r2s.passes.convex.boolean import mesh as mesh_of
from r2s.passes.convex.cuts import _halving, _held, finer
from r2s.passes.convex.hulls import Hull, hull

Mesh = tuple[Floats, Ints]


def angle() -> Mesh:
    """An L of 60 x 40 x 30 mm: two boxes, the upper one a hair less wide than a fifth of the length."""
    low, high = manifold(*box((60 * MM, 40 * MM, 15.1 * MM))), manifold(*box((11.97 * MM, 40 * MM, 30 * MM)))
    return mesh_of(low + high)


def ring() -> Mesh:
    made = trimesh.creation.torus(0.03, 0.01, major_sections=24, minor_sections=12)
    return np.asarray(made.vertices), np.asarray(made.faces, dtype=np.int64)


def volume(solid: Mesh) -> float:
    return float(manifold(*solid).volume())


def whole(solid: Mesh) -> list[Hull]:
    made = hull(solid[0])
    assert made is not None
    return [made]


def test_an_angle_is_halved_where_its_two_boxes_meet() -> None:
    solid = angle()
    parts = finer(*solid, whole(solid), 1.001 * volume(solid), most=5)
    assert len(parts) == 2
    assert volume(solid) <= sum(part.volume for part in parts) <= 1.001 * volume(solid)


@pytest.mark.parametrize("share", [1.3, 1.1])
def test_a_ring_is_cut_until_its_parts_hold_no_more_than_asked(share: float) -> None:
    solid = ring()
    parts = finer(*solid, whole(solid), share * volume(solid), most=200)
    held = sum(part.volume for part in parts)
    assert volume(solid) <= held <= share * volume(solid)
    outside = np.array([part.excess(solid[0]) for part in parts]).min(axis=0)
    assert outside.max() <= 1e-6 * 0.08  # every vertex lies in a part
    assert max(whole(solid)[0].excess(part.vertices).max() for part in parts) <= 1e-6 * 0.08  # and none goes beyond


def test_it_stops_at_the_most_parts_that_are_wanted() -> None:
    solid = ring()
    assert len(finer(*solid, whole(solid), 1e-9, most=6)) in (6, 7, 8)  # a cut may leave two parts on a side
    assert len(finer(*solid, whole(solid), 1.0, most=6)) == 1


def test_the_hulls_of_two_sides_are_those_of_the_cut_itself() -> None:
    for points, faces in (ring(), angle(), sphere(0.02, 2)):
        edges = np.unique(
            np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1), axis=0
        )
        for normal in (*np.eye(3), np.array([0.6, 0.0, 0.8])):
            height = points @ normal
            for share in (0.2, 0.45, 0.7):
                offset = float(height.min() + share * np.ptp(height))
                solid = manifold(points, faces)
                made = 0.0
                for sign in (1.0, -1.0):
                    part, _ = mesh_of(solid.trim_by_plane(tuple(sign * normal), sign * offset))
                    made += whole((part, faces))[0].volume
                assert _held(points, edges, height, offset) == pytest.approx(made, rel=1e-6)


def test_the_plane_is_the_best_of_those_it_looks_at() -> None:
    points, faces = angle()
    at = np.array([0.5, -0.2, 0.3])
    normal, offset = _halving(points + at, faces)
    halves = cut(manifold(points + at, faces), normal, offset, 1e-12)
    assert sum(whole(mesh_of(half))[0].volume for half in halves) <= 1.001 * volume((points, faces))
    # turned, no axis of the world is one of the part's, but every cut that was tried is a worse one
    turn = trimesh.transformations.euler_matrix(0.4, 0.2, -0.7)[:3, :3]
    moved = points @ turn.T
    normal, offset = _halving(moved, faces)
    held = sum(whole(mesh_of(half))[0].volume for half in cut(manifold(moved, faces), normal, offset, 1e-12))
    for axis in np.eye(3):
        height = moved @ axis
        for share in np.arange(0.1, 0.95, 0.1):
            tried = cut(manifold(moved, faces), axis, float(height.min() + share * np.ptp(height)), 1e-12)
            assert held <= sum(whole(mesh_of(half))[0].volume for half in tried) * (1 + 1e-6)
