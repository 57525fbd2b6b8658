"""
Scan a fixture anew under many seeds, compile each scan, and count how often U95 holds the true error.

    python benchmarks/coverage.py [--fixture NAME ...] [--seeds N] [--first SEED] [--points N] [--least SHARE]

Every seed draws new poses, a new noise and new caliper readings; the truth stays.  One line a feature (and one for the
volume): mean and standard deviation of estimate minus truth, mean U95, and in how many scans |error| <= U95.
Exit status 1 where the pooled share is below --least (default 0.93).
The noise is our own virtual scanner's, so this shows that the arithmetic holds, not that a real scanner behaves so.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from r2s.compiler.driver import Request, run
from r2s.compiler.pipeline import Pipeline
from r2s.virtual_scanner.make import files
from r2s.virtual_scanner.recipes import RECIPES

# Pieces do not enter an estimate, so they may be coarse; the scale needs some.
QUICK = "ingest | surface | decompose{share=0.05} | scale | emit"


@dataclass(frozen=True)
class Outcome:
    """One output of one scan: estimate minus truth and U95, metres or cubic metres."""

    name: str
    error: float
    u95: float

    @property
    def held(self) -> bool:
        """Whether the true error lies within U95."""
        return abs(self.error) <= self.u95


def main() -> int:
    """Run the seeds, print the tables, and judge the pooled share."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--fixture", nargs="+", default=["cube", "bracket"], choices=sorted(RECIPES))
    ask.add_argument("--seeds", type=int, default=20)
    ask.add_argument("--first", type=int, default=1000)
    ask.add_argument("--points", type=int, help="thin each scan to this many points  [default: the fixture's]")
    ask.add_argument("--least", type=float, default=0.93)
    chosen = ask.parse_args()
    pooled: list[Outcome] = []
    for name in chosen.fixture:
        found = [o for s in range(chosen.seeds) for o in _told(name, chosen.first + s, chosen.points)]
        print(table(name, found), flush=True)
        pooled += found
    held = sum(o.held for o in pooled)
    print(f"pooled: {held} of {len(pooled)} within U95, {held / len(pooled):.1%}")
    return int(held < chosen.least * len(pooled))


def outcomes(name: str, seed: int, points: int | None = None) -> Iterator[Outcome]:
    """Yield every feature's outcome, and the volume's, of the fixture *name* scanned under *seed*."""
    recipe = replace(RECIPES[name], seed=seed)
    if points is not None:
        recipe = replace(recipe, preset=replace(recipe.preset, points=points))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for file, content in files(name, recipe).items():
            (folder / file).write_bytes(content)
        truth = json.loads((folder / "truth.json").read_text())
        request = Request(
            folder / "scan.ply",
            calipers=folder / "measurements.yaml",
            pipeline=Pipeline.parse(QUICK),
            stop_after="scale",
            cache=folder / "cache",
        )
        report = run(request).report
    for row in report["features"]:
        estimate = row["estimate"]
        if estimate["value"] is None:
            yield Outcome(row["id"], math.nan, 0.0)  # a feature that could not be read counts as missed
        else:
            yield Outcome(row["id"], estimate["value"] - truth["lengths"][row["id"]], estimate["U95"])
    yield Outcome("volume", report["volume"]["value"] - truth["volume"], report["volume"]["U95"])


def _told(name: str, seed: int, points: int | None) -> list[Outcome]:
    found = list(outcomes(name, seed, points))
    missed = [o.name for o in found if not o.held]
    print(f"{name} seed {seed}: {', '.join(missed) or 'all'} {'missed' if missed else 'held'}", file=sys.stderr)
    return found


def table(name: str, found: list[Outcome]) -> str:
    """Return the Markdown table of one fixture's outcomes."""
    lines = [f"| {name} | mean error | sd | mean U95 | within U95 |", "|---|---|---|---|---|"]
    for of in dict.fromkeys(o.name for o in found):
        rows = [o for o in found if o.name == of]
        scale, unit = (1e9, "mm3") if of == "volume" else (1e3, "mm")
        errors = [o.error * scale for o in rows]
        mean = math.fsum(errors) / len(errors)
        sd = math.sqrt(math.fsum((e - mean) ** 2 for e in errors) / max(len(errors) - 1, 1))
        u95 = math.fsum(o.u95 for o in rows) / len(rows) * scale
        held = sum(o.held for o in rows)
        lines.append(f"| {of} | {mean:+.3f} {unit} | {sd:.3f} | {u95:.3f} | {held} of {len(rows)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
