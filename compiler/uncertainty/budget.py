"""
The budget of one output: what each component contributes to u², what dominates, and how sure u itself is.

u² is additive over sets of components that are independent of each other, so shares of sets lie in [0, 1] and add up to
one.  Inside a correlated set a component's own share is its covariance with the output; these add up too, but one that
cancels part of another is negative.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from r2s.compiler.ledger import Method
from r2s.compiler.uncertainty.state import Component
from r2s.compiler.uncertainty.student import coverage_factor

# from the strongest to the weakest: a set is as good as the weakest of its components
METHODS: tuple[Method, ...] = ("measured", "estimated", "declared", "assumed")


@dataclass(frozen=True, slots=True)
class Output:
    """A quantity that was propagated to: *value* in *unit*."""

    name: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Contribution:
    """
    One component's part in an output.

    *sensitivity* is the output's derivative by the component, *signed_u* the change in the output, in its unit, when
    the component is off by its standard uncertainty; *share* of u² may be negative inside a correlated set.
    """

    component: Component
    sensitivity: float
    signed_u: float
    share: float


@dataclass(frozen=True, slots=True)
class Part:
    """
    Components that are independent of all others: the standard uncertainty *u* that they alone give, and its *share*.

    *dof* is the smallest among its components and *method* the weakest: a set promises no more than any of them.
    """

    components: tuple[Component, ...]
    u: float
    share: float

    @property
    def name(self) -> str:
        """The names of its components, joined."""
        return " + ".join(c.name for c in self.components)

    @property
    def dof(self) -> float:
        """Degrees of freedom."""
        return min(c.dof for c in self.components)

    @property
    def method(self) -> Method:
        """How the weakest of its components was obtained."""
        return max((c.method for c in self.components), key=METHODS.index)


@dataclass(frozen=True, slots=True)
class Budget:
    """
    An output with its standard uncertainty *u*, and who is to blame for it.

    *contributions* has every component in the state's order; *parts* only the sets that the output depends on, the
    largest first.  *level* is the coverage probability of the expanded uncertainty.
    """

    output: Output
    u: float
    level: float
    contributions: tuple[Contribution, ...]
    parts: tuple[Part, ...]

    @property
    def dof(self) -> float:
        """Effective degrees of freedom of *u* (Welch-Satterthwaite, GUM G.2b), over independent sets only."""
        return effective_dof(self.parts)

    @property
    def k(self) -> float:
        """Coverage factor: Student's t at the effective degrees of freedom (GUM G.3)."""
        return coverage_factor(self.level, self.dof)

    @property
    def expanded(self) -> float:
        """Expanded uncertainty U = k u."""
        return self.k * self.u

    @property
    def dominant(self) -> Part | None:
        """The set with the largest share; None where the output depends on nothing uncertain."""
        return self.parts[0] if self.parts else None

    @property
    def assumed_share(self) -> float:
        """Share of u² that rests on assumptions: of every set with an assumed component in it."""
        return self.by_method["assumed"]

    @property
    def by_method(self) -> dict[Method, float]:
        """Share of u² by the method of each set; adds up to one."""
        return {m: math.fsum(p.share for p in self.parts if p.method == m) for m in METHODS}

    @property
    def by_pass(self) -> dict[str, float]:
        """Share of u² by the pass that introduced each component, in the order of the state; adds up to one."""
        names = dict.fromkeys(c.component.introduced_by for c in self.contributions)
        return {n: math.fsum(c.share for c in self.contributions if c.component.introduced_by == n) for n in names}


def effective_dof(parts: Iterable[Part]) -> float:
    """
    Return the effective degrees of freedom of the root sum of squares of independent *parts*.

    Welch-Satterthwaite u⁴/Σ(uᵢ⁴/νᵢ), in shares of u² so that no fourth power under- or overflows.
    """
    doubt = math.fsum(p.share**2 / p.dof for p in parts)
    return 1 / doubt if doubt > 0 else math.inf
