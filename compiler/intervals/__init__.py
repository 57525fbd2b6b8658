"""
Intervals over objects of one kind: what the next one, or most of them, will have.

``over_objects`` makes one from a number an object, ``asked`` reads what a user chose, ``plan`` says which slot gets
what.
"""

from r2s.compiler.intervals.over_objects import Interval, Sample, minmax, prediction, spread, tolerance

__all__ = [
    "Interval",
    "Sample",
    "minmax",
    "prediction",
    "spread",
    "tolerance",
]
