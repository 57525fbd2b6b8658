"""
Propagation of distributions by Monte Carlo (JCGM 101 clause 7): the model itself, at draws of its inputs.

It takes no derivative, so it is right where linear propagation is not.  It is no independent evidence: it draws what
the ledger says, and what the ledger leaves out it leaves out too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, repeat
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.uncertainty.distributions import Quantity
from r2s.compiler.uncertainty.drawing import Drawing
from r2s.compiler.uncertainty.intervals import Interval, numerical_tolerance, shortest, symmetric_of
from r2s.compiler.uncertainty.state import Correlation

Floats = NDArray[np.float64]
IntervalKind = Literal["symmetric", "shortest"]
Model = Callable[[Mapping[str, Floats]], Mapping[str, Floats]]

# of draws in any order
_INTERVALS: dict[IntervalKind, Callable[[Floats, float], Interval]] = {
    "symmetric": symmetric_of,
    "shortest": lambda draws, level: shortest(np.sort(draws), level),
}
_SMALLEST_BLOCK = 10_000
_Figures = tuple[float, float, float, float]
_BLOCKS = 10  # that a fixed number of draws is split into, to see how far its figures scatter


@dataclass(frozen=True, eq=False)
class Drawn:
    """
    One output as drawn: *values* (M,) in the order of the draws, which all outputs share.

    *block* is how many draws each of the blocks has that the numerical errors are found from; the last may be larger.
    """

    values: Floats
    level: float
    block: int

    @property
    def mean(self) -> float:
        """The estimate: mean of the draws."""
        return float(self.values.mean())

    @property
    def u(self) -> float:
        """Standard uncertainty: standard deviation of the draws."""
        return float(self.values.std(ddof=1))

    def interval(self, kind: IntervalKind = "symmetric") -> Interval:
        """Return the coverage interval; the ends of the shortest scatter more from seed to seed."""
        return _INTERVALS[kind](self.values, self.level)

    def numerical_error(self, kind: IntervalKind = "symmetric") -> NumericalError:
        """Return how far the figures may still move, from their scatter over the blocks (JCGM 101 7.9.4)."""
        blocks = np.array_split(self.values, max(2, len(self.values) // self.block))
        return _error([_figures(block, self.level, kind) for block in blocks])

    def resolves(self, digits: int, finer: float = 5.0, kind: IntervalKind = "symmetric") -> bool:
        """Return whether the draws are enough for *digits* of *u*: numerical errors within 1/*finer* of half a unit."""
        return self.numerical_error(kind).largest <= numerical_tolerance(self.u, digits) / finer


@dataclass(frozen=True, slots=True)
class NumericalError:
    """Twice the standard deviations, over other draws, of mean, *u* and both ends of the interval."""

    mean: float
    u: float
    low: float
    high: float

    @property
    def largest(self) -> float:
        """The largest of them."""
        return max(self.mean, self.u, self.low, self.high)


@dataclass(frozen=True, eq=False)
class MonteCarlo:
    """All outputs by name, how many *draws* were made from which *seed*."""

    outputs: Mapping[str, Drawn]
    draws: int
    seed: int

    @cached_property
    def covariance(self) -> Floats:
        """(m, m) covariance of the outputs in their order (JCGM 102 7.6)."""
        return np.atleast_2d(np.cov(np.stack([drawn.values for drawn in self.outputs.values()])))


def propagate(
    model: Model,
    inputs: Mapping[str, Quantity],
    *,
    seed: int,
    level: float = 0.95,
    draws: int | None = None,
    digits: int = 2,
    finer: float = 5.0,
    at_most: int = 2_000_000,
    correlations: Sequence[Correlation] = (),
) -> MonteCarlo:
    """
    Return the outputs of *model* at draws of *inputs*; equal arguments give equal results.

    *model* takes (M,) arrays by name and returns such arrays by name.  With *draws* exactly that many are made;
    without, blocks are added until mean, u and the ends of the symmetric interval of every output are stable to
    1/*finer* of half a unit of the last of *digits* significant digits of u (JCGM 101 7.9; a fifth is what 8.2 asks
    for), or until *at_most* are made.  ``Drawn.resolves`` tells which.

    Raises ValueError where the model returns other shapes than it got or values that are not finite, and for what
    ``Drawing`` refuses.
    """
    drawing = Drawing(inputs, seed, correlations)
    block = max(_SMALLEST_BLOCK, math.ceil(100 / (1 - level))) if draws is None else max(2, draws // _BLOCKS)
    watch = _Stability(level, digits, finer)
    found: dict[str, list[Floats]] = {}
    for count in _counts(block, draws, at_most):
        for name, values in _evaluated(model, drawing.block(count), count).items():
            found.setdefault(name, []).append(values)
            if draws is None:
                watch.add(name, values)
        if draws is None and watch.stable:
            break
    outputs = {name: Drawn(np.concatenate(blocks), level, block) for name, blocks in found.items()}
    made = len(next(iter(outputs.values())).values) if outputs else 0
    return MonteCarlo(outputs, made, seed)


class _Stability:
    """Figures of every block so far, and whether their means have come to rest."""

    def __init__(self, level: float, digits: int, finer: float) -> None:
        self._level, self._digits, self._finer = level, digits, finer
        self._figures: dict[str, list[_Figures]] = {}

    def add(self, name: str, values: Floats) -> None:
        self._figures.setdefault(name, []).append(_figures(values, self._level, "symmetric"))

    @property
    def stable(self) -> bool:
        return all(self._rests(figures) for figures in self._figures.values())

    def _rests(self, figures: list[_Figures]) -> bool:
        if len(figures) < 2:
            return False
        # u² over all draws: within the blocks, and between their means
        means, deviations = np.array(figures)[:, :2].T
        u = math.sqrt(float((deviations**2).mean() + means.var()))
        return _error(figures).largest <= numerical_tolerance(u, self._digits) / self._finer


def _error(figures: list[_Figures]) -> NumericalError:
    errors = 2 * np.array(figures).std(axis=0, ddof=1) / math.sqrt(len(figures))
    return NumericalError(*(float(error) for error in errors))


def _figures(values: Floats, level: float, kind: IntervalKind) -> _Figures:
    """Return mean, standard deviation and the ends of the interval of one block."""
    interval = _INTERVALS[kind](values, level)
    return float(values.mean()), float(values.std(ddof=1)), interval.low, interval.high


def _counts(block: int, draws: int | None, at_most: int) -> Iterator[int]:
    """Return how many to draw, block by block; the last of a fixed number of draws takes what is left over."""
    if draws is None:
        return islice(repeat(block), max(2, at_most // block))
    whole = draws // block
    return iter([block] * (whole - 1) + [draws - block * (whole - 1)])


def _evaluated(model: Model, drawn: Mapping[str, Floats], count: int) -> dict[str, Floats]:
    outputs = {}
    for name, values in model(drawn).items():
        array = np.asarray(values, dtype=np.float64)
        if array.shape != (count,):
            raise ValueError(f"the model returned {name} with shape {array.shape} for {count} draws")
        if bad := int(np.count_nonzero(~np.isfinite(array))):
            raise ValueError(f"the model returned {name} with {bad} values of {count} that are not finite")
        outputs[name] = array
    return outputs
