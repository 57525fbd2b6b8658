"""
Compile every object of the YCB scans with its sheet and print what came out as a Markdown table.

    python benchmarks/ycb.py [--data DIR] [--only NAME ...] [--out DIR]

The scans are not part of this project; ``R2S_DATA`` (default ../shared/data) says where they lie.
Every build starts with an empty cache.  The seconds are of this machine on this day; all else is reproducible.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

COMMAND = Path(sys.executable).with_name("r2s-compile")
HEAD = (
    "| object | exit | cold s | pieces | phantom p99 / max mm | missing p99 / max mm | union volume | mass g | verdict "
    "| feature: raw reading (published), asset, mm |"
)


def main() -> int:
    """Build all objects and print one row each; the exit status is the number of builds that failed."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--data", type=Path, default=Path(os.environ.get("R2S_DATA", "../shared/data")))
    ask.add_argument("--only", nargs="*", default=[])
    ask.add_argument("--out", type=Path, help="keep the assets here")
    chosen = ask.parse_args()
    folders = [f for f in sorted((chosen.data / "ycb").iterdir()) if not chosen.only or f.name in chosen.only]
    print(HEAD + "\n" + "|---" * HEAD.count(" | ") + "|---|")
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for folder in folders:
            out = (chosen.out or Path(scratch)) / folder.name / f"{folder.name}.xml"
            code, seconds = build(folder, out, Path(scratch) / f"cache-{folder.name}")
            failed += code != 0
            print(row(folder.name, code, seconds, out), flush=True)
    return failed


def build(folder: Path, out: Path, cache: Path) -> tuple[int, float]:
    """Return the exit code and the wall-clock seconds of one cold build."""
    words = [COMMAND, folder / "scan.ply", "--calipers", folder / "measurements.yaml", "--unit", "m", "-o", out, "-q"]
    begun = time.monotonic()
    done = subprocess.run([*map(str, words), "--cache", str(cache)], capture_output=True, text=True)
    if done.stderr:
        print("\n".join(f"<!-- {folder.name}: {line} -->" for line in done.stderr.splitlines()), file=sys.stderr)
    return done.returncode, time.monotonic() - begun


def row(name: str, code: int, seconds: float, out: Path) -> str:
    """Return the Markdown row of one object from its report."""
    path = out.with_name(f"{out.stem}.report.json")
    if code:
        path = out.with_name(f"{out.stem}.failed.report.json")
    if not path.exists():
        return f"| {name} | {code} | {seconds:.1f} | | | | | | | |"
    report = json.loads(path.read_text())
    terms = {t["id"]: t for p in report["passes"] for t in p["terms"]}
    by_role = {t["role"]: t for t in terms.values() if t["type"] == "DirectedDistance"}
    inflation, deficit = by_role["inflation"], by_role["deficit"]
    volume = terms["decompose.volume"]
    mass = next(s["nominal"] for s in report["slots"] if s["name"] == "mass")
    cells = [
        name,
        str(code),
        f"{seconds:.1f}",
        f"{terms['decompose.pieces']['value']:.0f}",
        f"{inflation['p99'] * 1e3:.2f} / {inflation['maximum'] * 1e3:.2f}",
        f"{deficit['p99'] * 1e3:.2f} / {deficit['maximum'] * 1e3:.2f}",
        f"{(volume['after'] / volume['before'] - 1) * 100:+.1f} %",
        f"{mass * 1e3:.1f}",
        report["verdict"]["check"],
        "; ".join(feature(f) for f in report["features"]) or "none",
    ]
    return "| " + " | ".join(cells) + " |"


def feature(one: dict[str, Any]) -> str:
    """Return the raw reading of a feature against its published value and the asset's."""
    raw, model = one["stages"]["scan"]["value"], one["stages"]["model"]["value"]
    text = f"{one['feature']} {'refused' if raw is None else f'{raw * 1e3:.2f}'} ({one['caliper']['value'] * 1e3:g})"
    return text + (f", {model * 1e3:.2f}" if model is not None else "")


if __name__ == "__main__":
    sys.exit(main())
