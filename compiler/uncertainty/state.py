"""
The state of errors z: named components with their standard uncertainties, and which of them go together.

Equal groups are one error seen in several places, fully correlated; a fit's results carry a correlation of their own;
all else is independent.  The sets that remain independent of each other are what shares of u² are counted over.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.ledger import Method

Floats = NDArray[np.float64]

_ROUNDOFF = 1e-9


@dataclass(frozen=True, slots=True)
class Component:
    """
    One component of the state: *name*, standard uncertainty *u* in *unit* with *dof* degrees of freedom.

    *u* is infinite where nothing bounds the error (a scale that nobody measured).  *introduced_by* names the pass that
    the error came in with.  Components of one *group* are fully correlated, with the sign that their sensitivities
    give; an empty group holds the component alone.
    """

    name: str
    u: float
    unit: str
    method: Method
    introduced_by: str
    dof: float = math.inf
    group: str = ""

    def __post_init__(self) -> None:
        if not self.u >= 0:
            raise ValueError(f"{self.name}: a standard uncertainty cannot be {self.u:g}")
        if not self.dof > 0:
            raise ValueError(f"{self.name}: degrees of freedom must be positive, not {self.dof:g}")

    @property
    def unbounded(self) -> bool:
        """Whether nothing bounds this error."""
        return math.isinf(self.u)


@dataclass(frozen=True, slots=True)
class Correlation:
    """The correlation coefficient *r* of two components by name, as a fit of both gives it."""

    first: str
    second: str
    r: float


@dataclass(frozen=True, eq=False)
class State:
    """
    Components and what correlates them.

    Raises ValueError where names repeat or are unknown, where a coefficient leaves [-1, 1], contradicts a group or
    belongs to an unbounded component, and where no errors could be correlated so (a matrix with a negative eigenvalue).
    """

    components: tuple[Component, ...]
    correlations: tuple[Correlation, ...] = ()

    def __post_init__(self) -> None:
        names = [c.name for c in self.components]
        if repeated := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"each component needs a name of its own: {', '.join(repeated)} stands twice")
        matrix = self.correlation
        if len(matrix) and np.linalg.eigvalsh(matrix)[0] < -_ROUNDOFF * len(matrix):
            raise ValueError("no errors can be correlated so: what goes with one must go with all of its group")

    @cached_property
    def correlation(self) -> Floats:
        """(n, n) correlation coefficients."""
        return _matrix(self.components, self.correlations)

    @cached_property
    def independent(self) -> tuple[tuple[int, ...], ...]:
        """The indices of each set of components that is independent of all others, ordered by its first."""
        return _independent(self.correlation)

    @cached_property
    def u(self) -> Floats:
        """(n,) standard uncertainties, 0 where one is unbounded: the part that can be calculated with."""
        return np.array([0.0 if c.unbounded else c.u for c in self.components], dtype=np.float64)

    @cached_property
    def covariance(self) -> Floats:
        """(n, n) covariance of all bounded components; the rows of others are 0."""
        return self.correlation * np.outer(self.u, self.u)


def _matrix(components: tuple[Component, ...], correlations: tuple[Correlation, ...]) -> Floats:
    index = {c.name: i for i, c in enumerate(components)}
    matrix = np.eye(len(components))
    for group in {c.group for c in components if c.group}:
        ids = [i for i, c in enumerate(components) if c.group == group]
        matrix[np.ix_(ids, ids)] = 1.0
    for c in correlations:
        if unknown := [name for name in (c.first, c.second) if name not in index]:
            raise ValueError(f"a correlation names {unknown[0]!r}, which is no component")
        if not -1 <= c.r <= 1 or c.first == c.second:
            raise ValueError(f"{c.first} and {c.second} cannot be correlated by {c.r:g}")
        i, j = index[c.first], index[c.second]
        if matrix[i, j] != 0 and matrix[i, j] != c.r:
            raise ValueError(f"{c.first} and {c.second} are already correlated by {matrix[i, j]:g}")
        if components[i].unbounded or components[j].unbounded:
            raise ValueError(f"{c.first} and {c.second}: an unbounded error has no correlation")
        matrix[i, j] = matrix[j, i] = c.r
    return matrix


def _independent(matrix: Floats) -> tuple[tuple[int, ...], ...]:
    """Return the sets of indices that no correlation joins, each sorted, ordered by their first."""
    left = set(range(len(matrix)))
    found = []
    while left:
        reached: set[int] = set()
        new = {min(left)}
        while new:
            reached |= new
            new = {int(j) for i in new for j in np.flatnonzero(matrix[i])} - reached
        found.append(tuple(sorted(reached)))
        left -= reached
    return tuple(found)
