"""Rules of the sheet that hold over several readings: repeats, order, and intervals that nobody gave."""

from __future__ import annotations

import pytest

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.measurements import parse_sheet
from r2s.compiler.readings import Sheet

HEAD = "schema: 1\nmeasurements:\n"


def sheet(*rows: str) -> Sheet:
    return parse_sheet((HEAD + "\n".join(f"  - {{{row}}}" for row in rows) + "\n").encode(), "s.yaml", None)[0]


LONG = "feature: extent_long, values: [59.2, 60.0], unit: mm"


@pytest.mark.parametrize(
    ("short", "refused"), [("[60.3, 61.1]", False), ("[60.6, 61.5]", True), ("[61.5, 60.6]", True)]
)
def test_extents_are_compared_by_their_largest_reading(short: str, refused: bool) -> None:
    """Over 10 accuracies and 2 % apart: 61.5 is that from 60.0, 61.1 is not, nor is any from 59.2 or 60.6."""
    rows = LONG, f"feature: extent_short, values: {short}, unit: mm"
    if not refused:
        assert len(sheet(*rows).readings) == 2
        return
    with pytest.raises(InvalidInputError) as error:
        sheet(*rows)
    assert error.value.code == "R2S234"
    assert "extent_short 61.5 mm exceeds extent_long 60 mm" in error.value.message


def test_a_coefficient_without_an_interval_is_told() -> None:
    text = HEAD + "  - {feature: extent_x, value: 80 mm}\nfriction: {slide: 0.6}\n"
    _, notes = parse_sheet(text.encode(), "s.yaml", None)
    (said,) = [note for note in notes if note.code == "R2S249"]
    assert (said.severity, said.hint) == ("note", "add lo and hi")
    assert said.message.startswith("s.yaml:4:")
    assert "slide friction has no interval" in said.message
