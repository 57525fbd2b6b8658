"""
Sensitivities of closed meshes: exact for flat faces, and for curved ones right to the order of their facets.

A field that is linear over each triangle is integrated exactly, so a box must agree to rounding; a sphere, a cylinder
and a torus must come four times closer each time that their edges are halved.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st
from trimesh.creation import annulus, cone, cylinder, icosphere, torus

from r2s.compiler.uncertainty.budget import Output
from r2s.compiler.uncertainty.geometry import Response, Solid, moments_about
from r2s.compiler.uncertainty.linear import propagate
from r2s.compiler.uncertainty.state import Component, State

EXACT = 1e-12


def solid(mesh: trimesh.Trimesh, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Solid:
    return Solid(np.asarray(mesh.vertices) + at, np.asarray(mesh.faces))


def box(a: float, b: float, c: float, at: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Solid:
    return solid(trimesh.creation.box((a, b, c)), at)


def bracket() -> Solid:
    """An L of 80 × 60 × 40 mm, 20 mm thick: 96 000 mm³, with no symmetry but its height's."""
    outline = [(0, 0), (80, 0), (80, 20), (20, 20), (20, 60), (0, 60)]
    low, high = ([(x, y, z) for x, y in outline] for z in (0, 40))
    cap = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    faces = [tuple(reversed(f)) for f in cap] + [(a + 6, b + 6, c + 6) for a, b, c in cap]
    for i in range(6):
        j = (i + 1) % 6
        faces += [(i, j, j + 6), (i, j + 6, i + 6)]
    return Solid(np.array(low + high, dtype=float) / 1e3, np.array(faces))


def box_inertia(m: float, a: float, b: float, c: float) -> np.ndarray:
    return np.diag([b**2 + c**2, a**2 + c**2, a**2 + b**2]) * m / 12


def near(value: object, expected: object, rel: float = EXACT) -> bool:
    """Compare arrays by their own size, so that a rounded zero beside large figures is one."""
    found, wanted = np.asarray(value), np.asarray(expected)
    return bool(np.abs(found - wanted).max() <= rel * np.abs(wanted).max())


# What a solid is


def test_boxes_tetrahedra_and_the_bracket_are_exact() -> None:
    a, b, c, at = 0.06, 0.08, 0.1, (1.0, -2.0, 3.0)
    found = box(a, b, c, at)
    assert found.volume == pytest.approx(a * b * c, rel=1e-11)
    assert near(found.com, at)
    assert near(found.inertia(7.0), box_inertia(7.0 * a * b * c, a, b, c), 1e-10)

    corner = Solid(
        np.array([[0, 0, 0], [a, 0, 0], [0, b, 0], [0, 0, c]]), np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    )
    assert corner.volume == pytest.approx(a * b * c / 6, rel=EXACT)
    assert near(corner.com, np.array([a, b, c]) / 4)
    assert bracket().volume * 1e9 == pytest.approx(96_000, rel=EXACT)


@pytest.mark.parametrize(
    ("make", "volume", "com", "inertia"),
    [
        (lambda n: icosphere(n, 0.5), math.pi / 6, 0.0, lambda m: np.full(3, 0.4 * m * 0.25)),
        (
            lambda n: cylinder(0.5, 2.0, sections=8 * 2**n),
            math.pi / 2,
            0.0,
            lambda m: m * np.array([(3 * 0.25 + 4) / 12, (3 * 0.25 + 4) / 12, 0.125]),
        ),
        (
            lambda n: cone(0.5, 2.0, sections=8 * 2**n),
            math.pi / 6,
            0.5,
            lambda m: m * np.array([0.15 * 0.25 + 0.0375 * 4, 0.15 * 0.25 + 0.0375 * 4, 0.3 * 0.25]),
        ),
        (
            lambda n: torus(1.0, 0.25, major_sections=8 * 2**n, minor_sections=8 * 2**n),
            2 * math.pi**2 * 0.0625,
            0.0,
            lambda m: m * np.array([0.5 + 5 / 8 * 0.0625, 0.5 + 5 / 8 * 0.0625, 1 + 0.75 * 0.0625]),
        ),
    ],
    ids=["sphere", "cylinder", "cone", "torus"],
)
def test_curved_solids_come_four_times_closer_with_half_the_edge(
    make: Callable[[int], trimesh.Trimesh], volume: float, com: float, inertia: Callable[[float], np.ndarray]
) -> None:
    coarse, fine = (solid(make(n)) for n in (3, 4))
    for value in (lambda s: s.volume - volume, lambda s: np.diag(s.inertia(1.0)) - inertia(volume)):
        ratio = np.asarray(value(coarse)) / np.asarray(value(fine))
        assert np.all((ratio > 3.7) & (ratio < 4.3))
    assert fine.volume == pytest.approx(volume, rel=0.02)
    assert fine.com == pytest.approx([0, 0, com], abs=1e-12)


@pytest.mark.parametrize(
    ("shape", "mass", "expected"),
    [
        (trimesh.creation.box((0.038, 0.089, 0.175)), 0.514, (1.65105367e-3, 1.37362217e-3, 4.01134167e-4)),
        (trimesh.creation.box((0.060, 0.158, 0.210)), 0.411, (2.365442e-3, 1.633725e-3, 9.78317e-4)),
        (cylinder(0.033, 0.101, sections=4000), 0.349, (3.91694333e-4, 3.91694333e-4, 1.900305e-4)),
    ],
    ids=["sugar box", "cracker box", "soup can"],
)
def test_inertias_of_known_robot_models(shape: trimesh.Trimesh, mass: float, expected: tuple[float, ...]) -> None:
    """The YCB objects of RobotLocomotion/models, kg m²; a can of 4000 sides is round to 1e-6."""
    found = solid(shape)

    assert np.diag(found.inertia(mass / found.volume)) == pytest.approx(expected, rel=3e-6)


@given(st.floats(-2, 2), st.floats(-2, 2), st.floats(-2, 2))
def test_moments_do_not_depend_on_where_the_mesh_lies(x: float, y: float, z: float) -> None:
    here = bracket()
    moved = Solid(here.vertices + np.array([x, y, z]), here.faces)

    assert moved.volume == pytest.approx(here.volume, rel=1e-10)
    assert near(moved.second, here.second, 1e-9)
    assert near(moved.com, here.com + np.array([x, y, z]), 1e-12)
    for one, other in ((moved.offset(), here.offset()), (moved.scale(moved.com), here.scale(here.com))):
        assert near(one.volume, other.volume, 1e-9)
        assert near(one.second, other.second, 1e-9)


# What a scale does


@pytest.mark.parametrize("of", [box(0.06, 0.08, 0.1), bracket(), solid(icosphere(2, 0.04), (0.1, 0.2, 0.3))])
def test_a_scale_counts_three_five_and_two_times(of: Solid) -> None:
    found, density, mass = of.scale(), 700.0, 0.3

    assert found.volume == pytest.approx([3 * of.volume], rel=1e-11)
    # about the origin of the frame, which stays in place
    assert found.com[0] == pytest.approx(of.com, abs=1e-12)
    assert near(found.inertia_at_density(density)[0], 5 * of.inertia(density), 1e-10)
    assert near(found.inertia_at_mass(mass)[0], 2 * of.inertia(mass / of.volume), 1e-10)
    assert np.abs(of.scale(of.com).com).max() < 1e-13


def test_two_percent_of_scale() -> None:
    """6.12 % of volume, 10.41 % of inertia at known density and 4.04 % at known mass; to first order 6, 10 and 4."""
    one, scaled = bracket(), Solid(bracket().vertices * 1.02, bracket().faces)

    assert scaled.volume / one.volume - 1 == pytest.approx(0.0612, abs=5e-5)
    assert near(scaled.inertia(1.0), one.inertia(1.0) * 1.1041, 1e-4)
    assert near(scaled.inertia(1 / scaled.volume), one.inertia(1 / one.volume) * 1.0404, 1e-4)
    assert 0.02 * one.scale().volume[0] / one.volume == pytest.approx(0.06, rel=1e-11)


STRAINS = st.lists(st.floats(-1, 1), min_size=9, max_size=9).map(lambda v: np.array(v).reshape(3, 3))


@given(STRAINS)
def test_any_linear_map_has_its_closed_form(strain: np.ndarray) -> None:
    """dV = V tr E, dc = E (c - o), dS = tr E S + E S + S Eᵀ."""
    of, origin = bracket(), np.array([0.3, -0.1, 0.2])
    found = of.stretch(strain, origin)

    assert found.volume == pytest.approx([of.volume * np.trace(strain)], abs=1e-11 * of.volume)
    assert found.com[0] == pytest.approx(strain @ (of.com - origin), abs=1e-10)
    expected = np.trace(strain) * of.second + strain @ of.second + of.second @ strain.T
    assert found.second[0] == pytest.approx(expected, abs=1e-9 * np.abs(of.second).max())


def test_anisotropy_of_a_box() -> None:
    """An x that is too long by ε: V and I_x grow by ε at known density, I_x stays at known mass."""
    a, b, c = 0.06, 0.08, 0.1
    of = box(a, b, c)
    found = Response.joined([of.stretch(np.diag([1, 0, 0])), of.stretch(np.diag([0, 1, 0]))])
    at_mass = moments_about(np.eye(3), found.inertia_at_mass(12.0))

    assert found.volume == pytest.approx([of.volume] * 2, rel=1e-11)
    assert at_mass == pytest.approx(2 * np.array([[0, a**2, a**2], [b**2, 0, b**2]]), abs=1e-14)


# What an offset does


def test_an_offset_of_a_box() -> None:
    """2d (1/a + 1/b + 1/c) of volume, and 4d (b + c)/(b² + c²) of I_x at known mass."""
    a, b, c, mass = 0.06, 0.08, 0.1, 0.5
    found = box(a, b, c, (0.2, 0.1, -0.3)).offset()

    assert found.volume / (a * b * c) == pytest.approx([2 * (1 / a + 1 / b + 1 / c)], rel=1e-11)
    relative = moments_about(np.eye(3), found.inertia_at_mass(mass))[0] / np.diag(box_inertia(mass, a, b, c))
    pairs = [(b, c), (a, c), (a, b)]
    assert relative == pytest.approx([4 * (p + q) / (p**2 + q**2) for p, q in pairs], rel=1e-9)
    assert found.com[0] == pytest.approx(np.zeros(3), abs=1e-10)


def steiner(of: Callable[[float], float], step: float = 1e-5) -> float:
    """Derivative of a closed form by its offset, by a central difference."""
    return (of(step) - of(-step)) / (2 * step)


@pytest.mark.parametrize(
    ("make", "volume", "gyration"),
    [
        (
            lambda n: icosphere(n, 1.0),
            lambda d: 4 / 3 * math.pi * (1 + d) ** 3,
            [lambda d: 0.4 * (1 + d) ** 2] * 3,
        ),
        (
            lambda n: cylinder(1.0, 3.0, sections=8 * 2**n),
            lambda d: math.pi * (1 + d) ** 2 * (3 + 2 * d),
            [
                lambda d: (3 * (1 + d) ** 2 + (3 + 2 * d) ** 2) / 12,
                lambda d: (3 * (1 + d) ** 2 + (3 + 2 * d) ** 2) / 12,
                lambda d: (1 + d) ** 2 / 2,
            ],
        ),
        (
            lambda n: torus(2.0, 0.5, major_sections=16 * 2**n, minor_sections=8 * 2**n),
            lambda d: 2 * math.pi**2 * 2 * (0.5 + d) ** 2,
            [
                lambda d: 4 / 2 + 5 / 8 * (0.5 + d) ** 2,
                lambda d: 4 / 2 + 5 / 8 * (0.5 + d) ** 2,
                lambda d: 4 + 0.75 * (0.5 + d) ** 2,
            ],
        ),
        (
            lambda n: annulus(1.0, 2.0, 3.0, sections=8 * 2**n),  # a hole gets smaller as its wall gets thicker
            lambda d: math.pi * ((2 + d) ** 2 - (1 - d) ** 2) * (3 + 2 * d),
            [
                lambda d: (3 * ((2 + d) ** 2 + (1 - d) ** 2) + (3 + 2 * d) ** 2) / 12,
                lambda d: (3 * ((2 + d) ** 2 + (1 - d) ** 2) + (3 + 2 * d) ** 2) / 12,
                lambda d: ((2 + d) ** 2 + (1 - d) ** 2) / 2,
            ],
        ),
    ],
    ids=["sphere", "cylinder", "torus", "ring"],
)
def test_an_offset_of_curved_solids_is_that_of_steiner(
    make: Callable[[int], trimesh.Trimesh],
    volume: Callable[[float], float],
    gyration: list[Callable[[float], float]],
) -> None:
    """dV is the area; inertia at known mass and known density by the closed form of the thickened solid."""
    expected_mass = np.array([steiner(g) for g in gyration])
    expected_density = np.array([steiner(lambda d, g=g: volume(d) * g(d)) for g in gyration])
    off = []
    for n in (3, 4, 5):
        of = solid(make(n))
        found = of.offset()
        assert found.volume == pytest.approx([of.area], rel=EXACT)
        off.append(
            [
                found.volume[0] / steiner(volume) - 1,
                *(moments_about(np.eye(3), found.inertia_at_mass(1.0))[0] / expected_mass - 1),
                *(moments_about(np.eye(3), found.inertia_at_density(1.0))[0] / expected_density - 1),
            ]
        )
    ratio = np.array(off[1]) / np.array(off[2])
    assert np.abs(off[2]).max() < 2e-3
    assert np.all((ratio > 3.5) & (ratio < 4.5))


def test_half_a_millimetre_on_a_ball_and_on_a_box() -> None:
    """3.75 % to first order for a radius of 40 mm (3.80 % exactly), 3.92 % for 60 × 80 × 100 mm (3.97 %)."""
    ball, brick = solid(icosphere(5, 0.04)), box(0.06, 0.08, 0.1)

    assert 5e-4 * ball.offset().volume[0] / ball.volume == pytest.approx(0.0375, rel=1e-3)
    assert 5e-4 * brick.offset().volume[0] / brick.volume == pytest.approx(0.0392, rel=1e-3)


def test_what_an_offset_adds_is_a_thin_shell() -> None:
    """Its second moment per volume is that of a shell, 2/3 m r², where the ball has 2/5."""
    of = solid(icosphere(5, 0.5))
    found = of.offset()
    shell = moments_about(np.eye(3), found.inertia_at_density(1.0))[0] / found.volume[0]

    assert shell == pytest.approx([2 / 3 * 0.25] * 3, rel=2e-3)


# Patches and fields


def box_sides(of: Solid) -> np.ndarray:
    """Label the faces of a box 0 to 5: -x, +x, -y, +y, -z, +z."""
    p = of.vertices[of.faces]
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    axis = np.abs(normal).argmax(axis=1)
    return 2 * axis + (normal[np.arange(len(axis)), axis] > 0)


def test_one_side_of_a_box_by_itself() -> None:
    """Side z up by δ: V by A δ, the centre by half of it, inertia as that of a box c + δ high about its own centre."""
    a, b, c, at = 0.06, 0.08, 0.1, (0.5, 0.6, 0.7)
    of = box(a, b, c, at)
    found = of.patches(box_sides(of), 6)

    assert found.volume == pytest.approx([b * c, b * c, a * c, a * c, a * b, a * b], rel=1e-10)
    assert near(found.com, np.kron(np.eye(3) / 2, [[-1], [1]]), 1e-9)
    for side, grown in enumerate(np.kron(np.eye(3), [[1], [1]])):
        change = (box_inertia(1.0, *((a, b, c) + 1e-6 * grown)) - box_inertia(1.0, *((a, b, c) - 1e-6 * grown))) / 2e-6
        assert near(found.inertia_at_mass(1.0)[side], change, 1e-6)


@given(st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_patches_add_up_to_the_offset_of_all(count: int, seed: int) -> None:
    of = bracket()
    labels = np.random.default_rng(seed).integers(0, count, len(of.faces))
    found, whole = of.patches(labels, count), of.offset()

    for part, total in ((found.volume, whole.volume), (found.com, whole.com), (found.second, whole.second)):
        assert near(part.sum(axis=0), total[0], 1e-10)


def test_faces_of_no_patch_are_left_out() -> None:
    of = box(0.06, 0.08, 0.1)
    labels = box_sides(of)

    assert of.patches(np.where(labels == 5, 0, -1), 1).volume == pytest.approx([0.06 * 0.08], rel=1e-10)
    assert of.patches(np.full(len(of.faces), -1), 2).volume.tolist() == [0.0, 0.0]


def test_white_noise_of_many_small_faces_is_negligible() -> None:
    """u(V) = σ √Σaᵢ², which is σ A/√n for n equal areas: 0.3 mm on a ball give 0.06 % and no 2 %."""
    of = solid(icosphere(4, 0.04))
    sigma, n = 0.3e-3, len(of.faces)
    found = of.patches(np.arange(n), n)
    u = sigma * float(np.linalg.norm(found.volume))

    assert found.volume.sum() == pytest.approx(of.area, rel=1e-10)
    assert u == pytest.approx(sigma * of.area / math.sqrt(n), rel=0.02)
    assert u / of.volume < 1e-3


def test_a_field_is_what_moved_vertices_do() -> None:
    """Every vertex of a rounded mesh pushed out by its own amount: first order against the mesh that results."""
    mesh = icosphere(3, 1.0)
    of = solid(mesh)
    push = 1 + np.random.default_rng(4).uniform(-1, 1, len(of.vertices))
    direction = of.vertices / np.linalg.norm(of.vertices, axis=1)[:, None]
    p = of.vertices[of.faces]
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    found = of.field(np.einsum("mai,mi->ma", (push[:, None] * direction)[of.faces], normal))
    step = 1e-5
    out, back = (Solid(of.vertices + s * push[:, None] * direction, of.faces) for s in (step, -step))

    assert found.volume[0] == pytest.approx((out.volume - back.volume) / (2 * step), rel=1e-7)
    assert found.com[0] == pytest.approx((out.com - back.com) / (2 * step), abs=1e-7)
    assert near(found.second[0], (out.second - back.second) / (2 * step), 1e-6)
    at_mass = (out.inertia(1 / out.volume) - back.inertia(1 / back.volume)) / (2 * step)
    assert near(found.inertia_at_mass(1.0)[0], at_mass, 1e-6)


# Into the linear model


def test_columns_go_into_the_linear_model() -> None:
    """A box with ln s, offset and two views: the volume's u by hand, and which of them dominates."""
    a, b, c = 0.06, 0.08, 0.1
    of = box(a, b, c)
    sides = np.array([0, 0, -1, -1, -1, 1])[box_sides(of)]  # one view saw -x and +x, another the top
    columns = Response.joined([of.scale(), of.offset(), of.patches(sides, 2)])
    state = State(
        (
            Component("ln_s", 0.002, "1", "measured", "scale", 4.0),
            Component("offset", 5e-5, "m", "assumed", "ingest"),
            Component("view 0", 1e-4, "m", "assumed", "ingest"),
            Component("view 1", 1e-4, "m", "assumed", "ingest"),
        )
    )
    outputs = [Output("volume", of.volume, "m^3"), *(Output(f"com {x}", 0.0, "m") for x in "xyz")]
    found = propagate(state, outputs, np.vstack([columns.volume, columns.com.T]))
    volume, _, _, com_z = found.budgets
    parts = (
        3 * of.volume * 0.002,
        2 * (a * b + b * c + a * c) * 5e-5,
        2 * b * c * 1e-4,
        a * b * 1e-4,
    )

    assert [x.signed_u for x in volume.contributions] == pytest.approx(parts, rel=1e-10)
    assert volume.u == pytest.approx(math.hypot(*parts), rel=1e-10)
    assert volume.dominant is not None
    assert volume.dominant.name == "ln_s"
    assert com_z.u == pytest.approx(0.5e-4, rel=1e-9)
    assert found.covariance[0, 3] == pytest.approx(a * b * 0.5 * 1e-8, rel=1e-9)


# What is refused


def test_a_mesh_that_is_open_or_inside_out_is_refused() -> None:
    of = bracket()
    with pytest.raises(ValueError, match="not closed"):
        Solid(of.vertices, of.faces[1:])
    with pytest.raises(ValueError, match="not closed"):
        Solid(of.vertices, np.vstack([of.faces[:1, ::-1], of.faces[1:]]))
    with pytest.raises(ValueError, match="inwards"):
        Solid(of.vertices, of.faces[:, ::-1])


def test_errors_of_two_solids_do_not_go_together() -> None:
    with pytest.raises(ValueError, match="one solid"):
        Response.joined([bracket().offset(), bracket().offset()])
