"""One sentence: how large it is, how sure that is, and whom to blame for the rest."""

from __future__ import annotations

import math

from r2s.compiler.account.account import Account
from r2s.compiler.account.rows import UNFITTED

_UNITS = {"m": ("mm", 1e3), "m^3": ("cm3", 1e6), "kg": ("g", 1e3), "kg m^2": ("kg mm2", 1e6), "rad": ("mrad", 1e3)}
MOSTLY = 0.5


def headline(account: Account, name: str) -> str:
    """
    Return the headline of the output *name*.

    Where assumptions carry over half of u² it says so, and how to replace the largest by a measurement.
    """
    budget = account.budgets[name]
    unit, factor = _UNITS[budget.output.unit]
    if math.isinf(budget.u):
        term, _, row = account.shares(name)[0]
        way_out = "build on to the end" if row.evidence == UNFITTED else _way_out(term)
        value = f"{name} {budget.output.value * factor:.4g} {unit}"
        return f"{value}, of unknown uncertainty: {row.evidence}; {way_out}"
    value = f"{name} {digits(budget.output.value * factor, budget.expanded * factor)}"
    shares = account.shares(name)
    if not shares:
        return f"{value} {unit}"
    term, share, row = shares[0]
    method = row.method.upper() if row.method == "assumed" else row.method
    said = f"{value} ± {digits(budget.expanded * factor, budget.expanded * factor)} {unit} (95 %); "
    said += f"{100 * share:.0f} % of u2 is {term}, {method}"
    if budget.assumed_share > MOSTLY:
        worst = next(term for term, _, row in shares if row.method == "assumed")
        said += f"; {100 * budget.assumed_share:.0f} % rests on assumptions: {_way_out(worst)}"
    return said


def digits(value: float, u: float) -> str:
    """
    Return *value* to the second significant digit of its uncertainty *u* (GUM 7.2.6), to six digits where u is 0.

    >>> digits(57.0342, 0.0914), digits(57.0342, 12.0), digits(57.0342, 0.0)
    ('57.034', '57', '57.0342')
    """
    if not (u > 0 and math.isfinite(u)):
        return f"{value:.6g}"
    return f"{value:.{max(0, 1 - math.floor(math.log10(u)))}f}"


def _way_out(term: str) -> str:
    return _WAYS_OUT.get(term, "measure it to do better")


_CHECK_DEVICE = "r2s-compile device-check measures it for your scanner"
_WAYS_OUT = {
    "scale": "add a calibrate reading to the caliper sheet",
    "surface offset": _CHECK_DEVICE,
    "view registration": _CHECK_DEVICE,
    "drift between axes": _CHECK_DEVICE,
    "underside": "turn the part over and scan its underside",
    "density": "weigh it",
    "fill": "say in the sheet how it is filled",
}
