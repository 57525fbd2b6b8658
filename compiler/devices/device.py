"""A scanner as a value: its priors, and what they rest on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from r2s.compiler.devices.prior import Name, Prior


@dataclass(frozen=True, slots=True)
class Evidence:
    """A scan that a profile was measured on: its file's name and SHA-256, and what it is a scan of."""

    name: str
    sha256: str
    of: str


@dataclass(frozen=True, slots=True)
class Correlation:
    """Coefficient *r* between the errors of two terms that were fitted together."""

    first: Name
    second: Name
    r: float


@dataclass(frozen=True)
class Device:
    """
    A class of scanners, or one scanner that was measured.

    *metric* tells whether its output has a unit at all; *source* says where the figures are from.  *file* is the name,
    without a folder, of the file of a profile, empty for a class; *sha256* that of the file which the figures stand in.
    """

    name: str
    metric: bool
    priors: Mapping[Name, Prior]
    source: str
    sha256: str
    file: str = ""
    evidence: tuple[Evidence, ...] = ()
    correlations: tuple[Correlation, ...] = ()

    def prior(self, name: Name) -> Prior | None:
        """Return what is known of the error *name*, None where nothing is."""
        return self.priors.get(name)

    def correlation(self, first: Name, second: Name) -> float:
        """Return the coefficient between two terms, in either order; 0 where none is told."""
        return next((c.r for c in self.correlations if {c.first, c.second} == {first, second}), 0.0)

    @property
    def prior_u(self) -> float:
        """Standard uncertainty of ln scale with the bias in it (:attr:`Prior.whole`); 0 stands for no prior."""
        return self._whole("scale")

    @property
    def prior_offset(self) -> float:
        """The same of the surface offset, m; 0 stands for no prior, as where it is known by the scan's noise only."""
        return self._whole("offset")

    def _whole(self, name: Name) -> float:
        prior = self.priors.get(name)
        return 0.0 if prior is None or math.isnan(prior.u) else prior.whole
