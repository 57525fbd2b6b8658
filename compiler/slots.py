"""
The parameters of an asset that stay open: each with its nominal value, an interval, and where both come from.

A slot says what a simulation may vary and how far the evidence allows.  The words for *operation* and *distribution*
are those of Isaac Lab and mjlab, so that a slot turns into one of their randomisation terms without translation.
Targets name elements of the MJCF without any prefix: ``attach(prefix="m1_")`` renames elements but not the text that
holds this JSON, so a reader adds the prefix that it finds on the text's own name.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.ledger import Method
from r2s.compiler.population import FEWEST, OVER_OBJECTS, Kind, Population
from r2s.compiler.strict_json import is_number

SCHEMA = "r2s-slots/1"

Operation = Literal["abs", "scale", "add"]
Distribution = Literal["uniform", "log_uniform", "gaussian"]
Keeps = Literal["", "mass", "density"]

_NUMBERS = frozenset({"nominal", "lo", "hi", "level", "confidence", "centre"})
# What a slot says of its interval.  A file without these keys, as older ones are, speaks of one object.
_OF_INTERVAL = frozenset({"recipe", "population", "n", "level", "confidence", "centre", "sources"})
_SPARSE = frozenset({"keeps", "level", "confidence", "centre", "sources"})  # written only where they say something
_NAME = re.compile(r"[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)*")
_WORDS = {
    "operation": Operation,
    "distribution": Distribution,
    "method": Method,
    "keeps": Keeps,
    "recipe": Kind,
    "population": Population,
}


@dataclass(frozen=True, slots=True)
class Target:
    """
    One number of a compiled model: *field* of the element *name* of *type* (``body`` or ``geom``).

    *field* is an array of ``mujoco.MjModel`` (``body_mass``, ``geom_friction``), *index* the entry within the element's
    row, None for the whole row.  The one exception is the field ``scale`` of a body: every length of that body.
    """

    type: Literal["body", "geom"]
    name: str
    field: str
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """
    A named parameter of the asset, in *unit*, with *nominal* inside [*lo*, *hi*].

    *operation* tells how a drawn value acts on the asset: ``abs`` replaces, ``scale`` multiplies, ``add`` is added.
    *distribution* is over the interval; a ``gaussian`` is centred on *nominal* and the interval is its 95 %.
    *meaning* is a sentence on what the interval covers, *provenance* one on where it comes from.
    Slots of one *joint_group* come from one cause and are drawn together.  *keeps* says, for a size, what a larger copy
    has in common with the nominal one: the measured ``mass``, or the ``density`` (mass then grows with the cube).

    *recipe* made the interval, from *n* objects, and it speaks of the *population*: this object alone, or any of its
    kind.  *level* is the probability that it claims, None where it claims none; of a tolerance interval it is the share
    of all objects, claimed with *confidence*.  *centre* is the middle of the objects, and *nominal* the scanned one;
    *sources* are the SHA-256 of the sheets of the other objects.
    """

    name: str
    unit: str
    nominal: float
    lo: float
    hi: float
    distribution: Distribution
    operation: Operation
    method: Method
    meaning: str
    provenance: str
    joint_group: str
    targets: tuple[Target, ...]
    keeps: Keeps = ""
    recipe: Kind = "budget"
    population: Population = "this_object"
    n: int = 1
    level: float | None = None
    confidence: float | None = None
    centre: float | None = None
    sources: tuple[str, ...] = ()

    def verify(self) -> None:
        """Raise InvalidInputError where the slot breaks a rule of its own."""
        values = (self.lo, self.nominal, self.hi)
        _expect(_NAME.fullmatch(self.name) is not None, f"the name {self.name!r} is not lower-case words joined by /")
        _expect(all(map(math.isfinite, values)), f"{self.name} holds a number that is not finite")
        _expect(
            self.lo <= self.nominal <= self.hi,
            f"{self.name} has its nominal {self.nominal:g} outside [{self.lo:g}, {self.hi:g}] {self.unit}",
        )
        for key, words in _WORDS.items():
            value = getattr(self, key)
            _expect(
                value in get_args(words), f"{self.name} has {key} {value!r}, not one of {', '.join(get_args(words))}"
            )
        _expect(
            self.distribution != "log_uniform" or self.lo > 0,
            f"{self.name} is log_uniform but starts at {self.lo:g} {self.unit}",
        )
        _expect(len(self.targets) > 0, f"{self.name} has no target")
        over = self.recipe in OVER_OBJECTS
        _expect(
            self.n >= (FEWEST if over else 1), f"{self.name} cannot have a {self.recipe} interval from {self.n} objects"
        )
        _expect(
            not over or self.population != "this_object",
            f"{self.name} has a {self.recipe} interval, which is over objects, for this object alone",
        )
        for key in ("level", "confidence"):
            share = getattr(self, key)
            _expect(share is None or 0 < share < 1, f"{self.name} has the {key} {share}, which is no probability")
        _expect(self.centre is None or math.isfinite(self.centre), f"{self.name} has a centre that is not finite")

    @property
    def numeric(self) -> str:
        """``nominal lo hi`` for an MJCF ``<numeric>``; every bit survives."""
        return " ".join(repr(float(v)) for v in (self.nominal, self.lo, self.hi))


def to_json(asset: str, slots: Iterable[Slot], *, pretty: bool = False) -> str:
    """
    Return the document of *slots* as ASCII JSON with sorted keys; *pretty* indents it for the file beside the asset.

    ASCII, so that it passes through an XML attribute and MuJoCo's byte array unharmed.  Raises InvalidInputError.
    """
    listed = tuple(slots)
    for slot in listed:
        slot.verify()
    _expect(len({s.name for s in listed}) == len(listed), "two slots have one name")
    document = {"schema": SCHEMA, "asset": asset, "slots": [_plain(s) for s in listed]}
    shape: dict[str, Any] = {"indent": 2} if pretty else {"separators": (",", ":")}
    return json.dumps(document, sort_keys=True, allow_nan=False, **shape)


def from_json(text: str) -> tuple[Slot, ...]:
    """Return the slots of a document that :func:`to_json` wrote; raise InvalidInputError where it is anything else."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise _invalid(f"it is not JSON: {error}") from None
    _expect(isinstance(document, dict), "it is not an object")
    _expect(document.get("schema") == SCHEMA, f"its schema is {document.get('schema')!r}, not {SCHEMA!r}")
    _expect(isinstance(document.get("slots"), list), "it has no list of slots")
    slots = tuple(_slot(item) for item in document["slots"])
    for slot in slots:
        slot.verify()
    _expect(len({s.name for s in slots}) == len(slots), "two slots have one name")
    return slots


def _plain(slot: Slot) -> dict[str, Any]:
    found = dataclasses.asdict(slot)
    found["targets"] = [{k: v for k, v in t.items() if v is not None} for t in found["targets"]]
    return {key: value for key, value in found.items() if key not in _SPARSE or value not in ("", None, ())}


def _slot(item: object) -> Slot:
    fields = _fields(item, Slot, optional={"keeps", *_OF_INTERVAL})
    for key in ("targets", "sources"):
        _expect(isinstance(fields.get(key, []), list), f"{key} must be a list")
    for key in _NUMBERS & fields.keys():
        value = fields[key]
        _expect(is_number(value), f"{key} must be a number, not {value!r}")
        fields[key] = float(value)
    if "n" in fields:
        n = fields["n"]
        _expect(isinstance(n, int) and not isinstance(n, bool), f"n must be a whole number, not {n!r}")
    for key in fields.keys() - _NUMBERS - {"n", "targets", "sources"}:
        _expect(isinstance(fields[key], str), f"{key} must be text, not {fields[key]!r}")
    fields["targets"] = tuple(Target(**_fields(t, Target, optional={"index"})) for t in fields["targets"])
    fields["sources"] = tuple(fields.get("sources", ()))
    _expect(all(isinstance(hash_, str) for hash_ in fields["sources"]), "sources must be a list of texts")
    return Slot(**fields)


def _fields(item: object, of: type, *, optional: set[str]) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise _invalid(f"a {of.__name__.lower()} is not an object but {item!r}")
    known = {f.name for f in dataclasses.fields(of)}
    unknown, missing = sorted(item.keys() - known), sorted(known - optional - item.keys())
    _expect(not unknown, f"unknown key {', '.join(unknown)}")
    _expect(not missing, f"missing key {', '.join(missing)}")
    return dict(item)


def _expect(holds: bool, rule: str) -> None:
    if not holds:
        raise _invalid(rule)


def _invalid(rule: str) -> InvalidInputError:
    return InvalidInputError("R2S731", f"the slots cannot be used: {rule}", hint="rebuild the asset")
