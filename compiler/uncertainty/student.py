"""
Quantiles of Student's t for any degrees of freedom, whole or not, by quadrature.

With T = √ν sinh(X/√ν) the density of X is proportional to cosh(x/√ν)^(-ν): smooth, quickly falling, and without a
break between heavy tails (ν = 1/2) and the normal distribution (ν = ∞), so one rule serves them all and no gamma
function loses digits at large ν.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

_NEGLIGIBLE = 45.0  # e^-45 is beyond double precision beside one
_FEWEST = 0.1  # degrees of freedom; fewer than that, and a 95 % interval reaches 10^12 times its uncertainty
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(96)


def coverage_factor(level: float, dof: float) -> float:
    """
    Return the k for which ±k standard uncertainties hold *level* of Student's t with *dof* degrees of freedom.

    GUM G.3.2 with dof as it is: no table, so neither interpolation nor truncation (GUM G.4.1 allows either).
    Raises ValueError unless 0 < level < 1 and dof >= 0.1.

    >>> round(coverage_factor(0.95, math.inf), 3), round(coverage_factor(0.99, 16), 3)
    (1.96, 2.921)
    """
    if not 0 < level < 1:
        raise ValueError(f"a level lies between 0 and 1, not at {level:g}")
    return t_quantile((1 + level) / 2, dof)


@lru_cache(maxsize=1024)
def t_quantile(p: float, dof: float) -> float:
    """
    Return the value that Student's t with *dof* degrees of freedom exceeds with probability 1 - *p*.

    Right to 1e-8 of itself, and to 1e-10 where neither tail is under 1e-3.
    Raises ValueError unless 0 < p < 1 and dof >= 0.1.

    >>> round(t_quantile(0.975, 4), 3), t_quantile(0.5, 3)
    (2.776, 0.0)
    """
    if not 0 < p < 1:
        raise ValueError(f"a probability lies between 0 and 1, not at {p:g}")
    if not dof >= _FEWEST:
        raise ValueError(f"{dof:g} degrees of freedom are too few for an interval")
    if p < 0.5:
        return -t_quantile(1 - p, dof)
    if math.isinf(dof):
        return NormalDist().inv_cdf(p)
    root = math.sqrt(dof)
    wanted = (p - 0.5) * 2 * _half_total(dof)
    # The integral is concave in x: Newton's steps from 0 come up from below and never pass the root.
    x = 0.0
    for _ in range(500):
        step = (wanted - _integral(x, dof)) / float(_density(x, dof))
        x += step
        if step <= 1e-14 * x:
            break
    return root * math.sinh(x / root)


def _density(x: NDArray[np.float64] | float, dof: float) -> NDArray[np.float64]:
    """Return cosh(x/√ν)^(-ν), written so that a large ν keeps its digits: cosh y = 1 + 2 sinh²(y/2)."""
    half = np.sinh(np.asarray(x) / (2 * math.sqrt(dof)))
    density: NDArray[np.float64] = np.exp(-dof * np.log1p(2 * half**2))
    return density


def _integral(x: float, dof: float) -> float:
    return float(_WEIGHTS @ _density((_NODES + 1) * (x / 2), dof)) * x / 2


def _half_total(dof: float) -> float:
    """Return the integral from 0 to ∞: the trapezoidal rule, whose error falls with exp(-2π distance/step)."""
    root = math.sqrt(dof)
    distance = root * math.pi / 2  # of the nearest singularity from the real axis
    step = min(distance / 7, 0.5)
    power = _NEGLIGIBLE / dof
    end = root * (power + math.log1p(math.sqrt(-math.expm1(-2 * power))))  # where the density is e^-45
    values = _density(np.arange(0.0, end + step, step), dof)
    return float(values.sum() - values[0] / 2) * step
