"""
Slots that speak of any object of the scanned one's kind: from what was measured on several, or from somebody's word.

Size, mass and inertia stay together: where the size slot is over objects, the mass slot holds what they would weigh at
the scanned one's size (m over the cube of the size), and the size multiplies it by its cube again.  So two slots that
are drawn apart give large objects that are heavy.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.intervals import Interval, Sample, spread
from r2s.compiler.ir import Anchor
from r2s.compiler.population import OVER_OBJECTS, Choice, Objects, Recipe
from r2s.compiler.readings import Friction
from r2s.compiler.slots import Keeps, Slot
from r2s.passes.mjcf.mass import Mass
from r2s.passes.mjcf.openslots import UNKNOWN_SIZE, coverage, interval


def keeps_of(objects: Objects, choices: Sequence[Choice], mass: Mass) -> Keeps:
    """Return what a larger copy has in common with the nominal one, under the recipes that were chosen."""
    chosen = {choice.slot: choice.recipe.kind for choice in choices}
    if chosen.get("mass") == "declared":  # of all sizes
        return "mass"
    if "size" in chosen and ("mass" not in chosen or objects.sizes):
        return "density"
    return mass.keeps


def sample_of(slot: Slot, objects: Objects, anchor: Anchor, mass: Mass, frictions: tuple[Friction, ...]) -> Sample:
    """Return one number an object for *slot*, with what they share and how well one of them is known."""
    if slot.name == "size":
        known = math.isfinite(anchor.u)
        u = anchor.u if known else UNKNOWN_SIZE / math.sqrt(3)
        reach = math.expm1(coverage(anchor.dof) * u) if known else UNKNOWN_SIZE
        shift = anchor.fitted / anchor.factor if known else 1.0
        sizes = tuple(shift * ratio for ratio in objects.sizes)
        return Sample(sizes, math.hypot(u, objects.u_sizes), reach * math.fsum(sizes) / len(sizes))
    if slot.name == "mass":
        half = (mass.hi - mass.lo) / 2
        # where no sheet gives an accuracy, the half-width that this object was given stands in for the balance's
        u = objects.u_masses or half / math.sqrt(3) / mass.value
        if mass.keeps == "density" and objects.sizes:
            at_size = zip(objects.masses, objects.sizes, strict=True)
            return Sample(tuple(m / size**3 for m, size in at_size), u, half)
        return Sample(objects.masses, u, half)
    own = next(f for f in frictions if f"friction/{f.kind}" == slot.name)
    return Sample(objects.of(slot.name), 0.0, max(own.value - own.low, own.high - own.value))


def over_kind(
    slots: Iterable[Slot],
    objects: Objects,
    choices: Sequence[Choice],
    anchor: Anchor,
    mass: Mass,
    frictions: tuple[Friction, ...],
) -> tuple[Slot, ...]:
    """
    Return *slots*, each with the interval that *choices* ask for it; the others as they are.

    The *mass* keeps what :func:`keeps_of` said.  Raises InvalidInputError (R2S718) for a declared interval that leaves
    out this object's own value.
    """
    recipes = {choice.slot: choice.recipe for choice in choices}
    found = []
    for slot in slots:
        recipe = recipes.get(slot.name)
        if recipe is None:
            found.append(slot)
        elif recipe.kind in OVER_OBJECTS:
            sample = sample_of(slot, objects, anchor, mass, frictions)
            found.append(_measured(slot, recipe, sample, objects, _others(slot, frictions), mass.keeps))
        else:
            found.append(_declared(slot, recipe))
    return tuple(found)


def _others(slot: Slot, frictions: tuple[Friction, ...]) -> tuple[Friction, ...]:
    """Return what the sheet says of other counter-surfaces than the first."""
    return tuple(f for f in frictions if f"friction/{f.kind}" == slot.name)[1:]


def _measured(
    slot: Slot, recipe: Recipe, sample: Sample, objects: Objects, others: tuple[Friction, ...], keeps: Keeps
) -> Slot:
    found = spread(recipe, sample)
    ends = (found.lo, found.hi, *(f.low for f in others), *(f.high for f in others))
    lo, hi = interval(slot.nominal, min(ends), max(ends))
    return replace(
        slot,
        lo=lo,
        hi=hi,
        distribution="log_uniform" if found.logarithmic and lo > 0 else "uniform",
        meaning=_meaning(slot, recipe, sample, found, keeps)
        + ("; covers other counter-surfaces too" if others else ""),
        provenance=f"one number an object from {sample.n} sheets; of this object: {slot.provenance}",
        joint_group=f"objects:{slot.name}",
        recipe=recipe.kind,
        population="objects_like_this_one",
        n=sample.n,
        level=None if recipe.kind == "minmax_margin" else recipe.level,
        confidence=recipe.confidence if recipe.kind == "tolerance" else None,
        centre=float(f"{found.centre:.9g}"),
        sources=objects.sources,
    )


def _declared(slot: Slot, recipe: Recipe) -> Slot:
    if not recipe.lo <= slot.nominal <= recipe.hi:
        what = f"{slot.name} was declared as {recipe.lo:g} to {recipe.hi:g} {slot.unit}, and this object has "
        what += f"{slot.nominal:.6g} {slot.unit}"
        hint = "this object is one of its kind: declare an interval that holds it"
        raise InvalidInputError("R2S718", what, hint=hint)
    return replace(
        slot,
        lo=recipe.lo,
        hi=recipe.hi,
        distribution="uniform",
        method="declared",
        meaning="declared for any object of this kind, with no probability",
        provenance=f"declared: {recipe.reason}; of this object: {slot.provenance}",
        joint_group=f"objects:{slot.name}",
        recipe="declared",
        population="objects_like_this_one",
    )


def _meaning(slot: Slot, recipe: Recipe, sample: Sample, found: Interval, keeps: Keeps) -> str:
    match recipe.kind:
        case "prediction":
            said = f"the next object of this kind with probability {recipe.level:.4g}"
        case "tolerance":
            said = f"{recipe.level:.4g} of all objects of this kind, with confidence {recipe.confidence:.4g}"
        case _:
            margin = (
                f"{100 * recipe.margin:.3g} % of the mean" if recipe.relative else _amount(recipe.margin, slot.unit)
            )
            said = f"smallest to largest of {sample.n} objects, widened by {margin} ({recipe.reason}); no probability"
    if slot.name.startswith("friction/"):
        said += f" ({slot.meaning})"
    if slot.name == "mass" and keeps == "density":
        said += ", at this object's size; the size slot multiplies it by its cube"
    if found.floored:
        said += "; the objects differ by less than one of them is known, and that uncertainty set an end"
    if not found.lo <= slot.nominal <= found.hi:
        said += "; stretched to this object, which lies outside"
    return said


def _amount(value: float, unit: str) -> str:
    return f"{value * 1e3:.4g} g" if unit == "kg" else f"{value:.4g}" + (f" {unit}" if unit != "1" else "")
