"""The probe: what a ball, a block and a plate of known size say of the scanner, on points with known errors."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from artefact_clouds import Floats, ball, block, plate, table
from corruptions import write_ply

from r2s.compiler.errors import InvalidInputError, UsageError
from r2s.compiler.ir import Source
from r2s.compiler.probed import Artefact, Kind, Probed
from r2s.passes.artefacts.patches import fitted, in_patches
from r2s.passes.artefacts.sphere import fit_sphere
from r2s.passes.probe import Probe

SPHERE = (0.0254,)
BLOCK = (0.0254, 0.0508, 0.0762)


def probe(tmp_path: Path, points: Floats, kind: Kind, sizes: tuple[float, ...] = (), unit: str = "") -> Probed:
    path = write_ply(tmp_path / "scan.ply", points)
    return Probe(Artefact(kind, sizes), unit).run(Source("ply", "0", str(path))).value


def test_a_ball_gives_its_diameter_noise_and_no_form(tmp_path: Path) -> None:
    errors, us, noises = [], [], []
    for seed in range(4):
        found = probe(tmp_path, ball(25.46, 2500, seed=seed), "sphere", SPHERE)
        (length,) = found.lengths
        assert (found.unit, length.reference, length.axis) == ("mm", 0.0254, "")
        assert found.seen > 0.9
        errors.append(length.value - 25.46e-3)
        us.append(length.u)
        noises.append(found.noise.sigma)
    assert max(map(abs, errors)) < 6e-6
    assert 0.2 < float(np.sqrt(np.mean(np.square(errors)) / np.mean(np.square(us)))) < 1.2
    assert np.mean(noises) == pytest.approx(5e-5, rel=0.02)


def test_the_form_is_that_of_the_regions_and_no_noise(tmp_path: Path) -> None:
    """Bumps of 0.03 mm rms, as wide as a patch: seen as form; without them form is what noise cannot exclude."""
    plain = ball(count=10_000)
    away = plain - [20.0, -10.0, 50.0]
    n = away / np.linalg.norm(away, axis=1, keepdims=True)
    bumps = 0.03 * np.sqrt(8) * np.prod(np.sin(3 * n), axis=1, keepdims=True) / 0.6
    rough, smooth = (probe(tmp_path, p, "sphere", SPHERE) for p in (plain + n * bumps, plain))

    assert float(np.std(bumps)) > 0.02
    assert 0.4 * float(np.std(bumps)) * 1e-3 < rough.form.sigma < 1.5 * float(np.std(bumps)) * 1e-3
    assert smooth.form.sigma < 4e-6
    assert rough.span > 3 * smooth.span
    assert rough.lengths[0].u > 3 * smooth.lengths[0].u


def test_an_oval_ball_shows_drift_between_the_axes(tmp_path: Path) -> None:
    points = ball(count=8_000, noise=0.02) * [1.003, 1.001, 1.0]
    found = probe(tmp_path, points, "sphere", SPHERE)

    assert found.drift is not None
    assert found.drift.x_z == pytest.approx(0.003, abs=3 * found.drift.u)
    assert found.drift.y_z == pytest.approx(0.001, abs=3 * found.drift.u)
    assert found.drift.u < 0.001
    even = probe(tmp_path, ball(count=8_000, noise=0.02), "sphere", SPHERE).drift
    assert even is not None
    assert max(abs(even.x_z), abs(even.y_z)) < 3 * even.u < 0.002


def test_a_table_and_flying_points_are_left_out(tmp_path: Path) -> None:
    far = np.random.default_rng(2).uniform(-60, 60, (300, 3)) + np.array([20.0, -10.0, 50.0])
    on_table = np.concatenate([ball(above=-0.9), table(50.0 - 12.7, hole=9.0), far])
    found = probe(tmp_path, on_table, "sphere", SPHERE)

    assert abs(found.lengths[0].value - 0.0254) < 8e-6
    assert 5500 < found.points < 6100
    assert found.left_out > 19_000


@pytest.mark.parametrize("factor", [1.0, 0.001, 0.1, 1 / 25.4])
def test_the_artefact_tells_the_unit(tmp_path: Path, factor: float) -> None:
    found = probe(tmp_path, ball() * factor, "sphere", SPHERE)

    assert found.unit == {1.0: "mm", 0.001: "m", 0.1: "cm", 1 / 25.4: "in"}[factor]
    assert found.lengths[0].value == pytest.approx(0.0254, abs=1e-5)


def test_a_block_gives_three_lengths_along_their_axes(tmp_path: Path) -> None:
    found = probe(tmp_path, block((25.5, 50.9, 76.3)), "block", BLOCK)

    assert sorted(length.axis for length in found.lengths) == ["x", "y", "z"]
    by_axis = {length.axis: length for length in found.lengths}
    for axis, reference, true in zip("xyz", BLOCK, (0.0255, 0.0509, 0.0763), strict=True):
        length = by_axis[axis]
        assert length.reference == reference
        assert abs(length.value - true) < 4 * length.u < 4e-5
    assert found.noise.sigma == pytest.approx(5e-5, rel=0.04)


def test_a_block_without_its_underside_gives_two(tmp_path: Path) -> None:
    found = probe(tmp_path, block(bottom=False), "block", BLOCK)

    assert sorted(length.reference for length in found.lengths) == [0.0254, 0.0508]
    assert found.seen < 0.8


def test_a_plate_gives_noise_and_flatness_and_no_length(tmp_path: Path) -> None:
    flat, bent = (probe(tmp_path, plate(bend=bend), "plate", unit="mm") for bend in (0.0, 0.3))

    assert flat.lengths == bent.lengths == ()
    assert flat.noise.sigma == pytest.approx(5e-5, rel=0.03)
    assert flat.form.sigma < 5e-6
    assert 0.05e-3 < bent.form.sigma < 0.15e-3


CUBE = (25.4, 25.4, 25.4)


@pytest.mark.parametrize(
    ("code", "points", "kind", "sizes", "unit", "says"),
    [
        ("R2S340", block(CUBE), "sphere", SPHERE, "", "this is no sphere"),
        ("R2S324", plate(), "sphere", SPHERE, "", "plane"),
        ("R2S340", ball(), "plate", (), "mm", "this is no plate"),
        ("R2S340", plate(bend=8.0), "plate", (), "mm", "this is no plate"),
        ("R2S340", ball(), "block", BLOCK, "", "this is no block"),
        ("R2S340", block((25.4, 50.8, 60.0)), "block", BLOCK, "", "the block's sides are as 1.000 : 2.00"),
        ("R2S341", ball(count=150), "sphere", SPHERE, "", "150 points are too few"),
        ("R2S341", ball(above=0.75), "sphere", SPHERE, "", "of the sphere was seen"),
        ("R2S342", ball(), "sphere", SPHERE, "in", "measures 645.1"),
        ("R2S342", ball(30.0), "sphere", SPHERE, "", "is near no unit"),
        ("R2S301", plate(), "plate", (), "", "a plate has no length to tell it by"),
    ],
)
def test_what_cannot_be_held_against_its_size_is_one_line(
    tmp_path: Path, code: str, points: Floats, kind: Kind, sizes: tuple[float, ...], unit: str, says: str
) -> None:
    with pytest.raises(InvalidInputError) as error:
        probe(tmp_path, points, kind, sizes, unit)

    assert error.value.code == code, error.value
    assert says in error.value.message
    assert error.value.hint


def test_the_unit_that_fits_is_proposed(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError) as error:
        probe(tmp_path, ball(), "sphere", SPHERE, "m")
    assert error.value.hint == "it fits in mm: give --unit mm"


def test_a_unit_that_does_not_exist_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="furlong") as error:
        probe(tmp_path, ball(), "sphere", SPHERE, "furlong")
    assert error.value.code == "R2S312"


def test_a_capped_ball_is_less_sure_of_its_diameter() -> None:
    whole, half = fit_sphere(ball(), 0.05), fit_sphere(ball(above=0.0), 0.05)

    assert half.fit.covariance[0, 0] > 4 * whole.fit.covariance[0, 0]
    assert abs(half.radius - 12.7) < 4 * math.sqrt(half.fit.covariance[0, 0])


def test_the_dof_of_the_noise_fall_where_patches_differ_in_it() -> None:
    rng = np.random.default_rng(3)
    label, place = np.repeat(np.arange(20), 400), rng.uniform(-1, 1, (8000, 2))
    rows = np.ones((8000, 1))
    even = in_patches(label, 20, rng.normal(0, 1, 8000), rows, place)
    uneven = in_patches(label, 20, rng.normal(0, 1, 8000) * (1 + label % 4), rows, place)

    assert even.noise == pytest.approx(1.0, rel=0.03)
    assert even.dof > 3000
    assert 10 < uneven.dof < 200


def test_form_below_what_noise_hides_is_not_zero() -> None:
    rng = np.random.default_rng(4)
    label, rows = np.repeat(np.arange(20), 100), np.ones((2000, 1))
    forms = []
    for _ in range(50):
        fit = fitted(in_patches(label, 20, rng.normal(0, 1, 2000), rows, rng.uniform(-1, 1, (2000, 2))))
        assert fit is not None
        forms.append(fit.form)
    assert min(forms) > 0.02
    assert np.median(forms) < 0.1


def test_patches_that_are_no_more_than_parameters_fit_nothing() -> None:
    label, rows = np.repeat(np.arange(3), 50), np.random.default_rng(5).normal(0, 1, (150, 3))
    assert fitted(in_patches(label, 20, np.zeros(150), rows, rows)) is None
