"""Many numbers as one text: what an analysis says of each vertex, since a record of the store holds no arrays."""

from __future__ import annotations

import base64

import numpy as np
from numpy.typing import NDArray


def pack(values: NDArray[np.float64]) -> str:
    """
    Return *values* (n,) in single precision as text: little-endian, in base 64.

    >>> unpack(pack(np.array([0.5, -0.25]))).tolist()
    [0.5, -0.25]
    """
    return base64.b64encode(values.astype("<f4").tobytes()).decode("ascii")


def unpack(text: str) -> NDArray[np.float64]:
    """Return the numbers (n,) in *text*."""
    return np.frombuffer(base64.b64decode(text), dtype="<f4").astype(np.float64)
