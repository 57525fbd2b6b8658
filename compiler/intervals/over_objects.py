"""
An interval over objects from one number an object.

With the mean m and the standard deviation s of n objects, and the standard uncertainty u of what all numbers share (the
zero of the caliper, the scale of the scan), which no number of objects averages away and which therefore enters once:

    prediction       m ± t sqrt(s² (1 + 1/n) + u²)    the next object, with the probability of t
    tolerance        m ± k sqrt(s² + u²)              a share of all objects, with a confidence
    minmax_margin    [min - margin, max + margin]     no probability: a rule of thumb

Repeatability is inside s already and is not added again.  No interval is narrower than the expanded uncertainty of one
measurement: objects cannot be told apart more finely than they are measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from r2s.compiler.population import FEWEST, Recipe
from r2s.compiler.uncertainty.student import coverage_factor
from r2s.compiler.uncertainty.tolerance import tolerance_factor

Ends = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Sample:
    """
    One number an object, none negative, all in one unit.

    *u* is the relative standard uncertainty that they share, *expanded* the expanded uncertainty of one of them, in
    their unit.
    """

    values: tuple[float, ...]
    u: float = 0.0
    expanded: float = 0.0

    @property
    def n(self) -> int:
        """Number of objects."""
        return len(self.values)

    @property
    def positive(self) -> bool:
        """Whether every number has a logarithm."""
        return min(self.values) > 0


@dataclass(frozen=True, slots=True)
class Interval:
    """
    From *lo* to *hi* about the *centre*, which is the geometric mean where it was *logarithmic*.

    *floored* says that the objects differ by less than one of them is known, and that its uncertainty set an end.
    """

    lo: float
    hi: float
    centre: float
    logarithmic: bool
    floored: bool


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and the sample standard deviation of at least two numbers."""
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1))


def prediction(values: Sequence[float], level: float = 0.95, u: float = 0.0) -> Ends:
    """
    Return where the next of a normal population falls with probability *level*; *u* as in the module, absolute.

    >>> [round(end, 2) for end in prediction([9.8, 10.1, 10.0, 9.9])]
    [9.49, 10.41]
    """
    n = len(values)
    mean, s = mean_and_deviation(values)
    half = coverage_factor(level, n - 1) * math.sqrt(s**2 * (1 + 1 / n) + u**2)
    return mean - half, mean + half


def tolerance(values: Sequence[float], share: float = 0.95, confidence: float = 0.95, u: float = 0.0) -> Ends:
    """
    Return what holds the *share* of a normal population with *confidence*; *u* as in the module, absolute.

    >>> [round(end, 2) for end in tolerance([9.8, 10.1, 10.0, 9.9])]
    [9.13, 10.77]
    """
    mean, s = mean_and_deviation(values)
    half = tolerance_factor(share, confidence, len(values)) * math.hypot(s, u)
    return mean - half, mean + half


def minmax(values: Sequence[float], margin: float) -> Ends:
    """
    Return the smallest and the largest, widened by *margin*.

    >>> [round(end, 2) for end in minmax([9.8, 10.1, 10.0, 9.9], 0.3)]
    [9.5, 10.4]
    """
    return min(values) - margin, max(values) + margin


def spread(recipe: Recipe, sample: Sample) -> Interval:
    """
    Return the interval of *recipe* over the objects of *sample*.

    Mass, friction and size are positive and vary by ratios, so prediction and tolerance work on their logarithms and
    no end is below 0; where a number is 0 they work on the numbers and are cut at 0.  Raises ValueError for fewer than
    three objects, and for a recipe that is not over objects.
    """
    if sample.n < FEWEST:
        raise ValueError(f"{sample.n} objects say nothing of the next one")
    logarithmic = recipe.kind != "minmax_margin" and sample.positive
    mean = math.fsum(sample.values) / sample.n
    values = tuple(math.log(v) for v in sample.values) if logarithmic else sample.values
    u = sample.u if logarithmic else sample.u * mean
    match recipe.kind:
        case "prediction":
            lo, hi = prediction(values, recipe.level, u)
        case "tolerance":
            lo, hi = tolerance(values, recipe.level, recipe.confidence, u)
        case "minmax_margin":
            lo, hi = minmax(values, recipe.margin * mean if recipe.relative else recipe.margin)
        case _:
            raise ValueError(f"{recipe.kind} is no recipe over objects")
    centre = mean
    if logarithmic:
        lo, hi, centre = map(_exp, (lo, hi, math.fsum(values) / sample.n))
    least, most = centre - sample.expanded, centre + sample.expanded
    floored = least < lo or most > hi
    return Interval(max(min(lo, least), 0.0), max(hi, most), centre, logarithmic, floored)


def _exp(log: float) -> float:
    """Return the exponential of *log*, capped where no float is larger: numbers may differ by any factor."""
    return math.exp(min(log, 700.0))
