"""
Whether caliper readings ask for one and the same scale, and which of them does not.

Pure arithmetic on ratios (a reading over what the scan says in its own numbers); measuring is done elsewhere.
A fit is never made through readings that disagree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from r2s.compiler.readings import Reading
from r2s.compiler.slips import slip
from r2s.compiler.units import NAMED_SCAN_UNITS, SCAN_UNIT_WORDS
from r2s.passes.caliper.value import Value

# A unit is named, or contradicted, by a ratio within, or beyond, this part.
NEAR = 0.08
# What faces that are not quite flat and jaws that are not quite square may do to any length.
_FORM = 0.02
# Soft parts read short under the jaws.
_SOFT = 0.03
# A tolerance says how far the owner lets this length be wrong; no more than this of it excuses a ratio.
_TOLERATED = 0.06
# A reading known no better than this cannot tell one unit from the next.
_VAGUE = 0.3


@dataclass(frozen=True, slots=True)
class Ratio:
    """A reading in *metres* of a feature that measures *raw* file numbers; *slack* bounds the error of ln ratio."""

    id: str
    kind: str
    metres: float
    raw: float
    slack: float

    @property
    def log(self) -> float:
        """Natural logarithm of metres per file number."""
        return math.log(self.metres / self.raw)

    @property
    def vague(self) -> bool:
        """Whether the reading is too uncertain to tell units apart."""
        return self.slack > _VAGUE


def ratio_of(reading: Reading, value: Value) -> Ratio | None:
    """Return a reading's ratio to the scan's own value, with what may excuse a difference; None without a length."""
    if value.refused or not value.value > 0:
        return None
    random = 3 * math.hypot(reading.u / reading.value, value.u / value.value)
    tolerated = min(reading.tolerance / reading.value, _TOLERATED)
    slack = random + tolerated + _FORM + (_SOFT if reading.compliant else 0.0)
    return Ratio(reading.id, reading.feature.kind, reading.value, value.value, slack)


def agree(ratios: tuple[Ratio, ...]) -> bool:
    """Return whether every two ratios are equal within what their uncertainties allow."""
    return all(abs(a.log - b.log) <= a.slack + b.slack for i, a in enumerate(ratios) for b in ratios[i + 1 :])


def centre(ratios: tuple[Ratio, ...]) -> float:
    """Return the metres per file number that the ratios ask for together: the mean of logs, weighted by 1/slack²."""
    weights = [r.slack**-2 for r in ratios]
    return math.exp(math.fsum(w * r.log for w, r in zip(weights, ratios, strict=True)) / math.fsum(weights))


def nearest_unit(factor: float) -> str:
    """Return the named unit within 8 % of *factor*, or an empty string."""
    best = min(NAMED_SCAN_UNITS, key=lambda name: abs(math.log(factor / NAMED_SCAN_UNITS[name])))
    return best if abs(factor / NAMED_SCAN_UNITS[best] - 1) <= NEAR else ""


def odd_one(ratios: tuple[Ratio, ...], declared: float | None = None) -> tuple[Ratio, float] | None:
    """
    Return the one ratio that the others outvote, and the factor that the others ask for; None if that is not clear.

    Three or more: the only one without which the rest agree.  Two cannot outvote each other: then the one that lies
    near no named unit (or the *declared* factor) is odd, if the other does.
    """
    if len(ratios) > 2:
        rests = [ratios[:i] + ratios[i + 1 :] for i in range(len(ratios))]
        fits = [(r, rest) for r, rest in zip(ratios, rests, strict=True) if agree(rest)]
        if len(fits) == 1:
            return fits[0][0], centre(fits[0][1])
        return None
    a, b = ratios
    right = [_is_right(r, declared) for r in ratios]
    if right == [True, False]:
        return b, math.exp(a.log)
    if right == [False, True]:
        return a, math.exp(b.log)
    return None


def _is_right(ratio: Ratio, declared: float | None) -> bool:
    if declared is not None:
        return abs(ratio.log - math.log(declared)) <= NEAR
    return bool(nearest_unit(math.exp(ratio.log)))


def guess(odd: Ratio, factor: float, others: Mapping[str, float]) -> str:
    """
    Return what probably happened to the odd reading, as words that follow a colon; empty if nothing fits.

    *factor* is what the other readings ask for, *others* what the scan says for other kinds of feature.
    """
    q = odd.metres / (odd.raw * factor)
    fitting = {k: abs(math.log(odd.metres / (raw * factor))) for k, raw in others.items() if k != odd.kind and raw > 0}
    close = [k for k in fitting if fitting[k] <= 0.03]
    if close and abs(math.log(q)) > 0.03:
        kind = min(close, key=lambda k: fitting[k])
        inside = {"outer_diameter": "inner_diameter", "inner_diameter": "outer_diameter"}.get(odd.kind) == kind
        side = (
            "an inside reading for an outside one"
            if kind == "inner_diameter"
            else "an outside reading for an inside one"
        )
        return f"it fits {kind}: {side}?" if inside else f"it fits {kind}: were two readings exchanged?"
    return slip(q)


def off_by_a_unit(quotient: float) -> bool:
    """Return whether *quotient* is the ratio of two units, as a scale applied twice or not at all leaves it."""
    factors = {a / b for a in NAMED_SCAN_UNITS.values() for b in NAMED_SCAN_UNITS.values() if a != b}
    return any(abs(math.log(quotient / f)) <= NEAR for f in factors)


def unit_words(unit: str) -> str:
    """Return a unit in words: ``millimetres`` for ``mm``."""
    return SCAN_UNIT_WORDS.get(unit, unit)
