"""Balance points: what each of them tells of the centre of mass, and what it leaves as computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scan_shapes import MM, box

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.readings import BalancePoint
from r2s.passes.mjcf.balance import Balanced, balance

VERTICES = box((0.2, 0.1, 0.05), at=(-0.1, -0.05, 0.0))[0]
COM = np.array([0.01, -0.005, 0.017])
BOX = np.eye(3)


def balanced(*points: tuple[str, float, str, float], rows: Any = BOX) -> Balanced:
    told = tuple(BalancePoint(along=a, value=v, end=e, accuracy=u) for a, v, e, u in points)  # type: ignore[arg-type]
    return balance(COM, VERTICES, told, rows)


def test_without_points_the_computed_centre_stays() -> None:
    found = balanced()
    assert found.com.tolist() == COM.tolist()
    assert found.half.tolist() == [0, 0, 0]
    assert found.free.tolist() == np.eye(3).tolist()
    assert found.diagnostics == ()


@pytest.mark.parametrize(
    ("along", "axis"),
    [
        ("extent_x", 0),
        ("extent_y", 1),
        ("extent_z", 2),
        ("height", 2),
        ("extent_long", 0),
        ("extent_mid", 1),
        ("extent_short", 2),
    ],
)
@pytest.mark.parametrize("end", ["min", "max"])
def test_a_point_tells_one_coordinate(along: str, axis: int, end: str) -> None:
    found = balanced((along, 0.03, end, 0.5 * MM))
    low, high = VERTICES[:, axis].min(), VERTICES[:, axis].max()
    want = COM.copy()
    want[axis] = low + 0.03 if end == "min" else high - 0.03
    assert found.com == pytest.approx(want)
    half, free = np.zeros(3), np.eye(3)
    half[axis], free[axis, axis] = 0.5 * MM, 0
    assert found.half == pytest.approx(half)
    assert found.free == pytest.approx(free)
    assert found.diagnostics == ()


def test_three_points_tell_it_all() -> None:
    found = balanced(
        ("extent_x", 0.11, "min", MM), ("extent_y", 0.04, "max", 2 * MM), ("extent_z", 0.02, "min", 3 * MM)
    )
    assert found.com == pytest.approx([0.01, 0.01, 0.02])
    assert found.half == pytest.approx([MM, 2 * MM, 3 * MM])
    assert found.free == pytest.approx(np.zeros((3, 3)))


def test_without_an_accuracy_an_edge_is_a_millimetre_wide() -> None:
    assert balanced(("extent_x", 0.11, "min", 0.0)).half[0] == pytest.approx(MM)


def test_points_on_one_axis_are_averaged_and_told_when_they_disagree() -> None:
    near = balanced(("extent_x", 0.110, "min", MM), ("extent_x", 0.0885, "max", 0.6 * MM))
    assert near.com[0] == pytest.approx(0.01075)
    assert near.half[0] == pytest.approx(MM)
    assert near.diagnostics == ()
    far = balanced(("extent_x", 0.110, "min", MM), ("extent_x", 0.114, "min", MM))
    assert far.com[0] == pytest.approx(0.012)
    assert far.half[0] == pytest.approx(2 * MM)
    assert [note.code for note in far.diagnostics] == ["R2S707"]
    assert "4.00 mm apart" in far.diagnostics[0].message


@pytest.mark.parametrize("value", [-0.001, 0.201])
def test_a_point_outside_the_object_is_refused(value: float) -> None:
    with pytest.raises(InvalidInputError) as error:
        balanced(("extent_x", value, "min", MM))
    assert error.value.code == "R2S708"
    assert "200.00 mm long" in error.value.message
    balanced(("extent_x", 0.0, "min", MM), ("extent_y", 0.1, "min", MM))


def test_an_oblique_axis_moves_the_centre_the_shortest_way() -> None:
    row = np.array([0.8, 0.6, 0.0])
    rows = np.stack(
        [-row, [-0.6, 0.8, 0.0], [0.0, 0.0, 1.0]]
    )  # an axis' max end is where its largest component is positive
    low = float((VERTICES @ row).min())
    found = balanced(("extent_long", 0.15, "min", MM), rows=rows)
    assert found.com @ row == pytest.approx(low + 0.15)
    assert np.cross(found.com - COM, row) == pytest.approx(np.zeros(3))
    assert found.half == pytest.approx(np.abs(row) * MM)
    assert found.free == pytest.approx(np.eye(3) - np.outer(row, row))


def test_of_two_directions_nearly_alike_the_better_one_counts_more() -> None:
    tilt = 0.1
    row = np.array([np.cos(tilt), np.sin(tilt), 0.0])
    rows = np.stack([row, [-np.sin(tilt), np.cos(tilt), 0.0], [0.0, 0.0, 1.0]])
    found = balanced(("extent_x", 0.115, "min", 0.1 * MM), ("extent_long", 0.115, "min", 5 * MM), rows=rows)
    assert found.com[0] == pytest.approx(0.015, abs=0.1 * MM)
    assert np.abs(found.com - COM).max() < 0.01  # their difference was not taken for a coordinate across
    apart = balanced(("extent_x", 0.115, "min", MM), ("extent_y", 0.06, "min", MM), rows=rows)
    assert apart.com[:2] == pytest.approx([0.015, 0.01])


def test_a_point_that_fits_the_other_end_is_told() -> None:
    (said,) = balanced(("extent_x", 0.09, "min", MM)).diagnostics  # the centre is 110 mm from the min, 90 mm from max
    assert (said.code, said.severity) == ("R2S719", "warning")
    assert "along extent_x lies 20.0 mm from the computed centre of mass, and 0.0 mm from it when" in said.message


@pytest.mark.parametrize(
    ("value", "told"),
    # room is the accuracy and 2 % of the extent: 5 mm; the image must lie within it, the point itself beyond twice it
    [(0.0851, True), (0.0849, False), (0.0949, True), (0.0951, False), (0.11, False), (0.06, False)],
)
def test_an_end_is_doubted_only_where_the_other_fits(value: float, told: bool) -> None:
    assert bool(balanced(("extent_x", value, "min", MM)).diagnostics) is told
