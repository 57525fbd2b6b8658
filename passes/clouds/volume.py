"""
How well the volume of a surface drawn through a cloud is known.

To first order a surface that is off by d over an area A encloses d·A more (Steiner), so each doubt about where the
surface lies is a doubt about volume.  White noise averages out; what stays is what is shared by a whole area.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from r2s.compiler.ir import Surface
from r2s.compiler.ledger import (
    BRIDGED,
    CLOSED_VOLUME,
    VOLUME,
    DirectedDistance,
    Method,
    Scalar,
    StandardUncertainty,
    Term,
    Unobserved,
)


def volume_terms(value: Surface, measured: Iterable[Term], spacing: float) -> tuple[Term, ...]:
    """
    Return the volume of *value*, m³, and its uncertainties from what was *measured* of the surface.

    *spacing*, m, is the scan's: the lowest row of points stands up to that far above a floor that nobody saw.
    """
    terms: list[Term] = [
        Scalar(CLOSED_VOLUME, "volume of the closed surface", value.volume, "m^3", "measured", "divergence")
    ]
    unseen = [t for t in measured if isinstance(t, Unobserved)]
    observed = value.area - sum(t.area for t in unseen)
    for term in measured:
        if isinstance(term, DirectedDistance) and term.role == "backward" and term.signed_mean is not None:
            half, noise = abs(term.signed_mean), value.scan.noise / math.sqrt(max(len(value.scan.points), 1))
            evidence = f"mean distance of the surface from the points, over {observed * 1e6:.0f} mm^2 that they support"
            terms.append(_term("offset", math.hypot(half / math.sqrt(3), noise) * observed, "estimated", evidence))
    for term in measured:
        if isinstance(term, Scalar) and term.id == BRIDGED and term.value > 0:
            terms.append(_term("gaps", term.value / math.sqrt(3), "assumed", term.evidence))
    for term in unseen:
        if term.closed_by == "screened Poisson":
            continue  # told by what is bridged, which holds more than what counts as unobserved
        half = spacing / 2 if term.closed_by == "support plane" else spacing
        evidence = f"{term.area * 1e6:.0f} mm^2 closed by {term.closed_by}, {half * 1e3:.3f} mm either way"
        name = term.id.rpartition(".")[2]
        terms.append(_term(name, half / math.sqrt(3) * term.area, "assumed", evidence))
    return tuple(terms)


def _term(name: str, u: float, method: Method, evidence: str) -> StandardUncertainty:
    return StandardUncertainty(
        id=f"surface.volume.{name}",
        quantity=VOLUME,
        u=u,
        unit="m^3",
        distribution="rectangular",
        dof=math.inf,
        method=method,
        evidence=evidence,
        shape="offset",
        group=f"surface.volume.{name}",
        blind_to=("scale", "offset", "drift", "registration"),
    )
