"""
What a pass says about its own error: typed terms, and the bounds that add up.

Two kinds never mix.  A *bound* is a directed maximum distance; bounds of successive passes add (triangle inequality).
A *standard uncertainty* belongs to a signed scalar and propagates by the GUM.
A quantile (p99) or an RMS describes; it composes with nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Method = Literal["measured", "estimated", "declared", "assumed"]

CLOSED_VOLUME = "surface.volume"  # id of the Scalar that holds what the closed surface encloses, m³ ...
NOISE = "ingest.noise"  # id of the StandardUncertainty of one point along the normal, m
SPACING, FLOOR = "ingest.spacing", "ingest.floor"  # ids of Scalars, m
BRIDGED = "surface.bridged"  # id of the Scalar of the volume that closing over places without points left open, m³
VOLUME = "volume"  # ... and the quantity of each StandardUncertainty of it


@dataclass(frozen=True, slots=True)
class DirectedDistance:
    """
    How far the points of one shape lie from another, metres.

    *start* and *end* name the shapes (``surface``, ``simplified``, ``pieces``, ``scan``); distances go from each
    point of *start* to the nearest of *end*.  *maximum* is a bound when *certified* (no point of *start* is
    further), else the largest of *samples*.  *signed_mean* is positive where *start* lies outside *end*; None
    where no sign exists.
    *role* says which part of the budget this is; ``scatter`` is the noise of the scan's own points, which no pass lost.
    """

    id: str
    role: Literal["forward", "backward", "inflation", "deficit", "scatter"]
    start: str
    end: str
    maximum: float
    certified: bool
    p99: float
    p95: float
    rms: float
    signed_mean: float | None
    samples: int
    evidence: str
    method: Method = "measured"


@dataclass(frozen=True, slots=True)
class StandardUncertainty:
    """
    A standard uncertainty *u* of a signed scalar, in *unit*.

    *group* names the component of the error state it belongs to: equal groups are fully correlated, others independent.
    *blind_to* lists the errors that the evidence cannot see.
    """

    id: str
    quantity: str
    u: float
    unit: str
    distribution: Literal["normal", "rectangular", "t", "triangular"]
    dof: float
    method: Method
    evidence: str
    shape: Literal["white", "offset", "scale", "form", "discrete"]
    group: str
    blind_to: tuple[str, ...] = ()
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class Unobserved:
    """Surface that no scan point supports: area in m² and as a fraction; excluded from every distance."""

    id: str
    area: float
    fraction: float
    closed_by: str
    evidence: str
    method: Method = "estimated"


@dataclass(frozen=True, slots=True)
class Change:
    """A scalar a pass changed, from *before* to *after* in *unit*: a volume, a face count, a repair's size."""

    id: str
    quantity: str
    before: float
    after: float
    unit: str
    evidence: str
    method: Method = "measured"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number worth keeping beside the terms: spacing, a resolution floor, a coverage number."""

    id: str
    quantity: str
    value: float
    unit: str
    method: Method
    evidence: str


Term = DirectedDistance | StandardUncertainty | Unobserved | Change | Scalar
