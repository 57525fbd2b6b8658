"""
What a build was made from and what it made, by hash: ``<stem>.manifest.json`` (schema ``r2s-manifest/1``).

It holds all that a rebuild needs to know, and a hash of itself, so that a changed byte in it shows too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from r2s.compiler.action import machine
from r2s.compiler.codec import canonical, sha256
from r2s.compiler.decision import Decision
from r2s.compiler.inputs import Inputs
from r2s.compiler.manager import Trace
from r2s.compiler.provenance import step, tools
from r2s.compiler.request import Request, effective

SCHEMA = "r2s-manifest/1"
OWN_HASH = "manifest_hash"


def manifest(
    inputs: Inputs,
    request: Request,
    decision: Decision,
    traces: tuple[Trace, ...],
    build_key: str,
    asset: str,
    outputs: Mapping[str, str],
) -> dict[str, Any]:
    """
    Return the manifest: inputs, effective options, a key and a digest per pass, versions, platform, output hashes.

    *outputs* are hashes by name, relative to the folder of the asset.
    """
    return sealed(
        {
            "schema": SCHEMA,
            "inputs": {
                "scan": {"name": inputs.scan_name, "sha256": inputs.source.sha256},
                "calipers": {
                    "name": inputs.sheet_name,
                    "sha256": inputs.sheet.sha256,
                    "roles": inputs.roles_digest,
                    "files": dict(inputs.sheet.files),
                },
                "instances": [
                    {"name": one.path.name, "sha256": one.sheet.sha256, "files": dict(one.sheet.files)}
                    for one in inputs.instances
                ],
                "device": {
                    "name": inputs.device.file,
                    "sha256": inputs.device.sha256 if inputs.device.file else "",
                },
            },
            "request": effective(request),
            "unit": {"unit": decision.unit, "factor": decision.factor, "axes": decision.axes},
            "passes": [{**step(t), "key": t.key} for t in traces],
            "build_key": build_key,
            "asset": asset,
            "tools": tools(traces),
            "platform": platform(),
            "outputs": dict(outputs),
        }
    )


def platform() -> dict[str, Any]:
    """Return the kind of this machine, and whether the worker can be pinned to one CPU."""
    return {"machine": machine(), "pinned": hasattr(os, "sched_setaffinity")}


def sealed(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return *body* with the hash of its canonical text."""
    rest = {key: value for key, value in body.items() if key != OWN_HASH}
    return {**rest, OWN_HASH: sha256(canonical(rest))}


def text_of(manifest: Mapping[str, Any]) -> str:
    """Return the bytes of a manifest file as text; there is one text for one manifest."""
    return canonical(manifest) + "\n"
