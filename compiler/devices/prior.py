"""What is known of one error of a scanner before anything of the object was measured."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from r2s.compiler.ledger import Method

Name = Literal["scale", "offset", "registration", "drift", "noise"]
NAMES: tuple[Name, ...] = ("scale", "offset", "registration", "drift", "noise")
UNIT = {"scale": "1", "offset": "m", "registration": "m", "drift": "1", "noise": "m"}  # of value, u and half_width

SMOOTHED = 0.1  # of the spacing: a scan that scatters less was smoothed before it was exported.  Judgement.

Distribution = Literal["normal", "rectangular", "t"]


@dataclass(frozen=True, slots=True)
class Prior:
    """
    The distribution of one error.

    name          scale (of ln scale; over 0 where the scan is too large), offset (every face, outward), registration
                  (one face or view, along its normal), drift (of the length along one axis against another) or noise
                  (one point, along the normal)
    unit          "1" or "m": of *u*, *half_width* and *value*
    u             standard uncertainty; half_width / √3 where a rectangle is given (GUM 4.3.7); nan where *of_noise* is
    half_width    of that rectangle, nan for another distribution
    value         a bias that was measured and is not corrected; 0 for a class, whose bias nobody knows
    dof           degrees of freedom of *u*, inf where it is somebody's word
    method        measured (by device-check), declared (a data sheet, its owner) or assumed (of a class)
    source        where the figure is from, in words
    of_noise      the standard uncertainty in multiples of the scan's own point noise, nan where *u* is given
    """

    name: Name
    unit: str
    u: float
    half_width: float
    value: float
    dof: float
    distribution: Distribution
    method: Method
    source: str
    of_noise: float = math.nan

    @property
    def whole(self) -> float:
        """
        Root of *value*² + *u*²: what stands for the error in a build, which corrects no bias of a profile.

        GUM F.2.4.5: a known correction that is not applied widens the uncertainty by its own square.  Nan while
        *of_noise* is not resolved.
        """
        return math.hypot(self.value, self.u)

    def resolved(self, noise: float) -> Prior:
        """Return the same with *u* in metres, for a scan whose points have the standard deviation *noise*, m."""
        if math.isnan(self.of_noise):
            return self
        u = self.of_noise * noise
        half_width = u * math.sqrt(3) if self.distribution == "rectangular" else math.nan
        return replace(self, u=u, half_width=half_width, of_noise=math.nan)


def noise_for_priors(noise: float, spacing: float, floor: float) -> float:
    """
    Return what multiples of noise are multiples of, m: a smoothed scan shows less than its scanner has.

    *noise*, *spacing* and the resolution *floor* are the scan's, m; a drawn mesh has no floor, its own noise counts.

    >>> noise_for_priors(0.05, 0.4, 2.0), noise_for_priors(0.01, 0.4, 2.0), noise_for_priors(0.0, 50.0, 0.0)
    (0.05, 0.04000000000000001, 0.0)
    """
    return max(noise, SMOOTHED * spacing) if floor > 0 else noise
