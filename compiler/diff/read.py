"""A report from disk, found from what a user named, and looked over before anything is compared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.files import read_regular
from r2s.compiler.strict_json import (
    anything,
    flag,
    listing,
    mapping,
    maybe,
    number,
    parse_json,
    record,
    text,
    whole,
)
from r2s.compiler.uncertainty.budget import METHODS

REPORT_SCHEMA = "r2s-report/1"
_LIMIT = 256 << 20  # bytes; a report of a large build has under 1 MB
_KINDS = (".failed.report.json", ".report.json", ".manifest.json", ".slots.json", ".scene.xml", ".xml")

_value = record(value=maybe(number))
_expanded = record(value=maybe(number), U95=maybe(number))
_row = record(
    id=text,
    feature=text,
    role=text,
    definition=record(feature=text),
    caliper=record(value=number, u=number),
    stages=mapping(record(value=maybe(number), u=maybe(number), refused=text)),
    introduced=mapping(maybe(number)),
    estimate=_expanded,
    error=_expanded,
    tolerance=number,
    conformance=maybe(number),
    verdict=text,
)
_step = record(
    name=text,
    digest=text,
    text=text,
    version=whole,
    options=mapping(anything),
    libraries=mapping(text),
    terms=listing(record(id=text)),
)
_profile = record(name=text, file=text, sha256=text)


def _device(value: Any, where: str) -> None:
    """Accept the device of a report, and the bare name of a class as in reports from before there were profiles."""
    (text if isinstance(value, str) else _profile)(value, where)


_felt = record(c=number)
_error = record(
    id=text,
    term=text,
    unit=text,
    value=number,
    dof=maybe(number),
    method=text,
    group=text,
    source=text,
    sensitivity=mapping(_felt),
)
_output = record(
    value=number,
    unit=text,
    u=maybe(number),
    U95=maybe(number),
    unbounded=flag,
    dominant=maybe(text),
    by_pass=mapping(number),
)
_tie = record(first=text, second=text, r=number)
_account = record(level=number, rows=listing(_error, by="id"), outputs=mapping(_output))
_report = record(
    schema=text,
    name=text,
    asset=text,
    inputs=record(
        scan=record(name=text, sha256=text),
        calipers=record(name=text, calibrate=text, check=text, roles=text),
        device=_device,
    ),
    unit=record(unit=text, factor=number, axes=text),
    tools=mapping(text),
    features=listing(_row, by="id"),
    scale=record(factor=number, u=maybe(number)),
    passes=listing(_step),
    bounds=listing(record(direction=text, total=number, certified=flag), by="direction"),
    budgets=listing(record(name=text, limit=number, lost=number, held=flag), by="name"),
    slots=listing(record(name=text, unit=text, nominal=number, lo=number, hi=number), by="name"),
    verdict=record(check=text, coverage_factor=number),
    blind_spots=listing(text),
    diagnostics=listing(record(severity=text, code=text, message=text, hint=text)),
)


def read_report(named: Path) -> dict[str, Any]:
    """
    Return the report at *named*, or beside the XML or manifest at *named*.

    Raises InvalidInputError for a file that cannot be read, is no report, or holds what no report holds.
    """
    path = report_beside(named)
    try:
        data = read_regular(path, _LIMIT)
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else "the name holds a zero byte"
        raise InvalidInputError("R2S841", f"cannot read {path}: {said}", hint=_hint(named, path)) from None
    try:
        value = parse_json(data)
    except ValueError as error:
        what = f"{path} is no report: {error}" if data.strip() else f"{path} is no report: it is empty"
        raise InvalidInputError("R2S842", what, hint="build the asset again") from None
    return checked(value, str(path))


def checked(value: Any, name: str) -> dict[str, Any]:
    """Return *value* if it is a report of our schema; raise InvalidInputError, calling it *name*, if it is not."""
    schema = value.get("schema") if isinstance(value, dict) else None
    if schema != REPORT_SCHEMA:
        said = "names no schema" if not isinstance(schema, str) else f"has the schema {schema[:40]!r}"
        hint = "give NAME.report.json, or the NAME.xml beside it; of another schema, build again with this r2s"
        raise InvalidInputError("R2S843", f"{name} {said}, and this r2s compares {REPORT_SCHEMA}", hint=hint)
    try:
        _report(value, "")
        _uncertainty(value)
    except ValueError as error:
        hint = "an older r2s or an editor wrote it: build the asset again"
        raise InvalidInputError("R2S844", f"{name} does not hold what a report holds: {error}", hint=hint) from None
    return dict(value)


def _uncertainty(report: dict[str, Any]) -> None:
    """Raise ValueError unless the account is whole; reports of an older r2s have none."""
    if "uncertainty" not in report:
        return
    account, at = report["uncertainty"], "uncertainty"
    _account(account, at)
    for i, row in enumerate(account["rows"]):
        text(row.get("pass"), f"{at}.rows[{i}].pass")
        _size(row, f"{at}.rows[{i}]")
    listing(_tie)(account.get("correlations", []), f"{at}.correlations")


def _size(row: dict[str, Any], where: str) -> None:
    """Raise ValueError unless *row* states its size in one way, as a number from 0 on, by a method of ours."""
    sizes = {key: row[key] for key in ("u", "half_width", "bound", "unbounded") if row.get(key) is not None}
    if len(sizes) != 1:
        raise ValueError(f"{where} states {' and '.join(sizes) or 'no size'}, not one of u, half_width and unbounded")
    ((key, size),) = sizes.items()
    (flag if key == "unbounded" else number)(size, f"{where}.{key}")
    if row["method"] not in METHODS:
        raise ValueError(f"{where}.method is {row['method']!r}, not one of {', '.join(METHODS)}")


def report_beside(named: Path) -> Path:
    """Return where the report of the asset is that *named* belongs to; a report is itself."""
    for kind in _KINDS:
        if named.name.endswith(kind):
            return named if kind.endswith("report.json") else named.with_name(f"{named.name[: -len(kind)]}.report.json")
    return named


def _hint(named: Path, path: Path) -> str:
    failed = path.with_name(path.name.removesuffix(".report.json") + ".failed.report.json")
    if failed != path and failed.is_file():
        return f"the build failed its verdict; its report is {failed}"
    return "check the path" if named == path else f"the report of {named.name} should be there"
