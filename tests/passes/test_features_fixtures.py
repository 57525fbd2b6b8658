"""What the virtual scanner saw of shapes with known truth: lengths between picks, and insides, on the raw scan."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from tests_support import ROOT

from r2s.compiler.ir import Scan, Source
from r2s.compiler.readings import Feature, Point
from r2s.passes.caliper.features import PICKED, measure, placed, pose_of, stage_of_scan
from r2s.passes.ingest import Ingest

QUICK = ("bracket", "cube", "mug")  # every kind of feature that the fixtures have
NAMES = [
    pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
    for name in ("bowl", "bracket", "can", "cube", "cube_rescan", "cup", "mug")
]


def scanned(name: str, metres_per_number: float) -> Scan:
    path = ROOT / "fixtures" / name / "scan.ply"
    source = Source("ply", hashlib.sha256(path.read_bytes()).hexdigest(), str(path))
    return Ingest(unit="free", factor=metres_per_number).run(source).value


def truth_of(name: str) -> dict[str, Any]:
    return dict(json.loads((ROOT / "fixtures" / name / "truth.json").read_text()))


def feature_of(entry: dict[str, Any]) -> Feature:
    def point(numbers: list[float]) -> Point:
        x, y, z = numbers
        return (x, y, z)

    kind, picks = entry["feature"], [point(p) for p in entry["picks"]]
    if kind == "thickness":
        return Feature(kind, pick=picks[0])
    if kind in PICKED:
        return Feature(kind, start=picks[0], end=picks[1])
    return Feature(kind, along=entry["along"])


@pytest.mark.parametrize("name", NAMES)
def test_lengths_between_picks_and_insides_are_those_of_the_shape(name: str) -> None:
    truth = truth_of(name)
    scan = scanned(name, truth["scan"]["metres_per_number"])
    stage = stage_of_scan(scan)
    wanted = {k: e for k, e in truth["features"].items() if e["feature"] in (*PICKED, "inner_diameter")}
    pose = pose_of(stage.points)
    scores = {}
    for key, entry in wanted.items():
        found = measure(stage, placed(feature_of(entry), scan.from_source), pose)
        if key == "faces_z":
            assert "no surface near the pick 'from'" in found.refused  # nobody saw its underside
            continue
        assert not found.refused, f"{key}: {found.refused}"
        scores[key] = (found.value - truth["lengths_scanned"][key]) / found.u
        assert found.u < 0.3e-3, key

    assert scores
    assert {k: v for k, v in scores.items() if abs(v) > 3} == {}
