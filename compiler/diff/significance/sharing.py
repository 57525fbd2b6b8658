"""
What the errors of two builds have in common.

Rows of equal id, group, source and size are one error: it moved both builds alike.  So are those of another size that a
pass brought which gave the same value, to the byte, in both: it is one error in other words, such as an offset that is
spread over the area of another mesh.  What else is common is decided by what both reports show, never by a guess:

- a bias that was measured of one and the same scanner (equal profile) is one number in both builds, and cancels;
- its uncertainty may be one error or two, nobody knows, so each output takes what makes its change least sure;
- the same calibrate readings (equal digest) bring the same errors of the caliper into both scales, whatever the scan.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from r2s.compiler.diff.significance.row import Row, rows_of
from r2s.compiler.strict_json import is_number
from r2s.compiler.uncertainty.state import Correlation

SCALE = "scale.fit"


@dataclass(frozen=True, slots=True)
class Fit:
    """
    How a build's scale came from its readings: their *weights* and relative standard uncertainties *u* by id.

    *prior* is what the device's own promise adds to ln scale, weighted.
    """

    weights: Mapping[str, float]
    u: Mapping[str, float]
    prior: float


@dataclass(frozen=True)
class Sharing:
    """
    The rows of both builds, and which of their ids are one error (*same*) or have one bias (*biased*) in both.

    *fits* are both builds' scales where they rest on the same readings, None where not.
    """

    a: Mapping[str, Row]
    b: Mapping[str, Row]
    correlations_a: tuple[Correlation, ...]
    correlations_b: tuple[Correlation, ...]
    same: frozenset[str]
    biased: frozenset[str]
    fits: tuple[Fit, Fit] | None


def sharing(a: Mapping[str, Any], b: Mapping[str, Any]) -> Sharing:
    """Return what two whole reports that have the section ``uncertainty`` share."""
    left, right = rows_of(a["uncertainty"]), rows_of(b["uncertainty"])
    ties, other_ties = _correlations(a), _correlations(b)
    same = _same(left, right, ties, other_ties, _unchanged(a, b))
    return Sharing(left, right, ties, other_ties, same, frozenset(_biased(a, b, left, right) - same), _fits(a, b))


def _correlations(report: Mapping[str, Any]) -> tuple[Correlation, ...]:
    listed = report["uncertainty"].get("correlations", ())
    return tuple(Correlation(c["first"], c["second"], float(c["r"])) for c in listed)


def _unchanged(a: Mapping[str, Any], b: Mapping[str, Any]) -> frozenset[str]:
    """Return the passes whose value is equal to the byte in both builds."""
    before, after = ({(p["name"], p["digest"]) for p in report["passes"]} for report in (a, b))
    return frozenset(name for name, _ in before & after)


def _same(
    a: Mapping[str, Row],
    b: Mapping[str, Row],
    ties: tuple[Correlation, ...],
    other_ties: tuple[Correlation, ...],
    unchanged: frozenset[str],
) -> frozenset[str]:
    """
    Return the ids that are one error in both builds.

    Rows that go together, by their group or a correlation, are one error together or not at all: half a group would be
    an error that is and is not the same.
    """
    found: set[str] = set()
    for id_ in a.keys() & b.keys():
        together = _together(id_, a, ties)
        equal = together == _together(id_, b, other_ties) and _within(together, ties) == _within(together, other_ties)
        if equal and all(_one_error(a[i], b[i], unchanged) for i in together):
            found.add(id_)
    return frozenset(found)


def _one_error(a: Row, b: Row, unchanged: frozenset[str]) -> bool:
    bounded = math.isfinite(a.u) and math.isfinite(b.u)
    in_other_words = bounded and a.made_by == b.made_by and a.made_by in unchanged
    return bool(a.source) and (a.group, a.source) == (b.group, b.source) and (a.size == b.size or in_other_words)


def _together(id_: str, rows: Mapping[str, Row], ties: tuple[Correlation, ...]) -> frozenset[str]:
    """Return *id_* and all rows that are not independent of it."""
    found: frozenset[str] = frozenset()
    new = {id_}
    while new:
        found |= new
        groups = {rows[i].group for i in new} - {""}
        near = {i for i, row in rows.items() if row.group in groups}
        for tie in ties:
            ends = {tie.first, tie.second}
            near |= ends & rows.keys() if ends & new else set()
        new = near - found
    return found


def _within(ids: frozenset[str], ties: tuple[Correlation, ...]) -> dict[frozenset[str], float]:
    return {frozenset((t.first, t.second)): t.r for t in ties if t.first in ids}


def _biased(a: Mapping[str, Any], b: Mapping[str, Any], left: Mapping[str, Row], right: Mapping[str, Row]) -> set[str]:
    """Return the ids whose bias both builds have from one profile."""
    one, two = a["inputs"]["device"], b["inputs"]["device"]
    if not (isinstance(one, dict) and isinstance(two, dict) and one.get("file")):
        return set()
    if not isinstance(one.get("sha256"), str) or one["sha256"] != two.get("sha256"):
        return set()
    return {i for i in left.keys() & right.keys() if left[i].bias == right[i].bias != 0.0}


def _fits(a: Mapping[str, Any], b: Mapping[str, Any]) -> tuple[Fit, Fit] | None:
    """Return how both scales came from the same readings, None where they did not."""
    if a["inputs"]["calipers"]["calibrate"] != b["inputs"]["calipers"]["calibrate"]:
        return None
    found = [_fit(report["scale"].get("calibration")) for report in (a, b)]
    one, two = found
    return (one, two) if one is not None and two is not None and one.weights.keys() == two.weights.keys() else None


def _fit(calibration: Any) -> Fit | None:
    """Return the fit of a report's ``scale.calibration``, None where it has none or does not say enough."""
    if not isinstance(calibration, dict) or not isinstance(calibration.get("readings"), list):
        return None
    readings, inflation = calibration["readings"], calibration.get("inflation")
    if not readings or not all(isinstance(r, dict) and isinstance(r.get("id"), str) for r in readings):
        return None
    prior = calibration.get("prior_u") or 0.0
    if not all(map(is_number, (prior, inflation, *(r.get(key) for r in readings for key in ("weight", "u"))))):
        return None
    weights = {r["id"]: float(r["weight"]) for r in readings}
    left = max(1.0 - math.fsum(weights.values()), 0.0) if prior else 0.0
    return Fit(weights, {r["id"]: float(r["u"] * inflation) for r in readings}, left * prior)
