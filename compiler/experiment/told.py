"""The virtual experiment as data for the report, and as a table on the screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from r2s.compiler.account import digits
from r2s.compiler.experiment.compare import Compared, Spread

_UNITS = {"m": ("mm", 1e3), "m^3": ("cm3", 1e6), "kg": ("g", 1e3), "kg m^2": ("kg mm2", 1e6)}
_WORDS = {"agrees": "agrees", "wider": "WIDER than predicted", "narrower": "NARROWER than predicted"}


def data(found: Compared | None) -> dict[str, Any] | None:
    """Return the section ``uncertainty.monte_carlo`` of a report, None where nobody asked for it."""
    if found is None:
        return None
    return {
        "meaning": "virtual-experiment spread; it shares the account with what it checks",
        "n": found.asked,
        "made": found.made,
        "seed": found.seed,
        "pipeline": found.pipeline,
        "drawn": list(found.drawn),
        "left_out": list(found.left_out),
        "outputs": {name: _spread(spread) for name, spread in found.outputs.items()},
    }


def _spread(spread: Spread) -> dict[str, Any]:
    return {
        "unit": spread.unit,
        "sd": spread.seen,
        "predicted": spread.predicted,
        "ratio": spread.ratio,
        "band": list(spread.within),
        "verdict": spread.verdict,
    }


def lines(found: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield the table of the section ``monte_carlo`` of a report; nothing where there is none."""
    if not found:
        return
    failed = found["n"] - found["made"]
    said = f"{found['made']} recompiles under drawn errors, seed {found['seed']}" + (
        f", {failed} failed" * bool(failed)
    )
    yield f"{'monte':<9}{said}: spread seen, and predicted by the rows that were drawn"
    if not found["outputs"]:
        yield f"{'':<9}too few went through to see a spread"
        return
    width = max(len(name) for name in found["outputs"]) + 1
    low, high = next(iter(found["outputs"].values()))["band"]
    head = f"{'':<9}{'sd':<{width}} {'seen':>9} {'predicted':>10} {'':<7}{'ratio':>6}"
    yield f"{head}   {low:.2f} to {high:.2f} by chance"
    for name, one in found["outputs"].items():
        unit, factor = _UNITS[one["unit"]]
        seen, predicted = (digits(one[key] * factor, one["predicted"] * factor / 10) for key in ("sd", "predicted"))
        line = f"{'':<9}{name:<{width}} {seen:>9} {predicted:>10} {unit:<7}{one['ratio']:>6.2f}"
        yield f"{line}   {_WORDS[one['verdict']]}"
