"""Caliper sheets drawn by the model that the scale fit assumes, so that the truth is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from r2s.compiler.scale_pair import Pair


def sheet(
    rng: np.random.Generator,
    lengths: Sequence[float],
    u_scan: float | Sequence[float],
    u_caliper: float = 0.0,
    *,
    u_common: float = 0.0,
    sharing: float = 1.0,
    instruments: Sequence[str] | None = None,
    ln_s: float = 0.0,
    offset: float = 0.0,
    gains: Sequence[float] | None = None,
    axes: Sequence[str] | None = None,
    strain: Sequence[float] | None = None,
    overstated: float = 1.0,
) -> tuple[Pair, ...]:
    """
    Return the readings of true *lengths*, m, in an object whose faces lie *offset* further out than the scaled scan's.

    All errors are normal.  Of *u_common* the part √*sharing* is drawn once for each instrument.  *strain* (of ln) is
    the scan's own at each reading.  *overstated* is how many times larger the sheet says the uncertainties are.
    """
    count = len(lengths)
    instruments = instruments or ["a"] * count
    gains, axes, strain = gains or [2.0] * count, axes or [""] * count, strain or [0.0] * count
    scan_u = [u_scan] * count if isinstance(u_scan, float) else list(u_scan)
    zero = {name: rng.normal() * u_common * np.sqrt(sharing) for name in sorted(set(instruments))}
    pairs = []
    for k, length in enumerate(lengths):
        own = rng.normal() * np.hypot(u_caliper, u_common * np.sqrt(1 - sharing))
        caliper = length + zero[instruments[k]] + own
        seen = (length - gains[k] * offset) * np.exp(-ln_s - strain[k]) + rng.normal() * scan_u[k]
        stated = [overstated * u for u in (u_caliper, u_common, scan_u[k])]
        pairs.append(
            Pair(
                id=str(k),
                instrument=instruments[k],
                caliper=float(caliper),
                u_indep=stated[0],
                u_common=stated[1],
                scan=float(seen),
                u_scan=stated[2],
                gain=gains[k],
                axis=axes[k],
            )
        )
    return tuple(pairs)


def within(rate: float, expected: float, tries: int, published: int = 0) -> bool:
    """
    Whether a *rate* of *tries* lies within three standard errors of what is *expected*.

    *published* is the number of tries behind the expected rate itself, 0 where that is exact.
    """
    variance = expected * (1 - expected)
    return abs(rate - expected) <= 3 * np.sqrt(variance / tries + (variance / published if published else 0.0)) + 1e-12
