"""What a user sees, in a user's words, and the codes that stand behind it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Symptom:
    """Something that is wrong as it looks from outside, and the codes to read, the likeliest first."""

    words: str
    codes: tuple[str, ...]


SYMPTOMS: tuple[Symptom, ...] = (
    Symptom("The asset is 10, 25.4 or 1000 times too large or too small", ("R2S301", "R2S304", "R2S326", "R2S307")),
    Symptom(
        "The asset is a few per cent too large or too small",
        ("R2S642", "R2S602", "R2S606", "R2S608", "R2S609", "R2S633"),
    ),
    Symptom("The asset lies on its side", ("R2S309", "R2S311", "R2S335")),
    Symptom("The asset is a mirror image", ("R2S413",)),
    Symptom("One caliper reading is refused or contradicted", ("R2S303", "R2S230", "R2S643", "R2S642", "R2S606")),
    Symptom("A reading has no value, or takes no part", ("R2S601", "R2S308", "R2S310", "R2S631", "R2S634")),
    Symptom("The verdict is INCONCLUSIVE or UNCHECKED", ("R2S631", "R2S632", "R2S633")),
    Symptom("The scan file is not read", ("R2S101", "R2S105", "R2S106", "R2S120", "R2S121", "R2S124", "R2S125")),
    Symptom("The caliper sheet is not read", ("R2S204", "R2S211", "R2S220", "R2S202")),
    Symptom("The scan has holes, or its underside is missing", ("R2S403", "R2S420", "R2S421", "R2S334")),
    Symptom("The table, a hand or a second object is part of the asset", ("R2S328", "R2S329", "R2S327", "R2S419")),
    Symptom("The surface is doubled, inside out or has bulges", ("R2S337", "R2S432", "R2S413", "R2S431", "R2S433")),
    Symptom("The mesh is refused as flat or not orientable", ("R2S401", "R2S324", "R2S402")),
    Symptom("Things touch the asset before they reach it", ("R2S504", "R2S505", "R2S503")),
    Symptom("A cup does not hold anything, or a thin wall is thick", ("R2S503", "R2S505")),
    Symptom("The mass or the inertia looks wrong", ("R2S704", "R2S705", "R2S709", "R2S701", "R2S703", "R2S240")),
    Symptom("The asset jumps or sinks in the simulation", ("R2S726", "R2S727", "R2S725")),
    Symptom("MuJoCo does not load the asset", ("R2S721", "R2S713", "R2S710")),
    Symptom("A pass takes too long or needs too much memory", ("R2S811", "R2S813", "R2S812", "R2S330")),
    Symptom(
        "The build stops with exit code 4 or 6, and an earlier asset is still there", ("R2S641", "R2S642", "R2S643")
    ),
    Symptom("Two builds of the same inputs differ", ("R2S802", "R2S814", "R2S804")),
    Symptom("The cache or the output cannot be written", ("R2S803", "R2S808", "R2S809", "R2S012")),
    Symptom("The message speaks of a bug of r2s", ("R2S900", "R2S903", "R2S901")),
)
