"""
Which objects an interval speaks of, by which recipe it was made, and what was measured on objects like the scanned one.

Two questions that must not be mixed: how well do we know *this* object, and how does the *next* object of its kind
differ.  Repeated readings of one object answer the first alone; only one number an object answers the second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["minmax_margin", "prediction", "tolerance", "declared", "budget", "assumed"]
Population = Literal["this_object", "objects_like_this_one"]

OVER_OBJECTS: frozenset[Kind] = frozenset({"minmax_margin", "prediction", "tolerance"})
FEWEST = 3  # objects: the standard deviation of two has one degree of freedom, and a factor of 15 on it


@dataclass(frozen=True, slots=True)
class Recipe:
    """
    How an interval is made.

    *level* is the probability of a ``prediction``, or the share of all objects of a ``tolerance``, which holds with
    *confidence*.  *margin* of a ``minmax_margin`` is in the slot's unit, or, where it is *relative*, a share of the
    mean.  *lo* and *hi* are those of a ``declared`` one.  *reason* is why, in the words of whoever chose it.
    """

    kind: Kind
    level: float = 0.95
    confidence: float = 0.95
    margin: float = 0.0
    relative: bool = False
    lo: float = 0.0
    hi: float = 0.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """The recipe of one slot."""

    slot: str
    recipe: Recipe


@dataclass(frozen=True, slots=True)
class Coefficient:
    """The friction ``slide``, ``spin`` or ``roll``: a number an object, the scanned one first, on one surface."""

    kind: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Objects:
    """
    What was measured on like objects: tuples hold one number an object, the scanned one first, and are empty where
    nothing can be said.

    *sources* are the SHA-256 of the sheets of the others.  *sizes* are lengths over those of the scanned object, a
    geometric mean over the readings in common; *u_sizes* is the relative standard uncertainty that instruments other
    than the scanned object's add to all of them.  *masses* are kg, *u_masses* the relative standard uncertainty that
    they share.
    """

    sources: tuple[str, ...] = ()
    sizes: tuple[float, ...] = ()
    u_sizes: float = 0.0
    masses: tuple[float, ...] = ()
    u_masses: float = 0.0
    frictions: tuple[Coefficient, ...] = ()

    @property
    def count(self) -> int:
        """Number of objects, the scanned one included."""
        return 1 + len(self.sources)

    def of(self, slot: str) -> tuple[float, ...]:
        """Return the numbers behind *slot*, one an object."""
        match slot:
            case "size":
                return self.sizes
            case "mass":
                return self.masses
        return next((c.values for c in self.frictions if f"friction/{c.kind}" == slot), ())
