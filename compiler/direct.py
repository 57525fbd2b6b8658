"""What was measured straight from the scan to the emitted files and back, past all the steps between."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Direct:
    """
    Distances from many places of one shape to another, m; positive is outside.

    *maximum* is attained at *at* (x, y, z; the asset's frame); p99, p95, *rms* and the signed *mean* weigh places by
    the area they stand for.  A point of the first shape that is none of the *samples* lies within *reach* of one, so
    the true maximum is at most *maximum* + *reach*; 0 where every point was looked at.
    """

    maximum: float
    p99: float
    p95: float
    rms: float
    mean: float
    samples: int
    reach: float
    at: tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Directs:
    """
    The emitted pieces against the scan, in the asset's frame; lengths in metres.

    *forward* is from the scan to the union of the pieces, 0 within it; *within* the share of the scan that lies there,
    *left_out* the number of points that belong to parts which the surface left out on purpose.
    *backward* is from what can be touched of the pieces, signed, to *reference*: ``scan`` (its faces) or ``surface``
    (closed, drawn through the points of a cloud).  *hidden* is the share of the pieces' surface that lies in other
    pieces, *unobserved* the share of the rest that faces places without scan, which is measured to the closed surface.
    *unsupported* is how far an observed place of the closed surface lies from every scan point, nan for a mesh.
    *moved* is how far the worst emitted piece, *moved_name*, is from the piece that was measured before it was written;
    *folded* how far a triangle of a piece, *folded_name*, lies inside the hull that it should bound, infinite for one
    turned inside out.  *fault* says why nothing could be measured, and is empty where all was.
    """

    pieces: int
    emitted: int
    diagonal: float
    forward: Direct
    backward: Direct
    reference: str
    within: float
    left_out: int
    hidden: float
    unobserved: float
    unsupported: float
    moved: float
    moved_name: str
    folded: float
    folded_name: str
    fault: str = ""
