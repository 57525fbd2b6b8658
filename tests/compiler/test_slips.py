"""Round factors by which a reading can be off, and the words for each."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from r2s.compiler.slips import SLIPS, WINDOW, slip

TABLE = (1e3, 1e-3, 100, 0.01, 10, 0.1, 25.4, 1 / 25.4, 2.54, 0.3937, 0.3048, 3.2808, 39.37, 0.0254, 2, 0.5)  # memo


@pytest.mark.parametrize("factor", TABLE)
@pytest.mark.parametrize("off", [1.0, 1.07, 1 / 1.07])
def test_every_unit_of_the_memo_is_told_within_its_window(factor: float, off: float) -> None:
    words = slip(factor * off)

    assert words.endswith("?")
    assert words == min(SLIPS, key=lambda one: abs(math.log(one[0] / factor)))[1]


@pytest.mark.parametrize("factor", [1.0, 1.04, 0.96, 1.5, 0.7, 5.0, 200.0, 1e-5, 0.0, -2.0, math.nan, math.inf])
def test_what_is_no_slip_has_no_words(factor: float) -> None:
    assert slip(factor) == ""


def test_no_two_slips_can_be_confused() -> None:
    """The nearest two, inches for m and mm for inches, differ by a quarter and more; windows need 2 x 8 %."""
    logs = sorted(math.log(factor) for factor, _ in SLIPS)

    assert len(SLIPS) == len(TABLE)
    assert min(b - a for a, b in pairwise(logs)) > 2.5 * WINDOW


def test_a_slip_and_its_inverse_stand_together() -> None:
    for factor, _ in SLIPS:
        assert slip(1 / factor)
