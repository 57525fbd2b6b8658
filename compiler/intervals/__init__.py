"""
Intervals over objects of one kind: what the next one, or most of them, will have.

``over_objects`` makes one from a number an object; ``student`` and ``tolerance`` hold the factors, from closed forms
and one quadrature, since the core carries no scipy.  ``asked`` reads what a user chose, ``plan`` says which slot gets
what.
"""

from r2s.compiler.intervals.over_objects import Interval, Sample, minmax, prediction, spread, tolerance
from r2s.compiler.intervals.student import student_quantile
from r2s.compiler.intervals.tolerance import tolerance_factor

__all__ = [
    "Interval",
    "Sample",
    "minmax",
    "prediction",
    "spread",
    "student_quantile",
    "tolerance",
    "tolerance_factor",
]
