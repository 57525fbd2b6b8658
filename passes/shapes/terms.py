"""A summary of distances as a term of the ledger."""

from __future__ import annotations

from typing import Literal

from r2s.compiler.ledger import DirectedDistance
from r2s.passes.shapes.distance import Summary

Role = Literal["forward", "backward", "scatter"]

NOTHING = Summary(0.0, 0.0, 0.0, 0.0, 0.0, 0)


def distance_term(
    step: str,
    role: Role,
    start: str,
    end: str,
    size: Summary,
    evidence: str,
    *,
    signed_mean: float | None = None,
    bound: float | None = None,
) -> DirectedDistance:
    """Return the term ``step.role`` from *start* to *end*; *bound*, m, is a proven maximum if there is one."""
    return DirectedDistance(
        id=f"{step}.{role}",
        role=role,
        start=start,
        end=end,
        maximum=size.max if bound is None else bound,
        certified=bound is not None,
        p99=size.p99,
        p95=size.p95,
        rms=size.rms,
        signed_mean=signed_mean,
        samples=size.samples,
        evidence=evidence,
    )
