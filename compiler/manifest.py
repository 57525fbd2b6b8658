"""What a build was made from and what it made, by hash: ``<stem>.manifest.json`` (schema ``r2s-manifest/1``)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from r2s.compiler import __version__
from r2s.compiler.action import library_version, machine, source_digest
from r2s.compiler.codec import plain
from r2s.compiler.decision import Decision
from r2s.compiler.inputs import Inputs
from r2s.compiler.manager import Trace
from r2s.compiler.pipeline import Pipeline, print_step
from r2s.compiler.protocol import options_of

SCHEMA = "r2s-manifest/1"


def manifest(
    inputs: Inputs,
    pipeline: Pipeline,
    decision: Decision,
    traces: tuple[Trace, ...],
    build_key: str,
    asset: str,
    outputs: Mapping[str, str],
) -> dict[str, Any]:
    """
    Return the manifest: inputs, effective options, a key and a digest per pass, versions, platform,
    output hashes.
    """
    libraries = sorted({name for t in traces for name in t.step.libraries})
    return {
        "schema": SCHEMA,
        "inputs": {
            "scan": {"name": inputs.scan_name, "sha256": inputs.source.sha256},
            "calipers": {"name": inputs.sheet_name, "sha256": inputs.sheet.sha256, "roles": inputs.roles_digest},
        },
        "pipeline": str(pipeline),
        "unit": {"unit": decision.unit, "factor": decision.factor, "axes": decision.axes},
        "passes": [
            {
                "name": t.name,
                "text": print_step(t.step),
                "options": plain(options_of(t.step)),
                "version": t.step.version,
                "key": t.key,
                "digest": t.digest,
            }
            for t in traces
        ],
        "build_key": build_key,
        "asset": asset,
        "tools": {"r2s": __version__, "r2s_source": source_digest(), **{n: library_version(n) for n in libraries}},
        "platform": {"machine": machine(), "pinned": hasattr(os, "sched_setaffinity")},
        "outputs": dict(outputs),
    }
