"""
Scan the cube twice under many seeds, each time by another scanner, and look whether `diff` takes chance for a change.

    python benchmarks/diff_z.py [--seeds N] [--first SEED] [--points N]

Nothing changed between the scans but the scanner: noise, registration of the views, a scale and an offset of its own,
drawn anew for each.  Its profile declares just these.  So z of every reading should be about standard normal.  One line
a reading: mean and standard deviation of z, and the share of |z| over 1.96, which is 5 % by chance alone.

The height is told apart.  Nobody saw the underside, and what may hide there is the better part of u: the scans share
that, but no report can know it, so z of the height stays near 0: a promise kept too well.
Exit status 1 where the standard deviation over the faces is not within 0.7 to 1.3.
The noise is our own virtual scanner's, so this shows that the arithmetic holds, not that a real scanner behaves so.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import numpy as np

from r2s.compiler.diff import diff
from r2s.compiler.driver import Request, run
from r2s.virtual_scanner.instrument import Instrument
from r2s.virtual_scanner.make import measurements
from r2s.virtual_scanner.numbers import in_file
from r2s.virtual_scanner.ply import encode
from r2s.virtual_scanner.recipe import Recipe
from r2s.virtual_scanner.recipes import CUBE, CUBE_RESCAN
from r2s.virtual_scanner.scan import sit
from r2s.virtual_scanner.tracing import QUICK

SCALE = 2e-4  # standard deviation of ln scale from scanner to scanner
OFFSET = 0.005e-3  # m, of how far all faces stand out
FACES = ("faces_x", "faces_y")
LOW, HIGH = 0.7, 1.3


@dataclass(frozen=True)
class Z:
    """z of the change of one reading between two scans of one cube."""

    reading: str
    z: float


def main() -> int:
    """Run the seeds, print the table, and judge the faces."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--seeds", type=int, default=20)
    ask.add_argument("--first", type=int, default=2000)
    ask.add_argument("--points", type=int, default=12_000, help="thin each scan to this many points  [default: 12000]")
    chosen = ask.parse_args()
    found: list[Z] = []
    for seed in range(chosen.first, chosen.first + chosen.seeds):
        of_seed = list(compared(seed, chosen.points))
        print(f"seed {seed}: {', '.join(f'{z.reading} {z.z:+.2f}' for z in of_seed)}", file=sys.stderr, flush=True)
        found += of_seed
    print(table(found))
    faces = [z.z for z in found if z.reading in FACES]
    spread = pstdev(faces, 0.0)
    print(f"faces: sd {spread:.2f} about 0, of {len(faces)} changes; {LOW} to {HIGH} is right")
    return int(not LOW <= spread <= HIGH)


def compared(seed: int, points: int) -> Iterator[Z]:
    """Yield z of each reading between the two scans of *seed*."""
    reports = [report(recipe, seed, points) for recipe in (CUBE, CUBE_RESCAN)]
    for output in diff(*reports)["statistics"]["outputs"]:
        if output["name"] in (*FACES, "extent_z"):
            yield Z(output["name"], output["z"])


def report(recipe: Recipe, seed: int, points: int) -> dict[str, Any]:
    """Return the report of a cube by a scanner drawn under *seed*, whose profile declares what that draws from."""
    rng = np.random.default_rng([seed, recipe.seed])
    scanner = Instrument(math.exp(rng.normal(0, SCALE)), rng.normal(0, OFFSET))
    wanted = tuple(replace(want, role="check") for want in CUBE_RESCAN.wanted)
    preset = replace(recipe.preset, points=points, march=QUICK)
    drawn = replace(recipe, seed=int(rng.integers(2**31)), instrument=scanner, wanted=wanted, preset=preset)
    cloud = sit(drawn).scan(drawn.seed)
    registration = preset.noise.registration * left_of_views(cloud.normals, cloud.views)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        normals = np.round(cloud.normals, 4)
        (folder / "scan.ply").write_bytes(encode(in_file(drawn, cloud.points), normals, "cube"))
        (folder / "measurements.yaml").write_text(measurements("cube", drawn))
        (folder / "scanner.yaml").write_text(profile(registration))
        request = Request(
            folder / "scan.ply",
            calipers=folder / "measurements.yaml",
            unit="mm",
            device=str(folder / "scanner.yaml"),
            stop_after="surface",
            cache=folder / "cache",
        )
        return run(request).report


def left_of_views(normals: Any, views: Any) -> float:
    """
    Return what of one view's misplacement a face keeps that many views see: √Σw², w the views' shares of its points.

    *normals* (n, 3) and *views* (n) are of a scan's points; the root mean square over the faces that were seen.
    """
    axis = np.abs(normals).argmax(axis=1)
    side = 2 * axis + (normals[np.arange(len(normals)), axis] < 0)
    kept = []
    for face in range(5):  # the last looks down and is not seen
        _, counts = np.unique(views[side == face], return_counts=True)
        kept.append(float(np.sum((counts / counts.sum()) ** 2)))
    return math.sqrt(fmean(kept))


def profile(registration: float) -> str:
    """Return the profile of a scanner that draws scale and offset as ours do; *registration* is in m."""
    terms = {
        "scale": f'{{u: {SCALE}, unit: "1", method: declared, source: drawn so}}',
        "offset": f"{{u: {OFFSET * 1e3}, unit: mm, method: declared, source: drawn so}}",
        "registration": f"{{u: {registration * 1e3}, unit: mm, method: declared, source: of the mean of its views}}",
    }
    lines = [f"  {name}: {said}" for name, said in terms.items()]
    return "\n".join(["schema: r2s-device/1", "name: virtual", "terms:", *lines]) + "\n"


def table(found: Sequence[Z]) -> str:
    """Return the Markdown table of z by reading."""
    lines = ["| reading | mean z | sd of z | z over 1.96 |", "|---|---|---|---|"]
    for name in dict.fromkeys(z.reading for z in found):
        of = [z.z for z in found if z.reading == name]
        over = sum(abs(z) > 1.96 for z in of)
        lines.append(f"| {name} | {fmean(of):+.2f} | {pstdev(of):.2f} | {over} of {len(of)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
