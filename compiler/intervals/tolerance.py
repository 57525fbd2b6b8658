"""
The factor of a normal tolerance interval: mean ± k s holds a share of all objects with a confidence.

Exact for two sides (Wald and Wolfowitz 1946; Odeh 1978; ISO 16269-6), by one quadrature.  With the sample mean z
standard deviations off, the interval holds the share p if k s >= r(z), where Phi(z + r) - Phi(z - r) = p; (n - 1) s² is
chi-squared with n - 1 degrees of freedom and independent of z, which is normal with variance 1/n.  So

    confidence = integral of P(chi² >= (n - 1) r(z)² / k²) sqrt(n) phi(sqrt(n) z) dz

The integrand is smooth and falls like a Gaussian: the trapezoidal rule over all z converges faster than any power of
its step.
"""

from __future__ import annotations

import math
from functools import cache

from r2s.compiler.intervals.student import bisect
from r2s.compiler.scale_fit import chi2_tail

_STEP, _REACH = 0.2, 8.0  # in standard deviations of the mean; tests hold both against an adaptive quadrature


@cache
def tolerance_factor(share: float, confidence: float, n: int) -> float:
    """
    Return the two-sided k for the *share* of a normal population, the *confidence* and a sample of *n* (at least 2).

    Raises ValueError for probabilities that are not between 0 and 1 and for fewer objects.

    >>> [round(tolerance_factor(0.95, 0.95, n), 3) for n in (3, 4, 5, 10)]
    [9.789, 6.341, 5.077, 3.393]
    """
    if not (0 < share < 1 and 0 < confidence < 1) or n < 2:
        raise ValueError(f"no tolerance factor for share {share} with confidence {confidence} from {n} objects")
    nodes = _nodes(share, n)

    def too_small(k: float) -> bool:
        return math.fsum(w * chi2_tail((n - 1) * (r / k) ** 2, n - 1) for w, r in nodes) < confidence

    low, high = 0.0, 1.0
    while too_small(high):
        low, high = high, 2 * high
    return bisect(too_small, low, high)


def _nodes(share: float, n: int) -> list[tuple[float, float]]:
    """Return weights, which sum to 1, and half-widths r(z) at the nodes of the rule."""
    count = round(_REACH / _STEP)
    weights = [math.exp(-((i * _STEP) ** 2) / 2) * (1 if i == 0 else 2) for i in range(count + 1)]
    total = math.fsum(weights)
    return [(w / total, _half_width(i * _STEP / math.sqrt(n), share)) for i, w in enumerate(weights)]


def _half_width(z: float, share: float) -> float:
    """Return r such that the normal probability between z - r and z + r is *share*."""

    def too_narrow(r: float) -> bool:
        return (math.erf((z + r) / math.sqrt(2)) - math.erf((z - r) / math.sqrt(2))) / 2 < share

    high = 1.0
    while too_narrow(high):
        high *= 2
    return bisect(too_narrow, 0.0, high)
