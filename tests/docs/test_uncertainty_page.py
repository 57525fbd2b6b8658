"""The examples of docs/uncertainty.md, run as they stand, and its list of modules against the folder."""

from __future__ import annotations

import doctest
import re

from tests_support import ROOT

PAGE = ROOT / "docs" / "uncertainty.md"


def test_the_examples_do_what_the_page_says() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")

    assert result.attempted > 15
    assert result.failed == 0


def test_every_module_is_named_but_the_one_of_plain_intervals() -> None:
    folder = ROOT / "compiler" / "uncertainty"
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "intervals"}
    rows = [line.split("|")[1] for line in PAGE.read_text().splitlines() if line.startswith("| `")]

    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == modules
