"""
Every example in a docstring does what it says.

pytest's own collector would import the files by path, as ``compiler.x``: a second copy beside ``r2s.compiler.x``.
So the modules are found by import.
"""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

PACKAGES = ("r2s.compiler", "r2s.passes", "r2s.virtual_scanner")


def modules() -> list[str]:
    """Return the names of all modules, without loading them (but their packages)."""
    return [
        found.name
        for package in PACKAGES
        for found in pkgutil.walk_packages(importlib.import_module(package).__path__, package + ".")
        if not found.name.endswith(".__main__")
    ]


@pytest.mark.parametrize("name", modules())
def test_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), report=True)
    assert result.failed == 0


def test_there_are_examples() -> None:
    """Guards the guard: a walk that finds nothing would pass."""
    finder = doctest.DocTestFinder()
    examples = [t for name in modules() for t in finder.find(importlib.import_module(name)) if t.examples]
    assert {test.name.split(".")[1] for test in examples} >= {"compiler"}
    assert len(modules()) > 20
