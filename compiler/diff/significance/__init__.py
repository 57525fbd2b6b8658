"""
Whether what changed between two builds is more than their uncertainty, and which pass made an asset surer or less sure.

``statistics(a, b)`` is a pure function on two reports; ``told`` yields the lines for its answer.
"""

from r2s.compiler.diff.significance.lines import told
from r2s.compiler.diff.significance.statistics import statistics

__all__ = ["statistics", "told"]
