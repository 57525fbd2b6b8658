"""
How far apart two assets are that should be one: pieces, visual mesh, mass, centre of mass and inertia, by measuring.

Byte equality ends where another platform or another version of a library rounds the last digit otherwise.  What is
left is a number: no point of one collision shape is further than that from the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import PurePosixPath
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Solid:
    """A convex piece: the hull of *points* (n, 3) m, grown by *radius* m (0 but for spheres and capsules)."""

    points: Floats
    radius: float


@dataclass(frozen=True, eq=False)
class Shape:
    """
    What an emitted XML and its meshes describe, in the asset's frame, SI units.

    *inertia* (3, 3) is about *com*; *visual* and *faces* are the vertices and triangles of the visual mesh.
    """

    pieces: tuple[Solid, ...]
    visual: Floats
    faces: tuple[bytes, ...]
    mass: float
    com: Floats
    inertia: Floats


@dataclass(frozen=True, slots=True)
class Distance:
    """
    How far two shapes are apart.

    *pieces* bounds the distance between the two collision shapes both ways, m; *visual* is the largest move of a
    vertex, m, None where the triangles are others; *com* m; *mass* and *inertia* as a fraction.
    """

    pieces: float
    visual: float | None
    com: float
    mass: float
    inertia: float

    @property
    def within(self) -> float:
        """The largest of the lengths, m."""
        return max(self.pieces, self.visual or 0.0, self.com)


def distance(a: Shape, b: Shape) -> Distance:
    """Return how far *a* and *b* are apart."""
    same = a.faces == b.faces and a.visual.shape == b.visual.shape
    return Distance(
        pieces=max(_one_way(a.pieces, b.pieces), _one_way(b.pieces, a.pieces)),
        visual=float(np.linalg.norm(a.visual - b.visual, axis=1).max(initial=0.0)) if same else None,
        com=float(np.linalg.norm(a.com - b.com)),
        mass=abs(b.mass / a.mass - 1),
        inertia=float(np.linalg.norm(b.inertia - a.inertia) / np.linalg.norm(a.inertia)),
    )


def read_shape(xml: bytes, meshes: Mapping[str, bytes]) -> Shape:
    """Return the shape of an emitted asset; *meshes* are the files of its assets folder by name."""
    root = ET.fromstring(xml)
    files = {mesh.attrib["name"]: PurePosixPath(mesh.attrib["file"]).name for mesh in root.iter("mesh")}
    geoms = [g for body in root.iter("body") for g in body.findall("geom")]
    inertial = next(root.iter("inertial"))
    visual = next(g for g in geoms if g.get("class") == "visual")
    vertices, faces = read_obj(meshes[files[visual.attrib["mesh"]]])
    turn = _rotation(inertial)
    return Shape(
        pieces=tuple(_solid(g, meshes, files) for g in geoms if g.get("class") == "collision"),
        visual=vertices,
        faces=faces,
        mass=float(inertial.attrib["mass"]),
        com=_numbers(inertial.attrib["pos"]),
        inertia=turn @ np.diag(_numbers(inertial.attrib["diaginertia"])) @ turn.T,
    )


def read_obj(data: bytes) -> tuple[Floats, tuple[bytes, ...]]:
    """Return the vertices (n, 3) of an emitted OBJ and its face lines as they stand."""
    lines = data.splitlines()
    vertices = [line.split()[1:4] for line in lines if line.startswith(b"v ")]
    return np.array(vertices, dtype=np.float64).reshape(-1, 3), tuple(x for x in lines if x.startswith(b"f "))


def _solid(geom: ET.Element, meshes: Mapping[str, bytes], files: Mapping[str, str]) -> Solid:
    kind = geom.get("type", "mesh")
    if kind == "mesh":
        return Solid(read_obj(meshes[files[geom.attrib["mesh"]]])[0], 0.0)
    size, center, turn = _numbers(geom.attrib["size"]), _numbers(geom.get("pos", "0 0 0")), _rotation(geom)
    match kind:
        case "box":
            corners = np.array(list(product((-1.0, 1.0), repeat=3))) * size
            return Solid(corners @ turn.T + center, 0.0)
        case "capsule":
            ends = np.array([[0, 0, -size[1]], [0, 0, size[1]]])
            return Solid(ends @ turn.T + center, float(size[0]))
        case _:
            return Solid(center[None], float(size[0]))


def _one_way(these: tuple[Solid, ...], those: tuple[Solid, ...]) -> float:
    """
    Return a bound on how far a point of *these* lies from *those*, m.

    The Hausdorff distance of two convex hulls is at most that of their vertices, and growing adds the difference of
    the radii; a union is no further than its worst piece from the best of the other's.
    """
    worst = 0.0
    for one in these:
        best = np.inf
        for floor, other in sorted(((_least(one, o), i) for i, o in enumerate(those))):
            if floor >= best:
                break
            best = min(best, _apart(one, those[other]))
        worst = max(worst, best)
    return float(worst)


def _least(a: Solid, b: Solid) -> float:
    """Return a lower bound of :func:`_apart` from the corners of both boxes; it costs nothing."""
    low = np.abs(a.points.min(axis=0) - b.points.min(axis=0)).max()
    return float(max(low, np.abs(a.points.max(axis=0) - b.points.max(axis=0)).max()) + abs(a.radius - b.radius))


def _apart(a: Solid, b: Solid) -> float:
    gaps = np.linalg.norm(a.points[:, None] - b.points[None], axis=2)
    return float(max(gaps.min(axis=1).max(), gaps.min(axis=0).max()) + abs(a.radius - b.radius))


def _rotation(element: ET.Element) -> Floats:
    """Return the matrix of the element's unit quaternion (w, x, y, z)."""
    w, x, y, z = _numbers(element.get("quat", "1 0 0 0"))
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _numbers(text: str) -> Any:
    return np.array(text.split(), dtype=np.float64)
