"""
What a user asks of the slots' intervals, as text: ``[SLOT=]RECIPE``.

    prediction            prediction:0.9              the next object, with 95 % or the given probability
    tolerance             tolerance:0.95,0.90         a share of all objects, with a confidence
    minmax_margin:0.3g:the balance drifts             smallest to largest, widened; with a unit and a reason
    declared:90g..98g:data sheet, revision C          somebody's word; with a reason
    budget                                            this object alone, from its own error budget

Without a slot a recipe is for every slot that its unit fits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from r2s.compiler.errors import InvalidInputError, UsageError
from r2s.compiler.population import Kind, Recipe
from r2s.compiler.suggest import did_you_mean
from r2s.compiler.units import LENGTH, MASS, parse_quantity, split_number
from r2s.compiler.wording import shown

ALL = "all"  # the slot of a recipe that names none
SLOTS = ("size", "mass", "friction/slide", "friction/spin", "friction/roll")
FORMS: Mapping[Kind, str] = {
    "prediction": "prediction or prediction:0.95",
    "tolerance": "tolerance or tolerance:0.95,0.95",
    "minmax_margin": "minmax_margin:0.3g:why so much",
    "declared": "declared:90g..98g:who says so",
    "budget": "budget",
}
_LEAST, _MOST = 0.5, 0.9999  # probabilities: below it is no coverage, above no small sample can tell
_LONGEST = 120
_TABLES = {"mass": MASS, "friction/spin": LENGTH, "friction/roll": LENGTH}  # of the others the unit is 1
_EXAMPLES = {"mass": "0.3g", "friction/spin": "0.2mm", "friction/roll": "0.01mm"}


def read_choices(texts: Iterable[str]) -> dict[str, str]:
    """
    Return the recipe, as text, of each slot that *texts* name; the last one wins.

    Raises UsageError (R2S045) for a text that is none; what reads here, :func:`parse_recipe` reads again.

    >>> read_choices(["prediction:0.9", "mass=tolerance", "minmax_margin:0.3g:drift"])
    {'all': 'prediction:0.9', 'mass': 'minmax_margin:0.3g:drift'}
    """
    found = {}
    for text in texts:
        slot, equals, rest = text.partition("=")
        if not equals or ":" in slot:
            slot, rest = ALL, text
        slot, rest = slot.strip(), rest.strip()
        if slot not in (ALL, *SLOTS):
            hint = did_you_mean(slot, SLOTS) or f"name one of {', '.join(SLOTS)}"
            raise UsageError("R2S045", f"no slot {shown(slot)} takes an interval", hint=hint)
        if slot == ALL:
            slot = _slot_of(rest)
        parse_recipe(slot, rest)
        found[slot] = rest
    return found


def parse_recipe(slot: str, text: str) -> Recipe:
    """Return the recipe that *text* asks for *slot* (or ``all``); raise UsageError (R2S045) where it is none."""
    word, _, rest = text.partition(":")
    match word.strip():
        case "prediction":
            (level,) = _probabilities(text, rest, 1) if rest else (0.95,)
            return Recipe("prediction", level)
        case "tolerance":
            share, confidence = _probabilities(text, rest, 2) if rest else (0.95, 0.95)
            return Recipe("tolerance", share, confidence)
        case "minmax_margin":
            amount, reason = _with_reason(text, "minmax_margin", rest)
            value, relative = _margin(slot, amount, text)
            return Recipe("minmax_margin", margin=value, relative=relative, reason=reason)
        case "declared":
            ends, reason = _with_reason(text, "declared", rest)
            low, dots, high = ends.partition("..")
            if not dots:
                raise _unreadable(text, "has no lo..hi", f"write {FORMS['declared']}")
            lo, hi = (_end(slot, end, text) for end in (low, high))
            if not lo < hi:
                raise _unreadable(text, f"ends at {high.strip()} and begins at {low.strip()}", "write lo..hi")
            return Recipe("declared", lo=lo, hi=hi, reason=reason)
        case "budget" if not rest:
            return Recipe("budget")
    close = did_you_mean(word, FORMS)
    raise _unreadable(text, "is no recipe", close or f"write {', '.join(FORMS.values())}")


def _slot_of(text: str) -> str:
    """Return which slot a recipe without one is for: the mass where it speaks of one, else all."""
    word, _, rest = text.partition(":")
    amount = rest.split(":")[0].split("..")[0].strip()
    if word not in ("minmax_margin", "declared") or not amount or (word == "minmax_margin" and amount[-1] == "%"):
        return ALL
    if any(amount.endswith(unit) and amount.removesuffix(unit).strip()[-1:].isdigit() for unit in MASS):
        return "mass"
    raise _unreadable(
        text, "does not say for which slot", f"write size={text}, or name another of {', '.join(SLOTS[1:])}"
    )


def _probabilities(text: str, rest: str, count: int) -> tuple[float, ...]:
    parts = rest.split(",")
    if len(parts) != count:
        raise _unreadable(
            text, f"has {len(parts)} number{'s' if len(parts) > 1 else ''} where {count} belong", _form(text)
        )
    return tuple(_probability(part.strip(), text) for part in parts)


def _probability(word: str, text: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not _LEAST <= value <= _MOST:
        raise _unreadable(text, f"has {shown(word)}, no probability from {_LEAST} to {_MOST}", _form(text))
    return value


def _form(text: str) -> str:
    word = text.partition(":")[0]
    return f"write {next(form for kind, form in FORMS.items() if kind == word)}"


def _with_reason(text: str, kind: Kind, rest: str) -> tuple[str, str]:
    amount, _, reason = rest.partition(":")
    reason = " ".join(reason.split())
    if not amount.strip() or not reason:
        missing = "reason" if amount.strip() else "number"
        raise _unreadable(text, f"gives no {missing}", f"write {FORMS[kind]}: whoever reads the slot must know why")
    if len(reason) > _LONGEST or not reason.isprintable():
        raise _unreadable(
            text, f"has a reason over {_LONGEST} characters, or one that cannot be printed", "say it shorter"
        )
    return amount.strip(), reason


def _margin(slot: str, amount: str, text: str) -> tuple[float, bool]:
    """Return the margin in the slot's unit, or as a share of the mean and True."""
    relative = amount.endswith("%")
    value = _number(amount[:-1], text) / 100 if relative else _in_unit(slot, amount, text)
    if not value > 0:
        raise _unreadable(text, f"has the margin {amount}", "give a margin over 0")
    return value, relative


def _end(slot: str, end: str, text: str) -> float:
    end = end.strip()
    if slot == "size" and end.endswith("%"):
        return _number(end[:-1], text) / 100
    return _in_unit(slot, end, text)


def _in_unit(slot: str, amount: str, text: str) -> float:
    if slot == ALL:
        raise _unreadable(text, "does not say for which slot", f"name one of {', '.join(SLOTS)}: SLOT=RECIPE")
    table = _TABLES.get(slot)
    if table is None:
        return _number(amount, text)
    try:
        value = parse_quantity(amount, table, what="it")[0]
    except InvalidInputError as error:
        said = error.message.removeprefix("it ")
        raise _unreadable(text, f"says {said}", f"{slot} wants a unit, as in {_EXAMPLES[slot]}") from None
    return _positive(value, text)


def _number(amount: str, text: str) -> float:
    try:
        number, rest = split_number(amount, what="it")
    except InvalidInputError as error:
        raise _unreadable(text, f"says {error.message.removeprefix('it is ')}", error.hint) from None
    if rest:
        raise _unreadable(text, f"has the unit {shown(rest)}, and this slot's unit is 1", "write a plain number, or %")
    return _positive(float(number), text)


def _positive(value: float, text: str) -> float:
    if not 0 <= value <= 1e9:
        raise _unreadable(text, f"has {value:g}, below 0 or too large", "check the number")
    return value


def _unreadable(text: str, what: str, hint: str) -> UsageError:
    return UsageError("R2S045", f"the interval {shown(text)} {what}", hint=hint)
