"""Emission: the files, what MuJoCo makes of them, the slots, and that a wrong asset does not get out."""

from __future__ import annotations

import dataclasses
import math
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import mujoco
import numpy as np
import pytest
import trimesh
import yaml

from r2s.compiler.codec import decode, plain
from r2s.compiler.codes import catalogue
from r2s.compiler.errors import InvalidInputError, SimulationError, UsageError
from r2s.compiler.ir import Anchor, Asset, Floats, Hulls, Piece, Scan, Surface, bools, floats, ints
from r2s.compiler.ledger import Change, DirectedDistance, Scalar
from r2s.compiler.protocol import Outcome, ends
from r2s.compiler.readings import BalancePoint, Fill, Friction, Quantity
from r2s.compiler.serve import options_tree
from r2s.compiler.slots import Slot, from_json
from r2s.passes.emit import Emit
from r2s.passes.mjcf import readback as _readback
from r2s.passes.mjcf.document import Body
from r2s.passes.mjcf.form import form_of
from r2s.passes.mjcf.openslots import coverage
from r2s.passes.mjcf.readback import compare, compile_texts, compiled_pieces
from r2s.passes.mjcf.rest import rest
from r2s.passes.mjcf.rotation import matrix

UNANCHORED = Anchor()
NOWHERE, UPRIGHT = floats(np.zeros(3)), floats(np.eye(3))
WEIGHED = Quantity(0.094, 0.0005, "kg", "measured")
SOLID = Fill("solid")


def _surface(mesh: trimesh.Trimesh, from_source: Floats = UPRIGHT) -> Surface:
    placed = np.eye(4)
    placed[: len(from_source), : len(from_source)] = from_source
    vertices = floats(mesh.vertices)
    nothing = floats([], 0, 3)
    scan = Scan(vertices, nothing, ints([], 0, 3), floats(placed), 0.0, 1e-3, 1e-3, math.nan, "m")
    return Surface(vertices, ints(mesh.faces), bools(np.ones(len(mesh.faces))), scan)


def _hull(mesh: trimesh.Trimesh) -> Piece:
    hull = mesh.convex_hull
    return Piece("mesh", floats(hull.vertices), ints(hull.faces), NOWHERE, UPRIGHT, NOWHERE)


def _primitive(kind: Any, center: Any, size: Any, rotation: Floats = UPRIGHT) -> Piece:
    return Piece(kind, floats([], 0, 3), ints([], 0, 3), floats(center), floats(rotation), floats(size))


def _box(size: Any = (0.057, 0.058, 0.056), at: Any = (0.3, -0.2, 0.1), turn: Floats = UPRIGHT) -> trimesh.Trimesh:
    mesh = trimesh.creation.box(size)
    mesh.apply_transform(np.vstack([np.column_stack([turn, at]), [0, 0, 0, 1]]))
    return mesh


def _turned(mesh: trimesh.Trimesh, turn: Floats) -> trimesh.Trimesh:
    return trimesh.Trimesh(mesh.vertices @ turn.T, mesh.faces, process=False)


def _box_hulls(anchor: Anchor = UNANCHORED, **how: Any) -> Hulls:
    mesh = _box(**how)
    return Hulls((_hull(mesh),), _surface(mesh), anchor)


def _cup_hulls(radius: float = 0.03, wall: float = 0.004, height: float = 0.06, sides: int = 16) -> Hulls:
    """A cup: its surface closed and with a cavity, its pieces a floor and one slab a side."""
    turn = np.arange(sides) * 2 * np.pi / sides

    def ring(r: float, z: float) -> Floats:
        return np.column_stack([r * np.cos(turn), r * np.sin(turn), np.full(sides, z)])

    rings = [ring(radius, 0), ring(radius, height), ring(radius - wall, height), ring(radius - wall, wall)]
    vertices = np.vstack([*rings, [[0, 0, 0], [0, 0, wall]]])
    faces, last = [], len(vertices) - 1
    for i, j in zip(range(sides), np.roll(np.arange(sides), -1), strict=True):
        for low in range(0, 3 * sides, sides):
            faces += [[low + i, low + j, low + sides + j], [low + i, low + sides + j, low + sides + i]]
        faces += [[j, i, last - 1], [3 * sides + i, 3 * sides + j, last]]
    mesh = trimesh.Trimesh(vertices, faces, process=False)
    slabs = [trimesh.convex.convex_hull(np.vstack([rings[0], ring(radius, wall)]))]
    for i, j in zip(range(sides), np.roll(np.arange(sides), -1), strict=True):
        corners = [ring(r, z)[[i, j]] for r in (radius, radius - wall) for z in (wall, height)]
        slabs.append(trimesh.convex.convex_hull(np.vstack(corners)))
    return Hulls(tuple(_hull(s) for s in slabs), _surface(mesh))


def _write(asset: Asset, folder: Path, stem: str = "asset") -> Path:
    """Write the files as the manager does and return the path of the XML."""
    (folder / f"{stem}.assets").mkdir(parents=True)
    for name, content in asset.files():
        (folder / f"{stem}.assets" / name).write_bytes(content)
    (folder / f"{stem}.xml").write_text(asset.xml.replace("{build_key}", "0" * 64))
    (folder / f"{stem}.scene.xml").write_text(asset.scene.replace("{build_key}", "0" * 64))
    return folder / f"{stem}.xml"


def _slots(outcome: Outcome[Asset]) -> dict[str, Slot]:
    return {s.name: s for s in from_json(outcome.value.slots)}


def _codes(outcome: Outcome[Asset], severity: str) -> list[str]:
    return sorted(d.code for d in outcome.diagnostics if d.severity == severity)


def _terms(outcome: Outcome[Asset]) -> Mapping[str, Any]:
    return {t.id: t for t in outcome.terms}


def _tensor(model: Any, body: int) -> Floats:
    axes = matrix(model.body_iquat[body])
    return np.asarray(axes @ np.diag(model.body_inertia[body]) @ axes.T)


# --- the contract of a pass -------------------------------------------------------------------------------------------


def test_it_is_a_pass_from_hulls_to_asset_with_plain_options() -> None:
    assert ends(Emit) == (Hulls, Asset)
    step = Emit(
        mass=WEIGHED,
        fill=Fill("shell", 1e-3),
        com=(BalancePoint("extent_z", "min", 0.02, 1e-3),),
        friction=(Friction("slide", 0.5, 0.4, 0.6, "measured"),),
    )
    assert plain(step)["fill"] == {"kind": "shell", "thickness": 1e-3}
    assert hash(step) == hash(dataclasses.replace(step))
    assert Emit(**{k: decode(v, {}, str) for k, v in options_tree(step).items()}) == step


def test_every_code_it_can_raise_is_in_the_catalogue() -> None:
    sources = [
        Path(m.__file__ or "") for n, m in sys.modules.items() if n.startswith(("r2s.passes", "r2s.compiler.slots"))
    ]
    used = set(re.findall(r"R2S7\d\d", "".join(p.read_text() for p in sources if p.suffix == ".py")))
    known = {name for name in catalogue() if name.startswith("R2S7")}
    assert used == known
    assert len(used) > 15


@pytest.mark.parametrize(
    "options", [{"origin": "top"}, {"body": "fixed"}, {"model": 'a"b'}, {"model": ""}, {"stem": "a/b"}, {"stem": ""}]
)
def test_impossible_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises((UsageError, InvalidInputError)) as caught:
        Emit(**options)
    assert caught.value.code in ("R2S710", "R2S711")


# --- the files --------------------------------------------------------------------------------------------------------


def test_files_are_named_by_content_and_hold_one_object_each() -> None:
    asset = Emit().run(_cup_hulls()).value
    names = asset.file_names
    assert names[0].startswith("visual-")
    assert [n[:9] for n in names[1:]] == [f"piece_{i:03d}" for i in range(17)]
    for name, content in asset.files():
        assert re.fullmatch(r"(visual|piece_\d{3})-[0-9a-f]{8}\.obj", name)
        lines = content.decode("ascii").splitlines()
        assert sum(line.startswith("o ") for line in lines) == 1
        assert not any("e" in line for line in lines if line.startswith("v "))
    assert set(re.findall(r'file="([^"]+)"', asset.xml)) == set(names)
    assert len(set(re.findall(r'mesh name="([^"]+)"', asset.xml))) == len(names)


def test_asset_holds_nothing_of_a_scene_and_stands_in_menagerie_order() -> None:
    asset = Emit(model="cube", stem="cube").run(_box_hulls()).value
    root = ET.fromstring(asset.xml)
    assert [child.tag for child in root] == ["compiler", "default", "asset", "custom", "worldbody"]
    assert [d.get("class") for d in root.findall("default/default")] == ["visual", "collision"]
    assert root.find("compiler").attrib["inertiafromgeom"] == "auto"  # type: ignore[union-attr]  # it is there
    assert asset.xml.count("{build_key}") == 1
    assert asset.scene.count("{build_key}") == 1
    assert root.findall("custom/text[@name='build_key']")[0].get("data") == "{build_key}"
    assert "balanceinertia" not in asset.xml
    assert "fullinertia" not in asset.xml


def test_equal_inputs_give_equal_bytes_in_another_process() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import test_emit as t\nprint(t.Emit(mass=t.WEIGHED).run(t._cup_hulls()).value.digest())"
    )
    env = {**os.environ, "PYTHONHASHSEED": "7", "LC_ALL": "C", "OMP_NUM_THREADS": "1"}
    found = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == Emit(mass=WEIGHED).run(_cup_hulls()).value.digest()


def test_a_stem_with_quotes_and_spaces_stays_a_name(tmp_path: Path) -> None:
    stem = """a "b" <c> & 'd' é"""
    asset = Emit(model="cube", stem=stem).run(_box_hulls()).value
    path = _write(asset, tmp_path, stem)
    assert mujoco.MjModel.from_xml_path(str(path)).body("cube").id == 1


def test_a_large_surface_shows_its_simplified_form() -> None:
    fine, coarse = trimesh.creation.icosphere(6, 0.03), trimesh.creation.icosphere(3, 0.03)
    first = _surface(fine)
    simple = dataclasses.replace(_surface(coarse), scan=first.scan, origin=first)
    outcome = Emit(mass=WEIGHED, fill=SOLID).run(Hulls((_primitive("sphere", NOWHERE, [0.03, 0, 0]),), simple))
    assert outcome.value.file_bytes[0].count(b"\nf ") == len(coarse.faces)
    assert _terms(outcome)["emit.volume"].value == pytest.approx(first.volume, rel=1e-12)  # not the simplified one


# --- frame ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ["base", "com", "scan"])
def test_one_matrix_takes_the_surface_to_what_mujoco_compiled(origin: Any) -> None:
    placed = np.eye(4)
    placed[:3, 3] = [0.01, 0.02, 0.03]
    mesh = _box(turn=matrix(np.array([1, 0.2, 0.1, -0.3])))
    hulls = Hulls((_hull(mesh),), _surface(mesh, floats(placed)), Anchor(1.01, 1.01, 1e-3, 2, True, "measured"))
    asset = Emit(origin=origin, mass=WEIGHED).run(hulls).value
    (piece,) = compiled_pieces(asset)
    expected = mesh.vertices @ asset.to_asset[:3, :3].T + asset.to_asset[:3, 3]
    assert asset.to_asset[:3, :3] == pytest.approx(1.01 * np.eye(3))
    assert np.sort(piece.vertices, axis=0) == pytest.approx(np.sort(expected, axis=0), abs=2e-8)
    low, high = expected.min(axis=0), expected.max(axis=0)
    foot = [*(low + high)[:2] / 2, low[2]]
    scanned = asset.to_asset[:3, 3] + 1.01 * placed[:3, 3]
    zero = {"base": foot, "com": (low + high) / 2, "scan": scanned}
    assert zero[origin] == pytest.approx(np.zeros(3), abs=1e-12)


def test_an_origin_that_single_precision_cannot_bear_is_refused() -> None:
    placed = np.eye(4)
    placed[:3, 3] = [-5.4e6, 0, 0]
    mesh = _box()
    with pytest.raises(SimulationError) as caught:
        Emit(origin="scan", mass=WEIGHED).run(Hulls((_hull(mesh),), _surface(mesh, floats(placed))))
    assert caught.value.code in ("R2S721", "R2S723")


def test_primitives_are_compiled_where_they_are() -> None:
    turn = matrix(np.array([0.8, 0.3, -0.2, 0.4]))
    mesh = _box((0.1, 0.1, 0.1), NOWHERE)
    pieces = (
        _primitive("box", [0, 0.01, 0], [0.02, 0.03, 0.01], turn),
        _primitive("sphere", [0, 0, 0.02], [0.03, 0, 0]),
        _primitive("capsule", [0.01, 0, 0], [0.01, 0.02, 0], turn),
    )
    asset = Emit(mass=WEIGHED, origin="com").run(Hulls(pieces, _surface(mesh), Anchor(factor=1.02))).value
    assert len(asset.file_names) == 1
    for ours, theirs in zip(pieces, compiled_pieces(asset), strict=True):
        assert theirs.kind == ours.kind
        assert theirs.center == pytest.approx(1.02 * ours.center, abs=1e-12)
        assert theirs.size == pytest.approx(1.02 * ours.size, abs=1e-12)
        if ours.kind != "sphere":
            assert theirs.rotation == pytest.approx(ours.rotation, abs=1e-11)


# --- mass properties --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", [UPRIGHT, matrix(np.array([0.9, 0.1, 0.3, -0.2]))])
def test_compiled_mass_properties_are_those_of_the_closed_surface(turn: Floats) -> None:
    size = np.array([0.05, 0.08, 0.11])
    outcome = Emit(mass=WEIGHED, fill=SOLID).run(_box_hulls(size=size, turn=turn))
    asset = outcome.value
    model, scene = compile_texts("asset", asset.xml, asset.scene, dict(asset.files()))
    exact = turn @ np.diag(0.094 / 12 * (np.sum(size**2) - size**2)) @ turn.T
    for m in (model, scene):
        assert m.body_mass[1] == pytest.approx(0.094, rel=1e-9)
        assert m.body_ipos[1] == pytest.approx(asset.com, abs=1e-12)
        assert _tensor(m, 1) == pytest.approx(exact, rel=1e-6, abs=1e-12)
    assert asset.mass == 0.094
    assert asset.inertia == pytest.approx(exact, rel=1e-9, abs=1e-15)
    assert _terms(outcome)["emit.mass"] == Change(
        "emit.mass", "mass", 0.094, 0.094, "kg", _terms(outcome)["emit.mass"].evidence
    )
    assert _terms(outcome)["emit.density"].value == pytest.approx(0.094 / size.prod(), rel=1e-9)


def test_a_turned_grain_keeps_its_inertia() -> None:
    """A moment of 1e-11 kg m2 as fullinertia is 6 % off in MuJoCo up to 3.11; as axes and moments it is exact."""
    turn, size = matrix(np.array([0.9, 0.1, 0.3, -0.2])), np.array([0.002, 0.003, 0.0045])
    outcome = Emit(mass=Quantity(3e-6, 0, "kg", "measured"), fill=SOLID).run(_box_hulls(size=size, turn=turn))
    asset = outcome.value
    model, _ = compile_texts("asset", asset.xml, asset.scene, dict(asset.files()))
    exact = turn @ np.diag(3e-6 / 12 * (np.sum(size**2) - size**2)) @ turn.T
    assert np.abs(_tensor(model, 1) - exact).max() < 1e-6 * exact.max()
    assert exact.max() < 1e-11


def test_pieces_can_be_told_apart_and_seen_through() -> None:
    asset = Emit(mass=WEIGHED, fill=SOLID).run(_cup_hulls()).value
    model, _ = compile_texts("asset", asset.xml, asset.scene, dict(asset.files()))
    colours = model.geom_rgba[model.geom_contype > 0]

    assert len(colours) == 17
    assert colours[:, 3] == pytest.approx(0.6)
    apart = np.linalg.norm(colours[:, None, :3] - colours[None, :, :3], axis=2) + np.eye(17)
    assert apart.min() > 0.05
    assert np.linalg.norm(np.diff(colours[:, :3], axis=0), axis=1).min() > 0.4  # neighbours in the list differ clearly


def test_overlapping_pieces_and_the_visual_weigh_nothing(tmp_path: Path) -> None:
    mesh = _box()
    asset = Emit(mass=WEIGHED).run(Hulls((_hull(mesh),) * 3, _surface(mesh))).value
    model = mujoco.MjModel.from_xml_path(str(_write(asset, tmp_path)))
    assert model.ngeom == 4
    assert model.body_mass.sum() == pytest.approx(0.094, rel=1e-12)
    visual = model.geom("asset_visual")
    assert not visual.contype[0]
    assert not visual.conaffinity[0]
    assert visual.group[0] == 2


def test_mass_comes_from_the_reading_then_the_density_then_an_assumption() -> None:
    hulls, volume = _box_hulls(), 0.057 * 0.058 * 0.056
    density = Quantity(1240.0, 20.0, "kg/m^3", "declared")
    weighed = Emit(mass=WEIGHED, density=density, fill=SOLID).run(hulls)
    declared = Emit(density=density, fill=SOLID).run(hulls)
    assumed = Emit(fill=SOLID).run(hulls)
    assert weighed.value.mass == 0.094
    assert _codes(weighed, "warning") == []
    assert declared.value.mass == pytest.approx(1240 * volume, rel=1e-9)
    assert _codes(declared, "warning") == []
    assert assumed.value.mass == pytest.approx(1000 * volume, rel=1e-9)
    assert _codes(assumed, "warning") == ["R2S701"]
    slots = [_slots(o)["mass"] for o in (weighed, declared, assumed)]
    assert [(s.lo, s.hi) for s in slots] == [
        (0.0935, 0.0945),
        (pytest.approx(1220 * volume, rel=1e-5), pytest.approx(1260 * volume, rel=1e-5)),
        (pytest.approx(300 * volume, rel=1e-5), pytest.approx(3000 * volume, rel=1e-5)),
    ]
    assert [s.method for s in slots] == ["measured", "declared", "assumed"]
    assert [_slots(o)["size"].keeps for o in (weighed, declared, assumed)] == ["mass", "density", "density"]


def test_a_scale_factor_enters_volume_and_inertia() -> None:
    density = Quantity(1000.0, 0, "kg/m^3", "declared")
    one, two = (Emit(density=density, fill=SOLID).run(_box_hulls(Anchor(factor=f))).value for f in (1.0, 1.02))
    assert two.mass / one.mass == pytest.approx(1.02**3, rel=1e-9)
    assert two.inertia / 1.02**5 == pytest.approx(one.inertia, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(
    ("grams", "warnings", "notes"),
    [(2400.0, ["R2S704"], []), (3.0, ["R2S705"], []), (94.0, [], ["R2S706"]), (220.0, [], [])],
)
def test_a_density_that_no_material_has_is_named(grams: float, warnings: list[str], notes: list[str]) -> None:
    outcome = Emit(mass=Quantity(grams / 1e3, 1e-4, "kg", "measured")).run(_box_hulls())
    assert _codes(outcome, "warning") == warnings
    assert _codes(outcome, "note") == sorted([*notes, "R2S702", "R2S703"])


def test_mass_and_density_that_disagree_are_named() -> None:
    both = Emit(mass=WEIGHED, density=Quantity(300.0, 0, "kg/m^3", "declared"), fill=SOLID).run(_box_hulls())
    assert _codes(both, "warning") == ["R2S709"]
    assert both.value.mass == 0.094


def test_the_wrench_is_too_heavy_for_its_mesh(data: Path) -> None:
    outcome = _ycb(data, "042_adjustable_wrench")
    (said,) = [d for d in outcome.diagnostics if d.severity == "warning"]
    assert said.message == (
        "252 g in 19.8 cm3 is 12.7 g/cm3, denser than steel (7.85 g/cm3): the mesh is too thin or the mass is wrong"
    )


# --- fill -------------------------------------------------------------------------------------------------------------


def test_unknown_fill_reaches_from_solid_to_shell() -> None:
    """Cube: m a²/6 solid, 5 m a²/18 as a thin shell."""
    outcome = Emit(mass=WEIGHED).run(_box_hulls(size=(0.06,) * 3))
    slot = _slots(outcome)["inertia"]
    assert (slot.nominal, slot.lo, slot.method) == (1.0, 1.0, "estimated")
    assert slot.hi == pytest.approx(5 / 3, rel=1e-5)
    assert outcome.value.inertia == pytest.approx(0.094 * 0.06**2 / 6 * np.eye(3), rel=1e-9, abs=1e-15)


def test_shell_has_the_inertia_and_mass_of_its_wall() -> None:
    a, t = 0.06, 0.002
    b = a - 2 * t
    outcome = Emit(density=Quantity(1000.0, 0, "kg/m^3", "declared"), fill=Fill("shell", t)).run(
        _box_hulls(size=(a,) * 3)
    )
    assert outcome.value.mass == pytest.approx(1000 * (a**3 - b**3), rel=1e-3)
    exact = (a**5 - b**5) / (a**3 - b**3) / 6
    assert outcome.value.inertia[0, 0] / outcome.value.mass == pytest.approx(exact, rel=1e-3)
    assert "R2S703" not in _codes(outcome, "note")


def test_a_wall_that_does_not_fit_is_refused() -> None:
    with pytest.raises(InvalidInputError) as caught:
        Emit(mass=WEIGHED, fill=Fill("shell", 0.025)).run(_box_hulls())
    assert caught.value.code == "R2S714"


def test_balance_point_moves_the_centre_of_mass() -> None:
    outcome = Emit(mass=WEIGHED, com=(BalancePoint("extent_z", "max", 0.020, 0.001),)).run(_box_hulls())
    assert outcome.value.com == pytest.approx([0, 0, 0.036], abs=1e-12)
    slots = _slots(outcome)
    assert (slots["com/z"].lo, slots["com/z"].hi, slots["com/z"].method) == (-0.001, 0.001, "measured")
    assert slots["com/x"].method == "assumed"
    assert slots["com/x"].hi == pytest.approx(0.02 * 0.057, rel=1e-5)


def test_balance_point_along_the_box_moves_the_centre_of_mass() -> None:
    hulls = _box_hulls()
    sides = np.ptp(hulls.surface.vertices, axis=0)
    axis = int(np.argmax(sides))
    outcome = Emit(mass=WEIGHED, com=(BalancePoint("extent_long", "max", 0.020, 0.0005),)).run(hulls)
    plain = Emit(mass=WEIGHED).run(hulls).value.com
    moved = outcome.value.com - plain
    assert moved[axis] == pytest.approx(sides[axis] / 2 - 0.020, abs=1e-6)
    assert np.delete(moved, axis) == pytest.approx([0, 0], abs=1e-6)
    slot = _slots(outcome)[f"com/{'xyz'[axis]}"]
    assert slot.hi == pytest.approx(0.0005, rel=1e-3)


def test_balance_point_outside_is_refused() -> None:
    with pytest.raises(InvalidInputError) as caught:
        Emit(com=(BalancePoint("extent_z", "max", 0.060, 0.001),)).run(_box_hulls())
    assert "60.00 mm from the max of extent_z lies outside the object, 56.00 mm long" in caught.value.message


# --- slots ------------------------------------------------------------------------------------------------------------


def test_numbers_in_the_model_and_the_text_and_the_file_agree(tmp_path: Path) -> None:
    outcome = Emit(model="cup", mass=WEIGHED).run(_cup_hulls())
    model = mujoco.MjModel.from_xml_path(str(_write(outcome.value, tmp_path)))
    slots = _slots(outcome)
    assert list(slots) == [
        "size", "mass", "inertia", "com/x", "com/y", "com/z", "friction/slide", "friction/spin", "friction/roll",
    ]  # fmt: skip
    for name, slot in slots.items():
        assert model.numeric(f"slot/{name}").data == pytest.approx([slot.nominal, slot.lo, slot.hi], abs=0)
    assert from_json(_text(model, "slots")) == tuple(slots.values())
    assert _text(model, "build_key") == "0" * 64
    assert {t.name for t in slots["friction/slide"].targets} == {f"cup_collision_{i:02d}" for i in range(17)}


def test_slots_survive_attaching_under_a_prefix(tmp_path: Path) -> None:
    outcome = Emit(model="cup", mass=WEIGHED).run(_cup_hulls())
    child = mujoco.MjSpec.from_file(str(_write(outcome.value, tmp_path)))
    parent = mujoco.MjSpec()
    parent.option.timestep = 0.004
    for index in (1, 2):
        frame = parent.worldbody.add_frame(pos=[index, 0, 0])
        parent.attach(child.copy(), prefix=f"m{index}_", frame=frame)
    model = parent.compile()
    assert model.opt.timestep == 0.004
    assert model.nbody == 3
    for index in (1, 2):
        text = _text(model, f"m{index}_slots")
        assert from_json(text) == from_json(outcome.value.slots)
        for slot in from_json(text):
            for target in slot.targets:
                where = getattr(model, target.type)(f"m{index}_{target.name}").id
                if slot.operation == "abs":
                    held = getattr(model, target.field)[where]
                    held = held if target.index is None else held[target.index]
                    assert held == pytest.approx(slot.nominal, rel=1e-12)
        body = model.body(f"m{index}_cup").id
        assert model.body_mass[body] == pytest.approx(0.094, rel=1e-9)
        assert _tensor(model, body) == pytest.approx(outcome.value.inertia, rel=1e-6, abs=1e-12)


def _text(model: Any, name: str) -> str:
    index = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_TEXT, name)
    start, size = model.text_adr[index], model.text_size[index]
    return bytes(model.text_data[start : start + size]).rstrip(b"\0").decode()


@pytest.mark.parametrize(
    ("anchor", "lo", "hi", "method"),
    [
        (Anchor(0.998, 0.998, 1e-3, math.inf, True, "measured"), math.exp(-2e-3), math.exp(2e-3), "measured"),
        (Anchor(0.998, 0.998, 1e-3, 2, True, "measured"), math.exp(-4.3027e-3), math.exp(4.3027e-3), "measured"),
        (Anchor(1.0, 0.999, 1e-3, math.inf, False, "measured"), math.exp(-3.0005e-3), math.exp(0.9995e-3), "measured"),
        (Anchor(1.0, 0.99, 1e-3, math.inf, False, "measured"), 0.99 * math.exp(-2e-3), 1.0, "measured"),
        (Anchor(), 0.98, 1.02, "assumed"),
    ],
)
def test_size_interval_is_what_the_fit_leaves(anchor: Anchor, lo: float, hi: float, method: str) -> None:
    slot = _slots(Emit(mass=WEIGHED).run(_box_hulls(anchor)))["size"]
    assert (slot.lo, slot.hi) == (pytest.approx(lo, abs=2e-6), pytest.approx(hi, abs=2e-6))
    assert slot.method == method


def test_coverage_factor_is_two_or_student() -> None:
    assert coverage(math.inf) == 2.0
    assert coverage(math.nan) == 2.0
    assert [round(coverage(n), 3) for n in (1, 3, 10)] == [12.706, 3.182, 2.228]


def test_friction_is_measured_or_named_as_assumed(tmp_path: Path) -> None:
    given = (
        Friction("slide", 0.5, 0.4, 0.6, "measured", "rubber", "ab" * 32),
        Friction("slide", 0.3, 0.25, 0.35, "declared", "steel"),
        Friction("damping", 0.1, 0.1, 0.1, "declared"),
    )
    outcome = Emit(mass=WEIGHED, friction=given).run(_box_hulls())
    slide, spin = (_slots(outcome)[f"friction/{k}"] for k in ("slide", "spin"))
    assert (slide.nominal, slide.lo, slide.hi, slide.method) == (0.5, 0.25, 0.6, "measured")
    assert "rubber" in slide.provenance
    assert "steel" in slide.provenance
    assert (spin.nominal, spin.method) == (0.005, "assumed")
    assert {"R2S715", "R2S716"} <= set(_codes(outcome, "note"))
    assert "R2S702" not in _codes(outcome, "note")
    model = mujoco.MjModel.from_xml_path(str(_write(outcome.value, tmp_path)))
    assert model.geom("asset_collision_00").friction == pytest.approx([0.5, 0.005, 0.0001], rel=1e-12)


# --- the scene --------------------------------------------------------------------------------------------------------


LYING = matrix(np.array([1.0, 0.0, 1.0, 0.0]))
SHAPES = {
    "box": lambda: _box_hulls(),
    "plate of 0.05 mm": lambda: _box_hulls(size=(0.08, 0.06, 0.00005)),
    "grain of 2 mm": lambda: _box_hulls(size=(0.002,) * 3),
    "cup": lambda: _cup_hulls(),
    "sphere": lambda: Hulls(
        (_primitive("sphere", [0, 0, 1], [0.03, 0, 0]),),
        _surface(trimesh.creation.icosphere(3, 0.03).apply_translation([0, 0, 1])),
    ),
    "capsule": lambda: Hulls(
        (_primitive("capsule", [0, 0, 0], [0.01, 0.03, 0], LYING),),
        _surface(_turned(trimesh.creation.capsule(0.06, 0.01), LYING)),
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("origin", ["base", "com"])
def test_it_rests_on_the_floor_of_its_scene(shape: str, origin: Any, tmp_path: Path) -> None:
    asset = Emit(density=Quantity(1000.0, 0, "kg/m^3", "declared"), origin=origin).run(SHAPES[shape]()).value
    _write(asset, tmp_path)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "asset.scene.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    start = data.qpos.copy()
    assert model.geom("floor").pos[2] == pytest.approx(_lowest(asset), abs=1e-8)
    heights = []
    for _ in range(round(2 / model.opt.timestep)):
        mujoco.mj_step(model, data)
        heights.append(data.qpos[2] - start[2])
    assert data.ncon > 0
    assert -data.contact.dist.min() < 1e-4
    assert max(heights) < 1e-5, "it jumped"
    assert heights[-1] > -1e-4, "it sank or fell over"
    assert max(np.linalg.norm(data.qvel[:3]), 0.05 * np.linalg.norm(data.qvel[3:])) < 2e-3
    assert not any(w.number for w in data.warning)


def _lowest(asset: Asset) -> float:
    heights = []
    for piece in compiled_pieces(asset):
        segment = abs(piece.rotation[2, 2]) * piece.size[1]
        below = piece.vertices[:, 2].min() if piece.kind == "mesh" else piece.center[2] - piece.size[0] - segment
        heights.append(float(below))
    return min(heights)


def test_a_static_body_does_not_move(tmp_path: Path) -> None:
    asset = Emit(body="static", mass=WEIGHED).run(_box_hulls()).value
    model = mujoco.MjModel.from_xml_path(str(_write(asset, tmp_path)))
    assert model.nv == 0
    assert model.body_mass[1] == pytest.approx(0.094)


def test_a_ball_reaches_the_floor_of_the_cup(tmp_path: Path) -> None:
    hulls = _cup_hulls()
    assert _ball_reaches(Emit(mass=WEIGHED).run(hulls).value, tmp_path / "cup") == pytest.approx(0.004 + 0.01, abs=2e-4)
    lid = Hulls((_hull(trimesh.convex.convex_hull(hulls.surface.vertices)),), hulls.surface)
    assert _ball_reaches(Emit(mass=WEIGHED).run(lid).value, tmp_path / "lid") == pytest.approx(0.06 + 0.01, abs=2e-4)


def _ball_reaches(asset: Asset, folder: Path, diameter: float = 0.02) -> float:
    """Drop a ball into the asset from above its middle and return where its centre comes to rest, m above the floor."""
    _write(asset, folder)
    spec = mujoco.MjSpec.from_file(str(folder / "asset.scene.xml"))
    top = max(float(p.vertices[:, 2].max()) for p in compiled_pieces(asset))
    ball = spec.worldbody.add_body(name="ball", pos=[0, 0, top + diameter])
    ball.add_freejoint()
    ball.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[diameter / 2, 0, 0], mass=0.01)
    model = spec.compile()
    data = mujoco.MjData(model)
    for _ in range(round(1.5 / model.opt.timestep)):
        mujoco.mj_step(model, data)
    return float(data.body("ball").xpos[2] - model.geom("floor").pos[2])


# --- the read-back stops what is wrong --------------------------------------------------------------------------------


def _sound() -> tuple[Asset, Body]:
    hulls = _box_hulls()
    asset = Emit(mass=WEIGHED, fill=SOLID).run(hulls).value
    form = form_of(hulls, asset.to_asset[:3, 3], "asset")
    return asset, Body("asset", "asset.assets", form, asset.mass, asset.com, asset.inertia, (0.6, 0.005, 0.0001))


def test_rounding_terms_are_small_and_certified() -> None:
    outcome = Emit(mass=WEIGHED).run(_box_hulls())
    terms = _terms(outcome)
    for role in ("forward", "backward"):
        term = terms[f"emit.rounding.{role}"]
        assert isinstance(term, DirectedDistance)
        assert term.role == role
        assert term.certified
        assert 0 < term.maximum < 1e-8
        assert term.p95 <= term.p99 <= term.maximum
        assert term.samples == 8
    sizes = [terms[f"emit.size_{a}"].value for a in "xyz"]
    assert sizes == pytest.approx([0.057, 0.058, 0.056], abs=1e-8)
    assert isinstance(terms["emit.rest.depth"], Scalar)
    assert 0 < terms["emit.rest.depth"].value < 2e-5


@pytest.mark.parametrize(
    ("pattern", "replacement", "code"),
    [
        (r'mass="0\.094"', 'mass="0.0940001"', "R2S722"),
        (r'(<inertial pos="\S+ \S+) 0\.028', r"\1 0.0281", "R2S722"),
        (r'diaginertia="(\S+) (\S+) (\S+)"', r'diaginertia="\2 \3 \1"', "R2S722"),
        (r'contype="0"', 'contype="1"', "R2S724"),
        (r'priority="1"', 'priority="0"', "R2S724"),
        (r'friction="0\.6', 'friction="0.5', "R2S724"),
        (r'<geom name="asset_collision_00"', '<geom name="asset_collision_00" pos="0.00001 0 0"', "R2S723"),
        (r'<mesh name="asset_piece_000"', '<mesh scale="1.0001 1 1" name="asset_piece_000"', "R2S723"),
        (r'<mesh name="asset_visual"', '<mesh scale="1.0001 1 1" name="asset_visual"', "R2S723"),
        (r"<worldbody>", '<worldbody><geom size="1" mass="0"/>', "R2S724"),
        (r"<freejoint", "<freejoin", "R2S721"),
    ],
)
def test_a_model_that_differs_does_not_get_out(pattern: str, replacement: str, code: str) -> None:
    asset, body = _sound()
    broken, count = re.subn(pattern, replacement, asset.xml)
    assert count >= 1
    assert broken != asset.xml
    with pytest.raises(SimulationError) as caught:
        compare(compile_texts("asset", broken, asset.scene, dict(asset.files()))[0], body)
    assert caught.value.code == code
    assert caught.value.exit_code == 7
    assert "\n" not in str(caught.value)


def test_the_sound_model_passes_the_same_comparison() -> None:
    asset, body = _sound()
    model, scene = compile_texts("asset", asset.xml, asset.scene, dict(asset.files()))
    assert compare(model, body)
    assert rest(scene, body)


@pytest.mark.parametrize(
    ("xml", "scene", "code"),
    [
        ({}, {'pos="0 0 0" size="0 0 0.05"': 'pos="0 0 0.005" size="0 0 0.05"'}, "R2S726"),
        ({'solref="0.005 1"': 'solref="0.4 1"'}, {}, "R2S727"),
    ],
)
def test_a_body_that_jumps_or_sinks_does_not_get_out(xml: dict[str, str], scene: dict[str, str], code: str) -> None:
    asset, body = _sound()
    texts = [asset.xml, asset.scene]
    for index, changes in enumerate((xml, scene)):
        for old, new in changes.items():
            assert old in texts[index]
            texts[index] = texts[index].replace(old, new)
    _, model = compile_texts("asset", *texts, dict(asset.files()))
    with pytest.raises(SimulationError) as caught:
        rest(model, body)
    assert caught.value.code == code


def test_a_flat_piece_is_one_plain_line() -> None:
    mesh, square = _box(), floats([[0, 0, 0], [0.1, 0, 0], [0.1, 0.1, 0], [0, 0.1, 0]])
    flat = Piece("mesh", square, ints([[0, 1, 2], [0, 2, 3]]), NOWHERE, UPRIGHT, NOWHERE)
    with pytest.raises(SimulationError) as caught:
        Emit(mass=WEIGHED).run(Hulls((flat,), _surface(mesh)))
    assert caught.value.code == "R2S721"
    assert "\n" not in caught.value.message


def test_the_pass_itself_reads_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_readback, "MASS_LIMIT", -1.0)
    with pytest.raises(SimulationError):
        Emit(mass=WEIGHED).run(_box_hulls())


# --- real scans and cases ---------------------------------------------------------------------------------------------


def _ycb(data: Path, name: str) -> Outcome[Asset]:
    folder = data / "ycb" / name
    mesh = trimesh.load(folder / "scan.ply", process=False)
    sheet = yaml.safe_load((folder / "measurements.yaml").read_text())
    mass = sheet.get("mass")
    given = Quantity(mass["value"] / 1e3, mass.get("accuracy", 0) / 1e3, "kg", "measured") if mass else None
    return Emit(mass=given).run(Hulls((_hull(mesh),), _surface(mesh)))


@pytest.mark.parametrize("name", ["011_banana", "025_mug", "058_golf_ball", "077_rubiks_cube"])
def test_real_scans_become_assets(data: Path, name: str) -> None:
    outcome = _ycb(data, name)
    assert _codes(outcome, "warning") == []
    terms = _terms(outcome)
    assert terms["emit.rounding.forward"].maximum < 2e-8
    assert terms["emit.rest.depth"].value < 2e-5
    outcome.value.verify()


@pytest.mark.parametrize(
    ("case", "grams"), [("m-tiny-screw", 0.041181), ("u-obj-m", 79.36), ("m-cup", 51.18), ("m-thin-plate", 0.2976)]
)
def test_public_cases_get_their_true_mass(cases: Path, case: str, grams: float) -> None:
    loaded = trimesh.load(cases / case / "scan.obj", process=True)
    mesh = trimesh.Trimesh(loaded.vertices * (1.0 if np.ptp(loaded.vertices) < 1 else 0.001), loaded.faces)
    surface = _surface(mesh)
    surface.verify()
    outcome = Emit(density=Quantity(1240.0, 0, "kg/m^3", "declared"), fill=SOLID).run(Hulls((_hull(mesh),), surface))
    assert outcome.value.mass * 1e3 == pytest.approx(grams, rel=2e-4)
    assert _codes(outcome, "warning") == []
