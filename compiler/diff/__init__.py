"""
What changed between two reports: inputs, options and versions, the first pass that differs, and every number.

``diff(a, b)`` is a pure function on two reports; ``screen`` shows its answer, ``read_report`` finds a report on disk.
"""

from r2s.compiler.diff.compare import SCHEMA, diff
from r2s.compiler.diff.read import checked, read_report, report_beside
from r2s.compiler.diff.screen import screen

__all__ = ["SCHEMA", "checked", "diff", "read_report", "report_beside", "screen"]
