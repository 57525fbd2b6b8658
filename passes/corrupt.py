"""
Damage done to a scan on purpose, so that the checks can be seen to see it.

The file is read by the compiler's own readers and a damaged copy is handed back as a PLY: what follows then goes
through everything that a user's file goes through.  Nothing here is random without a seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from r2s.compiler.corruption import Corrupted, Corruption, packed
from r2s.compiler.dump.ply import ply
from r2s.compiler.errors import InternalError
from r2s.compiler.ir import Floats, Source, floats
from r2s.compiler.protocol import Outcome
from r2s.passes.clouds.normals import directions, planes
from r2s.passes.meshes.normals import vertex_normals
from r2s.passes.points.nearest import nearest, tree_of
from r2s.passes.points.points import Points, without_holes
from r2s.passes.points.quality import neighbour_distance
from r2s.passes.points.sides import usable_normals
from r2s.passes.readers import read

_SEED = 20260  # of the added noise
_FLAT = 0.7  # cosine between a normal and the vertical from which a surface is an underside
_FOOT = 0.02  # of the height: where an underside is looked for
_AWAY = 0.5  # of the diagonal: how far outside the object's box a floater hangs
_ALIKE = 2.0  # times the tail of the spacing: how far two samples of one surface lie apart
_SPOTS = 20_000


class _CannotError(Exception):
    """The scan lacks what the damage needs."""


@dataclass(frozen=True)
class Corrupt:
    """Return a copy of the scan file with *damage* done to it."""

    name: ClassVar[str] = "corrupt"
    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy", "scipy")

    damage: Corruption

    def run(self, source: Source, /) -> Outcome[Corrupted]:
        """Return the damaged file; raise InvalidInputError for a file that cannot be read."""
        raw = read(Path(source.path), source.format)
        whole, _ = without_holes(Points(floats(raw.points, -1, 3), floats(raw.normals, -1, 3), raw.faces))
        try:
            made, matrix, touched = _DAMAGES[self.damage.kind](whole, self.damage)
        except _CannotError as reason:
            return Outcome(Corrupted("", (), 0.0, 0.0, 0, len(whole.points), str(reason)))
        if len(made.points) < len(whole.points) // 2:
            raise InternalError("R2S904", f"{self.damage.kind} left {len(made.points)} of {len(whole.points)} points")
        data = ply(made.points, made.faces, normals=made.normals)
        found = Corrupted(
            packed=packed(data),
            matrix=tuple(tuple(row) for row in matrix.tolist()),
            apart=_apart(whole.points, made.points),
            alike=_ALIKE * neighbour_distance(whole.points)[1],
            touched=touched,
            points=len(whole.points),
        )
        return Outcome(found)


_Done = tuple[Points, Floats, int]


def _scaled(scan: Points, damage: Corruption) -> _Done:
    """Multiply by the size, along one axis or all of them, about the file's origin as an exporter would."""
    factors = np.full(3, damage.size)
    if damage.axis:
        factors = np.where(np.arange(3) == "xyz".index(damage.axis), damage.size, 1.0)
    normals = scan.normals / factors
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    return replace(scan, points=scan.points * factors, normals=normals), np.diag([*factors, 1.0]), len(scan.points)


def _offset(scan: Points, damage: Corruption) -> _Done:
    """Move every point outward along its normal, as bloom, spray and a bad probing calibration do."""
    if scan.is_mesh:
        _, first, same = np.unique(scan.points, axis=0, return_index=True, return_inverse=True)
        normals = vertex_normals(scan.points[first], same.reshape(-1)[scan.faces])[same.reshape(-1)]
        outward = normals * (1.0 if _volume(scan) >= 0 else -1.0)
    else:
        outward = usable_normals(scan)[0].normals
        if not len(outward):
            raise _CannotError("the cloud has no normals that say which side is outside")
    return replace(scan, points=scan.points + damage.size * outward), np.eye(4), len(scan.points)


def _mirrored(scan: Points, damage: Corruption) -> _Done:
    """Reflect at the middle of the box; faces are turned over, so that the outside stays outside."""
    flip = np.where(np.arange(3) == "xyz".index(damage.axis), -1.0, 1.0)
    points, matrix = _about_middle(scan, np.diag(flip))
    return Points(points, scan.normals * flip, scan.faces[:, ::-1]), matrix, len(scan.points)


def _swapped(scan: Points, damage: Corruption) -> _Done:
    """Turn by a quarter about one axis through the middle of the box: the other two change places."""
    about = "xyz".index(damage.axis)
    first, second = (about + 1) % 3, (about + 2) % 3
    turn = np.zeros((3, 3))
    turn[about, about], turn[first, second], turn[second, first] = 1.0, -1.0, 1.0
    points, matrix = _about_middle(scan, turn)
    return replace(scan, points=points, normals=scan.normals @ turn.T), matrix, len(scan.points)


def _about_middle(scan: Points, linear: Floats) -> tuple[Floats, Floats]:
    middle = (scan.points.min(axis=0) + scan.points.max(axis=0)) / 2
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = linear, middle - linear @ middle
    return (scan.points - middle) @ linear.T + middle, matrix


def _bottomless(scan: Points, damage: Corruption) -> _Done:
    """Take the underside away, and with it the lowest share of the height."""
    sign, axis = (1.0 if damage.up[0] == "+" else -1.0), "xyz".index(damage.up[1])
    height = sign * scan.points[:, axis]
    above = (height - height.min()) / np.ptp(height)
    if scan.is_mesh:
        a, b, c = np.moveaxis(scan.points[scan.faces], 1, 0)
        cross = np.cross(b - a, c - a)
        level = np.abs(cross[:, axis]) > _FLAT * np.maximum(np.linalg.norm(cross, axis=1), 1e-300)
        gone = (above[scan.faces].max(axis=1) < max(damage.size, _FOOT)) & (level | (damage.size > 0))
        kept = scan.faces[~gone]
        used = np.unique(kept)
        renumber = np.zeros(len(scan.points), dtype=np.int64)
        renumber[used] = np.arange(len(used))
        normals = scan.normals[used] if len(scan.normals) else scan.normals
        left, taken = Points(scan.points[used], normals, renumber[kept]), int(gone.sum())
    else:
        normals = scan.normals if len(scan.normals) else planes(scan.points)
        length = np.maximum(np.linalg.norm(normals, axis=1), 1e-300)
        underside = (above < _FOOT) & (np.abs(normals[:, axis]) > _FLAT * length)
        gone = underside | (above < damage.size)
        left, taken = scan.keep(np.asarray(~gone)), int(gone.sum())
    return left, np.eye(4), taken


def _with_floater(scan: Points, damage: Corruption) -> _Done:
    """Hang a small ball beside the object: of a cloud as dense as the scan, of a mesh with faces of its own."""
    low, high = scan.points.min(axis=0), scan.points.max(axis=0)
    count = max(4, round(damage.size * len(scan.points)))
    if scan.is_mesh:
        spots, faces = _octahedron()
        radius = damage.size * scan.diagonal
    else:
        spots, faces = directions(count), np.zeros((0, 3), dtype=np.int64)
        radius = neighbour_distance(scan.points)[0] * np.sqrt(count / np.pi)
    middle = (low + high) / 2 + np.array([(high - low)[0] / 2 + _AWAY * scan.diagonal + radius, 0.0, 0.0])
    normals = np.concatenate([scan.normals, spots]) if len(scan.normals) else scan.normals
    joined = np.concatenate([scan.faces, faces + len(scan.points)])
    return Points(np.concatenate([scan.points, middle + radius * spots]), normals, joined), np.eye(4), len(spots)


def _octahedron() -> tuple[Floats, np.ndarray]:
    corners = np.concatenate([np.eye(3), -np.eye(3)])
    faces = [[0, 1, 2], [1, 3, 2], [3, 4, 2], [4, 0, 2], [1, 0, 5], [3, 1, 5], [4, 3, 5], [0, 4, 5]]
    return corners, np.array(faces, dtype=np.int64)


def _noisy(scan: Points, damage: Corruption) -> _Done:
    """Move every point by a normal deviate of the size along each axis."""
    if not damage.size > 0:
        raise _CannotError("the scan's own noise is not known, so there is nothing to multiply")
    added = np.random.default_rng(_SEED).normal(0.0, damage.size, scan.points.shape)
    return replace(scan, points=scan.points + added), np.eye(4), len(scan.points)


def _volume(scan: Points) -> float:
    a, b, c = np.moveaxis(scan.points[scan.faces] - scan.points.mean(axis=0), 1, 0)
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6


def _apart(first: Floats, second: Floats) -> float:
    """Return the larger of the 99th percentiles of the distances from either's points to the other's nearest."""
    found = []
    for some, others in ((first, second), (second, first)):
        spots = some[:: max(1, len(some) // _SPOTS)]
        found.append(float(np.quantile(nearest(tree_of(others), spots, 1)[0], 0.99)))
    return max(found)


_DAMAGES: dict[str, Callable[[Points, Corruption], _Done]] = {
    "scale": _scaled,
    "axis_scale": _scaled,
    "unit": _scaled,
    "offset": _offset,
    "mirror": _mirrored,
    "swap": _swapped,
    "bottom": _bottomless,
    "floater": _with_floater,
    "noise": _noisy,
}
