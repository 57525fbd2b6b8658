"""Closure in whole builds: the disk holds what was measured, the truth lies within, a pass that lies is caught."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from conftest import PLUGIN, Run
from tests_support import ROOT, but_long

from r2s.passes.closing.mjcf import emitted
from r2s.passes.closing.shape import radius_of
from r2s.passes.closing.solids import Solid
from r2s.passes.closing.union import Union
from r2s.virtual_scanner.recipes import RECIPES
from r2s.virtual_scanner.shapes import normals

pytestmark = pytest.mark.slow

Floats = np.ndarray
NEAR = 5.0  # spacings of the scan: further from every point, a place is unobserved


def moved(matrix: Floats, points: Floats) -> Floats:
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def on_disk(xml: Path) -> Union:
    """The pieces of the written files, by closure's own reading."""
    files = {p.name: p.read_bytes() for p in (xml.parent / f"{xml.stem}.assets").iterdir()}
    return Union(tuple(Solid.of(geom) for geom in emitted(xml.read_text(), files)))


def report(xml: Path) -> dict[str, Any]:
    return json.loads(xml.with_name(f"{xml.stem}.report.json").read_text())


def fixtures() -> Iterator[str]:
    """Every fixture whose scan is the true shape but for noise: an instrument's scale or offset is in no bound."""
    for name in sorted(RECIPES):
        truth = json.loads((ROOT / "fixtures" / name / "truth.json").read_text())
        if truth.get("lengths_scanned", truth["lengths"]) == truth["lengths"]:
            yield name


def test_the_report_says_what_the_written_files_and_the_scan_file_say(built: Callable[[str], Path]) -> None:
    xml = built("cube")
    closure = report(xml)["closure"]
    raw = np.asarray(trimesh.load(ROOT / "fixtures" / "cube" / "scan.ply").vertices, dtype=float)

    points = moved(np.array(report(xml)["scan_to_asset"]), raw)
    outside = on_disk(xml).outside(points, 2e-3)

    assert closure["verdict"] == "within"
    assert closure["emitted"] == closure["pieces"] == 1
    assert outside.max() == pytest.approx(closure["forward"]["maximum"], abs=1e-9)
    assert np.abs(points[outside.argmax()] - closure["forward"]["at"]).max() < 1e-9
    assert (outside <= 0).mean() == pytest.approx(closure["within"], abs=1e-3)


@pytest.mark.parametrize("name", but_long(fixtures(), ("cup", "mug")))
def test_the_true_surface_lies_within_the_composed_bound(name: str, built: Callable[[str], Path]) -> None:
    """By the formula of the solid, where the scan saw it; the truth has no noise, so that part is not used."""
    from scipy.spatial import cKDTree

    xml, source = built(name), ROOT / "fixtures" / name
    said, truth, solid = report(xml), json.loads((source / "truth.json").read_text()), RECIPES[name].solid
    parts = {b["direction"]: {p["term"]: p["maximum"] for p in b["parts"]} for b in said["bounds"]}
    assert parts["forward"].pop("surface.scatter") > 0
    bound = {direction: sum(each.values()) for direction, each in parts.items()}
    raw = np.asarray(trimesh.load(source / "scan.ply").vertices, dtype=float)
    to_asset, to_object = np.array(said["scan_to_asset"]), np.array(truth["scan_to_object"])
    asset_to_object = to_object @ np.linalg.inv(to_asset)
    unit = float(np.cbrt(np.linalg.det(asset_to_object[:3, :3])))
    union, seen = on_disk(xml), moved(to_asset, raw)
    spacing = float(np.median(cKDTree(seen).query(seen, k=2)[0][:, 1]))

    spots = union.exposed(radius_of(union.area) / 2)
    spots = spots.samples.points[spots.open]
    observed = cKDTree(seen).query(spots)[0] <= NEAR * spacing + bound["backward"]
    backward = solid.distance(moved(asset_to_object, spots[observed])) / unit

    at_object = moved(to_object, raw)
    for _ in range(3):  # onto the true surface
        at_object = at_object - solid.distance(at_object)[:, None] * normals(solid, at_object)
    on_surface = np.abs(solid.distance(at_object)) < 1e-6
    forward = union.outside(moved(np.linalg.inv(asset_to_object), at_object[on_surface]), radius_of(union.area))

    assert on_surface.mean() > 0.95
    assert observed.mean() > 0.5
    assert 0 < forward.max() <= bound["forward"]
    assert 0 < backward.max() <= bound["backward"]


def bracket(folder: Path) -> Path:
    low = trimesh.creation.box(bounds=[(0, 0, 0), (80, 20, 40)])
    high = trimesh.creation.box(bounds=[(0, 20, 0), (20, 60, 40)])
    mesh = trimesh.boolean.union([low, high], engine="manifold")
    assert mesh.is_watertight
    assert mesh.volume == pytest.approx(40 * (80 * 20 + 20 * 40))
    mesh.export(folder / "bracket.stl")
    return folder / "bracket.stl"


def test_a_pass_that_hides_its_loss_stops_the_build(r2s: Run, tmp_path: Path) -> None:
    scan = bracket(tmp_path)
    path = os.pathsep.join(filter(None, (str(PLUGIN), os.environ.get("PYTHONPATH", ""))))

    def build(by: str) -> Any:
        passes = f"ingest | surface | shift{{by={by}}} | simplify | decompose | scale | emit"
        return r2s(scan, "--unit", "mm", "--passes", passes, "-o", "a.xml", PYTHONPATH=path)

    honest = build("0.00001mm")
    assert honest.returncode == 0, honest.stderr
    asset = (tmp_path / "a.xml").read_bytes()

    lying = build("1mm")

    assert lying.returncode == 70
    last = lying.stderr.splitlines()[-1]
    assert last.startswith("error: ")
    assert "1.000 mm outside" in last
    assert last.endswith("[R2S907]")
    assert "Traceback" not in lying.stderr
    assert (tmp_path / "a.xml").read_bytes() == asset
    failed = json.loads((tmp_path / "a.failed.report.json").read_text())["closure"]
    assert failed["verdict"] == "bug"
    assert failed["forward"]["maximum"] == pytest.approx(1e-3, abs=1e-6)
    assert "closure  scan to asset 1.000 of 0.000 mm" in lying.stdout
    assert ": BUG" in lying.stdout
