"""Whole builds of the cube with sheets of three and of four more cubes, through the command line."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
import trimesh
from tests_support import COMMAND, CUBE

pytestmark = pytest.mark.slow  # emission and what follows it, some ten seconds a build

# g, and mm on both calibrate extents; the scanned cube has 94.0 g, 57.005 mm and 56.9967 mm
MASSES, LENGTHS = (94.6, 93.5, 94.3, 94.9), (57.05, 56.95, 57.02, 57.08)
OWN = (94.0, 57.005, (57.00 + 56.99 + 57.00) / 3)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the cube's scan and sheet, and in folders of their own the sheets of four like cubes."""
    for name in ("scan.ply", "measurements.yaml"):
        shutil.copy(CUBE / name, tmp_path)
    sheet = (CUBE / "measurements.yaml").read_text()
    for i, (mass, length) in enumerate(zip(MASSES, LENGTHS, strict=True)):
        (tmp_path / f"cube{i}").mkdir()
        text = re.sub(r"(extent_[xz], values: )\[[^]]*\]", rf"\1[{length}, {length}]", sheet)
        assert text.count(str(length)) == 4
        text = text.replace("object: cube", f"object: cube_{i}").replace("value: 94.0", f"value: {mass}")
        (tmp_path / f"cube{i}" / "measurements.yaml").write_text(text)
    return tmp_path


def like(count: int) -> list[str]:
    return [f"cube{i}/measurements.yaml" for i in range(count)]


def run(place: Path, cache: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command in *place*; with the *cache* of the cube fixture only what the instances reach is made."""
    env = {**os.environ, "R2S_CACHE": str(cache), "NO_COLOR": "1"}
    return subprocess.run([str(COMMAND), *words], cwd=place, env=env, capture_output=True, text=True, timeout=900)


MAIN = ("scan.ply", "--calipers", "measurements.yaml", "-o", "out/cube.xml")


def read(place: Path, kind: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((place / "out" / f"cube.{kind}.json").read_text())
    return document


def slots(place: Path) -> dict[str, dict[str, Any]]:
    return {s["name"]: s for s in read(place, "slots")["slots"]}


def expected(count: int) -> dict[str, tuple[float, float]]:
    """The prediction of size and mass by hand, from the readings and the fit of the scale that the report holds."""
    t = {4: 3.182446, 5: 2.776445}[count + 1]
    ratios = np.array([0.0, *(math.log(x / OWN[1]) / 2 + math.log(x / OWN[2]) / 2 for x in LENGTHS[:count])])
    masses = np.log(np.array([OWN[0], *MASSES[:count]]) * 1e-3) - 3 * ratios

    def ends(logs: Any, u: float, shift: float = 0.0) -> tuple[float, float]:
        half = t * math.sqrt(np.var(logs, ddof=1) * (1 + 1 / len(logs)) + u**2)
        return math.exp(logs.mean() + shift - half), math.exp(logs.mean() + shift + half)

    # 0.5 g of the balance is one error of all cubes, relative to the lightest
    return {"mass": ends(masses, 0.5 / min(OWN[0], *MASSES[:count]) / math.sqrt(3)), "ratios": ends(ratios, 0.0)}


@pytest.mark.parametrize("count", [3, 4])
def test_the_slots_speak_of_the_kind(place: Path, cube: Path, fixtures_cache: Path, count: int) -> None:
    made = run(place, fixtures_cache, *MAIN, "--instances", *like(count), "-MD")
    assert made.returncode == 0, made.stderr

    found, report, manifest = slots(place), read(place, "report"), read(place, "manifest")
    own = {s["name"]: s for s in json.loads((cube / "cube.slots.json").read_text())["slots"]}
    for name in ("size", "mass"):
        slot = found[name]
        assert (slot["recipe"], slot["n"], slot["level"]) == ("prediction", count + 1, 0.95)
        assert slot["population"] == "objects_like_this_one"
        assert slot["hi"] - slot["lo"] >= own[name]["hi"] - own[name]["lo"]
        assert slot["nominal"] == own[name]["nominal"]
        assert own[name]["population"] == "this_object"
    assert (found["mass"]["lo"], found["mass"]["hi"]) == pytest.approx(expected(count)["mass"], rel=1e-6)
    scale = report["scale"]
    lo, hi = (math.log(end) for end in expected(count)["ratios"])
    t = {4: 3.182446, 5: 2.776445}[count + 1]
    middle, half = (lo + hi) / 2 + math.log(scale["fitted"] / scale["factor"]), (hi - lo) / 2
    half = math.hypot(half, t * scale["u"])
    assert found["size"]["lo"] == pytest.approx(math.exp(middle - half), rel=1e-6)
    assert found["size"]["hi"] == pytest.approx(math.exp(middle + half), rel=1e-6)
    assert found["size"]["keeps"] == "density"
    for name in ("inertia", "com/x", "friction/slide"):
        assert found[name] == own[name]

    # what it was built from
    listed = manifest["inputs"]["instances"]
    assert [one["name"] for one in listed] == ["measurements.yaml"] * count
    assert {one["sha256"] for one in listed} == set(found["mass"]["sources"]) == set(found["size"]["sources"])
    assert report["inputs"]["instances"] == [{k: one[k] for k in ("name", "sha256")} for one in listed]
    depends = (place / "out" / "cube.d").read_text()
    assert all(f"{name}:" in depends for name in like(count))
    assert manifest["asset"] != json.loads((cube / "cube.manifest.json").read_text())["asset"]
    assert f"prediction 95 %, from {count + 1} objects, at this size" in made.stdout

    # and the model carries it
    model = mujoco.MjModel.from_xml_path(str(place / "out" / "cube.xml"))
    slot = found["mass"]
    assert model.numeric("slot/mass").data.tolist() == [slot["nominal"], slot["lo"], slot["hi"]]


def test_it_is_rebuilt_from_the_same_sheets_wherever_they_are(place: Path) -> None:
    # a rebuild makes all anew, so of a box where the cube lies
    trimesh.creation.box(bounds=[(-7.1, -42.2, 5.7), (49.9, 14.8, 62.7)]).export(place / "scan.ply")
    words = (*MAIN, "--no-primitives", "--instances", *like(3))
    made = run(place, place / "cache", *words, "--interval", "mass=minmax_margin:0.3g:the balance drifts")
    assert made.returncode == 0, made.stderr
    mass = slots(place)["mass"]
    assert (mass["recipe"], "level" in mass) == ("minmax_margin", False)
    assert "widened by 0.3 g (the balance drifts); no probability" in mass["meaning"]

    (place / "moved").mkdir()
    for i, name in enumerate(like(3)):
        shutil.move(place / name, place / "moved" / f"sheet-{i}.yaml")
    lost = run(place, place / "cache", "verify", "out/cube.xml", "--rebuild")
    assert lost.returncode == 3
    # the only one of that name there is the scanned cube's own
    assert "measurements.yaml is not what the asset was built from" in lost.stderr
    moved = [f"moved/sheet-{i}.yaml" for i in range(3)]
    again = run(place, place / "cache", "verify", "out/cube.xml", "--rebuild", "--instances", *moved)
    assert again.returncode == 0, again.stderr
    assert "rebuild  equal: 7 files to the byte, manifest included" in again.stdout
