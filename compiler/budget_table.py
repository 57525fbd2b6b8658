"""How sure the asset's figures are, on a terminal: the headline, and what the uncertainty comes from, largest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from r2s.compiler.account import digits

_LEAST = 0.005  # of u²: what is less prints as 0 %
_BY_DRAWS = "not validated"
_UNITS = {"m": ("mm", 1e3), "m^3": ("cm3", 1e6), "kg": ("g", 1e3)}


def budget_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the headline and the table of the section ``uncertainty`` of a report; nothing where nothing was read."""
    main = found["headline_of"]
    if not main:
        return
    yield f"{'estimate':<9}{found['headline']}"
    columns = list(dict.fromkeys(name for name in (main, "volume", "mass") if name in found["outputs"]))
    terms = {name: found["outputs"][name]["by_term"] for name in columns}
    methods = _methods(found)
    shown = [t for t in methods if any(terms[name].get(t, 0.0) >= _LEAST for name in columns)]
    shown.sort(key=lambda term: [-terms[name].get(term, 0.0) for name in columns])
    width = max([len("share of u2"), *map(len, shown)]) + 1
    yield f"{'':<9}{'share of u2':<{width}} {'':<9}" + "".join(f" {name:>{_wide(name)}}" for name in columns)
    for term in shown:
        cells = "".join(f" {100 * terms[name].get(term, 0.0):>{_wide(name) - 2}.0f} %" for name in columns)
        method = methods[term].upper() if methods[term] == "assumed" else methods[term]
        yield f"{'':<9}{term:<{width}} {method:<9}{cells}"
    yield f"{'':<9}{'U95':<{width}} {'':<9}" + "".join(
        f" {_expanded(found['outputs'][name]):>{_wide(name)}}" for name in columns
    )
    if drawn := [name for name in columns if found["outputs"][name]["lpu"] == _BY_DRAWS]:
        said = ", ".join(f"{name} {_interval(found['outputs'][name])}" for name in drawn)
        yield f"{'interval':<9}{said} (95 %) by Monte Carlo, the linear one does not hold"


def _methods(found: Mapping[str, Any]) -> dict[str, str]:
    """Return how each term was obtained: by its weakest row, in the order of the rows."""
    weakest = ("measured", "estimated", "declared", "assumed")
    methods: dict[str, str] = {}
    for row in found["rows"]:
        known = methods.get(row["term"], "measured")
        methods[row["term"]] = max(known, row["method"], key=weakest.index)
    return methods


def _wide(name: str) -> int:
    return max(10, len(name))


def _interval(output: Mapping[str, Any]) -> str:
    unit, factor = _UNITS[output["unit"]]
    low, high = (end * factor for end in output["interval"])
    return f"{digits(low, high - low)} to {digits(high, high - low)} {unit}"


def _expanded(output: Mapping[str, Any]) -> str:
    if output["unbounded"]:
        return "unbounded"
    unit, factor = _UNITS[output["unit"]]
    return f"{output['U95'] * factor:.3g} {unit}"
