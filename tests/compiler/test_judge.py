"""The judge's arithmetic: waterfalls close, probabilities are those of JCGM 106, budgets judge p99, only maxima add."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests_support import judge_bare

from r2s.compiler.bounds import compose
from r2s.compiler.budget import entries, split
from r2s.compiler.errors import UsageError
from r2s.compiler.ir import Anchor
from r2s.compiler.judge import conformance
from r2s.compiler.ledger import DirectedDistance, Scalar
from r2s.compiler.measured import Measured, StageReadings
from r2s.compiler.readings import Feature, Reading

LENGTH = st.floats(0.001, 1.0)


def reading(role: str, value: float = 0.057, tolerance: float = 0.5e-3, *, compliant: bool = False) -> Reading:
    return Reading(
        "A",
        Feature("extent_x"),
        (value,),
        0.03e-3,
        "declared",
        0.0,
        role,
        tolerance,
        compliant,
        "caliper",  # type: ignore[arg-type]
    )


def stages(
    scan: float, surface: float, simplified: float, pieces: float, model: float, u: float = 1e-5
) -> tuple[StageReadings, ...]:
    values = {"scan": scan, "surface": surface, "simplified": simplified, "pieces": pieces, "model": model}
    return tuple(StageReadings(n, (Measured("A", v, u, "test"),)) for n, v in values.items())


def distance(role: str, maximum: float, p99: float, *, certified: bool = True) -> DirectedDistance:
    return DirectedDistance(f"t.{role}", role, "a", "b", maximum, certified, p99, p99, p99, None, 10, "test")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("error", "u", "tolerance", "probability"),
    [
        (0.0, 1.0, 1.959963984540054, 0.95),
        (-0.4, 1.0, 1.5, 0.8356172),
        (2.0, 1.0, 2.0, 0.5 - 3.1671e-5),
        (0.3, 0.0, 0.5, 1.0),
        (0.6, 0.0, 0.5, 0.0),
    ],
)
def test_conformance_is_the_normal_probability_between_the_limits(
    error: float, u: float, tolerance: float, probability: float
) -> None:
    assert conformance(error, u, tolerance) == pytest.approx(probability, abs=1e-6)


@given(LENGTH, LENGTH, LENGTH, LENGTH, LENGTH, st.floats(0.5, 2.0))
def test_the_waterfall_closes(a: float, b: float, c: float, d: float, e: float, factor: float) -> None:
    (row,) = judge_bare((reading("check"),), stages(a, b, c, d, e), Anchor(factor=factor)).rows

    assert a + sum(row.introduced.values()) == pytest.approx(row.model, abs=1e-12)
    assert row.introduced["scale"] == pytest.approx(d * (factor - 1), abs=1e-12)
    assert row.introduced["emit"] == pytest.approx(e - d * factor, abs=1e-12)


@pytest.mark.parametrize(
    ("model", "verdict"),
    [(0.057, "PASS"), (0.0572, "PASS"), (0.0575, "INCONCLUSIVE"), (0.0580, "FAIL"), (0.0560, "FAIL")],
)
def test_verdict_of_a_check(model: float, verdict: str) -> None:
    made = judge_bare((reading("check"),), stages(0.057, 0.057, 0.057, 0.057, model), Anchor())

    beyond = [] if abs(model - 0.057) < 0.5e-3 else ["R2S635"]
    assert made.verdict == verdict
    assert [d.code for d in made.diagnostics if d.code != "R2S635"] == (["R2S631"] if verdict == "INCONCLUSIVE" else [])
    assert [d.code for d in made.diagnostics if d.code == "R2S635"] == beyond or verdict == "INCONCLUSIVE"


def test_calibrate_readings_never_judge() -> None:
    made = judge_bare((reading("calibrate"),), stages(0.057, 0.057, 0.057, 0.057, 0.1), Anchor())

    assert made.verdict == "UNCHECKED"
    assert [d.code for d in made.diagnostics] == ["R2S635", "R2S633"]


@pytest.mark.parametrize(
    ("chain", "share", "named"),
    [
        ((0.057, 0.057, 0.057, 0.0578, 0.0578), "+0.80 mm", "decompose"),
        ((0.057, 0.0578, 0.0578, 0.0578, 0.0578), "+0.80 mm", "surface"),
        ((0.0578, 0.0578, 0.0578, 0.0579, 0.0579), "+0.80 mm", "scan"),
        ((0.0578, 0.0578, 0.0578, 0.0567, 0.0563), "-1.10 mm", "decompose"),
    ],
)
def test_what_is_beyond_its_tolerance_has_a_culprit(chain: tuple[float, ...], share: str, named: str) -> None:
    made = judge_bare((reading("calibrate"),), stages(*chain), Anchor())
    (warning,) = [d for d in made.diagnostics if d.code == "R2S635"]

    assert warning.severity == "warning"
    assert "its tolerance of 0.50 mm" in warning.message
    unasked = dataclasses.replace(reading("calibrate"), tolerance_method="assumed")
    (note,) = [d for d in judge_bare((unasked,), stages(*chain), Anchor()).diagnostics if d.code == "R2S635"]
    assert note.severity == "note"
    assert "its default tolerance of 0.50 mm" in note.message
    assert made.rows[0].moved_by == named
    assert f"{share}, is of the {named}" in warning.message


@pytest.mark.parametrize(
    ("chain", "named"),
    [
        ((0.057, 0.057, 0.057, 0.05704, 0.05704), ""),
        ((0.057, 0.057, 0.057, 0.05705, 0.05705), "decompose"),
        ((0.057, 0.05695, 0.057, 0.057, 0.057), "surface"),
        ((0.057, 0.057, 0.057, 0.057, 0.0571), "emit"),
    ],
)
def test_the_first_pass_that_changes_the_object_is_named(chain: tuple[float, ...], named: str) -> None:
    (row,) = judge_bare((reading("calibrate"),), stages(*chain), Anchor()).rows

    assert row.departs_by == named


def test_what_the_scale_corrected_is_no_ones_fault() -> None:
    chain = stages(0.06, 0.06, 0.06, 0.06, 0.057)
    (row,) = judge_bare((reading("calibrate"),), chain, Anchor(factor=0.95, u=1e-3)).rows

    assert row.moved_by == ""


def test_the_pass_that_lost_a_feature_is_named() -> None:
    there = stages(0.057, 0.057, 0.057, 0.057, 0.057)
    gone = tuple(
        StageReadings(s.stage, (Measured("A", math.nan, math.nan, "", "the wall is solid"),))
        if s.stage in ("pieces", "model")
        else s
        for s in there
    )
    made = judge_bare((reading("calibrate"),), gone, Anchor())

    assert made.rows[0].lost_by == "decompose"
    assert "lost by decompose: the wall is solid" in made.diagnostics[0].message
    assert judge_bare((reading("calibrate"),), there, Anchor()).rows[0].lost_by == ""


def test_uncertainty_holds_caliper_scan_and_scale() -> None:
    chain, anchor = stages(0.06, 0.06, 0.06, 0.06, 0.06), Anchor(0.95, 0.95, 1e-3, applied=True)
    (row,) = judge_bare((reading("check"),), chain, anchor).rows

    assert row.sureness.u == pytest.approx(math.hypot(0.95e-5, 0.057 * 1e-3))
    assert row.sureness.expanded == pytest.approx(1.959964 * row.sureness.u)
    assert row.u_error == pytest.approx(math.hypot(row.sureness.u, math.hypot(0.03e-3, 0.05e-3) / math.sqrt(3), 1e-5))


def test_jaws_press_soft_objects_one_way() -> None:
    """A model 0.3 mm larger than the jaws read is what is expected; one 0.3 mm smaller is 0.6 mm off."""
    larger, smaller = (stages(0.057, 0.057, 0.057, 0.057, model) for model in (0.0573, 0.0567))
    for values, hard_error in ((larger, 0.3e-3), (smaller, -0.3e-3)):
        (hard,) = judge_bare((reading("check"),), values, Anchor()).rows
        (soft,) = judge_bare((reading("check", compliant=True),), values, Anchor()).rows
        assert hard.error == pytest.approx(hard_error)
        assert soft.error == hard.error
        assert soft.u_error == pytest.approx(math.hypot(hard.u_error, 0.3e-3 / math.sqrt(3)))
        assert soft.probability == pytest.approx(conformance(hard_error - 0.3e-3, soft.u_error, 0.5e-3))
    assert judge_bare((reading("check", compliant=True),), larger, Anchor()).verdict == "PASS"
    assert judge_bare((reading("check", compliant=True),), smaller, Anchor()).verdict == "INCONCLUSIVE"


@pytest.mark.parametrize(
    ("kind", "pressed"),
    [("extent_x", 1), ("thickness", 1), ("distance", 1), ("inner_diameter", -1), ("depth", -1), ("step", 0)],
)
def test_what_gives_way_depends_on_where_the_jaws_rest(kind: str, pressed: int) -> None:
    soft = replace(reading("check", compliant=True), feature=Feature(kind))

    assert soft.expected - soft.value == pytest.approx(pressed * 0.3e-3, abs=1e-15)
    assert replace(soft, compliant=False).expected == soft.value


def test_a_refused_feature_is_inconclusive_and_says_why() -> None:
    refused = tuple(
        StageReadings(s.stage, (Measured("A", math.nan, math.nan, "", "no flat face"),)) for s in stages(1, 1, 1, 1, 1)
    )
    made = judge_bare((reading("check"),), refused, Anchor())

    assert made.verdict == "INCONCLUSIVE"
    assert "no flat face" in made.diagnostics[0].message


def test_budgets_split_and_judge_the_p99() -> None:
    limits = split(1e-3, {"decompose": 0.3e-3})
    terms = {
        "decompose": [distance("inflation", 2e-3, 0.31e-3), distance("deficit", 1e-4, 1e-5)],
        "surface": [distance("forward", 1, 0.25e-3)],
    }
    over, held = entries(limits, terms)

    assert sum(split(1e-3, {}).values()) == pytest.approx(1e-3)
    assert (over.name, over.lost, over.term, over.held) == ("decompose", 0.31e-3, "t.inflation", False)
    assert held.held
    with pytest.raises(UsageError, match="did you mean 'decompose'"):
        split(None, {"decompos": 1.0})


def test_only_directed_maxima_of_one_direction_add() -> None:
    terms = [
        distance("forward", 1e-3, 1e-4),
        distance("deficit", 2e-3, 1e-4, certified=False),
        distance("backward", 3e-3, 1e-4),
        distance("inflation", 4e-3, 1e-4),
        Scalar("x", "x", 5.0, "m", "measured", "x"),
    ]
    forward, backward = compose(terms, 2.0)

    assert (forward.total, backward.total) == pytest.approx((6e-3, 14e-3))
    assert (forward.certified, backward.certified) == (False, True)
