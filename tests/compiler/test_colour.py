"""Distances as colours: the side, the scale, and what nobody knows."""

from __future__ import annotations

import numpy as np

from r2s.compiler.dump.colour import coloured, full_scale

KNOWN = np.array([True, True, True, True, False])
AWAY = np.array([0.0, 1e-4, -1e-4, 0.5e-4, 20e-3])


def test_the_side_is_red_or_blue_and_halfway_is_between() -> None:
    white, out, inside, half, unknown = coloured(AWAY, KNOWN).astype(int)

    assert white.tolist() == [245] * 3
    assert out[0] > out[2]
    assert inside[2] > inside[0]
    assert np.abs(half - (white + out) / 2).max() <= 2
    assert unknown.tolist() == [150] * 3


def test_what_nobody_knows_sets_no_scale() -> None:
    assert full_scale(AWAY[KNOWN]) <= 1e-4
    assert (coloured(AWAY, KNOWN)[:4] == coloured(AWAY[:4], KNOWN[:4])).all()


def test_no_distance_at_all_is_white() -> None:
    assert (coloured(np.zeros(3), np.ones(3, dtype=bool)) == 245).all()
    assert coloured(np.zeros(0), np.zeros(0, dtype=bool)).shape == (0, 3)
