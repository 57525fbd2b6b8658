"""
The asset and its scene as MJCF text, in the manner of the MuJoCo Menagerie.

The asset holds nothing that belongs to a scene (no option, size, visual, keyframe), so it attaches without conflict.
Elements are built as a tree and never by joining strings: a name with a quote in it stays a name.
"""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

import numpy as np

from r2s.compiler.ir import Floats
from r2s.compiler.slots import Slot
from r2s.passes.mjcf.form import Form, Part
from r2s.passes.mjcf.rotation import principal, quaternion

BUILD_KEY = "{build_key}"

_GREY = "0.75 0.75 0.73 1"
_SKY = {
    "type": "skybox",
    "builtin": "gradient",
    "rgb1": "0.3 0.5 0.7",
    "rgb2": "0 0 0",
    "width": "512",
    "height": "3072",
}
_TILES = {
    "name": "floor",
    "type": "2d",
    "builtin": "checker",
    "mark": "edge",
    "rgb1": "0.2 0.3 0.4",
    "rgb2": "0.1 0.2 0.3",
    "markrgb": "0.8 0.8 0.8",
    "width": "300",
    "height": "300",
}
PRIMITIVE_SIZES = {"box": 3, "sphere": 1, "capsule": 2}


@dataclass(frozen=True, eq=False)
class Body:
    """
    All that the asset's XML says, in the asset's frame.

    *mass* kg, *com* (3,) m, *inertia* (3, 3) kg m² about it, *friction* the three numbers of ``geom_friction``;
    *folder* holds the meshes of *form*.
    """

    name: str
    folder: str
    form: Form
    mass: float
    com: Floats
    inertia: Floats
    friction: tuple[float, ...]
    free: bool = True


def asset_xml(body: Body, slots: Sequence[Slot], document: str) -> str:
    """Return the MJCF of *body*; *document* is the JSON of the *slots*."""
    root = ET.Element("mujoco", model=body.name)
    # auto lets the explicit inertial win and still lets other bodies of an including scene infer theirs.
    ET.SubElement(root, "compiler", angle="radian", meshdir=body.folder, autolimits="true", inertiafromgeom="auto")
    _defaults(ET.SubElement(root, "default"), body)
    assets = ET.SubElement(root, "asset")
    # The mesh's own inertia is not used; "shell" is the mode that needs no volume, so no thin or tiny mesh is refused.
    ET.SubElement(assets, "mesh", name=f"{body.name}_visual", file=body.form.visual_file, inertia="shell")
    for part in body.form.parts:
        if part.file:
            ET.SubElement(assets, "mesh", name=part.mesh, file=part.file, inertia="shell")
    custom = ET.SubElement(root, "custom")
    for slot in slots:
        ET.SubElement(custom, "numeric", name=f"slot/{slot.name}", data=slot.numeric)
    ET.SubElement(custom, "text", name="slots", data=document)
    ET.SubElement(custom, "text", name="build_key", data=BUILD_KEY)
    _body(ET.SubElement(root, "worldbody"), body)
    return _text(root)


def scene_xml(body: Body, asset_file: str) -> str:
    """
    Return a scene that includes *asset_file*, with the floor where the asset touches it.

    Contacts that hold a grasp need the elliptic cone and a high impratio: slip fell from 4.6 mm/s to 0.15 mm/s.
    """
    root = ET.Element("mujoco", model=f"{body.name} scene")
    root.append(ET.Comment(f" build {BUILD_KEY} "))
    ET.SubElement(root, "include", file=asset_file)
    form, step = body.form, _number(body.form.timestep)
    option = ET.SubElement(root, "option", timestep=step, integrator="implicitfast", cone="elliptic", impratio="10")
    ET.SubElement(option, "flag", multiccd="enable")
    around = np.round(form.middle, 4)
    ET.SubElement(root, "statistic", center=_numbers(around), extent=_number(round(2 * form.diagonal, 4)))
    visual = ET.SubElement(root, "visual")
    ET.SubElement(visual, "headlight", diffuse="0.6 0.6 0.6", ambient="0.3 0.3 0.3", specular="0 0 0")
    ET.SubElement(visual, "global", azimuth="140", elevation="-25")
    assets = ET.SubElement(root, "asset")
    ET.SubElement(assets, "texture", _SKY)
    ET.SubElement(assets, "texture", _TILES)
    ET.SubElement(
        assets, "material", name="floor", texture="floor", texuniform="true", texrepeat="10 10", reflectance="0.2"
    )
    world = ET.SubElement(root, "worldbody")
    above = np.round(form.middle + np.array([0, 0, 20 * form.diagonal]), 4)
    ET.SubElement(world, "light", name="sun", pos=_numbers(above), dir="0 0 -1", directional="true")
    where = f"0 0 {_number(form.floor)}"
    ET.SubElement(world, "geom", name="floor", type="plane", pos=where, size="0 0 0.05", material="floor")
    return _text(root)


def _defaults(parent: ET.Element, body: Body) -> None:
    visual = ET.SubElement(parent, "default", {"class": "visual"})
    ET.SubElement(
        visual, "geom", type="mesh", group="2", contype="0", conaffinity="0", mass="0", rgba=_GREY
    )  # fmt: skip
    collision = ET.SubElement(parent, "default", {"class": "collision"})
    ET.SubElement(
        collision, "geom", type="mesh", group="3", mass="0", priority="1", condim="4",
        friction=_numbers(body.friction), solref=f"{_number(body.form.solref)} 1",
    )  # fmt: skip


def _body(world: ET.Element, body: Body) -> None:
    element = ET.SubElement(world, "body", name=body.name)
    if body.free:
        ET.SubElement(element, "freejoint", name=f"{body.name}_free")
    # Not fullinertia: MuJoCo up to 3.11 stops its eigen solver at 1e-12 absolute, 6 % off for a moment of 1e-11 kg m2.
    moments, axes = principal(body.inertia)
    inertial = {"pos": _numbers(body.com), "mass": _number(body.mass), "diaginertia": _numbers(moments)}
    ET.SubElement(element, "inertial", inertial | _turn(axes))
    ET.SubElement(
        element, "geom", {"name": f"{body.name}_visual", "class": "visual", "mesh": f"{body.name}_visual"}
    )  # fmt: skip
    for index, part in enumerate(body.form.parts):
        ET.SubElement(element, "geom", _geom(part, index))


def _geom(part: Part, index: int) -> dict[str, str]:
    found = {"name": part.geom, "class": "collision", "rgba": _colour(index)}
    piece = part.piece
    if piece.kind == "mesh":
        return found | {"mesh": part.mesh}
    placed = {
        "type": piece.kind,
        "size": _numbers(piece.size[: PRIMITIVE_SIZES[piece.kind]]),
        "pos": _numbers(piece.center),
    }
    return found | placed | ({} if piece.kind == "sphere" else _turn(piece.rotation))


def _turn(rotation: Floats) -> dict[str, str]:
    q = quaternion(rotation)
    return {} if np.array_equal(q, [1, 0, 0, 0]) else {"quat": _numbers(q)}


def _colour(index: int) -> str:
    """Return the colour of a piece: hues a golden angle apart, so that neighbours differ."""
    red, green, blue = colorsys.hsv_to_rgb(index * 0.618033988749895 % 1, 0.5, 0.9)
    return f"{red:.3f} {green:.3f} {blue:.3f} 0.6"


def _numbers(values: Sequence[float] | Floats) -> str:
    return " ".join(_number(v) for v in values)


def _number(value: float) -> str:
    """Twelve digits: more than any reading has, and fewer than differ between processors."""
    return f"{float(value) + 0.0:.12g}"


def _text(root: ET.Element) -> str:
    ET.indent(root, "  ")
    # A ">" inside a value is escaped, so this touches only the ends of empty elements.
    return ET.tostring(root, encoding="unicode").replace(" />", "/>") + "\n"
