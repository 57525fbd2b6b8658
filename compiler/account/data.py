"""The account as data for the report: JSON-ready, every number with its unit and how it was obtained."""

from __future__ import annotations

import math
from typing import Any

from r2s.compiler.account.account import LEVEL, Account
from r2s.compiler.account.headline import headline
from r2s.compiler.account.row import Row
from r2s.compiler.account.validated import TILT, Checked, validated
from r2s.compiler.uncertainty.budget import Budget

_ORDER = ("ingest", "surface", "simplify", "decompose", "scale", "emit")


def data(account: Account, main: str) -> dict[str, Any]:
    """Return the section ``uncertainty`` of the report; *main* is the output of the headline, empty for none."""
    checked = validated(account)
    outputs = {name: {**_output(account, b), **_checked(checked.get(name))} for name, b in account.budgets.items()}
    if TILT in checked:
        outputs[TILT] = {**_norm(account, checked[TILT]), **_checked(checked[TILT])}
    return {
        "level": LEVEL,
        "rows": [_row(account, row) for row in account.rows],
        "outputs": outputs,
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


def _checked(found: Checked | None) -> dict[str, Any]:
    """Return whether the linear interval holds, and the one to publish; nothing of an output without a bound."""
    if found is None:
        return {"lpu": None, "interval": None, "draws": 0, "seed": None}
    return {"lpu": found.verdict, "interval": list(found.interval), "draws": found.draws, "seed": found.seed}


def _norm(account: Account, found: Checked) -> dict[str, Any]:
    """Return the angle by which the object rests otherwise; its mean square is the sum of those of its parts."""
    parts = [b for name, b in account.budgets.items() if name.startswith(f"{TILT}.")]
    square = [b.u**2 for b in parts]
    total = math.fsum(square) or 1.0

    def shared(of_each: list[dict[Any, float]]) -> dict[Any, float]:
        names = dict.fromkeys(name for of in of_each for name in of)
        return {n: math.fsum(s * of.get(n, 0.0) for s, of in zip(square, of_each, strict=True)) / total for n in names}

    by_term = shared([{term: share for term, share, _ in account.shares(b.output.name)} for b in parts])
    return {
        "value": 0.0,
        "unit": "rad",
        "u": found.u,
        "dof": None,
        "k": None,
        "U95": None,
        "unbounded": False,
        "assumed_share": math.fsum(s * b.assumed_share for s, b in zip(square, parts, strict=True)) / total,
        "by_method": shared([b.by_method for b in parts]),
        "by_pass": shared([b.by_pass for b in parts]),
        "by_term": by_term,
        "dominant": max(by_term, key=lambda term: by_term[term], default=None),
    }


def _finite(value: float) -> float | None:
    """Return *value*, None where it is infinite: JSON knows no infinity."""
    return value if math.isfinite(value) else None


def _per(output: str, row: str) -> str:
    return output if row == "1" else ("1" if output == row else f"{output}/{row}")
