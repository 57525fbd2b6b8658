"""
Checking one's own scanner: scans of artefacts of known size, what they say of it, the profile, the screen.

The words of scanner standards, and what they are here: probing size is the offset, probing form and flatness the
registration, sphere spacing the scale and the drift (ISO 10360-8 and -13, VDI/VDE 2634).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from r2s.compiler.devices import Device, Evidence, Prior
from r2s.compiler.devices.fitting import Check, Fitted, fit_device
from r2s.compiler.devices.writing import profile
from r2s.compiler.errors import InvalidInputError, UsageError
from r2s.compiler.inputs import read_inputs
from r2s.compiler.manager import Manager, Observer, default_cache
from r2s.compiler.outputs import same_file, write_one
from r2s.compiler.probed import Artefact, Kind
from r2s.compiler.store import Store
from r2s.compiler.uncertainty.student import coverage_factor
from r2s.compiler.units import LENGTH, parse_length, split_number, to_si
from r2s.compiler.worker import Limits

SCHEMA = "r2s-device-check/1"
# Where nobody says how well the artefact is known: a bearing ball of grade 100, a ground block, a surface plate.
ASSUMED_U = {"sphere": 0.002e-3, "block": 0.005e-3, "plate": 0.005e-3}
_SMALLEST, _LARGEST = 1e-4, 10.0  # m


@dataclass(frozen=True)
class Job:
    """A scan, and what it is of; *u* is the standard uncertainty of the artefact, m, nan where nobody said."""

    scan: Path
    artefact: Artefact
    u: float


@dataclass(frozen=True)
class Checked:
    """What was found: the checks with their evidence, and the fit."""

    checks: tuple[Check, ...]
    evidence: tuple[Evidence, ...]
    fitted: Fitted
    known: Device | None


def artefact(kind: Kind, text: str = "") -> Artefact:
    """
    Return the artefact of ``--sphere 25.4mm``, ``--block 25.4x50.8x76.2mm`` or ``--plate``.

    Raises UsageError (R2S050, R2S250) for sizes that cannot be read.
    """
    if kind == "plate":
        return Artefact("plate", ())
    try:
        sizes = _sizes(kind, text)
    except InvalidInputError as error:
        raise UsageError("R2S250", error.message, hint=error.hint) from None
    if not all(_SMALLEST <= size <= _LARGEST for size in sizes):
        what = f"nobody scans a {kind} of {text}: 0.1 mm to 10 m are sensible"
        raise UsageError("R2S050", what, hint="look at its unit")
    return Artefact(kind, sizes)


def _sizes(kind: Kind, text: str) -> tuple[float, ...]:
    if kind == "sphere":
        return (parse_length(text, what="the sphere's diameter"),)
    *first, last = text.lower().replace("×", "x").split("x")
    if len(first) != 2:
        hint = "write --block 25.4x50.8x76.2mm"
        raise UsageError("R2S050", f"{text!r} is no three sides of a block", hint=hint)
    what = "a side of the block"
    unit = split_number(last, what=what)[1]
    sides = [side if split_number(side, what=what)[1] else f"{side}{unit}" for side in first]
    return tuple(parse_length(side, what=what) for side in (*sides, last))


def check_device(
    jobs: Sequence[Job],
    *,
    unit: str,
    known: Device | None,
    cache: Path | None,
    limits: Limits,
    observe: Observer = lambda _: None,
) -> Checked:
    """Return what the scans of *jobs* say of their scanner; raises what reading and fitting them raises."""
    checks, evidence = [], []
    with Manager(Store(cache or default_cache()), limits, observe=observe) as manager:
        for job in jobs:
            inputs = read_inputs(job.scan, None)
            found = manager.ask("probe", {"artefact": job.artefact, "unit": unit}, inputs.source)
            u = ASSUMED_U[job.artefact.kind] if math.isnan(job.u) else job.u
            checks.append(Check(job.artefact, u, found))
            evidence.append(Evidence(inputs.scan_name, inputs.source.sha256, described(job.artefact, job.u)))
    return Checked(tuple(checks), tuple(evidence), fit_device(checks, known), known)


def described(of: Artefact, u: float) -> str:
    """Return an artefact in words, with how well it is known: ``a sphere of 25.4 mm, u 0.001 mm declared``."""
    sizes = " x ".join(f"{size * 1e3:.6g}" for size in of.sizes)
    how = f"u {ASSUMED_U[of.kind] * 1e3:g} mm assumed" if math.isnan(u) else f"u {u * 1e3:g} mm declared"
    return f"a plate, {how}" if of.kind == "plate" else f"a {of.kind} of {sizes} mm, {how}"


def refuse_name(output: Path, scans: Sequence[Path]) -> None:
    """Raise UsageError (R2S052) for a file that no profile can be written to."""
    if output.suffix.lower() not in (".yaml", ".yml") or not output.stem.strip("."):
        raise UsageError("R2S052", f"the profile {output} is no name.yaml", hint="write -o my_scanner.yaml")
    if output.is_dir() or any(same_file(output, scan) for scan in scans):
        what = "a folder" if output.is_dir() else "one of the scans"
        raise UsageError("R2S052", f"the profile {output} is {what}", hint="write -o my_scanner.yaml")


def write_profile(output: Path, found: Checked) -> Path:
    """Write the profile and return its path; raises InvalidInputError (R2S808) where it cannot be written."""
    text = profile(
        device_name(output),
        f"measured on {len(found.checks)} scan{'s' if len(found.checks) > 1 else ''} by device-check",
        found.fitted.priors,
        found.fitted.correlations,
        found.evidence,
    )
    return write_one(output, text.encode())


def device_name(output: Path | None) -> str:
    """
    Return the name of a device whose profile goes to *output*.

    >>> device_name(Path("lab/my scanner.yaml")), device_name(None)
    ('my_scanner', 'my_scanner')
    """
    stem = output.stem if output is not None else "my_scanner"
    return re.sub(r"[^A-Za-z0-9_-]", "_", stem)[:64]


def as_json(found: Checked) -> dict[str, Any]:
    """Return everything as JSON (schema ``r2s-device-check/1``), lengths in metres; U95 is expanded with k of dof."""
    fitted = found.fitted
    return {
        "schema": SCHEMA,
        "scans": [
            {
                "name": e.name,
                "sha256": e.sha256,
                "of": e.of,
                "unit": c.found.unit,
                "settled": c.found.settled,
                "points": c.found.points,
                "left_out": c.found.left_out,
                "seen": c.found.seen,
                "form_span": c.found.span,
            }
            for e, c in zip(found.evidence, found.checks, strict=True)
        ],
        "lengths": [
            {"reference": j.length, "error": j.error, "u": j.u, "U95": j.u * coverage_factor(0.95, j.dof), "unit": "m"}
            for j in fitted.joint
        ],
        "terms": {
            name: {
                "value": p.value,
                "u": p.u,
                "dof": None if math.isinf(p.dof) else p.dof,
                "interval": list(interval(p)),
                "unit": p.unit,
                "method": p.method,
                "source": p.source,
            }
            for name, p in fitted.priors.items()
        },
        "correlations": [{"first": c.first, "second": c.second, "r": c.r} for c in fitted.correlations],
        "untold": dict(fitted.untold),
        "repeatability": None if fitted.repeat is None else {"sigma": fitted.repeat.sigma, "dof": fitted.repeat.dof},
        "fit": {"chi2": fitted.chi2, "dof": fitted.chi2_dof, "widened": fitted.widened},
    }


def interval(prior: Prior) -> tuple[float, float]:
    """
    Return the 95 % interval of a term: of the bias for scale and offset, of the standard deviation for the others.

    Student's t for a bias, the normal approximation u/√(2ν) of chi² for a standard deviation (GUM E.4.3), not under 0;
    of a rectangle 95 % of its width.
    """
    if prior.distribution == "rectangular":
        return -0.95 * prior.half_width, 0.95 * prior.half_width
    if prior.name in ("scale", "offset"):
        half = coverage_factor(0.95, prior.dof) * prior.u
        return prior.value - half, prior.value + half
    half = 1.96 * prior.u / math.sqrt(2 * prior.dof) if math.isfinite(prior.dof) else 0.0
    return max(0.0, prior.u - half), prior.u + half


def screen(found: Checked, written: str = "") -> str:
    """Return one screen: the scans, each term with its 95 % interval and how it was obtained, and what is not told."""
    fitted = found.fitted
    lines = []
    for e, c in zip(found.evidence, found.checks, strict=True):
        p = c.found
        out = f", {p.left_out} left out" if p.left_out else ""
        lines.append(f"{e.name}   {e.of}   {p.points} points on it{out}, {p.seen:.0%} of it seen")
        lines.append(f"  unit   {p.unit}: {p.settled}")
    if fitted.joint:
        lines.append(f"{'length':>12} {'scan-ref':>10} {'U95':>8}  mm   holds length x scale + 2 x offset")
        lines += [
            f"{j.length * 1e3:12.4f} {j.error * 1e3:+10.4f} {j.u * coverage_factor(0.95, j.dof) * 1e3:8.4f}"
            for j in fitted.joint
        ]
    lines.append(f"{'term':<13}{'value':>10} {'95 % from':>10} {'to':>9}  {'unit':<5}{'how':<9} from")
    for name, prior in fitted.priors.items():
        factor, unit = (1e3, "mm") if prior.unit == "m" else (100.0, "%")
        value = prior.value if name in ("scale", "offset") or prior.distribution == "rectangular" else prior.u
        low, high = (bound * factor for bound in interval(prior))
        lines.append(
            f"{name:<13}{value * factor:>10.4f} {low:>10.4f} {high:>9.4f}  {unit:<5}{prior.method:<9} {prior.source}"
        )
    lines += [f"correlation  {c.first} with {c.second} {c.r:+.2f}" for c in fitted.correlations]
    if fitted.repeat is not None:
        sigma, dof = fitted.repeat.sigma * 1e3, fitted.repeat.dof
        lines.append(
            f"repeats      one length scatters by {sigma:.4f} mm between scans of it ({dof:.0f} degrees of freedom)"
        )
    if fitted.widened > 1:
        lines.append(
            f"doubt        the lengths agree on no scale and offset (chi² {fitted.chi2:.1f} of {fitted.chi2_dof}):"
        )
        lines.append(f"             both are widened {fitted.widened:.2f} times; look at the sizes that were named")
    lines += [f"not told     {name}: {why}" for name, why in fitted.untold.items()]
    lines.append(
        "not told     surfaces unlike this one (gloss, translucence, edges), other ranges, warm-up, another day"
    )
    if written:
        lines.append(f"wrote        {written}   use it: r2s-compile scan.ply --device {written} ...")
    return "\n".join(lines)


def parse_u(text: str) -> float:
    """Return ``--u 0.001mm`` in metres; 0 is allowed for a perfect artefact, as a virtual one is."""
    try:
        number, unit = split_number(text, what="--u")
    except InvalidInputError as error:
        raise UsageError("R2S250", error.message, hint=error.hint) from None
    if unit in LENGTH and float(number) == 0:
        return to_si(number, LENGTH[unit])
    return parse_length(text, what="--u")
