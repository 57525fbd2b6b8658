"""From probed artefacts to a profile: the fit of scale and offset, what one size cannot tell, the file, the words."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from r2s.compiler.commands.device_check import ordered, paired
from r2s.compiler.device_check import Checked, artefact, as_json, described, interval, parse_u, refuse_name, screen
from r2s.compiler.devices import Evidence, classes, device
from r2s.compiler.devices.fitting import Check, Fitted, fit_device
from r2s.compiler.devices.writing import profile
from r2s.compiler.errors import UsageError
from r2s.compiler.inputs import read_inputs
from r2s.compiler.probed import Artefact, Drift, Length, Probed, Spread

U = 3e-6


def scan_of(size: float, error: float, *, u: float = U, drift: Drift | None = None, noise: float = 5e-5) -> Check:
    length = Length(size, size + error, u, 20.0, "")
    found = Probed(
        "sphere", "mm", "the sphere says 1 mm for a number", 9000, 10, 1.0, (length,), Spread(noise, 9000.0),
        Spread(1e-6, 11.0), 2e-5, drift,
    )  # fmt: skip
    return Check(Artefact("sphere", (size,)), 0.0, found)


def two_balls(scale: float, offset: float, rng: np.random.Generator | None = None, **more: float) -> list[Check]:
    sizes = [0.0254] * 3 + [0.0508] * 3
    moved = [0.0] * 6 if rng is None else rng.normal(0, U, 6).tolist()
    return [scan_of(s, s * scale + 2 * offset + m, **more) for s, m in zip(sizes, moved, strict=True)]


def test_two_sizes_part_scale_from_offset() -> None:
    found = fit_device(two_balls(1e-3, 3e-5), None)

    assert found.priors["scale"].value == pytest.approx(1e-3, rel=1e-9)
    assert found.priors["offset"].value == pytest.approx(3e-5, rel=1e-9)
    assert {found.priors[n].method for n in ("scale", "offset")} == {"measured"}
    (both,) = found.correlations
    assert (both.first, both.second) == ("scale", "offset")
    assert both.r == pytest.approx(-0.9487, abs=1e-3)  # -mean(L)/rms(L) for equal weights
    assert found.widened == 1.0


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    held = {"scale": 0, "offset": 0}
    rng = np.random.default_rng(11)
    for _ in range(400):
        found = fit_device(two_balls(1e-3, 3e-5, rng), None)
        for name, true in (("scale", 1e-3), ("offset", 3e-5)):
            low, high = interval(found.priors[name])  # type: ignore[index]  # a name of the table
            held[name] += low <= true <= high
    assert all(372 <= n <= 396 for n in held.values()), held


def test_one_size_leaves_scale_to_the_class_and_says_so() -> None:
    known = classes()["structured_light"]
    found = fit_device([scan_of(0.0254, 6e-5)], known)
    scale, offset = found.priors["scale"], found.priors["offset"]

    assert (scale.method, scale.u) == ("assumed", known.prior_u)
    assert "class structured_light" in scale.source
    assert offset.method == "measured"
    assert offset.value == pytest.approx(3e-5)
    assert offset.u == pytest.approx(math.hypot(U / 2, 0.0254 / 2 * known.prior_u))
    assert "scan a second, larger one" in found.untold["scale"]
    assert found.correlations[0].r < -0.8
    blind = fit_device([scan_of(0.0254, 6e-5)], None)
    assert blind.priors["offset"].u == pytest.approx(0.0254 / 2 * 0.01 / math.sqrt(3), rel=1e-3)
    assert (blind.joint[0].error, blind.joint[0].u) == (pytest.approx(6e-5), U)


def test_the_artefacts_own_uncertainty_is_shared_by_its_scans() -> None:
    """Three scans of one ball do not make the ball better known."""
    checks = [replace(check, u=1e-5) for check in two_balls(1e-3, 3e-5)]
    u = fit_device(checks, None).priors["scale"].u

    assert u == pytest.approx(math.sqrt(2) * math.hypot(1e-5, U / math.sqrt(3)) / 0.0254, rel=1e-3)


def test_what_scans_differ_in_is_registration() -> None:
    apart = [scan_of(0.0254, e) for e in (6e-5, 9e-5, 3e-5)]
    found = fit_device(apart, None)

    assert found.repeat is not None
    assert (found.repeat.sigma, found.repeat.dof) == (pytest.approx(3e-5), 2.0)
    assert found.priors["registration"].u == pytest.approx(3e-5 / math.sqrt(2))
    assert "between 3 scans" in found.priors["registration"].source
    alike = fit_device([scan_of(0.0254, 6e-5)] * 3, None).priors["registration"]
    assert (alike.u, "regions of the surface" in alike.source) == (pytest.approx(1e-6), True)


def test_sizes_that_agree_on_nothing_widen_the_fit() -> None:
    sizes = [(0.0254, 6e-5), (0.0508, 9e-4), (0.0762, 6e-5)]
    found = fit_device([scan_of(size, error) for size, error in sizes], None)

    assert found.widened > 10
    assert found.priors["scale"].dof == 1.0
    assert "agree on no scale and offset" in screen(Checked((), (), found, None))


def test_drift_that_is_seen_counts_as_itself_and_none_as_what_could_hide() -> None:
    seen = Drift(0.004, 0.003, 2e-4, 15.0)
    found = fit_device([scan_of(0.0254, 6e-5, drift=seen)], classes()["structured_light"]).priors["drift"]
    assert found.method == "measured"
    assert found.u == pytest.approx(0.005 / math.sqrt(2))

    nothing = Drift(1e-4, -1e-4, 4e-4, 15.0)
    kept = fit_device([scan_of(0.0254, 6e-5, drift=nothing)], classes()["structured_light"])
    assert (kept.priors["drift"].method, kept.priors["drift"].u) == ("assumed", classes()["structured_light"].prior_u)
    assert "class knows it better" in kept.untold["drift"]
    alone = fit_device([scan_of(0.0254, 6e-5, drift=nothing)], None).priors["drift"]
    assert (alone.method, alone.u) == ("measured", 4e-4)


def test_noise_is_no_surer_than_scans_agree_on_it() -> None:
    alike = fit_device([scan_of(0.0254, 6e-5, noise=n) for n in (5e-5, 5e-5, 5e-5)], None).priors["noise"]
    apart = fit_device([scan_of(0.0254, 6e-5, noise=n) for n in (4e-5, 5e-5, 6e-5)], None).priors["noise"]

    assert (alike.u, alike.dof) == (pytest.approx(5e-5), 27_000)
    assert apart.dof < 30


def test_a_plate_tells_noise_and_flatness_alone() -> None:
    flat = replace(scan_of(0.0254, 0.0).found, kind="plate", lengths=())
    found = fit_device([Check(Artefact("plate", ()), 0.0, flat)], classes()["rgbd"])

    assert {n: p.method for n, p in found.priors.items()} == {
        "scale": "assumed", "offset": "assumed", "registration": "measured", "drift": "assumed", "noise": "measured",
    }  # fmt: skip
    assert found.untold["offset"] == "a plate has no length"
    assert found.correlations == ()


@pytest.fixture
def checked() -> Checked:
    checks = tuple(two_balls(1e-3, 3e-5, np.random.default_rng(1)))
    evidence = tuple(Evidence(f"ball {i}.ply", f"{i:064x}", described(c.artefact, 1e-6)) for i, c in enumerate(checks))
    return Checked(checks, evidence, fit_device(checks, None), None)


def written(path: Path, checked: Checked) -> Path:
    fitted: Fitted = checked.fitted
    path.write_text(profile("mine", 'six scans, "mine"', fitted.priors, fitted.correlations, checked.evidence))
    return path


def test_a_profile_reads_back_to_what_was_measured(tmp_path: Path, checked: Checked) -> None:
    found = device(str(written(tmp_path / "mine.yaml", checked)))

    assert (found.name, found.source, found.evidence) == ("mine", 'six scans, "mine"', checked.evidence)
    assert set(found.priors) == set(checked.fitted.priors)
    for name, prior in checked.fitted.priors.items():
        again = found.priors[name]
        assert (again.method, again.distribution, again.source) == (prior.method, prior.distribution, prior.source)
        assert (again.u, again.value, again.dof) == pytest.approx((prior.u, prior.value, prior.dof), rel=1e-6)
    assert found.correlation("scale", "offset") == pytest.approx(checked.fitted.correlations[0].r, abs=1e-4)
    assert found.prior_u == pytest.approx(math.hypot(found.priors["scale"].value, found.priors["scale"].u))


def test_a_builds_inputs_name_the_profile(tmp_path: Path, checked: Checked) -> None:
    """So make builds again when the profile changes."""
    path = written(tmp_path / "mine.yaml", checked)
    (tmp_path / "scan.xyz").write_text("0 0 0\n")
    inputs = read_inputs(tmp_path / "scan.xyz", None, scanner=str(path))

    assert path in inputs.files
    assert (inputs.device.name, inputs.device.file) == ("mine", "mine.yaml")
    assert read_inputs(tmp_path / "scan.xyz", None, scanner="rgbd").files == (tmp_path / "scan.xyz",)


def test_the_screen_tells_each_term_with_its_interval_and_where_it_is_from(checked: Checked) -> None:
    lines = screen(checked, "mine.yaml").splitlines()
    for name, prior in checked.fitted.priors.items():
        (line,) = [found for found in lines if found.startswith(f"{name} ")]
        assert prior.source in line
        assert f"{prior.method} " in line
        low, high = (float(x) for x in line.split()[2:4])
        factor = 1e3 if prior.unit == "m" else 100.0
        assert (low, high) == pytest.approx([bound * factor for bound in interval(prior)], abs=6e-5)
    assert any("u 0.001 mm declared" in line for line in lines)
    assert lines[-1].startswith("wrote        mine.yaml")
    assert max(map(len, lines)) < 130


def test_json_holds_the_same_in_metres(checked: Checked) -> None:
    told = as_json(checked)

    assert told["schema"] == "r2s-device-check/1"
    assert told["terms"]["offset"]["unit"] == "m"
    assert told["terms"]["offset"]["value"] == checked.fitted.priors["offset"].value
    assert len(told["lengths"]) == len(told["scans"]) == 6


def test_the_interval_of_a_deviation_is_never_under_zero() -> None:
    prior = replace(fit_device(two_balls(0.0, 0.0), None).priors["registration"], dof=1.0)
    assert interval(prior)[0] == 0.0


@pytest.mark.parametrize(
    ("kind", "text", "sizes"),
    [
        ("sphere", "25.400mm", (0.0254,)),
        ("sphere", "1in", (0.0254,)),
        ("block", "25.4x50.8x76.2mm", (0.0254, 0.0508, 0.0762)),
        ("block", "1x2x3in", (0.0254, 0.0508, 0.0762)),
        ("block", "1in × 5.08cm × 76.2mm", (0.0254, 0.0508, 0.0762)),
        ("plate", "", ()),
    ],
)
def test_sizes_are_read_with_their_unit(kind: str, text: str, sizes: tuple[float, ...]) -> None:
    assert artefact(kind, text).sizes == pytest.approx(sizes)  # type: ignore[arg-type]  # of the table


@pytest.mark.parametrize(
    ("kind", "text", "code"),
    [
        ("sphere", "25.4", "R2S250"),
        ("sphere", "25.4m", "R2S050"),
        ("sphere", "0mm", "R2S250"),
        ("sphere", "big", "R2S250"),
        ("block", "25.4x50.8mm", "R2S050"),
        ("block", "25.4x50.8x76.2", "R2S250"),
        ("block", "25.4xabcx76.2mm", "R2S250"),
    ],
)
def test_sizes_that_say_nothing_are_usage_errors(kind: str, text: str, code: str) -> None:
    with pytest.raises(UsageError) as error:
        artefact(kind, text)  # type: ignore[arg-type]  # of the table
    assert error.value.code == code


def test_a_perfect_artefact_may_be_told() -> None:
    assert (parse_u("0mm"), parse_u("1um")) == (0.0, pytest.approx(1e-6))
    with pytest.raises(UsageError):
        parse_u("-1um")


def test_scans_belong_to_the_artefact_behind_them() -> None:
    words = ["-q", "a.ply", "--unit", "mm", "b.ply", "--sphere", "25mm", "-o", "x.yaml", "c.ply", "--block=1x2x3in"]
    words += ["--", "-d.ply"]
    order = ordered(words[:-2], {"--unit", "--sphere", "--block", "-o"})
    assert [(str(scan), option, value) for scan, option, value in paired(order)] == [
        ("a.ply", "--sphere", "25mm"), ("b.ply", "--sphere", "25mm"), ("c.ply", "--block", "1x2x3in"),
    ]  # fmt: skip
    assert ordered(words, {"--unit", "--sphere", "--block", "-o"})[-1] == ("", "-d.ply")
    assert paired([("--plate", ""), ("", "a.ply"), ("", "b.ply")]) == [
        (Path("a.ply"), "--plate", ""), (Path("b.ply"), "--plate", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("order", "says"),
    [
        ([("", "a.ply")], "nothing says what was scanned"),
        ([("--sphere", "1mm"), ("", "a.ply"), ("--plate", "")], "no scan stands before --sphere 1mm"),
        ([("", "a"), ("--sphere", "1mm"), ("", "b"), ("--plate", ""), ("", "c")], "nothing says what c is a scan of"),
    ],
)
def test_a_scan_or_an_artefact_alone_is_a_usage_error(order: list[tuple[str, str]], says: str) -> None:
    with pytest.raises(UsageError, match=says) as error:
        paired(order)
    assert error.value.code == "R2S050"


def test_a_profile_never_takes_the_place_of_a_scan(tmp_path: Path) -> None:
    scan = tmp_path / "ball.yaml"
    scan.write_text("0 0 0\n")
    for bad in (scan, tmp_path / "mine.txt", tmp_path / ".yaml"):
        with pytest.raises(UsageError) as error:
            refuse_name(bad, [scan])
        assert error.value.code == "R2S052"
    refuse_name(tmp_path / "mine.yaml", [scan])
