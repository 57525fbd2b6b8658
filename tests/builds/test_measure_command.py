"""The virtual caliper alone, as a user runs it: the readings beside the calipers, and nothing written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import trimesh
from click.testing import CliRunner
from tests_support import CUBE, files

from r2s.compiler.cli import cli
from r2s.compiler.errors import R2SError

SHEET = """\
schema: 1
object: brick
instrument: {kind: digital_caliper, unit: mm}
measurements:
  - {feature: extent_x, value: 80.1}
  - {feature: extent_z, value: 40.0}
  - {id: wide, feature: extent_y, value: 49.8, role: check}
  - {feature: sphere_diameter, value: 30.0, role: check}
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


@pytest.fixture
def brick(tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a box of 80 x 50 x 40 and its sheet; its readings are off by known amounts, one is no feature."""
    trimesh.creation.box(extents=(80, 50, 40)).export(tmp_path / "brick.stl")
    (tmp_path / "m.yaml").write_text(SHEET)
    monkeypatch.setenv("R2S_CACHE", str(store))
    return tmp_path


def measure(scan: Path, sheet: Path, *words: str) -> tuple[int, str, str]:
    """Exit code, stdout, and stderr or the line of the error."""
    done = CliRunner().invoke(cli, ["measure", str(scan), "--calipers", str(sheet), *words], standalone_mode=False)
    if isinstance(done.exception, R2SError):
        return done.exception.exit_code, done.stdout, str(done.exception)
    assert done.exception is None, done.exception
    return done.return_value, done.stdout, done.stderr


def readings(out: str) -> dict[str, dict[str, Any]]:
    return {r["id"]: r for r in json.loads(out)["readings"]}


def test_each_reading_stands_beside_the_calipers(brick: Path) -> None:
    before = files(brick)
    code, out, _ = measure(brick / "brick.stl", brick / "m.yaml", "--json")
    found = json.loads(out)
    rows = readings(out)

    assert code == 0
    assert files(brick) == before
    assert (found["schema"], found["unit"]["unit"], found["scale"]) == ("r2s-measure/1", "mm", 1.0)
    assert list(rows) == ["extent_x", "extent_z", "wide", "sphere_diameter"]
    for id_, caliper, true in (("extent_x", 0.0801, 0.08), ("extent_z", 0.04, 0.04), ("wide", 0.0498, 0.05)):
        row = rows[id_]
        assert row["caliper"]["value"] == pytest.approx(caliper)
        assert row["scan"]["value"] == pytest.approx(true, abs=1e-9)
        assert row["surface"]["value"] == pytest.approx(true, abs=1e-9)
        assert row["difference"]["value"] == pytest.approx(true - caliper, abs=1e-9)
        assert row["ratio"]["value"] == pytest.approx(caliper / true)
        assert row["difference"]["U95"] == pytest.approx(2 * row["caliper"]["u"], rel=1e-3)
    assert rows["wide"]["role"] == "check"
    assert found["ratio"]["n"] == 2
    assert found["ratio"]["mean"] == pytest.approx((80.1 / 80) ** 0.5)


def test_the_table_has_signs_units_and_reasons(brick: Path) -> None:
    code, out, told = measure(brick / "brick.stl", brick / "m.yaml")
    lines = out.splitlines()

    assert code == 0
    assert "agree on mm" in lines[1]
    (x,) = (line for line in lines if line.startswith("extent_x calibrate"))
    assert x.split()[2:9] == ["80.100", "0.035", "80.000", "0.000", "80.000", "-0.100", "0.035"]
    assert x.endswith("fitted face")
    (wide,) = (line for line in lines if line.startswith("wide extent_y CHECK"))
    assert "+0.200" in wide
    at = next(i for i, line in enumerate(lines) if line.startswith("sphere_diameter CHECK"))
    assert "not measured on the scan: " in lines[at + 1]
    assert "R2S63" not in told, "a verdict on a model that was never made"


def test_a_free_scale_is_taken_out_before_the_difference(brick: Path) -> None:
    """A scan in units of its own: the common scale says nothing, what is left does."""
    trimesh.creation.box(extents=(80 / 450, 50 / 450, 40 / 450)).export(brick / "free.stl")
    code, out, _ = measure(brick / "free.stl", brick / "m.yaml", "--json")
    rows = readings(out)

    assert code == 0
    assert json.loads(out)["unit"]["free"] is True
    common = (80.1 / 80) ** 0.5
    for id_, caliper, true in (("extent_x", 0.0801, 0.08), ("extent_z", 0.04, 0.04), ("wide", 0.0498, 0.05)):
        assert rows[id_]["difference"]["value"] == pytest.approx(true * common - caliper, abs=1e-8)
    assert "the scan's own is free" in measure(brick / "free.stl", brick / "m.yaml")[1]


def test_a_sheet_without_readings_is_one_plain_line(brick: Path) -> None:
    (brick / "m.yaml").write_text("schema: 1\nmeasurements: []\n")
    code, out, error = measure(brick / "brick.stl", brick / "m.yaml", "--unit", "mm")

    assert (code, out) == (3, "")
    assert "m.yaml holds no reading to measure" in error


def test_a_wrong_unit_is_refused_as_by_a_build(brick: Path) -> None:
    code, _, error = measure(brick / "brick.stl", brick / "m.yaml", "--unit", "m")

    assert code == 3
    assert "the calipers say" in error


@pytest.mark.slow
def test_the_cube_reads_as_its_build_does(cube: Path, fixtures_cache: Path) -> None:
    """The same analysis on the same values: equal to the last bit."""
    code, out, _ = measure(CUBE / "scan.ply", CUBE / "measurements.yaml", "--json", "--cache", str(fixtures_cache))
    report = json.loads((cube / "cube.report.json").read_bytes())

    assert code == 0
    for row in report["features"]:
        for stage in ("scan", "surface"):
            assert readings(out)[row["id"]][stage]["value"] == row["stages"][stage]["value"]
