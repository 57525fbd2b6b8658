"""
The error budget as data: ``<stem>.report.json`` (schema ``r2s-report/1``).

Canonical JSON: sorted keys, no time, no path, no machine, so that equal builds give equal bytes.
Every number carries its unit in its key or beside it, and a method: measured, estimated, declared or assumed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from typing import Any

from r2s.compiler.account import Account, data
from r2s.compiler.blind_spots import BlindSpot
from r2s.compiler.bounds import Bound
from r2s.compiler.budget import Entry
from r2s.compiler.closure import Closure
from r2s.compiler.codec import plain
from r2s.compiler.decision import Decision
from r2s.compiler.errors import Diagnostic
from r2s.compiler.experiment import Compared, told
from r2s.compiler.inputs import Inputs
from r2s.compiler.ir import Anchor
from r2s.compiler.judge import COVERAGE, INTRODUCED_BY, Judgement, Row
from r2s.compiler.ledger import Term
from r2s.compiler.manager import Trace
from r2s.compiler.provenance import step, tools
from r2s.compiler.readings import TOUCH, Feature

SCHEMA = "r2s-report/1"
FRAME = "asset: z up, metres; scan_to_asset is row-major"


def report(
    *,
    name: str,
    inputs: Inputs,
    decision: Decision,
    traces: Iterable[Trace],
    judgement: Judgement,
    anchor: Anchor,
    bounds: tuple[Bound, Bound],
    account: Account,
    budgets: tuple[Entry, ...],
    closure: Closure | None,
    spread: Compared | None,
    scan_to_asset: Any,
    slots: Mapping[str, Any],
    asset: str,
    blind: tuple[BlindSpot, ...],
    diagnostics: tuple[Diagnostic, ...],
) -> dict[str, Any]:
    """Return the whole report as a JSON-ready dict."""
    traces = tuple(traces)
    return {
        "schema": SCHEMA,
        "name": name,
        "tools": tools(traces),
        "frame": FRAME,
        "asset": asset,
        "inputs": {
            "scan": {"name": inputs.scan_name, "sha256": inputs.source.sha256},
            "calipers": {
                "name": inputs.sheet_name,
                "calibrate": inputs.calibrate_digest,
                "check": inputs.check_digest,
                "roles": inputs.roles_digest,
            },
            "instances": [{"name": one.path.name, "sha256": one.sheet.sha256} for one in inputs.instances],
            "device": {"name": inputs.device.name, "file": inputs.device.file, "sha256": inputs.device.sha256},
        },
        "unit": _json({k: v for k, v in asdict(decision).items() if k != "diagnostics"}),
        "scan_to_asset": plain(scan_to_asset),
        "features": [_row(row) for row in judgement.rows],
        "scale": _json(asdict(anchor)),
        "passes": [of_pass(trace) for trace in traces],
        "bounds": [_bound(b) for b in bounds],
        "closure": _closure(closure),
        "uncertainty": {**data(account, _main(judgement, account)), "monte_carlo": told.data(spread)},
        "volume": _volume(account),
        "budgets": [{**asdict(e), "unit": "m", "held": e.held, "judged_on": "p99"} for e in budgets],
        "slots": list(slots.get("slots", [])),
        "verdict": {
            "check": judgement.verdict,
            "rule": "JCGM 106 conformance probability: pass from 0.95, fail to 0.05",
            "coverage_factor": COVERAGE,
        },
        "blind_spots": [str(spot) for spot in blind],
        "diagnostics": [asdict(d) for d in diagnostics],
    }


def _row(row: Row) -> dict[str, Any]:
    r = row.reading
    return _fields(
        {
            "id": r.id,
            "feature": r.feature.kind,
            "definition": definition(r.feature),
            "role": r.role,
            "unit": "m",
            "caliper": {
                "value": r.value,
                "u": r.u,
                "n": len(r.values),
                "method": "measured",
                "accuracy": r.accuracy_method,
                "pressed": r.pressed,
                "touch": TOUCH,
            },
            "stages": {name: _measured(m) for name, m in row.stages.items()},
            "anchored": row.anchored,
            "introduced": dict(row.introduced),
            "introduced_by": INTRODUCED_BY,
            "estimate": {
                "value": row.estimate,
                "u": _bounded(row.sureness.u),
                "U95": _bounded(row.sureness.expanded),
                "shares": dict(row.sureness.shares),
                "dominant": row.sureness.dominant,
            },
            "error": {"value": row.error, "u": row.u_error, "U95": COVERAGE * row.u_error},
            "tolerance": r.tolerance,
            "tolerance_method": r.tolerance_method,
            "conformance": row.probability,
            "verdict": row.verdict,
            "lod95": row.capability.lod95,
            "capable": row.capability.capable,
            "more_readings": row.capability.more,
            "lost_by": row.lost_by,
            "departs_by": row.departs_by,
            "moved_by": row.moved_by,
        }
    )


# the sheet's words for the fields of a Feature; picks are in the scan's own numbers, a height is in metres
_WORDS = {"kind": "feature", "start": "from", "end": "to", "pick": "at", "along": "at_height", "axis": "axis"}


def definition(feature: Feature) -> dict[str, Any]:
    """
    Return what the jaws spanned, as far as the sheet says it.

    >>> definition(Feature("inner_diameter", along=0.03))
    {'at_height': 0.03, 'feature': 'inner_diameter'}
    """
    said = {f.name: getattr(feature, f.name) for f in fields(feature)}
    return {_WORDS.get(name, name): plain(said[name]) for name in sorted(said) if said[name] is not None}


def _measured(measured: Any) -> dict[str, Any]:
    return {k: v for k, v in asdict(measured).items() if k != "id"}


def of_pass(trace: Trace) -> dict[str, Any]:
    """Return what a report says of one pass: what ran, and its terms."""
    return {**step(trace), "terms": [_term(t) for t in trace.terms]}


def _term(term: Term) -> dict[str, Any]:
    return _fields({"type": type(term).__name__, **asdict(term)})


def _bound(bound: Bound) -> dict[str, Any]:
    return {
        "direction": bound.direction,
        "total": bound.total,
        "unit": "m",
        "certified": bound.certified,
        "parts": [{"term": name, "maximum": value} for name, value in bound.parts],
    }


def _main(judgement: Judgement, account: Account) -> str:
    """Return the output that the headline speaks of: the first check that was read, else the first length, else V."""
    ids = [row.reading.id for row in sorted(judgement.rows, key=lambda row: row.reading.role != "check")]
    return next((name for name in (*ids, "volume") if name in account.budgets), "")


def _bounded(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _volume(account: Account) -> dict[str, Any] | None:
    budget = account.budgets.get("volume")
    if budget is None:
        return None
    shares = account.shares("volume")
    return {
        "value": budget.output.value,
        "u": _bounded(budget.u),
        "U95": _bounded(budget.expanded),
        "unit": "m^3",
        "method": "estimated",
        "shares": {term: share for term, share, _ in shares},
        "dominant": shares[0][0] if shares else None,
    }


def _closure(closure: Closure | None) -> dict[str, Any] | None:
    """Return closure as data; None for a build that stopped before an asset."""
    if closure is None:
        return None
    facts = {k: v for k, v in asdict(closure.directs).items() if k not in ("forward", "backward")}
    ways = {
        way.direction: {
            **asdict(way.direct),
            "bound": way.bound.total,
            "certified": way.bound.certified,
            "parts": [name for name, _ in way.bound.parts],
            "allowed": way.allowed,
            "tightness": way.tightness,
            "verdict": way.verdict,
        }
        for way in closure.ways
    }
    return _fields({**facts, **ways, "verdict": closure.verdict, "unit": "m", "method": "measured"})


def _fields(value: Mapping[str, Any]) -> dict[str, Any]:
    return {k: _json(v) for k, v in value.items()}


def _json(value: Any) -> Any:
    """Return *value* with nan as null and infinities as text: JSON knows neither."""
    if isinstance(value, dict):
        return {k: _json(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json(v) for v in value]
    if isinstance(value, float) and math.isnan(value):
        return None
    return plain(value)
