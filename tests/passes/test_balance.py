"""Balance points along any axes, against the centre of mass that they tell."""

from __future__ import annotations

import numpy as np
import pytest
import scan_shapes

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.ir import Floats
from r2s.compiler.readings import BalancePoint
from r2s.passes.mjcf.balance import Balanced, balance

CORNERS = scan_shapes.box((0.1, 0.06, 0.04), (-0.05, -0.03, -0.02))[0]
COM = np.zeros(3)


def turned(angle: float) -> tuple[Floats, Floats]:
    """The box turned about z, and its own axes as rows."""
    c, s = np.cos(angle), np.sin(angle)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    return CORNERS @ turn.T, turn.T


def run(vertices: Floats, box: Floats, *points: BalancePoint) -> Balanced:
    return balance(COM, vertices, points, box)


def test_each_end_of_each_axis() -> None:
    at = [
        BalancePoint("extent_x", "min", 0.06, 1e-3),
        BalancePoint("extent_y", "max", 0.02, 2e-3),
        BalancePoint("extent_z", "min", 0.02, 0.0),
    ]
    found = run(CORNERS, np.eye(3), *at)

    assert found.com == pytest.approx([0.01, 0.01, 0.0], abs=1e-15)
    assert found.half == pytest.approx([1e-3, 2e-3, 1e-3])
    assert not found.free.any()


@pytest.mark.parametrize("angle", [0.0, 0.4, 1.2, 2.5])
def test_a_point_along_the_box_moves_along_it_alone(angle: float) -> None:
    vertices, box = turned(angle)
    found = run(vertices, box, BalancePoint("extent_long", "max", 0.04, 1e-3))
    toward = box[0] * np.sign(box[0][np.argmax(np.abs(box[0]))])

    assert found.com == pytest.approx(0.01 * toward, abs=1e-12)
    assert found.half == pytest.approx(1e-3 * np.abs(toward), abs=1e-12)
    assert found.free == pytest.approx(np.eye(3) - np.outer(toward, toward), abs=1e-12)


def test_points_along_skew_axes_are_both_met() -> None:
    vertices, box = turned(0.5)
    points = (BalancePoint("extent_long", "max", 0.04, 1e-3), BalancePoint("extent_x", "max", 0.05, 1e-3))
    found = run(vertices, box, *points)

    assert float(found.com @ box[0]) == pytest.approx(0.01, abs=1e-12)
    assert found.com[0] == pytest.approx(vertices[:, 0].max() - 0.05, abs=1e-12)
    assert found.half[0] == pytest.approx(1e-3, rel=1e-9)
    assert found.half[1] > 1e-3  # the less the two differ, the less they tell across
    assert found.free[2] == pytest.approx([0, 0, 1])


def test_points_along_nearly_one_axis_do_not_run_away() -> None:
    vertices, box = turned(0.02)
    points = (BalancePoint("extent_long", "max", 0.040, 1e-3), BalancePoint("extent_x", "max", 0.044, 1e-3))
    found = run(vertices, box, *points)

    assert np.linalg.norm(found.com) < 0.012
    assert found.free[1, 1] > 0.99


def test_repeats_are_averaged_and_a_contradiction_is_told() -> None:
    close = run(CORNERS, np.eye(3), *(BalancePoint("extent_x", "min", v, 1e-3) for v in (0.060, 0.061)))
    assert close.com[0] == pytest.approx(0.0105)
    assert close.half[0] == 1e-3
    assert not close.diagnostics
    # from the wrong end
    apart = run(CORNERS, np.eye(3), *(BalancePoint("extent_x", end, 0.06, 1e-3) for end in ("min", "max")))
    assert apart.com[0] == pytest.approx(0.0)
    assert apart.half[0] == pytest.approx(0.01)
    assert [d.code for d in apart.diagnostics] == ["R2S707"]
    assert "20.00 mm apart" in apart.diagnostics[0].message


def test_a_point_beyond_the_object_is_refused() -> None:
    vertices, box = turned(0.3)
    with pytest.raises(InvalidInputError) as caught:
        run(vertices, box, BalancePoint("extent_mid", "min", 0.061, 1e-3))
    assert caught.value.code == "R2S708"
    assert "60.00 mm long" in caught.value.message
