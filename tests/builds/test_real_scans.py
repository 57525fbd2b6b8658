"""Real scans with published sizes: what a build must say of them, and a ball that reaches the floor of each cavity."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from conftest import once
from tests_support import COMMAND, but_long

pytestmark = pytest.mark.slow

BALL = 0.010  # radius, m
WALL = 0.012  # m: no floor is thicker above its lowest point


@pytest.fixture(scope="module")
def build(data: Path, shared: Path) -> Any:
    """Compile a YCB object once, whichever worker asks, and return its XML."""

    def made(name: str) -> Path:
        source = data / "ycb" / name
        inputs = (source / "scan.ply", "--calipers", source / "measurements.yaml", "--unit", "m", "--limit", "10min")

        def make(folder: Path) -> None:
            words = (COMMAND, *inputs, "-o", folder / f"{name}.xml", "--cache", shared / "real-cache", "-q")
            done = subprocess.run([*map(str, words)], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr

        return once(shared / f"real-{name}", make) / f"{name}.xml"

    return made


def report(xml: Path) -> dict[str, Any]:
    return json.loads(xml.with_name(f"{xml.stem}.report.json").read_text())


def raw(xml: Path) -> dict[str, float]:
    return {f["feature"]: f["stages"]["scan"]["value"] for f in report(xml)["features"]}


def test_the_cube_reads_its_faces_and_is_one_piece(build: Any) -> None:
    xml = build("077_rubiks_cube")

    for value in raw(xml).values():
        assert value == pytest.approx(0.057, abs=0.3e-3)
    assert len(raw(xml)) == 3
    model = mujoco.MjModel.from_xml_path(str(xml))
    assert int((model.geom_contype > 0).sum()) == 1


def test_the_golf_ball_is_a_sphere(build: Any) -> None:
    xml = build("058_golf_ball")

    assert raw(xml)["sphere_diameter"] == pytest.approx(0.0425, abs=0.2e-3)
    model = mujoco.MjModel.from_xml_path(str(xml))
    solid = model.geom_type[model.geom_contype > 0].tolist()
    assert solid == [int(mujoco.mjtGeom.mjGEOM_SPHERE)]


@pytest.mark.long  # tests/passes/test_emit.py has the wrench without the build
def test_the_wrench_is_too_heavy_for_its_mesh(build: Any) -> None:
    warnings = [d["message"] for d in report(build("042_adjustable_wrench"))["diagnostics"] if d["code"] == "R2S704"]

    assert len(warnings) == 1
    assert "12.7 g/cm3" in warnings[0]


@pytest.mark.parametrize("name", but_long(("024_bowl", "025_mug", "065-a_cups"), ("025_mug", "065-a_cups")))
def test_a_ball_reaches_the_floor_of_the_cavity(build: Any, name: str) -> None:
    """The ball is dropped on the axis of the opening."""
    xml = build(name)
    spec = mujoco.MjSpec.from_file(str(xml.with_name(f"{xml.stem}.scene.xml")))
    model = spec.compile()
    top, middle = opening(model)
    ball = spec.worldbody.add_body(name="ball", pos=[*middle, top + 2 * BALL])
    ball.add_freejoint()
    ball.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[BALL, 0, 0], mass=0.005)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=1500)
    body = next(b for b in range(1, model.nbody) if model.body(b).name != "ball")
    lowest = data.geom_xpos[model.geom_bodyid == body][:, 2].min()

    assert data.body("ball").xpos[2] - BALL < top / 2
    assert data.body("ball").xpos[2] - BALL < WALL + max(0.0, data.xpos[body][2]), lowest


def opening(model: mujoco.MjModel) -> tuple[float, np.ndarray]:
    """Return the height of the object's top and the middle of its upper rim."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    found = []
    for geom in range(model.ngeom):
        mesh = model.geom_dataid[geom]
        if model.geom_contype[geom] and mesh >= 0:
            start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            turn = data.geom_xmat[geom].reshape(3, 3)
            found.append(model.mesh_vert[start : start + count] @ turn.T + data.geom_xpos[geom])
    points = np.concatenate(found)
    top = float(points[:, 2].max())
    rim = points[points[:, 2] > top - 0.1 * np.ptp(points[:, 2])][:, :2]
    return top, (rim.min(axis=0) + rim.max(axis=0)) / 2
