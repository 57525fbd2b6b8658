"""Noise, spacing, floor, coverage and cleaning, against shapes whose truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from r2s.compiler.errors import InvalidInputError
from r2s.passes.points import points as _points
from r2s.passes.points.coverage import coverage, unseen_underside
from r2s.passes.points.points import Points
from r2s.passes.points.quality import BLIND, noise_of, quality
from r2s.passes.points.sides import skins, usable_normals
from r2s.passes.points.support_plane import table_of, without_table
from r2s.passes.points.thin import thinned

Array = NDArray[np.float64]
NO_FACES = np.zeros((0, 3), dtype=np.int64)
NO_NORMALS = np.zeros((0, 3))


def cloud(points: Array, normals: Array = NO_NORMALS) -> Points:
    return Points(points, normals, NO_FACES)


def box(count: int, size: tuple[float, float, float], seed: int = 1, sides: str = "xXyYzZ") -> tuple[Array, Array]:
    """Points on the faces of a box at the origin, with outward normals; small letters are the faces at 0."""
    rng = np.random.default_rng(seed)
    areas = {"x": size[1] * size[2], "y": size[0] * size[2], "z": size[0] * size[1]}
    points, normals = [], []
    total = sum(areas[s.lower()] for s in "xXyYzZ")
    for side in sides:
        axis = "xyz".index(side.lower())
        n = round(count * areas[side.lower()] / total)
        p = rng.uniform(0, size, (n, 3))
        p[:, axis] = size[axis] if side.isupper() else 0.0
        normal = np.zeros(3)
        normal[axis] = 1.0 if side.isupper() else -1.0
        points.append(p)
        normals.append(np.tile(normal, (n, 1)))
    return np.concatenate(points), np.concatenate(normals)


def sphere(count: int, radius: float, seed: int = 2) -> tuple[Array, Array]:
    normals = np.random.default_rng(seed).normal(size=(count, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return normals * radius, normals


def grid_sphere(rings: int, radius: float) -> Points:
    """A closed UV sphere whose faces point outward."""
    turn = np.linspace(0, 2 * np.pi, 2 * rings, endpoint=False)
    tilt = np.linspace(0, np.pi, rings + 1)[1:-1]
    body = np.array([[np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)] for t in tilt for p in turn])
    points = np.vstack([body, [[0, 0, 1]], [[0, 0, -1]]]) * radius
    n, top, bottom = len(turn), len(body), len(body) + 1
    faces = []
    for i in range(len(tilt) - 1):
        for j in range(n):
            a, b = i * n + j, i * n + (j + 1) % n
            faces += [[a, a + n, b], [b, a + n, b + n]]
    last = (len(tilt) - 1) * n
    faces += [[top, j, (j + 1) % n] for j in range(n)] + [[last + (j + 1) % n, last + j, bottom] for j in range(n)]
    return Points(points, NO_NORMALS, np.array(faces))


# --- noise ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("radius", "sigma", "count"), [(20, 0.3, 3_000), (20, 0.3, 20_000), (40, 0.05, 3_000)])
def test_noise_of_a_sphere_is_read_within_five_percent(radius: float, sigma: float, count: int) -> None:
    """Curvature must not pass for noise, nor a dense cloud hide it."""
    points, normals = sphere(count, radius)
    noisy = points + normals * np.random.default_rng(3).normal(0, sigma, (count, 1))

    assert noise_of(noisy)[0] == pytest.approx(sigma, rel=0.05)


def test_noise_of_a_sparse_exact_box_is_nil() -> None:
    """Most neighbourhoods of a sparse small part hold an edge; none of that is noise."""
    points, normals = box(3_000, (80, 50, 10))

    assert noise_of(points, normals)[0] == 0


def test_thin_wall_does_not_read_as_noise() -> None:
    """Where normals are known, the far side of a wall thinner than the spacing is no neighbour."""
    outer, out = sphere(4_000, 40)
    inner, _ = sphere(4_000, 39, seed=5)
    points, normals = np.vstack([outer, inner]), np.vstack([out, -inner / 39])

    assert noise_of(points, normals)[0] < 0.02
    assert noise_of(points)[0] > 0.2


def test_scale_and_offset_leave_the_noise_as_it_is() -> None:
    """The blind spots that the term declares are real: a wrong scale with an offset reads as clean as before."""
    points, normals = sphere(20_000, 40)
    noisy = points + normals * np.random.default_rng(3).normal(0, 0.3, (20_000, 1))

    assert noise_of(noisy * 1.02 + normals * 0.5)[0] == pytest.approx(noise_of(noisy)[0], rel=0.04)
    assert {"scale", "offset"} <= set(BLIND)


def test_quality_of_a_cloud_follows_its_own_rules() -> None:
    """The median of Poisson points is √(ln 2/π) times the root of a point's area; the floor is max(5 h, 3 σ)."""
    points, normals = sphere(10_000, 50)
    found = quality(points, normals, NO_FACES)

    assert found.spacing == pytest.approx(math.sqrt(math.log(2) / math.pi * 4 * math.pi * 50**2 / 10_000), rel=0.02)
    assert found.floor == pytest.approx(5 * found.spacing)


def test_drawn_mesh_has_no_noise_to_know_and_a_scanned_one_does() -> None:
    """A vertex of a drawing lies where it was put; the roughness of an even mesh is its noise."""
    corners = np.array([[x, y, z] for x in (0, 80) for y in (0, 50) for z in (0, 40)], dtype=float)
    drawn = quality(corners, NO_NORMALS, np.array([[0, 1, 2], [1, 3, 2], [4, 6, 5], [5, 6, 7]]))
    ball = grid_sphere(40, 40.0)
    rough = ball.points * (1 + np.random.default_rng(4).normal(0, 0.1 / 40, (len(ball.points), 1)))

    assert (drawn.noise, drawn.dof, drawn.floor) == (0, 0, 0)
    assert quality(rough, NO_NORMALS, ball.faces).noise == pytest.approx(0.1, rel=0.1)


# --- cleaning ---------------------------------------------------------------------------------------------------------


def test_order_of_rows_does_not_matter() -> None:
    """A shuffled file gives the same points, to the bit."""
    points, normals = box(500, (3, 2, 1))
    shuffle = np.random.default_rng(6).permutation(len(points))

    there, _ = _points.in_order(cloud(points, normals))
    again, _ = _points.in_order(cloud(points[shuffle], normals[shuffle]))

    assert np.array_equal(there.points, again.points)
    assert np.array_equal(there.normals, again.normals)


def test_exact_copies_are_dropped_and_counted() -> None:
    """Copies spoil the spacing; one of each stays, with a note."""
    points, _ = sphere(400, 1.0)
    found, said = _points.in_order(cloud(np.vstack([points, points[:37]])))

    assert len(found.points) == 400
    assert [d.severity for d in said] == ["note"]
    assert "37 exact copies among 437" in said[0].message


@pytest.mark.parametrize("planted", [1, 40])
def test_strays_go_and_nothing_else(planted: int) -> None:
    """Exactly what was planted far away is dropped, and the warning counts it."""
    points, _ = box(3_000, (80, 50, 40))
    far = np.random.default_rng(7).uniform(-2_000, 2_000, (planted, 3))
    far = far[np.abs(far).max(axis=1) > 300]
    found, said = _points.without_strays(cloud(np.vstack([points, far])))

    assert len(far) > 0
    assert np.array_equal(found.points, points)
    assert f"dropped {len(far)} of" in said[0].message


def test_sparse_part_of_the_object_is_no_stray() -> None:
    """A hundred times fewer points per area still hang together."""
    dense, _ = box(20_000, (80, 50, 40))
    sparse = np.random.default_rng(8).uniform([80, 20, 15], [160, 30, 25], (60, 3))
    found, said = _points.without_strays(cloud(np.vstack([dense, sparse])))

    assert len(found.points) == len(dense) + 60
    assert said == ()


@pytest.mark.parametrize(
    ("points", "code"),
    [
        (np.zeros((3, 3)), "R2S322"),
        (np.outer(np.linspace(0, 1, 500), [80, 40, 20]), "R2S323"),
        (np.random.default_rng(9).uniform(0, 80, (2_000, 3)) * [1, 1, 0], "R2S324"),
    ],
)
def test_points_that_enclose_nothing_are_refused(points: Array, code: str) -> None:
    """Too few, on a line, on a plane: each has its own code."""
    turned = points @ np.linalg.qr(np.random.default_rng(10).normal(size=(3, 3)))[0]

    def refuse() -> None:
        _points.refuse_too_few(turned, len(turned))
        _points.refuse_flat(turned)

    with pytest.raises(InvalidInputError) as error:
        refuse()

    assert error.value.code == code


def test_flat_within_noise_is_refused_and_a_thin_sheet_is_not() -> None:
    """Scatter about one plane is no thickness; an exact 0.05 mm sheet is thin and solid."""
    plane = np.random.default_rng(11).uniform(0, 80, (3_000, 3)) * [1, 1, 0]
    noisy = plane + np.random.default_rng(12).normal(0, [0, 0, 0.2], (3_000, 3))
    with pytest.raises(InvalidInputError, match="within their noise"):
        _points.refuse_flat(noisy, noise_of(noisy)[0])

    sheet = np.array([[x, y, z] for x in (0, 80) for y in (0, 60) for z in (0, 0.05)])
    _points.refuse_flat(sheet)


def test_lost_precision_is_refused_with_both_numbers() -> None:
    """Float32 at 5.4e6 steps by half a metre, which no 80 mm part survives."""
    points, _ = box(500, (0.08, 0.05, 0.04))
    with pytest.raises(InvalidInputError, match=r"step by 0\.5.* spans 0\.1") as error:
        _points.refuse_lost_precision(points + 5.4e6, 0.5)

    assert error.value.code == "R2S325"
    _points.refuse_lost_precision(points + 5.4e6, 1e-9)


def test_thinning_keeps_the_shape_and_hangs_on_the_numbers() -> None:
    """Averaging 60,000 points to under 10,000 leaves a sphere, and a crop leaves the other cells as they were."""
    points, normals = sphere(60_000, 40)
    fewer, edge = thinned(cloud(points, normals), 10_000, 0.15)
    cropped, same = thinned(cloud(points[points[:, 0] > 0], normals[points[:, 0] > 0]), 5_000, 0.15)

    assert 2_000 < len(fewer.points) <= 10_000
    assert np.abs(np.linalg.norm(fewer.points, axis=1) - 40).max() < edge**2 / 40
    assert np.allclose(np.linalg.norm(fewer.normals, axis=1), 1)
    assert edge == float(f"{edge:.1e}")
    if same == edge:
        inside = {tuple(p) for p in fewer.points[fewer.points[:, 0] > edge]}
        assert inside <= {tuple(p) for p in cropped.points}


# --- normals ----------------------------------------------------------------------------------------------------------


def test_normals_without_a_side_are_dropped_and_inward_ones_turned() -> None:
    """Random signs tell nothing; all inward tells all; outward is left alone without a word."""
    points, normals = box(4_000, (80, 50, 40))
    signs = np.random.default_rng(13).choice([-1.0, 1.0], (len(points), 1))

    flipped, said = usable_normals(cloud(points, normals * signs))
    assert (len(flipped.normals), [d.code for d in said]) == (0, ["R2S331"])
    turned, said = usable_normals(cloud(points, -2 * normals))
    assert np.allclose(turned.normals, normals)
    assert [d.code for d in said] == ["R2S332"]
    kept, said = usable_normals(cloud(points, normals))
    assert np.allclose(kept.normals, normals)
    assert said == ()


def test_half_seen_bowl_keeps_its_normals() -> None:
    """The inside of a bowl faces its own middle; that is no mistake of the exporter."""
    points, normals = sphere(6_000, 40)
    seen = points[:, 2] < 0
    bowl, said = usable_normals(cloud(points[seen] * 0.97, -normals[seen]))

    assert np.allclose(bowl.normals, -normals[seen])
    assert said == ()


def test_two_skins_are_found_and_their_gap_is_read() -> None:
    """A side that was scanned twice, 3 mm apart, warns; the two sides of a wall do not."""
    points, normals = box(6_000, (80, 50, 40))
    side = points[:, 0] == 80
    second = points[side] + [3.0, 0, 0]
    doubled = cloud(np.vstack([points, second]), np.vstack([normals, normals[side]]))
    wall, wall_normals = box(6_000, (80, 50, 3))

    assert skins(doubled, 0.8, 0.0).gap == pytest.approx(3.0, abs=0.1)
    assert skins(cloud(points, normals), 0.8, 0.0).gap == 0
    assert skins(cloud(wall, wall_normals), 0.6, 0.0).gap == 0


# --- coverage ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sides", ["xXyYzZ", "xXyYZ", "xXyYz", "xyYzZ"])
def test_net_normal_finds_the_missing_side(sides: str) -> None:
    """What is missing is its projected area, and it lies against the net normal (divergence theorem)."""
    points, normals = box(8_000, (60, 80, 100), sides=sides)
    seen = coverage(cloud(points, normals))
    assert seen.net is not None
    missing = np.zeros(3)
    for side in set("xXyYzZ") - set(sides):
        axis = "xyz".index(side.lower())
        missing[axis] = (1 if side.isupper() else -1) * np.prod(np.delete([60, 80, 100], axis))

    assert -seen.net == pytest.approx(missing, abs=250)
    assert (seen.fraction > 0.03) == (sides != "xXyYzZ")


def test_open_mesh_counts_its_rim_and_a_closed_one_has_none() -> None:
    """Loops, their length and the net normal of a sphere without its lower cap, exactly."""
    ball = grid_sphere(20, 10.0)
    kept = ball.points[ball.faces].mean(axis=1)[:, 2] > -8
    open_, whole = coverage(Points(ball.points, NO_NORMALS, ball.faces[kept])), coverage(ball)

    assert (whole.loops, whole.rim) == (0, 0)
    assert whole.fraction < 1e-12
    assert open_.loops == 1
    assert open_.rim is not None
    assert open_.net is not None
    ring = open_.rim / (2 * math.pi)
    assert open_.net[2] == pytest.approx(math.pi * ring**2, rel=0.02)


@pytest.mark.parametrize("with_normals", [True, False])
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_unseen_underside_has_its_support(with_normals: bool, noise: float) -> None:
    """A box without its bottom stands where its walls begin, however noisy; a whole box or ball needs no support."""
    points, normals = box(9_000, (80, 50, 40), sides="xXyYZ")
    points = points + np.random.default_rng(14).normal(0, noise, points.shape) + [0, 0, 7.0]
    scan = cloud(points, normals if with_normals else NO_NORMALS)
    spacing = quality(points, normals, NO_FACES).spacing

    assert unseen_underside(scan, coverage(scan), noise, spacing) == pytest.approx(7.0, abs=0.15 + noise / 2)
    for body in (box(9_000, (80, 50, 40)), sphere(9_000, 30)):
        whole = cloud(body[0], body[1] if with_normals else NO_NORMALS)
        assert math.isnan(unseen_underside(whole, coverage(whole), noise, spacing))


# --- the table --------------------------------------------------------------------------------------------------------


def on_table(tilt: float = 0.0, noise: float = 0.15) -> tuple[Array, Array, int]:
    """A box of 80 x 50 x 40 without its bottom on a table of 400 x 400, turned by *tilt* about x; and its count."""
    rng = np.random.default_rng(15)
    body, normals = box(6_000, (80, 50, 40), sides="xXyYZ")
    table = np.column_stack([rng.uniform(-160, 240, 5_000), rng.uniform(-175, 225, 5_000), np.zeros(5_000)])
    under = ((table[:, :2] > 0) & (table[:, :2] < [80, 50])).all(axis=1)
    table = table[~under] + rng.normal(0, [0, 0, noise], (int((~under).sum()), 3))
    c, s = math.cos(tilt), math.sin(tilt)
    turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    all_normals = np.vstack([normals, np.tile([0.0, 0, 1], (len(table), 1))])
    return np.vstack([body, table]) @ turn.T, all_normals @ turn.T, len(body)


@pytest.mark.parametrize("tilt", [0.0, 0.3, math.pi / 2])
def test_table_is_found_and_cut_at_any_tilt(tilt: float) -> None:
    """The plane is the table's within its scatter, the object stays whole above it, and little else does."""
    points, normals, count = on_table(tilt)
    found = table_of(points, 0.1, 1.0)
    assert found is not None
    kept, _ = _points.without_strays(without_table(cloud(points, normals), found, 0.1))

    assert found.normal == pytest.approx((0, -math.sin(tilt), math.cos(tilt)), abs=1e-3)
    assert found.height == pytest.approx(0, abs=0.05)
    assert found.scatter == pytest.approx(0.15, rel=0.2)
    assert 0.97 * count < len(kept.points) <= count
    assert found.above(kept.points).max() == pytest.approx(40, abs=0.1)


def bracket(count: int, sides: str) -> Array:
    base, _ = box(count, (80, 50, 8), sides=sides)
    web, _ = box(count // 2, (8, 50, 40), sides=sides.replace("z", ""))
    return np.vstack([base, web])


@pytest.mark.parametrize(
    "points",
    [
        box(6_000, (57, 57, 57))[0],
        box(6_000, (80, 50, 40), sides="xXyYZ")[0],
        box(6_000, (160, 160, 3))[0],
        bracket(6_000, "xXyYzZ"),
        bracket(6_000, "xXyYZ"),
        sphere(6_000, 40)[0],
    ],
    ids=["cube", "open carton", "sheet", "bracket", "open bracket", "ball"],
)
def test_own_faces_of_an_object_are_no_table(points: Array) -> None:
    """However flat and large a face is, the object has points below it or above all of it."""
    for seed in range(3):
        noisy = points + np.random.default_rng(seed).normal(0, 0.05, points.shape)
        assert table_of(noisy, 0.05, 1.0) is None
