"""
Where a flat jaw that comes along a direction rests.

On a flat face it rests on the face, not on the noise above it: the fitted plane.  On anything else it rests on the
highest material: the support of the surface with the noise's part taken away.  A face that is flat but for a bulge
or waves is measured at its plane, and how much higher its material stands is a one-sided share of the uncertainty.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, log, radians, sqrt

import numpy as np

from r2s.compiler.ir import Bools, Floats
from r2s.passes.caliper.local import across_of
from r2s.passes.caliper.peak import EDGE, blur_of, peak
from r2s.passes.caliper.stage import Samples

_CONE = radians(45)  # wide: normals near an edge are mixed, and to choose by them would bias a plane
_FACE_CONE = radians(12)  # a carton's bulge turns its face by that much at the rim
_TILT = radians(1)
_WAVY_TILT = radians(2.5)  # a bulged face's plane is not known better
_KEPT, _KEPT_WELL = 0.9, 0.8  # of the outline, each way
_LAYERS = 1.4  # kurtosis: two sheets have 1, a slope 1.8, noise 3
_PATCHES = 4  # independent patches under a plane
_ENOUGH = 16  # points under a plane: fewer do not tell flat from curved
_COVER = 0.6  # of the outline: what rests on less is a rib, a rim or a curve
_FORM = 0.01  # of the face's size: a scatter up to here leaves a wavy or bulged face a face
_STANDS = 0.03  # of the face's size: what stands higher is another feature
_BOSS = 5  # times the face's scatter: a flat top that stands higher is a boss, a lower one the crest of a wave
_RIM = 6  # of eight sectors: such as the rim of a can
_DEPTH = 0.07  # of the outline is looked at below the top: a carton's bulge needs that
_CELLS = 40  # cells across the outline when areas are compared


@dataclass(frozen=True, eq=False)
class Contact:
    """
    The resting place of one jaw.

    height along the direction at *center*; *u* of it, of which *blur* is where between two points an edge lies; *form*:
    how much further out material may carry the jaw.
    normal (3,) of the fitted plane, or the direction itself; *area* under the plane and *scatter*
    about it, 0 where no plane was fitted.
    """

    height: float
    u: float
    form: float
    how: str
    center: Floats
    normal: Floats
    area: float = 0.0
    scatter: float = 0.0
    blur: float = 0.0

    @property
    def is_face(self) -> bool:
        """Whether the jaw rests on a fitted plane."""
        return self.area > 0

    def height_at(self, point: Floats, direction: Floats) -> float:
        """Return the height along *direction* where *point* is: both tilted planes must be read at one place."""
        if not self.is_face:
            return self.height
        return float(point @ direction + self.normal @ (self.center - point) / (self.normal @ direction))


def touch(samples: Samples, direction: Floats) -> Contact:
    """Return where the jaw that comes against the unit *direction* rests."""
    face = face_of(samples, direction)
    if face is not None:
        return face
    height, u, where, how = peak(samples, direction)
    blur = blur_of(samples) if how == EDGE else 0.0
    return Contact(height, u, 0.0, how, where, direction, blur=blur)


def face_of(samples: Samples, direction: Floats, tilt: float = _TILT) -> Contact | None:
    """Return the contact on the outermost face across *direction*, tilted by up to *tilt* radians, or None."""
    sigma = max(samples.sigma, 1e-7 * samples.size)
    view = _View.along(samples, direction, max(tilt, _WAVY_TILT))
    for kept in (_KEPT_WELL, _KEPT):  # round edges ask for the smaller part, a ring has nothing there
        flat = _flat(view, sigma, tilt, 8 * sigma + 2 * tilt * view.outline, kept)
        if flat is not None:
            return flat
    wavy = _wavy(view, max(tilt, _WAVY_TILT))
    top = _flat(
        view, sigma, tilt, 8 * sigma, _KEPT
    )  # the flat top of a boss is narrower than the face that it stands on
    if top is None or (wavy is not None and top.height - wavy.height < _BOSS * wavy.scatter):
        return wavy
    return top


@dataclass(frozen=True, eq=False)
class _View:
    """The upper samples that face the jaw: height along the direction, and where across it."""

    samples: Samples
    direction: Floats
    axes: Floats
    height: Floats
    across: Floats
    weights: Floats
    cosine: Floats
    top: float
    outline: float

    @classmethod
    def along(cls, samples: Samples, direction: Floats, tilt: float) -> _View:
        axes = across_of(direction)
        top, outline = float((samples.corners @ direction).max()), float(np.ptp(samples.corners @ axes.T, axis=0).max())
        height = samples.points @ direction
        shown = np.flatnonzero(height > top - max(_DEPTH, 2 * tilt) * outline - 8 * samples.sigma)
        cosine = samples.normals[shown] @ direction
        cosine = cosine if samples.oriented else np.abs(cosine)
        shown, cosine = shown[cosine > cos(_CONE)], cosine[cosine > cos(_CONE)]
        across = samples.points[shown] @ axes.T
        return cls(samples, direction, axes, height[shown], across, samples.weights[shown], cosine, top, outline)

    def fit(self, chosen: Bools, kept: float = _KEPT) -> _Plane | None:
        """Least-squares plane through the chosen samples in the inner *kept* of their outline: edges are rounded."""
        index = np.flatnonzero(chosen)
        if len(index) < _ENOUGH:
            return None
        index = index[_inner(self.across[index], kept)]
        if len(index) < _ENOUGH:
            return None
        where, height, weight = self.across[index], self.height[index], self.weights[index]
        middle = np.average(where, axis=0, weights=weight)
        spread = np.sqrt(np.average((where - middle) ** 2, axis=0, weights=weight))
        if spread.min() < 1.2 * self.samples.spacing * (self.samples.patch == 1) or spread.min() <= 0:
            return None  # narrower than four spacings: a plane there is a guess
        terms = np.column_stack([np.ones(len(index)), where - middle])
        root = np.sqrt(weight)
        level, *slope = np.linalg.lstsq(terms * root[:, None], height * root, rcond=None)[0]
        left = height - terms @ np.array([level, *slope])
        square = float(np.average(left**2, weights=weight))
        scatter = sqrt(square * len(index) / (len(index) - 3))
        layered = float(np.average(left**4, weights=weight)) < _LAYERS * square**2
        effective = max(float(weight.sum()) ** 2 / float((weight**2).sum()) / self.samples.patch, 1.0)
        return _Plane(float(level), np.array(slope), middle, spread, scatter, effective, float(weight.sum()), layered)

    def above(self, plane: _Plane) -> Floats:
        """Heights of the shown samples above the plane."""
        return np.asarray(self.height - plane.level - (self.across - plane.middle) @ plane.slope)

    def stands(self, plane: _Plane) -> float:
        """How far material stands above the plane, less what noise alone would show."""
        corners = self.samples.corners
        near = corners[corners @ self.direction > self.top - 0.2 * self.outline - 8 * self.samples.sigma]
        left = near @ self.direction - plane.level - (near @ self.axes.T - plane.middle) @ plane.slope
        noise = self.samples.sigma * sqrt(2 * log(max(len(near), 2)))
        return max(float(left.max()) - noise, 0.0)

    def cover(self, chosen: Bools) -> float:
        """Share of the outline's area under the chosen samples."""
        cell = max(self.outline / _CELLS, 3 * sqrt(float(np.median(self.samples.weights))))
        return _cells(self.across[chosen], cell) / _cells(self.samples.points @ self.axes.T, cell)

    def is_rim(self, plane: _Plane, stands: float) -> bool:
        """Whether what stands above the plane goes round it, so that a jaw rests on it; a lone flap does not."""
        above = self.above(plane) > max(3 * plane.scatter, 0.5 * stands)
        away = self.across[above] - plane.middle
        turn = np.arctan2(away[:, 1], away[:, 0]) / (2 * np.pi) + 0.5
        return len(np.unique(np.floor(8 * turn))) >= _RIM

    def contact(self, plane: _Plane, form: float, how: str) -> Contact:
        """The jaw on the plane; a tilt that the fit proves adds half of its rise to *form*."""
        u = plane.scatter / sqrt(plane.effective)
        proven = np.maximum(plane.slope**2 - (2 * u / plane.spread) ** 2, 0.0)
        rise = sqrt(float(3 * (proven * plane.spread**2).sum()))  # half the span: √3 times the standard deviation
        normal = self.direction - plane.slope @ self.axes
        center = self.direction * plane.level + plane.middle @ self.axes
        unit = normal / np.linalg.norm(normal)
        return Contact(plane.level, u, max(form, rise), how, center, unit, plane.area, plane.scatter)


@dataclass(frozen=True, eq=False)
class _Plane:
    """
    height = level + slope · (across − middle).

    *effective* counts independent points; *layered*: the points lie in two sheets, and the plane between them.
    """

    level: float
    slope: Floats
    middle: Floats
    spread: Floats
    scatter: float
    effective: float
    area: float
    layered: bool

    @property
    def tilt(self) -> float:
        return float(np.linalg.norm(self.slope))


def _flat(view: _View, sigma: float, tilt: float, band: float, kept: float) -> Contact | None:
    """A face within *band* of the top whose points lie within 3 sigma of a plane, and nothing above it."""
    shown = view.height > view.top - band
    window, plane = band, view.fit(shown, kept)
    while plane is not None and window > 4 * sigma:
        window = max(0.5 * window, 4 * sigma)
        plane = view.fit(shown & (np.abs(view.above(plane)) < window), kept)
    if plane is None or (view.samples.sigma > 0 and plane.effective < _PATCHES):
        return None  # a mesh's error is smooth: as far as its vertices tell, a wave's crest is flat
    if plane.scatter > 1.3 * sigma or plane.tilt > tilt or view.stands(plane) > 3 * sigma:
        return None
    return view.contact(plane, 0.0, "fitted face")


def _wavy(view: _View, tilt: float) -> Contact | None:
    """A face that fills the outline and is flat but for waves, a bulge or a flap."""
    sigma = view.samples.sigma
    shown = (view.height > view.top - _DEPTH * view.outline - 4 * sigma) & (view.cosine > cos(_FACE_CONE + tilt))
    plane = view.fit(shown)
    for _ in range(3):
        if plane is None:
            return None
        shown &= np.abs(view.above(plane)) < 3 * plane.scatter
        plane = view.fit(shown)
    if plane is None or plane.layered or plane.tilt > tilt or view.cover(shown) < _COVER:
        return None
    size, stands = sqrt(plane.area), _highest_above(view, plane)
    if plane.scatter > max(_FORM * size, 1.5 * sigma) or stands > _STANDS * size or view.is_rim(plane, stands):
        return None
    return view.contact(plane, stands, "fitted face, not flat")


def _highest_above(view: _View, plane: _Plane) -> float:
    height, _, where, _ = peak(view.samples, view.direction)
    return max(height - plane.level - float((view.axes @ where - plane.middle) @ plane.slope), 0.0)


def _cells(where: Floats, cell: float) -> int:
    return len(np.unique(np.floor(where / cell).astype(np.int64) @ np.array([1, 1_000_003])))


def _inner(where: Floats, kept: float) -> Bools:
    """Points in the inner part *kept* of their own outline, in eight directions."""
    turn = np.arange(8) * np.pi / 8
    along = (where - np.median(where, axis=0)) @ np.stack([np.cos(turn), np.sin(turn)])
    return np.asarray(((along < kept * along.max(axis=0)) & (along > kept * along.min(axis=0))).all(axis=1))
