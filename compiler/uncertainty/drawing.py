"""
Seeded draws of named quantities: each has a stream of its own, so neither order nor company changes what it draws.

Two budgets that share a row then draw the same errors for it, and the difference of their outputs is that of the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.uncertainty.distributions import Normal, Quantity
from r2s.compiler.uncertainty.state import Component, Correlation, State

Floats = NDArray[np.float64]


class Drawing:
    """
    Draws of *inputs*, block after block; equal seeds give equal draws.

    *correlations* join normal quantities to a multivariate normal (JCGM 101 6.4.8).
    Raises ValueError for a negative seed, for correlated quantities that are not normal (their joint distribution would
    be a guess), and for correlations that no state of errors can have.
    """

    def __init__(self, inputs: Mapping[str, Quantity], seed: int, correlations: Sequence[Correlation] = ()) -> None:
        if seed < 0:
            raise ValueError(f"a seed cannot be negative, as {seed} is")
        self._inputs = {name: inputs[name] for name in sorted(inputs)}
        self._streams = {name: np.random.default_rng([seed, *name.encode()]) for name in self._inputs}
        # Only the coefficients matter here; the checks and the independent sets are those of any state of errors.
        state = State(tuple(Component(n, 1.0, "1", "assumed", "") for n in self._inputs), tuple(correlations))
        names = list(self._inputs)
        self._joint = [(_names(names, ids), _root(state.correlation[np.ix_(ids, ids)])) for ids in state.independent]
        for joined, _ in self._joint:
            if len(joined) > 1 and (other := [n for n in joined if not isinstance(inputs[n], Normal)]):
                raise ValueError(f"{other[0]} is correlated and not normal: no joint distribution is known")

    def block(self, count: int) -> dict[str, Floats]:
        """Return the next (count,) draws of every quantity."""
        drawn = {}
        for names, root in self._joint:
            if len(names) == 1:
                drawn[names[0]] = self._inputs[names[0]].draw(self._streams[names[0]], count)
                continue
            independent = np.stack([self._streams[name].standard_normal(count) for name in names])
            for name, normal in zip(names, root @ independent, strict=True):
                drawn[name] = self._inputs[name].value + self._inputs[name].u * normal
        return drawn


def _names(names: list[str], ids: tuple[int, ...]) -> list[str]:
    return [names[i] for i in ids]


def _root(correlation: Floats) -> Floats:
    """Return a matrix R with R Rᵀ = *correlation*, which may be singular (Cholesky's may not)."""
    values, vectors = np.linalg.eigh(correlation)
    root: Floats = vectors * np.sqrt(np.maximum(values, 0.0))
    return root
