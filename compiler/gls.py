"""
Generalised least squares for observations of which some share an error, in plain arithmetic.

The covariance is a diagonal and one outer product for each group of observations with a common source: a caliper's
zero error moves all its readings at once.  Such a matrix is inverted in closed form (Sherman and Morrison), so nothing
here needs a matrix library, and the cost grows with the number of observations alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import mul

_GOLDEN = (math.sqrt(5) - 1) / 2
_STEPS = 25  # of the golden section: to 1e-5, and chi² is flat there
_NOTHING = 1e-12  # of what an observation tells alone: less than that the others cannot predict


@dataclass(frozen=True, slots=True)
class Errors:
    """
    Standard uncertainties of n observations, in their own unit.

    *alone* (n) is what each draws anew, over 0; *shared* (n) what the one error of its *group* (n) moves it by.
    """

    alone: tuple[float, ...]
    shared: tuple[float, ...]
    groups: tuple[str, ...]

    @property
    def sharing(self) -> bool:
        """Whether any two observations have an error in common at all."""
        moved = [group for group, by in zip(self.groups, self.shared, strict=True) if by]
        return len(set(moved)) < len(moved)


class Weighing:
    """
    The inverse W of the covariance of *errors* whose shared parts have the *correlation* 0 to 1 within a group.

    The rest of a shared part is then drawn anew, so that the variance of each observation stays what it is.
    """

    def __init__(self, errors: Errors, correlation: float) -> None:
        parts = zip(errors.alone, errors.shared, strict=True)
        self._v = [alone**2 + (1 - correlation) * shared**2 for alone, shared in parts]
        self._load = [s / v for s, v in zip(errors.shared, self._v, strict=True)]
        self._groups = errors.groups
        inner = self._by_group(map(mul, errors.shared, self._load))
        self._kept = {group: correlation / (1 + correlation * total) for group, total in inner.items()}

    def of(self, values: Sequence[float]) -> list[float]:
        """Return W·values."""
        moved = self._by_group(map(mul, self._load, values))
        by = {group: self._kept[group] * total for group, total in moved.items()}
        return [
            x / v - load * by[group]
            for x, v, load, group in zip(values, self._v, self._load, self._groups, strict=True)
        ]

    def dot(self, a: Sequence[float], b: Sequence[float]) -> float:
        """Return aᵀ·W·b."""
        return _product(a, self.of(b))

    def diagonal(self) -> list[float]:
        """Return the diagonal of W."""
        parts = zip(self._load, self._v, self._groups, strict=True)
        return [1 / v - load**2 * self._kept[group] for load, v, group in parts]

    def _by_group(self, values: Iterable[float]) -> dict[str, float]:
        found: dict[str, list[float]] = {}
        for group, value in zip(self._groups, values, strict=True):
            found.setdefault(group, []).append(value)
        return {group: math.fsum(of) for group, of in found.items()}


@dataclass(frozen=True, slots=True)
class Solution:
    """
    Fitted parameters (k) with their covariance (k × k), and chi² of what they leave, prior knowledge included.

    *left* (n) is what the fit leaves of each observation.
    """

    values: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...]
    chi2: float
    left: tuple[float, ...]

    def u(self, index: int) -> float:
        """Standard uncertainty of a parameter."""
        return math.sqrt(self.covariance[index][index])


def regress(
    observed: Sequence[float], columns: Sequence[Sequence[float]], priors: Sequence[float | None], weighing: Weighing
) -> Solution | None:
    """
    Return the least-squares solution of observed = Σ parameter·column, or None where the columns tell nothing apart.

    *priors* are standard uncertainties of parameters that are known beforehand to be 0; None knows nothing.
    """
    known = [0.0 if prior is None else prior**-2 for prior in priors]
    weighed = [weighing.of(column) for column in columns]
    normal = [[_product(column, other) for other in weighed] for column in columns]
    for i, precision in enumerate(known):
        normal[i][i] += precision
    covariance = _inverse(normal)
    if covariance is None:
        return None
    right = [_product(observed, of) for of in weighed]
    values = [_product(row, right) for row in covariance]
    left = [y - _product(values, row) for y, row in zip(observed, zip(*columns, strict=True), strict=True)]
    chi2 = weighing.dot(left, left) + math.fsum(k * v**2 for k, v in zip(known, values, strict=True))
    return Solution(tuple(values), tuple(map(tuple, covariance)), max(chi2, 0.0), tuple(left))


def deleted(solution: Solution, columns: Sequence[Sequence[float]], weighing: Weighing) -> list[tuple[float, float]]:
    """
    Return for each observation what the fit through all others misses it by, and the standard uncertainty of that.

    The uncertainty is inf where nothing is left to predict it from.  Both follow from the one fit, without another.
    """
    rows = zip(*(weighing.of(column) for column in columns), strict=True)
    found = []
    for at, diagonal, pull in zip(rows, weighing.diagonal(), weighing.of(solution.left), strict=True):
        information = diagonal - _product(at, [_product(row, at) for row in solution.covariance])
        alone = information <= _NOTHING * diagonal
        found.append((0.0, math.inf) if alone else (pull / information, information**-0.5))
    return found


def _product(a: Sequence[float], b: Sequence[float]) -> float:
    return math.fsum(map(mul, a, b))


def least_favourable(of: Callable[[float], float], errors: Errors) -> float:
    """
    Return the correlation 0 to 1 at which the convex function *of* is least; 0 where no errors are shared.

    chi² of a least-squares fit is convex in the covariance, so one golden section finds its minimum.
    """
    if not errors.sharing:
        return 0.0
    low, high = 0.0, 1.0
    a, b = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    of_a, of_b = of(a), of(b)
    for _ in range(_STEPS):
        if of_a <= of_b:
            high, b, of_b = b, a, of_a
            a = high - _GOLDEN * (high - low)
            of_a = of(a)
        else:
            low, a, of_a = a, b, of_b
            b = low + _GOLDEN * (high - low)
            of_b = of(b)
    return min((0.0, 1.0, (low + high) / 2), key=of)


def _inverse(matrix: Sequence[Sequence[float]]) -> list[list[float]] | None:
    """Return the inverse of a small symmetric matrix (Gauss and Jordan, scaled), None where it is singular."""
    n = len(matrix)
    scale = [math.sqrt(matrix[i][i]) if matrix[i][i] > 0 else 0.0 for i in range(n)]
    if not all(scale):
        return None
    rows = [
        [matrix[i][j] / (scale[i] * scale[j]) for j in range(n)] + [float(i == j) for j in range(n)] for i in range(n)
    ]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        if abs(rows[k][k]) < 1e-10:
            return None
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k:
                factor = rows[i][k]
                rows[i] = [x - factor * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [[rows[i][n + j] / (scale[i] * scale[j]) for j in range(n)] for i in range(n)]
