"""
What a person measured, as typed values in SI units: caliper readings, mass, density, balance points, friction.

The caliper sheet (``measurements.yaml``) is parsed into these by :mod:`r2s.compiler.measurements`;
passes see only the ``calibrate`` readings, the judge alone sees the ``check`` readings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from r2s.compiler.ledger import Method

Role = Literal["calibrate", "check"]
Point = tuple[float, float, float]

# How far jaws press into a soft object, m: from nothing to twice this, which is both expectation and half-width.
# Engineering judgement, so it is assumed.
COMPLIANCE = 0.3e-3
# Half-width, m.  Where exactly the jaws touched (corner radii, draft, flatness) differs between caliper and model.
# Engineering judgement too.
TOUCH = 0.05e-3
U_TOUCH = TOUCH / math.sqrt(3)
# Relative half-widths of a mass and of a density where the sheet gives none.  Engineering judgement.
NO_ACCURACY = {"mass": 0.01, "density": 0.05}
_READS_LONG = frozenset({"inner_diameter", "depth"})  # what gives way there makes room; outside jaws read short

EXTENTS = ("extent_x", "extent_y", "extent_z", "extent_long", "extent_mid", "extent_short")
FEATURES = (
    *EXTENTS,
    "height",
    "outer_diameter",
    "inner_diameter",
    "sphere_diameter",
    "distance",
    "thickness",
    "depth",
    "step",
)


@dataclass(frozen=True, slots=True)
class Feature:
    """
    What the jaws spanned.

    *start*, *end* and *pick* are points in the scan file's own numbers; *along* is a height on the axis of revolution
    above the support plane, m; *axis* names that axis (``x``, ``y``, ``z``) where the sheet does.
    """

    kind: str
    start: Point | None = None
    end: Point | None = None
    pick: Point | None = None
    along: float | None = None
    axis: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """
    One measurand with its repeated readings, metres.

    *accuracy* is the half-width of the instrument's promise (rectangular), *accuracy_method* tells whether the sheet
    declared it or a default was assumed; *tolerance* is the half-width that the finished asset must meet, and
    *tolerance_method* tells whether it was declared too.
    """

    id: str
    feature: Feature
    values: tuple[float, ...]
    accuracy: float
    accuracy_method: Method
    resolution: float
    role: Role
    tolerance: float
    compliant: bool
    instrument: str
    temperature: float | None = None
    alpha: float | None = None
    tolerance_method: Method = "declared"

    @property
    def value(self) -> float:
        """Mean of the repeated readings, m."""
        return math.fsum(self.values) / len(self.values)

    @property
    def spread(self) -> float:
        """Sample standard deviation of the repeats, m; 0 for a single reading."""
        if len(self.values) < 2:
            return 0.0
        mean = self.value
        return math.sqrt(math.fsum((v - mean) ** 2 for v in self.values) / (len(self.values) - 1))

    @property
    def u(self) -> float:
        """
        Standard uncertainty of the mean, m (GUM 4.2, 4.3): instrument, resolution and repeatability in root sum square.

        Half-widths are rectangular, so each is divided by √3.  The repeats' own scatter enters as s/√n.
        """
        limit = self.accuracy / math.sqrt(3)
        step = self.resolution / 2 / math.sqrt(3)
        return math.hypot(limit, step, self.spread / math.sqrt(len(self.values)))

    @property
    def pressed(self) -> float:
        """
        What a soft object's giving way is expected to have taken from the reading, m; 0 for a hard one.

        One-sided: outside jaws read short, inside jaws and a depth rod long, and a step moves on both of its faces.
        GUM 4.3.8: a limit on one side shifts the expectation by half of its width.
        """
        if not self.compliant or self.feature.kind == "step":
            return 0.0
        return -COMPLIANCE if self.feature.kind in _READS_LONG else COMPLIANCE

    @property
    def expected(self) -> float:
        """Length that the object is expected to have without jaws on it, m: what a scan sees."""
        return self.value + self.pressed

    @property
    def u_pressed(self) -> float:
        """Standard uncertainty of ``pressed``, m: the width of its interval over √12."""
        return COMPLIANCE / math.sqrt(3) if self.compliant else 0.0


@dataclass(frozen=True, slots=True)
class Quantity:
    """
    A scalar in SI units with the half-width of its accuracy (rectangular; 0 if none was given) and its origin.

    *shared* is the part of the half-width that the maker promises, one error for all readings of the instrument; the
    rest is the scatter of repeats.
    """

    value: float
    accuracy: float
    unit: str
    method: Method
    shared: float = 0.0

    @property
    def u(self) -> float:
        """Standard uncertainty: the half-width over √3."""
        return self.accuracy / math.sqrt(3)


@dataclass(frozen=True, slots=True)
class Fill:
    """How the object is filled: ``solid``, ``shell`` with *thickness* in metres, or ``unknown``."""

    kind: Literal["solid", "shell", "unknown"] = "unknown"
    thickness: float = 0.0


@dataclass(frozen=True, slots=True)
class BalancePoint:
    """Where the object balances: *value* metres from the *end* (``min`` or ``max``) of the extent *along*."""

    along: str
    end: Literal["min", "max"]
    value: float
    accuracy: float


@dataclass(frozen=True, slots=True)
class Friction:
    """A friction coefficient (``slide``, ``roll``, ``spin``) or ``damping``, against a counter-surface."""

    kind: Literal["slide", "roll", "spin", "damping"]
    value: float
    low: float
    high: float
    method: Method
    against: str = ""
    readings_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """
    A whole caliper sheet; *sha256* is of its bytes, *object* is empty if the sheet names none.

    *files* are the files that the sheet names, as it writes them (relative to its folder), each with its SHA-256.
    """

    object: str
    readings: tuple[Reading, ...]
    mass: Quantity | None
    density: Quantity | None
    fill: Fill
    com: tuple[BalancePoint, ...]
    friction: tuple[Friction, ...]
    sha256: str
    files: tuple[tuple[str, str], ...] = ()

    def of_role(self, role: Role) -> tuple[Reading, ...]:
        """Return the readings with that role, in the order of the sheet."""
        return tuple(r for r in self.readings if r.role == role)
