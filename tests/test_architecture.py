"""Who may import whom: the contracts in pyproject.toml, and the rules for passes that follow the catalogue."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import grimp
import pytest

from r2s.passes import ANALYSES, CATALOG

ROOT = Path(__file__).parent.parent
STEPS = sorted({target.partition(":")[0] for target in (*CATALOG.values(), *ANALYSES.values())})
HEAVY = {"coacd", "manifold3d", "mujoco", "open3d", "pymeshlab", "scipy", "trimesh"}
# The values and the arithmetic on them: what a pass may know of the compiler.
OPEN_TO_PASSES = {
    f"r2s.compiler.{name}"
    for name in (
        "calibration",
        "codec",
        "decision",
        "direct",
        "corruption",
        "devices",
        "drawn",
        "dump.ply",
        "errors",
        "intervals",
        "ir",
        "ledger",
        "measured",
        "packed",
        "population",
        "probed",
        "protocol",
        "readings",
        "responses",
        "scale_axes",
        "scale_fit",
        "scale_pair",
        "scale_rule",
        "slips",
        "slots",
        "uncertainty.geometry",
        "units",
    )
}


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    """The imports of all our packages, those inside functions too."""
    return grimp.build_graph("r2s.compiler", "r2s.passes", "r2s.virtual_scanner", cache_dir=None)


def test_import_contracts_hold() -> None:
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_no_pass_imports_another(graph: grimp.ImportGraph) -> None:
    """Not even by way of a shared module: passes meet in the catalogue only."""
    present = [step for step in STEPS if step in graph.modules]
    assert len(present) > 4
    chains = [
        graph.find_shortest_chain(importer=one, imported=other) for one in present for other in present if one != other
    ]
    assert not [" -> ".join(chain) for chain in chains if chain]


def test_passes_know_only_the_values_of_the_compiler(graph: grimp.ImportGraph) -> None:
    known = {
        (module, imported)
        for module in graph.modules
        if module.startswith("r2s.passes")
        for imported in graph.find_modules_directly_imported_by(module)
        if imported.startswith("r2s.compiler")
    }
    assert known, "the graph must hold the imports it is asked about"
    assert not sorted((module, imported) for module, imported in known if imported not in OPEN_TO_PASSES)


def test_loading_the_passes_loads_no_library() -> None:
    """The catalogue and the command line must stay quick and quiet."""
    names = ", ".join(STEPS)
    done = subprocess.run(
        [sys.executable, "-c", f"import sys, r2s.compiler.cli, {names}; print(*{HEAVY!r} & sys.modules.keys())"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
