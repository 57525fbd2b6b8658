"""
Fewer convex pieces: neighbours become their common hull, cheapest first, as long as a budget holds.

A simulator's cost follows the number of hulls, and cuts made early are often no longer needed once all are made.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from itertools import count
from math import inf

from r2s.passes.convex.hulls import Hull, convex

Fits = Callable[[Hull], bool]


def merged(hulls: Sequence[Hull], volume: float, fits: Fits, touch: float) -> list[Hull]:
    """
    Return *hulls*, neighbours merged while the volumes add up to no more than *volume* m³ and the merged one fits.

    Boxes nearer than *touch* m count as neighbours.
    """
    return _merged(hulls, touch, volume, 1, fits)


def at_most(hulls: Sequence[Hull], most: int, touch: float) -> list[Hull]:
    """Return *hulls* merged into *most*, those that add least first; distant ones only when no others are left."""
    found = _merged(hulls, touch, inf, most, None)
    return _merged(found, inf, inf, most, None)


def _merged(hulls: Sequence[Hull], touch: float, volume: float, most: int, fits: Fits | None) -> list[Hull]:
    alive = dict(enumerate(hulls))
    total = sum(shape.volume for shape in hulls)
    made: dict[tuple[int, int], Hull] = {}
    heap: list[tuple[float, int, int]] = []
    names = count(len(hulls))

    def offer(one: int, other: int) -> None:
        a, b = alive[one], alive[other]
        if not _touching(a, b, touch):
            return
        shape = convex([a, b])
        made[one, other] = shape
        heapq.heappush(heap, (shape.volume - a.volume - b.volume, one, other))

    for one in alive:
        for other in range(one):
            offer(other, one)
    while heap:
        added, one, other = heapq.heappop(heap)
        shape = made.pop((one, other))
        if one not in alive or other not in alive:
            continue
        if total + added > volume or len(alive) <= most:
            break
        if fits is not None and not fits(shape):
            continue
        del alive[one], alive[other]
        total += added
        new = next(names)
        alive[new] = shape
        for old in sorted(alive):
            if old != new:
                offer(old, new)
    return list(alive.values())


def _touching(a: Hull, b: Hull, touch: float) -> bool:
    return bool((a.box[0] <= b.box[1] + touch).all() and (b.box[0] <= a.box[1] + touch).all())
