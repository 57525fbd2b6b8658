"""Two scans of one cube by two scanners: what `diff` takes for chance is chance (benchmarks/diff_z.py has 20 seeds)."""

from __future__ import annotations

import importlib.util
import sys

import pytest
from tests_support import ROOT

SEEDS = (2000, 2001)


@pytest.mark.slow
def test_z_of_two_scans_of_one_cube_is_that_of_chance() -> None:
    """Σz² of the faces lies between the 0.5 % and the 99.9 % quantile of chi-square with a degree a face."""
    spec = importlib.util.spec_from_file_location("diff_z", ROOT / "benchmarks" / "diff_z.py")
    assert spec is not None
    assert spec.loader is not None
    benchmark = importlib.util.module_from_spec(spec)
    sys.modules["diff_z"] = benchmark  # its dataclasses look for their module
    spec.loader.exec_module(benchmark)
    found = [z for seed in SEEDS for z in benchmark.compared(seed, 6000)]

    assert {z.reading for z in found} == {"faces_x", "faces_y", "extent_z"}
    faces = [z.z for z in found if z.reading in benchmark.FACES]
    assert 0.207 < sum(z**2 for z in faces) < 18.47
    assert max(abs(z.z) for z in found if z.reading == "extent_z") < 2
