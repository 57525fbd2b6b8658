"""
Balance points: where a person found that the object balances, set against the computed centre of mass.

A point along an axis tells one coordinate of the centre of mass in that direction, be it the scan's axis or one of the
object's own box.  What no point tells stays as computed, with the uncertainty of the computed one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.errors import Diagnostic, InvalidInputError
from r2s.compiler.ir import Floats
from r2s.compiler.readings import BalancePoint

BOX_AXES = ("extent_long", "extent_mid", "extent_short")
_SCAN_AXES = {"extent_x": 0, "extent_y": 1, "extent_z": 2, "height": 2}
_NO_ACCURACY = 1e-3  # m, where the sheet gives none: an edge under a hand-held object
_FORM = 0.02  # of the extent: how far an even filling's centre may lie off, as the slots of the centre have it
_APART = 0.3  # sine of the angle below which two directions tell the same coordinate


@dataclass(frozen=True, eq=False)
class Balanced:
    """
    The centre of mass (3,) m that agrees with the balance points.

    half (3,) m is how far their accuracies let each coordinate move; *free* (3, 3) projects onto what they left untold:
    the identity where there was none, zero where they told all.
    """

    com: Floats
    half: Floats
    free: Floats
    diagnostics: tuple[Diagnostic, ...]


def balance(com: Floats, vertices: Floats, points: tuple[BalancePoint, ...], box: Floats) -> Balanced:
    """
    Return *com* moved to the balance points, by the shortest way that agrees with them all.

    vertices (n, 3) m span the object; *box* (3, 3) rows are its long, mid and short directions.  An axis' max end is
    the one towards which its largest component is positive.  Several points on one axis are averaged.
    Raises InvalidInputError for a point outside the object.
    """
    places: dict[str, list[tuple[float, float]]] = {}
    rows: dict[str, Floats] = {}
    for point in points:
        row = _direction(point.along, box)
        low, high = float((vertices @ row).min()), float((vertices @ row).max())
        if not 0 <= point.value <= high - low:
            raise InvalidInputError(
                "R2S708",
                f"the balance point {point.value * 1e3:.2f} mm from the {point.end} of {point.along} "
                f"lies outside the object, {(high - low) * 1e3:.2f} mm long",
                hint="measure from the end that the sheet names",
            )
        place = low + point.value if point.end == "min" else high - point.value
        rows[point.along] = row
        places.setdefault(point.along, []).append((place, point.accuracy or _NO_ACCURACY))
    if not places:
        return Balanced(np.array(com, dtype=np.float64), np.zeros(3), np.eye(3), ())

    names = sorted(places)
    told = np.stack([rows[name] for name in names])
    middle = np.array([sum(p for p, _ in places[name]) / len(places[name]) for name in names])
    half = np.array([_half_width(places[name]) for name in names])
    # By 1/half, so that of two directions that tell the same coordinate the better one counts more.
    solved = np.linalg.pinv(told / half[:, None], rcond=_rcond(told, half)) / half
    moved = np.asarray(com + solved @ (middle - told @ com))
    free = np.eye(3) - solved @ told
    free[np.abs(free) < 1e-12] = 0.0
    ends = np.stack([(vertices @ row).min() + (vertices @ row).max() for row in told])
    extents = np.ptp(vertices @ told.T, axis=0)
    said = (*_notes(names, places), *_mirrored(names, middle - told @ com, ends - told @ com - middle, half, extents))
    return Balanced(moved, np.abs(solved) @ half, free, said)


def _direction(along: str, box: Floats) -> Floats:
    if along in _SCAN_AXES:
        return np.asarray(np.eye(3)[_SCAN_AXES[along]])
    row = box[BOX_AXES.index(along)]
    return np.asarray(row * np.sign(row[int(np.argmax(np.abs(row)))]))


def _half_width(found: list[tuple[float, float]]) -> float:
    """The worst accuracy, or half of what the points are apart."""
    apart = max(place for place, _ in found) - min(place for place, _ in found)
    return max(*(accuracy for _, accuracy in found), apart / 2)


def _rcond(told: Floats, half: Floats) -> float:
    """Cut off for singular values: directions closer than about 17 degrees must not be told apart by rounding."""
    largest = float(np.linalg.svd(told / half[:, None], compute_uv=False)[0])
    return min(_APART / float(half.max()) / largest, 0.99)


def _mirrored(names: list[str], off: Floats, left: Floats, half: Floats, extents: Floats) -> list[Diagnostic]:
    """
    Warn of balance points that fit the other end of the object and not their own.

    *off* (k,) m is how far each lies from the computed centre, *left* how far its mirror image in the middle of the
    extent would.  An uneven filling moves a centre too, but hardly to just there.
    """
    room = half + _FORM * extents
    said = []
    for name, here, there, allowed in zip(names, off, left, room, strict=True):
        if abs(there) <= allowed and abs(here) > 2 * allowed:
            text = (
                f"the balance point along {name} lies {abs(here) * 1e3:.1f} mm from the computed centre of mass, and "
                f"{abs(there) * 1e3:.1f} mm from it when measured from the other end"
            )
            hint = "it was measured from the other end than the sheet names, or the scan is mirrored or turned"
            said.append(Diagnostic("warning", "R2S719", text, hint))
    return said


def _notes(names: list[str], places: dict[str, list[tuple[float, float]]]) -> list[Diagnostic]:
    notes = []
    for name in names:
        found = sorted(places[name])
        apart = found[-1][0] - found[0][0]
        if apart > found[0][1] + found[-1][1]:
            said = (
                f"the balance points along {name} lie {apart * 1e3:.2f} mm apart, more than their accuracies allow; "
                "their mean is used, with half of that as its accuracy"
            )
            notes.append(Diagnostic("warning", "R2S707", said, "balance it again, from the end that the sheet names"))
    return notes
