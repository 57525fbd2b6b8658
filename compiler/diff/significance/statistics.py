"""The statistics of two reports as data: what of every change is more than uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from r2s.compiler.diff.significance.asset import effect
from r2s.compiler.diff.significance.budgets import by_pass
from r2s.compiler.diff.significance.flips import flips
from r2s.compiler.diff.significance.outputs import MATERIAL, SIGNIFICANT, change
from r2s.compiler.diff.significance.row import Row
from r2s.compiler.diff.significance.sharing import SCALE, Sharing, sharing
from r2s.compiler.errors import InvalidInputError

_OF_THE_WHOLE = ("volume", "mass", "inertia.1", "inertia.2", "inertia.3", "com.x", "com.y", "com.z")
# these lie along the axes of their scan, and another scan may lie otherwise: not one measurand
_ALONG_THE_SCAN = ("com.x", "com.y", "tilt.x", "tilt.y")


def statistics(
    a: Mapping[str, Any],
    b: Mapping[str, Any],
    pairs: list[tuple[Any, Any]],
    first: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """
    Return the statistics of two whole reports, of which *pairs* are the readings that both have.

    *first* is the first pass whose value differs, as :func:`~r2s.compiler.diff.steps.first` tells it: all that is exact
    comes from there on.

    Reports from before the account have none: the answer is then a ``note`` alone.  Raises InvalidInputError (R2S844)
    for rows that no account writes.
    """
    without = [side for side, report in (("A", a), ("B", b)) if "uncertainty" not in report]
    if without:
        said = f"{' and '.join(without)} {'has' if len(without) == 1 else 'have'} no section uncertainty"
        return {"note": f"no statistics: {said}, an older r2s wrote it; build again"}
    try:
        return {**_statistics(a, b, pairs), "from": first["pass"] if first is not None else None}
    except (ValueError, ArithmeticError) as error:
        said = f"the two reports hold rows of uncertainty that no build has: {error}"
        raise InvalidInputError("R2S844", said, hint="an editor changed one: build the asset again") from None


def _statistics(a: Mapping[str, Any], b: Mapping[str, Any], pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
    shared = sharing(a, b)
    left, right = a["uncertainty"]["outputs"], b["uncertainty"]["outputs"]
    one_scan = a["inputs"]["scan"]["sha256"] == b["inputs"]["scan"]["sha256"]
    apart = [n for n in left if n in right and (left[n]["unit"] != right[n]["unit"] or not _one(n, one_scan=one_scan))]
    names = _sorted([n for n in left if n in right and n not in apart], [one["id"] for one, _ in pairs])
    level = a["uncertainty"]["level"]
    return {
        "level": level,
        "significant_over": SIGNIFICANT,
        "material_over": MATERIAL,
        "one_scan": one_scan,
        "rows": _rows(shared),
        "outputs": [change(n, left[n], right[n], shared, level) for n in names],
        "not_compared": apart,
        "only_in_a": [n for n in left if n not in right],
        "only_in_b": [n for n in right if n not in left],
        "asset": [effect(one, two) for one, two in pairs],
        "u2": [by_pass(n, left[n], right[n]) for n in names],
        "flips": flips(a, b),
    }


def _sorted(names: list[str], readings: list[str]) -> list[str]:
    """Return the readings in the order of the sheet, then what is of the whole."""
    order = [*readings, *_OF_THE_WHOLE]
    return sorted(names, key=lambda n: order.index(n) if n in order else len(order))


def _one(name: str, *, one_scan: bool) -> bool:
    """Return whether the output *name* is one measurand in both reports."""
    return one_scan or name not in _ALONG_THE_SCAN


def _rows(shared: Sharing) -> dict[str, Any]:
    """Return the rows by what became of them: ``same`` to the last bit, or ``changed`` in size or source."""
    both = [i for i in shared.a if i in shared.b]
    same = [i for i in both if i in shared.same and shared.a[i].size == shared.b[i].size]
    return {
        "same": same,
        "changed": [_changed(shared.a[i], shared.b[i], shared) for i in both if i not in same],
        "only_in_a": [i for i in shared.a if i not in shared.b],
        "only_in_b": [i for i in shared.b if i not in shared.a],
    }


def _changed(a: Row, b: Row, shared: Sharing) -> dict[str, Any]:
    u_a, u_b = (row.u_total if not row.component(row.id, row.u).unbounded else None for row in (a, b))
    return {
        "id": a.id,
        "pass": b.made_by,
        "unit": a.unit,
        "u_a": u_a,
        "u_b": u_b,
        "ratio": u_b / u_a if u_a and u_b is not None else None,
        "source": "equal" if a.source == b.source else "differs",
        "in_common": _in_common(a.id, shared),
    }


def _in_common(id_: str, shared: Sharing) -> str:
    if id_ in shared.same:
        return "error"
    if id_ in shared.biased:
        return "bias"
    return "readings" if id_ == SCALE and shared.fits is not None else "nothing"
