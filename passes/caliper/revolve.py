"""
The axis of revolution, from normals.

Every normal of a surface of revolution meets the axis.  With the axis through c along a, a normal n at p meets it where
n · (a × (p − c)) = 0, which is linear in a and b = c × a; reweighting leaves handles and noise aside.
(Pottmann and Randrup, Computing 60, 307 (1998), for the linear complex.)
"""

from __future__ import annotations

import numpy as np

from r2s.compiler.ir import Bools, Floats
from r2s.passes.caliper.local import across_of
from r2s.passes.caliper.stage import Samples

_OFF = 0.15  # sine of the angle by which a normal may miss the axis: half a facet of a 20-sided prism
_SHARE = 0.5  # of the side's area: an octagon has 0.38, a square 0.19, a mug with its handle 0.8
_SIDE = 0.9  # normals closer to the axis than this cosine belong to end faces and say nothing
_LEAST = 0.12  # of all area must be side: a thin plate's rim does not settle an axis
_USED = 3000
_AROUND = 0.6  # of 36 sectors around the axis must show a side: a banana is a piece of a ring


def revolution_of(samples: Samples, box: Floats) -> tuple[Floats | None, Floats | None]:
    """Return the unit axis of revolution and a point on it, or (None, None) where normals meet no common axis."""
    step = max(1, len(samples.points) // _USED)
    points, normals, weights = samples.points[::step], samples.normals[::step], samples.weights[::step]
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    local = (points - middle) / samples.size
    starts = [_complex(local, normals, weights)[0], *box, np.array([0.0, 0.0, 1.0])]
    fits = [_refined(local, normals, weights, start) for start in starts]
    shares = [_share(local, normals, weights, axis, center) for axis, center in fits]
    best = int(np.argmax(np.round(shares, 2)))
    if shares[best] < _SHARE:
        return None, None
    if min(shares) > shares[best] - 0.15:
        return np.array([0.0, 0.0, 1.0]), fits[best][1] * samples.size + middle  # a ball: upright
    axis, center = fits[best]
    axis = axis * np.sign(axis[int(np.argmax(np.abs(axis)))])
    return axis, center * samples.size + middle


def axis_center(samples: Samples, axis: Floats) -> Floats:
    """Return the point on the axis of the known direction *axis* that most normals meet."""
    step = max(1, len(samples.points) // _USED)
    points, normals, weights = samples.points[::step], samples.normals[::step], samples.weights[::step]
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    local = (points - middle) / samples.size
    center = np.zeros(3)
    for _ in range(12):
        trust = weights * _trust(_miss(local, normals, axis, center))
        center = _center(local, normals, trust, axis)
    return np.asarray(center * samples.size + middle)


def _refined(points: Floats, normals: Floats, weights: Floats, axis: Floats) -> tuple[Floats, Floats]:
    center = _center(points, normals, weights, axis)
    for _ in range(15):
        trust = weights * _trust(_miss(points, normals, axis, center))
        found, center = _complex(points, normals, trust, axis)
        if abs(float(found @ axis)) < 0.95:  # ran off to another axis: its own start will find that one
            return axis, _center(points, normals, trust, axis)
        axis = found * np.sign(found @ axis)
    return axis, center


def _complex(points: Floats, normals: Floats, trust: Floats, near: Floats | None = None) -> tuple[Floats, Floats]:
    """Least-squares axis direction and centre; of several directions that do equally well, the one *near*."""
    moments = np.cross(points, normals)
    lines = np.concatenate([moments, normals], axis=1)
    gram = (lines * trust[:, None]).T @ lines / trust.sum()
    inverse = np.linalg.pinv(gram[3:, 3:], rcond=1e-4, hermitian=True)
    schur = gram[:3, :3] - gram[:3, 3:] @ inverse @ gram[3:, :3]
    if near is not None:
        schur = schur + 1e-5 * np.trace(gram[:3, :3]) * (np.eye(3) - np.outer(near, near))
    axis = np.linalg.eigh(schur)[1][:, 0]
    return axis, _center(points, normals, trust, axis)


def _center(points: Floats, normals: Floats, trust: Floats, axis: Floats) -> Floats:
    """The point nearest the origin on the axis of direction *axis*: n · (a × p) = (n × a) · c."""
    rows = np.cross(normals, axis)
    goal = np.einsum("ij,ij->i", normals, np.cross(axis, points))
    gram = (rows * trust[:, None]).T @ rows
    return np.asarray(np.linalg.pinv(gram, rcond=1e-6, hermitian=True) @ (rows.T @ (goal * trust)))


def _miss(points: Floats, normals: Floats, axis: Floats, center: Floats) -> Floats:
    """Sine of the angle between each normal and the half plane through the axis and its point."""
    swing = np.cross(axis, points - center)
    return np.asarray(np.einsum("ij,ij->i", normals, swing) / (np.linalg.norm(swing, axis=1) + 1e-9))


def _trust(miss: Floats) -> Floats:
    return np.asarray(1 / (1 + (miss / _OFF) ** 2) ** 2)


def _side(normals: Floats, axis: Floats) -> Bools:
    return np.asarray(np.abs(normals @ axis) < _SIDE)


def _share(points: Floats, normals: Floats, weights: Floats, axis: Floats, center: Floats) -> float:
    """Share of the side's area whose normals meet the axis."""
    side = _side(normals, axis)
    if weights[side].sum() < _LEAST * weights.sum():
        return 0.0
    meets = np.abs(_miss(points[side], normals[side], axis, center)) < _OFF
    away = (points[side][meets] - center) @ across_of(axis).T
    sectors = np.unique(np.floor((np.arctan2(away[:, 1], away[:, 0]) / (2 * np.pi) + 0.5) * 36))
    if len(sectors) < _AROUND * 36:
        return 0.0
    return float(weights[side][meets].sum() / weights[side].sum())
