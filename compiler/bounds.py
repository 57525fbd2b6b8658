"""
The bound ledger: directed maxima of successive passes, which add by the triangle inequality.

    forward    scan → surface → simplified → pieces     what was seen and may be missing from the asset
    backward   pieces → simplified → surface → scan     what the asset has and was not seen (phantom contact)

A scan's points begin with their own noise about the surface that they show (``scatter``), so the forward sum holds for
every one of them.  Only maxima add; a p99 describes one pass and composes with nothing.  Surface that no point supports
is apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from r2s.compiler.ledger import DirectedDistance, Term

FORWARD = ("scatter", "forward", "deficit")
BACKWARD = ("backward", "inflation")


@dataclass(frozen=True)
class Bound:
    """A sum of directed maxima, m, with the parts that make it up; *certified* if every part is."""

    direction: str
    total: float
    parts: tuple[tuple[str, float], ...]
    certified: bool


def compose(terms: Iterable[Term], factor: float) -> tuple[Bound, Bound]:
    """Return the forward and the backward bound in the asset's metres (*factor* is the anchor's)."""
    distances = [t for t in terms if isinstance(t, DirectedDistance)]
    return _sum("forward", FORWARD, distances, factor), _sum("backward", BACKWARD, distances, factor)


def _sum(direction: str, roles: tuple[str, ...], distances: list[DirectedDistance], factor: float) -> Bound:
    parts = [t for t in distances if t.role in roles]
    return Bound(
        direction,
        sum(t.maximum for t in parts) * factor,
        tuple((t.id, t.maximum * factor) for t in parts),
        all(t.certified for t in parts),
    )
