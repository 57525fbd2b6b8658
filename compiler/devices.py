"""
What is assumed of a class of scanners when nobody measured this one: the priors of its scale and of its offset.

Half-widths of rectangular distributions, engineering judgement; a device of one's own is better measured.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from r2s.compiler.errors import UsageError
from r2s.compiler.suggest import did_you_mean


@dataclass(frozen=True, slots=True)
class Device:
    """
    A class of scanners.

    *scale* is the half-width of the relative scale error, nan where the class promises nothing; *metric* tells
    whether its output has a unit at all; *source* says where the numbers are from.  *offset* is the half-width of how
    far its surfaces lie off the object's, all to one side (probing size, bleeding edges), m.
    """

    name: str
    scale: float
    metric: bool
    source: str
    offset: float = math.nan

    @property
    def prior_u(self) -> float:
        """Standard uncertainty of ln scale; 0 stands for no prior."""
        return 0.0 if math.isnan(self.scale) else self.scale / math.sqrt(3)

    @property
    def prior_offset(self) -> float:
        """Standard uncertainty of the surface offset, m; 0 stands for no prior."""
        return 0.0 if math.isnan(self.offset) else self.offset / math.sqrt(3)


_NONE = math.nan
DEVICES = {
    d.name: d
    for d in (
        Device("unknown", _NONE, True, "nothing is assumed"),
        Device("structured_light", 0.1 / 300, True, "assumed: drift of 0.1 mm over 300 mm, offset of 0.05 mm", 0.05e-3),
        Device("rgbd", 0.01, True, "assumed: 1 % of depth, offset of 0.5 mm", 0.5e-3),
        Device("phone_lidar", 0.01, True, "assumed: 1 % of length and 0.5 mm, as for other active depth", 0.5e-3),
        Device("tof", 0.01, True, "assumed: 1 % of depth, offset of 0.5 mm", 0.5e-3),
        Device("photogrammetry", _NONE, False, "scale is free without a scale bar"),
        Device("radiance_field", _NONE, False, "scale is free: poses carry none"),
    )
}


def device(name: str) -> Device:
    """Return the class called *name*; raise UsageError that lists what exists."""
    if name not in DEVICES:
        hint = did_you_mean(name, DEVICES) or f"there are {', '.join(DEVICES)}"
        raise UsageError("R2S011", f"no device is called {name!r}", hint=hint)
    return DEVICES[name]
