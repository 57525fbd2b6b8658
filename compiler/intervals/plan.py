"""Which slot gets which recipe, once it is known how many objects were measured, and what the user must know of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from r2s.compiler.errors import Diagnostic, InvalidInputError
from r2s.compiler.intervals.asked import ALL, SLOTS, parse_recipe
from r2s.compiler.population import FEWEST, OVER_OBJECTS, Choice, Objects, Recipe
from r2s.compiler.uncertainty.tolerance import tolerance_factor

WIDE = 5.0  # a tolerance factor beyond it says more of the number of objects than of the objects
_DECLARE = "declare an interval: --interval 'mass=declared:90g..98g:who says so'"


def plan(
    objects: Objects, asked: Mapping[str, str], missing: Mapping[str, str]
) -> tuple[tuple[Choice, ...], tuple[Diagnostic, ...]]:
    """
    Return the recipe of each slot that is not left to this object's own budget, and what is to be told.

    *asked* are recipes as text by slot, or by ``all``; *missing* says by slot why the objects say nothing of it.
    Without a word of the user's, slots take the prediction from three objects on.  Raises InvalidInputError (R2S264)
    for a recipe over objects where fewer were measured.
    """
    choices: list[Choice] = []
    said: list[Diagnostic] = []
    general = parse_recipe(ALL, asked[ALL]) if ALL in asked else None
    for slot in SLOTS:
        own = parse_recipe(slot, asked[slot]) if slot in asked else None
        recipe = own or general or Recipe("prediction" if objects.sources else "budget")
        if recipe.kind in OVER_OBJECTS:
            n = len(objects.of(slot)) or 1
            if n < FEWEST:
                insisted = own is not None or (general is not None and objects.count < FEWEST)
                if insisted:
                    raise _too_few(slot, recipe, objects, missing.get(slot, ""))
                continue
            said += _wide(slot, recipe, n)
        if recipe.kind != "budget":
            choices.append(Choice(slot, recipe))
    return tuple(choices), (*_unused(objects, asked, missing), *said)


def _too_few(slot: str, recipe: Recipe, objects: Objects, missing: str) -> InvalidInputError:
    counted = "1 object was" if objects.count == 1 else f"{objects.count} objects were"
    why = missing or f"{counted} measured, and two say nothing of the spread of a kind"
    more = "add the sheets of more objects" if objects.count < FEWEST else "measure it on all"
    what = f"no {recipe.kind} for {slot}: it takes {FEWEST} objects; {why}"
    return InvalidInputError("R2S264", what, hint=f"{more} with --instances, or {_DECLARE}")


def _unused(objects: Objects, asked: Mapping[str, str], missing: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Yield why sheets that were given do not widen a slot."""
    if not objects.sources or asked.get(ALL) == "budget":
        return
    if objects.count < FEWEST:
        what = f"{objects.count} objects say nothing of a third: the slots keep the intervals of this object alone"
        yield Diagnostic("warning", "R2S265", what, f"add the sheet of one more object to --instances, or {_DECLARE}")
        return
    for slot, why in missing.items():
        if slot not in asked:
            what = f"{slot} keeps the interval of this object alone: {why}"
            yield Diagnostic("note", "R2S267", what, "measure it on every object, the scanned one included")


def _wide(slot: str, recipe: Recipe, n: int) -> Iterator[Diagnostic]:
    if recipe.kind != "tolerance":
        return
    k = tolerance_factor(recipe.level, recipe.confidence, n)
    if k > WIDE:
        what = (
            f"the tolerance interval of {slot} reaches {k:.2f} standard deviations each way: {n} objects cannot hold "
            f"{recipe.level:.4g} of all with confidence {recipe.confidence:.4g} in less"
        )
        yield Diagnostic(
            "warning", "R2S266", what, "measure more objects (from 6 on, for 95 % with 95 %), or prediction"
        )
