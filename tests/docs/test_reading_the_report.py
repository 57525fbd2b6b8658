"""docs/reading-the-report.md quotes a build of the cube: every quoted line must be what such a build says."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest
from tests_support import ROOT

PAGE = ROOT / "docs" / "reading-the-report.md"


@pytest.fixture(scope="module")
def quotes() -> ModuleType:
    """The script that refreshes the quotes."""
    spec = importlib.util.spec_from_file_location("quotes", ROOT / "docs" / "quotes.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_quote_is_what_a_build_says(cube: Path, quotes: ModuleType) -> None:
    report = json.loads((cube / "cube.report.json").read_text())

    assert PAGE.read_text() == quotes.refreshed(PAGE.read_text(), report), "run make quotes"


def test_the_page_quotes_every_line_of_the_screen(cube: Path, quotes: ModuleType) -> None:
    """A line that the summary gains must be explained here."""
    from r2s.compiler.summary import summary

    screen = summary(json.loads((cube / "cube.report.json").read_text()), seconds=0.0).splitlines()
    page = PAGE.read_text()

    assert [line for line in screen[1:] if line not in page] == []
    assert screen[0].rpartition("   ")[0] in page


def test_a_figure_that_changed_is_refreshed(cube: Path, quotes: ModuleType) -> None:
    report = json.loads((cube / "cube.report.json").read_text())
    report["features"][1]["error"]["value"] = 0.00123456
    changed = quotes.refreshed(PAGE.read_text(), report)

    assert '"value": 0.00123456' in changed
    assert "+1.23" in changed


def test_no_figure_stands_outside_the_quotes() -> None:
    """Figures of a build in prose would rot; constants of the method may stand."""
    prose = re.sub(r"```.*?```", "", PAGE.read_text(), flags=re.DOTALL)
    figures = set(re.findall(r"\d+\.\d+", prose))

    assert figures <= {"0.2"}  # an example of an option
