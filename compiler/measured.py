"""What the virtual caliper read: the feature values of one stage."""

from __future__ import annotations

import math
from dataclasses import dataclass

STAGES = ("scan", "surface", "simplified", "pieces", "model")
VIEWS = ("+x", "-x", "+y", "-y", "+z", "-z")  # which way a face looks, in the scan's axes


@dataclass(frozen=True, slots=True)
class Measured:
    """
    One feature on one stage: *value* and standard uncertainty *u* in metres, and *how* it was obtained.

    Where the stage has no such feature *value* and *u* are nan and *refused* says why.

    What an error of the scan does to the value stands on the stage ``scan`` alone: *views* (6) is what it gains where
    the faces that look each way stand one unit further out, *stretch* (3) where the scan is longer along x, y or z by
    one unit of itself, m.  *still* is the part of *u* that a new reading of the same places would not change, m.
    """

    id: str
    value: float
    u: float
    how: str
    refused: str = ""
    views: tuple[float, ...] = ()
    stretch: tuple[float, ...] = ()
    still: float = 0.0

    @property
    def there(self) -> bool:
        """Whether there is a value."""
        return not self.refused and math.isfinite(self.value)

    @property
    def gain(self) -> float:
        """What the value gains where every face stands one unit further out: 2 outside, -2 inside, 0 for a step."""
        return math.fsum(self.views)


@dataclass(frozen=True, slots=True)
class StageReadings:
    """All features of a sheet on one stage, in the order of the sheet."""

    stage: str
    values: tuple[Measured, ...]
