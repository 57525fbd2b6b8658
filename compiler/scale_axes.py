"""Whether the scan has one scale or another along each axis of the object's box, as depth cameras and drift make it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from r2s.compiler.chi2 import chi2_tail
from r2s.compiler.gls import Weighing, regress
from r2s.compiler.scale_pair import Pair, errors_of, log_ratios

_EACH = 2  # readings along an axis: with one, a slip looks like a scale of its own


@dataclass(frozen=True, slots=True)
class AxesTest:
    """
    One scale against one for each of *axes*: *drop* of chi² with *dof* degrees of freedom, and its upper tail *p*.

    *p_left* is that of what a scale for each axis leaves: where it is small, those do not explain the readings either.
    *ln_s* and *u* are of each axis, in their order; *readings* are how many lie along each.
    """

    axes: tuple[str, ...]
    readings: tuple[int, ...]
    ln_s: tuple[float, ...]
    u: tuple[float, ...]
    drop: float
    dof: int
    p: float
    p_left: float


def compare_axes(pairs: Sequence[Pair], prior_offset: float | None) -> AxesTest | None:
    """
    Return the test, or None where fewer than two axes have two readings each.

    A linear strain that is diagonal in the box axes, against one that is the same in all: under equal scales the drop
    is chi² with one degree of freedom less than there are axes.  A device's *prior_offset*, m, is left free to explain
    its part.  Of no sharing and full sharing of the makers' limits the larger p is taken.
    """
    counts: dict[str, int] = {}
    for pair in pairs:
        counts[pair.axis] = counts.get(pair.axis, 0) + 1
    axes = tuple(sorted(axis for axis, n in counts.items() if axis and n >= _EACH))
    if len(axes) < 2:
        return None
    along = [p for p in pairs if p.axis in axes]
    tests = [test for c in (0.0, 1.0) if (test := _test(along, axes, prior_offset, c)) is not None]
    return max(tests, key=lambda test: test.p, default=None)


def _test(
    pairs: Sequence[Pair], axes: tuple[str, ...], prior_offset: float | None, correlation: float
) -> AxesTest | None:
    weighing, observed = Weighing(errors_of(pairs), correlation), log_ratios(pairs)
    offset = [[p.per_offset for p in pairs]] if prior_offset else []
    known = [prior_offset] if prior_offset else []
    one = regress(observed, [[1.0] * len(pairs), *offset], [None, *known], weighing)
    columns = [[float(p.axis == axis) for p in pairs] for axis in axes]
    each = regress(observed, [*columns, *offset], [*[None] * len(axes), *known], weighing)
    if one is None or each is None:
        return None
    drop, dof = max(one.chi2 - each.chi2, 0.0), len(axes) - 1
    readings = tuple(sum(p.axis == axis for p in pairs) for axis in axes)
    u = tuple(each.u(i) for i in range(len(axes)))
    p_left = chi2_tail(each.chi2, len(pairs) - len(axes))
    return AxesTest(axes, readings, each.values[: len(axes)], u, drop, dof, chi2_tail(drop, dof), p_left)
