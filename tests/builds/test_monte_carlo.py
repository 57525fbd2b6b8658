"""
The account against what the passes do with its errors: cube and mug compiled again and again under drawn ones.

It shares the account with what it checks; that the account itself is right is shown where the truth is known.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests_support import COMMAND, CUBE, ROOT

POINTS = 5000
LENGTHS = ("extent", "faces", "height", "outer", "inner", "depth", "thickness")


def compiled(scan: Path, sheet: Path, cache: Path, count: int, *words: str) -> dict[str, Any]:
    line = [COMMAND, scan, "--calipers", sheet, "--device", "structured_light", "--monte-carlo", count, *words]
    said = subprocess.run(
        [*map(str, line), "--cache", str(cache), "--json", "-q"], capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(said.stdout)["report"]["uncertainty"]
    return found


def thinned(folder: Path) -> Path:
    """The cube's scan with a fifth of its points, as text."""
    from r2s.passes.readers import read

    raw = read(CUBE / "scan.ply", "ply")
    kept = np.sort(np.random.default_rng(1).choice(len(raw.points), POINTS, replace=False))
    rows = np.hstack([raw.points[kept], raw.normals[kept]])
    head = f"ply\nformat ascii 1.0\nelement vertex {POINTS}\n"
    head += "".join(f"property float {name}\n" for name in ("x", "y", "z", "nx", "ny", "nz")) + "end_header\n"
    path = folder / "scan.ply"
    path.write_text(head + "\n".join(" ".join(f"{v:.9g}" for v in row) for row in rows) + "\n")
    return path


@pytest.mark.slow
def test_a_thin_scan_of_the_cube_scatters_as_its_account_says(tmp_path: Path) -> None:
    words = ("--passes", "ingest | surface{depth=6} | enclose | scale", "--stop-after", "scale")
    found = compiled(thinned(tmp_path), CUBE / "measurements.yaml", tmp_path / "cache", 12, *words)
    spread = found["monte_carlo"]["outputs"]

    assert found["monte_carlo"]["made"] == 12
    for name in ("extent_x", "extent_y", "extent_z", "faces_x", "faces_y", "volume"):
        assert spread[name]["verdict"] == "agrees", (name, spread[name])
    assert {o["lpu"] for o in found["outputs"].values()} <= {"validated", "not validated", "undecided"}
    assert found["outputs"]["tilt"]["lpu"] == "not validated"


@pytest.mark.long
@pytest.mark.parametrize("name", ["cube", "mug"])
def test_every_length_scatters_within_three_tenths_of_what_the_account_says(name: str, tmp_path: Path) -> None:
    folder = ROOT / "fixtures" / name
    words = ("-o", str(tmp_path / f"{name}.xml"), "--limit", "20min")
    found = compiled(folder / "scan.ply", folder / "measurements.yaml", tmp_path / "cache", 50, *words)
    spread = found["monte_carlo"]["outputs"]
    lengths = {output: one["ratio"] for output, one in spread.items() if output.startswith(LENGTHS)}

    assert found["monte_carlo"]["made"] == 50
    assert len(lengths) == 5
    assert {output: ratio for output, ratio in lengths.items() if not 0.7 <= ratio <= 1.3} == {}
    assert all(o["lpu"] for o in found["outputs"].values())
