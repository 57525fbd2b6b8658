"""
The sheets of objects like the scanned one: read, held against its own sheet, and reduced to one number an object.

An instance's sheet is a caliper sheet like any other; it needs no scan.  Which of its readings count:

- A length counts where the sheet of the scanned object has a ``calibrate`` reading of the same id.  A ``check`` value
  of the scanned object never reaches the asset, not even as the length that others are compared with.
- On the instance's own sheet roles mean nothing here: its readings judge its own asset, and no part of this one.
- Repeats on one sheet are averaged.  They are one object.
- Mass counts as it is, friction where it was measured, on the first counter-surface of the scanned object's sheet.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from r2s.compiler.codec import canonical, sha256
from r2s.compiler.errors import InvalidInputError
from r2s.compiler.measurements import load_sheet
from r2s.compiler.population import FEWEST, Coefficient, Objects
from r2s.compiler.readings import Reading, Sheet
from r2s.compiler.units import format_length, format_mass

# Objects of one kind differ by less; a diameter read as radius, or another unit, by more.  Judgement.
_LIKE = 1.8
_LIKE_MASS = _LIKE**3


@dataclass(frozen=True)
class Instance:
    """A like object: its sheet, and *path* as the user named it, which goes into messages and nowhere else."""

    path: Path
    sheet: Sheet

    @property
    def digest(self) -> str:
        """What the slots name it by; see :func:`digest_of_sheet`."""
        return digest_of_sheet(self.sheet.sha256, dict(self.sheet.files))


def digest_of_sheet(hash_: str, files: Mapping[str, str]) -> str:
    """Return the SHA-256 of a sheet, and of the files that it names where there are any (*files*: hashes by name)."""
    return sha256(canonical([hash_, files])) if files else hash_


def read_instances(paths: Iterable[Path], scanned: Sheet, name: str) -> tuple[Instance, ...]:
    """
    Return the sheets at *paths*, in the order of their hashes, so that no order on the command line changes a byte.

    *scanned* is the sheet of the scanned object, which messages call *name*.  Raises InvalidInputError for a sheet that
    cannot be read, that is one object a second time (R2S261), is of another kind of object (R2S260), or has no mass
    where the scanned object has one (R2S262).
    """
    found: list[Instance] = []
    for path in paths:
        instance = Instance(path, load_sheet(path, str(path))[0])
        _refuse_repeat(instance, found, scanned, name)
        _refuse_unlike(instance, scanned, name)
        _refuse_massless(instance, scanned, name)
        found.append(instance)
    return tuple(sorted(found, key=lambda one: one.digest))


def like_objects(scanned: Sheet, instances: Sequence[Instance]) -> tuple[Objects, dict[str, str]]:
    """Return one number an object and quantity, and by slot why there is none."""
    missing: dict[str, str] = {}
    if not instances:
        return Objects(), missing
    sheets = [one.sheet for one in instances]
    calibrate = scanned.of_role("calibrate")
    if not calibrate:
        missing["size"] = "the scanned object has no calibrate reading, and a check value may tune nothing"
    if scanned.mass is None:
        missing["mass"] = "the scanned object was not weighed"
    masses = [s.mass for s in (scanned, *sheets) if s.mass is not None] if scanned.mass is not None else []
    pairs = [_pairs(scanned, sheet) for sheet in sheets] if calibrate else []
    frictions = {kind: _friction(kind, scanned, sheets) for kind in ("slide", "spin", "roll")}
    missing |= {f"friction/{kind}": why for kind, (_, why) in frictions.items() if why}
    objects = Objects(
        sources=tuple(one.digest for one in instances),
        sizes=(1.0, *(_ratio(of_one) for of_one in pairs)) if pairs else (),
        u_sizes=max(map(_u_of_others, pairs), default=0.0),
        masses=tuple(m.value for m in masses),
        u_masses=max((m.shared / math.sqrt(3) / m.value for m in masses), default=0.0),
        frictions=tuple(Coefficient(kind, values) for kind, (values, _) in frictions.items() if values),
    )
    return objects, missing


def _refuse_repeat(instance: Instance, others: Sequence[Instance], scanned: Sheet, name: str) -> None:
    twin = next((str(o.path) for o in others if o.sheet.sha256 == instance.sheet.sha256), None)
    hint = "leave one out"
    if instance.sheet.sha256 == scanned.sha256:
        twin, hint = f"{name}, the sheet of the scanned object", "leave it out: the scanned object is counted already"
    if twin is not None:
        what = f"{instance.path} holds the same bytes as {twin}: one object twice, not two objects"
        hint += "; if another object gave the same readings, say so in a comment on its sheet: # number 2"
        raise InvalidInputError("R2S261", what, hint=hint)


def _refuse_unlike(instance: Instance, scanned: Sheet, name: str) -> None:
    """Refuse a sheet whose readings are of another kind of object; only names are compared where a role is check."""
    for mine, its in _common(scanned.readings, instance.sheet):
        if _measurand(mine) != _measurand(its):
            what = (
                f"{instance.path} is of another kind of object: its {its.id} is {_said(its)}, on {name} {_said(mine)}"
            )
            raise InvalidInputError("R2S260", what, hint="give readings of different things different ids")
    if not _common(scanned.readings, instance.sheet):
        has = ", ".join(r.id for r in instance.sheet.readings) or "no length"
        wants = ", ".join(r.id for r in scanned.readings) or "no length"
        what = f"{instance.path} is of another kind of object: it has {has}, and {name} has {wants}"
        hint = "measure one of the same lengths on both, and give it the same id"
        raise InvalidInputError("R2S260", what, hint=hint)
    calibrate = scanned.of_role("calibrate")
    if calibrate and not _pairs(scanned, instance.sheet):
        what = f"{instance.path} has no length to compare: all it shares with {name} is check there, and tunes nothing"
        hint = f"measure one of {', '.join(r.id for r in calibrate)} on it too"
        raise InvalidInputError("R2S260", what, hint=hint)
    for mine, its in _pairs(scanned, instance.sheet):
        if not 1 / _LIKE < its.value / mine.value < _LIKE:
            what = (
                f"{instance.path} is of another kind of object: its {its.id} is {format_length(its.value)}, on {name} "
            )
            what += f"{format_length(mine.value)}; objects of a kind differ by under {_LIKE:g} times"
            raise InvalidInputError("R2S260", what, hint="check unit and digits")


def _refuse_massless(instance: Instance, scanned: Sheet, name: str) -> None:
    mine, its = scanned.mass, instance.sheet.mass
    if mine is None:
        return
    if its is None:
        what = f"{instance.path} has no mass, and {name} has one"
        hint = "weigh this object too and add mass: {value: ..., unit: g}; or leave its sheet out"
        raise InvalidInputError("R2S262", what, hint=hint)
    if not 1 / _LIKE_MASS < its.value / mine.value < _LIKE_MASS:
        what = f"{instance.path} is of another kind of object: it weighs {format_mass(its.value)}, {name} says "
        what += f"{format_mass(mine.value)}; objects of a kind differ by under {_LIKE_MASS:.2g} times"
        raise InvalidInputError("R2S260", what, hint="check unit and digits")


def _common(readings: Iterable[Reading], sheet: Sheet) -> list[tuple[Reading, Reading]]:
    """Return the *readings* beside those of the same id on *sheet*."""
    its = {r.id: r for r in sheet.readings}
    return [(mine, its[mine.id]) for mine in readings if mine.id in its]


def _pairs(scanned: Sheet, sheet: Sheet) -> list[tuple[Reading, Reading]]:
    """Return the calibrate readings of the scanned object beside the same of *sheet*."""
    return _common(scanned.of_role("calibrate"), sheet)


def _measurand(reading: Reading) -> tuple[str, float | None, str | None]:
    """Return what was measured, without the picks: they are points of each object's own scan."""
    return reading.feature.kind, reading.feature.along, reading.feature.axis


def _said(reading: Reading) -> str:
    kind, along, axis = _measurand(reading)
    at = "" if along is None else f" at {format_length(along)}"
    return f"{kind}{at}{'' if axis is None else f' along {axis}'}"


def _ratio(pairs: Sequence[tuple[Reading, Reading]]) -> float:
    """Return the size of an object over that of the scanned one: the geometric mean over readings in common."""
    return math.exp(math.fsum(math.log(its.expected / mine.expected) for mine, its in pairs) / len(pairs))


def _u_of_others(pairs: Sequence[tuple[Reading, Reading]]) -> float:
    """
    Return the relative standard uncertainty that the instruments of one object add to its ratio.

    A caliper's own error cancels in the ratio where both lengths were read with it; with another one it stays, and is
    taken as shared by all readings.
    """
    others = [its.accuracy / math.sqrt(3) / its.value for mine, its in pairs if its.instrument != mine.instrument]
    return math.fsum(others) / len(pairs)


def _friction(kind: str, scanned: Sheet, sheets: Sequence[Sheet]) -> tuple[tuple[float, ...], str]:
    """Return the coefficients of *kind* that were measured, one an object, or why there are too few."""
    mine = next((f for f in scanned.friction if f.kind == kind), None)
    if mine is None or mine.method != "measured":
        given = any(f.kind == kind for sheet in sheets for f in sheet.friction)
        return (), "on the scanned object it was not measured" if given else ""
    wanted = (kind, mine.against, "measured")
    its = [next((f for f in s.friction if (f.kind, f.against, f.method) == wanted), None) for s in sheets]
    values = (mine.value, *(f.value for f in its if f is not None))
    if len(values) >= FEWEST:
        return values, ""
    against = f" against {mine.against}" if mine.against else ""
    return (), f"it was measured{against} on {len(values)} of {1 + len(sheets)} objects"
