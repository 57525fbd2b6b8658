"""
A small face around a spot: the quadric through as much of the surface as it fits, and how well that is known.

A patch grows from a spot until the surface no longer follows one quadric: an edge, a step, the next face.  Of all that
fit, the one whose height is known best is taken, its lack of form included, so noise asks for large patches and curves
for small ones.  A quadric, not a plane, since a plane through a wall of a mug lies inside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sqrt

import numpy as np

from r2s.compiler.ir import Bools, Floats
from r2s.passes.caliper.local import across_of
from r2s.passes.caliper.near import around, size_of, spacing
from r2s.passes.caliper.stage import Samples, Stage, samples_of

_SMALLEST, _LARGEST = 0.012, 0.08  # radii, of the stage's size
_SPACINGS = 4.0  # a radius of four spacings holds a dozen points
_GROWTH = 1.3
_CONE = radians(40)  # normals of one small face; noise turns them
_ENOUGH = 12
_BAND = 0.25  # of the radius: what lies further from the seed's tangent plane is another sheet
_UNEVEN = 0.01  # of the radius: a scatter up to here leaves a face a face, and is charged
_ROUGH = 0.05  # of the radius: the most for the smallest patch, where nothing else is to be had
_NOISY = 1.15  # times sigma
_NARROW = 0.2  # of the radius: a strip tells no curve across it
_APART = 3.0  # standard uncertainties by which a larger patch may differ from a smaller one
_QUARTIC = 90.0  # the quadric through a circle of curvature k over ±r misses its top by k³r⁴/90
_FINE = 2.5  # samples over the smallest radius
_FRAMES, _SQUARE = 3, radians(3)  # a frame that stands squarer on the face than this is not turned again
_ROUNDS = 4
_TRUSTED = 30.0  # degrees of freedom that the stage's own sigma is worth against the scatter of one patch
_TRIES = 4  # radii until the first fit: points may lie thinly just there
_MISSES = 2  # radii in a row that do not fit: one may straddle a seam


@dataclass(frozen=True, eq=False)
class Patch:
    """
    A small face: height over the foot = slope · x + x · bend · x / 2 in *frame* (rows: two across, then the normal).

    foot (3,) on the face, *normal* (3,) there, outward where *signed*; *radius* of the fit.
    u of the foot's height, random; *u_slope* of its tilt; *form*: half-width of what stands off the fit.
    """

    foot: Floats
    normal: Floats
    signed: bool
    radius: float
    u: float
    u_slope: float
    form: float
    frame: Floats
    slope: Floats
    bend: Floats

    def facing(self, direction: Floats) -> tuple[Floats, Floats]:
        """
        Return the place (3,) on the patch whose normal is *direction*, and the normal there.

        Only where a curve that the fit proves has it within the patch; else the foot: a flat face has no such place.
        """
        toward = self.frame @ direction
        goal = -toward[:2] / toward[2] if abs(toward[2]) > cos(_CONE) else self.slope
        bends, axes = np.linalg.eigh(self.bend)
        wanted = axes.T @ (goal - self.slope)
        proven = np.abs(bends) * self.radius > 3 * self.u_slope
        step = np.where(proven, wanted / np.where(proven, bends, 1.0), 0.0)
        step = axes @ np.where(np.abs(step) < self.radius, step, 0.0)
        height = self.slope @ step + step @ self.bend @ step / 2
        gradient = self.slope + self.bend @ step
        place = self.foot + np.array([*step, height]) @ self.frame
        normal = np.array([*-gradient, 1.0]) @ self.frame
        return place, np.asarray(normal / np.linalg.norm(normal))


def smallest(stage: Stage) -> float:
    """Return the radius of the smallest patch that can be fitted on *stage*."""
    whole = samples_of(stage)
    return max(_SMALLEST * size_of(stage), _SPACINGS * spacing(stage), 4 * whole.sigma)


def patch_at(stage: Stage, seed: Floats, normal: Floats, signed: bool) -> Patch | None:
    """
    Return the face through *seed* (3,), a point of the surface, with about that *normal*; None where nothing fits.

    *signed* tells whether the normal points outward, so that the other side of a thin wall is not taken for the face.
    """
    first = smallest(stage)
    found = None
    for _ in range(_FRAMES):
        shown = around(stage, seed, max(_LARGEST * size_of(stage), 2 * first), first / _FINE)
        found = _grown(shown, seed, normal, signed, first)
        if found is None or float(found.normal @ normal) > cos(_SQUARE):
            return found
        seed, normal = found.foot, found.normal
    return found


def _grown(shown: Samples, seed: Floats, normal: Floats, signed: bool, radius: float) -> Patch | None:
    """The best of all radii whose fit agrees with those of the smaller ones."""
    local = _Local.of(shown, seed, normal, signed)
    guess = np.zeros(6)
    fits: list[_Fit] = []
    misses, smallest_radius = 0, radius
    while radius <= (1 + 1e-9) * shown.size / 2 and misses < (_MISSES if fits else _TRIES):
        fit = local.fit(radius, guess, first=not fits)
        if fit is None or any(fit.differs_from(smaller) for smaller in fits):
            misses += 1
        else:
            fits.append(fit)
            guess, misses = fit.terms, 0
        radius *= _GROWTH
    if not fits:  # facets or ripples: a face for a jaw all the same, at the price of its form
        rough = local.fit(smallest_radius, np.zeros(6), first=True, uneven=_ROUGH)
        return None if rough is None else local.patch(rough)
    return local.patch(min(fits, key=lambda fit: fit.total))


@dataclass(frozen=True, eq=False)
class _Fit:
    """Terms (1, x, y, x²/2, xy, y²/2) with their uncertainties, over *radius*."""

    terms: Floats
    u: float
    u_slope: float
    form: float
    radius: float

    @property
    def total(self) -> float:
        return sqrt(self.u**2 + self.form**2 / 3)

    def differs_from(self, smaller: _Fit) -> bool:
        """Whether the height moved by more than the *smaller* fit, whose points are in this one, was unsure of."""
        allowed = sqrt(smaller.u**2 + (smaller.form**2 + self.form**2) / 3)
        return abs(float(self.terms[0] - smaller.terms[0])) > _APART * allowed + 1e-9 * self.radius


@dataclass(frozen=True, eq=False)
class _Local:
    """Samples in the frame of a seed: where across its normal, how high along it."""

    samples: Samples
    seed: Floats
    frame: Floats
    where: Floats
    height: Floats
    facing: Bools
    signed: bool

    @classmethod
    def of(cls, samples: Samples, seed: Floats, normal: Floats, signed: bool) -> _Local:
        frame = np.vstack([across_of(normal), normal])
        local = (samples.points - seed) @ frame.T
        cosine = samples.normals @ normal
        facing = (cosine if signed and samples.oriented else np.abs(cosine)) > cos(_CONE)
        return cls(samples, seed, frame, local[:, :2], local[:, 2], facing, signed)

    def fit(self, radius: float, guess: Floats, first: bool, uneven: float = _UNEVEN) -> _Fit | None:
        """Least squares over the facing samples within *radius* and near the *guess*; None where that is no face."""
        sigma = self.samples.sigma
        near = self.facing & (np.hypot(*self.where.T) < radius)
        band = max(_BAND * radius, 4 * sigma) if first else max(_UNEVEN * radius, 4 * sigma)
        terms, scatter, covariance = guess, 0.0, np.zeros((6, 6))
        for _ in range(_ROUNDS):
            chosen = near & (np.abs(self.height - _rows(self.where) @ terms) < band)
            if int(chosen.sum()) < _ENOUGH:
                return None
            solved = self._solve(chosen, radius)
            if solved is None:
                return None
            terms, scatter, covariance = solved
            band = max(3.5 * scatter, 1e-9 * radius)
        noisy = sigma * (_NOISY + 2 / sqrt(2 * int(chosen.sum())))  # a scatter of few samples is itself unsure
        if scatter > max(noisy, uneven * radius):
            return None
        dof = int(chosen.sum()) - 6
        known = sqrt((dof * scatter**2 + _TRUSTED * sigma**2) / (dof + _TRUSTED)) if sigma > 0 else scatter
        noise = known if scatter <= noisy else sigma
        return _uncertain(terms, noise, sqrt(max(scatter**2 - noise**2, 0.0)), covariance, radius)

    def _solve(self, chosen: Bools, radius: float) -> tuple[Floats, float, Floats] | None:
        """Terms, scatter and the terms' covariance over scatter²; a plane where the samples allow no quadric."""
        where, height, weight = self.where[chosen], self.height[chosen], self.samples.weights[chosen]
        weight = weight / weight.mean()
        spread = np.linalg.svd(where - where.mean(axis=0), compute_uv=False)[1] / sqrt(len(where))
        if spread < 0.05 * radius:
            return None  # a line holds no plane
        used = np.arange(6 if spread > _NARROW * radius else 3)
        rows = _rows(where / radius)[:, used]
        root = np.sqrt(weight)[:, None]
        inverse = np.linalg.pinv((rows * root).T @ (rows * root), rcond=1e-10, hermitian=True)
        solved = inverse @ (rows.T @ (weight * height))
        left = height - rows @ solved
        scatter = sqrt(float(weight @ left**2) / max(len(left) - len(used), 1))
        unit = radius ** -np.array([0.0, 1, 1, 2, 2, 2])[used]
        terms, covariance = np.zeros(6), np.zeros((6, 6))
        terms[used] = solved * unit
        covariance[np.ix_(used, used)] = inverse * np.outer(unit, unit)
        return terms, scatter, covariance * self.samples.patch * float((weight**2).mean())

    def patch(self, fit: _Fit) -> Patch:
        slope, bend = fit.terms[1:3], _bend(fit.terms)
        foot = self.seed + fit.terms[0] * self.frame[2]
        normal = np.array([*-slope, 1.0]) @ self.frame
        return Patch(
            foot,
            np.asarray(normal / np.linalg.norm(normal)),
            self.signed,
            fit.radius,
            fit.u / float(np.linalg.norm([*slope, 1.0])),
            fit.u_slope,
            fit.form,
            self.frame,
            slope,
            bend,
        )


def _uncertain(terms: Floats, noise: float, uneven: float, covariance: Floats, radius: float) -> _Fit:
    curve = float(np.abs(np.linalg.eigvalsh(_bend(terms))).max())
    return _Fit(
        terms,
        noise * sqrt(min(float(covariance[0, 0]), 1.0)),
        noise * sqrt(float(np.linalg.eigvalsh(covariance[1:3, 1:3]).max())),
        sqrt(3) * (uneven + curve**3 * radius**4 / _QUARTIC),
        radius,
    )


def _rows(where: Floats) -> Floats:
    x, y = where.T
    return np.stack([np.ones_like(x), x, y, x * x / 2, x * y, y * y / 2], axis=1)


def _bend(terms: Floats) -> Floats:
    return np.array([[terms[3], terms[4]], [terms[4], terms[5]]])
