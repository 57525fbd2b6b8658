"""Axis maps and classes of scanners: small tables that everything after them trusts."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from r2s.compiler.decision import Decision, signed_axes, spelled
from r2s.compiler.devices import classes, device
from r2s.compiler.errors import UsageError

MAPS = [
    "".join(f"{s}{a}" for s, a in zip(signs, order, strict=True))
    for signs in itertools.product("+-", repeat=3)
    for order in itertools.permutations("xyz")
]


def matrix(text: str) -> np.ndarray:
    """The map written out: row i takes the file's axis that becomes axis i."""
    rows = np.zeros((3, 3))
    for row, (sign, axis) in enumerate(zip(text[::2], text[1::2], strict=True)):
        rows[row, "xyz".index(axis)] = 1 if sign == "+" else -1
    return rows


@pytest.mark.parametrize("text", MAPS)
def test_only_the_24_rotations_are_allowed(text: str) -> None:
    if np.linalg.det(matrix(text)) < 0:
        with pytest.raises(UsageError, match="mirror") as error:
            signed_axes(text)
        assert error.value.code == "R2S311"
        return
    found = np.zeros((3, 3))
    for row, (index, sign) in enumerate(signed_axes(text)):
        found[row, index] = sign
    assert np.array_equal(found, matrix(text))
    assert spelled(text) == text


@pytest.mark.parametrize(
    ("name", "up"),
    [("z", "z"), ("z-up", "z"), ("y", "y"), ("Y-up", "y"), (" x ", "x"), ("x-up", "x")],
)
def test_named_axes_turn_what_is_up_upwards(name: str, up: str) -> None:
    turn = matrix(spelled(name))
    assert (turn @ np.eye(3)["xyz".index(up)]).tolist() == [0, 0, 1]
    assert np.linalg.det(turn) == pytest.approx(1)


def test_y_up_keeps_what_is_right_on_the_right() -> None:
    assert spelled("y") == "+x-z+y"
    assert spelled("x") == "+y+z+x"
    assert spelled("z") == "+x+y+z"


@pytest.mark.parametrize("text", ["", "w", "+x+y", "xyz", "+x+y+z+x", "+x+y+x", "+x +y+z", "-x-x-x"])
def test_what_is_no_map_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as error:
        signed_axes(text)
    assert error.value.code == "R2S311"


def test_ingest_gets_three_fields_and_nothing_of_the_readings() -> None:
    made = Decision("free", 0.037, "+x-z+y", True, "measured", "2 readings agree")
    assert made.options == {"unit": "free", "factor": 0.037, "axes": "+x-z+y"}


def test_the_prior_of_a_device_is_that_of_a_rectangle() -> None:
    assert device("rgbd").prior_u == pytest.approx(0.01 / math.sqrt(3))
    assert device("structured_light").prior_u == pytest.approx(0.1 / 300 / math.sqrt(3))
    assert {name for name in classes() if device(name).prior_u == 0} == {"unknown", "photogrammetry", "radiance_field"}
    assert {name for name, d in classes().items() if not d.metric} == {"photogrammetry", "radiance_field"}
    for name, found in classes().items():
        assert found.name == name
        assert found.source
        assert found.source.startswith("assumed") == (found.prior_u > 0)


def test_an_unknown_device_is_told_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'photogrammetry'") as error:
        device("photogrametry")
    assert error.value.code == "R2S011"
    with pytest.raises(UsageError, match="there are unknown, structured_light"):
        device("zzzzzz")
