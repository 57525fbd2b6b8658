"""
The cube fixture against its known truth, by code that the compiler does not share: an analytic shape, MuJoCo, trimesh.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
import trimesh
from tests_support import CUBE

from r2s.compiler.store import Store
from r2s.compiler.summary import summary

UNSEEN = 0.0035  # height, m, below which the rounded foot was never seen


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    return json.loads((CUBE / "truth.json").read_text())


@pytest.fixture(scope="module")
def report(cube: Path) -> dict[str, Any]:
    return json.loads((cube / "cube.report.json").read_text())


@pytest.fixture(scope="module")
def model(cube: Path) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_path(str(cube / "cube.xml"))


def loose_box(points: np.ndarray, half: np.ndarray, radius: float) -> np.ndarray:
    """Signed distance of *points* to a box of half-lengths *half* with edges rounded by *radius*, centred at 0."""
    q = np.abs(points) - (half - radius)
    return np.linalg.norm(np.maximum(q, 0), axis=1) + np.minimum(q.max(axis=1), 0) - radius


def pieces(model: mujoco.MjModel) -> list[trimesh.Trimesh]:
    """The collision geoms that MuJoCo compiled, in the asset's frame."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    found = []
    for geom in range(model.ngeom):
        if model.geom_contype[geom]:
            mesh = model.geom_dataid[geom]
            start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            turn = data.geom_xmat[geom].reshape(3, 3)
            corners = model.mesh_vert[start : start + count].astype(float) @ turn.T + data.geom_xpos[geom]
            found.append(trimesh.convex.convex_hull(corners))
    return found


def test_every_feature_is_within_three_u_of_the_truth(report: dict[str, Any], truth: dict[str, Any]) -> None:
    for row in report["features"]:
        true = truth["lengths"][row["id"]]
        assert abs(row["estimate"]["value"] - true) <= 3 * row["estimate"]["u"], row["id"]
        assert row["estimate"]["U95"] <= 0.3e-3, row["id"]


def test_the_true_surface_lies_within_the_composed_bound(
    report: dict[str, Any], truth: dict[str, Any], model: mujoco.MjModel
) -> None:
    shape = truth["shape"]
    half, radius = np.array(shape["size"]) / 2, shape["radius"]
    (hull,) = pieces(model)
    lift = np.array([0, 0, half[2]])
    bound = {b["direction"]: b["total"] for b in report["bounds"]}

    spots, _ = trimesh.sample.sample_surface(hull, 200_000, seed=1)
    outside = loose_box(spots - lift, half, radius)[spots[:, 2] > UNSEEN]
    assert outside.max() <= bound["backward"]

    box = trimesh.creation.box(extents=2 * (half - radius))
    cores, faces = trimesh.sample.sample_surface(box, 200_000, seed=2)
    true = cores + radius * box.face_normals[faces] + lift
    beyond = ((true @ hull.face_normals.T) - (hull.face_normals * hull.triangles[:, 0]).sum(axis=1)).max(axis=1)
    assert beyond[true[:, 2] > UNSEEN].max() <= bound["forward"]


def test_mass_com_and_inertia_are_those_of_the_closed_surface(
    cube: Path, fixtures_cache: Path, model: mujoco.MjModel
) -> None:
    manifest = json.loads((cube / "cube.manifest.json").read_text())
    digest = {p["name"]: p["digest"] for p in manifest["passes"]}
    store = Store(fixtures_cache)
    asset, surface = store.fields(digest["emit"]), store.load(digest["surface"])
    factor = store.fields(digest["scale"]).anchor.factor
    closed = trimesh.Trimesh(surface.vertices * factor + asset.to_asset[:3, 3], surface.faces, process=False)
    closed.density = 0.094 / closed.volume

    assert abs(model.body_mass[1] / 0.094 - 1) <= 1e-9
    size = np.ptp(surface.vertices, axis=0).max()
    assert np.abs(model.body_ipos[1] - closed.center_mass).max() <= 1e-6 * size
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.body_iquat[1])
    turn = turn.reshape(3, 3)
    inertia = turn @ np.diag(model.body_inertia[1]) @ turn.T
    assert np.abs(inertia - closed.moment_inertia).max() <= 1e-6 * np.linalg.norm(closed.moment_inertia)


def test_the_waterfall_closes_in_the_report(report: dict[str, Any]) -> None:
    for row in report["features"]:
        total = row["stages"]["scan"]["value"] + sum(row["introduced"].values())
        assert total == pytest.approx(row["stages"]["model"]["value"], abs=1e-12)


def test_the_report_holds_no_path_and_no_time(cube: Path) -> None:
    for kind in ("report", "manifest", "slots"):
        text = (cube / f"cube.{kind}.json").read_text()
        assert str(cube) not in text
        assert "/tmp" not in text  # a path that must not be there
        assert str(CUBE.parent) not in text


def test_the_xml_carries_every_slot(cube: Path, model: mujoco.MjModel) -> None:
    slots = json.loads((cube / "cube.slots.json").read_text())["slots"]

    for slot in slots:
        numbers = model.numeric(f"slot/{slot['name']}").data
        assert numbers.tolist() == pytest.approx([slot["nominal"], slot["lo"], slot["hi"]], rel=1e-9)
    assert {"size", "mass", "inertia", "friction/slide"} <= {s["name"] for s in slots}


def test_every_output_has_the_hash_of_the_manifest(cube: Path) -> None:
    import hashlib

    manifest = json.loads((cube / "cube.manifest.json").read_text())
    for name, digest in manifest["outputs"].items():
        assert hashlib.sha256((cube / name).read_bytes()).hexdigest() == digest
    there = {str(p.relative_to(cube)) for p in cube.rglob("*") if p.is_file()}
    assert there == {*manifest["outputs"], "cube.manifest.json"}


def test_it_rests_on_the_floor_of_its_scene(cube: Path) -> None:
    scene = mujoco.MjModel.from_xml_path(str(cube / "cube.scene.xml"))
    data = mujoco.MjData(scene)
    mujoco.mj_forward(scene, data)
    begin = data.body("cube").xpos.copy()
    mujoco.mj_step(scene, data, nstep=1000)

    assert np.linalg.norm(data.body("cube").xpos - begin) < 0.2e-3
    assert np.abs(data.qvel).max() < 1e-3


def test_the_readme_shows_this_screen(report: dict[str, Any]) -> None:
    screen = summary(report, seconds=29.6, written="build/cube.xml").splitlines()
    readme = (CUBE.parents[1] / "README.md").read_text()
    block = readme.split("```\ncube   ")[1].split("\n```")[0].splitlines()

    assert ["cube   " + block[0], *block[1:-1]] == screen[:-1]
    assert block[-1].split("asset ")[0] == screen[-1].split("asset ")[0]
