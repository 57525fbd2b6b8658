"""
The emitted XML read back: which geoms collide, and where their shapes are.

A small reading of MJCF, by its reference: defaults and classes, meshes with scale, refpos and refquat, bodies and geoms
with pos and quat, boxes, spheres and capsules by size.  What an emitted file does not use is refused, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree import ElementTree as ET

import numpy as np

from r2s.compiler.ir import Floats, Ints, floats, ints
from r2s.passes.closing.obj import read_obj

_TURNS = ("euler", "axisangle", "xyaxes", "zaxis", "fromto")
_SIZES = {"box": 3, "sphere": 1, "capsule": 2}
_CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
_ROOT = "main"  # MuJoCo's name of the class that has none

Attributes = dict[str, str]


@dataclass(frozen=True, eq=False)
class Emitted:
    """
    A geom that collides, in the asset's frame: all points within *radius* m of the hull of *core* (k, 3) m.

    A mesh or box has radius 0; a sphere one point, a capsule two.  *faces* (m, 3) are the mesh file's, else (0, 3).
    """

    name: str
    core: Floats
    radius: float
    faces: Ints


@dataclass(frozen=True, eq=False)
class Frame:
    """Where a body is: its *rotation* (3, 3) and *position* (3,) m in the world."""

    rotation: Floats
    position: Floats

    def moved(self, points: Floats) -> Floats:
        """Return *points* (k, 3) of the body in the world, m."""
        return points @ self.rotation.T + self.position

    def inner(self, attributes: Mapping[str, str]) -> Frame:
        """Return the frame that *attributes* place in this one; raise ValueError for a turn other than a quat."""
        other = [word for word in _TURNS if word in attributes]
        if other:
            raise ValueError(f"{other[0]} is not read")
        position = _numbers(attributes.get("pos", "0 0 0"), 3)
        rotation = turned(_numbers(attributes.get("quat", "1 0 0 0"), 4))
        return Frame(self.rotation @ rotation, self.moved(position[None])[0])


def emitted(xml: str, files: Mapping[str, bytes]) -> tuple[Emitted, ...]:
    """
    Return the geoms of *xml* that can touch, in its order; *files* are the meshes by their names in ``meshdir``.

    Raises ValueError where the text says what an asset of r2s does not say.
    """
    root = ET.fromstring(xml)
    classes = dict(_classes(root))
    meshes = {mesh.attrib["name"]: mesh.attrib for mesh in root.iterfind("asset/mesh")}
    found = []
    for geom, body in _geoms(root.iterfind("worldbody/body"), Frame(np.eye(3), np.zeros(3)), _ROOT, classes):
        if int(geom.get("contype", "1")) or int(geom.get("conaffinity", "1")):
            found.append(_shape(geom, body.inner(geom), meshes, files))
    return tuple(found)


def turned(quaternion: Floats) -> Floats:
    """
    Return the (3, 3) rotation of a *quaternion* (w, x, y, z), which need not have length 1.

    Rodrigues' formula: 1 + 2 (w [v] + [v]²), where [v] is the matrix of the cross product with the vector part.
    """
    w, x, y, z = quaternion / np.linalg.norm(quaternion)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + 2 * (w * cross + cross @ cross))


def _classes(root: ET.Element) -> Iterator[tuple[str, Attributes]]:
    """Yield each class with the geom attributes that it hands down, its parents' included."""
    yield _ROOT, {}
    for top in root.iterfind("default"):
        yield from _nested(top, {}, top.get("class", _ROOT))


def _nested(element: ET.Element, inherited: Attributes, name: str) -> Iterator[tuple[str, Attributes]]:
    if element.find("mesh") is not None:
        raise ValueError("defaults of meshes are not read")
    own = {**inherited, **{k: v for geom in element.iterfind("geom") for k, v in geom.attrib.items()}}
    yield name, own
    for child in element.iterfind("default"):
        yield from _nested(child, own, child.attrib["class"])


def _geoms(
    bodies: Iterator[ET.Element], outer: Frame, inherited: str, classes: Mapping[str, Attributes]
) -> Iterator[tuple[Attributes, Frame]]:
    for body in bodies:
        here = outer.inner(body.attrib)
        given = body.get("childclass", inherited)
        for geom in body.iterfind("geom"):
            yield {**classes[geom.get("class", given)], **geom.attrib}, here
        yield from _geoms(body.iterfind("body"), here, given, classes)


def _shape(
    geom: Attributes, place: Frame, meshes: Mapping[str, Mapping[str, str]], files: Mapping[str, bytes]
) -> Emitted:
    name, kind = geom.get("name", ""), geom.get("type", "sphere")
    none = ints(np.zeros((0, 3)))
    if kind == "mesh":
        corners, faces = _mesh(meshes[geom["mesh"]], files)
        return Emitted(name, floats(place.moved(corners)), 0.0, ints(faces))
    if kind not in _SIZES:
        raise ValueError(f"geom {name} is a {kind}")
    size = _numbers(geom["size"], _SIZES[kind])
    if kind == "box":
        return Emitted(name, floats(place.moved(_CORNERS * size)), 0.0, none)
    half = size[1] if kind == "capsule" else 0.0
    ends = np.array([[0.0, 0.0, -half], [0.0, 0.0, half]]) if half > 0 else np.zeros((1, 3))
    return Emitted(name, floats(place.moved(ends)), float(size[0]), none)


def _mesh(mesh: Mapping[str, str], files: Mapping[str, bytes]) -> tuple[Floats, Ints]:
    """Return a mesh as MuJoCo places it: less refpos, turned back by refquat, then scaled."""
    try:
        vertices, faces = read_obj(files[mesh["file"]])
    except ValueError as error:
        raise ValueError(f"{mesh['file']}: {error}") from None
    scale = _numbers(mesh.get("scale", "1 1 1"), 3)
    frame = turned(_numbers(mesh.get("refquat", "1 0 0 0"), 4))
    placed = (vertices - _numbers(mesh.get("refpos", "0 0 0"), 3)) @ frame * scale
    return placed, faces[:, ::-1] if np.prod(scale) < 0 else faces


def _numbers(text: str, count: int) -> Floats:
    found = np.array([float(word) for word in text.split()])
    if len(found) != count or not np.isfinite(found).all():
        raise ValueError(f"{text!r} is not {count} number{'s' if count > 1 else ''}")
    return found
