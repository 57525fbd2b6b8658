"""docs/known-bad.md: its tables hold every kind of damage, and what refreshes them changes nothing else."""

from __future__ import annotations

import importlib.util
import re
from types import ModuleType

import pytest
from tests_support import ROOT

from r2s.compiler.known_bad.trials import KINDS

PAGE = ROOT / "docs" / "known-bad.md"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("known_bad", ROOT / "docs" / "known_bad.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table(name: str) -> list[list[str]]:
    found = re.search(rf"<!-- inject: {name} -->\n\n(.*?)\n\n", PAGE.read_text(), re.DOTALL)
    assert found is not None
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in found[1].splitlines()]


@pytest.mark.parametrize("name", ["cube", "bracket"])
def test_a_table_holds_every_kind_and_nothing_that_is_neither_seen_nor_named(name: str) -> None:
    rows = table(name)[2:]
    titles = {row[0] for row in rows}
    assert {kind for kind, title in KINDS.items() if not any(t.startswith(title) for t in titles)} == set()
    assert all(len(row) == 6 for row in rows)
    scale = next(row for row in rows if row[0] == KINDS["scale"])
    assert scale[2] != "-"
    assert "1 %" not in scale[5].split(", ")


def test_a_table_is_replaced_and_the_rest_stays(script: ModuleType) -> None:
    by = {"how": "warned", "code": "R2S420", "words": "a | b", "shares": "the scan"}
    line = {
        "corruption": "scale",
        "tried": ["1 %"],
        "smallest_seen": "1 %",
        "seen_by": by,
        "missed": [],
        "harmless": [],
        "why": "",
    }
    page = "above\n<!-- inject: cube -->\n\n| old |\n| older |\n\nbelow\n\n<!-- inject: bracket -->\n\n| kept |\n"
    new = script.refreshed(page, [{"name": "cube", "table": [line]}])

    assert new == page.replace(
        "| old |\n| older |\n", f"{script.HEAD}| scale | 1 % | 1 % | warned: a / b (R2S420) | the scan | - |\n"
    )
    assert script.refreshed(new, [{"name": "cube", "table": [line]}]) == new
