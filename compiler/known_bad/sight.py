"""What a build said, as far as damage would change it, and what a damaged one said that the sound one did not."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from r2s.compiler.driver import Build
from r2s.compiler.errors import Diagnostic, R2SError

HOLE = 0.03  # net normal over area from which on something is missing (see the metrology of coverage)
LOUDER = 1.5  # times the sound scan's noise: what its own estimate does not reach by chance
_OF_THE_JUDGE = "R2S63"  # before there is a model these speak of nothing
_RANK = {"UNCHECKED": 0, "PASS": 0, "INCONCLUSIVE": 1, "FAIL": 2}

How = Literal["stopped", "warned", "turned down", "not covered", "corrected", "estimated"]

# What a check shares with what it checks, by the first letters of its code; the longest that fits holds.
_SHARED: dict[str, str] = {
    "R2S2": "nothing: the sheet against itself",
    "R2S30": "the calibrate readings, which settle the unit",
    "R2S31": "the calibrate readings, which settle the axes",
    "R2S3": "the scan",
    "R2S4": "the scan",
    "R2S5": "the scan",
    "R2S60": "the calibrate readings, which set the scale",
    "R2S631": "the instrument, where calibrate and check use one",
    "R2S642": "the instrument, where calibrate and check use one",
    "R2S643": "the calibrate readings, which set the scale",
    "R2S70": "the balance, which sets the mass, and the volume",
    "R2S719": "the balance points, which set the centre of mass",
    "R2S90": "the scan and the closed surface, by code of its own",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One check that saw something: how, its code (empty where it has none), its words, and what it shares."""

    how: How
    code: str
    words: str
    shares: str


@dataclass(frozen=True)
class Sight:
    """
    What one build told, an error included.

    *warnings* by code and the words before the first number; *verdicts* by reading; *net* the net normal over the area,
    *noise* in m, both nan where unknown; *unit* as decided, *factor* of the scale, 1 where none was applied.
    """

    error: Diagnostic | None
    warnings: Mapping[tuple[str, str], Diagnostic]
    verdicts: Mapping[str, str]
    net: float
    noise: float
    unit: str
    applied: bool
    factor: float


def sight_of(build: Build | R2SError, *, whole: bool) -> Sight:
    """Return what *build* told; of one that is not *whole*, stopped before the asset, nothing of the checks."""
    if isinstance(build, R2SError):
        return Sight(build.diagnostic, {}, {}, math.nan, math.nan, "", False, 1.0)
    said = [d for d in build.diagnostics if d.severity != "note"]
    if not whole:
        said = [d for d in said if not d.code.startswith(_OF_THE_JUDGE)]
    failure = build.failure.diagnostic if build.failure is not None else None
    report = build.report
    terms = {t["id"]: t for p in report["passes"] for t in p["terms"] if "id" in t}
    return Sight(
        error=failure,
        warnings={_key(d): d for d in said},
        verdicts={r["id"]: r["verdict"] for r in report["features"]} if whole else {},
        net=_value(terms, "ingest.net_normal", "value"),
        noise=_value(terms, "ingest.noise", "u"),
        unit=report["unit"]["unit"],
        applied=bool(report["scale"]["applied"]),
        factor=float(report["scale"]["factor"]),
    )


def seen(sound: Sight, damaged: Sight) -> tuple[Finding, ...]:
    """Return what *damaged* told that *sound* did not, what stops a build first."""
    found: list[Finding] = []
    if damaged.error is not None and (sound.error is None or sound.error.code != damaged.error.code):
        found.append(_said("stopped", damaged.error))
    found += [_said("warned", d) for key, d in damaged.warnings.items() if key not in sound.warnings]
    found += _turned_down(sound, damaged)
    if damaged.net > HOLE and not sound.net > HOLE:
        words = f"the net normal is {100 * damaged.net:.2g} % of the area: a side is missing"
        found.append(Finding("not covered", "", words, "the scan"))
    if damaged.unit and damaged.unit != sound.unit:
        words = f"the calipers read the file's numbers as {damaged.unit}, not {sound.unit}"
        found.append(Finding("corrected", "R2S305" if damaged.unit != "free" else "R2S306", words, _shares("R2S30")))
    if damaged.applied and not sound.applied:
        words = f"the scale fit, which corrects it by {100 * (damaged.factor - 1):+.2f} %"
        found.append(Finding("corrected", "", words, _shares("R2S60")))
    if damaged.noise > LOUDER * sound.noise:
        words = f"the scan's noise is estimated as {damaged.noise * 1e3:.2g} mm, not {sound.noise * 1e3:.2g} mm"
        found.append(Finding("estimated", "", words, "the scan"))
    return tuple(found)


def _turned_down(sound: Sight, damaged: Sight) -> Iterable[Finding]:
    warned = " ".join(d.message for d in damaged.warnings.values())
    for id_, verdict in damaged.verdicts.items():
        if _RANK[verdict] <= _RANK[sound.verdicts.get(id_, "PASS")]:
            continue
        if verdict == "INCONCLUSIVE" and f"check {id_} " in warned:
            continue  # its warning says the same
        code = "R2S642" if verdict == "FAIL" else "R2S631"
        yield Finding("turned down", code, f"check {id_} is {verdict}", _shares(code))


def from_closure(failure: R2SError) -> Finding:
    """Return what closure saw."""
    return _said("stopped", failure.diagnostic)


def _said(how: How, d: Diagnostic) -> Finding:
    words = re.sub(r"^\S+:\d+:\d+: ", "", d.message)  # a place in a scratch file helps nobody
    return Finding(how, d.code, words, _shares(d.code))


def _shares(code: str) -> str:
    fitting = [start for start in _SHARED if code.startswith(start)]
    return _SHARED[max(fitting, key=len)] if fitting else "the scan"


def _key(d: Diagnostic) -> tuple[str, str]:
    return d.code, re.split(r"[\d+]", d.message, maxsplit=1)[0]


def _value(terms: Mapping[str, Any], id_: str, field: str) -> float:
    value = terms.get(id_, {}).get(field)
    return math.nan if value is None else float(value)
