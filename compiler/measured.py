"""What the virtual caliper read: the feature values of one stage."""

from __future__ import annotations

import math
from dataclasses import dataclass

STAGES = ("scan", "surface", "simplified", "pieces", "model")


@dataclass(frozen=True, slots=True)
class Measured:
    """
    One feature on one stage: *value* and standard uncertainty *u* in metres, and *how* it was obtained.

    Where the stage has no such feature *value* and *u* are nan and *refused* says why.
    """

    id: str
    value: float
    u: float
    how: str
    refused: str = ""

    @property
    def there(self) -> bool:
        """Whether there is a value."""
        return not self.refused and math.isfinite(self.value)


@dataclass(frozen=True, slots=True)
class StageReadings:
    """All features of a sheet on one stage, in the order of the sheet."""

    stage: str
    values: tuple[Measured, ...]
