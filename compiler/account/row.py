"""One row of the account: an error with its standard uncertainty, who brought it in and how it is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from r2s.compiler.ledger import Method
from r2s.compiler.uncertainty.distributions import Quantity, of_u
from r2s.compiler.uncertainty.state import Component

Shape = Literal["white", "offset", "scale", "form", "missing", "discrete"]


@dataclass(frozen=True, slots=True)
class Row:
    """
    An error of a signed scalar in *unit*, brought in by the pass *made_by*.

    *u* is its standard uncertainty, infinite where nothing bounds it; *value* is a bias that is known and was not
    corrected.  *term* is what it is called in a sentence: rows of one term are told together.  *half_width* stands
    beside *u* where the distribution is rectangular.  *source* is the digest of what it was found from: equal rows of
    equal source are one error, in another build too.
    """

    id: str
    made_by: str
    term: str
    shape: Shape
    unit: str
    u: float
    method: Method
    evidence: str
    source: str = ""
    group: str = ""
    distribution: str = "normal"
    half_width: float = math.nan
    dof: float = math.inf
    value: float = 0.0
    blind_to: tuple[str, ...] = ()

    @property
    def effect(self) -> str:
        """``random`` where the next point draws it anew, else ``systematic``."""
        return "random" if self.shape == "white" else "systematic"

    @property
    def u_total(self) -> float:
        """Standard uncertainty with the bias that was not corrected in root sum of squares (GUM F.2.4.5)."""
        return math.hypot(self.u, self.value)

    @property
    def quantity(self) -> Quantity:
        """
        The distribution of the error about 0, for draws.

        A bias that is known and not corrected counts by its size, as in the linear account.  A normal u from few
        readings is that of a t (JCGM 101 6.4.9).
        """
        few = self.distribution == "normal" and math.isfinite(self.dof)
        return of_u("t" if few else self.distribution, 0.0, self.u_total, self.dof if few else math.inf)

    @property
    def component(self) -> Component:
        """The row as a component of the state."""
        return Component(self.id, self.u_total, self.unit, self.method, self.made_by, self.dof, self.group)
