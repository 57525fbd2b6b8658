"""Reads a manifest and tells three things apart: ours and whole, ours and damaged, not ours."""

from __future__ import annotations

from typing import Any

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.files import read_regular
from r2s.compiler.manifest import OWN_HASH, SCHEMA, sealed, text_of
from r2s.compiler.strict_json import anything, flag, listing, mapping, maybe, number, parse_json, record, text, whole
from r2s.compiler.verify.places import Place

_LIMIT = 64 << 20  # bytes

_manifest = record(
    inputs=record(
        scan=record(name=text, sha256=text), calipers=record(name=text, sha256=text, roles=text, files=mapping(text))
    ),
    request=record(
        pipeline=text,
        unit=text,
        axes=text,
        scale_mode=text,
        device=text,
        within=maybe(number),
        budgets=mapping(number),
        stop_after=text,
        salt=text,
    ),
    passes=listing(
        record(
            name=text,
            text=text,
            version=whole,
            options=mapping(anything),
            libraries=mapping(text),
            key=text,
            digest=text,
        )
    ),
    build_key=text,
    asset=text,
    tools=record(r2s=text, r2s_source=text),
    platform=record(machine=text, pinned=flag),
    outputs=mapping(text),
)


# Manifests written before there were instances, or profiles of devices, lack these; what is there must be right.
_with_device = record(inputs=record(device=record(name=text, sha256=text)))
_later = record(
    inputs=record(instances=listing(record(name=text, sha256=text, files=mapping(text)))),
    request=record(intervals=mapping(text)),
)


class DamagedManifestError(ValueError):
    """A manifest of ours does not hold its own hash; the text says how that shows."""


def read_manifest(place: Place) -> dict[str, Any]:
    """
    Return the manifest at *place*.

    Raises DamagedManifestError for one of ours in which a byte was changed, InvalidInputError where there is none or
    it is another program's or another version's.
    """
    path = place.beside("manifest.json")
    try:
        data = read_regular(path, _LIMIT)
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else "the name holds a zero byte"
        hint = "name the XML of an asset that r2s has built; the manifest lies beside it"
        raise InvalidInputError("R2S821", f"cannot read {path}: {said}", hint=hint) from None
    ours = f'"{OWN_HASH}":"'.encode() in data or f'"schema":"{SCHEMA}"'.encode() in data
    try:
        value = parse_json(data)
    except ValueError as error:
        if ours:
            raise DamagedManifestError(f"does not parse: {error}") from None
        raise _foreign(f"{path} is no manifest: {error}") from None
    if not ours or not isinstance(value, dict):
        raise _foreign(f"{path} is no manifest of r2s")
    _whole(value, data)
    if value.get("schema") != SCHEMA:
        raise _foreign(f"{path} has the schema {str(value.get('schema'))[:40]!r}, and this r2s verifies {SCHEMA}")
    try:
        _manifest(value, "")
        if "instances" in value["inputs"] or "intervals" in value["request"]:
            _later(value, "")
        if "device" in value["inputs"]:
            _with_device(value, "")
    except ValueError as error:
        raise _foreign(f"{path} does not hold what a manifest holds: {error}") from None
    return value


def _whole(value: dict[str, Any], data: bytes) -> None:
    if OWN_HASH not in value:
        raise DamagedManifestError("holds no hash of itself")
    if sealed(value) != value:
        raise DamagedManifestError("does not hold its own hash")
    if text_of(value).encode() != data:
        raise DamagedManifestError("holds its own hash, but is written otherwise than r2s writes it")


def _foreign(what: str) -> InvalidInputError:
    return InvalidInputError("R2S822", what, hint="build the asset again with this r2s")
