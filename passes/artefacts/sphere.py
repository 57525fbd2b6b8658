"""The scan of a sphere: its diameter, the noise and form of its surface, and whether it came out round."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt

import numpy as np

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.ir import Bools, Floats, Ints
from r2s.passes.artefacts.patches import Patches, PatchFit, fitted, in_patches
from r2s.passes.artefacts.planes import faces

SEED = 20_261_201
PATCHES = 20
_TRIALS = 400
_SAMPLE = 4_000
_WIDE = 4.0  # standard deviations: beyond it is a flying pixel, the stand or the table
_ON = 0.5  # share of the points that must lie on the sphere ...
_ON_CLOSELY = 0.2  # ... and where they scatter by no more than their noise: the rest is a stand, or a table's rim
_OUT_OF_ROUND = 0.03  # of the radius: form of a thing that is no sphere; a cube's is 0.09
_SEEN = 0.3  # of the sphere; a smaller cap does not tell the radius from the centre
_FEWEST = 200
_PLANE = 0.25  # share of the points that no plane through a sphere holds, noise in its width
_TABLES = 2
_HUGE = 0.45  # radius over the diagonal of the box: a third of a sphere, the least that counts, has 0.38


@dataclass(frozen=True, eq=False)
class Ball:
    """
    A fitted sphere, lengths in the unit of the points.

    *fit* is of [radius, centre], *oval* of these and E_x - E_z, E_y - E_z: relative lengths along the scan's axes; None
    where too little is seen for it.  *used* tells which points lie on the sphere.
    """

    radius: float
    patches: Patches
    fit: PatchFit
    oval: PatchFit | None
    used: Bools


def fit_sphere(points: Floats, noise: float) -> Ball:
    """
    Return the sphere through most of *points* (n, 3); *noise* is their scatter as found by local fits, 0 if unknown.

    Raises InvalidInputError: R2S340 where most points lie on no sphere, R2S341 where too little of it was seen.
    """
    if len(points) < _FEWEST:
        what = f"{len(points)} points are too few to check a scanner with, {_FEWEST} are needed"
        raise InvalidInputError("R2S341", what, hint="scan the sphere from all sides")
    round_ = _without_planes(points, noise)
    centre, radius, band = _start(points[round_], noise)
    used = round_ & (np.abs(np.linalg.norm(points - centre, axis=1) - radius) < 2 * band)
    for _ in range(30):
        if used.sum() < _FEWEST:
            break
        centre, radius = _least_squares(points[used], centre, radius)
        left = np.linalg.norm(points - centre, axis=1) - radius
        scatter = max(1.4826 * float(np.median(np.abs(left[used]))), 1e-9 * radius)
        now = round_ & (np.abs(left) < _WIDE * scatter)
        if np.array_equal(now, used):
            break
        used = now
    _refuse_no_sphere(points[round_], centre, radius, used[round_], noise)
    label = _labels(points[used], centre)
    patches, fit = _round(points[used], centre, radius, label)
    for _ in range(2):
        radius, centre = radius + float(fit.values[0]), centre + fit.values[1:4]
        patches, fit = _round(points[used], centre, radius, label)
    oval = fitted(_patches(points[used], centre, radius, label, oval=True))
    return Ball(radius, patches, fit, oval, used)


def _round(points: Floats, centre: Floats, radius: float, label: Ints) -> tuple[Patches, PatchFit]:
    """Return the patches about a sphere and what is left for its radius and centre."""
    patches = _patches(points, centre, radius, label, oval=False)
    fit = fitted(patches)
    if fit is None or patches.seen < _SEEN:
        what = f"{patches.seen:.0%} of the sphere was seen: the radius cannot be told from the centre"
        raise InvalidInputError("R2S341", what, hint="scan it from all sides; a third of it is the least")
    return patches, fit


def _patches(points: Floats, centre: Floats, radius: float, label: Ints, *, oval: bool) -> Patches:
    away = points - centre
    length = np.linalg.norm(away, axis=1)
    n = away / length[:, None]
    rows = [np.ones(len(n)), *n.T]
    if oval:  # residual R Σ E_k n_k² with Σ E_k = 0, in E_x - E_z and E_y - E_z
        x, y, z = n.T**2
        rows += [radius * (2 * x - y - z) / 3, radius * (2 * y - x - z) / 3]
    return in_patches(label, PATCHES, length - radius, np.column_stack(rows), n)


def _labels(points: Floats, centre: Floats) -> Ints:
    """Return for each point the nearest of evenly spread directions (a Fibonacci lattice)."""
    k = np.arange(PATCHES) + 0.5
    z, turn = 1 - 2 * k / PATCHES, pi * (1 + sqrt(5)) * k
    spread = np.column_stack([np.sqrt(1 - z * z) * np.cos(turn), np.sqrt(1 - z * z) * np.sin(turn), z])
    return np.asarray(np.argmax((points - centre) @ spread.T, axis=1), dtype=np.int64)


def _without_planes(points: Floats, noise: float) -> Bools:
    """Return which points lie on no large plane: a table whose rim was scanned too is none that ingest would cut."""
    left = np.ones(len(points), dtype=np.bool_)
    for face in faces(points, noise, _TABLES):
        if len(face.on) > _PLANE * len(points):
            left[face.on] = False
    return left if left.sum() >= _FEWEST else np.ones(len(points), dtype=np.bool_)


def _start(points: Floats, noise: float) -> tuple[Floats, float, float]:
    """Return centre and radius of the sphere through four points that most others lie near (RANSAC), and how near."""
    rng = np.random.default_rng(SEED)
    sample = points if len(points) <= _SAMPLE else points[rng.choice(len(points), _SAMPLE, replace=False)]
    size = float(np.linalg.norm(np.ptp(points, axis=0)))
    band = max(3 * noise, 1e-3 * size)
    best: tuple[float, Floats, float] = (-1.0, points.mean(axis=0), size / 2)
    for _ in range(_TRIALS):
        four = sample[rng.choice(len(sample), 4, replace=False)]
        edges = four[1:] - four[0]
        if abs(np.linalg.det(edges)) < 1e-6 * size**3:
            continue
        centre = np.linalg.solve(2 * edges, (edges**2).sum(axis=1)) + four[0]
        radius = float(np.linalg.norm(four[0] - centre))
        if radius > _HUGE * size:  # a plane fits a huge sphere well
            continue
        left = np.abs(np.linalg.norm(sample - centre, axis=1) - radius)
        score = float(np.maximum(1 - left / band, 0).sum())
        if score > best[0]:
            best = (score, centre, radius)
    return best[1], best[2], band


def _least_squares(points: Floats, centre: Floats, radius: float) -> tuple[Floats, float]:
    """Return the geometric least-squares sphere, from a start that is near (Gauss-Newton)."""
    for _ in range(6):
        away = points - centre
        length = np.linalg.norm(away, axis=1)
        rows = np.column_stack([away / length[:, None], np.ones(len(away))])
        step = np.linalg.lstsq(rows, length - radius, rcond=None)[0]
        centre, radius = centre + step[:3], radius + float(step[3])
    return centre, radius


def _refuse_no_sphere(points: Floats, centre: Floats, radius: float, used: Bools, noise: float) -> None:
    left = np.linalg.norm(points - centre, axis=1) - radius
    scatter = float(np.std(left[used])) if used.any() else radius
    share = float(used.mean())
    if scatter > max(_OUT_OF_ROUND * radius, 2 * noise) or share < (_ON_CLOSELY if scatter < 2 * noise else _ON):
        what = (
            f"this is no sphere: {share:.0%} of the points lie on the best one, and scatter by {scatter / radius:.1%}"
        )
        raise InvalidInputError("R2S340", f"{what} of its radius", hint="name what was scanned, or crop the scan to it")
