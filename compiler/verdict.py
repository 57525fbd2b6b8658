"""The one line with which a build ends that may not be used: a budget that is broken, a check that disagrees."""

from __future__ import annotations

from r2s.compiler import budget
from r2s.compiler.calibration import Calibration
from r2s.compiler.errors import CalipersDisagreeError, OverBudgetError, R2SError
from r2s.compiler.judge import Judgement

_MM = 1e3


def failure_of(
    judgement: Judgement, entries: tuple[budget.Entry, ...], calibration: Calibration | None = None
) -> R2SError | None:
    """
    Return the error that the build ends with, or None.

    Over budget before calibrate readings that contradict each other before a failed check, the worst of each.
    """
    over = [e for e in entries if not e.held]
    if over:
        worst = max(over, key=lambda e: e.lost / e.limit)
        lost, limit = worst.lost * _MM, worst.limit * _MM
        return OverBudgetError(
            "R2S641",
            f"{worst.name} lost {lost:.3f} mm (p99, {worst.term}) of the {limit:.3f} mm it may lose",
            hint=f"allow more with --budget {worst.name}=..., or ask for less loss with -p {worst.name}.max_error=...",
        )
    if calibration is not None and calibration.contradiction:
        return CalipersDisagreeError("R2S643", calibration.contradiction, hint=calibration.remedy)
    failed = [r for r in judgement.rows if r.verdict == "FAIL"]
    if failed:
        row = max(failed, key=lambda r: abs(r.error) / r.reading.tolerance)
        r = row.reading
        return CalipersDisagreeError(
            "R2S642",
            f"check {r.id} ({r.feature.kind}): the asset has {row.model * _MM:.2f} mm, "
            f"the caliper {r.value * _MM:.2f} mm; off by {row.error * _MM:+.2f} mm "
            f"against a tolerance of {r.tolerance * _MM:.2f} mm",
            hint="measure again, look at the waterfall in the failed report, or state another tolerance",
        )
    return None
