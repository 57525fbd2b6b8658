"""The account as data for the report: JSON-ready, every number with its unit and how it was obtained."""

from __future__ import annotations

import math
from typing import Any

from r2s.compiler.account.account import LEVEL, Account
from r2s.compiler.account.headline import headline
from r2s.compiler.account.row import Row
from r2s.compiler.uncertainty.budget import Budget

_ORDER = ("ingest", "surface", "simplify", "decompose", "scale", "emit")


def data(account: Account, main: str) -> dict[str, Any]:
    """Return the section ``uncertainty`` of the report; *main* is the output of the headline, empty for none."""
    return {
        "level": LEVEL,
        "rows": [_row(account, row) for row in account.rows],
        "outputs": {name: _output(account, budget) for name, budget in account.budgets.items()},
        "headline": headline(account, main) if main else "",
        "headline_of": main,
    }


def _row(account: Account, row: Row) -> dict[str, Any]:
    felt = [(o, o.by[row.id]) for o in account.outputs if row.id in o.by]
    shares = {
        b.output.name: next(c for c in b.contributions if c.component.name == row.id)
        for b in account.propagated.budgets
        if any(o.name == b.output.name for o, _ in felt)
    }
    return {
        "id": row.id,
        "pass": row.made_by,
        "pass_index": _ORDER.index(row.made_by),
        "term": row.term,
        "effect": row.effect,
        "shape": row.shape,
        "unit": row.unit,
        "value": row.value,
        **_size(row),
        "distribution": row.distribution,
        "dof": _finite(row.dof),
        "method": row.method,
        "evidence": row.evidence,
        "blind_to": list(row.blind_to),
        "group": row.group,
        "source": row.source,
        "sensitivity": {o.name: {"c": d, "unit": _per(o.unit, row.unit)} for o, d in felt},
        "contribution": {n: {"u": _finite(abs(c.signed_u)), "share": c.share} for n, c in shares.items()},
    }


def _size(row: Row) -> dict[str, Any]:
    """Return exactly one of u, half_width and unbounded."""
    if math.isinf(row.u):
        return {"unbounded": True}
    if row.distribution == "rectangular" and math.isfinite(row.half_width):
        return {"half_width": row.half_width}
    return {"u": row.u}


def _output(account: Account, budget: Budget) -> dict[str, Any]:
    unbounded = math.isinf(budget.u)
    shares = account.shares(budget.output.name)
    return {
        "value": budget.output.value,
        "unit": budget.output.unit,
        "u": _finite(budget.u),
        "dof": None if unbounded else _finite(budget.dof),
        "k": None if unbounded else budget.k,
        "U95": None if unbounded else budget.expanded,
        "unbounded": unbounded,
        "assumed_share": budget.assumed_share,
        "by_method": budget.by_method,
        "by_pass": budget.by_pass,
        "by_term": {term: share for term, share, _ in shares},
        "dominant": shares[0][0] if shares else None,
    }


def _finite(value: float) -> float | None:
    """Return *value*, None where it is infinite: JSON knows no infinity."""
    return value if math.isfinite(value) else None


def _per(output: str, row: str) -> str:
    return output if row == "1" else ("1" if output == row else f"{output}/{row}")
