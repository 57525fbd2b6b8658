"""
Profiles of scanners and the data file of the classes, from YAML.

    schema: r2s-device/1
    name: my_scanner
    metric: true
    terms:
      scale: {value: 0.0004, u: 0.0001, unit: "1", dof: 12, method: measured, source: two balls}
      offset: {half_width: 0.05, unit: mm, method: declared, source: data sheet}
    correlations:
      - {first: scale, second: offset, r: -0.9}
    evidence:
      - {name: ball.ply, sha256: 0f1e..., of: a sphere of 25.400 mm}
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import cast

from r2s.compiler.devices.device import Correlation, Device, Evidence
from r2s.compiler.devices.prior import NAMES, UNIT, Distribution, Name, Prior
from r2s.compiler.errors import InvalidInputError
from r2s.compiler.files import NotRegularError, read_regular
from r2s.compiler.ledger import Method
from r2s.compiler.sheet_fields import Fields, choice, fields, flag, items, name, number, text
from r2s.compiler.strict_yaml import parse_yaml
from r2s.compiler.units import LENGTH, Table, check_unit, to_si
from r2s.compiler.wording import shown
from r2s.compiler.yaml_tree import Document, Node

SCHEMA = "r2s-device/1"
SCHEMA_OF_CLASSES = "r2s-device-classes/1"
OF_NOISE = "noise"  # the unit of a length that counts in multiples of the scan's own noise

_LIMIT = 1 << 20  # bytes: a profile is small
_RELATIVE: Table = {"1": Decimal(1), "%": Decimal("0.01"), "ppm": Decimal("1e-6")}
_METHODS = ("measured", "declared", "assumed")
_KEYS = ("name", "metric", "source", "terms")
_OF_A_TERM = ("value", "u", "half_width", "unit", "dof", "method", "source")
# no scanner is off by a third, and no face by a metre: a slip of the unit
_MOST = {"1": 0.3, "m": 1.0}


def read_profile(path: Path) -> Device:
    """
    Return the profile in the file *path*.

    Raises InvalidInputError: R2S048 where the file cannot be read, R2S049 for all that is wrong in it, with line and
    column, R2S202 to R2S210 for what is no YAML.
    """
    data = _bytes(path)
    if not any(line.strip() and not line.lstrip().startswith(b"#") for line in data.splitlines()):
        raise InvalidInputError("R2S049", f"{path.name} is empty: no profile", hint=f"begin with schema: {SCHEMA}")
    with _as_profile():
        document = parse_yaml(data, path.name)
        of = fields(document, document.root, "the profile", ("schema", *_KEYS, "correlations", "evidence"))
        _check_schema(of, SCHEMA)
        return _device(of, "declared", data, path.name)


def read_classes(path: Path) -> Mapping[str, Device]:
    """Return the classes of the data file *path* by name; raises as :func:`read_profile` does."""
    data = _bytes(path)
    with _as_profile():
        document = parse_yaml(data, path.name)
        of = fields(document, document.root, "the classes", ("schema", "classes"))
        _check_schema(of, SCHEMA_OF_CLASSES)
        listed = items(document, of.need("classes", hint="list them"), "classes")
        found = [_device(fields(document, node, "a class", _KEYS), "assumed", data, "") for node in listed]
    return {of_class.name: of_class for of_class in found}


def _bytes(path: Path) -> bytes:
    try:
        return read_regular(path, _LIMIT)
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else "the name holds a zero byte"
        hint = (
            "save it to a file" if isinstance(error, NotRegularError) else "check the path, or name a class of devices"
        )
        raise InvalidInputError("R2S048", f"the device profile {path} cannot be read: {said}", hint=hint) from None


@contextmanager
def _as_profile() -> Iterator[None]:
    """Give what a field of a caliper sheet would say the code of a profile; what is no YAML keeps its own."""
    try:
        yield
    except InvalidInputError as error:
        if "R2S202" <= error.code <= "R2S210":
            raise
        raise InvalidInputError("R2S049", error.message, hint=error.hint) from None


def _check_schema(of: Fields, schema: str) -> None:
    node = of.need("schema", hint=f"begin with schema: {schema}")
    found = text(of.document, node, "schema")
    if found != schema:
        said = f"schema is {shown(found)}, and this compiler reads {schema}"
        of.document.fail("R2S049", node, said, hint=f"write schema: {schema}")


def _device(of: Fields, method: Method, data: bytes, file: str) -> Device:
    document, terms = of.document, of.need("terms", hint="add terms: {offset: {u: 0.02, unit: mm, source: ...}}")
    metric, source = of.get("metric"), of.get("source")
    called = name(document, of.need("name", hint="add name: my_scanner"), "device name")
    priors = _priors(document, terms, method)
    return Device(
        name=called,
        metric=True if metric is None else flag(document, metric, "metric"),
        priors=priors,
        source=f"profile {file}" if source is None else text(document, source, "source"),
        sha256=hashlib.sha256(data).hexdigest(),
        file=file,
        evidence=_evidence(of),
        correlations=_correlations(of, priors),
    )


def _priors(document: Document, node: Node, method: Method) -> dict[Name, Prior]:
    of = fields(document, node, "terms", NAMES)
    if not of.node.entries:
        document.fail("R2S049", node, "terms is empty: nothing is known of this device", hint="leave --device out")
    return {term: _prior(document, found, term, method) for term in NAMES if (found := of.get(term)) is not None}


def _prior(document: Document, node: Node, term: Name, default: Method) -> Prior:
    of = fields(document, node, term, _OF_A_TERM)
    factor, relative = _factor(of, term)
    u, half_width = of.get("u"), of.get("half_width")
    if (u is None) == (half_width is None):
        said = f"{term} has {'neither u nor half_width' if u is None else 'both u and half_width'}"
        document.fail(
            "R2S049", node, said, hint="give one: u is a standard uncertainty, half_width that of a rectangle"
        )
    given = cast("Node", u if u is not None else half_width)
    width = _si(
        number(document, given, f"{term} {'u' if u is not None else 'half_width'}", low=0.0, open_low=True), factor
    )
    dof = _dof(of, term)
    if half_width is not None and math.isfinite(dof):
        document.fail(
            "R2S049", node, f"{term} is a rectangle with dof", hint="give u with its dof, or half_width alone"
        )
    value = of.get("value")
    bias = 0.0 if value is None else _si(number(document, value, f"{term} value", low=-math.inf), factor)
    if relative and bias:
        document.fail(
            "R2S049", node, f"{term} has a value in multiples of noise", hint="give it in mm, or leave it out"
        )
    most = math.inf if relative else _MOST[UNIT[term]]
    if max(abs(bias), width) > most:
        said = f"{term} is {max(abs(bias), width):g} {UNIT[term].replace('1', '')}".rstrip()
        document.fail(
            "R2S049", node, f"{said}, more than the {most:g} that any scanner is off by", hint="check its unit"
        )
    standard = width / math.sqrt(3) if half_width is not None else width
    method = of.get("method")
    source = text(document, of.need("source", hint="say where the figure is from"), f"{term} source")
    if not source.strip():
        document.fail("R2S049", node, f"{term} source is empty", hint="say where the figure is from")
    distribution: Distribution = "rectangular" if half_width is not None else "t" if math.isfinite(dof) else "normal"
    return Prior(
        name=term,
        unit=UNIT[term],
        u=math.nan if relative else standard,
        half_width=width if half_width is not None and not relative else math.nan,
        value=bias,
        dof=dof,
        distribution=distribution,
        method=default if method is None else cast("Method", choice(document, method, f"{term} method", _METHODS)),
        source=source,
        of_noise=standard if relative else math.nan,
    )


def _factor(of: Fields, term: Name) -> tuple[Decimal, bool]:
    """Return SI for one of the term's unit, and whether that is the scan's own noise."""
    table = _RELATIVE if UNIT[term] == "1" else LENGTH
    node = of.need(
        "unit", hint=f"add unit: {next(iter(table))}; none is assumed" if table is LENGTH else 'add unit: "1"'
    )
    unit = text(of.document, node, f"{term} unit")
    if unit == OF_NOISE and table is LENGTH and term != "noise":
        return Decimal(1), True
    if unit not in table:
        said = f"{term} has the unit {shown(unit)}"
        hint = f"it is a length: write {', '.join(table)}" if table is LENGTH else "it is relative: write 1, % or ppm"
        of.document.fail("R2S049", node, said, hint=hint)
    return table[check_unit(unit, table, what=term)], False


def _si(value: float, factor: Decimal) -> float:
    return to_si(repr(value), factor)


def _dof(of: Fields, term: Name) -> float:
    node = of.get("dof")
    return math.inf if node is None else number(of.document, node, f"{term} dof", low=0.0, open_low=True)


def _correlations(of: Fields, priors: Mapping[Name, Prior]) -> tuple[Correlation, ...]:
    node, document = of.get("correlations"), of.document
    found = []
    for item in items(document, node, "correlations") if node is not None else ():
        pair = fields(document, item, "a correlation", ("first", "second", "r"))
        first, second = (
            cast("Name", choice(document, pair.need(key, hint="name a term"), key, tuple(priors)))
            for key in ("first", "second")
        )
        r = number(document, pair.need("r", hint="give the coefficient"), "r", low=-1.0)
        if r > 1 or first == second:
            said = f"{first} and {second} cannot correlate by {r:g}"
            document.fail("R2S049", item, said, hint="name two terms and a number from -1 to 1")
        found.append(Correlation(first, second, r))
    return tuple(found)


def _evidence(of: Fields) -> tuple[Evidence, ...]:
    node, document = of.get("evidence"), of.document
    found = []
    for item in items(document, node, "evidence") if node is not None else ():
        one = fields(document, item, "a scan of the evidence", ("name", "sha256", "of"))
        called, hash_, what = (
            text(document, one.need(key, hint="it has name, sha256 and of"), f"evidence {key}")
            for key in ("name", "sha256", "of")
        )
        if not re.fullmatch("[0-9a-f]{64}", hash_):
            document.fail(
                "R2S049", item, f"the sha256 of {shown(called)} is none", hint="it has 64 digits, 0-9 and a-f"
            )
        found.append(Evidence(called, hash_, what))
    return tuple(found)
