"""
The step between neighbouring coordinates that a file can tell apart.

float32 at 5.4e6 steps by 0.5: a part of 80 mm is lost there, whatever the file claims.
The same happens when such numbers are later stored as doubles, or printed with six digits, so the numbers are asked and
not only the type that they are stored in.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

_PLACE = re.compile(rb"[+-]?(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,6}))?")

# A few short numbers are exact (a box of 80 x 50 x 40); a hundred of them are a grid that the points were rounded to.
_GRID_FROM = 100


def stored_quantum(points: NDArray[np.float64], kind: str) -> float:
    """
    Return the largest step of *points* (n, 3), in their own unit, that were stored as the numpy type *kind*.

    An axis of doubles that are all float32 numbers has the steps of float32.
    """
    if kind[0] in "iu":
        return 1.0
    return max((_axis_quantum(axis, kind) for axis in points.T), default=0.0)


def written_quantum(points: NDArray[np.float64], sample: list[list[bytes]]) -> float:
    """
    Return the largest step of *points* (n, 3) that were printed; *sample* holds the three tokens of some rows.

    It is the last decimal place that is written in the largest coordinates, where there are points enough to tell a
    grid from short exact numbers.
    """
    step = stored_quantum(points, "f8")
    if len(points) < _GRID_FROM:
        return step
    varying = [i for i, axis in enumerate(points.T) if len(np.unique(axis[np.isfinite(axis)][:_GRID_FROM])) > 1]
    places = [(abs(float(row[i])), _place(row[i])) for row in sample for i in varying if _PLACE.fullmatch(row[i])]
    largest = max((value for value, _ in places), default=0.0)
    finest = min((place for value, place in places if value > 0 and value >= 0.1 * largest), default=0.0)
    return max(step, finest)


def _axis_quantum(axis: NDArray[np.float64], kind: str) -> float:
    finite = axis[np.isfinite(axis)]
    if not len(finite):
        return 0.0
    largest = np.abs(finite).max()
    if kind == "f4" or (largest < np.finfo(np.float32).max and (finite.astype(np.float32) == finite).all()):
        return float(np.spacing(np.float32(largest)))
    return float(np.spacing(largest))


def _place(token: bytes) -> float:
    match = _PLACE.fullmatch(token)
    if match is None:
        return 0.0
    return float(10.0 ** max(-300, min(300, int(match[3] or 0) - len(match[2]))))
