"""
What is known of an input quantity: a best value, its standard uncertainty, and the shape of what may be true instead.

The shapes are those of JCGM 101 6.4.  Values are in the quantity's own unit, which no arithmetic here needs to know.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Quantity(Protocol):
    """
    An input quantity: what the law of propagation takes of it, and draws for propagating its distribution.

    *u* is the standard uncertainty of the GUM and *dof* says how well *u* is known.  *sd* is the standard deviation of
    the distribution itself; only Student's t has one that is not *u*.
    """

    @property
    def value(self) -> float:
        """The best value."""

    @property
    def u(self) -> float:
        """Standard uncertainty."""

    @property
    def dof(self) -> float:
        """Degrees of freedom of *u*."""

    @property
    def sd(self) -> float:
        """Standard deviation of the distribution; infinite where it has none."""

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Return (count,) independent draws."""


def dof_of_doubt(doubt: float) -> float:
    """
    Return the degrees of freedom of a standard uncertainty that may be wrong by the fraction *doubt* of itself.

    GUM G.4.2: (1/2) (Δu/u)⁻².  Raises ValueError for a negative doubt.

    >>> dof_of_doubt(0.25), dof_of_doubt(0.0)
    (8.0, inf)
    """
    if not doubt >= 0:
        raise ValueError(f"a doubt cannot be {doubt:g}")
    return 0.5 / doubt**2 if doubt > 0 else math.inf


@dataclass(frozen=True, slots=True)
class Normal:
    """A best value with a standard uncertainty and no limits; *dof* enters linear propagation only."""

    value: float
    u: float
    dof: float = math.inf

    def __post_init__(self) -> None:
        _check(self.value, self.u, self.dof)

    @property
    def sd(self) -> float:
        """Standard deviation: *u*."""
        return self.u

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Return (count,) draws."""
        return self.value + self.u * rng.standard_normal(count)


@dataclass(frozen=True, slots=True)
class StudentT:
    """
    The mean of a few readings: *value* ± *u* with *dof*, and the heavy tails that few readings leave (JCGM 101 6.4.9).

    *u* is s/√n.  The distribution is wider than that, so Monte Carlo finds more than linear propagation does:
    √(ν/(ν-2)) times *u*, and no finite standard deviation for two degrees of freedom or fewer.
    """

    value: float
    u: float
    dof: float

    def __post_init__(self) -> None:
        _check(self.value, self.u, self.dof)

    @property
    def sd(self) -> float:
        """Standard deviation of the scaled and shifted t."""
        if math.isinf(self.dof):
            return self.u
        return self.u * math.sqrt(self.dof / (self.dof - 2)) if self.dof > 2 else math.inf

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Return (count,) draws."""
        normal = rng.standard_normal(count)
        if math.isinf(self.dof):
            return self.value + self.u * normal
        return self.value + self.u * normal / np.sqrt(rng.chisquare(self.dof, count) / self.dof)


@dataclass(frozen=True, slots=True)
class _Limits:
    """A value that lies within ±*half_width* for certain; *doubt* is how wrong the half-width may be, as a fraction."""

    _squares: ClassVar[float]  # a²/u²
    value: float
    half_width: float
    doubt: float = 0.0

    def __post_init__(self) -> None:
        _check(self.value, self.half_width, self.dof)

    @property
    def u(self) -> float:
        """Standard uncertainty."""
        return self.half_width / math.sqrt(self._squares)

    @property
    def sd(self) -> float:
        """Standard deviation: *u*."""
        return self.u

    @property
    def dof(self) -> float:
        """Degrees of freedom from the doubt (GUM G.4.2)."""
        return dof_of_doubt(self.doubt)


@dataclass(frozen=True, slots=True)
class Rectangular(_Limits):
    """Anywhere within the limits alike: u = a/√3 (GUM 4.3.7)."""

    _squares = 3.0

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Return (count,) draws."""
        return self.value + self.half_width * rng.uniform(-1, 1, count)


@dataclass(frozen=True, slots=True)
class Triangular(_Limits):
    """Near the middle rather than near the limits: u = a/√6 (GUM 4.3.9)."""

    _squares = 6.0

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Return (count,) draws: the sum of two rectangular ones of half the width."""
        return self.value + self.half_width * (rng.uniform(-1, 1, count) + rng.uniform(-1, 1, count)) / 2


@dataclass(frozen=True, slots=True)
class Arcsine(_Limits):
    """Near the limits rather than in the middle, as a temperature that cycles: u = a/√2 (JCGM 101 6.4.6)."""

    _squares = 2.0

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Return (count,) draws: a sine at any phase."""
        return self.value + self.half_width * np.sin(math.pi * rng.uniform(-1, 1, count))


@dataclass(frozen=True, slots=True)
class CurvilinearTrapezoid(_Limits):
    """
    A rectangle whose limits are themselves uncertain, each anywhere within ±doubt·a (JCGM 101 6.4.3).

    u² = a²/3 + (doubt·a)²/9: the doubt that linear propagation puts into *dof* is here in the shape, and also in *u*.
    Raises ValueError where the doubt is more than the whole half-width.
    """

    def __post_init__(self) -> None:
        _check(self.value, self.half_width, self.dof)
        if self.doubt > 1:
            raise ValueError(f"limits of {self.half_width:g} cannot be in doubt by {self.doubt:g} times that")

    @property
    def u(self) -> float:
        """Standard uncertainty."""
        return self.half_width * math.sqrt(1 / 3 + self.doubt**2 / 9)

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Return (count,) draws: first the half-width, then a value within it."""
        half_width = self.half_width * (1 + self.doubt * rng.uniform(-1, 1, count))
        return self.value + half_width * rng.uniform(-1, 1, count)


def of_u(distribution: str, value: float, u: float, dof: float = math.inf) -> Quantity:
    """
    Return the quantity that a row of the ledger speaks of: a standard uncertainty and the name of a distribution.

    The names are those of :class:`r2s.compiler.ledger.StandardUncertainty`; limits are the half-width with this *u*.
    Raises ValueError for any other name.

    >>> of_u("rectangular", 0.0, 0.5, 8.0)
    Rectangular(value=0.0, half_width=0.8660254037844386, doubt=0.25)
    """
    match distribution:
        case "normal":
            return Normal(value, u, dof)
        case "t":
            return StudentT(value, u, dof)
        case "rectangular":
            return Rectangular(value, u * math.sqrt(3), math.sqrt(0.5 / dof))
        case "triangular":
            return Triangular(value, u * math.sqrt(6), math.sqrt(0.5 / dof))
    raise ValueError(f"no distribution is called {distribution!r}")


def _check(value: float, width: float, dof: float) -> None:
    if not math.isfinite(value):
        raise ValueError(f"a best value must be finite, not {value:g}")
    if not 0 <= width < math.inf:
        raise ValueError(f"an uncertainty must be finite and not negative, not {width:g}")
    if not dof > 0:
        raise ValueError(f"degrees of freedom must be positive, not {dof:g}")
