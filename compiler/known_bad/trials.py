"""
Which damages are tried, in which sizes, and what the person who made the sheet would have done about each.

A scanner's damage (scale, offset, noise, a floater, a missing underside) is there before anyone picks a point, so picks
lie where their features lie in the damaged scan; the same holds for a unit, whose numbers one picks in.  An export that
flips or exchanges axes comes after the picking: sheet and picks stay as they were made.  ``mirror_all`` is the other
case, a sheet made on the mirrored scan, with which nothing can disagree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from r2s.compiler.corruption import Corruption, Matrix
from r2s.compiler.readings import BalancePoint, Feature, Point, Reading, Sheet

SCALES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
ONE_AXIS = (0.005, 0.01, 0.02)
OFFSETS = (0.1e-3, 0.25e-3, 0.5e-3, 1e-3)
BOTTOMS = (0.0, 0.05, 0.2)
FLOATERS = (0.001, 0.01, 0.03)
MASSES = (2.0, 1 / 2.20462, 28.3495, 1000.0)
NOISE = 3.0
UNITS = (25.4, 1000.0)
_PAIRS = 6  # of readings, evenly from those that differ least to those that differ most
_LEAKS = (0.0, 1e-3)

KINDS: dict[str, str] = {
    "scale": "scale",
    "axis_scale": "scale of one axis",
    "offset": "surface offset, outward",
    "mirror": "mirrored, sheet from before",
    "mirror_all": "mirrored, sheet made on it",
    "swap": "two axes exchanged",
    "unit": "other unit",
    "bottom": "missing underside",
    "floater": "stray cluster",
    "noise": "noise",
    "piece": "collision piece dropped",
    "swapped_readings": "two readings exchanged",
    "leak": "check leaked to calibrate",
    "mass": "mass in another unit",
}
Follows = Literal["places", "all", "nothing"]


@dataclass(frozen=True)
class Trial:
    """
    One damage: to the scan, the sheet or the emitted asset.

    *of* names a variant of the *kind* (an axis, two readings), *size* is what a blind spot is compared with, *told* how
    the table shows it.  *follows* says what of the sheet moves with a damaged scan.  *harmless* says why it changes
    nothing, *impossible* why it cannot be done; empty where neither holds.
    """

    kind: str
    size: float
    told: str
    of: str = ""
    scan: Corruption | None = None
    follows: Follows = "nothing"
    edit: Callable[[Sheet], Sheet] | None = None
    piece: int | None = None
    harmless: str = ""
    impossible: str = ""

    @property
    def title(self) -> str:
        """The kind and variant in words."""
        return f"{KINDS[self.kind]}{f' {self.of}' if self.of else ''}"


@dataclass(frozen=True)
class Known:
    """What the uncorrupted build told that sizes depend on; *noise* in m, *factor* m for one of the file's numbers."""

    sheet: Sheet
    factor: float
    noise: float
    up: str
    pieces: int


def trials(known: Known, only: tuple[str, ...] = ()) -> tuple[Trial, ...]:
    """Return the trials of the kinds *only*, by default of all."""
    chosen = [kind for kind in KINDS if not only or kind in only]
    return tuple(trial for kind in chosen for trial in _OF_KIND[kind](known))


def moved_picks(sheet: Sheet, matrix: Matrix, *, ends: bool) -> Sheet:
    """
    Return *sheet* with its picks moved by *matrix* (4x4, the file's numbers), as if made on the moved scan.

    With *ends*, balance points along an axis that *matrix* reverses are told from the other end.
    """
    readings = tuple(replace(r, feature=_moved(r.feature, matrix)) for r in sheet.readings)
    com = tuple(_other_end(point, matrix) for point in sheet.com) if ends else sheet.com
    return replace(sheet, readings=readings, com=com)


def _moved(feature: Feature, matrix: Matrix) -> Feature:
    def at(point: Point | None) -> Point | None:
        if point is None:
            return None
        x, y, z = (sum(row[i] * point[i] for i in range(3)) + row[3] for row in matrix[:3])
        return x, y, z

    return replace(feature, start=at(feature.start), end=at(feature.end), pick=at(feature.pick))


def _other_end(point: BalancePoint, matrix: Matrix) -> BalancePoint:
    axis = "xyz".find(point.along[-1]) if point.along in ("extent_x", "extent_y", "extent_z") else -1
    if axis < 0 or matrix[axis][axis] > 0:
        return point
    return replace(point, end="min" if point.end == "max" else "max")


def _scales(_: Known) -> Iterator[Trial]:
    for share in SCALES:
        yield Trial("scale", share, f"{100 * share:g} %", scan=Corruption("scale", 1 + share), follows="places")


def _axis_scales(_: Known) -> Iterator[Trial]:
    for axis in "xyz":
        for share in ONE_AXIS:
            damage = Corruption("axis_scale", 1 + share, axis)
            yield Trial("axis_scale", share, f"{100 * share:g} %", axis, scan=damage, follows="places")


def _offsets(known: Known) -> Iterator[Trial]:
    for length in OFFSETS:
        damage = Corruption("offset", length / known.factor)
        yield Trial("offset", length, f"{length * 1e3:g} mm", scan=damage)


def _mirrors(_: Known) -> Iterator[Trial]:
    for axis in "xyz":
        yield Trial("mirror", 1.0, axis, axis, scan=Corruption("mirror", axis=axis))


def _mirrored_all(_: Known) -> Iterator[Trial]:
    yield Trial("mirror_all", 1.0, "x", "x", scan=Corruption("mirror", axis="x"), follows="all")


def _swaps(_: Known) -> Iterator[Trial]:
    for about, exchanged in (("z", "x with y"), ("y", "x with z"), ("x", "y with z")):
        yield Trial("swap", 1.0, exchanged, exchanged, scan=Corruption("swap", axis=about))


def _units(_: Known) -> Iterator[Trial]:
    for factor in UNITS:
        yield Trial("unit", factor, f"x{factor:g}", scan=Corruption("unit", factor), follows="places")


def _bottoms(known: Known) -> Iterator[Trial]:
    for share in BOTTOMS:
        told = f"{100 * share:g} % of height" if share else "underside only"
        yield Trial("bottom", share, told, scan=Corruption("bottom", share, up=known.up))


def _floaters(_: Known) -> Iterator[Trial]:
    for share in FLOATERS:
        yield Trial("floater", share, f"{100 * share:g} %", scan=Corruption("floater", share))


def _noises(known: Known) -> Iterator[Trial]:
    added = math.sqrt(NOISE**2 - 1) * known.noise / known.factor
    yield Trial("noise", NOISE, f"x{NOISE:g}", scan=Corruption("noise", added))


def _pieces(known: Known) -> Iterator[Trial]:
    if known.pieces < 2:
        yield Trial("piece", 1.0, "-", impossible="the asset is one piece")
        return
    for index in dict.fromkeys((0, known.pieces - 1)):
        yield Trial("piece", 1.0, f"{index + 1} of {known.pieces}", piece=index)


def _swapped(known: Known) -> Iterator[Trial]:
    pairs = sorted(combinations(known.sheet.readings, 2), key=lambda p: abs(p[0].value - p[1].value))
    if not pairs:
        yield Trial("swapped_readings", 0.0, "-", impossible="the sheet has fewer than two readings")
        return
    some = sorted({round(i * (len(pairs) - 1) / (_PAIRS - 1)) for i in range(_PAIRS)})
    for first, second in (pairs[i] for i in some):
        size = abs(first.value - second.value)
        within = size <= 2 * math.hypot(first.u, second.u)
        why = "the two values agree within their U95" if within else ""
        told = f"{size * 1e3:.2g} mm apart"
        both, edit = f"{first.id}, {second.id}", _exchange(first, second)
        yield Trial("swapped_readings", size, told, both, edit=edit, harmless=why)


def _exchange(first: Reading, second: Reading) -> Callable[[Sheet], Sheet]:
    values = {first.id: second.values, second.id: first.values}

    def edit(sheet: Sheet) -> Sheet:
        return replace(sheet, readings=tuple(replace(r, values=values.get(r.id, r.values)) for r in sheet.readings))

    return edit


def _leaks(known: Known) -> Iterator[Trial]:
    checks = known.sheet.of_role("check")
    if not checks:
        yield Trial("leak", 0.0, "-", impossible="no reading has the role check")
    for length in _LEAKS if checks else ():
        picked = next((r for r in checks if r.feature.start is not None or r.feature.pick is not None), None)
        leaked = checks[0] if length == 0 else picked
        if leaked is None:
            yield Trial("leak", length, "other picks", impossible="no check reading has picks")
            continue
        told = f"picks {length * 1e3:g} mm aside" if length else "the same feature"
        yield Trial("leak", length, told, edit=_leak(leaked, length / known.factor))


def _leak(check: Reading, aside: float) -> Callable[[Sheet], Sheet]:
    """Measure the check's feature again as calibrate, with picks *aside* along an axis across their line."""
    start, end = check.feature.start, check.feature.end
    line = [0.0, 0.0, 1.0]
    if start is not None and end is not None:
        line = [b - a for a, b in zip(start, end, strict=True)]
    across = min(range(3), key=lambda i: abs(line[i]))
    shift = tuple(tuple(1.0 if i == j else aside if (i, j) == (across, 3) else 0.0 for j in range(4)) for i in range(4))
    copied = replace(check, id=f"{check.id[:40]}_again", role="calibrate", feature=_moved(check.feature, shift))

    def edit(sheet: Sheet) -> Sheet:
        return replace(sheet, readings=(*sheet.readings, copied))

    return edit


def _masses(known: Known) -> Iterator[Trial]:
    mass = known.sheet.mass
    if mass is None:
        yield Trial("mass", 1.0, "-", impossible="the sheet has no mass")
        return
    for factor in MASSES:
        told = f"x{factor:.3g}" if factor >= 1 else f"/{1 / factor:.3g}"
        yield Trial("mass", factor, told, edit=_reweighed(factor))


def _reweighed(factor: float) -> Callable[[Sheet], Sheet]:
    def edit(sheet: Sheet) -> Sheet:
        mass = sheet.mass
        assert mass is not None
        heavier = replace(mass, value=mass.value * factor, accuracy=mass.accuracy * factor, shared=mass.shared * factor)
        return replace(sheet, mass=heavier)

    return edit


_OF_KIND: dict[str, Callable[[Known], Iterator[Trial]]] = {
    "scale": _scales,
    "axis_scale": _axis_scales,
    "offset": _offsets,
    "mirror": _mirrors,
    "mirror_all": _mirrored_all,
    "swap": _swaps,
    "unit": _units,
    "bottom": _bottoms,
    "floater": _floaters,
    "noise": _noises,
    "piece": _pieces,
    "swapped_readings": _swapped,
    "leak": _leaks,
    "mass": _masses,
}
