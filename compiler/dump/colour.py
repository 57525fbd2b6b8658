"""A distance as a colour: white on the other shape, red outside or off it, blue inside, grey where nobody measured."""

from __future__ import annotations

import numpy as np

from r2s.compiler.dump.ply import Bytes
from r2s.compiler.ir import Bools, Floats

_WHITE, _RED, _BLUE, _GREY = (np.array(c, dtype=float) for c in ([245] * 3, [178, 24, 43], [33, 102, 172], [150] * 3))


def full_scale(distance: Floats) -> float:
    """Return the distance, m, that is drawn in full colour: 99 % of all are not above."""
    return float(np.quantile(np.abs(distance), 0.99)) if len(distance) else 0.0


def coloured(distance: Floats, known: Bools) -> Bytes:
    """Return (n, 3) red, green, blue for *distance* (n,) m; grey where not *known* (n,), which sets no scale either."""
    scale = full_scale(distance[known])
    t = np.clip(distance / scale, -1, 1)[:, None] if scale > 0 else np.zeros((len(distance), 1))
    colour = _WHITE + np.abs(t) * (np.where(t > 0, _RED, _BLUE) - _WHITE)
    colour[~known] = _GREY
    return np.asarray(np.rint(colour), dtype=np.uint8)
