"""The virtual experiment on a box whose scanning is arithmetic: draws, prediction, verdicts and failures."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests_support import BARE

from r2s.compiler.account import Account, Known, account_of
from r2s.compiler.calibration import calibration_of
from r2s.compiler.devices import Name, Prior
from r2s.compiler.errors import InternalError, InvalidInputError, PassFailedError, UsageError
from r2s.compiler.experiment import Compared, Draw, band, check_draws, draws_of, experiment, told
from r2s.compiler.experiment.compare import drawn_rows
from r2s.compiler.experiment.run import recompiled
from r2s.compiler.ir import Anchor
from r2s.compiler.measured import Measured
from r2s.compiler.pipeline import DEFAULT, Pipeline
from r2s.compiler.readings import TOUCH, U_TOUCH, Feature, Fill, Quantity, Reading, Sheet
from r2s.compiler.scale_fit import Pair, ScaleFit, fit_scale

SIDES = {"extent_x": 0.060, "extent_y": 0.080, "extent_z": 0.100}
U: dict[Name, float] = {"scale": 1e-3, "offset": 4e-5, "registration": 6e-5, "drift": 1e-3}
WHITE, FORM, NOISE = 2e-5, 9e-5, 5e-5
AGAIN = recompiled(Pipeline.parse(DEFAULT))


def reading(id_: str, role: str = "calibrate", **changed: Any) -> Reading:
    made = Reading(id_, Feature(id_), (SIDES[id_],), 3e-5, "declared", 1e-5, role, 5e-4, False, "A")  # type: ignore[arg-type]
    return replace(made, **changed)


SHEET = Sheet(
    "box",
    (reading("extent_x"), reading("extent_y"), reading("extent_z", "check")),
    Quantity(0.1, 1e-3, "kg", "measured"),
    None,
    Fill(),
    (),
    (),
    "",
)


def scanned(errors: dict[str, float]) -> dict[str, float]:
    """The lengths that a scanner with these errors reads."""
    stretch = {"x": 1 + errors.get("drift_x", 0), "y": 1 + errors.get("drift_y", 0), "z": 1.0}
    sides = {"x": ("right", "left"), "y": ("back", "front"), "z": ("top", "bottom")}
    rng = np.random.default_rng(int(errors.get("seed", 0)))
    noise = errors.get("noise", 0) / NOISE * WHITE
    return {
        name: size * math.exp(errors.get("scale", 0)) * stretch[name[-1]]
        + 2 * errors.get("offset", 0)
        + sum(errors.get(side, 0) for side in sides[name[-1]])
        + noise * rng.standard_normal()
        for name, size in SIDES.items()
    }


def fitted(sheet: Sheet, lengths: dict[str, float]) -> tuple[ScaleFit, list[Pair]]:
    pairs = [
        Pair(
            r.id,
            r.instrument,
            r.value,
            math.hypot(r.resolution / 2 / math.sqrt(3), U_TOUCH),
            r.accuracy / math.sqrt(3),
            lengths[r.id],
            math.hypot(WHITE, FORM),
            U_TOUCH,
            u_registration=U["registration"] * math.sqrt(2),
        )
        for r in sheet.of_role("calibrate")
    ]
    return fit_scale(pairs, U["scale"], U["offset"]), pairs


def known() -> Known:
    views = {a: tuple(float(v // 2 == i) for v in range(6)) for i, a in enumerate("xyz")}
    scan = tuple(
        Measured(
            name,
            size,
            math.hypot(WHITE, FORM),
            "fitted face",
            "",
            views[name[-1]],
            tuple(size * (a == name[-1]) for a in "xyz"),
            FORM,
        )
        for name, size in SIDES.items()
    )
    priors = {
        name: Prior(
            name, "m" if name in ("offset", "registration") else "1", u, math.nan, 0.0, math.inf, d, "assumed", ""
        )
        for (name, u), d in zip(U.items(), ("normal", "rectangular", "rectangular", "normal"), strict=True)
    }
    fit, pairs = fitted(SHEET, SIDES)
    anchor = Anchor(fit.factor, fit.factor, fit.u, fit.dof_of_u, True, "measured", "", calibration_of(fit, pairs, None))
    return Known(scan, None, anchor, replace(BARE, priors=priors), NOISE, ())


KNOWN = known()
ACCOUNT = account_of(KNOWN)
Wrong = Callable[[dict[str, float]], dict[str, float]]


def run(
    count: int, seed: int = 1, wrong: Wrong = lambda e: e, account: Account = ACCOUNT
) -> tuple[Compared, list[str]]:
    """The experiment with passes that carry errors as the account says, but for what *wrong* makes of them."""

    def recompile(_: Any, pipeline: Pipeline, sheet: Sheet) -> dict[str, float]:
        lengths = scanned(wrong(vars(pipeline.steps[1])))
        factor = fitted(sheet, lengths)[0].factor
        return {name: length * factor for name, length in lengths.items()}

    found, told = experiment(
        account,
        KNOWN,
        SHEET,
        Pipeline.parse(DEFAULT),
        recompile,
        lambda _: nullcontext(),  # type: ignore[arg-type,return-value]
        count=count,
        seed=seed,
        observe=lambda _: None,
    )
    return found, [str(d) for d in told]


def test_the_band_is_that_of_the_sd_of_so_many_normal_values() -> None:
    """√(χ²/ν); memo values of 20, 50, 100 and 200 draws."""
    expected = {20: (0.69, 1.32), 50: (0.80, 1.20), 100: (0.86, 1.14), 200: (0.90, 1.10)}

    for count, ends in expected.items():
        assert band(count) == pytest.approx(ends, abs=0.01)


def test_the_account_predicts_the_spread_through_a_real_fit_of_the_scale() -> None:
    """Limits shared by both readings, a promised scale, an offset that the fit takes back in part: all in one ratio."""
    found, _ = run(300)

    assert set(found.outputs) == set(SIDES)
    assert {name: one.ratio for name, one in found.outputs.items()} == pytest.approx(dict.fromkeys(SIDES, 1.0), abs=0.1)
    assert {one.verdict for one in found.outputs.values()} == {"agrees"}


def test_passes_that_carry_an_error_otherwise_are_found_out() -> None:
    """The uncalibrated length feels its faces most: twice what is laid onto them, or nothing of it, shows in it."""
    more, _ = run(100, wrong=lambda e: {**e, "top": 2.5 * e["top"], "bottom": 2.5 * e["bottom"]})
    less, _ = run(100, wrong=lambda e: {**e, "top": 0.0, "bottom": 0.0, "right": 0.0, "left": 0.0})

    assert more.outputs["extent_z"].verdict == "wider"
    assert less.outputs["extent_z"].verdict == "narrower"


def test_form_and_what_no_draw_holds_stay_out_of_the_prediction() -> None:
    drawn = drawn_rows(ACCOUNT, KNOWN)

    assert drawn["ingest.reading.extent_z"] == pytest.approx(WHITE)
    assert not {"mass.fill", "surface.offset"} & set(drawn)
    assert run(2)[0].left_out == ()


def test_the_fit_counts_without_what_scatter_widened() -> None:
    """Readings that contradict each other widen u; a draw of their errors does not know of that."""
    calibration = replace(KNOWN.anchor.calibration, inflation=3.0)  # type: ignore[type-var]
    wide = replace(KNOWN, anchor=replace(KNOWN.anchor, u=3 * KNOWN.anchor.u, calibration=calibration))

    assert drawn_rows(account_of(wide), wide)["scale.fit"] == pytest.approx(
        drawn_rows(ACCOUNT, KNOWN)["scale.fit"], rel=1e-12
    )


def many(count: int, **changed: Any) -> list[Draw]:
    return list(draws_of(ACCOUNT, KNOWN, replace(SHEET, **changed), count=count, seed=3))


def test_more_draws_begin_with_the_same_and_another_seed_has_others() -> None:
    assert many(4)[:2] == many(2)
    other = next(iter(draws_of(ACCOUNT, KNOWN, SHEET, count=1, seed=4)))
    assert not set(other.options.items()) & set(many(1)[0].options.items()) - {("noise", NOISE)}


def test_rows_are_drawn_as_large_and_in_the_shape_that_they_say() -> None:
    found = {name: np.array([d.options[name] for d in many(400)]) for name in many(1)[0].options}

    for option, u in (
        ("offset", U["offset"]),
        ("top", U["registration"]),
        ("drift_x", U["drift"]),
        ("scale", U["scale"]),
    ):
        assert found[option].std() == pytest.approx(u, rel=0.1)
    assert np.abs(found["offset"]).max() <= U["offset"] * math.sqrt(3)  # a rectangle ends
    assert abs(np.corrcoef(found["top"], found["bottom"])[0, 1]) < 0.15


def test_readings_share_their_limit_and_nothing_else_and_check_readings_stay() -> None:
    drawn = [{r.id: r.value - SIDES[r.id] for r in d.sheet.readings} for d in many(400)]
    x, y = (np.array([d[name] for d in drawn]) for name in ("extent_x", "extent_y"))
    limit, own = 3e-5 / math.sqrt(3), math.hypot(5e-6 / math.sqrt(3), TOUCH / math.sqrt(3))

    assert {d["extent_z"] for d in drawn} == {0.0}
    assert x.std() == pytest.approx(math.hypot(limit, own), rel=0.1)
    assert np.corrcoef(x, y)[0, 1] == pytest.approx(limit**2 / (limit**2 + own**2), abs=0.1)


def test_repeats_move_as_one_and_their_scatter_counts_as_their_mean_does() -> None:
    values = (0.0599, 0.0600, 0.0601, 0.0600)
    repeated = reading("extent_x", values=values, accuracy=1e-9, resolution=0.0)
    drawn = [d.sheet.readings[0] for d in many(400, readings=(repeated,))]

    assert {round(r.spread, 9) for r in drawn} == {round(repeated.spread, 9)}
    own = math.hypot(repeated.spread / 2, U_TOUCH)
    assert np.std([r.value for r in drawn]) == pytest.approx(own, rel=0.1)


def test_a_soft_object_gives_way_anew() -> None:
    soft = reading("extent_x", compliant=True)
    drawn = [d.sheet.readings[0].value for d in many(400, readings=(soft,))]

    assert np.std(drawn) == pytest.approx(math.hypot(3e-5 / math.sqrt(3), U_TOUCH, soft.u_pressed), rel=0.1)


def test_a_mass_is_weighed_anew() -> None:
    rows = (*ACCOUNT.rows, replace(ACCOUNT.rows[0], id="mass.balance", u=0.01, distribution="rectangular", value=0.0))
    heavier = Account(rows, ACCOUNT.outputs)
    masses = [d.sheet.mass.value for d in draws_of(heavier, KNOWN, SHEET, count=400, seed=1) if d.sheet.mass]

    assert np.std(masses) == pytest.approx(0.001, rel=0.1)


def test_the_recompile_leaves_out_what_only_shapes_the_asset() -> None:
    assert AGAIN.names() == ("ingest", "perturb", "surface", "enclose", "scale", "emit")
    assert recompiled(Pipeline.parse("ingest | surface{depth=6}")).names() == ("ingest", "perturb", "surface")


def failing(error: Exception, at: float) -> Wrong:
    def wrong(errors: dict[str, float]) -> dict[str, float]:
        if errors["offset"] > at:
            raise error
        return errors

    return wrong


def test_recompiles_that_fail_are_counted_and_said() -> None:
    found, said = run(40, wrong=failing(InvalidInputError("R2S403", "too much is missing"), 0.0))
    failed = sum(d.options["offset"] > 0 for d in draws_of(ACCOUNT, KNOWN, SHEET, count=40, seed=1))

    assert 0 < failed < 40
    assert (found.asked, found.made) == (40, 40 - failed)
    (line,) = said
    assert line.startswith(f"warning: {failed} of 40 recompiles under drawn errors failed with R2S403: too much is")
    assert line.endswith("the spread is of the others alone, and too small if errors caused it [R2S654]")
    assert next(told.lines(told.data(found))).endswith(
        f"{failed} failed: spread seen, and predicted by the rows that were drawn"
    )


def test_where_all_fail_there_is_no_spread_and_no_traceback() -> None:
    found, said = run(3, wrong=failing(PassFailedError("R2S811", "too slow"), -1.0))

    assert found.outputs == {}
    assert len(said) == 1
    assert "too few went through" in list(told.lines(told.data(found)))[1]


@pytest.mark.parametrize("error", [InternalError("R2S903", "a bug"), PassFailedError("R2S814", "r2s changed")])
def test_what_no_draw_can_be_blamed_for_ends_the_build(error: Exception) -> None:
    with pytest.raises(type(error)):
        run(3, wrong=failing(error, -1.0))


def test_the_table_says_the_figures_their_unit_and_the_verdict() -> None:
    found, _ = run(50)
    lines = list(told.lines(told.data(found)))
    one = found.outputs["extent_z"]

    assert (
        lines[0]
        == "monte    50 recompiles under drawn errors, seed 1: spread seen, and predicted by the rows that were drawn"
    )
    assert lines[1].endswith("ratio   0.80 to 1.20 by chance")
    name, seen, predicted, unit, ratio, *words = lines[4].split()
    assert (name, unit, ratio) == ("extent_z", "mm", f"{one.ratio:.2f}")
    assert [float(seen), float(predicted)] == pytest.approx([1e3 * one.seen, 1e3 * one.predicted], rel=0.01)
    assert " ".join(words).lower().startswith(one.verdict)
    assert list(told.lines(None)) == []


@pytest.mark.parametrize(("count", "seed"), [(0, 1), (1, 1), (-5, 1), (2001, 1), (50, -1)])
def test_a_number_of_draws_that_shows_nothing_is_refused(count: int, seed: int) -> None:
    with pytest.raises(UsageError) as told_:
        check_draws(count, seed)
    assert told_.value.code == "R2S055"
