"""A profile as the text of its file, which :mod:`r2s.compiler.devices.reading` reads back to the same figures."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping

from r2s.compiler.devices.device import Correlation, Evidence
from r2s.compiler.devices.prior import Name, Prior
from r2s.compiler.devices.reading import SCHEMA


def profile(
    name: str,
    source: str,
    priors: Mapping[Name, Prior],
    correlations: Iterable[Correlation],
    evidence: Iterable[Evidence],
) -> str:
    """Return the file's text: lengths in mm, ratios as they are, seven digits."""
    lines = [
        f"# Written by r2s-compile device-check.  Use it: r2s-compile scan.ply --device {name}.yaml ...",
        "# u is a standard uncertainty; a value is a bias that nothing corrects, and widens u by its own square.",
        f"schema: {SCHEMA}",
        f"name: {name}",
        "metric: true",
        f"source: {_text(source)}",
        "terms:",
        *(f"  {term}: {{{_fields(prior)}}}" for term, prior in priors.items()),
    ]
    pairs = [f"  - {{first: {c.first}, second: {c.second}, r: {c.r:.4f}}}" for c in correlations]
    lines += ["correlations:", *pairs] if pairs else []
    lines += ["evidence:", *(f"  - {{name: {_text(e.name)}, sha256: {e.sha256}, of: {_text(e.of)}}}" for e in evidence)]
    return "\n".join(lines) + "\n"


def _fields(prior: Prior) -> str:
    unit, factor = ("mm", 1e3) if prior.unit == "m" else ('"1"', 1.0)
    fields = [f"value: {_number(prior.value * factor)}"] if prior.value else []
    if prior.distribution == "rectangular":
        fields.append(f"half_width: {_number(prior.half_width * factor)}")
    else:
        fields.append(f"u: {_number(prior.u * factor)}")
    fields.append(f"unit: {unit}")
    if math.isfinite(prior.dof):
        fields.append(f"dof: {_number(prior.dof)}")
    return ", ".join([*fields, f"method: {prior.method}", f"source: {_text(prior.source)}"])


def _number(value: float) -> str:
    return f"{value:.7g}"


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # a JSON string is a quoted one of YAML
