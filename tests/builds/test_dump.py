"""Stages as files: that they are the build's own shapes, in one frame, with the numbers of the report, to the byte."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
import trimesh
from tests_support import COMMAND, files

from r2s.passes.readers import read

SHEET = """\
schema: 1
object: wedge
instrument: {kind: digital_caliper, unit: mm}
measurements:
  - {feature: extent_x, value: 82.0}
  - {feature: extent_y, value: 51.25, role: check}
density: {value: 1240, unit: kg/m^3}
"""
OFF = "value: 51.25", "value: 60.0"  # a check that no build of it passes
FALLS = "density:", "com: {along: extent_x, from: min, value: 200.0, accuracy: 1.0}\ndensity:"  # outside the object
ALL = ("scan", "surface", "simplified", "pieces", "model")
MAIN = ("wedge.stl", "--calipers", "wedge.yaml", "--scale", "apply", "-q")

Run = Callable[..., subprocess.CompletedProcess[str]]
Here = Callable[..., tuple[int, str, str]]


def corners() -> np.ndarray:
    """A wedge of 80 x 50 x 30, away from its origin: its numbers are millimetres, 2.5 % smaller than the sheet says."""
    return np.array([[x, y, z] for y in (5, 55) for x, z in ((10, 1), (90, 1), (90, 31), (40, 31))], dtype=float)


def place(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    trimesh.convex.convex_hull(corners()).export(folder / "wedge.stl")
    (folder / "wedge.yaml").write_text(SHEET)
    return folder


def compile_in(folder: Path, *words: str, cache: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "R2S_CACHE": str(cache), "NO_COLOR": "1"}
    return subprocess.run([str(COMMAND), *words], cwd=folder, env=env, capture_output=True, text=True, timeout=200)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wedge, its asset in ``out`` and its stages in ``dump``; the cache is in ``cache``."""
    folder = place(tmp_path_factory.mktemp("wedge"))
    done = compile_in(folder, *MAIN, "-o", "out/wedge.xml", "--dump", "dump", cache=folder / "cache")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def wedge(tmp_path: Path) -> Path:
    """Another folder with the same wedge."""
    return place(tmp_path / "again")


@pytest.fixture
def run(made: Path, wedge: Path) -> Run:
    """Compile in *wedge* with the cache of *made*."""
    return lambda *words: compile_in(wedge, *words, cache=made / "cache")


def facts(folder: Path, stage: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / f"{stage}.json").read_text())
    return found


def mesh(folder: Path, stage: str) -> trimesh.Trimesh:
    loaded = trimesh.load(folder / facts(folder, stage)["geometry"]["file"], process=False, force="mesh")
    assert isinstance(loaded, trimesh.Trimesh)
    return loaded


def test_every_stage_is_there_with_its_hash(made: Path) -> None:
    index = json.loads((made / "dump" / "stages.json").read_text())
    listed = {name: hash_ for stage in index["stages"] for name, hash_ in stage["files"].items()}

    assert tuple(stage["stage"] for stage in index["stages"]) == ALL
    assert (index["schema"], index["failure"], index["name"]) == ("r2s-stages/1", None, "wedge")
    assert set(files(made / "dump")) == {*listed, "stages.json"}
    for name, hash_ in listed.items():
        assert sha256((made / "dump" / name).read_bytes()).hexdigest() == hash_


def test_all_stages_lie_on_one_another_in_the_asset_frame(made: Path) -> None:
    wanted = np.array([[-0.041, -0.025625, 0.0], [0.041, 0.025625, 0.03075]])  # 2.5 % larger, its foot on the floor
    for stage in ALL:
        assert facts(made / "dump", stage)["frame"]["name"] == "asset"
        assert mesh(made / "dump", stage).bounds == pytest.approx(wanted, abs=2e-6), stage
    for stage in ("surface", "simplified", "pieces", "model"):
        assert mesh(made / "dump", stage).is_watertight, stage
        assert mesh(made / "dump", stage).volume == pytest.approx(65 * 50 * 30e-9 * 1.025**3, rel=1e-4), stage


def test_the_matrix_takes_the_numbers_of_the_file_there(made: Path) -> None:
    frame = facts(made / "dump", "scan")["frame"]
    matrix = np.array(frame["scan_file_to_here"])
    there = corners() @ matrix[:3, :3].T + matrix[:3, 3]
    report = json.loads((made / "out" / "wedge.report.json").read_text())

    assert matrix.tolist() == pytest.approx(np.array(report["scan_to_asset"]))
    assert frame["factor"] == pytest.approx(1.025, rel=1e-6)
    points = mesh(made / "dump", "scan").vertices
    assert all(np.linalg.norm(points - corner, axis=1).min() < 1e-9 for corner in there)


def test_the_model_is_what_mujoco_makes_of_the_written_xml(made: Path) -> None:
    model = mujoco.MjModel.from_xml_path(str(made / "out" / "wedge.xml"))
    geom = next(g for g in range(model.ngeom) if model.geom_contype[g])
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.geom_quat[geom])
    start = model.mesh_vertadr[model.geom_dataid[geom]]
    local = model.mesh_vert[start : start + model.mesh_vertnum[model.geom_dataid[geom]]]

    assert mesh(made / "dump", "model").vertices == pytest.approx(
        local.astype(float) @ turn.reshape(3, 3).T + model.geom_pos[geom], abs=1e-12
    )


def test_what_the_passes_said_is_that_of_the_report(made: Path) -> None:
    report = json.loads((made / "out" / "wedge.report.json").read_text())
    manifest = json.loads((made / "out" / "wedge.manifest.json").read_text())
    told = [p for stage in ALL for p in facts(made / "dump", stage)["passes"]]

    assert [p["name"] for p in facts(made / "dump", "model")["passes"]] == ["scale", "emit"]
    assert [{k: p[k] for k in report["passes"][0]} for p in told] == report["passes"]
    assert [p["key"] for p in told] == [p["key"] for p in manifest["passes"]]
    assert {d["code"] for p in told for d in p["diagnostics"]} <= {d["code"] for d in report["diagnostics"]}
    assert facts(made / "dump", "pieces")["digest"] == report["passes"][3]["digest"]


def test_a_stage_is_a_scan_that_can_be_read_again(made: Path) -> None:
    raw = read(made / "dump" / "scan.ply")

    assert len(raw.points) == facts(made / "dump", "scan")["geometry"]["points"]
    assert np.asarray(raw.points) == pytest.approx(np.asarray(mesh(made / "dump", "scan").vertices), abs=0)


def test_equal_builds_dump_equal_bytes_from_the_store_too(made: Path, run: Run, wedge: Path) -> None:
    assert run(*MAIN, "-o", "out/wedge.xml", "--dump", "deep/dump").returncode == 0
    assert files(wedge / "deep" / "dump") == files(made / "dump")


def test_stopped_before_the_asset_the_frame_is_the_scans_and_older_stages_go(run: Run, wedge: Path) -> None:
    assert run(*MAIN, "--dump", "dump").returncode == 0
    assert not (wedge / "out").exists()
    assert (wedge / "dump" / "model.obj").exists()
    assert run(*MAIN, "--dump", "dump", "--stop-after", "simplify").returncode == 0

    assert {p.stem for p in (wedge / "dump").iterdir()} == {"scan", "surface", "simplified", "stages"}
    frame = facts(wedge / "dump", "simplified")["frame"]
    assert (frame["name"], frame["factor"]) == ("scan", 1.0)
    assert np.ptp(mesh(wedge / "dump", "simplified").vertices, axis=0) == pytest.approx([0.08, 0.05, 0.03], abs=2e-6)


def test_a_last_pass_without_a_shape_joins_the_stage_before(run: Run, wedge: Path) -> None:
    assert run(*MAIN, "--dump", "dump", "--stop-after", "scale").returncode == 0
    assert [p["name"] for p in facts(wedge / "dump", "pieces")["passes"]] == ["decompose", "scale"]


def test_a_failed_verdict_is_dumped_whole(made: Path, run: Run, wedge: Path) -> None:
    (wedge / "wedge.yaml").write_text(SHEET.replace(*OFF))
    done = run(*MAIN, "-o", "out/wedge.xml", "--dump", "dump")

    assert done.returncode == 6
    index = json.loads((wedge / "dump" / "stages.json").read_text())
    assert index["failure"]["code"] == "R2S642"
    shapes = {n: d for n, d in files(made / "dump").items() if not n.endswith("json")}
    assert {n: d for n, d in files(wedge / "dump").items() if not n.endswith("json")} == shapes


def test_a_pass_that_fails_leaves_the_stages_before_it(run: Run, wedge: Path) -> None:
    (wedge / "wedge.yaml").write_text(SHEET.replace(*FALLS))
    done = run(*MAIN, "-o", "out/wedge.xml", "--dump", "dump")

    assert done.returncode == 3
    assert "[R2S708]" in done.stderr
    index = json.loads((wedge / "dump" / "stages.json").read_text())
    assert [stage["stage"] for stage in index["stages"]] == ["scan", "surface", "simplified", "pieces"]
    assert (index["failure"]["code"], index["frame"]["name"]) == ("R2S708", "scan")


def test_named_stages_go_beside_the_output_or_to_the_folder(made: Path, run: Run, wedge: Path) -> None:
    assert run(*MAIN, "-o", "out/wedge.xml", "--emit", "surface,pieces").returncode == 0
    beside = {
        n for n in files(wedge / "out") if n.startswith(("wedge.surface", "wedge.pieces", "wedge.scan.", "stages"))
    }
    assert beside == {"wedge.surface.ply", "wedge.surface.json", "wedge.pieces.obj", "wedge.pieces.json"}
    assert (wedge / "out" / "wedge.surface.ply").read_bytes() == (made / "dump" / "surface.ply").read_bytes()

    assert run(*MAIN, "--dump", "dump", "--emit", "model", "--emit", "scan").returncode == 0
    assert set(files(wedge / "dump")) == {"scan.ply", "scan.json", "model.obj", "model.json", "stages.json"}


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--dump", "d", "--emit", "surfaces"), "R2S042", "did you mean 'surface'?"),
        (("--dump", "d", "--emit", "pieces", "--stop-after", "simplify"), "R2S042", "makes scan, surface, simplified"),
        (("--stop-after", "simplify", "--emit", "scan"), "R2S043", "--emit has no place"),
        (("--dump", "."), "R2S043", "holds files"),
        (("--dump", "wedge.yaml"), "R2S043", "is a file"),
        (("-o", "mine.xml", "--emit", "scan"), "R2S043", "would take the place of mine.scan.ply"),
    ],
)
def test_refusals_come_before_the_work(
    wedge: Path, words: tuple[str, ...], code: str, says: str, here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.move(wedge / "wedge.stl", wedge / "mine.scan.ply")
    before = files(wedge)
    monkeypatch.chdir(wedge)
    monkeypatch.setenv("R2S_CACHE", str(wedge.parent / "no cache"))
    ended, _, told = here("mine.scan.ply", *MAIN[1:], *words)

    assert ended == 2, told
    assert says in told
    assert f"[{code}]" in told
    assert not (wedge.parent / "no cache").exists()
    assert files(wedge) == before
