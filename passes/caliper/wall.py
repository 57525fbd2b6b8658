"""The other side of a wall: the first surface behind a face that looks the other way."""

from __future__ import annotations

from math import cos, radians

import numpy as np

from r2s.compiler.ir import Floats
from r2s.passes.caliper.local import across_of
from r2s.passes.caliper.near import around, resolved, size_of, spacing
from r2s.passes.caliper.patch import patch_at, smallest
from r2s.passes.caliper.solids import covered
from r2s.passes.caliper.spot import Spot
from r2s.passes.caliper.stage import Stage, face_normals, samples_of

_CONE = radians(40)
_ASIDE = 0.05  # of the smallest radius
_SAME = 1e-6  # of the size, where there is no noise
_FLAT = 0.25  # of the radius: a layer's samples may lie so far off its middle
_TWICE = 2.0  # nearer than the material on the other hand is the wall that is meant


def other_side(stage: Stage, spot: Spot) -> Spot | str:
    """Return the spot where the line from *spot* through its wall comes out, or why there is none."""
    name = f"the other side of the wall at {spot.name}"
    heights, cosine = _crossings(stage, spot)
    least = max(resolved(stage), spacing(stage))
    apart = np.abs(heights) > least
    if spot.signed:
        away = -cosine if _tells_sides(stage) else np.abs(cosine)
        behind = heights[(heights < 0) & (away > cos(_CONE)) & (apart | _tells_sides(stage))]
        if len(behind) == 0:
            return f"{name} was never seen"
        level = float(behind.max())
        if -level <= least:  # the next surface behind is another wall's
            return f"the wall at {spot.name} is too thin to be told from noise: {stage.said(-level)}"
    else:
        facing = apart & (np.abs(cosine) > cos(_CONE))
        before, behind = heights[facing & (heights > 0)], heights[facing & (heights < 0)]
        up, down = float(before.min(initial=np.inf)), float(-behind.max(initial=-np.inf))
        if not np.isfinite(min(up, down)):
            return f"{name} was never seen"
        if max(up, down) < _TWICE * min(up, down):
            return (
                f"on which side of {spot.name} the wall lies is unclear: there is a face {stage.said(up)} one way and "
                f"{stage.said(down)} the other, and the scan's normals tell no side"
            )
        level = up if up < down else -down
    found = patch_at(stage, spot.point + level * spot.normal, -spot.normal * np.sign(-level), spot.signed)
    if found is None:
        return f"no smooth face on {name}"
    return Spot(name, found.foot, found.normal, spot.signed)


def _tells_sides(stage: Stage) -> bool:
    """Whether the stage's normals tell outside from inside."""
    return len(stage.faces) > 0 or len(stage.normals) > 0


def _crossings(stage: Stage, spot: Spot) -> tuple[Floats, Floats]:
    """Heights over the spot along its normal where its line meets the surface, and the normals' cosine with it."""
    if len(stage.faces) == 0:
        return _beside(stage, spot)
    normals = face_normals(stage.points, stage.faces)[0]
    aside = _ASIDE * smallest(stage) * across_of(spot.normal)
    # a line through a seam may slip between its faces by rounding, so some run beside it
    starts = [spot.point, *(spot.point + sign * step for step in aside for sign in (1.0, -1.0))]
    found = [_through(stage, start, spot.normal, normals) for start in starts]
    return np.concatenate([heights for heights, _ in found]), np.concatenate([cosine for _, cosine in found])


def _through(stage: Stage, start: Floats, line: Floats, normals: Floats) -> tuple[Floats, Floats]:
    """Heights and cosines where the line meets the faces; of pieces only where nothing covers them."""
    a, b, c = np.moveaxis(stage.points[stage.faces] - start, 1, 0)
    # the line passes a triangle where the three edges' moments about it have one sign
    turns = np.stack([np.cross(p, q) @ line for p, q in ((a, b), (b, c), (c, a))])
    hit = ((turns >= 0).all(axis=0) | (turns <= 0).all(axis=0)) & (np.abs(normals @ line) > 1e-9)
    cosine = normals[hit] @ line
    heights = np.einsum("ij,ij->i", a[hit], normals[hit]) / cosine
    if len(stage.pieces) > 1 and len(heights):
        shown = ~covered(start + heights[:, None] * line, normals[hit], stage.pieces)
        heights, cosine = heights[shown], cosine[shown]
    return np.asarray(heights), np.asarray(cosine)


def _beside(stage: Stage, spot: Spot) -> tuple[Floats, Floats]:
    """Heights of a cloud's layers next to the line: the middle of each, so that noise does not choose among them."""
    local = stage.points - spot.point
    along = local @ spot.normal
    across = np.linalg.norm(local - along[:, None] * spot.normal, axis=1)
    near = np.sort(along[across < smallest(stage)])
    gap = max(3 * samples_of(stage).sigma, _SAME * size_of(stage))
    layers = np.split(near, np.flatnonzero(np.diff(near) > gap) + 1) if len(near) else []
    heights = np.array([float(np.median(layer)) for layer in layers])
    return heights, np.array([_lie(stage, spot, float(height)) for height in heights])


def _lie(stage: Stage, spot: Spot, height: float) -> float:
    """Cosine of the normals of the layer at *height* with the spot's own; its amount where they tell no side."""
    radius = smallest(stage)
    shown = around(stage, spot.point + height * spot.normal, 1.5 * radius, radius)
    off = np.abs((shown.points - spot.point) @ spot.normal - height)
    cosine = shown.normals[off < max(_FLAT * radius, 4 * shown.sigma)] @ spot.normal
    if len(cosine) == 0:
        return 0.0
    return float(np.median(cosine if shown.oriented else np.abs(cosine)))
