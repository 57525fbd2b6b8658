"""
Units: what people write, as SI, and SI back in words.

A unit is never assumed.  Factors are exact (inch, pound and ounce are defined so since 1959), and a decimal text times
a factor is rounded once: ``57.03 mm`` is the float nearest to 0.05703 m.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Context, Decimal

from r2s.compiler.errors import InvalidInputError, UsageError
from r2s.compiler.wording import shown

Table = Mapping[str, Decimal]

LENGTH: Table = {
    "mm": Decimal("1e-3"),
    "um": Decimal("1e-6"),
    "cm": Decimal("1e-2"),
    "m": Decimal(1),
    "in": Decimal("0.0254"),
    "inch": Decimal("0.0254"),
}
MASS: Table = {"g": Decimal("1e-3"), "kg": Decimal(1), "lb": Decimal("0.45359237"), "oz": Decimal("0.028349523125")}
DENSITY: Table = {"kg/m^3": Decimal(1), "g/cm^3": Decimal(1000)}

# Spellings that are not ours, and the unit each writer meant.  They only make hints better; none is accepted.
_MEANT = {
    **dict.fromkeys(("µm", "μm", "micron", "microns", "micrometre", "micrometer"), "um"),
    **dict.fromkeys(("millimetre", "millimeter", "millimetres", "millimeters", "mms"), "mm"),
    **dict.fromkeys(("centimetre", "centimeter", "centimetres", "centimeters"), "cm"),
    **dict.fromkeys(("metre", "meter", "metres", "meters", "mtr"), "m"),
    **dict.fromkeys(('"', "''", "″", "inches", "ins"), "in"),
    **dict.fromkeys(("gr", "gram", "grams", "gramme"), "g"),
    **dict.fromkeys(("kgs", "kilo", "kilogram", "kilograms"), "kg"),
    **dict.fromkeys(("lbs", "pound", "pounds"), "lb"),
    **dict.fromkeys(("ounce", "ounces"), "oz"),
    **dict.fromkeys(("kg/m3", "kg/m³", "kg m^-3", "kg/m**3"), "kg/m^3"),
    **dict.fromkeys(("g/cm3", "g/cm³", "g/cc", "g/ml", "g/mL", "g/cm**3"), "g/cm^3"),
}

NAMED_SCAN_UNITS: Mapping[str, float] = {
    "m": 1.0,
    "dm": 0.1,
    "cm": 0.01,
    "mm": 0.001,
    "um": 1e-6,
    "in": 0.0254,
    "ft": 0.3048,
}
SCAN_UNIT_WORDS: Mapping[str, str] = {
    "m": "metres",
    "dm": "decimetres",
    "cm": "centimetres",
    "mm": "millimetres",
    "um": "micrometres",
    "in": "inches",
    "ft": "feet",
}

_NUMBER = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.?(?:nan|inf|infinity)\b", re.IGNORECASE)
_EXACT = Context(prec=40)


def split_number(text: str, *, what: str) -> tuple[str, str]:
    """
    Return the decimal number that *text* begins with, and the rest without blanks around it.

    Raises InvalidInputError for what looks like a number and means something else to another reader: a decimal comma,
    a leading zero (octal), 1:20 (base 60), digits in groups, and what is not finite.
    """
    text = text.strip()
    if _NOT_FINITE.match(text):
        raise InvalidInputError("R2S217", f"{what} is {shown(text)}", hint="write a finite number, or leave it out")
    found = _NUMBER.match(text)
    if found is None:
        raise InvalidInputError("R2S214", f"{what} is {shown(text)}, which is no number", hint=_number_hint(text))
    number, rest = found.group(), text[found.end() :]
    if rest[:1] == ",":
        hint = f"write {text.replace(',', '.', 1)[:_SHORT]} with a point" if text.count(",") == 1 else "write 1234.5"
        raise InvalidInputError("R2S215", f"{what} is {shown(text)}: a comma is not a decimal sign", hint=hint)
    if re.match(r"[0-9_:'.]|[xXoObB][0-9a-fA-F]", rest):
        raise InvalidInputError("R2S216", f"{what} is {shown(text)}, which {_ambiguity(rest)}", hint="write 50 or 80.5")
    if not math.isfinite(float(number)):
        raise InvalidInputError("R2S217", f"{what} is {shown(text)}, too large for a number", hint="check the exponent")
    return number, rest.strip()


_SHORT = 20


def _number_hint(text: str) -> str:
    if text.lower() in ("yes", "no", "on", "off", "true", "false", "y", "n"):
        return "that is a truth value; write a number such as 80.5"
    return "write a number such as 80.5"


def _ambiguity(rest: str) -> str:
    if rest[0] == ":":
        return "some YAML readers take as base 60"
    if rest[0] in "_'":
        return "groups its digits"
    if rest[0] == ".":
        return "has two decimal points"
    return "has a leading zero or another base: some YAML readers take it as octal"


def check_unit(unit: str, table: Table, *, what: str) -> str:
    """Return *unit* if *table* holds it; raise InvalidInputError with a proposal if not."""
    if unit in table:
        return unit
    meant = _MEANT.get(unit, _MEANT.get(unit.lower(), unit.lower()))
    hint = f"did you mean {meant!r}?" if meant in table else f"use one of {', '.join(table)}"
    raise InvalidInputError("R2S221", f"{what} has unknown unit {shown(unit)}", hint=hint)


def to_si(number: str, factor: Decimal) -> float:
    """Return the float nearest to decimal *number* times *factor*; ``split_number`` has vetted *number*."""
    return float(_EXACT.multiply(Decimal(number), factor))


def parse_quantity(text: str, table: Table, *, what: str) -> tuple[float, str]:
    """
    Return the SI value and the unit of ``57.03 mm`` or ``0.5mm``.

    Raises InvalidInputError where the number, the unit or both are missing or wrong; *what* names the quantity.

    >>> parse_quantity("57.03 mm", LENGTH, what="value")
    (0.05703, 'mm')
    """
    number, unit = split_number(text, what=what)
    if not unit:
        hint = f"write the unit too: {number} {next(iter(table))}, one of {', '.join(table)}"
        raise InvalidInputError("R2S220", f"{what} {shown(text)} has no unit", hint=hint)
    return to_si(number, table[check_unit(unit, table, what=what)]), unit


def parse_length(text: str, *, what: str = "the length") -> float:
    """
    Return the metres of a positive length from the command line, such as ``1mm``.

    Raises UsageError with what is wrong and a proposal.
    """
    try:
        value, _ = parse_quantity(text, LENGTH, what=what)
    except InvalidInputError as error:
        raise UsageError("R2S250", error.message, hint=error.hint) from None
    if value <= 0:
        raise UsageError("R2S250", f"{what} is {shown(text)}", hint="give a length over 0, such as 1mm")
    return value


def format_length(metres: float) -> str:
    """
    Return a length for a message, in um, mm or m, to 10 um or three digits.

    >>> format_length(0.05703), format_length(-0.000002), format_length(0.00005), format_length(12.5)
    ('57.03 mm', '-2 um', '0.05 mm', '12.5 m')
    """
    size = abs(metres)
    if not math.isfinite(metres) or size >= 10:
        return f"{_plain(metres, 3)} m"
    if size == 0 or size >= 0.99995e-5:
        return f"{_plain(metres * 1e3, 2 if size >= 1e-3 or size == 0 else 3)} mm"
    return f"{_plain(metres * 1e6, 3)} um"


def format_mass(kilograms: float) -> str:
    """
    Return a mass for a message, in g or kg, to four digits or so.

    >>> format_mass(0.094), format_mass(0.0000412), format_mass(2.5)
    ('94 g', '0.0412 g', '2.5 kg')
    """
    size = abs(kilograms)
    if not math.isfinite(kilograms) or size >= 1:
        return f"{_plain(kilograms, 3)} kg"
    return f"{_plain(kilograms * 1e3, 2 if size >= 1e-3 or size == 0 else 5)} g"


def _plain(value: float, digits: int) -> str:
    if abs(value) >= 1e9 or 0 < abs(value) < 10.0**-digits:
        return f"{value:.4g}"
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def nearest_named_unit(ratio: float, window: float = 0.08) -> str | None:
    """
    Return the named unit within *window* of *ratio* (metres for one of the scan's numbers), None if there is none.

    Neighbouring factors differ by 18 % or more, so windows of 8 % never overlap.

    >>> nearest_named_unit(0.0009993), nearest_named_unit(0.5)
    ('mm', None)
    """
    if not (math.isfinite(ratio) and ratio > 0):
        return None
    close = {name: abs(math.log(ratio / factor)) for name, factor in NAMED_SCAN_UNITS.items()}
    best = min(close, key=lambda name: close[name])
    return best if abs(ratio / NAMED_SCAN_UNITS[best] - 1) <= window else None
