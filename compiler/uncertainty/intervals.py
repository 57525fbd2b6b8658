"""
Coverage intervals from draws, and how many of an uncertainty's digits mean something.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A coverage interval from *low* to *high* with coverage probability *level*."""

    low: float
    high: float
    level: float


def symmetric(ordered: Floats, level: float) -> Interval:
    """
    Return the probabilistically symmetric interval of *ordered* draws (M,): as many below as above (JCGM 101 7.7.2).

    Raises ValueError where there are too few draws for the level.
    """
    low, high = _ends(len(ordered), level)
    return Interval(float(ordered[low]), float(ordered[high]), level)


def symmetric_of(draws: Floats, level: float) -> Interval:
    """Return the symmetric interval of *draws* in any order: as :func:`symmetric`, in a fraction of the time."""
    ends = _ends(len(draws), level)
    low, high = np.partition(draws, ends)[list(ends)]
    return Interval(float(low), float(high), level)


def shortest(ordered: Floats, level: float) -> Interval:
    """
    Return the shortest interval of *ordered* draws (M,), the first of several (JCGM 101 7.7.4).

    Raises ValueError where there are too few draws for the level.
    """
    inside = _inside(len(ordered), level)
    first = int(np.argmin(ordered[inside:] - ordered[:-inside]))
    return Interval(float(ordered[first]), float(ordered[first + inside]), level)


def numerical_tolerance(u: float, digits: int) -> float:
    """
    Return half a unit of the last of *digits* significant decimal digits of *u* (JCGM 101 7.9.2); 0 for 0.

    >>> numerical_tolerance(35.0, 2), numerical_tolerance(0.0996, 2), numerical_tolerance(2.0, 1)
    (0.5, 0.005, 0.5)
    """
    if u == 0:
        return 0.0
    exponent = int(f"{u:.{digits - 1}e}".partition("e")[2])  # of the number as it would be written, rounded up or not
    return float(f"5e{exponent - digits}")


def _ends(count: int, level: float) -> tuple[int, int]:
    """Return the ranks of both ends of the symmetric interval."""
    inside = _inside(count, level)
    first = (count - inside + 1) // 2
    return first - 1, first + inside - 1


def _inside(count: int, level: float) -> int:
    """Return how many steps between neighbouring draws the interval spans."""
    if not 0 < level < 1:
        raise ValueError(f"a level lies between 0 and 1, not at {level:g}")
    inside = int(level * count + 0.5)
    if not 0 < inside < count:
        raise ValueError(f"{count} draws are too few for an interval of {level:.3%}")
    return inside
