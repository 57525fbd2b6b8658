"""
Closure: the composed bound of the passes against what was measured past all of them.

The bounds of the passes add by the triangle inequality.  What is measured directly from the scan to the emitted files,
by another code path, must lie within the sum; where it does not, a pass said less than it lost, or the files are not
what was measured, and that is a bug.  Where it uses little of the sum, the sum holds and means little.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from r2s.compiler.bounds import Bound, compose
from r2s.compiler.direct import Direct, Directs
from r2s.compiler.errors import Diagnostic, InternalError
from r2s.compiler.ledger import DirectedDistance, Scalar, Term

Verdict = Literal["within", "vacuous", "bug"]

LEFT_OUT, REACH = "surface.left_out", "surface.reach"
VACUOUS = 0.2  # of the bound: a direct maximum below it leaves the bound too loose to mean much
NEGLIGIBLE = 1e-3  # of the diagonal: a bound below it is small enough, however little of it is used
ROUNDING = 1e-6  # of the diagonal: what single precision and the grids of the passes may move a point
WRITTEN = 2e-9  # m: meshes are written to a nanometre
DIGITS = 1e-11  # of the diagonal: the XML has twelve digits
_MM = 1e3


@dataclass(frozen=True, slots=True)
class Way:
    """
    One direction: what was measured against the *bound*, m, both in the asset's frame.

    *allowed* adds to the bound what rounding, and where a part of the sum was only sampled the spacing of the samples,
    may hide.  *tightness* is the direct maximum over the bound, nan where the bound is 0.
    """

    direction: str
    direct: Direct
    bound: Bound
    allowed: float
    tightness: float
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Closure:
    """Both ways, the facts behind them, the verdict over all, and the error if there is one."""

    ways: tuple[Way, Way]
    directs: Directs
    verdict: Verdict
    failure: InternalError | None
    diagnostics: tuple[Diagnostic, ...]


def left_out(terms: Iterable[Term]) -> float:
    """Return the distance, m, from which on vertices belong to what the surface left out on purpose; 0 for nothing."""
    return next((t.value for t in terms if isinstance(t, Scalar) and t.id == LEFT_OUT), 0.0)


def close(directs: Directs, terms: Iterable[Term], factor: float) -> Closure:
    """
    Return the verdict over *directs*; *terms* are all of the passes', *factor* is the anchor's.

    A cloud has no faces to measure back to, so its backward way ends at the closed surface, and the step from there to
    the points is no part of that bound.
    """
    terms = tuple(terms)
    distances = [t for t in terms if isinstance(t, DirectedDistance)]
    forward, _ = compose(distances, factor)
    shorter = [t for t in distances if directs.reference == "scan" or t.end != "scan"]
    _, backward = compose(shorter, factor)
    size = directs.diagonal
    ways = (_way(directs.forward, forward, size), _way(directs.backward, backward, size))
    reach = next((t.value * factor for t in terms if isinstance(t, Scalar) and t.id == REACH), math.inf)
    failure = _unfaithful(directs) or _beyond(ways, directs.reference) or _unsupported(directs, reach + ROUNDING * size)
    loose = tuple(_loose(way) for way in ways if way.verdict == "vacuous")
    verdict: Verdict = "bug" if failure is not None else "vacuous" if loose else "within"
    return Closure(ways, directs, verdict, failure, () if failure is not None else loose)


def _way(direct: Direct, bound: Bound, size: float) -> Way:
    allowed = bound.total + ROUNDING * size + (0.0 if bound.certified else direct.reach)
    used = max(direct.maximum, 0.0)
    tightness = used / bound.total if bound.total > 0 else math.nan
    loose = bound.total > NEGLIGIBLE * size and tightness < VACUOUS
    verdict: Verdict = "bug" if used > allowed else "vacuous" if loose else "within"
    return Way(bound.direction, direct, bound, allowed, tightness, verdict)


def _unfaithful(directs: Directs) -> InternalError | None:
    """Return the error of files that are not the pieces that were measured, None where they are."""
    if directs.fault:
        return _wrong_files(f"the emitted files cannot be read back: {directs.fault}")
    if directs.emitted != directs.pieces:
        return _wrong_files(f"{directs.emitted} pieces are emitted of {directs.pieces} that were measured")
    if directs.moved > WRITTEN + DIGITS * directs.diagonal:
        return _wrong_files(
            f"the emitted {directs.moved_name} is {directs.moved * _MM:.6f} mm off the piece that was measured"
        )
    if directs.folded > ROUNDING * directs.diagonal:
        deep = (
            f"folds {directs.folded * _MM:.6f} mm into its hull" if math.isfinite(directs.folded) else "is inside out"
        )
        return _wrong_files(f"the mesh of the emitted {directs.folded_name} {deep}")
    return None


def _wrong_files(what: str) -> InternalError:
    return InternalError("R2S908", what, hint="no asset was written; please report it with the scan and the sheet")


def _beyond(ways: tuple[Way, Way], reference: str) -> InternalError | None:
    """Return the error of the way that passes its bound, the worse of two, None where both hold."""
    worst = max(ways, key=lambda way: way.direct.maximum - way.allowed)
    if worst.verdict != "bug":
        return None
    what = "the scan has a point" if worst.direction == "forward" else "the asset has a point"
    against = "the emitted pieces" if worst.direction == "forward" else f"the {reference}"
    x, y, z = (value * _MM for value in worst.direct.at)
    return InternalError(
        "R2S907",
        f"{what} {worst.direct.maximum * _MM:.3f} mm outside {against}, {_over(worst):.3f} mm beyond the "
        f"{worst.bound.total * _MM:.3f} mm that the passes allow, at ({x:.1f}, {y:.1f}, {z:.1f}) mm",
        hint="no asset was written; please report it with the scan and the sheet",
    )


def _over(way: Way) -> float:
    return (way.direct.maximum - way.bound.total) * _MM


def _unsupported(directs: Directs, reach: float) -> InternalError | None:
    """Return the error of a surface that counts as observed where no point is near, None where it does not."""
    if not directs.unsupported > reach:  # nan for a mesh
        return None
    return InternalError(
        "R2S907",
        f"a place of the surface that counts as observed is {directs.unsupported * _MM:.3f} mm from every scan point, "
        f"where the surface pass allows {reach * _MM:.3f} mm",
        hint="no asset was written; please report it with the scan and the sheet",
    )


def _loose(way: Way) -> Diagnostic:
    ends = "scan to asset" if way.direction == "forward" else "asset to scan"
    return Diagnostic(
        "note",
        "R2S651",
        f"closure {ends}: {max(way.direct.maximum, 0.0) * _MM:.3f} mm measured of the {way.bound.total * _MM:.3f} mm "
        f"bound ({100 * way.tightness:.0f} %): the bound holds and is too loose to mean much",
        "look in the report for the part of the bound that is largest",
    )
