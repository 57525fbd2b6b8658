"""One draw of the account: the errors to lay onto the scan, and the caliper sheet as it would then have been read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from r2s.compiler.account import Account, Known
from r2s.compiler.account.rows import OFFSET_ROW, UNFITTED_SCALE_ROW, drift_row, registration_row
from r2s.compiler.measured import VIEWS
from r2s.compiler.readings import COMPLIANCE, TOUCH, Quantity, Reading, Sheet
from r2s.compiler.uncertainty.distributions import of_u

# what the pass ``perturb`` calls them
_SIDES = dict(zip(VIEWS, ("right", "left", "back", "front", "top", "bottom"), strict=True))
_OPTIONS = {
    OFFSET_ROW: "offset",
    UNFITTED_SCALE_ROW: "scale",
    **{drift_row(axis): f"drift_{axis}" for axis in "xy"},
    **{registration_row(view): side for view, side in _SIDES.items()},
}
MASS_ROWS = ("mass.balance", "mass.density")
LAID_ON = frozenset((*_OPTIONS, *MASS_ROWS))


@dataclass(frozen=True)
class Draw:
    """The options of ``perturb``, and the drawn *sheet*."""

    options: Mapping[str, float | int]
    sheet: Sheet


def draws_of(account: Account, known: Known, sheet: Sheet, *, count: int, seed: int) -> Iterator[Draw]:
    """
    Yield *count* draws; equal seeds give equal draws, and more of them begin with the same.

    Every error has a stream of its own.  Rows are drawn from their distributions, readings as the fit of the scale
    takes them: a maker's limit is one error of an instrument, all else is one of each reading.
    """
    for k in range(count):
        yield _draw(account, known, sheet, _Dice(seed, k))


class _Dice:
    """Deviates by name: of the draw number *k* under *seed*."""

    def __init__(self, seed: int, k: int) -> None:
        self._start = [seed, k]

    def of(self, name: str, distribution: str, u: float) -> float:
        """Return one draw about 0."""
        rng = np.random.default_rng([*self._start, *name.encode()])
        return float(of_u(distribution, 0.0, u).draw(rng, 1)[0])

    def within(self, name: str, half_width: float) -> float:
        """Return one draw of a rectangle about 0."""
        return self.of(name, "rectangular", half_width / math.sqrt(3))

    @property
    def seed(self) -> int:
        """A seed for what draws by itself."""
        return int(np.random.default_rng([*self._start, *b"points"]).integers(1 << 31))


def _draw(account: Account, known: Known, sheet: Sheet, dice: _Dice) -> Draw:
    options: dict[str, float | int] = {}
    for row in account.rows:
        if row.id in _OPTIONS and math.isfinite(row.u_total):
            options[_OPTIONS[row.id]] = dice.of(row.id, row.distribution, row.u_total)
    promised = known.prior("scale")
    if known.calibrated and promised is not None:  # the fit took the promise for one more reading
        options["scale"] = dice.of(UNFITTED_SCALE_ROW, promised.distribution, promised.whole)
    options |= {"noise": known.noise, "seed": dice.seed} if known.noise > 0 else {}
    return Draw(options, _sheet(account, sheet, dice))


def _sheet(account: Account, sheet: Sheet, dice: _Dice) -> Sheet:
    found = {row.id: row for row in account.rows}
    relative = {
        name: dice.of(name, row.distribution, row.u_total) for name in MASS_ROWS if (row := found.get(name)) is not None
    }
    return replace(
        sheet,
        readings=tuple(_read_again(r, dice) if r.role == "calibrate" else r for r in sheet.readings),
        mass=_weighed(sheet.mass, relative.get("mass.balance")),
        density=_weighed(sheet.density, relative.get("mass.density")),
    )


def _weighed(quantity: Quantity | None, relative: float | None) -> Quantity | None:
    if quantity is None or relative is None:
        return quantity
    return replace(quantity, value=quantity.value * (1 + relative))


def _read_again(reading: Reading, dice: _Dice) -> Reading:
    """Return *reading* with the errors that the fit of the scale counts, as it counts them; repeats move as one."""
    error = dice.within(f"limit {reading.instrument}", reading.accuracy)
    error += dice.within(f"step {reading.id}", reading.resolution / 2)
    error += dice.within(f"touch {reading.id}", TOUCH)
    error += dice.of(f"repeat {reading.id}", "normal", reading.spread / math.sqrt(len(reading.values)))
    error += dice.within(f"pressed {reading.id}", COMPLIANCE if reading.compliant else 0.0)
    return replace(reading, values=tuple(value + error for value in reading.values))
