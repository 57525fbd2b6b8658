"""
The probability that a quantity lies within limits, given its estimate and standard uncertainty (JCGM 106 clause 7).
"""

from __future__ import annotations

import math


def probability_within(value: float, u: float, lower: float = -math.inf, upper: float = math.inf) -> float:
    """
    Return the probability that the true value lies from *lower* to *upper*; an infinite limit is none.

    Normal, all in one unit.  Without uncertainty it is 0 or 1, and a value on a limit conforms.
    Raises ValueError for a negative *u* and for limits that are the wrong way round.

    >>> round(probability_within(0.0, 1.0, -1.96, 1.96), 3), probability_within(2.0, 0.0, upper=1.0)
    (0.95, 0.0)
    """
    if not u >= 0:
        raise ValueError(f"a standard uncertainty cannot be {u:g}")
    if not lower <= upper:
        raise ValueError(f"no value lies from {lower:g} to {upper:g}")
    if u == 0:
        return float(lower <= value <= upper)
    if lower > value:  # reflected, so that far from the limits small probabilities are differences of small ones
        value, lower, upper = -value, -upper, -lower
    return _phi((upper - value) / u) - _phi((lower - value) / u)


def _phi(z: float) -> float:
    """Return the standard normal distribution function."""
    return 0.5 * math.erfc(-z / math.sqrt(2))
