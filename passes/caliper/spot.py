"""
Where a pick meets the object: the face that a person pointed at, told once and found again on every stage.

A pick is typed, so it lies a little off the surface.  On the raw scan it names a face by place and direction; a later
stage is asked for the face that looks the same way nearest to that place.  So a wall that a stage has thickened is not
taken for its other side, and what a stage has filled is missed by name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, radians

import numpy as np

from r2s.compiler.ir import Bools, Floats
from r2s.passes.caliper.near import around, nearest, size_of, spacing
from r2s.passes.caliper.patch import Patch, patch_at, smallest
from r2s.passes.caliper.solids import hidden
from r2s.passes.caliper.stage import Samples, Stage, samples_of

_REACH = 0.03  # of the size: how far a typed pick may lie off the surface
_STRAYED = 0.05  # of the size: how far a later stage may have moved a face
_CONE = radians(40)
_CLEARLY = 1.5  # times nearer than anything else is the face that is meant
_EDGE = 1.5  # spacings to another face: the pick lies on an edge
_EXACT = 1e-3  # of the size, where there are no spacings
_VOTERS = 12
_STEEP = 0.3  # of the distance across: what rises faster from the face is another one, not the next facet of it
_FLAT = 0.1  # of the radius: how far samples may lie off the plane that they vote for
_STEPS = 20  # samples over the radius of the ball that is searched


@dataclass(frozen=True, eq=False)
class Spot:
    """
    A *point* (3,) on a face and the unit *normal* (3,) there, outward where *signed*; messages call it *name*.

    Where *landing*, it is no face but a rim or an edge, on whose highest material along the normal a jaw rests.
    """

    name: str
    point: Floats
    normal: Floats
    signed: bool
    landing: bool = False

    def moved(self, matrix: Floats) -> Spot:
        """Return the spot in the frame to which the similarity *matrix* (4, 4) leads."""
        normal = matrix[:3, :3] @ self.normal
        return replace(self, point=matrix[:3, :3] @ self.point + matrix[:3, 3], normal=normal / np.linalg.norm(normal))


def spot_at(stage: Stage, pick: Floats, name: str, either_side: bool = False) -> Spot | str:
    """
    Return the face of *stage* that the *pick* (3,) points at, or why there is none.

    *either_side*: both sides of a wall will do, so a pick between them is not ambiguous.
    """
    whole = samples_of(stage)
    reach = _REACH * size_of(stage) + 3 * whole.sigma + 2 * spacing(stage)
    shown = around(stage, pick, reach, reach / _STEPS)
    if len(shown.points) == 0:
        return f"no surface near {name}: the nearest is {stage.said(nearest(stage, pick))} away"
    away = np.linalg.norm(shown.points - pick, axis=1)
    seed = int(np.argmin(away))
    normal = _normal_near(shown, seed, smallest(stage))
    face = patch_at(stage, shown.points[seed], normal, shown.oriented)
    if face is None:
        return f"no smooth face at {name}: an edge, or material narrower than the scan can tell"
    off = float((pick - face.foot) @ face.normal)
    face = patch_at(stage, pick - off * face.normal, face.normal, face.signed) or face
    other = _nearest_other(stage, shown, face, away, either_side)
    off = abs(float((pick - face.foot) @ face.normal))
    if other <= max(_EDGE * spacing(stage) + whole.sigma, _EXACT * size_of(stage)):
        return f"{name} lies on an edge: another face is {stage.said(other)} away; pick the middle of a face"
    if other < _CLEARLY * off:
        return (
            f"{name} is ambiguous: one face is {stage.said(off)} away, another {stage.said(other)}; "
            "pick closer to the face that is meant"
        )
    return Spot(name, face.foot, face.normal, face.signed)


def landing_at(stage: Stage, pick: Floats, name: str, normal: Floats) -> Spot | str:
    """Return the surface point nearest to the *pick* (3,), edge or face, as a spot that looks along *normal*."""
    reach = _REACH * size_of(stage) + 3 * samples_of(stage).sigma + 2 * spacing(stage)
    shown = around(stage, pick, reach, reach / _STEPS)
    if len(shown.points) == 0:
        return f"no surface near {name}: the nearest is {stage.said(nearest(stage, pick))} away"
    nearest_one = shown.points[int(np.argmin(np.linalg.norm(shown.points - pick, axis=1)))]
    return Spot(name, nearest_one, normal, True, landing=True)


def search_radius(stage: Stage) -> float:
    """Return how far from its place on the scan a spot is looked for on *stage*."""
    return _STRAYED * size_of(stage) + 3 * samples_of(stage).sigma + 2 * spacing(stage)


def face_of(stage: Stage, spot: Spot) -> Patch | str:
    """Return the face of *stage* that the *spot* stands for, or why there is none."""
    # a cloud is always the raw scan, where the spot was found, and its normals may tell no side of a wall
    reach = search_radius(stage) if len(stage.faces) else 4 * samples_of(stage).sigma + 2 * spacing(stage)
    shown = around(stage, spot.point, max(reach, smallest(stage)), reach / _STEPS)
    signed = spot.signed and shown.oriented
    cosine = shown.normals @ spot.normal
    local = shown.points - spot.point
    along = local @ spot.normal
    across = np.linalg.norm(local - along[:, None] * spot.normal, axis=1)
    # the noise along the normal leaves the distance across it alone
    beside = (cosine if signed else np.abs(cosine)) > cos(_CONE)
    beside &= (across < smallest(stage)) & (np.abs(along) < reach)
    if not beside.any():
        return _gone(stage, spot, reach)
    seeds = np.flatnonzero(beside)
    level = float(along[seeds[np.argmin(np.abs(along[seeds]))]])
    found = patch_at(stage, spot.point + level * spot.normal, spot.normal, signed)
    if found is None:
        return f"no smooth face at {spot.name}"
    return found


def signed_by(spot: Spot, closed: Stage) -> Spot:
    """Return the spot with the outward side of the face of a *closed* surface that runs through it."""
    if spot.signed:
        return spot
    reach = _REACH * size_of(closed)
    shown = around(closed, spot.point, reach, reach / _STEPS)
    cosine = shown.normals @ spot.normal
    alike = np.flatnonzero(np.abs(cosine) > cos(_CONE))
    if len(alike) == 0:
        return spot
    best = alike[np.argmin(np.linalg.norm(shown.points[alike] - spot.point, axis=1))]
    return replace(spot, normal=spot.normal * np.sign(cosine[best]), signed=True)


def _normal_near(shown: Samples, seed: int, radius: float) -> Floats:
    """
    The normal, of those next to the seed, on whose plane most of the samples within *radius* lie.

    A single normal of a cloud may be a mixture of both sides of a wall.
    """
    local = shown.points - shown.points[seed]
    away = np.linalg.norm(local, axis=1)
    near = np.argsort(away, kind="stable")[:_VOTERS]
    height = np.abs(local[away < radius] @ shown.normals[near].T)
    votes = (height < max(_FLAT * radius, 4 * shown.sigma)).sum(axis=0)
    return np.asarray(shown.normals[near[np.argmax(votes)]])


def _nearest_other(stage: Stage, shown: Samples, face: Patch, away: Floats, either_side: bool) -> float:
    """Distance from the pick to the nearest sample that is not of the face; infinite where there is none."""
    other = _off(shown, face)
    if either_side:
        other &= np.abs(shown.normals @ face.normal) < cos(_CONE)
    if len(stage.faces) == 0 and not shown.oriented:
        other &= np.abs((shown.points - face.foot) @ face.normal) > 4 * shown.sigma + spacing(stage)
    return float(away[other].min(initial=np.inf))


def _off(shown: Samples, face: Patch) -> Bools:
    """Samples that neither look the face's way nor lie on its quadric."""
    local = (shown.points - face.foot) @ face.frame.T
    across = local[:, :2]
    height = across @ face.slope + np.einsum("ni,ij,nj->n", across, face.bend, across) / 2
    allowed = 4 * shown.sigma + 2 * face.form + _STEEP * np.hypot(*across.T)
    cosine = shown.normals @ face.normal
    turned = (cosine if face.signed and shown.oriented else np.abs(cosine)) < cos(_CONE)
    return np.asarray(turned | (np.abs(local[:, 2] - height) > allowed))


def _gone(stage: Stage, spot: Spot, reach: float) -> str:
    if stage.kind == "pieces" and bool(hidden(spot.point[None], stage.pieces)[0]):
        return f"this stage has filled the place of {spot.name}: it lies inside its material"
    return f"this stage has no face like the one at {spot.name} within {stage.said(reach)} of it"
