"""A judgement with one number changed: the verdict, the culprit and the exit code follow it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests_support import judge_bare

from r2s.compiler import budget
from r2s.compiler.calibration import calibration_of
from r2s.compiler.errors import CalipersDisagreeError, Diagnostic, OverBudgetError
from r2s.compiler.ir import Anchor
from r2s.compiler.judge import Judgement
from r2s.compiler.ledger import DirectedDistance
from r2s.compiler.measured import STAGES, Measured, StageReadings
from r2s.compiler.readings import Feature, Reading
from r2s.compiler.scale_fit import Pair, fit_scale
from r2s.compiler.verdict import failure_of

TRUE = 0.050
GOOD = dict.fromkeys(STAGES, TRUE)
PAIR = Pair("A", "caliper", TRUE, 1e-4, 0.0, TRUE, 0.0)  # of a calibrate reading with u(ln s) = 0.2 %
B = Reading("B", Feature("extent_y"), (TRUE,), 3e-5, "declared", 1e-5, "check", 5e-4, False, "caliper")


def judged(values: dict[str, float], refused: str = "", reading: Reading = B) -> Judgement:
    """The judgement over these values by stage; *refused* is why a nan has no value."""
    stages = []
    for stage, value in values.items():
        why = refused if math.isnan(value) else ""
        stages.append(StageReadings(stage, (Measured("B", value, 1e-5 if not why else math.nan, "face", why),)))
    return judge_bare((reading,), tuple(stages), Anchor(u=1e-4))


def said(judgement: Judgement, code: str) -> Diagnostic | None:
    return next((d for d in judgement.diagnostics if d.code == code), None)


def test_a_good_asset_says_nothing() -> None:
    made = judged(GOOD)

    assert (made.verdict, made.diagnostics, failure_of(made, ())) == ("PASS", (), None)


def test_a_check_value_off_by_two_millimetres_is_exit_6_with_both_lengths() -> None:
    made = judged(GOOD, reading=replace(B, values=(TRUE + 2e-3,)))
    failure = failure_of(made, ())

    assert made.verdict == "FAIL"
    assert isinstance(failure, CalipersDisagreeError)
    assert (failure.code, failure.exit_code) == ("R2S642", 6)
    assert "check B (extent_y): the asset has 50.00 mm, the caliper 52.00 mm; off by -2.00 mm" in failure.message
    assert "against a tolerance of 0.50 mm" in failure.message


@pytest.mark.parametrize(
    ("off", "verdict"), [(0.0004, "PASS"), (0.0005, "INCONCLUSIVE"), (0.0006, "FAIL")], ids=["in", "edge", "out"]
)
def test_the_verdict_turns_at_the_tolerance(off: float, verdict: str) -> None:
    made = judged({**GOOD, "model": TRUE + off})

    assert made.verdict == verdict
    assert (said(made, "R2S631") is not None) == (verdict == "INCONCLUSIVE")


@pytest.mark.parametrize(("off", "severity"), [(0.0, "note"), (0.0004, "warning")])
def test_a_check_that_is_too_unsure_says_so_and_what_would_do(off: float, severity: str) -> None:
    """u of the scale alone is over a third of a tolerance of 0.3 mm; passed or not, that is said."""
    known = calibration_of(fit_scale([PAIR], None), [PAIR], None)
    tight = replace(B, tolerance=3e-4)
    stages = tuple(StageReadings(s, (Measured("B", TRUE + off * (s == "model"), 1e-6, "face", ""),)) for s in STAGES)
    made = judge_bare((tight,), stages, Anchor(u=fit_scale([PAIR], None).u, calibration=known))
    warning = said(made, "R2S632")
    assert warning is not None

    assert warning.severity == severity
    assert "over a third of the tolerance of 0.30 mm" in warning.message
    assert made.rows[0].capability.more == 1
    assert warning.hint.startswith("1 more calibrate reading would do")
    hopeless = judge_bare((replace(tight, tolerance=1e-5),), stages, Anchor(u=1e-3, calibration=known))
    assert "no number of readings cures that" in next(d for d in hopeless.diagnostics if d.code == "R2S632").hint
    assert said(judged(GOOD), "R2S632") is None


@pytest.mark.parametrize("stage", ["scan", "model"])
def test_no_value_at_either_end_is_inconclusive_with_the_reason(stage: str) -> None:
    """Without the raw scan the error has no uncertainty, without the model there is no error."""
    made = judged({**GOOD, stage: math.nan}, "that side was not scanned")
    warning = said(made, "R2S631")

    assert made.verdict == "INCONCLUSIVE"
    assert warning is not None
    assert warning.message.endswith("that side was not scanned")
    assert "nan" not in warning.message


def test_a_feature_that_a_pass_lost_is_noted_with_the_pass() -> None:
    made = judged({**GOOD, "pieces": math.nan, "model": math.nan}, "the wall became solid")
    note = said(made, "R2S634")

    assert note is not None
    assert "B (extent_y) is lost by decompose: the wall became solid" in note.message


@pytest.mark.parametrize(("limit", "held"), [(0.2e-3, True), (0.1e-3, False)])
def test_a_loss_over_its_budget_is_exit_4_with_both_numbers(limit: float, held: bool) -> None:
    lost = DirectedDistance(
        "decompose.inflation", "inflation", "pieces", "simplified", 3e-4, True, 1.5e-4, 1e-4, 5e-5, None, 9, "test"
    )
    entries = budget.entries({"decompose": limit}, {"decompose": (lost,)})
    failure = failure_of(judged(GOOD), entries)

    assert [e.lost for e in entries] == [lost.p99]
    if held:
        assert failure is None
        return
    assert isinstance(failure, OverBudgetError)
    assert (failure.code, failure.exit_code) == ("R2S641", 4)
    assert f"decompose lost {lost.p99 * 1e3:.3f} mm" in failure.message
    assert "of the 0.100 mm it may lose" in failure.message
