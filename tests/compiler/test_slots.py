"""Slots: what is written reads back, and what breaks a rule is refused with a reason."""

from __future__ import annotations

import dataclasses
import json

import pytest

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.slots import Slot, Target, from_json, to_json

MASS = Slot(
    name="mass",
    unit="kg",
    nominal=0.1 + 0.2,
    lo=0.25,
    hi=0.35,
    distribution="uniform",
    operation="abs",
    method="measured",
    meaning='quotes " and <angles> & more',
    provenance="readings against Gummi, naß",
    joint_group="mass",
    targets=(Target("body", "cup", "body_mass"), Target("body", "cup", "body_ipos", 2)),
)
SIZE = dataclasses.replace(MASS, name="size", nominal=1.0, lo=0.99, hi=1.01, operation="scale", keeps="density")


@pytest.mark.parametrize("pretty", [False, True])
def test_what_is_written_reads_back_to_the_last_bit(pretty: bool) -> None:
    assert from_json(to_json("cup", (MASS, SIZE), pretty=pretty)) == (MASS, SIZE)


def test_document_is_ascii_with_sorted_keys_and_its_schema() -> None:
    text = to_json("cup", (MASS,))
    assert text.isascii()
    assert "\n" not in text
    document = json.loads(text)
    assert document["schema"] == "r2s-slots/1"
    assert document["asset"] == "cup"
    assert text == json.dumps(document, sort_keys=True, separators=(",", ":"))
    assert document["slots"][0]["targets"] == [
        {"field": "body_mass", "name": "cup", "type": "body"},
        {"field": "body_ipos", "index": 2, "name": "cup", "type": "body"},
    ]


def test_numeric_keeps_every_bit() -> None:
    assert [float(x) for x in MASS.numeric.split()] == [0.1 + 0.2, 0.25, 0.35]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"lo": 0.31}, "nominal 0.3 outside [0.31, 0.35] kg"),
        ({"hi": float("nan")}, "not finite"),
        ({"name": "Mass"}, "not lower-case words"),
        ({"name": "slot//mass"}, "not lower-case words"),
        ({"operation": "replace"}, "operation 'replace', not one of abs, scale, add"),
        ({"distribution": "log_uniform", "lo": 0.0}, "log_uniform but starts at 0 kg"),
        ({"method": "guessed"}, "method 'guessed'"),
        ({"keeps": "volume"}, "keeps 'volume'"),
        ({"targets": ()}, "no target"),
    ],
)
def test_a_slot_that_breaks_a_rule_is_refused(change: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        to_json("cup", (dataclasses.replace(MASS, **change),))  # type: ignore[arg-type]  # broken on purpose
    assert caught.value.code == "R2S731"
    assert said in caught.value.message


KIND = dataclasses.replace(
    MASS,
    recipe="tolerance",
    population="objects_like_this_one",
    n=4,
    level=0.9,
    confidence=0.95,
    centre=0.301,
    sources=("a" * 64, "b" * 64, "c" * 64),
)


def test_what_an_interval_claims_reads_back() -> None:
    assert from_json(to_json("cup", (KIND,))) == (KIND,)
    plain = json.loads(to_json("cup", (MASS,)))["slots"][0]
    assert (plain["recipe"], plain["population"], plain["n"]) == ("budget", "this_object", 1)
    assert not {"level", "confidence", "centre", "sources", "keeps"} & plain.keys()


def test_a_file_from_before_there_were_kinds_speaks_of_one_object() -> None:
    document = json.loads(to_json("cup", (SIZE,)))
    for key in ("recipe", "population", "n"):
        del document["slots"][0][key]

    assert from_json(json.dumps(document)) == (SIZE,)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"n": 2}, "cannot have a tolerance interval from 2 objects"),
        ({"recipe": "prediction", "n": 1}, "cannot have a prediction interval from 1 objects"),
        ({"population": "this_object"}, "a tolerance interval, which is over objects, for this object alone"),
        ({"population": "everybody"}, "population 'everybody', not one of this_object, objects_like_this_one"),
        ({"recipe": "guess"}, "recipe 'guess', not one of minmax_margin, prediction"),
        ({"recipe": "budget", "n": 0}, "cannot have a budget interval from 0 objects"),
        ({"level": 1.0}, "the level 1.0, which is no probability"),
        ({"confidence": 0.0}, "the confidence 0.0, which is no probability"),
        ({"centre": float("inf")}, "a centre that is not finite"),
    ],
)
def test_an_interval_that_claims_what_it_cannot_is_refused(change: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        to_json("cup", (dataclasses.replace(KIND, **change),))  # type: ignore[arg-type]  # broken on purpose
    assert said in caught.value.message


def test_two_slots_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="two slots have one name"):
        to_json("cup", (MASS, MASS))


def _edited(**changes: object) -> str:
    document = json.loads(to_json("cup", (MASS,)))
    document["slots"][0].update(changes)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        ('{"schema": "r2s-slots/2", "slots": []}', "'r2s-slots/2', not 'r2s-slots/1'"),
        ('{"schema": "r2s-slots/1"}', "no list of slots"),
        ('{"schema": "r2s-slots/1", "slots": [1]}', "a slot is not an object"),
        ('{"schema": "r2s-slots/1", "slots": [{}]}', "missing key distribution, hi"),
        (_edited(colour="red"), "unknown key colour"),
        (_edited(nominal=True), "nominal must be a number"),
        (_edited(nominal="0.3"), "nominal must be a number"),
        (_edited(unit=1), "unit must be text"),
        (_edited(targets=[{"type": "body"}]), "missing key field, name"),
        (_edited(nominal=9.0), "outside"),
        (_edited(n=3.0), "n must be a whole number, not 3.0"),
        (_edited(n=True), "n must be a whole number, not True"),
        (_edited(level="high"), "level must be a number"),
        (_edited(sources="ab"), "sources must be a list"),
        (_edited(sources=[1]), "sources must be a list of texts"),
        (_edited(recipe=7), "recipe must be text, not 7"),
    ],
)
def test_a_document_that_is_anything_else_is_refused(text: str, said: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        from_json(text)
    assert said in caught.value.message
    assert caught.value.code == "R2S731"
