"""What a reader returns: the numbers as the file has them, before unit, axes or cleaning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.errors import Diagnostic


@dataclass(frozen=True, eq=False)
class RawScan:
    """
    A file's content in its own numbers.

    points    (n, 3) float64; a cloud may hold non-finite rows (ingest drops and counts them), a mesh may not
    normals   (n, 3) float64, or (0, 3) where the file has none; not normalised, not checked
    faces     (m, 3) int64 into points, or (0, 3); polygons are triangulated, indices are in range
    quantum   the largest step between neighbouring representable coordinates (float32 at 5.4e6 steps by 0.5)
    unit, up  what the format itself declares (glTF: ``m`` and ``y``); None where it says nothing
    """

    points: NDArray[np.float64]
    normals: NDArray[np.float64]
    faces: NDArray[np.int64]
    quantum: float
    unit: str | None = None
    up: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
