"""What of a change is more than uncertainty: what cancels, who is named, what turned over; errors are known here."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import kstest
from simulated_reports import error, fit, length, report, root

from r2s.compiler.account.row import Row
from r2s.compiler.diff.significance import statistics, told
from r2s.compiler.errors import InvalidInputError

Report = dict[str, Any]

OWN = 3e-4  # m, of each scan anew
BALANCE = 4e-4  # of what both builds were told by one source


def of(output: str, found: Report, key: str = "outputs") -> Report:
    return next(o for o in found[key] if o["name"] == output)


def compared(a: Report, b: Report) -> Report:
    """The statistics of *a* and *b*, of the readings that both have."""
    right = {row["id"]: row for row in b["features"]}
    return statistics(a, b, [(row, right[row["id"]]) for row in a["features"] if row["id"] in right])


def built(scan: str, value: float = 0.06, c: float = 1.0, **changed: Any) -> Report:
    """One scan's report: an error of its own, and one of the sheet that is the same whatever the scan."""
    rows = [error("ingest.own", OWN, scan), error("emit.sheet", BALANCE, "sheet")]
    return report(rows, {"width": (value, "m", {"ingest.own": 1.0, "emit.sheet": c})}, scan, **changed)


def test_what_both_builds_share_cancels_and_the_rest_adds_up() -> None:
    found = of("width", compared(built("s"), built("t", 0.0612)))

    assert found["u"] == pytest.approx(math.sqrt(2) * OWN, rel=1e-12)
    assert found["change"] == pytest.approx(1.2e-3)
    assert found["z"] == pytest.approx(1.2e-3 / (math.sqrt(2) * OWN))
    assert (found["U95"], found["k"]) == (pytest.approx(1.959964 * found["u"], rel=1e-6), pytest.approx(1.959964))
    assert found["verdict"] == "significant"
    assert not found["exact"]


def test_a_change_under_two_u_is_within_uncertainty_and_one_over_is_not() -> None:
    u = math.sqrt(2) * OWN
    under, over = (of("width", compared(built("s"), built("t", 0.06 + z * u))) for z in (-1.99, -2.01))

    assert (under["verdict"], over["verdict"]) == ("within uncertainty", "significant")
    assert over["z"] == pytest.approx(-2.01)


def test_what_moves_the_builds_unequally_leaves_the_difference() -> None:
    found = of("width", compared(built("s", c=1.0), built("t", c=-0.5)))

    assert found["u"] == pytest.approx(root(OWN, OWN, 1.5 * BALANCE), rel=1e-12)
    assert found["mostly"] == "emit.sheet"


def of_the_sheet(**changed: Any) -> Report:
    row = replace(error("emit.sheet", BALANCE, "sheet"), **changed)
    return report([row], {"width": (0.06, "m", {row.id: 1.0})})


@pytest.mark.parametrize(
    "changed",
    [
        {"source": "another sheet"},
        {"group": "another"},
        {"u": BALANCE * (1 + 1e-15)},
        {"value": 1e-9},
        {"id": "emit.other"},
        {"distribution": "rectangular", "half_width": BALANCE * math.sqrt(3)},
    ],
    ids=lambda changed: " ".join(changed),
)
def test_an_error_is_one_only_if_id_group_source_and_size_are(changed: dict[str, Any]) -> None:
    found = compared(of_the_sheet(), of_the_sheet(**changed))

    assert of("width", found)["u"] == pytest.approx(math.sqrt(2) * BALANCE)
    assert found["rows"]["same"] == []
    assert compared(of_the_sheet(), of_the_sheet(method="measured"))["rows"]["same"] == ["emit.sheet"]


def on_a_mesh(area: float, scan: str, digest: str = "") -> Report:
    """A doubt of 3e-8 m³ about the volume, told as an offset over *area*, m²."""
    row = error("surface.offset", 3e-8 / area, "s", unit="m")
    made = report([row], {"volume": (2e-4, "m^3", {row.id: area})}, scan)
    made["passes"][1]["digest"] = digest or made["passes"][1]["digest"]
    return made


def test_an_error_of_a_pass_that_gave_the_same_value_is_one_in_whatever_size_it_is_told() -> None:
    """The same surface, simplified to another mesh: the same doubt, over another area."""
    one, other = (compared(on_a_mesh(0.0200, "s"), on_a_mesh(0.0201, "s", d)) for d in ("", "another surface"))

    assert of("volume", one)["u"] == pytest.approx(0, abs=1e-20)
    assert [(row["id"], row["in_common"]) for row in one["rows"]["changed"]] == [("surface.offset", "error")]
    assert "1 are the same in both builds and cancel, 0 are not" in "".join(told(one))
    assert of("volume", other)["u"] == pytest.approx(math.sqrt(2) * 3e-8)
    assert other["rows"]["changed"][0]["ratio"] == pytest.approx(200 / 201)


def test_errors_from_nowhere_are_not_one_error() -> None:
    found = compared(of_the_sheet(source=""), of_the_sheet(source=""))

    assert found["rows"]["same"] == []


def grouped(first: Row, second: Row, scan: str = "s") -> Report:
    return report([first, second], {"width": (0.06, "m", {first.id: 1.0, second.id: 1.0})}, scan)


def test_a_group_cancels_as_a_whole_or_not_at_all() -> None:
    one, two = (error(f"ingest.{n}", OWN, "s", group="faces") for n in "ab")
    other = replace(two, u=2 * OWN)
    whole, half = compared(grouped(one, two), grouped(one, two)), compared(grouped(one, two), grouped(one, other, "t"))

    assert of("width", whole)["u"] == 0
    assert whole["rows"]["same"] == ["ingest.a", "ingest.b"]
    assert half["rows"]["same"] == []
    assert of("width", half)["u"] == pytest.approx(root(2 * OWN, 3 * OWN)), "errors of a group add up with their sign"


def test_correlated_rows_cancel_together_and_keep_their_correlation_where_they_do_not() -> None:
    one, two = error("ingest.a", OWN, "s"), error("ingest.b", OWN, "s")
    a, b = grouped(one, two), grouped(one, two)
    for made, r in ((a, -0.5), (b, -0.5)):
        made["uncertainty"]["correlations"] = [{"first": "ingest.a", "second": "ingest.b", "r": r}]
    equal = compared(a, b)
    b["uncertainty"]["correlations"][0]["r"] = 0.8
    apart = compared(a, b)

    assert equal["rows"]["same"] == ["ingest.a", "ingest.b"]
    assert apart["rows"]["same"] == []
    assert of("width", apart)["u"] == pytest.approx(OWN * math.sqrt(2 - 1.0 + 2 + 1.6))


def with_profile(made: Report, sha256: str) -> Report:
    made["inputs"]["device"] = {"name": "mine", "file": "mine.yaml", "sha256": sha256}
    return made


def biased(scan: str, sha256: str, c: float = 1.0, value: float = 0.06) -> Report:
    row = error("ingest.offset", OWN, scan, value=5e-4)
    return with_profile(report([row], {"width": (value, "m", {row.id: c})}, scan), sha256)


def test_a_bias_of_one_scanner_cancels_and_that_of_another_does_not() -> None:
    mine, other = (compared(biased("s", "one"), biased("t", sha)) for sha in ("one", "two"))
    classes = compared(*(biased(scan, "x") | {"inputs": built(scan)["inputs"]} for scan in "st"))

    assert of("width", mine)["u"] == pytest.approx(root(OWN, OWN))
    assert mine["rows"]["changed"][0]["in_common"] == "bias"
    assert of("width", other)["u"] == pytest.approx(math.sqrt(2) * root(OWN, 5e-4))
    assert of("width", classes)["u"] == of("width", other)["u"], "a class is not one scanner"


def test_where_one_scanner_moves_the_builds_opposite_ways_its_doubt_counts_as_one_error() -> None:
    """Nobody knows whether u of a profile is of the scanner or of the day: the larger of both is taken."""
    found = of("width", compared(biased("s", "one", 1.0), biased("t", "one", -1.0)))

    assert found["u"] == pytest.approx(root(2 * OWN, 2 * 5e-4))


def scaled(scan: str, weights: dict[str, float], c: float = 0.06, **changed: Any) -> Report:
    row = error("scale.fit", 5e-4, f"{scan} and readings", **changed)
    made = report([row], {"width": (c, "m", {row.id: c})}, scan, scale=fit(weights))
    made["inputs"]["calipers"]["calibrate"] = "one sheet"
    return made


def test_the_same_readings_bring_the_same_errors_of_the_caliper_into_two_scans() -> None:
    equal = compared(scaled("s", {"x": 0.5, "z": 0.5}), scaled("t", {"x": 0.5, "z": 0.5}))
    other = scaled("t", {"x": 0.5, "z": 0.5})
    other["inputs"]["calipers"]["calibrate"] = "measured again"
    anew = compared(scaled("s", {"x": 0.5, "z": 0.5}), other)

    assert (of("width", equal)["u"], of("width", equal)["exact"]) == (0, True), "nothing is left that is not common"
    assert equal["rows"]["changed"][0]["in_common"] == "readings"
    assert of("width", anew)["u"] == pytest.approx(0.06 * math.sqrt(2) * 5e-4)


def test_other_weights_of_the_same_readings_leave_what_they_differ_by() -> None:
    found = of("width", compared(scaled("s", {"x": 0.5, "z": 0.5}), scaled("t", {"x": 0.8, "z": 0.2})))

    assert found["u"] == pytest.approx(0.06 * (0.3 + 0.3) * 2e-4), "at any correlation of the readings"


def test_a_scale_that_was_found_and_not_applied_is_each_scans_own() -> None:
    one, two = (scaled(scan, {"x": 1.0}, value=bias) for scan, bias in (("s", 1e-4), ("t", -2e-4)))

    assert of("width", compared(one, two))["u"] == pytest.approx(0.06 * root(1e-4, 2e-4))


def test_an_exact_change_is_judged_by_its_size_and_no_change_is_equal() -> None:
    """One scan, one set of rows: no error made the change."""
    a = built("s")
    u95 = of("width", compared(a, a))["U95_a"]
    small, large, none = (of("width", compared(a, built("s", 0.06 + part * u95))) for part in (0.3, -0.4, 0.0))

    assert [o["verdict"] for o in (small, large, none)] == ["exact, immaterial", "exact, material", "equal"]
    assert (large["exact"], large["z"], large["u"]) == (True, None, 0.0)
    assert large["of_U95_a"] == pytest.approx(0.4)


def test_an_error_without_a_bound_cancels_if_both_builds_have_it_and_else_leaves_none() -> None:
    def made(scan: str, value: float) -> Report:
        row = error("ingest.scale", math.inf, scan, method="assumed")
        return report([row], {"width": (value, "m", {row.id: 0.06})}, scan)

    one, two = (of("width", compared(made("s", 0.06), made(scan, 0.061))) for scan in "st")
    assert (one["u"], one["verdict"]) == (0.0, "exact, no bound")
    assert (two["u"], two["U95"], two["z"], two["verdict"]) == (None, None, None, "no bound")


def test_the_growth_of_u2_is_told_by_pass_and_its_parts_add_up() -> None:
    def made(surface: float, emit: float) -> Report:
        rows = [error("ingest.a", 1e-4, "s"), error("ingest.b", 2e-4, "s"), error("surface.c", surface, "s")]
        by = {"ingest.a": 1.0, "ingest.b": -2.0, "surface.c": 3.0, "emit.d": 1.0}
        return report([*rows, error("emit.d", emit, "sheet")], {"width": (0.06, "m", by)})

    found = of("width", compared(made(1e-4, 3e-4), made(5e-4, 1e-4)), "u2")

    assert found["by_pass"]["ingest"] == pytest.approx(0, abs=1e-20)
    assert found["by_pass"]["surface"] == pytest.approx(9 * (25e-8 - 1e-8))
    assert found["by_pass"]["emit"] == pytest.approx(1e-8 - 9e-8)
    assert sum(found["by_pass"].values()) == pytest.approx(found["u_b"] ** 2 - found["u_a"] ** 2, rel=1e-12)
    assert found["change"] == pytest.approx(9 * 24e-8 - 8e-8)
    assert found["dominant"] == {"a": "ingest.b", "b": "surface.c"}
    assert found["dominant_pass"] == {"a": "ingest", "b": "surface"}


def test_an_output_that_lost_its_bound_has_no_growth_and_is_a_flip() -> None:
    def made(u: float) -> Report:
        return report([error("ingest.scale", u, "s")], {"width": (0.06, "m", {"ingest.scale": 0.06})})

    found = compared(made(1e-4), made(math.inf))

    assert (of("width", found, "u2")["change"], of("width", found, "u2")["by_pass"]) == (None, None)
    assert found["flips"] == [{"what": "unbounded", "of": "width", "a": False, "b": True}]


def test_what_the_passes_did_to_the_asset_is_told_beside_its_estimate() -> None:
    """A scale that was applied belongs to the estimate; the rest is the passes' own doing."""
    a, b = built("s"), built("s")
    a["features"], b["features"] = [length("width", 0.06)], [length("width", 0.06)]
    row = b["features"][0]
    row["estimate"]["value"] += 1e-4  # a factor was applied
    row["introduced"] |= {"simplify": -5e-5, "decompose": 1e-5, "scale": 1e-4}
    (found,) = compared(a, b)["asset"]

    assert found["change"] == pytest.approx(-4e-5)
    assert (found["pass"], found["verdict"]) == ("simplify", "exact, immaterial")
    nothing = dict.fromkeys(("surface", "scale", "emit"), 0.0)
    assert found["by_pass"] == pytest.approx({"simplify": -5e-5, "decompose": 1e-5} | nothing, abs=1e-12)
    row["introduced"]["simplify"] = -9e-5
    assert compared(a, b)["asset"][0]["verdict"] == "exact, material"


def test_an_asset_that_lost_a_length_is_not_judged() -> None:
    a, b = built("s"), built("s")
    a["features"], b["features"] = [length("width", 0.06)], [length("width", 0.06)]
    b["features"][0]["introduced"]["emit"] = None

    assert compared(a, b)["asset"][0]["verdict"] == "not measured"
    assert compared(a, a)["asset"][0]["verdict"] == "equal"


def turned(change: Callable[[Report], object]) -> list[Report]:
    """The flips of a report that *change* was done to."""
    a, b = built("s"), built("s")
    for made in (a, b):
        made["features"] = [length("width", 0.06)]
        made["coverage"] = {"status": "BOUNDED", "unsupported": 0.1}
    change(b)
    flips: list[Report] = compared(a, b)["flips"]
    return flips


def put(*path: Any, to: Any) -> Callable[[Report], object]:
    def change(made: Report) -> None:
        inner: Any = made
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "flip"),
    [
        (
            put("uncertainty", "outputs", "width", "lpu", to="not validated"),
            ("linear model", "width", "validated", "not validated"),
        ),
        (put("verdict", "check", to="INCONCLUSIVE"), ("verdict", "", "PASS", "INCONCLUSIVE")),
        (put("features", 0, "verdict", to="FAIL"), ("verdict", "width", "PASS", "FAIL")),
        (put("bounds", 0, "certified", to=False), ("certified", "forward", True, False)),
        (put("budgets", 0, "held", to=False), ("held", "simplify", True, False)),
        (put("closure", "verdict", to="vacuous"), ("closure", "verdict", "within", "vacuous")),
        (put("closure", "forward", "certified", to=False), ("closure", "forward.certified", True, False)),
        (put("coverage", "status", to="UNBOUNDED"), ("coverage", "status", "BOUNDED", "UNBOUNDED")),
        (put("blind_spots", to=[]), ("blind spot", "mirror image: lengths do not change", True, False)),
    ],
    ids=["linear", "whole", "reading", "certified", "budget", "closure", "direction", "coverage", "blind"],
)
def test_what_turned_over_is_listed(change: Callable[[Report], object], flip: tuple[Any, ...]) -> None:
    assert turned(change) == [dict(zip(("what", "of", "a", "b"), flip, strict=True))]


def test_a_number_that_moved_is_no_flip() -> None:
    assert turned(put("closure", "forward", "maximum", to=2e-4)) == []
    assert turned(put("coverage", "unsupported", to=0.2)) == []


def test_what_lies_along_the_axes_of_two_scans_is_not_compared() -> None:
    def made(scan: str) -> Report:
        rows = [error("ingest.own", OWN, scan)]
        return report(rows, {n: (0.01, "m", {"ingest.own": 1.0}) for n in ("com.x", "tilt.y", "com.z")}, scan)

    one, two = compared(made("s"), made("s")), compared(made("s"), made("t"))

    assert (one["not_compared"], two["not_compared"]) == ([], ["com.x", "tilt.y"])
    assert [o["name"] for o in two["outputs"]] == ["com.z"]


def test_an_older_report_has_a_note_in_place_of_statistics() -> None:
    older = {key: value for key, value in built("s").items() if key != "uncertainty"}

    assert compared(older, built("s")) == {
        "note": "no statistics: A has no section uncertainty, an older r2s wrote it; build again"
    }
    assert list(told(compared(built("s"), older))) == [
        "note     no statistics: B has no section uncertainty, an older r2s wrote it; build again"
    ]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (put("uncertainty", "rows", 0, "u", to=-1.0), "a standard uncertainty cannot be -1"),
        (put("uncertainty", "rows", 0, "dof", to=0), "degrees of freedom must be positive"),
        (
            put("uncertainty", "correlations", to=[{"first": "ingest.own", "second": "emit.sheet", "r": 7}]),
            "cannot be correlated by 7",
        ),
    ],
)
def test_rows_that_no_build_has_are_one_line(change: Callable[[Report], object], says: str) -> None:
    b = built("t")
    change(b)
    with pytest.raises(InvalidInputError, match=says) as caught:
        compared(built("s"), b)

    assert caught.value.code == "R2S844"


def test_the_screen_is_a_table_then_u2_then_what_dominates_then_what_turned_over() -> None:
    rows = [error("ingest.own", 9e-4, "t"), error("emit.sheet", BALANCE, "sheet")]
    a, b = built("s"), report(rows, {"width": (0.0612, "m", {"ingest.own": 1.0, "emit.sheet": 1.0})}, "t")
    b["verdict"]["check"] = "FAIL"
    lines = list(told(compared(a, b)))

    assert lines[0].split() == ["B", "-", "A", "A", "B", "change", "±", "95", "%", "z"]
    assert lines[1].split() == ["width", "mm", "60.00", "61.2", "+1.2", "1.9", "+1.26", "within", "uncertainty"]
    assert lines[2:] == [
        "errors   1 are the same in both builds and cancel, 1 are not",
        "u2       width: +288 % by ingest +288 %; u 0.50 -> 0.98 mm",
        "mostly   emit.sheet -> ingest.own: width",
        "flip     verdict PASS -> FAIL",
    ]


N = 4000


@pytest.mark.parametrize("truly_shared", [True, False], ids=["shared", "each its own"])
@pytest.mark.parametrize("said_shared", [True, False], ids=["said so", "said apart"])
def test_z_is_standard_normal_if_what_is_said_of_sharing_is_true(*, truly_shared: bool, said_shared: bool) -> None:
    """Pairs of builds with drawn errors: z scatters by 1 where the sources tell the truth, and else visibly not."""
    by = {"ingest.own": 1.0, "ingest.other": -2.0, "emit.sheet": 1.0}
    by_b = {"ingest.own": 0.7, "ingest.other": 1.5, "emit.sheet": 1.2}
    u = {"ingest.own": OWN, "ingest.other": 1e-4, "emit.sheet": 2 * OWN}

    def made(scan: str, by: dict[str, float]) -> Report:
        sheet = "sheet" if said_shared else f"sheet of {scan}"
        sources = {"emit.sheet": sheet}
        return report([error(i, u[i], sources.get(i, scan)) for i in u], {"width": (0.06, "m", by)}, scan)

    said = of("width", compared(made("s", by), made("t", by_b)))["u"]
    rng = np.random.default_rng(7)
    a, b = ({i: rng.normal(0, u[i], N) for i in u} for _ in "ab")
    if truly_shared:
        b["emit.sheet"] = a["emit.sheet"]
    z = (sum(by_b[i] * b[i] for i in u) - sum(by[i] * a[i] for i in u)) / said

    p = kstest(z, "norm").pvalue
    assert p > 0.001 if truly_shared == said_shared else p < 1e-6


def test_the_asset_is_told_from_the_first_pass_that_differs() -> None:
    a, b = built("s"), built("s")
    a["features"], b["features"] = [length("width", 0.06), length("depth", 0.06)], [length("width", 0.06)]
    b["features"].append(length("depth", 0.06))
    b["features"][0]["introduced"] |= {"simplify": -1e-5, "decompose": -9e-4}
    b["features"][1]["introduced"] |= {"decompose": 1e-3}
    lines = list(told(statistics(a, b, list(zip(a["features"], b["features"], strict=True)), {"pass": "simplify"})))

    assert lines[-3:] == [
        "asset    the passes from simplify on moved lengths beside their estimates by:",
        "         depth +1.000 mm, mostly decompose (+1.000): exact, material (5 of U95)",
        "         width -0.910 mm, mostly decompose (-0.900): exact, material (4.5 of U95)",
    ]
