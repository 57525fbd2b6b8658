"""Units: exact factors, one rounding, and no unit that nobody wrote."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r2s.compiler import units
from r2s.compiler.errors import InvalidInputError, UsageError


@pytest.mark.parametrize(
    ("text", "table", "si", "unit"),
    [
        ("57.03 mm", units.LENGTH, 0.05703, "mm"),
        ("0.5mm", units.LENGTH, 0.0005, "mm"),
        ("  3um ", units.LENGTH, 3e-6, "um"),
        ("8e1 mm", units.LENGTH, 0.08, "mm"),
        (".5 cm", units.LENGTH, 0.005, "cm"),
        ("1 in", units.LENGTH, 0.0254, "in"),
        ("2 inch", units.LENGTH, 0.0508, "inch"),
        ("94.0 g", units.MASS, 0.094, "g"),
        ("1 lb", units.MASS, 0.45359237, "lb"),
        ("16 oz", units.MASS, 0.45359237, "oz"),
        ("1.24 g/cm^3", units.DENSITY, 1240.0, "g/cm^3"),
        ("1240 kg/m^3", units.DENSITY, 1240.0, "kg/m^3"),
    ],
)
def test_a_quantity_is_rounded_once(text: str, table: units.Table, si: float, unit: str) -> None:
    """The SI value is the very float nearest to the decimal product."""
    assert units.parse_quantity(text, table, what="it") == (si, unit)


@pytest.mark.parametrize(
    ("text", "code", "hint"),
    [
        ("57,03 mm", "R2S215", "57.03"),
        ("57.03", "R2S220", "57.03 mm"),
        ("57.03 mn", "R2S221", "mm"),
        ("57.03 MM", "R2S221", "mm"),
        ("57.03 µm", "R2S221", "um"),
        ('3 "', "R2S221", "in"),
        ("050 mm", "R2S216", ""),
        ("1:20 mm", "R2S216", ""),
        ("1_000 mm", "R2S216", ""),
        ("0x1F mm", "R2S216", ""),
        (".nan mm", "R2S217", ""),
        ("-inf mm", "R2S217", ""),
        ("1e999 mm", "R2S217", ""),
        ("mm", "R2S214", ""),
        ("", "R2S214", ""),
        ("٣ mm", "R2S214", ""),
    ],
)
def test_a_wrong_quantity_is_named(text: str, code: str, hint: str) -> None:
    """Each slip has its own code, the message quotes the text, and the hint proposes."""
    with pytest.raises(InvalidInputError) as caught:
        units.parse_quantity(text, units.LENGTH, what="the wall")

    assert caught.value.code == code
    assert "the wall" in caught.value.message
    assert hint in caught.value.hint


def test_lengths_of_the_command_line_are_positive_and_have_a_unit() -> None:
    """parse_length gives metres or a usage error, exit code 2."""
    assert units.parse_length("1mm") == 0.001
    for text in ("1", "0mm", "-1mm", "1 parsec", "80,0 mm"):
        with pytest.raises(UsageError) as caught:
            units.parse_length(text, what="--within")
        assert caught.value.code == "R2S250"
        assert "--within" in caught.value.message


@pytest.mark.parametrize(
    ("metres", "text"),
    [(0.05703, "57.03 mm"), (0.08, "80 mm"), (0, "0 mm"), (5e-5, "0.05 mm"), (5e-6, "5 um"), (-0.0012, "-1.2 mm")],
)
def test_lengths_read_well(metres: float, text: str) -> None:
    """A person reads millimetres; micrometres and metres only where those would be silly."""
    assert units.format_length(metres) == text


@given(st.floats(1e-7, 1e4))
def test_a_formatted_length_reads_back_within_what_it_shows(metres: float) -> None:
    """Formatting loses at most half a step of the digits shown: 5 um, or one part in a thousand."""
    back, _ = units.parse_quantity(units.format_length(metres), units.LENGTH, what="it")

    assert math.isclose(back, metres, rel_tol=1e-3, abs_tol=1e-9) or abs(back - metres) <= 5.01e-6


@given(st.floats(1e-6, 1e4))
def test_a_formatted_mass_reads_back_within_what_it_shows(kilograms: float) -> None:
    """The same for masses: 5 mg, or one part in a thousand."""
    back, _ = units.parse_quantity(units.format_mass(kilograms), units.MASS, what="it")

    assert math.isclose(back, kilograms, rel_tol=1e-3) or abs(back - kilograms) <= 5.01e-6


def test_windows_of_named_units_never_overlap() -> None:
    """A ratio 8 % off a unit still names it and no other; half way between two units names none or the nearer."""
    for name, factor in units.NAMED_SCAN_UNITS.items():
        for off in (0.921, 1.0, 1.079):
            assert units.nearest_named_unit(factor * off) == name
    for a, b in itertools.combinations(sorted(units.NAMED_SCAN_UNITS.values()), 2):
        assert a * 1.08 < b / 1.08
    assert units.nearest_named_unit(0.0009993) == "mm"
    for ratio in (0.5, 1.5, 0.002, 0.0, -1.0, math.nan, math.inf):
        assert units.nearest_named_unit(ratio) is None


def test_every_named_unit_has_a_word() -> None:
    """Messages call units by words."""
    assert set(units.SCAN_UNIT_WORDS) == set(units.NAMED_SCAN_UNITS)
