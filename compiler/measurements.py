"""
The caliper sheet: ``measurements.yaml``, schema 1, to a :class:`~r2s.compiler.readings.Sheet`.

Strict on purpose: what the sheet misspells, leaves out or contradicts is an error with line and column, since a reading
that is silently dropped or guessed makes every figure of the report wrong.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from r2s.compiler.errors import Diagnostic, InvalidInputError
from r2s.compiler.readings import Fill, Reading, Sheet
from r2s.compiler.sheet_body import parse_com, parse_density, parse_fill, parse_mass
from r2s.compiler.sheet_fields import Fields, fields, items, name, text
from r2s.compiler.sheet_friction import parse_friction
from r2s.compiler.sheet_instrument import NO_INSTRUMENT, Instrument, parse_instrument
from r2s.compiler.sheet_merge import merge_entries
from r2s.compiler.sheet_readings import Entry, parse_entry
from r2s.compiler.strict_yaml import SIZE_LIMIT, parse_yaml
from r2s.compiler.units import format_length
from r2s.compiler.wording import shown
from r2s.compiler.yaml_tree import Document, MapNode

KEYS = ("schema", "object", "instrument", "measurements", "mass", "density", "fill", "com", "friction")


def load_sheet(path: Path, name: str = "") -> tuple[Sheet, tuple[Diagnostic, ...]]:
    """
    Return the sheet in the file *path*, and notes; messages call it *name*, by default its file's name.

    Raises InvalidInputError (R2S201 to R2S249) for a file that cannot be read and for all that is wrong in it.
    """
    try:
        with path.open("rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        said = f"{name or path.name or path} cannot be read: {error.strerror or 'no file'}"
        raise InvalidInputError("R2S201", said, hint="check the path of the caliper sheet") from None
    return parse_sheet(data, name or path.name, path.parent)


def parse_sheet(data: bytes, name: str, folder: Path | None) -> tuple[Sheet, tuple[Diagnostic, ...]]:
    """
    Return the sheet in *data*, and notes.

    *name* is what messages call it; *folder* is where its files of friction readings lie, None if it has no place.
    Raises InvalidInputError, with line and column.
    """
    document = parse_yaml(data, name)
    of = _top(document)
    _check_schema(of)
    instrument_node = of.get("instrument")
    default = NO_INSTRUMENT if instrument_node is None else parse_instrument(document, instrument_node)
    entries = _entries(of, default)
    readings = merge_entries(document, entries)
    mass, density, fill = of.get("mass"), of.get("density"), of.get("fill")
    com, friction = of.get("com"), of.get("friction")
    points, com_notes = parse_com(document, com, default.unit) if com else ((), [])
    frictions, files, friction_notes = parse_friction(document, friction, folder) if friction else ((), {}, [])
    sheet = Sheet(
        object=_object(of),
        readings=readings,
        mass=parse_mass(document, mass) if mass else None,
        density=parse_density(document, density) if density else None,
        fill=parse_fill(document, fill) if fill else Fill(),
        com=points,
        friction=frictions,
        sha256=hashlib.sha256(data).hexdigest(),
        files=tuple(files.items()),
    )
    return sheet, (*_notes(document, sheet), *com_notes, *friction_notes)


def _top(document: Document) -> Fields:
    """Return the top mapping; besides the known keys it may hold blocks that ``<<`` takes its defaults from."""
    root = document.root
    blocks: frozenset[str] = frozenset()
    if isinstance(root, MapNode):
        blocks = frozenset(
            key.text
            for key, value in root.entries
            if isinstance(value, MapNode) and value.anchor in document.used_anchors
        )
    return fields(document, root, "the sheet", (*KEYS, *sorted(blocks - set(KEYS))))


def _check_schema(of: Fields) -> None:
    node = of.need("schema", hint="begin with schema: 1")
    if text(of.document, node, "schema") != "1":
        said = f"schema is {shown(text(of.document, node, 'schema'))}, and this compiler reads schema 1"
        of.document.fail("R2S224", node, said, hint="write schema: 1")


def _object(of: Fields) -> str:
    node = of.get("object")
    return "" if node is None else name(of.document, node, "object name")


def _entries(of: Fields, default: Instrument) -> list[Entry]:
    hint = "add measurements: with a list, or [] if no length was measured"
    found = items(of.document, of.need("measurements", hint=hint), "measurements")
    return [parse_entry(of.document, node, default) for node in found]


def _notes(document: Document, sheet: Sheet) -> list[Diagnostic]:
    """Return what is not wrong and still worth a line."""
    notes = []
    assumed = _assumed(sheet.readings)
    if assumed:
        said = f"{document.name}: no instrument named for {', '.join(r.id for r in assumed)}: "
        said += f"accuracy {format_length(assumed[0].accuracy)} is assumed"
        notes.append(Diagnostic("note", "R2S247", said, "add instrument: {kind: digital_caliper}"))
    if sheet.mass and sheet.density:
        said = f"{document.name}: mass and density are both given; mass is used"
        notes.append(Diagnostic("note", "R2S241", said, "remove the density if it is only a guess"))
    return notes


def _assumed(readings: tuple[Reading, ...]) -> tuple[Reading, ...]:
    return tuple(reading for reading in readings if reading.accuracy_method == "assumed")
