"""
Every code of the catalogue is shown to fire by a test, or stands here with the reason why none can show it.

The witnesses are found in the tests themselves: a test function that asserts the code, in its body, in its
parameters, or in a table or helper of its file that it uses.  A code that is only denied (``not in``, ``!=``) is not
shown, and neither is one in a file that speaks of all codes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests_support import ROOT

from r2s.compiler.codes import catalogue

CODE = re.compile(r"R2S\d{3}")
SPEAK_OF_ALL = {"test_every_code.py", "test_troubleshooting.py"}

# Code -> why no test can make it fire.  Empty is how it should be.
UNSHOWN: dict[str, str] = {}


@cache
def witnesses() -> dict[str, tuple[str, ...]]:
    """Return for each code the tests that assert it, as ``file::function``."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if path.name in SPEAK_OF_ALL:
            continue
        for name, code in _asserted(path):
            found.setdefault(code, []).append(f"{path.relative_to(ROOT / 'tests')}::{name}")
    return {code: tuple(dict.fromkeys(names)) for code, names in sorted(found.items())}


def _asserted(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each test of a file with each code that it asserts."""
    tree = ast.parse(path.read_text())
    shared = {name: node for node in tree.body for name in _defined(node) if not name.startswith("test_")}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            for part in _with_used(node, shared):
                for code in _codes(part):
                    yield node.name, code


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _with_used(test: ast.FunctionDef, shared: dict[str, ast.stmt]) -> list[ast.AST]:
    """Return the test and the tables, fixtures and helpers of its file that it names, and what those name."""
    parts: list[ast.AST] = [test]
    for part in parts:  # grows while it is read
        names = {n.id for n in ast.walk(part) if isinstance(n, ast.Name)} | {a.arg for a in _arguments(part)}
        parts += [shared[name] for name in sorted(names & set(shared)) if shared[name] not in parts]
    return parts


def _arguments(part: ast.AST) -> list[ast.arg]:
    return part.args.args if isinstance(part, ast.FunctionDef) else []


def _codes(part: ast.AST) -> Iterator[str]:
    """Yield the codes in the texts below *part*, but for those of comparisons that deny them."""
    if isinstance(part, ast.Compare) and any(isinstance(op, ast.NotIn | ast.NotEq) for op in part.ops):
        return
    if isinstance(part, ast.Constant) and isinstance(part.value, str):
        yield from CODE.findall(part.value)
    for child in ast.iter_child_nodes(part):
        yield from _codes(child)


@pytest.mark.parametrize("code", catalogue())
def test_every_code_is_shown_to_fire(code: str) -> None:
    shown = witnesses().get(code, ())
    if code in UNSHOWN:
        assert not shown, f"{code} is shown by {shown[0]} now: take it out of UNSHOWN"
        return
    assert shown, f"no test makes {code} fire: plant what it is for, one change away from a good input"


def test_what_cannot_be_shown_is_in_the_catalogue_and_says_why() -> None:
    assert set(UNSHOWN) <= set(catalogue())
    assert all(reason.endswith(".") for reason in UNSHOWN.values())


def test_a_denial_and_an_unused_table_are_no_witness(tmp_path: Path) -> None:
    """The finder itself, on a file whose answer is known."""
    path = tmp_path / "test_x.py"
    path.write_text(
        'UNUSED = {"R2S101": 1}\nTABLE = [("R2S102", 1)]\n\n'
        "def helper(): assert 'R2S103' == code\n\n"
        'def test_one(): assert "R2S104" not in codes; assert code != "R2S105"; helper()\n\n'
        '@parametrize("a", TABLE)\ndef test_two(a): raises(match="R2S106")\n'
    )

    assert sorted(_asserted(path)) == [("test_one", "R2S103"), ("test_two", "R2S102"), ("test_two", "R2S106")]
