"""
Balance points: where a person found that the object balances, set against the computed centre of mass.

Only points along the scan's own axes are used; the long, middle and short directions belong to a box that this pass
does not fit, so those are kept as a note.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.errors import Diagnostic, InvalidInputError
from r2s.compiler.ir import Floats
from r2s.compiler.readings import BalancePoint

_AXES = {"extent_x": 0, "extent_y": 1, "extent_z": 2, "height": 2}
_NO_ACCURACY = 1e-3  # m, where the sheet gives none: an edge under a hand-held object


@dataclass(frozen=True, eq=False)
class Balanced:
    """The centre of mass (3,) m, the half-width (3,) m of each coordinate (nan where nothing was measured)."""

    com: Floats
    half: Floats
    diagnostics: tuple[Diagnostic, ...]


def balance(com: Floats, low: Floats, high: Floats, points: tuple[BalancePoint, ...]) -> Balanced:
    """
    Return *com* moved to the balance points, for an object whose box runs from *low* to *high*, m.

    Several points on one axis are averaged.  Raises InvalidInputError for a point outside the object.
    """
    found: dict[int, list[tuple[float, float]]] = {}
    notes = []
    for point in points:
        axis = _AXES.get(point.along)
        if axis is None:
            text = f"the balance point along {point.along} is not used: the centre of mass stays as computed"
            notes.append(Diagnostic("note", "R2S707", text, "give it along extent_x, extent_y or extent_z"))
            continue
        length = float(high[axis] - low[axis])
        if not 0 <= point.value <= length:
            raise InvalidInputError(
                "R2S708",
                f"the balance point {point.value * 1e3:.2f} mm from the {point.end} of {point.along} "
                f"lies outside the object, {length * 1e3:.2f} mm long",
                hint="measure from the end that the sheet names",
            )
        place = low[axis] + point.value if point.end == "min" else high[axis] - point.value
        found.setdefault(axis, []).append((float(place), point.accuracy or _NO_ACCURACY))
    moved, half = np.array(com, dtype=np.float64), np.full(3, np.nan)
    for axis, places in sorted(found.items()):
        moved[axis] = sum(p for p, _ in places) / len(places)
        half[axis] = max(a for _, a in places)
    return Balanced(moved, half, tuple(notes))
