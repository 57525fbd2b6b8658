"""Mass properties against closed forms, MuJoCo's own integral, and the symmetries that they must have."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
import trimesh

from r2s.compiler.errors import SimulationError
from r2s.compiler.ir import Floats
from r2s.passes.mjcf.massprops import Distribution, physical, shell, solid
from r2s.passes.mjcf.rotation import matrix, principal, quaternion


def _box(*size: float) -> trimesh.Trimesh:
    return trimesh.creation.box(size)


def _ball(radius: float, subdivisions: int = 5) -> trimesh.Trimesh:
    return trimesh.creation.icosphere(subdivisions=subdivisions, radius=radius)


def _bracket() -> trimesh.Trimesh:
    """An L of 80 x 60 mm with legs 20 mm wide, 40 mm deep."""
    outline = np.array([(0, 0), (80, 0), (80, 20), (20, 20), (20, 60), (0, 60)]) / 1000
    low, high = np.column_stack([outline, np.zeros(6)]), np.column_stack([outline, np.full(6, 0.04)])
    fan = np.array([[0, i, i + 1] for i in range(1, 5)])
    sides = [f for i in range(6) for f in ([i, (i + 1) % 6, (i + 1) % 6 + 6], [i, (i + 1) % 6 + 6, i + 6])]
    return trimesh.Trimesh(np.vstack([low, high]), np.vstack([fan[:, ::-1], fan + 6, sides]), process=False)


def _turn(seed: int = 0) -> Floats:
    return matrix(np.random.default_rng(seed).normal(size=4))


def test_box_has_its_closed_form() -> None:
    a, b, c = 0.05, 0.08, 0.11
    mesh = _box(a, b, c)
    mesh.apply_translation([0.3, -0.2, 0.1])
    found = solid(mesh.triangles)
    assert found.measure == pytest.approx(a * b * c, rel=1e-13)
    assert found.com == pytest.approx([0.3, -0.2, 0.1], abs=1e-15)
    assert found.gyration == pytest.approx(
        np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) / 12, rel=1e-12, abs=1e-17
    )


def test_tetrahedron_has_its_closed_form() -> None:
    a, b, c = 0.03, 0.04, 0.05
    corners = np.array([[0, 0, 0], [a, 0, 0], [0, b, 0], [0, 0, c]])
    found = solid(corners[[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]])
    assert found.measure == pytest.approx(a * b * c / 6, rel=1e-13)
    assert found.com == pytest.approx([a / 4, b / 4, c / 4], rel=1e-13)
    # ∫x² over the corner tetrahedron is V a²/10, ∫xy is V ab/20; about the centre both lose the square of the offset
    spread = np.array([a, b, c])
    second = np.outer(spread, spread) / 20 + np.diag(spread**2) / 20 - np.outer(spread, spread) / 16
    assert found.gyration == pytest.approx(np.trace(second) * np.eye(3) - second, rel=1e-12)


def _solid(mesh: trimesh.Trimesh) -> Distribution:
    return solid(mesh.triangles)


def _thin(mesh: trimesh.Trimesh) -> Distribution:
    return shell(mesh.triangles)


Of = Callable[[trimesh.Trimesh], Distribution]


@pytest.mark.parametrize(("of", "factor"), [(_solid, 2 / 5), (_thin, 2 / 3)])
def test_sphere_converges_to_its_closed_form(of: Of, factor: float) -> None:
    errors = []
    for subdivisions in (3, 4, 5):
        found = of(_ball(0.04, subdivisions))
        errors.append(abs(found.gyration[0, 0] / (factor * 0.04**2) - 1))
    assert errors[2] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.05)
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.05)


def test_shell_of_a_box_has_its_closed_form() -> None:
    a, b, c = 0.05, 0.08, 0.11
    found = _thin(_box(a, b, c))
    area = 2 * (a * b + b * c + c * a)
    # ∫x² dA: two faces at ±a/2, four faces that run along x
    spread = [
        (2 * (s * t) * (r / 2) ** 2 + r**2 / 12 * 2 * r * (s + t)) / area
        for r, s, t in ((a, b, c), (b, c, a), (c, a, b))
    ]
    assert found.measure == pytest.approx(area, rel=1e-13)
    assert found.gyration == pytest.approx(np.diag(np.sum(spread) - np.array(spread)), rel=1e-12, abs=1e-17)


def test_mesh_far_away_loses_no_digits() -> None:
    near, far = _bracket(), _bracket()
    far.apply_translation([100.0, -50.0, 20.0])
    # The translation itself rounds vertices to 1e-14 m; a second moment about the origin would lose 1e-16 * 1e4 m².
    assert solid(far.triangles).gyration == pytest.approx(solid(near.triangles).gyration, rel=1e-9, abs=1e-14)
    assert solid(far.triangles).com - [100, -50, 20] == pytest.approx(solid(near.triangles).com, abs=1e-12)


@pytest.mark.parametrize("of", [_solid, _thin])
def test_turning_the_mesh_turns_the_tensor(of: Of) -> None:
    mesh, turn = _bracket(), _turn()
    still = of(mesh)
    turned = of(trimesh.Trimesh(mesh.vertices @ turn.T, mesh.faces, process=False))
    assert turned.gyration == pytest.approx(turn @ still.gyration @ turn.T, rel=1e-9, abs=1e-15)
    assert turned.com == pytest.approx(turn @ still.com, abs=1e-15)


def test_mujoco_integrates_the_same_bracket() -> None:
    import mujoco

    mesh = _bracket()
    mesh.apply_transform(np.vstack([np.column_stack([_turn(), [0.1, 0.2, 0.3]]), [0, 0, 0, 1]]))
    numbers = " ".join(map(repr, mesh.vertices.ravel().tolist()))
    faces = " ".join(map(str, mesh.faces.ravel().tolist()))
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><asset><mesh name="m" inertia="exact" vertex="{numbers}" face="{faces}"/></asset>'
        '<worldbody><body><freejoint/><geom type="mesh" mesh="m" density="1240"/></body></worldbody></mujoco>'
    )
    ours = solid(mesh.triangles)
    axes = matrix(model.body_iquat[1])
    assert model.body_mass[1] == pytest.approx(1240 * ours.measure, rel=1e-6)
    assert model.body_ipos[1] == pytest.approx(ours.com, abs=1e-7)
    theirs = axes @ np.diag(model.body_inertia[1]) @ axes.T
    assert theirs == pytest.approx(1240 * ours.measure * ours.gyration, rel=1e-5, abs=1e-9)


def test_roundoff_of_a_flat_body_is_removed_and_more_is_refused() -> None:
    turn = _turn()
    flat = turn @ np.diag([1.0, 2.0, 3.0 * (1 + 1e-12)]) @ turn.T * 1e-6
    moments = np.linalg.eigvalsh(physical(flat))
    assert moments[2] < moments[0] + moments[1]
    assert physical(flat) == pytest.approx(flat, rel=1e-10)
    with pytest.raises(SimulationError) as caught:
        physical(np.diag([1.0, 2.0, 3.001]) * 1e-6)
    assert caught.value.code == "R2S712"
    assert caught.value.exit_code == 7
    with pytest.raises(SimulationError) as caught:
        physical(np.diag([-1.0, 2.0, 2.5]) * 1e-6)
    assert caught.value.code == "R2S712"
    with pytest.raises(SimulationError) as caught:
        physical(np.diag([1.0, 1.0, 1.0]) * 1e-15)
    assert caught.value.code == "R2S713"


def test_sound_tensor_stays_as_it_is() -> None:
    tensor = solid(_bracket().triangles).gyration
    assert physical(tensor) is tensor


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e-13])
def test_principal_axes_rebuild_the_tensor_whatever_its_size(scale: float) -> None:
    for seed in range(50):
        turn = _turn(seed)
        tensor = turn @ np.diag([1.0, 1.2, 1.5]) @ turn.T * scale
        moments, axes = principal(tensor)
        assert np.linalg.det(axes) == pytest.approx(1)
        assert axes @ np.diag(moments) @ axes.T == pytest.approx(tensor, rel=1e-12, abs=1e-14 * scale)
        q = quaternion(axes)
        assert q[0] >= 0
        assert matrix(q) == pytest.approx(axes, abs=1e-14)
        assert np.trace(axes) >= 1  # of 24 equal frames one always lies within 90 degrees; ours is the nearest


def test_principal_axes_do_not_depend_on_the_solver_s_order_or_signs() -> None:
    turn = matrix(np.array([1.0, 0.1, -0.05, 0.08]))
    moments, axes = principal(turn @ np.diag([3.0, 2.0, 2.5]) @ turn.T)
    assert axes == pytest.approx(turn, abs=1e-12)
    assert moments == pytest.approx([3, 2, 2.5])


def test_diagonal_tensor_gets_no_turn() -> None:
    noise = 1e-12 * np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]])
    moments, axes = principal(np.diag([1.0, 1.0, 2.0]) + noise)
    assert np.array_equal(axes, np.eye(3))
    assert np.array_equal(moments, [1.0, 1.0, 2.0])


def test_quaternion_of_every_right_angle_turn() -> None:
    for order, signs in itertools.product(itertools.permutations(range(3)), itertools.product((1, -1), repeat=3)):
        turn = np.eye(3)[:, list(order)] * signs
        if np.linalg.det(turn) > 0:
            assert matrix(quaternion(turn)) == pytest.approx(turn, abs=1e-15)
