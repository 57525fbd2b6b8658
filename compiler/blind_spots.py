"""
What no check of a build could have seen, by rule from what the build knows: readings, roles, fit, sizes and mass.

``r2s-compile inject`` tries the rules: it damages the input on purpose, and whatever then passes every check must be
covered by one of these.  Limits are conservative: under one an error may pass, from it on it is seen with 95 % power.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from r2s.compiler.calibration import Calibration
from r2s.compiler.decision import Decision, signed_axes
from r2s.compiler.inputs import Inputs
from r2s.compiler.ir import Anchor
from r2s.compiler.judge import Judgement, Row
from r2s.compiler.ledger import Scalar, StandardUncertainty, Term
from r2s.compiler.scale_fit import LOD_FACTOR

LIGHTEST, DENSEST = 30.0, 8960.0  # kg/m³: packing foam and copper, beyond which a mass is doubted
_ALIKE = 0.08  # of a length: what settling the unit lets two readings differ by
_OUTSIDE = 2.0  # an outside length grows by twice the offset of its faces
_ALONG = 0.9  # cosine between two picks' line and an axis from which on the length lies along it
_FAMILIES = (("x", "y", "z"), ("long", "mid", "short"))


@dataclass(frozen=True, slots=True)
class BlindSpot:
    """
    One kind of error that may pass: *name* for the screen, *why* for the report.

    *kind* is what ``inject`` calls the damage, empty where it has none.  Sizes between *least* and *most* are not seen:
    relative for lengths, metres for offset and swapped values, a factor for the mass.
    """

    name: str
    why: str
    kind: str = ""
    least: float = -math.inf
    most: float = math.inf

    def __str__(self) -> str:
        return f"{self.name}: {self.why}"

    def covers(self, kind: str, size: float) -> bool:
        """Whether a damage of this *kind* and *size* is what the rule says may pass."""
        return kind == self.kind and self.least < size < self.most


def blind_spots(
    inputs: Inputs, decision: Decision, judgement: Judgement, anchor: Anchor, terms: Iterable[Term]
) -> tuple[BlindSpot, ...]:
    """Return every blind spot of a build, in the order in which the screen names them."""
    known = tuple(terms)
    rows = judgement.rows
    return (
        *_scale(rows, anchor),
        *_one_axis(rows, anchor, decision),
        *_offset(rows, anchor),
        _mirror(inputs),
        *_swapped_axes(rows, known),
        *_unit(anchor, decision),
        *_readings(rows, anchor),
        *_mass(inputs, known),
        *_noise(known),
    )


def _scale(rows: tuple[Row, ...], anchor: Anchor) -> Iterator[BlindSpot]:
    found = anchor.calibration
    checks = [r for r in rows if r.reading.role == "check"]
    if not checks:
        yield BlindSpot("independent check", "no reading has the role check")
    if found is not None:
        why = "the smallest that the calibrate readings would show"
        yield BlindSpot(f"scale under {_percent(found.lod95)}", why, "scale", most=found.lod95)
        return
    limits = {r.reading.id: _turned_down(r) / r.reading.value for r in checks if _judged(r)}
    if not limits:
        yield BlindSpot("scale", "no length was measured that could show it", "scale")
        return
    first = min(limits, key=lambda id_: limits[id_])
    why = f"the smallest for which check {first} would be turned down"
    yield BlindSpot(f"scale under {_percent(limits[first])}", why, "scale", most=limits[first])


def _one_axis(rows: tuple[Row, ...], anchor: Anchor, decision: Decision) -> Iterator[BlindSpot]:
    """A scale error of one axis shows in what lies along it; where all of a family's axes are measured, none hides."""
    families = [{axis: _limit_along(axis, rows, anchor, decision) for axis in family} for family in _FAMILIES]
    best = min(families, key=lambda limits: max(limits.values()))
    worst = max(best, key=lambda axis: best[axis])
    limit = best[worst]
    if math.isfinite(limit):
        why = f"the least sure axis, {worst}, shows no smaller one"
        yield BlindSpot(f"scale of one axis under {_percent(limit)}", why, "axis_scale", most=limit)
        return
    missing = ", ".join(axis for axis in families[0] if not math.isfinite(families[0][axis]))
    yield BlindSpot("scale of one axis", f"nothing was measured along {missing}", "axis_scale")


def _limit_along(axis: str, rows: tuple[Row, ...], anchor: Anchor, decision: Decision) -> float:
    along = [row for row in rows if _axis_of(row, decision) == axis]
    limits = [_turned_down(r) / r.reading.value for r in along if r.reading.role == "check" and _judged(r)]
    if anchor.calibration is not None:
        limits += _in_the_fit(anchor.calibration, {row.reading.id for row in along})
    return min(limits, default=math.inf)


def _in_the_fit(found: Calibration, ids: set[str]) -> list[float]:
    """Return from which error of the readings *ids* on the scale moves visibly, or they part from the others."""
    here = [c for c in found.readings if c.id in ids]
    rest = [c for c in found.readings if c.id not in ids]
    weight = sum(c.weight for c in here)
    limits = [found.lod95 / weight] if weight > 0 else []
    if here and rest:
        apart = math.sqrt(sum(1 / math.fsum(1 / c.u**2 for c in some) for some in (here, rest)))
        limits.append(LOD_FACTOR * apart)
    return limits


def _axis_of(row: Row, decision: Decision) -> str:
    """Return which axis a length lies along, empty where the sheet does not say."""
    feature = row.reading.feature
    if feature.kind.startswith("extent_"):
        return feature.kind.removeprefix("extent_")
    if feature.kind != "distance" or feature.start is None or feature.end is None:
        return ""
    line = [b - a for a, b in zip(feature.start, feature.end, strict=True)]
    length = math.hypot(*line)
    for axis, (index, _) in zip("xyz", signed_axes(decision.axes), strict=True):
        if abs(line[index]) > _ALONG * length:
            return axis
    return ""


def _offset(rows: tuple[Row, ...], anchor: Anchor) -> Iterator[BlindSpot]:
    found = anchor.calibration
    name = "surface offset"
    if found is None:
        limits = [_turned_down(r) / _OUTSIDE for r in rows if r.reading.role == "check" and _judged(r)]
        limit, why = min(limits, default=math.inf), "no smaller one would turn a check down"
    else:
        limit, why = _offset_limit(found, rows), "the scale fit shows no smaller one"
        if found.offset is None or not found.offset.identifiable:
            why += "; a larger one is taken for scale, as the calibrate readings cannot tell them apart"
    if math.isfinite(limit):
        yield BlindSpot(f"{name} under {_mm(limit)}", why, "offset", most=limit)
    else:
        yield BlindSpot(name, "nothing was measured that an offset would change", "offset")


def _offset_limit(found: Calibration, rows: tuple[Row, ...]) -> float:
    lengths = {row.reading.id: row.reading.value for row in rows}
    slope = abs(sum(c.weight * c.gain / lengths[c.id] for c in found.readings))
    return found.lod95 / slope if slope > 0 else math.inf


def _mirror(inputs: Inputs) -> BlindSpot:
    features = [r.feature for r in inputs.sheet.readings]
    if inputs.sheet.com or any(f.start is not None or f.pick is not None for f in features):
        why = "lengths do not change under reflection, and a sheet made on the mirrored scan agrees with it"
    else:
        why = "lengths do not change under reflection"
    return BlindSpot("mirror image", why, "mirror")


def _swapped_axes(rows: tuple[Row, ...], terms: tuple[Term, ...]) -> Iterator[BlindSpot]:
    size = {axis: _scalar(terms, f"emit.size_{axis}") for axis in "xyz"}
    named = {r.reading.feature.kind[-1] for r in rows if r.reading.feature.kind in ("extent_x", "extent_y", "extent_z")}
    hidden = [f"{a} with {b}" for a, b in combinations("xyz", 2) if not _told_apart(a, b, size, named)]
    if hidden:
        why = f"{', '.join(hidden)}: as long as the other to {100 * _ALIKE:.0f} %, or no extent lies along either"
        yield BlindSpot("swapped axes", why, "swap")


def _told_apart(a: str, b: str, size: Mapping[str, float | None], named: set[str]) -> bool:
    first, second = size[a], size[b]
    if not named & {a, b} or not first or not second:
        return False
    return abs(math.log(first / second)) > _ALIKE


def _unit(anchor: Anchor, decision: Decision) -> Iterator[BlindSpot]:
    if anchor.calibration is None and decision.method == "declared":
        yield BlindSpot("unit", "declared, and no calibrate reading confirms it", "unit")


def _readings(rows: tuple[Row, ...], anchor: Anchor) -> Iterator[BlindSpot]:
    """What the person with the caliper can get wrong."""
    instruments = {
        role: {r.reading.instrument for r in rows if r.reading.role == role} for role in ("calibrate", "check")
    }
    if instruments["calibrate"] & instruments["check"]:
        yield BlindSpot("zero error of the instrument", "calibrate and check readings share it")
    limits = [_limit_of_value(row, anchor) for row in rows]
    if len(rows) > 1:
        limit = max(min(a, b) for a, b in combinations(limits, 2))
        name = f"swapped readings under {_mm(limit)}" if math.isfinite(limit) else "swapped readings"
        why = "values that lie closer than that may stand at each other's feature unseen"
        yield BlindSpot(name, why, "swapped_readings", most=limit)
    if instruments["calibrate"] and instruments["check"]:
        why = "the faces of a check, measured again as calibrate by other picks or another feature, look like new ones"
        yield BlindSpot("leaked check", why, "leak")


def _limit_of_value(row: Row, anchor: Anchor) -> float:
    """Return the smallest slip of a reading that is seen for sure, m."""
    if row.reading.role == "check":
        return _turned_down(row) if _judged(row) else math.inf
    if anchor.calibration is None:
        return math.inf
    return min(_in_the_fit(anchor.calibration, {row.reading.id}), default=math.inf) * row.reading.value


def _mass(inputs: Inputs, terms: tuple[Term, ...]) -> Iterator[BlindSpot]:
    density = _scalar(terms, "emit.density")
    if inputs.sheet.mass is not None and density:
        least, most = LIGHTEST / density, DENSEST / density
        why = f"whatever makes a density of {LIGHTEST:g} to {DENSEST:g} kg/m3 is believed"
        name = f"mass wrong by less than /{1 / least:.2g} or x{most:.2g}"
        yield BlindSpot(name, why, "mass", least, most)
    if inputs.sheet.fill.kind == "unknown":
        yield BlindSpot("distribution of mass inside", "fill is unknown")


def _noise(terms: tuple[Term, ...]) -> Iterator[BlindSpot]:
    noise = next((t for t in terms if isinstance(t, StandardUncertainty) and t.id == "ingest.noise"), None)
    if noise is not None and noise.method == "assumed":
        yield BlindSpot("noise", noise.evidence, "noise")


def _judged(row: Row) -> bool:
    return math.isfinite(row.error) and math.isfinite(row.u_error)


def _turned_down(row: Row) -> float:
    """Return the change, m, that takes a check out of PASS for sure, whichever way it goes."""
    return row.reading.tolerance + abs(row.error)


def _scalar(terms: Iterable[Term], id_: str) -> float | None:
    return next((t.value for t in terms if isinstance(t, Scalar) and t.id == id_), None)


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %"


def _mm(metres: float) -> str:
    return f"{metres * 1e3:.2g} mm"
