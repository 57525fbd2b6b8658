"""Recipes as text: what reads, what is refused and with which words."""

from __future__ import annotations

import pytest

from r2s.compiler.errors import UsageError
from r2s.compiler.intervals.asked import ALL, SLOTS, parse_recipe, read_choices
from r2s.compiler.population import Recipe


@pytest.mark.parametrize(
    ("slot", "text", "recipe"),
    [
        (ALL, "prediction", Recipe("prediction", 0.95)),
        ("mass", "prediction:0.9", Recipe("prediction", 0.9)),
        (ALL, "tolerance", Recipe("tolerance", 0.95, 0.95)),
        ("size", "tolerance:0.9, 0.99", Recipe("tolerance", 0.9, 0.99)),
        (
            "mass",
            "minmax_margin:0.3g:the  balance drifts",
            Recipe("minmax_margin", margin=3e-4, reason="the balance drifts"),
        ),
        ("mass", "minmax_margin:3 %:a: b", Recipe("minmax_margin", margin=0.03, relative=True, reason="a: b")),
        ("size", "minmax_margin:0.01:wear", Recipe("minmax_margin", margin=0.01, reason="wear")),
        ("friction/slide", "minmax_margin:0.05:dust", Recipe("minmax_margin", margin=0.05, reason="dust")),
        ("friction/roll", "minmax_margin:0.01mm:dust", Recipe("minmax_margin", margin=1e-5, reason="dust")),
        ("mass", "declared:90g..0.098 kg:data sheet", Recipe("declared", lo=0.09, hi=0.098, reason="data sheet")),
        ("size", "declared:98%..1.02:mould", Recipe("declared", lo=0.98, hi=1.02, reason="mould")),
        ("friction/spin", "declared:1mm..5mm:vendor", Recipe("declared", lo=1e-3, hi=5e-3, reason="vendor")),
        (ALL, "budget", Recipe("budget")),
    ],
)
def test_a_recipe_reads(slot: str, text: str, recipe: Recipe) -> None:
    assert parse_recipe(slot, text) == recipe


def test_the_last_word_wins_and_a_mass_is_known_by_its_unit() -> None:
    asked = ["tolerance", "mass=budget", "minmax_margin:0.3g:drift", "friction/slide=prediction", "prediction:0.9"]

    assert read_choices(asked) == {
        "all": "prediction:0.9",
        "mass": "minmax_margin:0.3g:drift",
        "friction/slide": "prediction",
    }
    assert read_choices(["minmax_margin:5%:wear = tear"]) == {"all": "minmax_margin:5%:wear = tear"}
    assert read_choices(["declared:1.5 oz..2oz:label"]) == {"mass": "declared:1.5 oz..2oz:label"}


def test_what_was_read_reads_again_to_the_same() -> None:
    """The manifest holds the texts, and a rebuild reads them."""
    asked = read_choices(["prediction:0.9", "minmax_margin:0.3g:drift", "size=declared:0.9..1.1:x=y"])

    assert read_choices(f"{slot}={text}" for slot, text in asked.items()) == asked


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mas=budget", "no slot 'mas' takes an interval; did you mean 'mass'?"),
        ("inertia=budget", "no slot 'inertia' takes an interval"),
        ("", "the interval '' is no recipe"),
        ("predicton", "did you mean 'prediction'?"),
        ("budget:3", "the interval 'budget:3' is no recipe"),
        ("prediction:95", "has '95', no probability from 0.5 to 0.9999; write prediction or prediction:0.95"),
        ("prediction:nan", "has 'nan', no probability"),
        ("prediction:0.9,0.9", "has 2 numbers where 1 belong"),
        ("tolerance:0.95", "has 1 number where 2 belong; write tolerance or tolerance:0.95,0.95"),
        ("tolerance:0.95,2", "has '2', no probability"),
        ("minmax_margin", "gives no number"),
        ("minmax_margin:0.3g", "gives no reason"),
        ("minmax_margin:0.3g: ", "gives no reason"),
        ("minmax_margin::why", "gives no number"),
        ("minmax_margin:0.3:why", "does not say for which slot; write size=minmax_margin:0.3:why"),
        ("mass=minmax_margin:0.3:why", "says '0.3' has no unit; mass wants a unit, as in 0.3g"),
        ("mass=minmax_margin:0.3mm:why", "says has unknown unit 'mm'"),
        ("mass=minmax_margin:0g:why", "has the margin 0g; give a margin over 0"),
        ("mass=minmax_margin:-1g:why", "has -0.001, below 0"),
        ("minmax_margin:-5%:why", "has -5, below 0"),
        ("size=minmax_margin:1mm:why", "has the unit 'mm', and this slot's unit is 1"),
        ("size=minmax_margin:0,1:why", "a comma is not a decimal sign"),
        ("mass=minmax_margin:0.3g:" + "y" * 121, "has a reason over 120 characters"),
        ("mass=minmax_margin:0.3g:a\x1bb", "cannot be printed"),
        ("mass=declared:90g:why", "has no lo..hi"),
        ("mass=declared:98g..90g:why", "ends at 90g and begins at 98g"),
        ("mass=declared:90g..98g", "gives no reason"),
        ("declared:0.9..1.1:why", "does not say for which slot"),
        ("mass=declared:90%..98%:why", "says"),
    ],
)
def test_what_is_no_recipe_is_one_line(text: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_choices([text])

    assert (caught.value.code, caught.value.exit_code) == ("R2S045", 2)
    assert says in f"{caught.value.message}; {caught.value.hint}"
    assert "\n" not in str(caught.value)


def test_the_slots_are_those_of_an_asset() -> None:
    assert set(SLOTS) == {"size", "mass", "friction/slide", "friction/spin", "friction/roll"}
