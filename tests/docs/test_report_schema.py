"""The JSON Schema of the report holds for every kind of report and for nothing else; what must add up adds up."""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests_support import CUBE, ROOT

from r2s.compiler.driver import Request, run

SCHEMA = json.loads((ROOT / "docs" / "schemas" / "r2s-report-1.schema.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA)
KINDS = ("whole", "stopped", "failed", "unmeasured")

Report = dict[str, Any]


@pytest.fixture(scope="module")
def reports(cube: Path, fixtures_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """The cube as it is, stopped at the surface, with a check that is 3 mm off, and without any calipers."""
    place = tmp_path_factory.mktemp("reports")
    wrong, count = re.subn(r"(extent_y, values: )\[.*?\]", r"\1[60.00]", (CUBE / "measurements.yaml").read_text())
    assert count == 1
    (place / "wrong.yaml").write_text(wrong)
    whole = Request(CUBE / "scan.ply", None, CUBE / "measurements.yaml", cache=fixtures_cache)
    made = {
        "stopped": run(replace(whole, stop_after="surface")),
        "failed": run(replace(whole, calipers=place / "wrong.yaml", output=place / "failed.xml")),
        "unmeasured": run(replace(whole, calipers=None, unit="mm", output=place / "unmeasured.xml")),
    }
    assert {kind: one.failure is not None for kind, one in made.items() if one.failure} == {"failed": True}
    found = {kind: json.loads(json.dumps(one.report)) for kind, one in made.items()}
    assert found["failed"] == json.loads((place / "failed.failed.report.json").read_text())
    return found | {"whole": json.loads((cube / "cube.report.json").read_text())}


def errors(report: Report) -> list[str]:
    return [f"{e.json_path}: {e.message}" for e in VALIDATOR.iter_errors(report)]


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema within *schema*."""
    if isinstance(schema, dict):
        yield schema
    for inner in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from parts(inner)


def test_every_number_has_its_unit_and_every_object_its_keys() -> None:
    for part in parts(SCHEMA):
        kinds = part.get("type", ())
        if {"number", "integer"} & {kinds if isinstance(kinds, str) else "", *kinds}:
            assert "x-unit" in part or set(part) == {"type"}, part  # a bare one narrows what is told elsewhere
        if "properties" in part and "required" in part:
            assert part["additionalProperties"] is False, part
            assert set(part["required"]) <= set(part["properties"]), part


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_follows_the_schema(kind: str, reports: dict[str, Report]) -> None:
    assert errors(reports[kind]) == []


def test_a_failed_report_and_one_without_calipers_are_what_they_should_be(reports: dict[str, Report]) -> None:
    assert reports["failed"]["verdict"]["check"] == "FAIL"
    assert reports["stopped"]["scan_to_asset"] is None
    assert {"unmeasured": [], "whole": reports["whole"]["features"]} == {
        kind: reports[kind]["features"] for kind in ("unmeasured", "whole")
    }
    assert reports["unmeasured"]["uncertainty"]["outputs"]["volume"]["unbounded"]


def row(report: Report) -> dict[str, Any]:
    return report["uncertainty"]["rows"][0]


MUTANTS: dict[str, Callable[[Report], object]] = {
    "no unit of a row": lambda r: row(r).pop("unit"),
    "no unit of an output": lambda r: r["uncertainty"]["outputs"]["volume"].pop("unit"),
    "no unit of a sensitivity": lambda r: next(iter(row(r)["sensitivity"].values())).pop("unit"),
    "no unit of a term": lambda r: r["passes"][0]["terms"][0].pop("unit"),
    "no unit of a scalar": lambda r: r["passes"][0]["terms"][1].pop("unit"),
    "a distance to nothing": lambda r: r["passes"][0]["terms"][2].pop("end"),
    "two sizes of a row": lambda r: row(r).update(u=1e-5, half_width=2e-5),
    "a size and no bound": lambda r: row(r).update(unbounded=True),
    "no size of a row": lambda r: [row(r).pop(k, None) for k in ("u", "half_width")] and None,
    "unbounded that is false": lambda r: (row(r).pop("u", None), row(r).update(unbounded=False)),
    "a method of its own": lambda r: row(r).update(method="guessed"),
    "no method": lambda r: row(r).pop("method"),
    "a shape of its own": lambda r: row(r).update(shape="round"),
    "a negative u": lambda r: r["uncertainty"]["outputs"]["volume"].update(u=-1e-9),
    "a u where nothing bounds it": lambda r: r["uncertainty"]["outputs"]["volume"].update(unbounded=True),
    "an interval where nothing bounds it": lambda r: r["uncertainty"]["outputs"]["volume"].update(
        unbounded=True, u=None, dof=None, k=None, U95=None, lpu=None, seed=None
    ),
    "k without U95": lambda r: r["uncertainty"]["outputs"]["volume"].update(U95=None),
    "a share over one": lambda r: r["uncertainty"]["outputs"]["volume"].update(assumed_share=1.2),
    "a row that nothing feels": lambda r: row(r).update(sensitivity={}),
    "a number as text": lambda r: r["features"][0]["estimate"].update(value="0.057"),
    "infinity as text": lambda r: r["features"][0]["estimate"].update(u="inf"),
    "a key too many": lambda r: r["features"][0].update(colour="blue"),
    "a key too few": lambda r: r.pop("volume"),
    "a caliper in inches": lambda r: r["features"][0].update(unit="in"),
    "a verdict of its own": lambda r: r["verdict"].update(check="GOOD"),
    "another schema": lambda r: r.update(schema="r2s-report/2"),
    "a digest that is none": lambda r: r["inputs"]["scan"].update(sha256="abc"),
    "a code that is none": lambda r: r["diagnostics"].append(
        {"severity": "note", "code": "X", "message": "x", "hint": ""}
    ),
}


def one_of_each(report: Report) -> Report:
    """The report with one entry in each of its long lists, which says as much of the schema in a hundredth of time."""
    small = copy.deepcopy(report)
    terms = [t for p in small["passes"] for t in p["terms"]]
    for key in ("passes", "features", "slots"):
        del small[key][1:]
    kinds = ("StandardUncertainty", "Scalar", "DirectedDistance")
    small["passes"][0]["terms"] = [next(t for t in terms if t["type"] == kind) for kind in kinds]
    del small["uncertainty"]["rows"][1:]
    small["uncertainty"]["outputs"] = {"volume": small["uncertainty"]["outputs"]["volume"]}
    return small


def test_what_is_no_report_does_not_follow_it(reports: dict[str, Report]) -> None:
    small = one_of_each(reports["whole"])
    assert errors(small) == []

    for name, change in MUTANTS.items():
        changed = copy.deepcopy(small)
        change(changed)
        assert errors(changed), name


# What must add up, but for the norm of the tilts: it has no derivative, so no row can say what it does to it
NORM = "tilt"


def linear(report: Report) -> dict[str, Any]:
    """The outputs that the rows make, by name."""
    return {name: output for name, output in report["uncertainty"]["outputs"].items() if name != NORM}


@pytest.mark.parametrize("kind", KINDS)
def test_shares_sum_to_one_by_pass_by_method_and_by_term(kind: str, reports: dict[str, Report]) -> None:
    rows = reports[kind]["uncertainty"]["rows"]
    for name, output in reports[kind]["uncertainty"]["outputs"].items():
        for table in ("by_method", "by_pass", "by_term"):
            assert math.fsum(output[table].values()) == pytest.approx(1, abs=1e-9), (name, table)
        assert output["assumed_share"] == pytest.approx(output["by_method"].get("assumed", 0.0))
        assert output["by_term"][output["dominant"]] == max(output["by_term"].values()), name
    for name, output in linear(reports[kind]).items():
        of_rows = [(r, r["contribution"][name]["share"]) for r in rows if name in r["contribution"]]
        assert math.fsum(share for _, share in of_rows) == pytest.approx(1, abs=1e-9), name
        for table, key in (("by_method", "method"), ("by_pass", "pass"), ("by_term", "term")):
            for word in {r[key] for r, _ in of_rows}:
                told = math.fsum(share for r, share in of_rows if r[key] == word)
                assert output[table].get(word, 0.0) == pytest.approx(told, abs=1e-12), (name, table, word)


@pytest.mark.parametrize("kind", KINDS)
def test_contributions_make_u_and_k_makes_the_expanded_one(kind: str, reports: dict[str, Report]) -> None:
    rows, outputs = reports[kind]["uncertainty"]["rows"], linear(reports[kind])
    assert {"whole": 15, "failed": 15}.get(kind, 1) <= len(outputs)
    for name, output in outputs.items():
        found = [r["contribution"][name]["u"] for r in rows if name in r["contribution"]]
        assert output["unbounded"] is (None in found), name
        if not output["unbounded"]:
            assert math.hypot(*found) == pytest.approx(output["u"], rel=1e-9), name
            assert output["U95"] == pytest.approx(output["k"] * output["u"], rel=1e-12), name
            low, high = output["interval"]
            assert low <= output["value"] <= high
            if output["lpu"] == "validated":
                ends = (output["value"] - output["U95"], output["value"] + output["U95"])
                assert (low, high) == pytest.approx(ends, rel=1e-12, abs=1e-15), name


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_contributes_its_size_times_its_sensitivity(kind: str, reports: dict[str, Report]) -> None:
    outputs = linear(reports[kind])
    for r in reports[kind]["uncertainty"]["rows"]:
        assert set(r["sensitivity"]) == set(r["contribution"]) <= set(outputs)
        assert r["effect"] == ("random" if r["shape"] == "white" else "systematic")
        size = r["u"] if "u" in r else r.get("half_width", math.inf) / math.sqrt(3)
        for name, felt in r["sensitivity"].items():
            told = r["contribution"][name]["u"]
            assert (told is None) is ("unbounded" in r)
            if told is not None:
                assert told == pytest.approx(abs(felt["c"]) * math.hypot(size, r["value"]), rel=1e-9), (r["id"], name)
            unit, out = r["unit"], outputs[name]["unit"]
            assert felt["unit"] == (out if unit == "1" else "1" if out == unit else f"{out}/{unit}")


@pytest.mark.parametrize("kind", KINDS)
def test_features_volume_and_headline_say_what_the_account_says(kind: str, reports: dict[str, Report]) -> None:
    report = reports[kind]
    outputs = report["uncertainty"]["outputs"]
    assert [f["id"] for f in report["features"] if f["estimate"]["value"] is None] == []
    for feature in report["features"]:
        estimate, output = feature["estimate"], outputs[feature["id"]]
        assert [estimate[k] for k in ("value", "u", "U95")] == [output[k] for k in ("value", "u", "U95")]
        assert (estimate["shares"], estimate["dominant"]) == (output["by_term"], output["dominant"])
    assert [report["volume"][k] for k in ("value", "u", "U95", "unit")] == [
        outputs["volume"][k] for k in ("value", "u", "U95", "unit")
    ]
    main = report["uncertainty"]["headline_of"]
    assert report["uncertainty"]["headline"].startswith(f"{main} ")
    assert main == next((f["id"] for f in sorted(report["features"], key=lambda f: f["role"] != "check")), "volume")
