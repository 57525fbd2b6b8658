"""A sound asset changed in one place before MuJoCo reads it back: no change may get out."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
import trimesh

from r2s.compiler.errors import InvalidInputError, SimulationError
from r2s.compiler.ir import Asset, Hulls, Piece, Scan, Surface, bools, floats, ints
from r2s.compiler.readings import BalancePoint, Fill, Quantity
from r2s.passes.emit import Emit
from r2s.passes.mjcf.document import Body
from r2s.passes.mjcf.form import form_of
from r2s.passes.mjcf.readback import compare, compile_texts
from r2s.passes.mjcf.rest import rest

FRICTION = (0.6, 0.005, 0.0001)


def ell() -> Hulls:
    """Two blocks in the shape of an L: its pieces are exactly its parts."""
    low = trimesh.creation.box(bounds=[[0, 0, 0], [0.08, 0.05, 0.02]])
    high = trimesh.creation.box(bounds=[[0, 0, 0.02], [0.03, 0.05, 0.06]])
    whole = trimesh.boolean.union([low, high], engine="manifold")
    nothing = floats([], 0, 3)
    vertices, faces = floats(whole.vertices), ints(whole.faces)
    scan = Scan(vertices, nothing, ints([], 0, 3), floats(np.eye(4)), 0.0, 1e-3, 1e-3, math.nan, "m")
    surface = Surface(vertices, faces, bools(np.ones(len(faces))), scan)
    zero, upright = floats(np.zeros(3)), floats(np.eye(3))
    pieces = (Piece("mesh", floats(p.vertices), ints(p.faces), zero, upright, zero) for p in (low, high))
    return Hulls(tuple(pieces), surface)


@pytest.fixture(scope="module")
def sound() -> tuple[Asset, Body]:
    hulls = ell()
    asset = Emit(mass=Quantity(0.1, 0.0005, "kg", "measured"), fill=Fill("solid")).run(hulls).value
    form = form_of(hulls, asset.to_asset[:3, 3], "asset")
    return asset, Body("asset", "asset.assets", form, asset.mass, asset.com, asset.inertia, FRICTION)


def collisions(root: ET.Element) -> list[ET.Element]:
    return [geom for geom in root.iter("geom") if "collision" in geom.get("name", "")]


def dropped(root: ET.Element) -> None:
    body = next(b for b in root.iter("body") if collisions(b))
    body.remove(collisions(body)[1])


def moved(root: ET.Element) -> None:
    collisions(root)[1].set("pos", "0 0 0.00001")


def exchanged(root: ET.Element) -> None:
    one, other = collisions(root)
    one.set("mesh", other.get("mesh", ""))


def doubled(root: ET.Element) -> None:
    body = next(b for b in root.iter("body") if collisions(b))
    body.append(ET.Element("geom", {**collisions(body)[1].attrib, "name": "asset_collision_99"}))


def heavier(root: ET.Element) -> None:
    next(root.iter("inertial")).set("mass", "0.1001")


def gone(root: ET.Element) -> None:
    for mesh in root.iter("mesh"):
        mesh.set("file", "nowhere.obj")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (dropped, "R2S724"),
        (doubled, "R2S724"),
        (moved, "R2S723"),
        (exchanged, "R2S723"),
        (heavier, "R2S722"),
        (gone, "R2S721"),
    ],
)
def test_a_changed_model_is_seen_when_it_is_read_back(
    sound: tuple[Asset, Body], change: Callable[[ET.Element], None], code: str
) -> None:
    asset, body = sound
    meshes = dict(asset.files())
    assert compare(compile_texts("asset", asset.xml, asset.scene, meshes)[0], body)
    root = ET.fromstring(asset.xml)
    change(root)
    with pytest.raises(SimulationError) as caught:
        compare(compile_texts("asset", ET.tostring(root, encoding="unicode"), asset.scene, meshes)[0], body)

    assert (caught.value.code, caught.value.exit_code) == (code, 7)


def test_a_changed_mesh_file_is_seen_when_it_is_read_back(sound: tuple[Asset, Body]) -> None:
    """A vertex moved by 0.1 mm in the bytes of one piece."""
    asset, body = sound
    meshes = dict(asset.files())
    name = next(n for n in sorted(meshes) if n.startswith("piece_001"))
    lines = meshes[name].decode().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("v "))
    x, y, z = (float(word) for word in lines[at].split()[1:])
    lines[at] = f"v {x - 1e-4:.9g} {y:.9g} {z:.9g}"
    broken = {**meshes, name: ("\n".join(lines) + "\n").encode()}
    with pytest.raises(SimulationError, match=r"0\.\d+ mm") as caught:
        compare(compile_texts("asset", asset.xml, asset.scene, broken)[0], body)

    assert caught.value.code == "R2S723"


def test_a_scene_that_blows_up_is_a_failed_simulation_and_leaves_no_log(
    sound: tuple[Asset, Body], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gravity without measure: MuJoCo warns of numbers that are not finite, or far too large."""
    monkeypatch.chdir(tmp_path)
    asset, body = sound
    _, scene = compile_texts("asset", asset.xml, asset.scene, dict(asset.files()))
    assert rest(scene, body)
    scene.opt.timestep = 0.4
    scene.opt.gravity[2] = -1e12
    with pytest.raises(SimulationError, match="the simulation of the scene fails: mjWARN_BAD") as caught:
        rest(scene, body)

    assert (caught.value.code, caught.value.exit_code) == ("R2S725", 7)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("value", "outside"), [(0.040, False), (0.079, False), (0.0801, True), (-0.001, True)])
def test_a_balance_point_outside_the_object(value: float, outside: bool) -> None:
    step = Emit(
        mass=Quantity(0.1, 0.0005, "kg", "measured"),
        fill=Fill("solid"),
        com=(BalancePoint("extent_x", "min", value, 1e-3),),
    )
    if not outside:
        assert step.run(ell()).value.com[0] == pytest.approx(value - 0.04, abs=1e-9)
        return
    with pytest.raises(InvalidInputError) as caught:
        step.run(ell())

    assert (caught.value.code, caught.value.exit_code) == ("R2S708", 3)
    assert f"the balance point {value * 1e3:.2f} mm from the min of extent_x" in caught.value.message
    assert "80.00 mm long" in caught.value.message
