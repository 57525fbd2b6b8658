"""
Factors k for intervals mean ± k s from n normal readings: of a population, and of the next one.

The exact factors by quadrature over the mean: for every place where it may lie, the chance that s is large enough.
Values are checked against the published tables in the tests; Howe's approximation is 0.9 % too wide at n = 4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from r2s.compiler.scale_fit import chi2_tail
from r2s.compiler.uncertainty.student import coverage_factor

_NORMAL = NormalDist()
_FAR = 9.0  # standard deviations of the mean; 1e-19 is left beyond
_NODES, _WEIGHTS = (array.tolist() for array in np.polynomial.legendre.leggauss(64))


def prediction_factor(level: float, n: int) -> float:
    """
    Return k for the next single one of a normal population: t √(1 + 1/n).

    Raises ValueError under two readings, or unless 0 < level < 1.

    >>> round(prediction_factor(0.95, 4), 3)
    3.558
    """
    _check(level, level, n)
    return coverage_factor(level, n - 1) * math.sqrt(1 + 1 / n)


@lru_cache(maxsize=256)
def tolerance_factor(content: float, confidence: float, n: int) -> float:
    """
    Return k for which mean ± k s holds the fraction *content* of a normal population with *confidence*.

    Raises ValueError under two readings, or unless both probabilities lie between 0 and 1.

    >>> round(tolerance_factor(0.95, 0.95, 4), 3)
    6.341
    """
    _check(content, confidence, n)
    # half-widths that hold the content when the mean is off by z/√n, and how likely that is (either side)
    places = [(2 * weight * _NORMAL.pdf(z), _half_width(content, z / math.sqrt(n))) for z, weight in _rule(0.0, _FAR)]
    return _solve(lambda k: _large_enough(places, k, n) - confidence)


@lru_cache(maxsize=256)
def one_sided_factor(content: float, confidence: float, n: int) -> float:
    """
    Return k for which mean + k s exceeds the fraction *content* of a normal population with *confidence*.

    The quantile of a noncentral t with n - 1 degrees of freedom and noncentrality z √n, over √n.
    Raises ValueError under two readings, and unless both probabilities lie from one half to under 1: for less, the
    limit may lie below the mean.

    >>> round(one_sided_factor(0.95, 0.95, 4), 3)
    5.144
    """
    _check(content, confidence, n)
    if min(content, confidence) < 0.5:
        raise ValueError(f"a one-sided limit is for one half or more, not for {min(content, confidence):g}")
    needed = _NORMAL.inv_cdf(content) * math.sqrt(n)
    enough = _NORMAL.cdf(-needed)  # the mean alone is far enough out, whatever s is
    if enough >= confidence:
        return 0.0

    def excess(k: float) -> float:
        # s settles the matter within some spread of its own: a small k makes that a narrow strip of places
        middle, reach = needed - k * math.sqrt(n), 8 * k * math.sqrt(n / (2 * n - 2))
        top = min(needed, _FAR)
        cuts = [-_FAR, *(min(max(cut, -_FAR), top) for cut in (middle - reach, middle + reach)), top]
        places = [
            (weight * _NORMAL.pdf(z), (needed - z) / math.sqrt(n))
            for low, high in pairwise(cuts)
            for z, weight in _rule(low, high)
        ]
        return enough + _large_enough(places, k, n) - confidence

    return _solve(excess)


def _large_enough(places: Iterable[tuple[float, float]], k: float, n: int) -> float:
    """Return the chance that k s reaches the half-width, over *places* of (probability, half-width in sigma)."""
    return math.fsum(p * chi2_tail((n - 1) * (half_width / k) ** 2, n - 1) for p, half_width in places)


def _half_width(content: float, offset: float) -> float:
    """Return r with Φ(offset + r) - Φ(offset - r) = *content*, by Newton's steps: it is concave in r from there."""
    r = offset
    for _ in range(200):
        missing = content - (_NORMAL.cdf(offset + r) - _NORMAL.cdf(offset - r))
        step = missing / (_NORMAL.pdf(offset + r) + _NORMAL.pdf(offset - r))
        r += step
        if abs(step) <= 1e-14 * r:
            break
    return r


def _rule(low: float, high: float) -> list[tuple[float, float]]:
    """Return nodes and weights of Gauss and Legendre from *low* to *high*."""
    half = (high - low) / 2
    return [(low + half * (node + 1), half * weight) for node, weight in zip(_NODES, _WEIGHTS, strict=True)]


def _solve(excess: Callable[[float], float]) -> float:
    """
    Return the k > 0 where the increasing *excess* is zero.

    Chords in a bracket found by doubling; an end that stays is given half its weight, so that both move (Illinois).
    """
    low, high = 0.0, 1.0
    below, above = excess(1e-9), excess(high)
    while above < 0:
        low, below = high, above
        high *= 2
        above = excess(high)
    stayed = 0
    for _ in range(200):
        k = high - above * (high - low) / (above - below)
        at_k = excess(k)
        if abs(at_k) <= 1e-14 or high - low <= 1e-12 * high:
            return k
        if at_k < 0:
            low, below, above = k, at_k, above / 2 if stayed == 1 else above
            stayed = 1
        else:
            high, above, below = k, at_k, below / 2 if stayed == -1 else below
            stayed = -1
    return k


def _check(content: float, confidence: float, n: int) -> None:
    if n < 2:
        raise ValueError(f"{n} reading says nothing about the spread of a population")
    for p in (content, confidence):
        if not 0 < p < 1:
            raise ValueError(f"a probability lies between 0 and 1, not at {p:g}")
