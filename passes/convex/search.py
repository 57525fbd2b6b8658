"""
The search for convex pieces: a primitive, one hull, the exact parts of a drawn solid, then CoACD ever finer.

Each candidate is measured against the goal and the first that meets it wins.  Nothing depends on the clock: the ladder
is fixed, and it ends by the number of pieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Piece, Surface
from r2s.passes.convex import certify as _certify
from r2s.passes.convex import coacd as _coacd
from r2s.passes.convex import cuts as _cuts
from r2s.passes.convex import merge as _merge
from r2s.passes.convex import primitives as _primitives
from r2s.passes.convex.hulls import Hull, hull, pruned, with_small_faces
from r2s.passes.convex.pieces import Union, mesh_piece
from r2s.passes.shapes.distance import Solid, describe, samples

_SAMPLES = 20_000
_TAIL = (
    2.0  # the largest inflation may be so many times the p99: a hundredth of the surface must not hide a filled slot
)
_DRAWN = 256  # a solid of more exact parts than this is no drawn one
_LADDER = (1.0, 0.5)  # CoACD's length scale in units of the error
_FINEST = 0.0125  # of the diagonal; below it CoACD takes minutes, and what is missed is told
_MANY = 128  # no rung is cut finer than this: more hulls cost a simulator more than they bring
_HAIR = 1e-3  # of the diagonal; pieces this near are neighbours
_FULL = 0.95  # share of the volume budget that merging may use up; the rest is for what the sum of volumes misses


@dataclass(frozen=True, slots=True)
class Goal:
    """
    What pieces must meet.

    *error* m bounds the p99 of inflation, *form* m the p99 of both directions for a primitive, *volume* the relative
    error of the union's volume; *prune* m is the deficit that dropped hull vertices may cause; *most* caps the number
    of pieces, *vertices* that of a hull and *ring* that of a flat face (0: no cap).
    """

    error: float
    form: float
    volume: float
    prune: float
    most: int
    vertices: int
    ring: int
    primitives: bool
    seed: int


@dataclass(frozen=True, eq=False)
class Candidate:
    """Pieces, how they were found, how they measure: p99 of inflation, m, and relative error of the volume."""

    union: Union
    method: str
    p99: float
    volume: float

    def meets(self, goal: Goal) -> bool:
        """Return whether the sampled measures meet the goal."""
        return self.p99 <= goal.error and abs(self.volume) <= goal.volume


def search(surface: Surface, reference: Solid, goal: Goal) -> Candidate:
    """Return the first candidate that meets *goal*, else the one that misses it least; ValueError if all are flat."""
    if goal.primitives and (piece := _primitive(surface, reference, goal)) is not None:
        return _measured((piece,), piece.kind, surface, reference)
    tried: list[Candidate] = []
    for hulls, method, bound in _candidates(surface, reference, goal):
        if not hulls:
            continue
        found = _measured(_finished(hulls, bound, goal), method, surface, reference)
        if found.meets(goal) and _tail_fits(found, reference, goal):
            return found
        tried.append(found)
    if not tried:
        raise ValueError("no piece has a volume")
    return min(tried, key=lambda c: max(c.p99 / goal.error, abs(c.volume) / goal.volume))


def _primitive(surface: Surface, reference: Solid, goal: Goal) -> Piece | None:
    points, _ = samples(surface.vertices, surface.faces, _SAMPLES)
    for piece in _primitives.fits(surface):
        union = Union((piece,))
        if abs(union.volume / surface.volume - 1) > goal.volume / 4:
            continue
        if describe(union.distance(points)).p99 > goal.form:
            continue
        if _measured((piece,), piece.kind, surface, reference).p99 > goal.form:
            continue
        tolerance = goal.error / 20
        deficit = _certify.deficit(surface.triangles, union, tolerance).upper
        if max(deficit, _certify.inflation(union, reference, tolerance).upper) <= goal.error:
            return piece
    return None


def _candidates(surface: Surface, reference: Solid, goal: Goal) -> Iterator[tuple[list[Hull], str, float]]:
    """Yield hulls, their method, and how far thinning may still move them, m."""
    whole = hull(surface.vertices)
    yield [whole] if whole is not None else [], "one hull", goal.prune
    most = goal.most or _MANY
    exact = _cuts.exact(surface.vertices, surface.faces, _DRAWN)
    if exact is not None:
        yield _fewer(_hulls(exact), surface, reference, goal), "exact parts", goal.prune
    for rung in _LADDER:
        length = max(rung * goal.error, _FINEST * surface.diagonal)
        found = _thinned(_hulls(_coacd.decomposed(surface.vertices, surface.faces, length, goal.seed)), goal)
        allowed = surface.volume * (1 + _FULL * goal.volume)
        if sum(shape.volume for shape in found) > allowed:
            found = _thinned(_cuts.finer(surface.vertices, surface.faces, found, allowed, most), goal)
        yield _fewer(found, surface, reference, goal), "CoACD", goal.prune / 2
        if len(found) >= most or length > rung * goal.error:
            return


def _thinned(hulls: list[Hull], goal: Goal) -> list[Hull]:
    return [pruned(shape, goal.prune / 2) for shape in hulls]


def _fewer(hulls: list[Hull], surface: Surface, reference: Solid, goal: Goal) -> list[Hull]:
    """Return *hulls* with neighbours merged within the goal, and then, where it caps their number, at any cost."""

    def fits(shape: Hull) -> bool:
        points, _ = samples(shape.vertices, shape.faces, 400)
        return bool(reference.signed(points).max() <= goal.error)

    touch = _HAIR * surface.diagonal
    found = _merge.merged(hulls, surface.volume * (1 + _FULL * goal.volume), fits, touch)
    return _merge.at_most(found, goal.most, touch) if goal.most and len(found) > goal.most else found


def _finished(hulls: list[Hull], bound: float, goal: Goal) -> tuple[Piece, ...]:
    """Return the hulls thinned and in an order that only their places decide."""
    thin = [pruned(shape, bound, goal.vertices) for shape in hulls]
    if goal.ring:
        thin = [with_small_faces(shape, goal.ring) for shape in thin]
    thin.sort(key=lambda shape: (*shape.box[0].tolist(), *shape.box[1].tolist(), shape.volume))
    return tuple(mesh_piece(shape) for shape in thin)


def _measured(pieces: tuple[Piece, ...], method: str, surface: Surface, reference: Solid) -> Candidate:
    union = Union(pieces)
    points, _ = samples(*union.mesh, _SAMPLES)
    p99 = describe(np.maximum(reference.signed(points), 0)).p99
    return Candidate(union, method, p99, union.volume / surface.volume - 1)


def _tail_fits(found: Candidate, reference: Solid, goal: Goal) -> bool:
    return _certify.inflation(found.union, reference, goal.error / 10).lower <= _TAIL * goal.error


def _hulls(clouds: list[np.ndarray]) -> list[Hull]:
    return [shape for shape in map(hull, clouds) if shape is not None]
