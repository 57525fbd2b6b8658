"""What probably happened to a length that is off by a round factor: a unit, a decimal point, a radius."""

from __future__ import annotations

import math

# Neighbours differ by 27 % or more, so windows of 8 % never overlap.
WINDOW = 0.08

SLIPS: tuple[tuple[float, str], ...] = (
    (0.5, "half of what it should be: a radius for a diameter?"),
    (2.0, "twice what it should be: a diameter for a radius?"),
    (10.0, "ten times too large: a slipped decimal point, or mm written as cm?"),
    (0.1, "ten times too small: a slipped decimal point, or cm written as mm?"),
    (100.0, "a hundred times too large: cm written as m?"),
    (0.01, "a hundred times too small: m written as cm?"),
    (1000.0, "a thousand times too large: mm written as m?"),
    (0.001, "a thousand times too small: m written as mm?"),
    (25.4, "25.4 times too large: mm written as inches?"),
    (1 / 25.4, "25.4 times too small: inches written as mm?"),
    (2.54, "2.54 times too large: cm written as inches?"),
    (1 / 2.54, "2.54 times too small: inches written as cm?"),
    (1 / 0.3048, "3.28 times too large: feet written as m?"),
    (0.3048, "3.28 times too small: m written as feet?"),
    (1 / 0.0254, "39.4 times too large: inches written as m?"),
    (0.0254, "39.4 times too small: m written as inches?"),
)


def slip(quotient: float) -> str:
    """
    Return in words what makes a length *quotient* times what it should be, empty if no slip does.

    >>> slip(0.49)
    'half of what it should be: a radius for a diameter?'
    >>> slip(1.5)
    ''
    """
    if not (math.isfinite(quotient) and quotient > 0):
        return ""
    return next((words for factor, words in SLIPS if abs(math.log(quotient / factor)) <= WINDOW), "")
