"""What the scan of a known artefact showed of the scanner, in metres; see :mod:`r2s.passes.probe`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["sphere", "plate", "block"]


@dataclass(frozen=True, slots=True)
class Artefact:
    """What was scanned: its *sizes* in m (the diameter; none of a plate; three sides) as somebody measured them."""

    kind: Kind
    sizes: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Length:
    """
    One length of the artefact as scanned, m.

    *reference* is what it is known to be, *u* the standard uncertainty of *value* by noise and form, with *dof*;
    *axis* the axis of the scan that it lies along, empty where along none, or all.
    """

    reference: float
    value: float
    u: float
    dof: float
    axis: str


@dataclass(frozen=True, slots=True)
class Spread:
    """A standard deviation that was estimated, m, and its degrees of freedom."""

    sigma: float
    dof: float


@dataclass(frozen=True, slots=True)
class Drift:
    """Relative lengths along the scan's x and y beyond those along z, and the standard uncertainty of each."""

    x_z: float
    y_z: float
    u: float
    dof: float


@dataclass(frozen=True, slots=True)
class Probed:
    """
    One scan of an artefact.

    *unit* is that of the file's numbers and *settled* how it is known; *points* lie on the artefact, *left_out* do not.
    *noise* is of one point along the normal, *form* of a region of the surface against the fitted shape, with *span*
    from the lowest region to the highest, m; *seen* the share of the surface with points.
    """

    kind: Kind
    unit: str
    settled: str
    points: int
    left_out: int
    seen: float
    lengths: tuple[Length, ...]
    noise: Spread
    form: Spread
    span: float
    drift: Drift | None
