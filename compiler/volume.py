"""The asset's volume with its standard uncertainty: what the passes said of it, and three times the scale's."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from r2s.compiler.ir import Anchor
from r2s.compiler.ledger import CLOSED_VOLUME, VOLUME, Method, Scalar, StandardUncertainty, Term


@dataclass(frozen=True, slots=True)
class Part:
    """One component of the volume's uncertainty: standard uncertainty *u*, m³, and how it was obtained."""

    term: str
    u: float
    method: Method


@dataclass(frozen=True, slots=True)
class Volume:
    """
    The enclosed volume in the asset's frame, m³, with its components of uncertainty, independent of each other.

    What no component speaks of (offset, registration, a scale that nobody measured) is in none of them.
    """

    value: float
    parts: tuple[Part, ...]

    @property
    def u(self) -> float:
        """Combined standard uncertainty, m³: root sum of squares (GUM 5.1.2, independent components)."""
        return math.hypot(*(part.u for part in self.parts))

    @property
    def dominant(self) -> Part | None:
        """The component with the largest share, None where there is none."""
        return max(self.parts, key=lambda part: part.u, default=None)


def volume_of(terms: Iterable[Term], anchor: Anchor) -> Volume | None:
    """
    Return the volume that *terms* speak of, anchored; None where no surface was made.

    The volume goes with the cube of the scale, so to first order u(V)/V is 3 u(ln s) (GUM 5.1.3).
    """
    terms, cube = tuple(terms), anchor.factor**3
    closed = next((t for t in terms if isinstance(t, Scalar) and t.id == CLOSED_VOLUME), None)
    if closed is None:
        return None
    parts = [
        Part(t.id, t.u * cube, t.method) for t in terms if isinstance(t, StandardUncertainty) and t.quantity == VOLUME
    ]
    if math.isfinite(anchor.u):
        parts.append(Part("scale.ln_scale", 3 * closed.value * cube * anchor.u, anchor.method))
    return Volume(closed.value * cube, tuple(parts))
