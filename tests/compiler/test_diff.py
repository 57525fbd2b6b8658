"""The difference of two reports: what is listed, what is refused, and that nothing which differs is left out."""

from __future__ import annotations

import copy
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated_reports import error
from simulated_reports import report as account_report

from r2s.compiler.cli import cli
from r2s.compiler.codec import canonical
from r2s.compiler.diff import checked, diff, read_report, screen
from r2s.compiler.diff.leaves import leaves
from r2s.compiler.errors import InvalidInputError, R2SError

STAGES = ("scan", "surface", "simplified", "pieces", "model")


def measured(value: float | None, refused: str = "") -> dict[str, Any]:
    return {"value": value, "u": None if value is None else 1e-5, "how": "fitted face", "refused": refused}


def a_row(id_: str, value: float, role: str = "calibrate", **definition: Any) -> dict[str, Any]:
    feature = definition.setdefault("feature", id_)
    return {
        "id": id_,
        "feature": feature,
        "definition": definition,
        "role": role,
        "unit": "m",
        "caliper": {"value": value, "u": 2e-5, "n": 1, "method": "measured", "accuracy": "declared"},
        "stages": {stage: measured(value) for stage in STAGES},
        "introduced": dict.fromkeys(("surface", "simplify", "decompose", "scale", "emit"), 0.0),
        "estimate": {"value": value, "u": 3e-5, "U95": 6e-5},
        "error": {"value": 0.0, "u": 4e-5, "U95": 8e-5},
        "tolerance": 5e-4,
        "conformance": 0.999,
        "verdict": "PASS" if role == "check" else "UNCHECKED",
    }


def a_step(name: str, digest: str, **options: Any) -> dict[str, Any]:
    term = {"id": f"{name}.loss", "type": "Scalar", "value": 1e-4, "unit": "m"}
    return {
        "name": name,
        "digest": digest,
        "text": name,
        "version": 1,
        "options": options,
        "libraries": {"numpy": "2.0"},
        "terms": [term],
    }


def a_report() -> dict[str, Any]:
    names = ("ingest", "surface", "simplify", "decompose", "scale", "emit")
    return {
        "schema": "r2s-report/1",
        "name": "cube",
        "asset": "ab" * 32,
        "frame": "asset",
        "inputs": {
            "scan": {"name": "scan.ply", "sha256": "01" * 32},
            "calipers": {"name": "m.yaml", "calibrate": "02" * 32, "check": "03" * 32, "roles": "04" * 32},
            "device": {"name": "desk", "file": "desk.yaml", "sha256": "06" * 32},
        },
        "unit": {"unit": "mm", "factor": 0.001, "axes": "+x+y+z"},
        "tools": {"r2s": "0.1.0", "r2s_source": "05" * 32, "numpy": "2.0"},
        "features": [a_row("extent_x", 0.057), a_row("extent_y", 0.058, "check")],
        "scale": {"factor": 1.0, "u": 5e-4, "dof": "inf"},
        "passes": [a_step(n, f"{i}" * 64, max_error=1e-4) for i, n in enumerate(names)],
        "bounds": [{"direction": "forward", "total": 4e-4, "unit": "m", "certified": True, "parts": []}],
        "budgets": [{"name": "simplify", "limit": 1e-4, "lost": 5e-5, "unit": "m", "held": True}],
        "slots": [{"name": "mass", "unit": "kg", "nominal": 0.094, "lo": 0.0935, "hi": 0.0945}],
        "verdict": {"check": "PASS", "coverage_factor": 2.0},
        "blind_spots": ["mirror image"],
        "diagnostics": [{"severity": "note", "code": "R2S305", "message": "no unit", "hint": ""}],
        "scan_to_asset": [[1.0, 0.0], [0.0, 1.0]],
    }


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every scalar inside *value*, by its path."""
    if isinstance(value, dict):
        return [p for k, v in value.items() for p in places(v, (*at, k))]
    if isinstance(value, list):
        return [p for i, v in enumerate(value) for p in places(v, (*at, i))]
    return [at]


def changed(report: dict[str, Any], at: tuple[Any, ...], to: Any) -> dict[str, Any]:
    made = copy.deepcopy(report)
    inner = made
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = to(inner[at[-1]]) if callable(to) else to
    return made


def other(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, (int, float)) else f"{value}x"


# these make it no report of ours, or another measurand
REFUSED = {"schema"}
PLACES = [p for p in places(a_report()) if p[-1] not in REFUSED and "definition" not in p]


def test_equal_reports_are_the_same_and_nothing_is_listed() -> None:
    found = diff(a_report(), a_report())

    assert found["same"]
    assert found["first"] is None
    assert {r["estimate"]["change"] for r in found["features"]} == {0.0}
    assert "same" in screen(found, "a", "b")


@pytest.mark.parametrize("at", PLACES, ids=[".".join(map(str, p)) for p in PLACES])
def test_whatever_differs_is_listed(at: tuple[Any, ...]) -> None:
    a = a_report()
    b = changed(a, at, other)
    found = diff(a, b)

    unchanged = diff(a, a)
    assert not found["same"]
    assert any(canonical(found[k]) != canonical(unchanged[k]) for k in found if k != "same")
    assert "the reports are equal" not in screen(found, "a", "b")


def test_every_change_is_b_minus_a() -> None:
    b = changed(a_report(), ("features", 0, "stages", "scan", "value"), 0.0571)
    b = changed(b, ("features", 0, "estimate", "value"), 0.0569)
    b = changed(b, ("slots", 0, "nominal"), 0.095)
    b = changed(b, ("bounds", 0, "total"), 3e-4)
    there, back = diff(a_report(), b), diff(b, a_report())

    row = there["features"][0]
    assert row["stages"]["scan"]["change"] == pytest.approx(1e-4)
    assert row["estimate"]["change"] == pytest.approx(-1e-4)
    assert (row["estimate"]["U95_a"], row["stages"]["scan"]["U95_b"]) == (6e-5, 2e-5)
    assert back["features"][0]["stages"]["scan"]["change"] == -row["stages"]["scan"]["change"]
    (mass,), (bound,) = there["slots"], there["bounds"]
    assert (mass["at"], mass["unit"], mass["change"]) == ("[mass].nominal", "kg", pytest.approx(1e-3))
    assert (bound["at"], bound["unit"], bound["change"]) == ("[forward].total", "m", pytest.approx(-1e-4))
    shown = screen(there, "a", "b")
    assert "+0.100" in shown
    assert "-0.100" in shown
    assert "94.000 -> 95.000 g (+1.000)" in shown
    assert "0.400 -> 0.300 mm (-0.100)" in shown


def passes_of(report: dict[str, Any], digests: str) -> dict[str, Any]:
    """*report* whose passes have digests of the letters of *digests*."""
    made = copy.deepcopy(report)
    for step, letter in zip(made["passes"], digests, strict=True):
        step["digest"] = letter * 64
    return made


def test_the_screen_groups_by_slot_and_direction_and_counts_the_rest() -> None:
    a = a_report()
    a["bounds"][0]["parts"] = [{"term": "simplify.forward", "maximum": 1e-4}]
    a["closure"] = {"forward": {"maximum": 2e-4, "rms": 1e-5}, "verdict": "within", "unit": "m"}
    b = changed(a, ("slots", 0, "lo"), 0.092)
    b["slots"][0]["provenance"] = "weighed again"
    b["bounds"][0]["parts"][0]["maximum"] = 3e-4
    b["closure"] = {"forward": {"maximum": 9e-4, "rms": 2e-5}, "verdict": "bug", "unit": "m"}
    b["slots"].append({"name": "friction", "unit": "1", "nominal": 0.5, "lo": 0.4, "hi": 0.6})
    shown = screen(diff(a, b), "a", "b").splitlines()

    assert "slot     mass: lo 93.500 -> 92.000 g (-1.500); 1 more: see --json" in shown
    assert "slot     friction: only in B" in shown
    assert "bound    scan to asset: simplify.forward 0.100 -> 0.300 mm (+0.200)" in shown
    assert "closure  scan to asset: maximum 0.200 -> 0.900 mm (+0.700); 1 more: see --json" in shown
    assert "closure  verdict: within -> bug" in shown


def test_the_test_of_the_readings_is_one_line_and_an_older_report_has_none() -> None:
    a = a_report()
    a["scale"]["calibration"] = {
        "chi2": 1.0,
        "dof": 2,
        "p": 0.6,
        "suspect": "",
        "readings": [{"id": "A", "weight": 0.5}],
    }
    b = changed(changed(a, ("scale", "calibration", "p"), 0.01), ("scale", "calibration", "suspect"), "A")
    b = changed(changed(b, ("scale", "calibration", "readings", 0, "weight"), 0.4), ("scale", "u"), 6e-4)
    shown = [line for line in screen(diff(a, b), "a", "b").splitlines() if line.startswith("scale ")]
    older = [line for line in screen(diff(a_report(), a), "a", "b").splitlines() if line.startswith("scale ")]

    assert len(shown) == 2
    assert shown[0].startswith("scale    u 0.0005 -> 0.0006")
    assert shown[1].startswith("scale    calibration: p 0.6 -> 0.01")
    assert shown[1].endswith("suspect  -> A; 1 more: see --json")
    assert older == ["scale    calibration: 1 differ: see --json"]


def test_the_first_pass_that_differs_is_named_with_its_option() -> None:
    a = passes_of(a_report(), "abcdef")
    b = changed(passes_of(a, "abXYZf"), ("passes", 2, "options", "max_error"), 2e-4)
    found = diff(a, b)

    assert found["first"] == {"pass": "simplify", "value": "differs", "why": ["option max_error"]}
    assert [p["value"] for p in found["passes"]] == ["equal", "equal", "differs", "differs", "differs", "equal"]
    assert found["passes"][3]["why"] == ["its input"]
    assert "simplify is the first pass whose value differs: option max_error" in screen(found, "a", "b")


def test_an_option_that_changed_no_value_is_said() -> None:
    a = a_report()
    found = diff(a, changed(a, ("passes", 3, "options", "max_error"), 2e-4))

    assert found["first"] is None
    assert "decompose: max_error 0.0001 -> 0.0002 (+0.0001), value equal" in screen(found, "a", "b")


@pytest.mark.parametrize(
    ("at", "to", "why"),
    [
        (("passes", 0, "version"), 2, ["version of the pass"]),
        (("passes", 0, "libraries", "numpy"), "2.1", ["library numpy"]),
        (("tools", "r2s_source"), "06" * 32, ["source of r2s"]),
        (("inputs", "scan", "sha256"), "07" * 32, ["its input"]),
        (("inputs", "scan", "name"), "scan.xyz", ["its input"]),
        (("name",), "cube", ["same input, options and versions: another machine, or not reproducible"]),
    ],
)
def test_why_a_value_differs(at: tuple[Any, ...], to: Any, why: list[str]) -> None:
    a = passes_of(a_report(), "abcdef")
    found = diff(a, changed(passes_of(a, "Xbcdef"), at, to))

    assert (found["first"]["pass"], found["first"]["why"]) == ("ingest", why)


def test_a_pass_more_or_less_is_the_first_difference() -> None:
    a, b = a_report(), a_report()
    del b["passes"][2]
    found = diff(a, b)

    assert found["first"]["pass"] == "simplify"
    assert [p["value"] for p in found["passes"]].count("equal") == 5
    assert diff(b, a)["passes"][2]["value"] == "only in B"


def test_readings_of_one_report_alone_are_listed() -> None:
    a, b = a_report(), a_report()
    b["features"][1] = a_row("extent_z", 0.056, "check")
    found = diff(a, b)

    assert (found["only_in_a"], found["only_in_b"]) == (["extent_y"], ["extent_z"])
    assert [r["id"] for r in found["features"]] == ["extent_x"]
    assert "only in B: extent_z" in screen(found, "a", "b")


def test_a_report_without_readings_may_be_compared() -> None:
    b = changed(a_report(), ("features",), [])

    assert diff(a_report(), b)["only_in_a"] == ["extent_x", "extent_y"]


def with_row(row: dict[str, Any]) -> dict[str, Any]:
    return changed(a_report(), ("features",), [row])


@pytest.mark.parametrize(
    ("a", "b", "says"),
    [
        ({"feature": "distance"}, {"feature": "thickness"}, "wall is distance in A and thickness in B"),
        (
            {"feature": "inner_diameter", "at_height": 0.03},
            {"feature": "inner_diameter", "at_height": 0.04},
            "wall is inner_diameter at 30 mm in A and at 40 mm in B",
        ),
        (
            {"feature": "inner_diameter", "at_height": 0.03},
            {"feature": "inner_diameter"},
            "wall is inner_diameter at 30 mm in A and at no height in B",
        ),
    ],
)
def test_one_id_for_two_measurands_is_refused(a: dict[str, Any], b: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInputError, match=says) as error:
        diff(with_row(a_row("wall", 0.003, **a)), with_row(a_row("wall", 0.003, **b)))
    assert error.value.code == "R2S845"


def test_other_picks_and_another_role_are_the_same_measurand() -> None:
    a = with_row(a_row("wall", 0.003, "calibrate", feature="thickness", at=[1.0, 2.0, 3.0]))
    b = with_row(a_row("wall", 0.0031, "check", feature="thickness", at=[9.0, 9.0, 9.0]))
    (row,) = diff(a, b)["features"]

    assert row["estimate"]["change"] == pytest.approx(1e-4)
    assert (row["role"], row["verdict"]) == ({"a": "calibrate", "b": "check"}, {"a": "UNCHECKED", "b": "PASS"})
    assert {leaf["at"] for leaf in row["other"]} == {f"definition.at[{i}]" for i in range(3)}


def test_no_reading_in_common_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="A has extent_x, extent_y, B has depth") as error:
        diff(a_report(), with_row(a_row("depth", 0.05)))
    assert error.value.code == "R2S846"


def test_a_refused_stage_has_no_change_and_says_why() -> None:
    b = changed(a_report(), ("features", 0, "stages", "pieces"), measured(None, "the hollow is filled"))
    found = diff(a_report(), b)

    assert found["features"][0]["stages"]["pieces"]["change"] is None
    assert "B not measured on pieces: the hollow is filled" in screen(found, "a", "b")


def test_blind_spots_and_diagnostics_gained_and_lost() -> None:
    b = changed(a_report(), ("blind_spots",), ["mirror image", "scale: no check reading"])
    b["diagnostics"] = []
    found = diff(a_report(), b)

    assert found["blind_spots"] == {"gained": ["scale: no check reading"], "lost": []}
    assert found["diagnostics"] == {"gained": [], "lost": ["note: no unit [R2S305]"]}
    shown = screen(found, "a", "b").splitlines()
    assert "blind    + scale: no check reading" in shown
    assert "said     - note: no unit [R2S305]" in shown


def test_another_order_alone_is_said() -> None:
    b = a_report()
    b["features"].reverse()
    found = diff(a_report(), b)

    assert not found["same"]
    assert found["other"] == [{"at": "the order in a list"}]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-1, 1) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "name", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


def test_true_is_not_one_and_absent_is_not_null() -> None:
    assert leaves(True, 1) == [{"at": "", "a": True, "b": 1}]
    assert leaves({"x": None}, {}) == [{"at": "x", "a": None}]
    assert leaves({}, {"x": None}) == [{"at": "x", "b": None}]


@given(JSON, JSON)
@settings(max_examples=60)
def test_leaves_are_empty_only_for_equal_values(a: Any, b: Any) -> None:
    if canonical(a) == canonical(b):
        assert leaves(a, b) == []
    elif not leaves(a, b):
        # named items in another order, 1 beside 1.0, or nothing beside nothing
        assert isinstance(a, (list, dict, int, float))


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("", "R2S842", "it is empty"),
        ("{", "R2S842", "line 1, column 2"),
        (json.dumps(a_report())[:-200], "R2S842", "line 1"),
        ('{"schema": "r2s-report/1", "x": NaN}', "R2S842", "NaN"),
        ('{"schema": "r2s-report/1", "x": 1e999}', "R2S842", "too large"),
        ('{"schema": "r2s-report/1", "x": ' + "9" * 400 + "}", "R2S842", "400 digits"),
        ("[" * 100_000, "R2S842", "nested"),
        ("[" * 200 + "]" * 200, "R2S842", "nested"),
        ("[]", "R2S843", "names no schema"),
        ('{"schema": 3}', "R2S843", "names no schema"),
        ('{"schema": "r2s-report/2"}', "R2S843", "r2s-report/2"),
        ('{"schema": "r2s-slots/1"}', "R2S843", "r2s-slots/1"),
        ('{"schema": "r2s-report/1"}', "R2S844", "it has no name"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)
def test_what_is_no_report_is_one_line(tmp_path: Path, text: str, code: str, says: str) -> None:
    path = tmp_path / "a.report.json"
    path.write_text(text)
    with pytest.raises(R2SError) as error:
        read_report(path)

    assert error.value.code == code
    assert says in str(error.value)
    assert "\n" not in str(error.value)
    assert error.value.exit_code >= 2


@pytest.mark.parametrize(
    ("at", "to", "says"),
    [
        (("features",), {}, "features is an object, not a list"),
        (("features", 0, "caliper", "value"), "57", "features[0].caliper.value is text, not a number"),
        (("features", 0, "caliper", "value"), True, "features[0].caliper.value is true, not a number"),
        (("features", 0, "stages", "scan"), [], "features[0].stages.scan is a list, not an object"),
        (("features", 1, "id"), "extent_x", "features holds 'extent_x' twice"),
        (("passes", 2), 7, "passes[2] is a number, not an object"),
        (("passes", 2, "digest"), None, "passes[2].digest is null, not text"),
        (("passes", 2, "version"), 1.5, "passes[2].version is a number, not a whole number"),
        (("slots", 0, "nominal"), "heavy", "slots[0].nominal is text, not a number"),
        (("verdict",), "PASS", "verdict is text, not an object"),
    ],
)
def test_wrong_types_inside_are_named(at: tuple[Any, ...], to: Any, says: str) -> None:
    with pytest.raises(InvalidInputError) as error:
        checked(changed(a_report(), at, to), "a.report.json")

    assert error.value.code == "R2S844"
    assert says in error.value.message


ANY = st.none() | st.booleans() | st.just([]) | st.just({}) | st.text() | st.floats(-9, 9)


@given(st.sampled_from(places(a_report())), ANY)
@settings(max_examples=60)
def test_a_damaged_report_never_breaks_the_comparison(at: tuple[Any, ...], to: Any) -> None:
    """Every exception but our own plain line would fail this."""
    with suppress(InvalidInputError):
        screen(diff(a_report(), checked(changed(a_report(), at, to), "b")), "a", "b")


def with_account(value: float = 0.057) -> dict[str, Any]:
    rows = [error("ingest.own", 1e-4, "s"), error("emit.sheet", 2e-4, "sheet")]
    told = account_report(rows, {"extent_x": (value, "m", {"ingest.own": 1.0, "emit.sheet": 1.0})})
    return a_report() | {"uncertainty": told["uncertainty"]}


def test_an_account_that_differs_is_listed_and_judged() -> None:
    found = diff(with_account(), with_account(0.058))

    assert [leaf["at"] for leaf in found["uncertainty"]] == ["outputs.extent_x.value"]
    assert found["statistics"]["outputs"][0]["change"] == pytest.approx(1e-3)
    assert found["other"] == []
    assert "note     no statistics: A and B have no section uncertainty" in screen(
        diff(a_report(), changed(a_report(), ("name",), "x")), "a", "b"
    )


ACCOUNT = [p for p in places(with_account()) if p[0] == "uncertainty"]


@given(st.sampled_from(ACCOUNT), ANY)
@settings(max_examples=60)
def test_a_damaged_account_never_breaks_the_comparison(at: tuple[Any, ...], to: Any) -> None:
    with suppress(InvalidInputError):
        screen(diff(with_account(), checked(changed(with_account(), at, to), "b")), "a", "b")


@pytest.mark.parametrize(
    ("at", "to", "says"),
    [
        (("rows", 0, "u"), None, "uncertainty.rows[0] states no size, not one of u, half_width and unbounded"),
        (("rows", 1, "half_width"), 1.0, "uncertainty.rows[1] states u and half_width, not one of"),
        (("rows", 1, "u"), "much", "uncertainty.rows[1].u is text, not a number"),
        (("rows", 1, "method"), "guessed", "uncertainty.rows[1].method is 'guessed', not one of measured, estimated"),
        (("rows", 1, "id"), "ingest.own", "uncertainty.rows holds 'ingest.own' twice"),
        (("rows", 0, "sensitivity", "extent_x"), 1.0, "sensitivity.extent_x is a number, not an object"),
        (("outputs", "extent_x", "value"), None, "uncertainty.outputs.extent_x.value is null, not a number"),
        (("correlations",), [{"first": "ingest.own"}], "uncertainty.correlations[0] has no second"),
    ],
)
def test_what_is_wrong_in_an_account_is_named(at: tuple[Any, ...], to: Any, says: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        checked(changed(with_account(), ("uncertainty", *at), to), "a.report.json")

    assert caught.value.code == "R2S844"
    assert says in caught.value.message


def save(path: Path, report: dict[str, Any]) -> Path:
    path.write_text(canonical(report) + "\n")
    return path


@pytest.mark.parametrize("name", ["b.report.json", "b.xml", "b.manifest.json", "b.scene.xml"])
def test_the_report_is_found_beside_what_is_named(tmp_path: Path, name: str) -> None:
    save(tmp_path / "b.report.json", a_report())

    assert read_report(tmp_path / name) == a_report()


def test_what_is_shown_is_called_by_the_report_that_was_read(tmp_path: Path) -> None:
    save(tmp_path / "a.report.json", a_report())
    save(tmp_path / "b.report.json", changed(a_report(), ("slots", 0, "hi"), 0.1))

    shown = run(tmp_path / "a.manifest.json", tmp_path / "b.xml")[1]
    assert str(tmp_path / "a.report.json") in shown
    assert str(tmp_path / "b.report.json") in shown
    assert "manifest" not in shown


def test_a_failed_build_is_told_of(tmp_path: Path) -> None:
    save(tmp_path / "b.failed.report.json", a_report())
    with pytest.raises(InvalidInputError, match=r"failed its verdict; its report is .*b\.failed\.report\.json"):
        read_report(tmp_path / "b.xml")
    assert read_report(tmp_path / "b.failed.report.json") == a_report()


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "b.report.json")
    with pytest.raises(InvalidInputError, match="not a regular file"):
        read_report(tmp_path / "b.report.json")


def run(*words: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(cli, ["diff", *map(str, words)], standalone_mode=False)
    if done.exception is not None:
        assert isinstance(done.exception, R2SError)
        return done.exception.exit_code, str(done.exception)
    return done.return_value, done.output


def test_exit_codes_are_those_of_diff(tmp_path: Path) -> None:
    a = save(tmp_path / "a.report.json", a_report())
    b = save(tmp_path / "b.report.json", changed(a_report(), ("slots", 0, "hi"), 0.1))

    assert run(a, a)[0] == 0
    assert run(a, b)[0] == 1
    assert run(a, tmp_path / "none.xml")[0] >= 2


def test_json_is_the_answer_and_nothing_else(tmp_path: Path) -> None:
    a = save(tmp_path / "a.report.json", a_report())
    b = save(tmp_path / "b.report.json", changed(a_report(), ("features", 1, "verdict"), "FAIL"))
    code, out = run(a, b, "--json")

    assert code == 1
    assert json.loads(out) == diff(a_report(), changed(a_report(), ("features", 1, "verdict"), "FAIL"))


def test_a_report_from_before_there_were_profiles_names_its_class_alone(tmp_path: Path) -> None:
    older = changed(a_report(), ("inputs", "device"), "rgbd")
    (tmp_path / "b.report.json").write_text(canonical(older))

    assert read_report(tmp_path / "b.report.json") == older
    (tmp_path / "b.report.json").write_text(canonical(changed(older, ("inputs", "device"), {"name": "rgbd"})))
    with pytest.raises(InvalidInputError, match=r"inputs\.device has no file") as error:
        read_report(tmp_path / "b.report.json")
    assert error.value.code == "R2S844"
