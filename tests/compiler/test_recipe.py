"""Recipes: every key reaches the build, and a wrong one is named with its place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from r2s.compiler.errors import InvalidInputError, UsageError
from r2s.compiler.limits import parse_limits
from r2s.compiler.recipe import read_recipe

FULL = """\
passes: ingest | surface
options: [decompose.max_error=0.5mm, surface.depth=8]
budget: {decompose: 0.8 mm}
within: 1mm
unit: mm
device: structured_light
scale: verify
origin: com
body: static
level: 2
primitives: false
"""


def test_reads_every_key(tmp_path: Path) -> None:
    path = tmp_path / "cube.recipe.yaml"
    path.write_text(FULL)

    assert read_recipe(path) == {
        "passes": "ingest | surface",
        "options": ("decompose.max_error=0.5mm", "surface.depth=8"),
        "budget": {"decompose": "0.8 mm"},
        "within": "1mm",
        "unit": "mm",
        "device": "structured_light",
        "scale": "verify",
        "origin": "com",
        "body": "static",
        "level": "2",
        "primitives": False,
    }


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("desk.yaml", "{folder}/desk.yaml"),
        ("scanners/desk", "{folder}/scanners/desk"),
        ("rgbd", "rgbd"),
        ("tofu", "tofu"),
    ],
)
def test_a_profile_is_seen_from_the_recipes_folder(tmp_path: Path, word: str, expected: str) -> None:
    path = tmp_path / "desk.recipe.yaml"
    path.write_text(f"device: {word}\n")

    assert read_recipe(path) == {"device": expected.format(folder=tmp_path)}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("bugdet: {decompose: 1mm}", "did you mean 'budget'"),
        ("unit:", "unit needs a value"),
        ("options: decompose.max_error=1", "options is a list"),
        ("budget: 1mm", "budget names passes"),
        ("primitives: maybe", "one of true, false"),
        ("scale: aplly", "did you mean 'apply'?"),
        ("level: 4", "level is one of 0, 1, 2, 3, not '4'"),
        ("origin: top", "origin is one of base, com, scan"),
        ("- unit", "a recipe holds keys"),
        ("unit: mm\nunit: m", "unit"),
    ],
)
def test_says_what_is_wrong_and_where(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "cube.recipe.yaml"
    path.write_text(text)
    with pytest.raises(InvalidInputError) as caught:
        read_recipe(path)

    assert "cube.recipe.yaml:" in str(caught.value)
    assert says in str(caught.value)


def test_a_missing_recipe_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="R2S805"):
        read_recipe(tmp_path / "none.yaml")


@pytest.mark.parametrize("text", ["", " \n", "# unit: mm\n"])
def test_an_empty_recipe_is_told_what_one_holds(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.yaml").write_text(text)

    with pytest.raises(InvalidInputError, match=r"r\.yaml is empty: no recipe; it may hold passes, unit"):
        read_recipe(tmp_path / "r.yaml")


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")

    with pytest.raises(InvalidInputError, match="not a regular file"):
        read_recipe(tmp_path / "pipe.yaml")


@pytest.mark.parametrize("text", ["120", "s", "-5s", "0s", "5 weeks", "8 gib", ""])
def test_limits_need_a_number_and_a_unit(text: str) -> None:
    with pytest.raises(UsageError, match="R2S023"):
        parse_limits([text])
