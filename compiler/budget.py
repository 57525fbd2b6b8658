"""
How much each pass may lose: one number for the whole, split, or a number a pass.

A budget judges the p99 of what a pass lost; it never changes an output and is in no action key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from r2s.compiler.errors import UsageError
from r2s.compiler.ledger import DirectedDistance, Term
from r2s.compiler.suggest import did_you_mean

# Convex pieces lose most by nature, decimation can always be made small, emission only rounds.
SHARES = {"surface": 0.25, "simplify": 0.10, "decompose": 0.60, "emit": 0.05}


@dataclass(frozen=True, slots=True)
class Entry:
    """One pass against its budget: *lost* is the largest p99 of its directed distances, both in metres."""

    name: str
    limit: float
    lost: float
    term: str

    @property
    def held(self) -> bool:
        """Whether the pass stayed within its budget."""
        return self.lost <= self.limit


def split(within: float | None, per_pass: Mapping[str, float]) -> dict[str, float]:
    """
    Return the limit of each pass, metres: *within* split by ``SHARES``, each overridden by *per_pass*.

    >>> split(0.001, {"decompose": 0.0008})["decompose"], round(split(0.001, {})["surface"], 6)
    (0.0008, 0.00025)
    >>> split(None, {})
    {}
    """
    for name in per_pass:
        if name not in SHARES:
            hint = did_you_mean(name, SHARES) or f"a budget can be set for {', '.join(SHARES)}"
            raise UsageError("R2S010", f"no budget exists for {name!r}", hint=hint)
    shares = {name: within * share for name, share in SHARES.items()} if within is not None else {}
    return {**shares, **per_pass}


def entries(limits: Mapping[str, float], terms: Mapping[str, Iterable[Term]]) -> tuple[Entry, ...]:
    """Return one entry per pass that has a limit and lost something, in the order of *terms*."""
    found = []
    for name, of_pass in terms.items():
        distances = [t for t in of_pass if isinstance(t, DirectedDistance) and t.role != "scatter"]
        if name in limits and distances:
            worst = max(distances, key=lambda t: t.p99)
            found.append(Entry(name, limits[name], worst.p99, worst.id))
    return tuple(found)
