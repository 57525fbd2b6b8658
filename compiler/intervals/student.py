"""Student's t for whole degrees of freedom, from its finite sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

_HALVINGS = 200


def student_inside(t: float, dof: int) -> float:
    """
    Return the probability that |T| <= *t* (at least 0) for Student's T with *dof* degrees of freedom.

    Abramowitz and Stegun 26.7.3 and 26.7.4: with theta = atan(t / sqrt(dof)), a sum of powers of cos theta.

    >>> round(student_inside(12.7062, 1), 5), round(student_inside(2.7764, 4), 5)
    (0.95, 0.95)
    """
    theta = math.atan(t / math.sqrt(dof))
    sine, square = math.sin(theta), math.cos(theta) ** 2
    even = dof % 2 == 0
    term = sine if even else sine * math.cos(theta)
    terms = []
    for k in range(1, dof // 2 + 1):
        terms.append(term)
        term *= square * ((2 * k - 1) / (2 * k) if even else 2 * k / (2 * k + 1))
    return math.fsum(terms) if even else 2 / math.pi * (theta + math.fsum(terms))


@cache
def student_quantile(level: float, dof: int) -> float:
    """
    Return the t that |T| stays within with probability *level* (0 < level < 1), *dof* degrees of freedom (at least 1).

    Raises ValueError for anything else.

    >>> [round(student_quantile(0.95, dof), 3) for dof in (1, 2, 3, 30)]
    [12.706, 4.303, 3.182, 2.042]
    """
    if not 0 < level < 1 or dof < 1:
        raise ValueError(f"no Student quantile for level {level} with {dof} degrees of freedom")
    low, high = 0.0, 1.0
    while student_inside(high, dof) < level:
        low, high = high, 2 * high
    return bisect(lambda t: student_inside(t, dof) < level, low, high)


def bisect(below: Callable[[float], bool], low: float, high: float) -> float:
    """Return where *below* turns false between *low* and *high*, to the last bit."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if below(middle) else (low, middle)
    return high
