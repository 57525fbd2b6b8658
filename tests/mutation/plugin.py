"""
The pytest plugin that tells the recorder which test runs, and writes down how long each took.

A fixture of a wider scope runs inside the first test that wants it, yet every test that wants it depends on what it
ran; so such a fixture is a context of its own, and so is the collection of a test file.
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from mutation.recorder import FOLDER, LINKS, Recorder


class Contexts:
    """Numbers the contexts and keeps what the map needs of each test."""

    def __init__(self, recorder: Recorder, folder: Path) -> None:
        self._recorder, self._folder = recorder, folder
        self._numbers: dict[str, int] = {}
        self._tests: dict[str, dict[str, Any]] = {}
        self._current = "outside"
        self._outcomes: dict[str, set[str]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, Any, Any]:
        """Charge what a test file runs while it is imported to the file."""
        return (yield from self._within(f"file {collector.nodeid.partition('::')[0]}"))

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        """Charge a shared fixture to itself, any other to its test."""
        if fixturedef.scope == "function":
            return (yield)
        return (yield from self._within(_name(fixturedef)))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Charge everything else to the test, beginning with empty caches, which an earlier test may have filled."""
        _forget()
        begun = _cpu_seconds()
        shared = [
            _name(found[-1])
            for found in item._fixtureinfo.name2fixturedefs.values()  # type: ignore[attr-defined]
            if found[-1].scope != "function"
        ]
        result = yield from self._within(f"test {item.nodeid}")
        self._tests[item.nodeid] = {
            "seconds": round(_cpu_seconds() - begun, 3),
            "contexts": [f"test {item.nodeid}", f"file {item.nodeid.partition('::')[0]}", *shared],
            "passed": False,
        }
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember what passed: only that can be broken."""
        self._outcomes.setdefault(report.nodeid, set()).add(report.outcome)

    def pytest_sessionfinish(self) -> None:
        """Write the index of the contexts beside their lines."""
        for name, test in self._tests.items():
            test["passed"] = self._outcomes.get(name) == {"passed"}
        index = {"numbers": self._numbers, "tests": self._tests}
        (self._folder / "index.json").write_text(json.dumps(index, indent=1))

    def _within(self, context: str) -> Generator[None, Any, Any]:
        before, self._current = self._current, context
        self._switch()
        try:
            return (yield)
        finally:
            self._current = before
            self._switch()

    def _switch(self) -> None:
        self._recorder.switch(str(self._numbers.setdefault(self._current, len(self._numbers))))


def _name(fixture: pytest.FixtureDef[Any]) -> str:
    return f"fixture {fixture.baseid}::{fixture.argname}"


def _cpu_seconds() -> float:
    """Return the CPU time of this process and of its children that ended."""
    return sum(os.times()[:4])


def _forget() -> None:
    """Empty every function cache of this project and of its tests."""
    for name, module in sorted(sys.modules.items()):
        if name.startswith(("r2s.", "test_")) or name in {"scan_shapes", "tests_support"}:
            for value in list(vars(module).values()):
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()


def pytest_configure(config: pytest.Config) -> None:
    """Record if there is where to."""
    if folder := os.environ.get(FOLDER):
        recorder = Recorder(folder, os.environ[LINKS])
        contexts = Contexts(recorder, Path(folder))
        config.pluginmanager.register(contexts, "mutation-contexts")
        recorder.start()
