"""``inject`` on the fixtures, where the damage is to real clouds and the checks are those of a whole build."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from tests_support import COMMAND, CUBE, ROOT

from r2s.compiler.known_bad import inject, trials
from r2s.compiler.known_bad.run import QUICK
from r2s.compiler.pipeline import Pipeline
from r2s.compiler.request import Request

# Half the work for the same checks: a third of the points, averaged, and one coarse piece.
COARSE = "ingest{limit=8000} | surface | decompose{share=0.1} | scale | emit"
OTHER_LIMIT = 3.0  # a smallest size seen may lie that far below the limit of its blind spot, which promises 95 % power


def table(name: str, cache: Path, *only: str, passes: str = QUICK) -> dict[str, Any]:
    scan, sheet = (ROOT / "fixtures" / name / file for file in ("scan.ply", "measurements.yaml"))
    return inject(Request(scan, calipers=sheet, pipeline=Pipeline.parse(passes), cache=cache), only)


def outcomes(document: dict[str, Any], kind: str) -> dict[str, str]:
    return {t["told"]: t["outcome"] for t in document["trials"] if t["kind"] == kind}


def codes(document: dict[str, Any], kind: str, told: str) -> set[str]:
    return {f["code"] for t in document["trials"] if (t["kind"], t["told"]) == (kind, told) for f in t["findings"]}


@pytest.mark.slow
def test_the_cube_sees_a_scale_an_offset_and_its_missing_underside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "SCALES", (0.01,))
    monkeypatch.setattr(trials, "OFFSETS", (1e-3,))
    monkeypatch.setattr(trials, "BOTTOMS", (0.0,))
    found = table("cube", tmp_path, "scale", "offset", "bottom", "swapped_readings", "mass", passes=COARSE)

    assert outcomes(found, "scale") == {"1 %": "seen"}
    assert outcomes(found, "offset") == {"1 mm": "seen"}
    assert outcomes(found, "bottom")["underside only"] == "present"
    assert codes(found, "bottom", "underside only") == {"R2S420"}
    assert set(outcomes(found, "swapped_readings").values()) == {"harmless"}
    assert outcomes(found, "mass") == {"x2": "missed", "/2.2": "missed", "x28.3": "seen", "x1e+03": "seen"}
    assert found["unexplained"] == []


def test_an_interrupted_run_says_so_in_one_line(tmp_path: Path) -> None:
    """Ctrl-C reaches the whole group, as on a terminal."""
    words = [COMMAND, "inject", CUBE / "scan.ply", "--calipers", CUBE / "measurements.yaml", "--cache", tmp_path / "c"]
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    process = subprocess.Popen(
        [*map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(scratch)},
        start_new_session=True,
    )
    while not (tmp_path / "c").exists() and process.poll() is None:  # until the first answer lies in the store
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)

    assert (process.returncode, out, err.strip()) == (130, "", "error: interrupted")
    assert [p for p in scratch.iterdir() if not p.name.startswith("r2s-cpus-")] == []  # that one all builds share


@pytest.mark.long
@pytest.mark.parametrize("name", ["cube", "bracket"])
def test_every_damage_is_seen_or_harmless_or_in_the_blind_spots(name: str, tmp_path: Path) -> None:
    found = table(name, tmp_path)

    assert found["unexplained"] == []
    for t in found["trials"]:
        if t["outcome"] == "missed":
            assert t["blind_spot"] in found["blind_spots"], t["told"]
    assert outcomes(found, "scale")["1 %"] == "seen"
    assert outcomes(found, "offset")["1 mm"] == "seen"
    assert set(outcomes(found, "bottom").values()) <= {"seen", "present"}
    seen_by = codes(found, "bottom", "underside only")
    how = {f["how"] for t in found["trials"] if t["kind"] == "bottom" for f in t["findings"]}
    assert "R2S420" in seen_by or "not covered" in how
    assert outcomes(found, "mirror_all") == {"x": "harmless"}  # both are their own mirror images in some plane
    if name == "bracket":
        assert outcomes(found, "mirror") == {"x": "seen", "y": "harmless", "z": "seen"}
        assert set(outcomes(found, "piece").values()) == {"seen"}


@pytest.mark.long
@pytest.mark.parametrize("name", ["cube", "bracket"])
def test_the_rules_claim_no_blindness_that_is_not_there(name: str, tmp_path: Path) -> None:
    """What a blind spot covers is missed somewhere, or seen only near its limit; beyond the limit all is seen."""
    scan, sheet = (ROOT / "fixtures" / name / file for file in ("scan.ply", "measurements.yaml"))
    from r2s.compiler.driver import run

    request = Request(scan, calipers=sheet, pipeline=Pipeline.parse(QUICK), cache=tmp_path)
    spots = {spot.kind: spot for spot in run(request).blind if spot.kind}
    found = inject(request)
    for kind in ("scale", "axis_scale", "offset"):
        tried = [t for t in found["trials"] if t["kind"] == kind]
        assert all(t["outcome"] == "seen" for t in tried if t["size"] >= spots[kind].most), kind
        smallest = min(t["size"] for t in tried if t["outcome"] == "seen")
        assert any(t["outcome"] == "missed" for t in tried) or smallest > spots[kind].most / OTHER_LIMIT, kind
    seen = {t["told"] for t in found["trials"] if t["kind"] == "mass" and t["outcome"] == "seen"}
    beyond = {t["told"] for t in found["trials"] if t["kind"] == "mass" and not spots["mass"].covers("mass", t["size"])}
    assert seen == beyond
    assert json.dumps(found, allow_nan=False)
