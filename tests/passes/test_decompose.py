"""Decompose on drawn solids, public cases and real scans: few valid pieces, open cavities, honest bounds."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import mujoco
import numpy as np
import pytest
from scan_shapes import MM, box, mesh_scan, sphere, together

from r2s.compiler.errors import PassFailedError, UsageError
from r2s.compiler.ir import Floats, Hulls, Ints, Source, Surface, bools, floats, ints, is_closed
from r2s.compiler.ledger import Change, DirectedDistance, Scalar
from r2s.compiler.protocol import Outcome
from r2s.passes.convex import boolean as _boolean
from r2s.passes.convex.hulls import Hull, hull, pruned, with_small_faces
from r2s.passes.convex.merge import at_most, merged
from r2s.passes.convex.pieces import Union, volume
from r2s.passes.decompose import Decompose
from r2s.passes.shapes.distance import Solid, samples

TORUS = """
import numpy as np, trimesh
from scan_shapes import mesh_scan
from r2s.compiler.ir import Surface, bools, floats, ints
from r2s.passes.decompose import Decompose
m = trimesh.creation.torus(0.04, 0.012, major_sections=24, minor_sections=10)
m.vertices += np.random.default_rng(3).normal(scale=1e-4, size=m.vertices.shape)
s = Surface(floats(m.vertices), ints(m.faces), bools(np.ones(len(m.faces))), mesh_scan(m.vertices, m.faces))
found = Decompose(max_error=0.004).run(s)
assert any("CoACD" in getattr(term, "quantity", "") for term in found.terms)
print(found.value.digest())
"""


def surface(vertices: Floats, faces: Ints, noise: float = 0.0) -> Surface:
    whole = np.ones(len(faces), dtype=bool)
    made = Surface(floats(vertices, -1, 3), ints(faces, -1, 3), bools(whole), mesh_scan(vertices, faces, noise))
    made.verify()
    return made


def case(cases: Path, name: str) -> Surface:
    """Return the surface of a case's mesh, the file's numbers taken to metres."""
    from r2s.passes.readers import read
    from r2s.passes.surface import ExtractSurface

    raw = read(cases / name / "scan.obj")
    metres = 1e-3 if np.ptp(raw.points, axis=0).max() > 0.5 else 1.0
    return ExtractSurface().run(mesh_scan(metres * raw.points, raw.faces)).value


@cache
def of_case(cases: Path, name: str) -> Outcome[Hulls]:
    """The pieces of a case with the usual options, which several tests look at."""
    return decomposed(case(cases, name))


def torus() -> Surface:
    import trimesh

    mesh = trimesh.creation.torus(40 * MM, 12 * MM, major_sections=24, minor_sections=12)
    return surface(np.asarray(mesh.vertices), np.asarray(mesh.faces))


def rough_torus() -> Surface:
    """A torus with a scan's bumps: thousands of concave edges, no exact parts."""
    import trimesh

    mesh = trimesh.creation.torus(40 * MM, 12 * MM, major_sections=40, minor_sections=20)
    shake = np.random.default_rng(3).normal(scale=0.1 * MM, size=mesh.vertices.shape)
    return surface(mesh.vertices + shake, np.asarray(mesh.faces))


def bracket() -> Surface:
    foot, post = box((80 * MM, 50 * MM, 10 * MM)), box((10 * MM, 50 * MM, 40 * MM))
    return surface(*_boolean.mesh(_boolean.union([_boolean.manifold(*foot), _boolean.manifold(*post)])))


def decomposed(source: Surface, **options: float | bool) -> Outcome[Hulls]:
    found = Decompose(**options).run(source)  # type: ignore[arg-type]  # options by name
    found.value.verify()
    assert found.value.surface is source
    for piece in found.value.pieces:
        if piece.kind == "mesh":
            assert is_closed(piece.faces)
            assert volume(piece) > 0
            shape = solid_hull(piece.vertices)
            assert len(shape.vertices) == len(piece.vertices), "every vertex is a corner of the hull"
            assert shape.volume == pytest.approx(volume(piece), rel=1e-9)
    loads(found.value)
    return found


def solid_hull(points: Floats) -> Hull:
    made = hull(points)
    assert made is not None
    return made


def geoms(hulls: Hulls) -> tuple[str, str]:
    """Return MJCF of the pieces: meshes for the asset section, geoms for a body."""
    meshes, bodies = [], []
    for i, piece in enumerate(hulls.pieces):
        place = f'pos="{_text(piece.center)}" quat="{_text(_quaternion(piece.rotation))}"'
        if piece.kind == "mesh":
            meshes.append(f'<mesh name="p{i}" vertex="{_text(piece.vertices)}" face="{_text(piece.faces)}"/>')
            bodies.append(f'<geom type="mesh" mesh="p{i}"/>')
        else:
            bodies.append(f'<geom type="{piece.kind}" size="{_text(piece.size[piece.size > 0])}" {place}/>')
    return "".join(meshes), "".join(bodies)


def _text(values: np.ndarray) -> str:
    return " ".join(repr(v) for v in np.asarray(values).reshape(-1).tolist())


def _quaternion(rotation: Floats) -> Floats:
    found = np.zeros(4)
    mujoco.mju_mat2Quat(found, rotation.reshape(-1))
    return found


def loads(hulls: Hulls) -> None:
    meshes, bodies = geoms(hulls)
    xml = f"<mujoco><asset>{meshes}</asset><worldbody><body>{bodies}</body></worldbody></mujoco>"
    assert mujoco.MjModel.from_xml_string(xml).ngeom == len(hulls.pieces)


def rest_height(hulls: Hulls, radius: float, at: Floats) -> float:
    """Drop a ball from *at* and return the height of its centre after two seconds."""
    meshes, bodies = geoms(hulls)
    xml = (
        f'<mujoco><option timestep="0.001"/><default><geom solref="0.004 1"/></default><asset>{meshes}</asset>'
        f'<worldbody>{bodies}<body pos="{_text(at)}">'
        f'<freejoint/><geom type="sphere" size="{radius}" density="1000"/></body></worldbody></mujoco>'
    )
    model = mujoco.MjModel.from_xml_string(xml)
    state = mujoco.MjData(model)
    for _ in range(2000):
        mujoco.mj_step(model, state)
    return float(state.qpos[2])


def distances(found: Outcome[Hulls]) -> dict[str, DirectedDistance]:
    return {t.role: t for t in found.terms if isinstance(t, DirectedDistance)}


def codes(found: Outcome[Hulls]) -> list[str]:
    return [d.code for d in found.diagnostics]


def filled(found: Outcome[Hulls]) -> float:
    (term,) = [t for t in found.terms if isinstance(t, Change) and t.id == "decompose.volume"]
    return term.after / term.before - 1


def test_a_bracket_is_two_boxes_exactly() -> None:
    found = decomposed(bracket())
    assert len(found.value.pieces) == 2
    assert sum(map(volume, found.value.pieces)) == pytest.approx(55e-6, rel=1e-12, abs=0)
    assert filled(found) == pytest.approx(0, abs=1e-12)
    assert not found.diagnostics
    inflation, deficit = distances(found)["inflation"], distances(found)["deficit"]
    assert (inflation.start, inflation.end) == (deficit.end, deficit.start) == ("pieces", "simplified")
    assert inflation.certified
    assert deficit.certified
    assert deficit.maximum < 1e-9
    assert 0 <= inflation.maximum < 0.1 * MM
    corners = np.concatenate([p.vertices for p in found.value.pieces])
    assert np.isin(np.round(corners / MM, 12), [0, 10, 40, 50, 80]).all(), "cuts leave corners where they were"


def test_a_sheet_is_a_box() -> None:
    found = decomposed(surface(*box((80 * MM, 60 * MM, 0.05 * MM))))
    (piece,) = found.value.pieces
    assert piece.kind == "box"
    assert volume(piece) == pytest.approx(240e-9, rel=1e-9)
    assert not found.diagnostics


def test_a_ball_is_a_sphere_unless_primitives_are_off() -> None:
    source = surface(*sphere(40 * MM, 3))
    (piece,) = decomposed(source).value.pieces
    assert piece.kind == "sphere"
    (piece,) = decomposed(source, primitives=False).value.pieces
    assert piece.kind == "mesh"


def test_two_blocks_apart_are_two_pieces() -> None:
    source = surface(*together(box((30 * MM,) * 3), box((30 * MM,) * 3, (60 * MM, 0, 0))))
    assert len(decomposed(source).value.pieces) == 2


@pytest.mark.parametrize(
    ("name", "cubic_mm", "most", "warns"),
    [
        ("a-offset", 64000.0, 3, []),
        ("m-cup", 41275.51, 30, []),
        ("m-thin-wall", 11038.48, 49, ["R2S503"]),
        ("m-high-genus", 57600.0, 36, []),
        ("m-tiny-screw", 33.2106, 2, []),
        ("m-thin-plate", 240.0, 1, []),
        ("m-nonmanifold", 54000.0, 2, []),
        ("m-decimate", 268082.57, 1, []),
    ],
)
def test_cases(cases: Path, name: str, cubic_mm: float, most: int, warns: list[str]) -> None:
    found = of_case(cases, name)
    assert len(found.value.pieces) <= most
    assert Union(found.value.pieces).volume * 1e9 == pytest.approx(cubic_mm, rel=0.12)
    assert codes(found) == warns
    inflation = distances(found)["inflation"]
    assert inflation.p99 <= 0.02 * found.value.surface.diagonal
    assert inflation.p99 <= inflation.maximum


def test_a_ball_falls_to_the_floor_of_a_cup(cases: Path) -> None:
    hulls = of_case(cases, "m-cup").value
    source = hulls.surface
    middle = (source.vertices.min(axis=0) + source.vertices.max(axis=0)) / 2
    start = np.array([middle[0] + 5 * MM, middle[1], source.vertices[:, 2].max() + 15 * MM])
    floor = rest_height(hulls, 10 * MM, start) - 10 * MM - float(source.vertices[:, 2].min())
    assert floor == pytest.approx(4 * MM, abs=0.3 * MM)


def test_a_pin_passes_every_hole(cases: Path) -> None:
    hulls = of_case(cases, "m-high-genus").value
    source, union = hulls.surface, Union(hulls.pieces)
    flat = source.vertices[:, :2]
    grid = np.unique(flat.round(9), axis=0)
    inner = grid[(np.abs(grid - flat.mean(axis=0)) < 54 * MM).all(axis=1)]
    assert len(inner) == 100, "four corners for each of 25 holes"
    xs = np.unique(inner[:, 0].round(6))
    centers = (xs[0::2] + xs[1::2]) / 2
    middle = float(source.vertices[:, 2].mean())
    axis = np.array([[x, y, middle] for x in centers for y in centers])
    assert len(axis) == 25
    assert union.distance(axis).min() >= 2 * MM


def test_a_scan_like_torus_keeps_its_hole(capfd: pytest.CaptureFixture[str]) -> None:
    source = rough_torus()
    found = decomposed(source)
    assert capfd.readouterr() == ("", "")
    (count,) = [t for t in found.terms if isinstance(t, Scalar) and t.id == "decompose.pieces"]
    assert "CoACD" in count.quantity
    assert len(found.value.pieces) == count.value > 4
    assert not found.diagnostics
    assert abs(filled(found)) <= 0.12
    union = Union(found.value.pieces)
    assert union.distance(np.zeros((1, 3)))[0] > 24 * MM
    points, _ = samples(*union.mesh, 200_000)
    assert Solid(source.vertices, source.faces).signed(points).max() <= distances(found)["inflation"].maximum
    points, _ = samples(source.vertices, source.faces, 200_000)
    assert union.distance(points).max() <= distances(found)["deficit"].maximum
    assert distances(found)["inflation"].p99 <= 0.02 * source.diagonal


def test_a_cap_on_pieces_is_kept_and_its_price_is_told() -> None:
    found = decomposed(torus(), max_pieces=3)
    assert len(found.value.pieces) <= 3
    assert codes(found) == ["R2S504", "R2S505"]
    assert filled(found) > 0.12


def test_noise_widens_the_error_and_never_the_reverse() -> None:
    source = bracket()
    noisy = surface(source.vertices, source.faces, noise=1 * MM)
    assert Decompose()._goal(source).error == pytest.approx(0.02 * source.diagonal)
    assert Decompose()._goal(noisy).error == pytest.approx(3 * MM)
    assert Decompose(max_error=1 * MM)._goal(noisy).error == 1 * MM


def test_mjx_limits_hold() -> None:
    dots = sphere(30 * MM, 3)[0]
    turn = 2 * np.pi * np.arange(60) / 60
    rim = np.column_stack([28 * MM * np.cos(turn), 28 * MM * np.sin(turn), np.full(60, -10 * MM)])
    bell = solid_hull(np.concatenate([dots[dots[:, 2] > 0], rim]))
    found = decomposed(surface(bell.vertices, bell.faces), mjx=True, primitives=False)
    (piece,) = found.value.pieces
    shape = solid_hull(piece.vertices)
    on = np.abs(shape.vertices @ shape.planes[:, :3].T + shape.planes[:, 3]) < 1e-9
    assert len(piece.vertices) <= 64
    assert on.sum(axis=0).max() <= 20
    assert 0.1 * MM < distances(found)["deficit"].maximum < 2 * MM, "what the cap costs is in the term"


def test_pruning_keeps_its_bound() -> None:
    shape = solid_hull(sphere(30 * MM, 4)[0])
    small = pruned(shape, 0.3 * MM)
    gap = Solid(small.vertices, small.faces).signed(shape.vertices).max()
    assert 0.15 * MM < gap <= 0.3 * MM
    assert len(small.vertices) < len(shape.vertices) / 3
    assert np.isin(small.vertices, shape.vertices).all()
    assert len(pruned(shape, 0.0, most=40).vertices) <= 40
    assert with_small_faces(solid_hull(box((1, 1, 1))[0]), 4).volume == pytest.approx(1)


def test_merging_stops_at_its_budget() -> None:
    slabs = [solid_hull(box((10 * MM, 10 * MM, 10 * MM), (i * 10 * MM, 0, 0))[0]) for i in range(4)]
    away = solid_hull(box((10 * MM, 10 * MM, 10 * MM), (100 * MM, 0, 0))[0])
    row = merged([*slabs, away], 5.0001e-6, lambda shape: True, 1e-9)
    assert sorted(round(shape.volume * 1e6, 6) for shape in row) == [1, 4]
    assert len(merged(slabs, 1, lambda shape: False, 1e-9)) == 4
    assert [round(shape.volume * 1e6, 6) for shape in at_most([*slabs, away], 1, 1e-9)] == [11]


@pytest.mark.parametrize(
    "options", [{"max_error": -1.0}, {"prune_error": float("nan")}, {"max_volume_error": 1.5}, {"max_pieces": -1}]
)
def test_limits_without_sense_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(UsageError) as error:
        decomposed(bracket(), **options)
    assert error.value.code == "R2S501"
    assert next(iter(options)) in error.value.message


def test_nothing_solid_is_refused() -> None:
    with pytest.raises(PassFailedError) as error:
        Decompose(primitives=False).run(surface(*box((80 * MM, 60 * MM, 1e-8))))
    assert error.value.code == "R2S502"


@pytest.mark.slow
def test_equal_bytes_in_fresh_processes_on_one_and_two_cpus() -> None:
    if not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2:
        pytest.skip("needs two CPUs that a process can be pinned to")
    two = sorted(os.sched_getaffinity(0))[:2]
    found = set()
    for cpus, seed in ((two[:1], "1"), (two, "2")):
        pin = f"import os; os.sched_setaffinity(0, {cpus})\n"
        path = os.pathsep.join([str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH", "")])
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        env.pop("OMP_NUM_THREADS", None)
        done = subprocess.run([sys.executable, "-c", pin + TORUS], env=env, capture_output=True, text=True, check=True)
        found.add(done.stdout.strip())
    assert len(found) == 1
    assert len(found.pop()) == 64


def scanned(data: Path, name: str) -> Surface:
    """Return a real scan's surface, simplified, as the passes before hand it on."""
    from r2s.passes.ingest import Ingest
    from r2s.passes.simplify import Simplify
    from r2s.passes.surface import ExtractSurface

    path = data / "ycb" / name / "scan.ply"
    scan = Ingest().run(Source("ply", hashlib.sha256(path.read_bytes()).hexdigest(), str(path))).value
    return Simplify().run(ExtractSurface().run(scan).value).value


@pytest.mark.parametrize(
    ("name", "kind"), [pytest.param("058_golf_ball", "sphere", marks=pytest.mark.slow), ("077_rubiks_cube", "mesh")]
)
def test_plain_objects_are_one_piece(data: Path, name: str, kind: str) -> None:
    found = decomposed(scanned(data, name))
    assert [piece.kind for piece in found.value.pieces] == [kind]
    assert not found.diagnostics


@pytest.mark.slow
@pytest.mark.parametrize("name", ["024_bowl"])  # tests/builds/test_real_scans.py drops a ball into the others too
def test_real_vessels_stay_open(data: Path, name: str) -> None:
    """A ball let go above the opening comes as deep as the scan's own floor allows, and the bounds hold."""
    source = scanned(data, name)
    found = decomposed(source)
    union, reference = Union(found.value.pieces), Solid(source.vertices, source.faces)
    points, _ = samples(*union.mesh, 200_000)
    assert reference.signed(points).max() <= distances(found)["inflation"].maximum
    assert len(found.value.pieces) <= 128

    # The deepest place, within the upper half of the scan's hull, where a 20 mm ball touches nothing of the scan.
    low, high = source.vertices.min(axis=0), source.vertices.max(axis=0)
    grid = np.stack(np.meshgrid(*[np.linspace(a, b, 40) for a, b in zip(low, high, strict=True)]), axis=-1)
    free = grid.reshape(-1, 3)
    free = free[solid_hull(source.vertices).excess(free) < -10 * MM]
    free = free[reference.signed(free) > 10 * MM + distances(found)["inflation"].p99]
    assert len(free) > 0, "the scan has a cavity for the ball"
    assert (union.distance(free) > 10 * MM).mean() > 0.97
