"""
Walls, depths and steps followed through whole builds, and read once more by rays through the written pieces.

The hull of a stage may fatten a wall: then the reading must say by how much, which the rays know independently.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Run
from tests_support import ROOT

from r2s.compiler.ir import Floats

PICKED = ("distance", "thickness", "depth", "step")
UNDER = {"mug": "outer_diameter", "bracket": "extent_x"}  # what calibrates
BESIDE = 0.004  # m: how far about the pick the beam may find the material on which it rests
OVER = 0.2  # m: above every object


@dataclass(frozen=True, eq=False)
class Built:
    """A finished build: its report, the truth of its shape, and its pieces as outward planes."""

    report: dict[str, Any]
    truth: dict[str, Any]
    planes: list[tuple[Floats, Floats]]

    @property
    def to_asset(self) -> Floats:
        return np.array(self.report["scan_to_asset"])

    def stages(self, key: str) -> dict[str, dict[str, Any]]:
        return dict(next(row["stages"] for row in self.report["features"] if row["id"] == key))

    def place(self, pick: list[float]) -> Floats:
        return np.asarray(self.to_asset[:3, :3] @ np.array(pick) + self.to_asset[:3, 3])

    def top(self, place: Floats) -> float:
        """How high the pieces reach above *place* (2,), metres; -inf beside them."""
        hit = self.along(np.array([*place, OVER]), np.array([0.0, 0.0, -1.0]))
        return OVER - hit[0][0] if hit else -np.inf

    def highest(self, place: Floats, across: Floats, reach: float) -> Floats:
        """The highest point (3,) of the pieces within *reach* of *place* (2,), looked for on a grid."""
        steps = np.linspace(-reach, reach, 41)
        aside = np.array([-across[1], across[0]])
        grid = [place + a * across + b * aside for a in steps for b in steps if a * a + b * b <= reach * reach]
        return max((np.array([*spot, self.top(spot)]) for spot in grid), key=lambda point: float(point[2]))

    def along(self, start: Floats, direction: Floats) -> list[tuple[float, float]]:
        """Where the line is inside the union of the pieces: intervals from *start*, metres."""
        found = []
        for normals, offsets in self.planes:
            slope, rest = normals @ direction, offsets - normals @ start
            low = float((rest[slope < -1e-12] / slope[slope < -1e-12]).max())
            high = float((rest[slope > 1e-12] / slope[slope > 1e-12]).min())
            if low < high and bool((rest[np.abs(slope) <= 1e-12] >= 0).all()):
                found.append((low, high))
        joined: list[tuple[float, float]] = []
        for low, high in sorted(found):
            if joined and low <= joined[-1][1] + 1e-5:
                joined[-1] = (joined[-1][0], max(joined[-1][1], high))
            else:
                joined.append((low, high))
        return joined


def planes_of(path: Path) -> tuple[Floats, Floats]:
    words = [line.split() for line in path.read_text().splitlines()]
    points = np.array([w[1:4] for w in words if w and w[0] == "v"], dtype=np.float64)
    faces = np.array([[int(c.split("/")[0]) - 1 for c in w[1:4]] for w in words if w and w[0] == "f"])
    a, b, c = np.moveaxis(points[faces], 1, 0)
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return normals, np.einsum("ij,ij->i", normals, a)


def sheet_of(name: str, truth: dict[str, Any]) -> str:
    lines = ["schema: 1", f"object: {name}", "instrument: {kind: digital_caliper, unit: mm}", "measurements:"]
    for key, entry in truth["features"].items():
        kind, value = entry["feature"], 1e3 * truth["lengths"][key]
        if kind not in (*PICKED, "inner_diameter") and key != UNDER[name]:
            continue
        places = [f"[{', '.join(map(repr, pick))}]" for pick in entry["picks"]]
        where = dict(zip(("at",) if kind == "thickness" else ("from", "to"), places, strict=False))
        if entry["along"] is not None:
            where = {"at": f"{{value: {1e3 * entry['along']}, unit: mm}}"}
        role = "calibrate" if key == UNDER[name] else "check, tolerance: 9"
        said = "".join(f", {k}: {v}" for k, v in where.items())
        lines.append(f"  - {{id: {key}, feature: {kind}{said}, value: {value:.6f}, unit: mm, role: {role}}}")
    return "\n".join([*lines, "mass: {value: 100, unit: g}", ""])


def build(name: str, folder: Path, r2s: Run, cache: Path) -> Built:
    source = ROOT / "fixtures" / name
    truth = json.loads((source / "truth.json").read_text())
    (folder / "sheet.yaml").write_text(sheet_of(name, truth))
    made = r2s(
        source / "scan.ply", "--calipers", "sheet.yaml", "-o", f"{name}.xml", "-q", timeout=900, R2S_CACHE=str(cache)
    )
    assert made.returncode == 0, made.stderr
    report = json.loads((folder / f"{name}.report.json").read_text())
    return Built(report, truth, [planes_of(p) for p in sorted((folder / f"{name}.assets").glob("piece_*.obj"))])


def on_the_scan(built: Built) -> dict[str, float]:
    """Errors on the raw scan in standard uncertainties."""
    return {
        key: (scan["value"] - built.truth["lengths"][key]) / scan["u"]
        for key in built.truth["features"]
        if any(row["id"] == key for row in built.report["features"])
        for scan in [built.stages(key)["scan"]]
    }


@pytest.mark.slow
def test_a_mug(tmp_path: Path, r2s: Run, fixtures_cache: Path) -> None:
    built = build("mug", tmp_path, r2s, fixtures_cache)
    scores = {k: v for k, v in on_the_scan(built).items() if k != "outer_diameter"}
    assert {k: v for k, v in scores.items() if abs(v) > 3} == {}
    assert {"thickness", "depth", "inner_diameter"} <= set(scores)

    center = built.place([-1e3 * v[3] for v in built.truth["scan_to_object"][:3]])
    pick = built.place(built.truth["features"]["thickness"]["picks"][0])
    inward = (center - pick) * [1, 1, 0] / np.linalg.norm((center - pick)[:2])
    low, high = built.along(pick - 0.02 * inward, inward)[0]
    wall = built.stages("thickness")["model"]
    assert wall["value"] == pytest.approx(high - low, abs=0.1e-3)
    assert wall["value"] > built.stages("thickness")["surface"]["value"]

    # The beam lies on the highest material at the pick and across; the rod reaches down from it to the floor.
    rim, floor = (built.place(p)[:2] for p in built.truth["features"]["depth"]["picks"])
    across = (floor - rim) / np.linalg.norm(floor - rim)
    near, far = (built.highest(center[:2] + side * (rim - center[:2]), across, BESIDE) for side in (1, -1))
    share = float((floor - near[:2]) @ across / ((far - near)[:2] @ across))
    beam = (1 - share) * near[2] + share * far[2]
    assert built.stages("depth")["model"]["value"] == pytest.approx(beam - built.top(floor), abs=0.15e-3)


@pytest.mark.slow
def test_a_bracket(tmp_path: Path, r2s: Run, fixtures_cache: Path) -> None:
    built = build("bracket", tmp_path, r2s, fixtures_cache)
    assert {k: v for k, v in on_the_scan(built).items() if abs(v) > 3 and k != "extent_x"} == {}

    for key, axis in (("sides", 1), ("upright", 0)):  # the picks lie beside each other, the faces are square to an axis
        start, end = (built.place(p) for p in built.truth["features"][key]["picks"])
        direction = np.sign((end - start)[axis]) * np.eye(3)[axis]
        low, high = built.along((start + end) / 2 - 0.2 * direction, direction)[0]
        assert built.stages(key)["model"]["value"] == pytest.approx(high - low, abs=0.15e-3), key

    down = np.array([0.0, 0.0, -1.0])
    base, top = (built.place(p) for p in built.truth["features"]["step"]["picks"])
    heights = [0.2 - built.along(np.array([*place[:2], 0.2]), down)[0][0] for place in (base, top)]
    assert built.stages("step")["model"]["value"] == pytest.approx(heights[1] - heights[0], abs=0.15e-3)
