"""Devices: the figures of the classes, profiles of one's own, and all that can be wrong with one."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path

import pytest

from r2s.compiler.devices import NAMES, classes, device, is_class, label
from r2s.compiler.errors import InvalidInputError, UsageError

GOOD = """\
schema: r2s-device/1
name: desk
metric: true
terms:
  scale: {value: -4.0e-4, u: 3.0e-4, unit: "1", dof: 12, method: measured, source: two balls}
  offset: {value: 0.03, u: 0.04, unit: mm, dof: 9.5, method: measured, source: two balls}
  registration: {half_width: 30, unit: um, source: data sheet}
  drift: {half_width: 0.03, unit: "%", method: assumed, source: a guess}
  noise: {u: 0.05, unit: mm, dof: 2000, method: measured, source: two balls}
correlations: [{first: offset, second: scale, r: -0.9}]
evidence:
  - {name: ball.ply, sha256: 0000000000000000000000000000000000000000000000000000000000000abc, of: a sphere of 25.4 mm}
"""


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "desk.yaml"
    path.write_text(GOOD)
    return path


def test_a_profile_is_read_in_si(profile: Path) -> None:
    found = device(str(profile))

    assert (found.name, found.metric, found.file) == ("desk", True, "desk.yaml")
    assert found.sha256 == hashlib.sha256(GOOD.encode()).hexdigest()
    assert [(e.name, e.sha256[-3:], e.of) for e in found.evidence] == [("ball.ply", "abc", "a sphere of 25.4 mm")]
    assert {name: (p.unit, p.value, p.dof, p.distribution, p.method) for name, p in found.priors.items()} == {
        "scale": ("1", -4e-4, 12, "t", "measured"),
        "offset": ("m", 3e-5, 9.5, "t", "measured"),
        "registration": ("m", 0, math.inf, "rectangular", "declared"),
        "drift": ("1", 0, math.inf, "rectangular", "assumed"),
        "noise": ("m", 0, 2000, "t", "measured"),
    }
    known = {name: found.priors[name].u for name in NAMES}
    third = 3e-5 / math.sqrt(3)
    assert known == pytest.approx(
        {"scale": 3e-4, "offset": 4e-5, "registration": third, "drift": 3e-4 / math.sqrt(3), "noise": 5e-5}
    )
    assert found.correlation("scale", "offset") == found.correlation("offset", "scale") == -0.9
    assert found.correlation("scale", "drift") == 0


def test_a_bias_that_nothing_corrects_widens_the_prior(profile: Path) -> None:
    """GUM F.2.4.5: u² plus the square of the correction that was not made."""
    found = device(str(profile))

    assert found.prior_u == pytest.approx(5e-4)
    assert found.prior_offset == pytest.approx(5e-5)


def test_multiples_of_the_noise_become_metres() -> None:
    prior = classes()["unknown"].prior("registration")
    assert prior is not None
    assert math.isnan(prior.u)
    known = prior.resolved(6e-5)

    assert known.u == pytest.approx(6e-5 / math.sqrt(3))
    assert known.half_width == pytest.approx(6e-5)
    assert math.isnan(known.of_noise)
    assert known.resolved(1.0) is known


def test_classes_hold_assumptions_with_a_source_each() -> None:
    for name, found in classes().items():
        assert (found.name, found.file, found.evidence) == (name, "", ())
        assert found.priors
        for term, prior in found.priors.items():
            assert prior.name == term
            assert (prior.method, prior.value, prior.dof) == ("assumed", 0.0, math.inf)
            assert prior.source
            assert math.isnan(prior.u) != math.isnan(prior.of_noise)
    assert set(classes()["structured_light"].priors) == set(NAMES)
    assert set(classes()["unknown"].priors) == {"offset", "registration"}


def test_a_scan_without_a_unit_has_no_prior_in_metres() -> None:
    for found in classes().values():
        if not found.metric:
            assert "scale" not in found.priors
            assert all(math.isnan(prior.u) for prior in found.priors.values())


def test_a_class_wins_over_a_file_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rgbd").write_text(GOOD)
    Path("mine").write_text(GOOD)

    assert device("rgbd").file == ""
    assert (device("./rgbd").file, device("mine").name) == ("rgbd", "desk")
    assert (is_class("rgbd"), is_class("./rgbd")) == (True, False)
    assert (label("rgbd"), label(f"{tmp_path}/mine")) == ("rgbd", "mine")


def test_what_is_neither_a_class_nor_a_file_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match=r"did you mean 'rgbd'\?; a profile ends in \.yaml") as error:
        device("rgb")
    assert error.value.code == "R2S011"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("schema: r2s-device/1", "schema: r2s-device/2", "desk.yaml:1:9: schema is 'r2s-device/2', and this compiler"),
        ("name: desk\n", "", "name missing for the profile; add name: my_scanner"),
        ("name: desk\n", "name: my desk\n", "device name 'my desk' is not allowed"),
        ("metric: true", "metric: yes", "metric is 'yes'"),
        ("  offset:", "  ofset:", "unknown key 'ofset' in terms; did you mean 'offset'?"),
        ("u: 0.04", "uu: 0.04", "unknown key 'uu' in offset"),
        ("u: 0.04, unit: mm", "u: 0.04, unit: '%'", "offset has the unit '%'; it is a length: write mm, um"),
        ("u: 0.04, unit: mm", "u: 0.04, unit: thou", "offset has the unit 'thou'"),
        ('u: 3.0e-4, unit: "1"', "u: 3.0e-4, unit: mm", "scale has the unit 'mm'; it is relative: write 1, % or ppm"),
        ("u: 0.04, unit: mm", "u: 0.04", "unit missing for offset; add unit: mm; none is assumed"),
        ("u: 0.04", "u: -0.04", "offset u is -0.04, but must be over 0"),
        ("u: 0.04", "u: 0", "offset u is 0, but must be over 0"),
        ("u: 0.04", "u: 0.04 mm", "takes no unit"),
        ("u: 0.04", "u: 0,04", "a comma is not a decimal sign; write a point"),
        ("value: 0.03, u: 0.04", "value: 0.03", "offset has neither u nor half_width; give one"),
        ("u: 0.04", "u: 0.04, half_width: 0.1", "offset has both u and half_width"),
        ("half_width: 30, unit: um", "half_width: 30, dof: 3, unit: um", "registration is a rectangle with dof"),
        ("dof: 9.5", "dof: 0", "offset dof is 0, but must be over 0"),
        ("u: 0.04, unit: mm", "u: 1004, unit: mm", "offset is 1.004 m, more than the 1 that any scanner is off by"),
        ('value: -4.0e-4, u: 3.0e-4, unit: "1"', 'value: 1.0, u: 3.0e-4, unit: "1"', "scale is 1, more than the 0.3"),
        ("value: 0.03, u: 0.04, unit: mm", "value: 0.03, u: 0.04, unit: noise", "offset has a value in multiples of n"),
        ("u: 0.05, unit: mm", "u: 1, unit: noise", "noise has the unit 'noise'"),
        ("method: assumed", "method: guessed", "unknown drift method 'guessed'"),
        ("source: data sheet", "source: ''", "registration source is empty; say where"),
        (", source: data sheet", "", "source missing for registration; say where the figure is from"),
        ("first: offset", "first: offs", "unknown first 'offs'"),
        ("r: -0.9", "r: 1.9", "offset and scale cannot correlate by 1.9"),
        ("second: scale", "second: offset", "offset and offset cannot correlate by -0.9"),
        ("sha256: 0000", "sha256: 00", "the sha256 of 'ball.ply' is none"),
        (GOOD, "# nothing yet\n", "desk.yaml is empty: no profile; begin with schema: r2s-device/1"),
        (GOOD, "[1, 2]\n", "the profile must be a mapping"),
        (GOOD, "schema: r2s-device/1\nname: desk\nterms: {}\n", "terms is empty: nothing is known of this device"),
    ],
)
def test_what_is_wrong_in_a_profile_is_one_line_with_its_place(profile: Path, old: str, new: str, says: str) -> None:
    assert GOOD.count(old) == 1
    profile.write_text(GOOD.replace(old, new))
    with pytest.raises(InvalidInputError) as error:
        device(str(profile))

    assert error.value.code == "R2S049"
    assert says in f"{error.value.message}; {error.value.hint}"


def test_what_is_no_yaml_keeps_the_code_of_that(profile: Path) -> None:
    profile.write_text(GOOD + "name: again\n")
    with pytest.raises(InvalidInputError, match="given twice") as error:
        device(str(profile))
    assert error.value.code == "R2S205"


def test_a_folder_is_no_profile(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="cannot be read: Is a directory") as error:
        device(str(tmp_path))
    assert error.value.code == "R2S048"
