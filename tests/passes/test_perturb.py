"""Errors laid onto a scan: each moves what it says, by as much as it says, and nothing else."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scan_shapes import box, cloud_scan, mesh_scan, sphere_cloud

from r2s.compiler.ir import Floats, Scan
from r2s.compiler.measured import VIEWS
from r2s.compiler.pipeline import Pipeline
from r2s.passes.perturb import Perturb

RADIUS = 0.03
SIDES = dict(zip(VIEWS, ("right", "left", "back", "front", "top", "bottom"), strict=True))


def ball(*, normals: bool = True, noise: float = 0.0) -> Scan:
    points = sphere_cloud(RADIUS, 4000, noise)
    return cloud_scan(points, points / np.linalg.norm(points, axis=1, keepdims=True) if normals else None, noise=noise)


def moved(scan: Scan, **errors: float) -> Floats:
    return Perturb(**errors).run(scan).value.points - scan.points  # type: ignore[arg-type]


def test_no_error_changes_no_bit() -> None:
    scan = ball()

    assert Perturb().run(scan).value.digest() == scan.digest()


def test_an_offset_makes_a_ball_larger_all_round() -> None:
    out = Perturb(offset=1e-4).run(ball()).value

    assert np.linalg.norm(out.points, axis=1) == pytest.approx(RADIUS + 1e-4, abs=1e-9)


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_moves_the_points_that_look_its_way_and_no_others(view: str) -> None:
    scan = ball()
    axis, sign = "xyz".index(view[1]), 1 if view[0] == "+" else -1
    looks = (np.abs(scan.points).argmax(axis=1) == axis) & (sign * scan.points[:, axis] > 0)
    step = moved(scan, **{SIDES[view]: 2e-4})

    assert 500 < looks.sum() < 900  # a sixth of them
    assert np.linalg.norm(step[looks], axis=1) == pytest.approx(2e-4, rel=1e-6)
    assert (step[looks] * scan.normals[looks]).sum(axis=1) == pytest.approx(2e-4, rel=1e-6)
    assert not step[~looks].any()


def test_scale_and_drift_stretch_the_axes_and_the_picks_of_the_sheet_go_with_them() -> None:
    scan = ball()
    out = Perturb(scale=0.01, drift_x=0.002, drift_y=-0.003).run(scan).value
    expected = math.exp(0.01) * np.array([1.002, 0.997, 1.0])

    assert out.points == pytest.approx(scan.points * expected)
    pick = np.array([0.01, 0.02, 0.03, 1.0])  # a place in the file's own numbers
    assert (out.from_source @ pick)[:3] == pytest.approx((scan.from_source @ pick)[:3] * expected)


def test_the_support_plane_moves_with_scale_alone() -> None:
    scan = cloud_scan(sphere_cloud(RADIUS, 500, 0.0), support=-RADIUS)
    out = Perturb(scale=0.01, offset=1e-3, bottom=1e-3, noise=1e-4).run(scan).value

    assert out.support == pytest.approx(-RADIUS * math.exp(0.01))


def test_noise_is_normal_along_the_normal_and_adds_to_what_there_was() -> None:
    scan = ball(noise=3e-5)
    out = Perturb(noise=4e-5, seed=3).run(scan).value
    step = out.points - scan.points
    along = (step * scan.normals).sum(axis=1)

    assert np.linalg.norm(step - along[:, None] * scan.normals, axis=1).max() < 1e-12
    assert along.std() == pytest.approx(4e-5, rel=0.05)
    assert abs(along.mean()) < 4 * 4e-5 / math.sqrt(4000)
    assert out.noise == pytest.approx(5e-5)


def test_equal_seeds_give_equal_scans_and_others_do_not() -> None:
    one, same, other = (Perturb(noise=4e-5, seed=s).run(ball()).value.digest() for s in (1, 1, 2))

    assert one == same != other


def test_a_cloud_without_normals_finds_its_outside_by_itself() -> None:
    scan = ball(normals=False)
    out = Perturb(offset=1e-3).run(scan).value

    assert np.linalg.norm(out.points, axis=1) == pytest.approx(RADIUS + 1e-3, abs=2e-5)


def test_a_vertex_that_stands_twice_is_not_torn_apart() -> None:
    vertices, faces = box((0.04, 0.05, 0.06))
    doubled = mesh_scan(vertices[faces].reshape(-1, 3), np.arange(3 * len(faces)).reshape(-1, 3))
    out = Perturb(noise=1e-4, offset=1e-4, seed=5).run(doubled).value

    assert len(np.unique(out.points, axis=0)) == len(np.unique(vertices, axis=0))
    assert np.ptp(out.points, axis=0).min() > 0.04


def test_its_options_go_through_text_with_their_signs() -> None:
    text = "ingest | perturb{scale=-0.001 offset=-5e-05 noise=2e-05 seed=7} | surface"
    made = Pipeline.parse(text)

    assert made.steps[1] == Perturb(scale=-0.001, offset=-5e-5, noise=2e-5, seed=7)
    assert Pipeline.parse(str(made)) == made
