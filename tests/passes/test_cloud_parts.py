"""The steps from a cloud to a surface, each by itself on points whose answer is known."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scan_shapes import MM, cloud_scan, cup_cloud, sphere, sphere_cloud, together

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.ir import Floats
from r2s.compiler.ledger import Unobserved
from r2s.passes.clouds.cloud import Cloud, pitch_of, working_cloud
from r2s.passes.clouds.completed import _unobserved
from r2s.passes.clouds.layers import layers
from r2s.passes.clouds.neighbours import neighbours
from r2s.passes.clouds.normals import agreement, directions, misfit, outward, planes, refined, sight, usable
from r2s.passes.clouds.poisson import depth_for, largest
from r2s.passes.clouds.support import underside

NONE = np.zeros((0, 3))


def grid(count: int, step: float, height: float = 0.0) -> Floats:
    """A square of count * count points on a plane, centred on the z axis."""
    line = (np.arange(count) - (count - 1) / 2) * step
    x, y = np.meshgrid(line, line, indexing="ij")
    return np.column_stack([x.ravel(), y.ravel(), np.full(count * count, height)])


def walls(side: float, height: float, step: float) -> Floats:
    """The four sides of a box on z = 0, without top and bottom."""
    along = np.arange(-side / 2, side / 2, step) + step / 2
    up = np.arange(0, height, step) + step / 2
    a, z = (values.ravel() for values in np.meshgrid(along, up, indexing="ij"))
    flat = np.full(len(a), side / 2)
    return np.concatenate([np.column_stack(c) for c in ((flat, a, z), (-flat, a, z), (a, flat, z), (a, -flat, z))])


def test_neighbours_come_nearest_first_and_absent_ones_are_told() -> None:
    points = np.array([[0.0, 0, 0], [1, 0, 0], [3, 0, 0]])
    reach, index = neighbours(points, 4)
    assert reach.tolist() == [[0, 1, 3, np.inf], [0, 1, 2, np.inf], [0, 2, 3, np.inf]]
    assert index.tolist() == [[0, 1, 2, 0], [1, 0, 2, 0], [2, 1, 0, 0]]
    assert neighbours(points, 2, np.array([[2.9, 0, 0]]), within=1.0)[0].tolist() == [[pytest.approx(0.1), np.inf]]


def test_directions_are_unit_and_spread_evenly() -> None:
    for count in (96, 400):
        found = directions(count)
        assert found.shape == (count, 3)
        assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(count))
        assert np.abs(found.mean(axis=0)).max() < 0.01
        nearest = np.sort(np.arccos(np.clip(found @ found.T, -1, 1)), axis=1)[:, 1]
        even = np.sqrt(4 * np.pi / count)
        assert 0.75 * even < nearest.min() <= nearest.max() < 1.1 * even


def test_a_plane_is_found_through_its_points() -> None:
    turned = grid(12, 1.0) @ np.linalg.qr(np.arange(9.0).reshape(3, 3) + np.eye(3))[0]
    normal = np.cross(turned[1] - turned[0], turned[12] - turned[0])
    assert np.abs(planes(turned) @ normal / np.linalg.norm(normal)) == pytest.approx(np.ones(144))


def test_refining_averages_noise_away_and_keeps_sides_apart() -> None:
    rng = np.random.default_rng(1)
    near, far = grid(30, 1.0), grid(30, 1.0, height=1.5)
    points = np.concatenate([near, far]) + rng.normal(0, 0.1, (1800, 3)) * [0, 0, 1]
    up = np.concatenate([np.tile([0.0, 0, -1], (900, 1)), np.tile([0.0, 0, 1], (900, 1))])
    rough = planes(points) * np.sign((planes(points) * up).sum(axis=1))[:, None]
    found = refined(points, rough, 1.0)
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(1800))
    off = [np.median(np.arccos(np.clip((n * up).sum(axis=1), -1, 1))) for n in (rough, found)]
    assert off[1] < 0.5 * off[0]
    assert ((found * rough).sum(axis=1) >= 0).all()
    # too few that face alike: what was there stays
    lone = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.5]])
    kept = np.tile([0.6, 0.0, 0.8], (4, 1))
    assert np.array_equal(refined(lone, kept, 1.0), kept)


def test_a_ball_is_seen_from_outside_and_what_is_in_it_is_not() -> None:
    outer, inner = sphere_cloud(1.0, 6000, 0.0), sphere_cloud(0.5, 1500, 0.0, seed=2)
    points = np.concatenate([outer, inner])
    normals = points / np.linalg.norm(points, axis=1, keepdims=True)
    found = sight(points, normals, pitch_of(points), 0.0, directions())
    share = found.vote[:6000] / np.maximum(found.weight[:6000], 1e-12)
    assert np.median(share) > 0.99
    assert (share > 0).mean() > 0.995
    assert 28 <= np.median(found.seen[:6000]) <= 38  # about 36 of the 96 eyes stand less than 75.5 degrees off
    assert found.seen.max() <= 40
    assert (found.seen[6000:] == 0).mean() > 0.9
    assert (np.abs(found.vote) <= found.weight + 1e-12).all()
    assert (found.weight <= found.seen).all()
    # noise that large makes the inner ball peep through
    assert (sight(points, normals, pitch_of(points), 0.4, directions()).seen[6000:] > 0).mean() > 0.9


@pytest.mark.parametrize(
    ("points", "inside"),
    [
        (sphere_cloud(30 * MM, 4000, 0.05 * MM), lambda p: np.zeros(len(p), dtype=bool)),
        (
            cup_cloud(30 * MM, 60 * MM, 3 * MM, 1 * MM, 0.0),
            lambda p: (np.hypot(p[:, 0], p[:, 1]) < 27.5 * MM) & (p[:, 2] > 2 * MM) & (p[:, 2] < 55 * MM),
        ),
    ],
    ids=["ball", "cup"],
)
def test_random_signs_are_turned_outward(points: Floats, inside: object) -> None:
    pitch = pitch_of(points)
    sign = np.random.default_rng(2).choice([-1.0, 1.0], (len(points), 1))
    either = planes(points) * sign
    found = outward(points, either, sight(points, either, pitch, 0.05 * MM, directions()), pitch)
    hollow = inside(points)  # type: ignore[operator]
    true = points - [0, 0, 30 * MM] if hollow.any() else points
    radial = np.where(hollow[:, None], -true, true) * ([1, 1, 0] if hollow.any() else [1, 1, 1])
    side = np.ones(len(points), dtype=bool)
    if hollow.any():
        side = (np.abs(found[:, 2]) < 0.5) & (points[:, 2] > 6 * MM) & (points[:, 2] < 54 * MM)
    assert ((found * radial).sum(axis=1)[side] > 0).mean() > 0.99
    assert np.array_equal(np.abs(found), np.abs(either))


def test_unseen_points_take_the_side_of_their_neighbours() -> None:
    points, normals = grid(20, 1.0), np.tile([0.0, 0.0, 1.0], (400, 1))
    seen = sight(points, normals, 1.0, 0.0, np.array([[0.0, 0.0, -1.0]]))
    assert seen.seen.tolist() == [1] * 400
    some = np.arange(400) % 5 == 0
    part = dataclasses.replace(seen, vote=np.where(some, seen.vote, 0), weight=np.where(some, seen.weight, 0))
    assert np.array_equal(outward(points, normals, part, 1.0), -normals)
    nothing = dataclasses.replace(seen, vote=np.zeros(400), weight=np.zeros(400))
    assert np.array_equal(outward(points, normals, nothing, 1.0), normals)


def test_agreement_counts_only_what_is_sure_and_given() -> None:
    up = np.tile([0.0, 0.0, 1.0], (10, 1))
    given = up * np.array([1, 1, 1, -1, -1, -1, -1, 0, 1, 1])[:, None]
    sure = np.array([True] * 8 + [False] * 2)
    assert agreement(up, given, sure) == pytest.approx(3 / 7)
    assert agreement(up, given, np.zeros(10, dtype=bool)) == 0.5
    assert [usable(share) for share in (0.0, 0.09, 0.11, 0.5, 0.89, 0.91, 1.0)] == [
        True,
        True,
        False,
        False,
        False,
        True,
        True,
    ]


def test_misfit_is_the_distance_of_the_better_half_from_the_plane() -> None:
    points = grid(20, 1.0)
    up = np.tile([0.0, 0.0, 1.0], (400, 1))
    assert misfit(points, up) == 0
    slanted = np.tile([0.6, 0.0, 0.8], (400, 1))
    inner = misfit(grid(200, 1.0), np.tile([0.6, 0.0, 0.8], (40_000, 1)))
    assert inner == pytest.approx(0.6 * (0 + 0 + 1 + 1) / 4, rel=0.02)  # of eight: two at 0, the rest 1 beside
    assert misfit(points, slanted) > 0.25


def test_the_pitch_is_the_side_of_the_square_that_a_point_stands_for() -> None:
    rng = np.random.default_rng(4)
    for count in (4000, 16_000):
        points = rng.uniform(0, 1, (count, 3)) * [1, 1, 0]
        assert pitch_of(points) == pytest.approx(1 / np.sqrt(count), rel=0.05)
    assert pitch_of(points[:5]) > pitch_of(points)


def test_a_quiet_cloud_is_worked_on_as_it_is() -> None:
    scan = cloud_scan(sphere_cloud(30 * MM, 3000, 0.0))
    cloud = working_cloud(scan)
    assert np.array_equal(cloud.points, scan.points)
    assert cloud.noise == 0
    assert cloud.file_normals.shape == (0, 3)


def test_a_noisy_cloud_is_averaged_in_cells() -> None:
    noise = 0.15 * MM
    points = sphere_cloud(30 * MM, 20_000, noise)
    right = points / np.linalg.norm(points, axis=1, keepdims=True)
    scan = cloud_scan(points, right, noise=noise)
    cloud = working_cloud(scan)
    cell = np.sqrt(noise * scan.spacing / 0.15)
    index = np.floor(points / cell).astype(int)
    told, which = np.unique(index, axis=0, return_inverse=True)
    mean = np.array([points[which.ravel() == k].mean(axis=0) for k in range(0, len(told), 50)])
    away = neighbours(cloud.points, 1, mean)[0][:, 0]
    assert (away < 1e-12).mean() > 0.95  # but for strays
    assert 0.9 * len(told) < len(cloud.points) <= len(told)
    assert cloud.noise == pytest.approx(noise * np.sqrt(len(told) / len(points)), rel=0.02)
    assert len(cloud.file_normals) == len(cloud.points)
    assert cloud.pitch == pytest.approx(pitch_of(cloud.points))


def test_a_dense_cloud_is_thinned_to_what_is_worked_on() -> None:
    points = sphere_cloud(30 * MM, 90_000, 0.0)
    cloud = working_cloud(cloud_scan(points))
    assert 30_000 < len(cloud.points) <= 60_000
    assert np.abs(np.linalg.norm(cloud.points, axis=1) - 30 * MM).max() < 0.05 * MM


def test_strays_are_left_out_with_their_normals() -> None:
    points = np.concatenate([grid(40, 1 * MM), [[0, 0, 50 * MM], [0, 0, 51 * MM], [0, 0, 52 * MM]]])
    up = np.tile([0.0, 0.0, 1.0], (len(points), 1))
    cloud = working_cloud(cloud_scan(points, up))
    assert len(cloud.points) == len(cloud.file_normals) == 1600
    assert cloud.points[:, 2].max() == 0


def cloud_of(points: Floats, noise: float = 0.0) -> Cloud:
    return Cloud(points, NONE, pitch_of(points), noise)


def test_a_second_skin_behind_the_first_is_hidden() -> None:
    front = grid(40, 1.0, height=0.0)
    behind = grid(40, 1.0, height=-1.0)[::2] + np.array([0.4, 0.3, 0.0])
    rest = np.concatenate([walls(40.0, 20.0, 1.0) - [0, 0, 20.0], grid(40, 1.0, height=-20.0)])
    points = np.concatenate([front, behind, rest])
    found = layers(cloud_of(points))
    assert found.gap == pytest.approx(1.0, rel=0.05)
    middle = (np.abs(points[:, :2]) < 14).all(axis=1)
    kept, gone = middle & (points[:, 2] == 0), middle & (points[:, 2] == -1.0)
    assert not found.hidden[kept].any()
    assert found.hidden[gone].mean() > 0.8
    assert not found.hidden[points[:, 2] < -3].any()


def test_one_skin_and_noise_are_no_second_skin() -> None:
    rng = np.random.default_rng(5)
    flat = grid(60, 1.0) + rng.normal(0, 0.3, (3600, 3)) * [0, 0, 1]
    assert layers(cloud_of(flat, 0.3)).gap == 0
    two = np.concatenate([grid(60, 1.0), grid(60, 1.0, height=-1.0)])
    few = np.concatenate([grid(60, 1.0), grid(60, 1.0, height=-1.0)[:20]])
    assert layers(cloud_of(two, 0.3)).gap == 0  # not clear of the noise
    assert layers(cloud_of(few)).gap == 0
    assert layers(cloud_of(grid(10, 1.0))).gap == 0


def test_the_part_with_the_largest_volume_is_the_surface() -> None:
    big, small, inside_out = sphere(2.0, 2), sphere(0.5, 3), sphere(1.0, 2)
    vertices, faces = together(small, big, (inside_out[0] + 9, inside_out[1][:, ::-1]))
    found = largest(vertices, faces)
    assert np.array_equal(found, faces[len(small[1]) : len(small[1]) + len(big[1])])
    assert np.array_equal(largest(*big), big[1])
    turned = together(small, (big[0], big[1][:, ::-1]))
    assert len(largest(*turned)) == len(big[1])


@pytest.mark.parametrize(
    ("cell", "depth"), [(1.1 / 2**7, 7), (1.1 / 2**7 * 0.999, 8), (1.1 / 2**7 * 1.9, 7), (1.0, 5), (1e-9, 10)]
)
def test_the_grid_is_as_deep_as_the_cell_asks(cell: float, depth: int) -> None:
    assert depth_for(np.array([[0.0, 0, 0], [0.3, 1.0, 0.2]]), cell) == depth


def test_the_underside_is_filled_at_the_ground() -> None:
    step = 1 * MM
    points = np.concatenate([walls(40 * MM, 20 * MM, step), grid(40, step, height=20 * MM)])
    found = underside(cloud_of(points), planes(points), 0.0)
    assert found.height == 0
    assert (found.points[:, 2] == 0).all()
    assert np.abs(found.points[:, :2]).max() < 20 * MM
    assert np.abs(found.points[:, :2]).max() > 18 * MM
    assert found.area == pytest.approx((40 * MM) ** 2, rel=0.12)
    assert found.area == pytest.approx(len(found.points) * pitch_of(points) ** 2)


def test_an_underside_that_was_seen_is_not_filled() -> None:
    step = 1 * MM
    closed = np.concatenate([walls(40 * MM, 20 * MM, step), grid(40, step, height=20 * MM), grid(40, step)])
    assert len(underside(cloud_of(closed), planes(closed), 0.0).points) == 0
    # walls that end far above the ground stand on nothing
    raised = np.concatenate([walls(40 * MM, 20 * MM, step), grid(40, step, height=20 * MM)]) + np.array([0, 0, 8 * MM])
    found = underside(cloud_of(raised), planes(raised), 0.0)
    assert (len(found.points), found.area) == (0, 0.0)
    assert np.isnan(found.height)


@pytest.mark.parametrize(
    ("under", "gaps", "said", "terms"),
    [
        (0, 0, [], []),
        (1, 0, [], ["surface.underside"]),
        (4, 0, ["R2S420"], ["surface.underside"]),
        (0, 1, [], ["surface.gaps"]),
        (0, 4, ["R2S421"], ["surface.gaps"]),
        (5, 10, ["R2S420", "R2S421"], ["surface.underside", "surface.gaps"]),
    ],
)
def test_what_no_point_supports_is_told_by_area(under: int, gaps: int, said: list[str], terms: list[str]) -> None:
    area = np.full(100, 2.0)
    made, observed = np.zeros(100, dtype=bool), np.ones(100, dtype=bool)
    made[:under] = True
    observed[: under + gaps] = False
    found, notes = _unobserved(area, observed, made, 0.1, 1 * MM)
    assert [note.code for note in notes] == said
    assert [term.id for term in found] == terms
    told = {term.id: term for term in found if isinstance(term, Unobserved)}
    if under:
        assert (told["surface.underside"].area, told["surface.underside"].fraction) == (2.0 * under, under / 100)
    if gaps:
        assert (told["surface.gaps"].area, told["surface.gaps"].fraction) == (2.0 * gaps, gaps / 100)


def test_more_than_may_be_invented_is_refused() -> None:
    observed = np.arange(100) >= 11
    with pytest.raises(InvalidInputError) as error:
        _unobserved(np.ones(100), observed, np.zeros(100, dtype=bool), 0.1, 1 * MM)
    assert error.value.code == "R2S403"
    assert "11 % of the closed surface" in error.value.message
    _unobserved(np.ones(100), observed, ~observed, 0.1, 1 * MM)  # the underside may be larger


def test_what_spans_a_place_without_points_is_charged_by_how_far_the_nearest_is() -> None:
    """A cube whose top was not seen but for its rim: of that face, area times distance; nothing of the others."""
    from r2s.compiler.ledger import BRIDGED
    from r2s.passes.clouds.cloud import Cloud
    from r2s.passes.clouds.completed import _bridged

    step = 0.1
    flat = np.arange(0, 1 + step / 2, step)
    x, y = (a.ravel() for a in np.meshgrid(flat, flat))
    rim = (np.minimum(x, 1 - x) < step / 2) | (np.minimum(y, 1 - y) < step / 2)
    points = np.column_stack([x, y, np.zeros(len(x))])[rim]
    n = 40
    corner = np.stack(np.meshgrid(np.arange(n), np.arange(n)), axis=-1).reshape(-1, 2)
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, n + 1)] * 2), axis=-1).reshape(-1, 2)
    first = corner[:, 1] * (n + 1) + corner[:, 0]
    faces = np.concatenate(
        [np.column_stack([first, first + 1, first + n + 2]), np.column_stack([first, first + n + 2, first + n + 1])]
    )
    vertices = np.column_stack([grid, np.zeros(len(grid))])
    found = _bridged(vertices, faces, np.full(len(faces), 0.5 / n**2), Cloud(points, np.zeros((0, 3)), step, 0.0))

    assert found.id == BRIDGED
    # the square of all that lies over two pitches from the rim: the integral of its distance to the rim
    a = 1 - 4 * step
    assert found.value == pytest.approx(a**2 * 2 * step + a**3 / 6, rel=0.03)
    assert found.method == "estimated"
