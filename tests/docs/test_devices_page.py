"""docs/devices.md: its table of classes against the data file, its example of a file, its commands."""

from __future__ import annotations

import math
import re
import shlex
from pathlib import Path

import pytest
from tests_support import ROOT

from r2s.compiler.commands.device_check import ordered, paired
from r2s.compiler.device_check import artefact
from r2s.compiler.devices import NAMES, Prior, classes, device

PAGE = (ROOT / "docs" / "devices.md").read_text()


def rows(heading: str) -> list[list[str]]:
    """Cells of the first table behind *heading*, its head included."""
    table = ("\n" + PAGE.split(f"## {heading}\n")[1]).split("\n\n|")[1].split("\n\n")[0]
    return [[cell.strip(" `") for cell in line.strip("| ").split("|")] for line in table.splitlines()]


def said(prior: Prior | None) -> str:
    if prior is None:
        return "–"
    if not math.isnan(prior.of_noise):
        return f"{prior.of_noise * math.sqrt(3):.4g} noise"
    width = prior.u if math.isnan(prior.half_width) else prior.half_width
    return f"{width * 100:.3g} %" if prior.unit == "1" else f"{width * 1e3:.3g} mm"


def test_the_table_of_classes_is_the_data_file() -> None:
    head, _, *body = rows("The classes")

    assert head == ["class", *NAMES]
    assert body == [[name, *(said(found.prior(term)) for term in NAMES)] for name, found in classes().items()]


def test_the_table_of_errors_names_each_term_and_its_unit() -> None:
    known = {p.name: p.unit for found in classes().values() for p in found.priors.values()}
    assert {row[0]: row[2] for row in rows("The five errors")[2:]} == known


def test_the_example_is_a_profile(tmp_path: Path) -> None:
    (text,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    (tmp_path / "mine.yaml").write_text(text)

    found = device(str(tmp_path / "mine.yaml"))
    assert (found.name, set(found.priors), found.correlation("offset", "scale")) == (
        "my_scanner",
        {"scale", "offset"},
        -0.9,
    )


@pytest.mark.parametrize("line", re.findall(r"^    r2s-compile device-check (.*)$", PAGE, re.MULTILINE))
def test_the_command_pairs_scans_with_sizes(line: str) -> None:
    pairs = paired(ordered(shlex.split(line), {"--sphere", "--block", "-o"}))

    assert [artefact("sphere", value).sizes for _, _, value in pairs] == [(0.0254,)] * 3 + [(0.0508,)] * 3
