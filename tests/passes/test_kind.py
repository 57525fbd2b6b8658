"""Slots over objects of one kind: numbers, what scale they are on, what stays together, and what is said of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.intervals import Sample, spread
from r2s.compiler.ir import Anchor
from r2s.compiler.population import Choice, Coefficient, Objects, Recipe
from r2s.compiler.readings import Friction
from r2s.compiler.slots import Slot
from r2s.passes.mjcf.friction import friction_slots
from r2s.passes.mjcf.kind import keeps_of, over_kind
from r2s.passes.mjcf.mass import Mass
from r2s.passes.mjcf.openslots import mass_slot, size_slot

WEIGHED = Mass(9.8e-3, 9.79e-3, 9.81e-3, "uniform", "measured", "measured 9.8 g +- 0.01 g", "mass")
FITTED = Anchor(1.0, 1.002, 0.001, math.inf, False, "measured", "x1.00200 within 2 u of 1")
PULLED = Friction("slide", 0.6, 0.58, 0.63, "measured", "rubber")
MASSES, SIZES = (9.8e-3, 10.1e-3, 10.0e-3, 9.9e-3), (1.0, 1.02, 1.01, 0.99)
OBJECTS = Objects(("aa", "bb", "cc"), masses=MASSES, u_masses=0.0)
PREDICTION = Recipe("prediction")


def slots_of(
    objects: Objects, *choices: Choice, anchor: Anchor = FITTED, frictions: tuple[Friction, ...] = (PULLED,)
) -> dict[str, Slot]:
    mass = replace(WEIGHED, keeps=keeps_of(objects, choices, WEIGHED))
    known = (size_slot("b", anchor, mass), mass_slot("b", mass), *friction_slots(["g"], frictions))
    found = over_kind(known, objects, choices, anchor, mass, frictions)
    for slot in found:
        slot.verify()
    return {slot.name: slot for slot in found}


def ends(slot: Slot) -> tuple[float, float]:
    return slot.lo, slot.hi


def test_without_a_choice_every_slot_speaks_of_this_object() -> None:
    found = slots_of(OBJECTS)

    assert {(s.population, s.n, s.sources) for s in found.values()} == {("this_object", 1, ())}
    assert {s.name: s.recipe for s in found.values()} == {
        "size": "budget",
        "mass": "budget",
        "friction/slide": "budget",
        "friction/spin": "assumed",
        "friction/roll": "assumed",
    }
    assert (found["size"].level, found["mass"].level) == (0.95, None)


def test_a_mass_is_predicted_in_the_logarithm() -> None:
    slot = slots_of(OBJECTS, Choice("mass", PREDICTION))["mass"]
    u = 0.01 / math.sqrt(3) / 9.8
    logs = np.log(MASSES)
    half = 3.182446 * math.sqrt(np.var(logs, ddof=1) * 1.25 + u**2)

    assert ends(slot) == pytest.approx([math.exp(logs.mean() - half), math.exp(logs.mean() + half)], rel=1e-6)
    assert ends(slot) == pytest.approx([9.50e-3, 10.42e-3], abs=5e-6)
    assert (slot.nominal, slot.centre) == (9.8e-3, pytest.approx(math.exp(logs.mean())))
    assert (slot.recipe, slot.population, slot.n, slot.level) == ("prediction", "objects_like_this_one", 4, 0.95)
    assert (slot.distribution, slot.joint_group, slot.sources) == ("log_uniform", "objects:mass", ("aa", "bb", "cc"))
    assert slot.meaning == "the next object of this kind with probability 0.95"
    assert slot.provenance == "one number an object from 4 sheets; of this object: measured 9.8 g +- 0.01 g"


def test_smallest_to_largest_is_worked_as_it_is_written() -> None:
    recipe = Recipe("minmax_margin", margin=0.3e-3, reason="the balance drifts")
    slot = slots_of(OBJECTS, Choice("mass", recipe))["mass"]

    assert ends(slot) == (9.5e-3, 10.4e-3)
    assert (slot.level, slot.distribution) == (None, "uniform")
    assert slot.meaning == ("smallest to largest of 4 objects, widened by 0.3 g (the balance drifts); no probability")


def test_a_tolerance_says_share_and_confidence() -> None:
    slot = slots_of(OBJECTS, Choice("mass", Recipe("tolerance", 0.9, 0.99)))["mass"]

    assert (slot.level, slot.confidence) == (0.9, 0.99)
    assert slot.meaning == "0.9 of all objects of this kind, with confidence 0.99"


def test_a_size_is_relative_to_the_asset_and_its_scale_enters_once() -> None:
    """The asset was left at the scan's scale, 0.2 % below the calipers: the kind lies that much higher."""
    objects = replace(OBJECTS, sizes=SIZES)
    slot = slots_of(objects, Choice("size", PREDICTION))["size"]
    logs = np.log(SIZES)
    half = 3.182446 * math.sqrt(np.var(logs, ddof=1) * 1.25 + 0.001**2)
    middle = logs.mean() + math.log(1.002)

    assert ends(slot) == pytest.approx([math.exp(middle - half), math.exp(middle + half)], rel=1e-6)
    assert slot.centre == pytest.approx(math.exp(middle))
    wider = slots_of(replace(objects, u_sizes=0.01), Choice("size", PREDICTION))["size"]
    assert wider.lo < slot.lo < slot.hi < wider.hi


def test_like_objects_are_never_known_better_than_this_one() -> None:
    """Equal sizes leave the scale of this object, with its factor of 2 and more."""
    objects = replace(OBJECTS, sizes=(1.0, 1.0, 1.0, 1.0))
    own = slots_of(objects)["size"]
    for recipe in (PREDICTION, Recipe("tolerance"), Recipe("minmax_margin", margin=1e-6, reason="why")):
        slot = slots_of(objects, Choice("size", recipe))["size"]
        assert slot.lo <= own.lo
        assert slot.hi >= own.hi
    assert "the objects differ by less than one of them is known" in slot.meaning


def test_a_scale_that_nothing_measured_stays_assumed() -> None:
    objects = replace(OBJECTS, sizes=SIZES)
    slot = slots_of(objects, Choice("size", PREDICTION), anchor=Anchor())["size"]

    assert slot.method == "assumed"
    assert slot.lo < 0.98
    assert slot.hi > 1.02


def test_size_drives_mass_where_both_are_of_the_kind() -> None:
    """Objects of one density: all of what their masses differ is their size, and the mass slot holds what is left."""
    objects = replace(OBJECTS, sizes=SIZES, masses=tuple(9.8e-3 * s**3 for s in SIZES))
    both = slots_of(objects, Choice("size", PREDICTION), Choice("mass", PREDICTION))

    assert both["size"].keeps == "density"
    assert both["mass"].centre == pytest.approx(9.8e-3, rel=1e-8)
    assert both["mass"].hi / both["mass"].lo < 1.005
    assert "at this object's size; the size slot multiplies it by its cube" in both["mass"].meaning
    alone = slots_of(objects, Choice("mass", PREDICTION))
    assert alone["size"].keeps == "mass"
    assert alone["mass"].hi / alone["mass"].lo > 1.2
    assert both["size"].joint_group != both["mass"].joint_group


def test_drawn_slots_have_the_masses_of_the_kind() -> None:
    """
    The two slots, drawn apart and put together as a simulation does, spread as the masses themselves do.

    That is so for any share of size in mass; here a fifth of the logarithm's variance is fill.
    """
    rng = np.random.default_rng(7)
    sizes = np.exp(0.02 * rng.normal(size=400))
    masses = 0.1 * sizes**3 * np.exp(0.03 * rng.normal(size=400))
    objects = Objects(
        tuple(f"{i}" for i in range(399)), (1.0, *(sizes[1:] / sizes[0])), 0.0, tuple(masses.tolist()), 1e-6
    )
    mass = replace(WEIGHED, value=float(masses[0]), lo=float(masses[0]), hi=float(masses[0]), keeps="density")
    anchor = replace(FITTED, fitted=1.0, u=1e-6)
    known = (size_slot("b", anchor, mass), mass_slot("b", mass))
    chosen = (Choice("size", PREDICTION), Choice("mass", PREDICTION))
    size, weight = over_kind(known, objects, chosen, anchor, mass, ())
    of_size, of_mass = (math.log(s.hi / s.lo) / 2 / 1.97 for s in (size, weight))

    assert math.hypot(3 * of_size, of_mass) == pytest.approx(np.std(np.log(masses), ddof=1), rel=0.05)


@pytest.mark.parametrize(
    ("choices", "keeps"),
    [
        ((), "mass"),
        ((Choice("mass", PREDICTION),), "mass"),
        ((Choice("size", PREDICTION),), "density"),
        ((Choice("size", PREDICTION), Choice("mass", Recipe("declared", lo=9e-3, hi=11e-3, reason="r"))), "mass"),
        ((Choice("size", Recipe("declared", lo=0.9, hi=1.1, reason="r")), Choice("mass", PREDICTION)), "density"),
    ],
)
def test_what_a_larger_copy_keeps(choices: tuple[Choice, ...], keeps: str) -> None:
    assert slots_of(replace(OBJECTS, sizes=SIZES), *choices)["size"].keeps == keeps


def test_a_size_by_word_and_masses_of_unknown_size_are_not_multiplied_twice() -> None:
    declared = Choice("size", Recipe("declared", lo=0.9, hi=1.1, reason="mould"))

    assert slots_of(OBJECTS, declared, Choice("mass", PREDICTION))["size"].keeps == "mass"


def test_a_friction_of_the_kind_covers_this_object_s_own_scatter_and_other_surfaces() -> None:
    steel = Friction("slide", 0.3, 0.28, 0.32, "measured", "steel")
    objects = replace(OBJECTS, frictions=(Coefficient("slide", (0.6, 0.61, 0.59, 0.6)),))
    chosen = Choice("friction/slide", PREDICTION)
    alone = slots_of(objects, chosen)["friction/slide"]
    both = slots_of(objects, chosen, frictions=(PULLED, steel))["friction/slide"]

    assert ends(alone) == pytest.approx(
        [min(0.5741, alone.centre - 0.03), max(0.6266, alone.centre + 0.03)],
        abs=2e-4,  # type: ignore[operator]  # there is one
    )
    assert (both.lo, both.hi) == (0.28, alone.hi)
    assert both.meaning.endswith("; covers other counter-surfaces too")
    assert "sliding coefficient" in both.meaning


def test_a_slot_reaches_to_this_object_where_the_others_leave_it_out() -> None:
    masses = (8.0e-3, *(1e-2 * (1 + 1e-4 * i) for i in range(20)))
    objects = Objects(tuple(map(str, range(20))), masses=masses)
    mass = replace(WEIGHED, value=8e-3, lo=7.99e-3, hi=8.01e-3)
    (slot,) = over_kind((mass_slot("b", mass),), objects, (Choice("mass", PREDICTION),), FITTED, mass, ())

    assert spread(PREDICTION, Sample(masses)).lo > 8e-3
    assert slot.lo == slot.nominal == 8e-3
    assert slot.meaning.endswith("stretched to this object, which lies outside")


def test_a_declared_interval_is_taken_as_it_is() -> None:
    slot = slots_of(Objects(), Choice("mass", Recipe("declared", lo=9e-3, hi=11e-3, reason="label")))["mass"]

    assert ends(slot) == (9e-3, 11e-3)
    assert (slot.recipe, slot.method, slot.population, slot.n) == ("declared", "declared", "objects_like_this_one", 1)
    assert slot.provenance == "declared: label; of this object: measured 9.8 g +- 0.01 g"


@pytest.mark.parametrize("lo_hi", [(9.9e-3, 11e-3), (9e-3, 9.7e-3)])
def test_a_declared_interval_without_this_object_is_refused(lo_hi: tuple[float, float]) -> None:
    recipe: Any = Recipe("declared", lo=lo_hi[0], hi=lo_hi[1], reason="label")
    with pytest.raises(InvalidInputError, match=r"and this object has 0\.0098 kg") as caught:
        slots_of(Objects(), Choice("mass", recipe))

    assert caught.value.code == "R2S718"
