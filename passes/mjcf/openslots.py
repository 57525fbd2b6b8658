"""The slots of an emitted asset's size, mass, inertia and centre of mass, with what is known of each."""

from __future__ import annotations

import math

import numpy as np

from r2s.compiler.ir import Anchor, Floats
from r2s.compiler.ledger import Method
from r2s.compiler.population import Kind
from r2s.compiler.slots import Slot, Target
from r2s.passes.mjcf.balance import Balanced
from r2s.passes.mjcf.mass import Mass, Matter

# Half-widths that stand in where nothing was measured.  Judgement, and each slot says so.
UNKNOWN_SIZE = 0.02  # the correction of a metric scan that the compiler would warn about
UNKNOWN_FORM = {"solid": 0.02, "shell": 0.05}  # of the inertia, where the fill is known
UNKNOWN_COM = 0.02  # of the extent: inner mass that no scan sees

RECIPES: dict[Method, Kind] = {
    "measured": "budget",
    "estimated": "budget",
    "declared": "declared",
    "assumed": "assumed",
}  # of an interval about this object alone, from where its value comes


def size_slot(body: str, anchor: Anchor, mass: Mass) -> Slot:
    """
    Return the slot of uniform scale: 95 % of what the fit leaves, or an assumption.

    A fit that was not applied (within its uncertainty, or verify) still says where the truth may be, so the interval
    then reaches from the asset's scale to the fitted one.
    """
    measured = math.isfinite(anchor.u)
    if measured:
        reach = coverage(anchor.dof) * anchor.u
        centre = math.log(anchor.fitted / anchor.factor)
        lo, hi = math.exp(centre - reach), math.exp(centre + reach)
        meaning = "95 % coverage for this object's size after the scale fit; says nothing of other copies"
        provenance = anchor.reason or f"caliper fit, u(ln scale) {anchor.u:.2g}"
    else:
        lo, hi = 1 - UNKNOWN_SIZE, 1 + UNKNOWN_SIZE
        meaning = f"no length gave the size an uncertainty: +-{UNKNOWN_SIZE:.0%} is an assumption"
        provenance = anchor.reason or "no length was measured"
    lo, hi = interval(1.0, lo, hi)
    return Slot(
        name="size",
        unit="1",
        nominal=1.0,
        lo=lo,
        hi=hi,
        distribution="uniform",
        operation="scale",
        method=anchor.method if measured else "assumed",
        meaning=meaning,
        provenance=provenance,
        joint_group="scale:all",
        targets=(Target("body", body, "scale"),),
        keeps=mass.keeps,
        recipe=RECIPES[anchor.method] if measured else "assumed",
        level=0.95 if measured else None,
    )


def mass_slot(body: str, mass: Mass) -> Slot:
    """Return the slot of mass, kg."""
    meaning = "mass of this object at its nominal size; the inertia follows in proportion"
    if mass.keeps == "density":
        meaning += ", and the size slot multiplies it by its cube"
    lo, hi = interval(mass.value, mass.lo, mass.hi)
    return Slot(
        name="mass",
        unit="kg",
        nominal=mass.value,
        lo=lo,
        hi=hi,
        distribution=mass.law,
        operation="abs",
        method=mass.method,
        meaning=meaning,
        provenance=mass.provenance,
        joint_group="mass",
        targets=(Target("body", body, "body_mass"),),
        recipe=RECIPES[mass.method],
    )


def inertia_slot(body: str, matter: Matter) -> Slot:
    """Return the slot of the factor on the inertia at given mass and size."""
    if matter.fill.kind == "unknown":
        lo, hi = interval(1.0, *matter.inertia_range)
        meaning = "factor at given mass from a homogeneous solid to a thin shell; a heavy core would lie below"
        provenance = "integrals over the closed surface as a solid and as a thin shell; the fill is unknown"
    else:
        half = UNKNOWN_FORM[matter.fill.kind]
        lo, hi = 1 - half, 1 + half
        wall = f" of {matter.fill.thickness * 1e3:.3g} mm inside it" if matter.fill.kind == "shell" else ""
        meaning = f"factor at given mass: +-{half:.0%} for form and homogeneity is an assumption"
        provenance = f"integrals over the closed surface, fill declared: {matter.fill.kind}{wall}"
    return Slot(
        name="inertia",
        unit="1",
        nominal=1.0,
        lo=lo,
        hi=hi,
        distribution="uniform",
        operation="scale",
        method="estimated" if matter.fill.kind == "unknown" else "declared",
        meaning=meaning,
        provenance=provenance,
        joint_group="fill",
        targets=(Target("body", body, "body_inertia"),),
        recipe="budget" if matter.fill.kind == "unknown" else "assumed",
    )


def com_slots(body: str, matter: Matter, extents: Floats, balanced: Balanced) -> tuple[Slot, ...]:
    """
    Return the slots of the centre of mass, one a coordinate, metres to add; *extents* (3,) m are the object's.

    A coordinate moves as far as the accuracies of balance points let it, and as far as what they left untold: towards
    where another fill would have it, and by an assumed share of the extent.
    """
    toward = balanced.free @ (matter.other.com - matter.nominal.com)
    untold = np.abs(balanced.free) @ (UNKNOWN_COM * extents)
    return tuple(
        _com_slot(body, axis, matter, float(balanced.half[axis]), float(toward[axis]), float(untold[axis]))
        for axis in range(3)
    )


def _com_slot(body: str, axis: int, matter: Matter, half: float, toward: float, untold: float) -> Slot:
    letter = "xyz"[axis]
    lo, hi = interval(0.0, min(0.0, toward) - half - untold, max(0.0, toward) + half + untold)
    computed = f"what the fill allows, and {UNKNOWN_COM:.0%} of the extent each way, assumed for what no scan sees"
    centre = f"centre of the closed surface, fill {matter.fill.kind}"
    measured = f"balance point, +-{half * 1e3:.3g} mm along {letter}"
    if untold == 0:
        meaning, provenance = f"accuracy of the balance point along {letter}", measured
    elif half == 0:
        meaning, provenance = computed, centre
    else:
        meaning = f"accuracy of the balance points; in the directions without one, {computed}"
        provenance = f"{measured}; {centre}"
    return Slot(
        name=f"com/{letter}",
        unit="m",
        nominal=0.0,
        lo=lo,
        hi=hi,
        distribution="uniform",
        operation="add",
        method="measured" if untold == 0 else "assumed",
        meaning=meaning,
        provenance=provenance,
        joint_group=f"com/{letter}" if untold == 0 else "fill",
        targets=(Target("body", body, "body_ipos", axis),),
        recipe="budget" if untold == 0 else "assumed",
    )


def interval(nominal: float, lo: float, hi: float) -> tuple[float, float]:
    """Return the ends to nine digits, more than an uncertainty deserves, with *nominal* still between them."""
    return min(float(f"{lo:.9g}"), nominal), max(float(f"{hi:.9g}"), nominal)


def coverage(dof: float) -> float:
    """
    Return the factor k of a 95 % interval: 2, or Student's where few degrees of freedom make it larger (GUM G.6.4).

    >>> coverage(math.inf), round(coverage(4), 3)
    (2.0, 2.776)
    """
    from scipy.special import stdtrit

    if math.isnan(dof) or dof > 200:
        return 2.0
    return max(2.0, float(stdtrit(max(dof, 1.0), 0.975)))
