"""The scan of a plate or of a block of gauge size: flatness, and the lengths between opposite faces."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from math import hypot, log, sqrt

import numpy as np

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.ir import Floats
from r2s.passes.artefacts.patches import Patches, PatchFit, fitted, in_patches
from r2s.passes.artefacts.planes import Face, faces, plane

_GRID = 4  # patches along each side of a plate
_ACROSS = 3  # and of a face of a block
_EDGE = 0.1  # of a side is left out at each edge: it is rounded, and scanners bleed there
_ON = 0.5  # share of the points that must lie on the faces
_PARALLEL = 0.9986  # cosine of 3 degrees
_SQUARE = 0.05  # largest cosine between faces that are not opposite
_ALIKE = 0.08  # ln: how far the ratios of the sides may lie apart
_ALONG = 0.966  # cosine of 15 degrees: a length this near to an axis of the scan is one along it
_BENT = 0.02  # of its size: form of a thing that is no plate


@dataclass(frozen=True, eq=False)
class Flat:
    """A face in patches about its own plane, in the unit of the points."""

    patches: Patches
    fit: PatchFit


@dataclass(frozen=True)
class Side:
    """
    The distance between two opposite faces, in the unit of the points, with its standard uncertainty and dof.

    *axis* is the axis of the scan that it lies along, empty where it lies along none.  *which* is the place of the
    nominal side in the order that it was given in.
    """

    value: float
    u: float
    dof: float
    axis: str
    which: int


def fit_plate(points: Floats, noise: float) -> tuple[Flat, int]:
    """
    Return the plate that most of *points* (n, 3) lie on, and their number.

    Raises InvalidInputError: R2S340 where most do not lie on one plane, R2S341 for too few points.
    """
    found = faces(points, noise, 1)
    if not found or len(found[0].on) < _ON * len(points):
        share = len(found[0].on) / len(points) if found else 0.0
        what = f"this is no plate: {share:.0%} of the points lie on the best plane"
        raise InvalidInputError("R2S340", what, hint="name what was scanned, or crop the scan to it")
    flat = _flat(points[found[0].on], None, _GRID)
    size = float(np.linalg.norm(np.ptp(points[found[0].on], axis=0)))
    if flat.fit.form > max(_BENT * size, 2 * noise):
        what = f"this is no plate: it is bent by {flat.fit.form / size:.1%} of its size"
        raise InvalidInputError("R2S340", what, hint="name what was scanned, or crop the scan to it")
    return flat, len(found[0].on)


def fit_block(points: Floats, noise: float, sizes: tuple[float, ...]) -> tuple[tuple[Side, ...], tuple[Flat, ...], int]:
    """
    Return the sides of a block of nominal *sizes* (3, in any unit), its faces and how many points lie on them.

    Raises InvalidInputError: R2S340 where the faces are no block's or are not in the proportion of *sizes*, R2S341
    where fewer than two pairs of opposite faces were seen.
    """
    found = faces(points, noise, 6)
    on = sum(len(face.on) for face in found)
    pairs = _pairs(found)
    if on < _ON * len(points) or not _square(pairs):
        what = f"this is no block: {on / len(points):.0%} of the points lie on {len(found)} planes"
        raise InvalidInputError("R2S340", what, hint="name what was scanned, or crop the scan to it")
    if len(pairs) < 2:
        what = f"{len(pairs)} of the block's 3 pairs of opposite faces were seen, 2 are needed"
        raise InvalidInputError("R2S341", what, hint="hold it so that both faces show, and scan all round")
    across = [_normal(points, pair) for pair in pairs]
    flats, middles = [], []
    for i, pair in enumerate(pairs):
        others = np.array([n for k, n in enumerate(across) if k != i] + [np.cross(across[0], across[1])])[:2]
        for face in pair:
            inner = _inner(points[face.on], others)
            flats.append(_flat(inner, others, _ACROSS))
            middles.append(float((inner @ across[i]).mean()))
    values = [abs(middles[2 * i] - middles[2 * i + 1]) for i in range(len(pairs))]
    which = _matched(values, sizes)
    form = sqrt(sum(f.fit.form**2 for f in flats) / len(flats))
    dof = sum(f.fit.form_dof for f in flats)
    sides = []
    for i, (value, n) in enumerate(zip(values, across, strict=True)):
        cov = sum(float(f.fit.covariance[0, 0]) for f in flats[2 * i : 2 * i + 2])
        k = int(np.argmax(np.abs(n)))
        axis = "xyz"[k] if abs(n[k]) > _ALONG else ""
        # a face as a whole is misplaced as much as its parts are against one another
        sides.append(Side(value, hypot(sqrt(cov), sqrt(2) * form), dof, axis, which[i]))
    return tuple(sides), tuple(flats), on


def _flat(points: Floats, across: Floats | None, cells: int) -> Flat:
    """Return *points* in a grid of *cells* a side along *across* (2, 3), or along their own widest directions."""
    normal, height, _ = plane(points)
    middle = points.mean(axis=0)
    if across is None:
        across = np.linalg.svd(points - middle, full_matrices=False)[2][:2]
    place = (points - middle) @ across.T
    low, high = np.quantile(place, 0.005, axis=0), np.quantile(place, 0.995, axis=0)
    cell = np.clip(np.floor((place - low) / np.maximum(high - low, 1e-300) * cells), 0, cells - 1).astype(np.int64)
    scaled = place / np.maximum((high - low) / 2, 1e-300)
    rows = np.column_stack([np.ones(len(points)), scaled])
    patches = in_patches(cell[:, 0] * cells + cell[:, 1], cells**2, points @ normal - height, rows, scaled)
    fit = fitted(patches)
    if fit is None:
        what = f"{len(patches.means)} of {cells**2} parts of a face were seen: too few to tell its form"
        raise InvalidInputError("R2S341", what, hint="scan it nearer, or from more sides")
    return Flat(patches, fit)


def _pairs(found: list[Face]) -> list[tuple[Face, Face]]:
    """Return the faces that lie opposite, each once, widest apart first where several could."""
    free, pairs = list(found), []
    while free:
        face = free.pop(0)
        opposite = [f for f in free if abs(float(f.normal @ face.normal)) > _PARALLEL]
        if opposite:
            other = max(opposite, key=lambda f: len(f.on))
            free = [f for f in free if f is not other]
            pairs.append((face, other))
    return pairs


def _square(pairs: list[tuple[Face, Face]]) -> bool:
    normals = [one.normal for one, _ in pairs]
    return len(pairs) <= 3 and all(abs(float(a @ b)) < _SQUARE for i, a in enumerate(normals) for b in normals[i + 1 :])


def _normal(points: Floats, pair: tuple[Face, Face]) -> Floats:
    """Return the common normal of two opposite faces: both about their own middle, as one plane."""
    both = np.concatenate([points[face.on] - points[face.on].mean(axis=0) for face in pair])
    return plane(both)[0]


def _inner(points: Floats, across: Floats) -> Floats:
    place = points @ across.T
    low, high = np.quantile(place, 0.005, axis=0), np.quantile(place, 0.995, axis=0)
    edge = _EDGE * (high - low)
    return points[((place > low + edge) & (place < high - edge)).all(axis=1)]


def _matched(values: list[float], sizes: tuple[float, ...]) -> tuple[int, ...]:
    """Return which of *sizes* each of *values* is, by the assignment whose ratios agree best."""

    def spread(which: tuple[int, ...]) -> float:
        logs = [log(value / sizes[k]) for value, k in zip(values, which, strict=True)]
        return max(logs) - min(logs)

    best = min(permutations(range(len(sizes)), len(values)), key=spread)
    if spread(best) > _ALIKE:
        seen = " : ".join(f"{value / min(values):.3f}" for value in sorted(values))
        named = " : ".join(f"{size / min(sizes):.3f}" for size in sorted(sizes))
        what = f"the block's sides are as {seen}, and those named as {named}"
        raise InvalidInputError("R2S340", what, hint="name the block's own sizes, as in --block 25.4x50.8x76.2mm")
    return best
