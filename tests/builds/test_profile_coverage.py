"""Intervals of the account against the truth of a scanner whose errors are drawn from the profile it is given."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest
from tests_support import ROOT

SCANS = 40  # the first of those that `python benchmarks/profile_coverage.py` makes


@pytest.fixture(scope="module")
def coverage() -> ModuleType:
    """The benchmark, as a module."""
    spec = importlib.util.spec_from_file_location("profile_coverage", ROOT / "benchmarks" / "profile_coverage.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["profile_coverage"] = module  # a dataclass looks its module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_u95_of_lengths_volume_and_mass_holds_the_truth_and_only_with_the_registration(
    coverage: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Forty scans: the bands are wider than those of two hundred, and what drops a term falls out of them."""
    import r2s.compiler.manager

    monkeypatch.setattr(r2s.compiler.manager, "Worker", r2s.compiler.manager.Worker)  # put back what scanned() changes
    found = [held for k in range(SCANS) for held in coverage.scanned(k, 5000, ())]
    text, _ = coverage.table(found)

    assert {h.name for h in found} >= {"extent_x", "faces_x", "sides", "outer_diameter", "step", "volume", "mass"}
    for name in ("volume", "mass"):
        assert 34 <= sum(h.held for h in found if h.name == name) <= SCANS, text
    assert 0.92 <= sum(h.held for h in found) / len(found) <= 0.98, text
    felt = [h for h in found if h.name not in ("step", "volume", "mass")]  # what rests on faces of two views
    assert 0.92 <= sum(h.held for h in felt) / len(felt) <= 0.98, text
    assert sum(h.unregistered for h in felt) / len(felt) < 0.92, text
