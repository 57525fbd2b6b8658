"""How far a figure of M draws may lie from the truth: limits that come from M, not from what a seed gave."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

SIGMAS = 5.0  # one in 1.7 million, were a seed to be chosen again


def mean_limit(values: NDArray[np.float64]) -> float:
    """Return how far the mean of *values* may lie from the truth."""
    return SIGMAS * float(values.std()) / math.sqrt(len(values))


def sd_limit(values: NDArray[np.float64]) -> float:
    """Return the same of their standard deviation: sd √((κ-1)/4M), with the kurtosis κ of the values themselves."""
    from_mean = values - values.mean()
    variance = float((from_mean**2).mean())
    kurtosis = float((from_mean**4).mean()) / variance**2
    return SIGMAS * math.sqrt(variance * (kurtosis - 1) / (4 * len(values)))


def quantile_range(values: NDArray[np.float64], p: float) -> tuple[float, float]:
    """Return between which draws the true quantile *p* must lie, whatever the distribution: binomial ranks."""
    ordered = np.sort(values)
    count = len(ordered)
    slack = SIGMAS * math.sqrt(count * p * (1 - p))
    low, high = math.floor(count * p - slack), math.ceil(count * p + slack)
    return float(ordered[max(low, 0)]), float(ordered[min(high, count - 1)])


def holds_quantile(values: NDArray[np.float64], p: float, truth: float, rounding: float = 0.0) -> bool:
    """Return whether *truth*, published to ±*rounding*, can be the quantile *p* of what was drawn."""
    low, high = quantile_range(values, p)
    return low - rounding <= truth <= high + rounding
