"""What errors of a scan do to the closed surface as a solid: derivatives of volume, centre of mass and moments."""

from __future__ import annotations

from dataclasses import dataclass

from r2s.compiler.measured import VIEWS

OFFSET, UNSEEN, SCALE = "offset", "unseen", "scale"
DRIFTS = ("drift.x", "drift.y")  # E_x - E_z and E_y - E_z: ln scale is that of z
COLUMNS = (SCALE, *DRIFTS, OFFSET, *VIEWS, UNSEEN)

Row = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SolidResponse:
    """
    A closed surface in metres of the scan's frame, and its derivatives by each of ``COLUMNS`` (k).

    The relative ones (scale, drift) are per unit; of the others all faces that look one way, all that were observed, or
    all that nobody saw stand out by one metre.

    volume   m³; area m²; *com* (3,) m from the origin that the asset's frame takes, which the errors move too
    second   (9,) second moment ∫ (x - c)(x - c)ᵀ dV about the centre of mass, row by row, m⁵
    d_volume (k,); d_com (k, 3); d_second (k, 9)
    span     (2,) along x and y of what touches the floor, m
    """

    volume: float
    area: float
    com: Row
    second: Row
    d_volume: Row
    d_com: tuple[Row, ...]
    d_second: tuple[Row, ...]
    span: Row
