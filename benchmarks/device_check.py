"""
Scan two balls with a virtual scanner whose errors are known, and count how often device-check's intervals hold them.

    python benchmarks/device_check.py [--seeds N] [--first SEED] [--least N]

Every seed draws scale and offset anew from normal distributions, three scans of a 25.4 mm ball and three of a 50.8 mm
ball under the same instrument, each with its own noise and its own misplaced views.  One line a seed, then the counts.
Exit status 1 where any of scale, offset and noise is held in fewer than --least seeds (default 19 of 20, 95 %).
The scanner is our own, so this shows that the arithmetic holds, not that a real scanner errs so.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from r2s.compiler.device_check import Checked, Job, artefact, check_device, interval
from r2s.compiler.worker import Limits
from r2s.virtual_scanner import ply
from r2s.virtual_scanner.instrument import Instrument
from r2s.virtual_scanner.pose import Pose
from r2s.virtual_scanner.presets import STRUCTURED_LIGHT, Preset
from r2s.virtual_scanner.recipe import Recipe
from r2s.virtual_scanner.scan import Sitting, sit
from r2s.virtual_scanner.solids import Ball
from r2s.virtual_scanner.tracing import QUICK

TERMS = ("scale", "offset", "noise")
DIAMETERS = (0.0254, 0.0508)
# One point scatters alike wherever it lies, so that the noise has one true value.
PRESET = replace(STRUCTURED_LIGHT, noise=replace(STRUCTURED_LIGHT.noise, range_power=0.0, step=0.0), march=QUICK)
SEEN_BY = 5  # of sixteen views see a place well enough to count; 4 or 6 would move the noise by a part in 2,000
U_SCALE, U_OFFSET = 1e-3, 0.05e-3  # of the instruments that are drawn


@dataclass(frozen=True)
class Outcome:
    """One term of one seed: the true value and the 95 % interval, in its SI unit."""

    term: str
    true: float
    low: float
    high: float

    @property
    def held(self) -> bool:
        """Whether the interval holds the true value."""
        return self.low <= self.true <= self.high


def main() -> int:
    """Run the seeds, print the table, and judge the counts."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--seeds", type=int, default=20)
    ask.add_argument("--first", type=int, default=1)
    ask.add_argument("--least", type=int)
    chosen = ask.parse_args()
    least = math.floor(0.95 * chosen.seeds) if chosen.least is None else chosen.least
    counts = dict.fromkeys(TERMS, 0)
    print(f"{'seed':>5}" + "".join(f"{t + ' true':>14}{'low':>10}{'high':>10}  " for t in TERMS) + " (%, mm, mm)")
    for seed in range(chosen.first, chosen.first + chosen.seeds):
        found = tuple(outcomes(seed))
        line = f"{seed:5d}"
        for o in found:
            factor = 100.0 if o.term == "scale" else 1e3
            line += f"{o.true * factor:14.4f}{o.low * factor:10.4f}{o.high * factor:10.4f} {' ' if o.held else '*'}"
            counts[o.term] += o.held
        print(line, flush=True)
    print("held " + ", ".join(f"{t} {n} of {chosen.seeds}" for t, n in counts.items()))
    return int(min(counts.values()) < least)


def outcomes(seed: int, preset: Preset = PRESET, repeats: int = 3) -> Iterator[Outcome]:
    """Yield scale, offset and noise as device-check finds them under *seed*, beside the truth."""
    found, instrument = checked(seed, preset, repeats)
    # Views that overlap disagree by how they were placed: scatter of a point about their mean like any other.
    apart = preset.noise.registration * math.sqrt(1 - 1 / SEEN_BY)
    noise = math.hypot(preset.noise.sigma, apart) * instrument.scale
    true = {"scale": math.log(instrument.scale), "offset": instrument.offset, "noise": noise}
    for term in TERMS:
        yield Outcome(term, true[term], *interval(found.fitted.priors[term]))


def checked(seed: int, preset: Preset = PRESET, repeats: int = 3) -> tuple[Checked, Instrument]:
    """Return what device-check says of *repeats* scans of each ball, and the instrument that was drawn."""
    rng = np.random.default_rng([seed, 77])
    scale, offset = (float(x) for x in rng.normal((1.0, 0.0), (U_SCALE, U_OFFSET)))
    instrument = Instrument(scale=scale, offset=offset)
    with tempfile.TemporaryDirectory() as scratch:
        jobs = []
        for diameter in DIAMETERS:
            sitting = seated(diameter, preset, offset)
            sitting = replace(sitting, recipe=replace(sitting.recipe, instrument=instrument))
            for k in range(repeats):
                path = Path(scratch) / f"ball-{diameter * 1e3:g}-{k}.ply"
                cloud = sitting.scan(1000 * seed + k + int(1e5 * diameter))
                path.write_bytes(ply.encode(cloud.points * 1e3, cloud.normals, "a ball"))
                jobs.append(Job(path, artefact("sphere", f"{diameter * 1e3:.4f}mm"), 1e-9))
        found = check_device(jobs, unit="", known=None, cache=Path(scratch) / "cache", limits=Limits())
        return found, instrument


@cache
def seated(diameter: float, preset: Preset, offset: float) -> Sitting:
    """Return the cameras about a ball as the scanner sees it, *offset* outward; the scale comes afterwards."""
    pose = Pose((0.02, -0.01, diameter / 2))
    return sit(Recipe(Ball(diameter), pose, preset, seed=5, mass=0.1, instrument=Instrument(offset=offset)))


if __name__ == "__main__":
    sys.exit(main())
