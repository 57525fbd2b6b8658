"""
The outputs and their derivatives by every row: first what the scan's errors do, then what the anchor makes of them.

A scale that was fitted on lengths of the same scan takes part of their errors back.  With ln ŝ = Σ wᵢ ln(Cᵢ/Sᵢ), an
error that adds Dᵢ to the length Sᵢ takes Σ wᵢ Dᵢ/Sᵢ from ln ŝ, and so from every length in proportion.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.account.known import Known, Matter
from r2s.compiler.account.rows import (
    CONTACT_ROWS,
    OFFSET_ROW,
    SCALE_ROW,
    SURFACE_OFFSET_ROW,
    UNFITTED_SCALE_ROW,
    UNSEEN_ROWS,
    drift_row,
    reading_row,
    registration_row,
)
from r2s.compiler.measured import VIEWS, Measured
from r2s.compiler.responses import COLUMNS, DRIFTS, OFFSET, UNSEEN, SolidResponse
from r2s.compiler.uncertainty.geometry import moments_about

_TILTED = 0.05  # of the object's size: a support as small as that lets it roll, and a tilt means nothing
_TRACE = 1e-3  # of the area
_ROW_OF = {
    OFFSET: OFFSET_ROW,
    **dict(zip(DRIFTS, map(drift_row, "xy"), strict=True)),
    **{view: registration_row(view) for view in VIEWS},
}


@dataclass(frozen=True)
class Output:
    """
    A quantity: *value* in *unit*, and its derivative *by* each row that moves it (error of the estimate).

    Not linearised it is (value + Σ raw·z)·exp(power·e): *raw* are the derivatives before the anchor, and e is the error
    of ln scale, of which rows of the scan are a part where lengths of the same scan were calibrated (:class:`Feed`).
    """

    name: str
    value: float
    unit: str
    by: Mapping[str, float]
    raw: Mapping[str, float]
    power: float = 0.0


@dataclass(frozen=True)
class Feed:
    """A calibrated length of the scan, *value* m: its *weight* in the fitted ln scale, and its derivatives *by* row."""

    weight: float
    value: float
    by: Mapping[str, float]


def outputs_of(known: Known, rows: frozenset[str]) -> tuple[Output, ...]:
    """Return the outputs of *known* in the asset's metres, their derivatives restricted to *rows*."""
    anchor = _Anchor(known, rows)
    found = [_length(measured, anchor) for measured in known.scan if measured.there]
    if known.solid is not None:
        found += _of_solid(known, known.solid, anchor)
    return tuple(found)


def feeds_of(known: Known, rows: frozenset[str]) -> tuple[Feed, ...]:
    """Return what feeds errors of the scan into the fitted ln scale, restricted to *rows*."""
    return tuple(
        Feed(weight, measured.value, {row: d for row, d in _by_row(measured).items() if row in rows and d != 0.0})
        for measured, weight in known.calibrated
    )


def scale_row(rows: Iterable[str]) -> str:
    """Return the id of the row of ln scale."""
    return SCALE_ROW if SCALE_ROW in rows else UNFITTED_SCALE_ROW


@dataclass(frozen=True, eq=False)
class _Anchor:
    """What the scale does to an output that the scan's errors moved already."""

    known: Known
    rows: frozenset[str]

    @cached_property
    def fed_back(self) -> dict[str, float]:
        """What each row takes from the fitted ln scale, per unit of it."""
        total: dict[str, float] = {}
        for measured, weight in self.known.calibrated:
            for row, amount in _by_row(measured).items():
                total[row] = total.get(row, 0.0) + weight * amount / measured.value
        return total

    def output(self, name: str, value: float, unit: str, power: float, raw: Mapping[str, float]) -> Output:
        """Return the output whose *value* goes with the scale's *power*; *raw* are derivatives before the anchor."""
        scale = scale_row(self.rows)
        by = {**raw, scale: raw.get(scale, 0.0) + power * value}
        for row, amount in self.fed_back.items():
            by[row] = by.get(row, 0.0) - power * value * amount
        return Output(name, value, unit, self._kept(by), self._kept(raw), power)

    def _kept(self, by: Mapping[str, float]) -> dict[str, float]:
        return {row: d for row, d in by.items() if row in self.rows and d != 0.0}


def _by_row(measured: Measured) -> dict[str, float]:
    """Return the derivatives of a length of the scan by the rows of the scan."""
    by = {reading_row(measured.id): 1.0, OFFSET_ROW: measured.gain}
    by |= {registration_row(view): d for view, d in zip(VIEWS, measured.views, strict=False)}
    return by | {drift_row(axis): d for axis, d in zip("xy", measured.stretch, strict=False)}


def _length(measured: Measured, anchor: _Anchor) -> Output:
    factor = anchor.known.anchor.factor
    raw = {row: factor * d for row, d in _by_row(measured).items()}
    return anchor.output(measured.id, factor * measured.value, "m", 1.0, raw)


def _of_solid(known: Known, solid: SolidResponse, anchor: _Anchor) -> Iterator[Output]:
    factor = known.anchor.factor
    volume, d_volume = solid.volume * factor**3, _spread(np.array(solid.d_volume) * factor**3, solid, anchor.rows)
    yield anchor.output("volume", volume, "m^3", 3.0, d_volume)
    yield from _tilt(known, solid, anchor)
    matter = known.matter
    if matter is None:
        return
    by_weight = matter.keeps == "mass"
    power = 0.0 if by_weight else 3.0 * matter.power
    relative = {row: 0.0 if by_weight else matter.power * d / volume for row, d in d_volume.items()}
    weighed = {"mass.balance" if by_weight else "mass.density": matter.mass}
    mass = {row: matter.mass * d for row, d in relative.items()} | weighed
    yield anchor.output("mass", matter.mass, "kg", power, mass)
    if matter.com is not None:
        yield from _com(solid, matter, anchor)
    if matter.inertia is not None:
        yield from _inertia(solid, matter, anchor, relative)


def _com(solid: SolidResponse, matter: Matter, anchor: _Anchor) -> Iterator[Output]:
    """Yield the centre of mass from the origin of the asset's frame; where it was balanced, that alone tells it."""
    factor, columns = anchor.known.anchor.factor, np.array(solid.d_com)
    assert matter.com is not None
    for axis, letter in enumerate("xyz"):
        told = matter.com_method[axis : axis + 1] == ("measured",)
        raw = {} if told else _spread(columns[:, axis] * factor, solid, anchor.rows)
        yield anchor.output(f"com.{letter}", float(matter.com[axis]), "m", 1.0, raw | {f"mass.com.{letter}": 1.0})


def _inertia(solid: SolidResponse, matter: Matter, anchor: _Anchor, mass: Mapping[str, float]) -> Iterator[Output]:
    """
    Yield the principal moments, largest first, with derivatives about axes that stay.

    Relative to themselves they change as those of the solid do, also for a wall: a first approximation there.
    """
    assert matter.inertia is not None
    values, axes = np.linalg.eigh(matter.inertia)
    axes = axes[:, ::-1]
    second = np.array([solid.second, *solid.d_second]).reshape(-1, 3, 3)
    about = moments_about(axes, np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second)
    d_volume = _spread(np.array(solid.d_volume) / solid.volume, solid, anchor.rows)
    weigh = "mass.balance" if matter.keeps == "mass" else "mass.density"
    for k, value in enumerate(map(float, values[::-1])):
        at_density = _spread(about[1:, k] / about[0, k], solid, anchor.rows)
        raw = {row: value * (d - d_volume[row] + mass.get(row, 0.0)) for row, d in at_density.items()}
        power = 2.0 if matter.keeps == "mass" else 2.0 + 3.0 * matter.power
        yield anchor.output(f"inertia.{k + 1}", value, "kg m^2", power, raw | {weigh: value, "mass.fill": value})


def _tilt(known: Known, solid: SolidResponse, anchor: _Anchor) -> Iterator[Output]:
    """
    Yield the angle about x and about y by which the object rests otherwise than the asset, rad.

    Two heights at the ends of what touches the floor, each with its own error u: u(θ) = √2 u/B over the span B.
    """
    size = known.anchor.factor * solid.volume ** (1 / 3)
    for letter, span in (("x", solid.span[1]), ("y", solid.span[0])):
        across = span * known.anchor.factor
        if across > _TILTED * size:
            by = {row: math.sqrt(2) / across for row in CONTACT_ROWS if row in anchor.rows}
            yield Output(f"tilt.{letter}", 0.0, "rad", by, by)


def _spread(columns: NDArray[np.float64], solid: SolidResponse, rows: frozenset[str]) -> dict[str, float]:
    """
    Return derivatives by column as derivatives by row; the anchor adds what scale does.

    The surface's own doubts are volumes: of what was seen, or of what was not where that is more than a trace.
    """
    found = {_ROW_OF[name]: float(d) for name, d in zip(COLUMNS, columns, strict=True) if name in _ROW_OF}
    seen, unseen = COLUMNS.index(OFFSET), COLUMNS.index(UNSEEN)
    where = unseen if solid.d_volume[unseen] > _TRACE * solid.area else seen
    found[SURFACE_OFFSET_ROW] = _ratio(columns[seen], solid.d_volume[seen])
    return found | {r: _ratio(columns[where], solid.d_volume[where]) for r in rows if r.startswith(UNSEEN_ROWS)}


def _ratio(derivative: float, by_volume: float) -> float:
    return float(derivative / by_volume) if by_volume > 0 else 0.0
