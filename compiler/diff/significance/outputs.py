"""
How sure the change of one output is.

With dy = y_B - y_A and errors z of the joint state, u²(dy) = Σ (c_B u - c_A u)² over the errors that both builds have
in common and Σ (c_A u_A)² + Σ (c_B u_B)² over all others (GUM 5.2.2 with r = 1 and r = 0).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from r2s.compiler.diff.significance.row import Row
from r2s.compiler.diff.significance.sharing import SCALE, Fit, Sharing
from r2s.compiler.uncertainty import linear
from r2s.compiler.uncertainty.budget import Budget, Output
from r2s.compiler.uncertainty.state import Component, Correlation, State

SIGNIFICANT = 2.0  # of |z|
MATERIAL = 0.33  # of U95 of A: what an effect of the code must be to matter in practice


@dataclass(frozen=True, slots=True)
class Felt:
    """What the change feels of one *component*, by *c*; *common* says that it is one error in both builds."""

    component: Component
    c: float
    common: bool


def change(name: str, a: Mapping[str, Any], b: Mapping[str, Any], shared: Sharing, level: float) -> dict[str, Any]:
    """
    Return the change of the output *name* from *a* to *b*, two entries of ``uncertainty.outputs`` in one unit.

    Where only errors that both builds have in common are felt, the change is ``exact``: no error made it, the code or
    its options did, and it is judged by its size beside U95 of A.  Raises ValueError for rows that contradict.
    """
    dy = b["value"] - a["value"]
    felt = [f for f in _felt(name, shared) if f.c != 0]
    budget = _budget(Output(name, dy, a["unit"]), felt, _ties(felt, shared), level)
    exact = all(f.common or f.component.u == 0 for f in felt)
    bounded = math.isfinite(budget.u)
    z = dy / budget.u if bounded and not exact else None
    return {
        "name": name,
        "unit": a["unit"],
        "a": a["value"],
        "b": b["value"],
        "change": dy,
        "U95_a": a["U95"],
        "U95_b": b["U95"],
        "u": budget.u if bounded else None,
        "dof": budget.dof if bounded and math.isfinite(budget.dof) else None,
        "k": budget.k if bounded else None,
        "U95": budget.expanded if bounded else None,
        "z": z,
        "exact": exact,
        "of_U95_a": abs(dy) / a["U95"] if a["U95"] else None,
        "mostly": budget.dominant.name if budget.dominant is not None else None,
        "verdict": _verdict(dy, z, a["U95"], exact=exact, bounded=bounded),
    }


def _verdict(dy: float, z: float | None, u95_a: float | None, *, exact: bool, bounded: bool) -> str:
    if dy == 0:
        return "equal"
    if exact:
        return weighed(dy, u95_a)
    if not bounded:
        return "no bound"
    return "significant" if z is not None and abs(z) > SIGNIFICANT else "within uncertainty"


def weighed(change: float, u95: float | None) -> str:
    """Return in words whether an exact *change* matters beside *u95*, None where nothing bounds that."""
    if u95 is None:
        return "exact, no bound"
    return "exact, material" if abs(change) > MATERIAL * u95 else "exact, immaterial"


def _felt(name: str, shared: Sharing) -> Iterator[Felt]:
    for id_ in {**shared.a, **shared.b}:
        one, two = shared.a.get(id_), shared.b.get(id_)
        c_a, c_b = (row.by.get(name, 0.0) if row is not None else 0.0 for row in (one, two))
        if one is not None and two is not None:
            if id_ in shared.same:
                yield _in_common(one, two, c_a, c_b)
                continue
            if id_ == SCALE and shared.fits is not None:
                yield from _of_scale(one, two, c_a, c_b, shared.fits)
                continue
            if id_ in shared.biased:
                yield Felt(one.component(f"{id_} bias", abs(one.bias)), c_b - c_a, common=True)
                yield from _least_sure(one, two, c_a, c_b)
                continue
        for row, side, c in ((one, "A", -c_a), (two, "B", c_b)):
            if row is not None:
                yield Felt(row.component(f"{side}:{id_}", row.u_total, _group(row, side)), c, common=False)


def _in_common(a: Row, b: Row, c_a: float, c_b: float) -> Felt:
    """Return what the change feels of one error; of other sizes, as multiples of its standard uncertainty."""
    if a.size == b.size:
        return Felt(a.component(a.id, a.u_total, a.group), c_b - c_a, common=True)
    return Felt(a.component(a.id, 1.0, a.group), c_b * b.u_total - c_a * a.u_total, common=True)


def _group(row: Row, side: str) -> str:
    return f"{side}:{row.group}" if row.group else ""


def _least_sure(a: Row, b: Row, c_a: float, c_b: float) -> Iterator[Felt]:
    """Yield one error or two, whichever leaves the change less sure: one where it moves A and B opposite ways."""
    if a.u == b.u and c_a * c_b < 0:
        yield Felt(a.component(f"A+B:{a.id}", a.u), c_b - c_a, common=False)
    else:
        yield Felt(a.component(f"A:{a.id}", a.u), -c_a, common=False)
        yield Felt(b.component(f"B:{b.id}", b.u), c_b, common=False)


def _of_scale(a: Row, b: Row, c_a: float, c_b: float, fits: tuple[Fit, Fit]) -> Iterator[Felt]:
    """
    Yield what two scales of the same readings leave of their errors.

    With ln s = Σ wᵢ εᵢ + ..., dy feels Σ (c_B w_Bi - c_A w_Ai) εᵢ.  How the εᵢ of one caliper go together nobody knows,
    so their parts add up.  What each scale left uncorrected is its own.
    """
    one, two = fits
    left = math.fsum(
        abs(c_b * two.weights[i] - c_a * one.weights[i]) * max(one.u[i], two.u[i]) for i in sorted(one.weights)
    )
    # the sum is a length, a volume or a mass already, so the change feels it as it is
    yield Felt(a.component(f"{SCALE} readings", left), 1.0, common=False)
    for row, side, c, fit in ((a, "A", -c_a, one), (b, "B", c_b, two)):
        yield Felt(row.component(f"{side}:{SCALE} bias", math.hypot(row.bias, fit.prior)), c, common=False)


def _ties(felt: list[Felt], shared: Sharing) -> tuple[Correlation, ...]:
    """Return the correlations of both reports between the components that are felt."""
    names = {f.component.name for f in felt}
    found = {}
    for side, ties in (("A", shared.correlations_a), ("B", shared.correlations_b)):
        for tie in ties:
            first, second = (i if i in shared.same else f"{side}:{i}" for i in (tie.first, tie.second))
            if {first, second} <= names:
                found[first, second] = Correlation(first, second, tie.r)
    return tuple(found.values())


def _budget(output: Output, felt: list[Felt], ties: tuple[Correlation, ...], level: float) -> Budget:
    state = State(tuple(f.component for f in felt), ties)
    return linear.propagate(state, [output], [[f.c for f in felt]], level).budgets[0]
