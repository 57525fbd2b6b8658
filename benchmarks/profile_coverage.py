"""
Scan fixtures with a scanner whose errors are drawn from its own profile, and count how often U95 holds the truth.

    python benchmarks/profile_coverage.py [--scans 200] [--first SEED] [--jobs 2] [--without TERM ...]

Each scan draws a scale, an offset and the registration of every view from the profile that the compiler is then given
(`--device profile.yaml`), new noise, and a density from its accuracy.  Nothing calibrates: the build stops after the
surface, so every interval is the profile's and the account's work.  `--without registration` hides that term from the
compiler; the intervals must then fail.
The scanner takes six views, one of each side, so that the registration of a view is that of a face.  Scanner and
profile are our own: this shows that the arithmetic holds, not that a real scanner behaves so.
Exit status 1 where a quantity leaves 90 to 99.5 %, or all together 93 to 97 %.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import repeat
from math import sqrt
from pathlib import Path

import numpy as np

import r2s.compiler.manager
from r2s.compiler.driver import Request, run
from r2s.compiler.pipeline import Pipeline
from r2s.compiler.serve import Server
from r2s.virtual_scanner.instrument import Instrument
from r2s.virtual_scanner.make import files
from r2s.virtual_scanner.recipe import Recipe
from r2s.virtual_scanner.recipes import FINE, RECIPES

FIXTURES = ("cube", "bracket", "can")
TERMS = {"scale": (1e-3, "1"), "offset": (0.04e-3, "m"), "registration": (0.05e-3, "m")}
DENSITY = 0.02  # half-width of its accuracy, of itself
EACH, POOLED = (0.90, 0.995), (0.93, 0.97)
POINTS = 8000
PIPELINE = "ingest | surface{depth=6} | simplify | decompose | scale | emit"


@dataclass(frozen=True)
class Held:
    """
    One output of one scan: its error in standard uncertainties, and whether the true value lies within U95.

    *unregistered* is the same with the registration's share of u² taken out of U95.
    """

    fixture: str
    name: str
    pull: float
    held: bool
    unregistered: bool


class InThisProcess:
    """A worker without a process of its own: nothing has to be contained here, and it saves two seconds a scan."""

    def __init__(self, root: Path, _limits: object) -> None:
        self._server = Server(root)

    def run(self, _name: str, request: dict, _tick: object) -> dict:  # type: ignore[type-arg]
        """Return the server's answer."""
        return self._server.answer(request)

    def close(self) -> None:
        """Do nothing."""


def profile(without: Iterable[str] = ()) -> str:
    """Return the profile that the errors are drawn from as YAML, less what is hidden from the compiler."""
    left = set(without)
    terms = "\n".join(
        f'  {name}: {{u: {u!r}, unit: "{unit}", method: declared, source: drawn from it}}'
        for name, (u, unit) in TERMS.items()
        if name not in left
    )
    return f"schema: r2s-device/1\nname: own_scanner\nmetric: true\nterms:\n{terms}\n"


def drawn(name: str, seed: int) -> Recipe:
    """Return the recipe of the fixture *name* with errors drawn under *seed*."""
    rng = np.random.default_rng([seed, 77])
    scale, offset = 1 + rng.normal(0, TERMS["scale"][0]), rng.normal(0, TERMS["offset"][0])
    noise = replace(FINE.noise, registration=TERMS["registration"][0], session=0.0)
    six = replace(FINE, rings=((0.0, 4), (90.0, 1), (-90.0, 1)), points=POINTS, noise=noise)
    return replace(RECIPES[name], preset=six, seed=seed, instrument=Instrument(scale=scale, offset=offset))


def scanned(index: int, first: int, without: tuple[str, ...]) -> list[Held]:
    """Return the outputs of scan number *index*; fixtures take turns."""
    name, seed = FIXTURES[index % len(FIXTURES)], first + index
    r2s.compiler.manager.Worker = InThisProcess  # type: ignore[misc,assignment]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for file, content in files(name, drawn(name, seed)).items():
            (folder / file).write_bytes(content)
        truth = json.loads((folder / "truth.json").read_text())
        density = truth["mass"] / truth["volume"]
        told = density * (1 + DENSITY * np.random.default_rng([seed, 78]).uniform(-1, 1))
        (folder / "measurements.yaml").write_text(_with_density((folder / "measurements.yaml").read_text(), told))
        (folder / "profile.yaml").write_text(profile(without))
        made = run(
            Request(
                folder / "scan.ply",
                calipers=folder / "measurements.yaml",
                pipeline=Pipeline.parse(PIPELINE),
                device=str(folder / "profile.yaml"),
                stop_after="surface",
                cache=folder / "cache",
            )
        )
    true = {**truth["lengths"], "volume": truth["volume"], "mass": truth["mass"]}
    return list(_held(name, made.report["uncertainty"]["outputs"], true))


def _held(fixture: str, outputs: dict, true: dict[str, float]) -> Iterator[Held]:  # type: ignore[type-arg]
    for name, found in outputs.items():
        if name in true:
            error, share = found["value"] - true[name], found["by_term"].get("view registration", 0.0)
            less = found["U95"] * sqrt(max(1 - share, 0.0))
            yield Held(fixture, name, error / found["u"], abs(error) <= found["U95"], abs(error) <= less)


def _with_density(sheet: str, density: float) -> str:
    """Return the sheet with a density in place of a mass and of a fill, as nothing is left to weigh."""
    kept = [line for line in sheet.splitlines() if not line.startswith(("mass:", "fill:", "com:"))]
    kept = [line for line in kept if not line.lstrip().startswith("- {along")]
    accuracy = DENSITY * density
    return "\n".join([*kept, f"density: {{value: {density!r}, unit: kg/m^3, accuracy: {accuracy!r}}}", ""])


def table(found: list[Held]) -> tuple[str, bool]:
    """Return the table of what was held, and whether each quantity and all together lie where they should."""
    lines = ["| output | scans | within U95 | share | mean pull | sd of pull |", "|---|---|---|---|---|---|"]
    good = True
    groups = [(f"{f} {n}", [h for h in found if (h.fixture, h.name) == (f, n)]) for f, n in _names(found)]
    groups += [(name, [h for h in found if h.name == name]) for name in ("volume", "mass")]
    for label, rows in groups:
        share, pulls = sum(h.held for h in rows) / len(rows), [h.pull for h in rows]
        # a band for 200 scans, widened for fewer by the binomial's own scatter
        slack = 3 * sqrt(0.05 * 0.95) * (1 / sqrt(len(rows)) - 1 / sqrt(200)) if len(rows) < 200 else 0.0
        good &= EACH[0] - slack <= share <= EACH[1] + slack + (1 - EACH[1]) * (len(rows) < 200)
        lines.append(
            f"| {label} | {len(rows)} | {sum(h.held for h in rows)} | {share:.1%} "
            f"| {np.mean(pulls):+.2f} | {np.std(pulls):.2f} |"
        )
    held = sum(h.held for h in found)
    share = held / len(found)
    good &= POOLED[0] <= share <= POOLED[1]
    lines.append(f"pooled: {held} of {len(found)} within U95, {share:.1%}")
    bare = sum(h.unregistered for h in found)
    lines.append(f"without the registration's share of u2: {bare} of {len(found)}, {bare / len(found):.1%}")
    return "\n".join(lines), good


def _names(found: list[Held]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((h.fixture, h.name) for h in found if h.name not in ("volume", "mass")))


def main() -> int:
    """Scan, print the table, and judge it."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--scans", type=int, default=200)
    ask.add_argument("--first", type=int, default=5000)
    ask.add_argument("--jobs", type=int, default=2)
    ask.add_argument("--without", nargs="*", default=[], choices=sorted(TERMS))
    chosen = ask.parse_args()
    found: list[Held] = []
    with ProcessPoolExecutor(chosen.jobs) as pool:
        hidden = tuple(chosen.without)
        for k, rows in enumerate(pool.map(scanned, range(chosen.scans), repeat(chosen.first), repeat(hidden))):
            found += rows
            print(f"\r{k + 1} of {chosen.scans} scans", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    text, good = table(found)
    print(text)
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
