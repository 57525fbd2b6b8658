"""Clouds to closed surfaces: shapes with known truth, undersides no one saw, wrong normals, two skins."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scan_shapes import (
    MM,
    box,
    cloud_scan,
    cube_on_table,
    cup_cloud,
    mesh_scan,
    rounded_cube_distance,
    sphere,
    sphere_cloud,
)

from r2s.compiler.codes import catalogue
from r2s.compiler.errors import InvalidInputError, UsageError
from r2s.compiler.ir import Scan, Surface, floats
from r2s.compiler.ledger import DirectedDistance, Scalar, StandardUncertainty, Unobserved
from r2s.compiler.protocol import Outcome
from r2s.passes.surface import ExtractSurface

NOISE = 0.05 * MM


def surface(scan: Scan, **options: float | str) -> Outcome[Surface]:
    found = ExtractSurface(**options).run(scan)  # type: ignore[arg-type]  # options by name
    found.value.verify()
    return found


def codes(found: Outcome[Surface]) -> list[str]:
    return [d.code for d in found.diagnostics]


def distance(found: Outcome[Surface], role: str) -> DirectedDistance:
    return next(t for t in found.terms if isinstance(t, DirectedDistance) and t.role == role)


@pytest.fixture(scope="module")
def ball() -> Outcome[Surface]:
    return surface(cloud_scan(sphere_cloud(30 * MM, 6000, NOISE), noise=NOISE))


@pytest.fixture(scope="module")
def cube() -> Outcome[Surface]:
    points = cube_on_table(28.5 * MM, 3 * MM, 8000, NOISE)
    return surface(cloud_scan(points, noise=NOISE, support=-28.5 * MM))


def test_sphere_is_found_without_a_warning(ball: Outcome[Surface]) -> None:
    radius = np.linalg.norm(ball.value.vertices, axis=1)

    assert ball.diagnostics == ()
    assert ball.value.observed.all()
    assert abs(float(radius.mean()) - 30 * MM) < 0.01 * MM
    assert float(radius.std()) < NOISE
    assert ball.value.volume == pytest.approx(4 / 3 * np.pi * (30 * MM) ** 3, rel=2e-3)


def test_distances_are_from_the_local_mean_not_from_noise(ball: Outcome[Surface]) -> None:
    for role in ("forward", "backward"):
        assert distance(ball, role).rms < NOISE / 2
        assert abs(distance(ball, role).signed_mean or 0.0) < 0.3 * NOISE
    smoothing = next(t for t in ball.terms if isinstance(t, StandardUncertainty))
    assert (smoothing.shape, smoothing.unit) == ("form", "m")
    assert 0 < smoothing.u < NOISE


def test_signed_mean_is_positive_where_the_scan_lies_outside() -> None:
    from r2s.passes.clouds.fit import cloud_fit

    vertices, faces = sphere(30 * MM, 4)
    points = sphere_cloud(30.5 * MM, 4000, 0.0)

    found = cloud_fit(points, vertices, faces, np.ones(len(faces), dtype=bool))
    forward, backward = (
        next(t for t in found if isinstance(t, DirectedDistance) and t.role == role) for role in ("forward", "backward")
    )

    assert forward.signed_mean == pytest.approx(0.5 * MM, abs=0.06 * MM)
    assert backward.signed_mean == pytest.approx(-0.5 * MM, abs=0.06 * MM)
    smoothing = next(t for t in found if isinstance(t, StandardUncertainty))
    assert smoothing.value == backward.signed_mean  # the surface lies inside the scan's mean: its offset is negative


def test_cube_on_a_table_is_closed_on_the_table(cube: Outcome[Surface]) -> None:
    value = cube.value
    seen = value.vertices[np.unique(value.faces[value.observed])]
    error = rounded_cube_distance(seen, 28.5 * MM, 3 * MM)

    assert codes(cube) == ["R2S420"]
    assert abs(float(error.mean())) < 0.02 * MM
    assert float(error.std()) < 0.1 * MM
    assert value.vertices[:, 2].min() == pytest.approx(-28.5 * MM, abs=0.3 * MM)
    under = next(t for t in cube.terms if isinstance(t, Unobserved) and t.closed_by == "support plane")
    assert under.area == pytest.approx((51 * MM) ** 2, rel=0.25)
    assert value.volume == pytest.approx((57 * MM) ** 3, rel=0.02)


def test_underside_is_level_and_marked_unobserved(cube: Outcome[Surface]) -> None:
    value = cube.value
    middle = value.triangles.mean(axis=1)
    under = (np.abs(middle[:, :2]).max(axis=1) < 20 * MM) & (middle[:, 2] < 0)

    assert not value.observed[under].any()
    assert float(np.ptp(middle[under, 2])) < 0.2 * MM


def test_cup_keeps_its_cavity_and_its_thin_wall() -> None:
    points = cup_cloud(30 * MM, 60 * MM, 3 * MM, 1 * MM, NOISE)

    found = surface(cloud_scan(points, noise=NOISE, support=0.0))

    true = np.pi * (30**2 * 60 - 27**2 * 57) * MM**3
    assert codes(found) == ["R2S420"]
    assert found.value.volume == pytest.approx(true, rel=0.02)


def test_normals_half_flipped_are_set_aside_and_the_result_is_the_same() -> None:
    points = sphere_cloud(30 * MM, 4000, NOISE)
    right = points / np.linalg.norm(points, axis=1, keepdims=True)
    sign = np.random.default_rng(6).choice([-1.0, 1.0], size=(len(points), 1))

    clean = surface(cloud_scan(points, right, noise=NOISE))
    mixed = surface(cloud_scan(points, right * sign, noise=NOISE))
    inward = surface(cloud_scan(points, -right, noise=NOISE))

    assert (codes(clean), codes(mixed), codes(inward)) == ([], ["R2S431"], ["R2S431"])
    assert np.array_equal(clean.value.vertices, inward.value.vertices)
    assert mixed.value.volume == pytest.approx(clean.value.volume, rel=2e-3)
    radii = np.linalg.norm(mixed.value.vertices, axis=1)
    assert np.abs(radii - 30 * MM).max() < 4 * NOISE


def test_an_instruments_own_normals_are_used_where_they_fit_better() -> None:
    """A sparse box: an estimate over nine points slants beside edges, the file's normals do not."""
    rng = np.random.default_rng(3)
    half = np.array([40.0, 25.0, 20.0]) * MM
    side, axis = rng.choice([-1.0, 1.0], 2500), rng.integers(0, 3, 2500)
    points = rng.uniform(-1, 1, (2500, 3)) * half
    points[np.arange(2500), axis] = side * half[axis]
    right = np.zeros_like(points)
    right[np.arange(2500), axis] = side

    own = surface(cloud_scan(points, right, noise=0.0)).value
    found = surface(cloud_scan(points, right * rng.choice([-1.0, 1.0], (2500, 1)), noise=0.0)).value
    grown = [float((np.ptp(s.vertices, axis=0) - 2 * half).max()) for s in (own, found)]
    assert grown[0] < 0.9 * grown[1]


def test_two_skins_are_named_with_their_distance() -> None:
    rng = np.random.default_rng(7)
    vertices, faces = box((80 * MM, 50 * MM, 40 * MM))
    from r2s.passes.shapes.distance import samples

    points, face = samples(vertices, faces, 9000)
    second = (np.cross(*(vertices[faces][face][:, k] - vertices[faces][face][:, 0] for k in (1, 2)))[:, 0] > 0) & (
        rng.random(len(points)) < 0.5
    )
    points[second, 0] += 3 * MM

    found = surface(cloud_scan(points))

    assert "R2S432" in codes(found)
    gap = next(t for t in found.terms if isinstance(t, Scalar) and t.id == "surface.double_layer")
    assert gap.value == pytest.approx(3 * MM, rel=0.1)
    assert float(np.ptp(found.value.vertices[:, 0])) == pytest.approx(83 * MM, abs=1 * MM)


def test_thin_wall_is_not_two_skins() -> None:
    from r2s.passes.clouds.cloud import working_cloud
    from r2s.passes.clouds.layers import layers

    cloud = working_cloud(cloud_scan(cup_cloud(30 * MM, 60 * MM, 2 * MM, 0.9 * MM, NOISE), noise=NOISE))

    assert layers(cloud).gap == 0.0


def test_half_a_sphere_is_refused() -> None:
    points = sphere_cloud(30 * MM, 6000, NOISE)

    with pytest.raises(InvalidInputError) as caught:
        surface(cloud_scan(points[points[:, 0] > 0], noise=NOISE))

    assert caught.value.code in ("R2S403", "R2S405")


@pytest.mark.parametrize(
    ("points", "code"),
    [
        (np.zeros((1, 3)), "R2S401"),
        (np.random.default_rng(8).uniform(0, 1, (500, 3)) * [1, 1, 0], "R2S401"),
        (np.random.default_rng(8).uniform(0, 1, (500, 3)) * [1, 0, 0], "R2S401"),
        (np.random.default_rng(8).uniform(0, 1, (30, 3)), "R2S404"),
    ],
)
def test_what_bounds_no_solid_is_refused(points: np.ndarray, code: str) -> None:  # type: ignore[type-arg]
    scan = dataclasses.replace(cloud_scan(np.random.default_rng(9).uniform(0, 1, (9, 3))), points=floats(points, -1, 3))

    with pytest.raises(InvalidInputError) as caught:
        surface(scan)

    assert caught.value.code == code


def test_far_coordinates_keep_their_digits(ball: Outcome[Surface]) -> None:
    shift = np.array([40.0, -30.0, 20.0])
    moved = surface(cloud_scan(sphere_cloud(30 * MM, 6000, NOISE) + shift, noise=NOISE, support=np.nan))

    assert moved.value.volume == pytest.approx(ball.value.volume, rel=1e-3)


@pytest.mark.slow
def test_mesh_can_be_drawn_anew() -> None:
    vertices, faces = sphere(30 * MM, 4)

    found = surface(mesh_scan(vertices, faces), method="poisson")

    assert found.value.volume == pytest.approx(4 / 3 * np.pi * (30 * MM) ** 3, rel=5e-3)


@pytest.mark.parametrize("options", [{"method": "magic"}, {"depth": 3}, {"max_unobserved": 2.0}, {"method": "keep"}])
def test_option_out_of_range_is_a_usage_error(options: dict[str, float | str]) -> None:
    with pytest.raises(UsageError) as caught:
        surface(cloud_scan(sphere_cloud(30 * MM, 100, 0.0)), **options)

    assert caught.value.code == "R2S407"


def test_every_code_is_in_the_catalogue() -> None:
    import re

    import r2s.passes

    folder = Path(next(iter(r2s.passes.__path__)))
    used = {code for path in folder.rglob("*.py") for code in re.findall(r"R2S4\d\d", path.read_text("utf-8"))}

    assert used <= set(catalogue())
    assert {code for code in catalogue() if code.startswith("R2S4")} <= used


@pytest.mark.slow
def test_fresh_process_gives_the_same_bytes(ball: Outcome[Surface]) -> None:
    script = (
        "from scan_shapes import *; from r2s.passes.surface import ExtractSurface as E;"
        "print(E().run(cloud_scan(sphere_cloud(30 * MM, 6000, 0.05 * MM), noise=0.05 * MM)).value.digest())"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], cwd=Path(__file__).parent.parent, capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == ball.value.digest()


CASES = {
    "d-open-bottom": (["R2S420"], 64000, 0.05, 2.0),
    "d-flip-half": (["R2S431"], 64000, 0.05, 2.0),
    "d-double-layer": (["R2S432"], 64000, 0.10, 4.0),
    "d-nan": ([], 64000, 0.05, 2.5),
}


@pytest.mark.parametrize("case", CASES)
def test_public_case(cases: Path, case: str) -> None:
    expected, volume, share, tolerance = CASES[case]
    raw = (cases / case / "scan.ply").read_bytes()
    body = np.frombuffer(raw[raw.index(b"end_header\n") + 11 :], dtype="<f4").reshape(-1, 6).astype(float)
    body = body[np.isfinite(body).all(axis=1)]

    found = surface(cloud_scan(body[:, :3] * MM, body[:, 3:]))

    assert codes(found) == expected
    assert found.value.volume == pytest.approx(volume * MM**3, rel=share)
    assert np.abs(np.ptp(found.value.vertices, axis=0) / MM - [80, 50, 40]).max() <= tolerance


@pytest.mark.slow
def test_mesh_beyond_repair_is_drawn_anew_and_says_so() -> None:
    """Chords through the inside, faces turned, faces doubled back to front: no order of faces mends that."""
    vertices, faces = sphere(30 * MM, 2)
    chords = np.random.default_rng(1).integers(0, len(vertices), (6, 3))
    faces[10:] = np.concatenate([faces[10:19, ::-1], faces[19:]])
    broken = np.concatenate([faces, chords, faces[:20, ::-1], faces[5:9]])

    found = surface(mesh_scan(vertices, broken))

    assert codes(found)[0] == "R2S422"
    assert found.value.volume == pytest.approx(4 / 3 * np.pi * (30 * MM) ** 3, rel=0.2)
    with pytest.raises(InvalidInputError) as caught:
        surface(mesh_scan(vertices, broken), method="keep")
    assert caught.value.code == "R2S406"


def test_a_surface_stands_out_beyond_none_of_its_points() -> None:
    """Beside sharp edges Poisson overshoots; what no point supports stays."""
    import trimesh

    from r2s.passes.clouds.clipped import clipped

    vertices, faces = box((80 * MM, 50 * MM, 40 * MM))
    mesh = trimesh.Trimesh(vertices, faces).subdivide_to_size(2 * MM)
    points = np.asarray(mesh.vertices)
    bulged = points.copy()
    high = int(np.argmin(np.linalg.norm(points - points.max(axis=0) * [0.0, 0.0, 1.0], axis=1)))
    bulged[high, 2] += 0.5 * MM
    seen = np.ones(len(mesh.faces), dtype=bool)

    mended = clipped(bulged, np.asarray(mesh.faces), seen, points, 1.5 * MM)
    unseen = clipped(bulged, np.asarray(mesh.faces), ~seen, points, 1.5 * MM)

    assert 0 <= mended[high, 2] - points[high, 2] < 0.3 * MM
    assert np.abs(np.delete(mended - points, high, axis=0)).max() < 0.05 * MM
    assert np.array_equal(unseen, bulged)
