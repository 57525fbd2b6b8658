"""``inject`` on the good brick: what it damages is seen, or harmless, or a blind spot that the report names."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from corruptions import Ended

from r2s.compiler.known_bad import trials as trials_of

Command = Callable[..., Ended]
BRICK = ("inject", "brick.obj", "--calipers", "brick.yaml")


def trials(document: dict[str, Any], kind: str) -> dict[str, dict[str, Any]]:
    return {f"{t['of']} {t['told']}".strip(): t for t in document["trials"] if t["kind"] == kind}


def test_a_mass_and_a_check_that_leaked(command: Command, place: Path) -> None:
    ended = command(*BRICK, "--only", "mass,leak", "-o", "out/brick.inject.json")
    document = json.loads((place / "out/brick.inject.json").read_text())

    assert (ended.exit_code, document["schema"]) == (0, "r2s-inject/1")
    mass = trials(document, "mass")  # 198.4 g in 160 cm3 is 1240 kg/m3: foam is 41 times lighter, copper 7.2 denser
    assert {told: t["outcome"] for told, t in mass.items()} == {
        "x2": "missed",
        "/2.2": "missed",
        "x28.3": "seen",
        "x1e+03": "seen",
    }
    assert mass["x28.3"]["findings"][0]["code"] == "R2S704"
    assert mass["x2"]["blind_spot"].startswith("mass wrong by less than /41 or x7.2: ")
    assert mass["x2"]["blind_spot"] in document["blind_spots"]
    leak = trials(document, "leak")
    assert leak["the same feature"]["findings"][0]["code"] == "R2S231"
    assert (leak["other picks"]["outcome"], leak["other picks"]["why"]) == (
        "impossible",
        "no check reading has picks",
    )
    assert "mass in another unit" in ended.out
    assert "missed   mass in another unit: x2, /2.2 (blind: mass wrong by less than /41 or x7.2)" in ended.out
    assert document["unexplained"] == []
    assert not list(place.glob("*.inject*"))


def test_json_is_the_same_document_and_equal_runs_print_equal_bytes(command: Command, place: Path) -> None:
    first = command(*BRICK, "--only", "mass", "--json", "-o", "a.json")
    again = command(*BRICK, "--only", "mass", "--json", "-o", "b.json")

    assert first.out == again.out == (place / "a.json").read_text() == (place / "b.json").read_text()


def test_nothing_is_compared_with_a_build_that_fails_itself(command: Command, place: Path) -> None:
    sheet = place / "brick.yaml"
    sheet.write_text(sheet.read_text().replace("value: 50.0, role: check", "value: 53.0, role: check"))
    ended = command(*BRICK, "-o", "brick.inject.json")

    assert ended.exit_code == 3
    assert "the uncorrupted build fails already: check extent_y" in ended.line("R2S861")
    assert not (place / "brick.inject.json").exists()


def test_the_checks_are_not_counted_as_asked(command: Command, place: Path, cache: Path) -> None:
    assert command(*BRICK, "--only", "mass").exit_code == 0
    assert not (cache / "checks").exists()


@pytest.mark.slow
def test_every_damage_is_seen_or_harmless_or_a_blind_spot(
    command: Command, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, sizes in (("SCALES", (0.0005, 0.01)), ("BOTTOMS", (0.0,)), ("FLOATERS", (0.01,))):
        monkeypatch.setattr(trials_of, name, sizes)
    kinds = "scale,mirror,mirror_all,swap,bottom,floater,noise"
    assert command(*BRICK, "--only", kinds, "-o", "brick.inject.json").exit_code == 0
    document = json.loads((place / "brick.inject.json").read_text())

    assert document["unexplained"] == []
    for kind in ("mirror", "mirror_all"):  # a brick is its own mirror image
        assert {t["outcome"] for t in trials(document, kind).values()} == {"harmless"}
    for kind in ("swap", "bottom", "floater"):
        assert {t["outcome"] for t in trials(document, kind).values()} == {"seen"}, kind
    assert {told: t["outcome"] for told, t in trials(document, "scale").items()} == {"0.05 %": "missed", "1 %": "seen"}
    assert {t["outcome"] for t in trials(document, "noise").values()} == {"impossible"}
