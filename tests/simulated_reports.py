"""Reports that say nothing but an account: what the statistics of ``diff`` are tried on, with errors that are known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from r2s.compiler.account import Account
from r2s.compiler.account.outputs import Output
from r2s.compiler.account.row import Row

PASSES = ("surface", "simplify", "decompose", "scale", "emit")


def error(id_: str, u: float, source: str, **changed: Any) -> Row:
    """A row of the account whose standard uncertainty is *u*, found from *source*."""
    told = {"made_by": id_.partition(".")[0], "term": id_, "shape": "form", "unit": "1", "group": id_} | changed
    return Row(id=id_, u=u, source=source, method=told.pop("method", "declared"), evidence="a test", **told)


def length(id_: str, value: float, **changed: Any) -> dict[str, Any]:
    """A row of ``features`` whose asset is *value* beside an estimate of *value*, m."""
    stage = {"value": value, "u": 1e-5, "refused": ""}
    made = {
        "id": id_,
        "feature": id_,
        "definition": {"feature": id_},
        "verdict": "PASS",
        "stages": {"scan": dict(stage), "model": dict(stage)},
        "introduced": dict.fromkeys(PASSES, 0.0),
        "estimate": {"value": value, "u": 1e-4, "U95": 2e-4},
    }
    return made | changed


def report(
    rows: Sequence[Row], outputs: Mapping[str, tuple[float, str, Mapping[str, float]]], scan: str = "s", **changed: Any
) -> dict[str, Any]:
    """A report of *rows* and of *outputs*: value, unit and derivatives by the rows' ids."""
    account = Account(tuple(rows), tuple(Output(name, *of, of[2]) for name, of in outputs.items()))
    made: dict[str, Any] = {
        "inputs": {
            "scan": {"name": "scan.ply", "sha256": scan},
            "calipers": {"calibrate": f"readings beside {scan}", "check": "c"},
            "device": {"name": "unknown", "file": "", "sha256": "classes"},
        },
        "features": [],
        "passes": [{"name": p, "digest": f"{p} of {scan}"} for p in ("ingest", *PASSES[:-1])],
        "scale": {"factor": 1.0, "u": 1e-4},
        "bounds": [{"direction": "forward", "total": 1e-4, "certified": True}],
        "budgets": [{"name": "simplify", "limit": 1e-4, "lost": 1e-5, "held": True}],
        "closure": {"verdict": "within", "forward": {"maximum": 1e-4, "certified": True}},
        "verdict": {"check": "PASS"},
        "blind_spots": ["mirror image: lengths do not change"],
        "uncertainty": {
            "level": 0.95,
            "rows": [_row(row, account) for row in rows],
            "outputs": {name: _output(account, name) for name in outputs},
        },
    }
    return made | changed


def _row(row: Row, account: Account) -> dict[str, Any]:
    size: dict[str, Any] = {"half_width": row.half_width} if row.distribution == "rectangular" else {"u": row.u}
    return {
        **{key: getattr(row, key) for key in ("id", "term", "unit", "value", "method", "group", "source")},
        "pass": row.made_by,
        "dof": None if math.isinf(row.dof) else row.dof,
        **({"unbounded": True} if math.isinf(row.u) else size),
        "sensitivity": {o.name: {"c": o.by[row.id]} for o in account.outputs if row.id in o.by},
    }


def _output(account: Account, name: str) -> dict[str, Any]:
    budget = account.budgets[name]
    unbounded = math.isinf(budget.u)
    return {
        "value": budget.output.value,
        "unit": budget.output.unit,
        "u": None if unbounded else budget.u,
        "U95": None if unbounded else budget.expanded,
        "unbounded": unbounded,
        "by_pass": budget.by_pass,
        "dominant": account.shares(name)[0][0] if account.shares(name) else None,
        "lpu": "validated",
    }


def fit(weights: Mapping[str, float], u: float = 2e-4, **changed: Any) -> dict[str, Any]:
    """The part ``scale`` of a report whose readings have these *weights*, each as sure as *u*."""
    readings = [{"id": id_, "weight": w, "u": u} for id_, w in weights.items()]
    return {"factor": 1.0, "u": u, "calibration": {"readings": readings, "inflation": 1.0, "prior_u": 0.0} | changed}


def root(*parts: float) -> float:
    """The root sum of squares."""
    return math.hypot(*parts)
