"""
The virtual caliper alone: every reading of a sheet on the raw scan and on the closed surface, beside the calipers.

It is a build that stops at the surface, so the readings are those that a whole build would start from.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from r2s.compiler.driver import run
from r2s.compiler.errors import Diagnostic, InvalidInputError
from r2s.compiler.manager import Observer
from r2s.compiler.request import Request
from r2s.compiler.summary import label, unit_line

SCHEMA = "r2s-measure/1"
STAGES = ("scan", "surface")
_OF_THE_JUDGE = "R2S63"  # what it says is about a compiled model, and here is none


def measure_scan(request: Request, observe: Observer = lambda _: None) -> tuple[dict[str, Any], tuple[Diagnostic, ...]]:
    """
    Return what the virtual caliper reads on the scan of *request*, and what is to be told; nothing is written.

    Raises InvalidInputError for a sheet without readings, and what a build raises up to the closed surface.
    """
    made = run(replace(request, output=None, stop_after=STAGES[-1]), observe)
    if not made.report["features"]:
        what = f"{request.calipers.name if request.calipers else 'no sheet'} holds no reading to measure"
        hint = "add one under measurements: {feature: extent_x, value: 57.0, unit: mm}"
        raise InvalidInputError("R2S851", what, hint=hint)
    said = tuple(d for d in made.diagnostics if not d.code.startswith(_OF_THE_JUDGE))
    return measured(made.report), said


def measured(report: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return the readings of *report* beside the calipers (schema ``r2s-measure/1``), lengths in metres.

    The difference is scan minus calipers, the ratio calipers over scan.  Where the scan's scale is free, both are
    brought to one scale first: *scale* is the geometric mean of the calibrate ratios.
    """
    factor = report["verdict"]["coverage_factor"]
    ratios = [r for row in report["features"] if row["role"] == "calibrate" and (r := _ratio(row)) is not None]
    mean = math.exp(math.fsum(map(math.log, ratios)) / len(ratios)) if ratios else None
    scale = mean if mean is not None and report["unit"]["free"] else 1.0
    return {
        "schema": SCHEMA,
        "name": report["name"],
        "scan": report["inputs"]["scan"]["name"],
        "unit": report["unit"],
        "scale": scale,
        "ratio": {
            "mean": mean,
            "least": min(ratios, default=None),
            "most": max(ratios, default=None),
            "n": len(ratios),
        },
        "readings": [_reading(row, scale, factor) for row in report["features"]],
    }


def _reading(row: Mapping[str, Any], scale: float, factor: float) -> dict[str, Any]:
    caliper, scan = row["caliper"], row["stages"]["scan"]
    ratio = _ratio(row)
    found: dict[str, Any] = {
        **{key: row[key] for key in ("id", "feature", "definition", "role")},
        "unit": "m",
        "caliper": {**caliper, "U95": factor * caliper["u"]},
        **{stage: _scaled(row["stages"][stage], scale, factor) for stage in STAGES},
        "difference": None,
        "ratio": None,
    }
    if ratio is not None:
        u = math.hypot(caliper["u"], scan["u"] * scale)
        found["difference"] = {"value": scan["value"] * scale - caliper["value"], "u": u, "U95": factor * u}
        relative = math.hypot(caliper["u"] / caliper["value"], scan["u"] / scan["value"])
        found["ratio"] = {"value": ratio, "u": ratio * relative, "U95": factor * ratio * relative}
    return found


def _scaled(stage: Mapping[str, Any], scale: float, factor: float) -> dict[str, Any]:
    if stage["value"] is None:
        return {**stage, "U95": None}
    return {**stage, "value": stage["value"] * scale, "u": stage["u"] * scale, "U95": factor * stage["u"] * scale}


def _ratio(row: Mapping[str, Any]) -> float | None:
    """Return calipers over scan, None where the scan has no such length."""
    value = row["stages"]["scan"]["value"]
    return row["caliper"]["value"] / value if value else None


def screen(found: Mapping[str, Any]) -> str:
    """Return the table of what :func:`measured` found, lengths in mm."""
    unit = found["unit"]
    width = max(2, *(len(label(r)) for r in found["readings"])) + 1
    head = f"{'mm':<{width}} {'calipers':>8} {'U95':>6} {'scan':>8} {'U95':>6} {'surface':>8}"
    lines = [
        f"{found['name']}   {found['scan']}   {unit['factor']:.6g} m for a number of the file",
        unit_line(unit),
        f"{head} {'scan-cal':>8} {'U95':>6} {'cal/scan':>9}  how the scan was read",
    ]
    for row in found["readings"]:
        lines += _lines(row, width)
    if found["scale"] != 1.0:
        lines.append(f"scale    the scan's own is free: scan and surface above are times {found['scale']:.6g}")
    ratio = found["ratio"]
    if ratio["mean"] is not None:
        spread = f", {ratio['least']:.5f} to {ratio['most']:.5f}" if ratio["n"] > 1 else ""
        readings = f"{ratio['n']} calibrate reading{'s' if ratio['n'] != 1 else ''}"
        lines.append(f"ratio    calipers over scan {ratio['mean']:.5f}{spread} ({readings})")
    return "\n".join(lines)


def _lines(row: Mapping[str, Any], width: int) -> list[str]:
    difference, ratio = row["difference"], row["ratio"]
    cells = [f"{label(row):<{width}}", _mm(row["caliper"]["value"], 8), _mm(row["caliper"]["U95"], 6)]
    cells += [_mm(row["scan"]["value"], 8), _mm(row["scan"]["U95"], 6), _mm(row["surface"]["value"], 8)]
    cells += [f"{difference['value'] * 1e3:>+8.3f}" if difference else f"{'-':>8}"]
    cells += [_mm(difference["U95"] if difference else None, 6)]
    cells += [f"{ratio['value']:>9.5f}" if ratio else f"{'-':>9}", f" {row['scan']['how']}"]
    refused = [f"{s}: {row[s]['refused']}" for s in STAGES if row[s]["refused"]]
    return [" ".join(cells).rstrip(), *(f"{'':<{width}} not measured on the {line}" for line in refused)]


def _mm(value: float | None, width: int) -> str:
    return f"{'-' if value is None else f'{value * 1e3:.3f}':>{width}}"
