"""Finds the inputs that a manifest names, and makes sure that they are the ones it was built from."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.files import hash_regular


@dataclass(frozen=True, slots=True)
class FoundSheet:
    """Where a sheet is; *files* are those that it names, relative to its folder."""

    path: Path
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """
    Where the inputs are; *files* are those that the sheet names, relative to its folder.

    *instances* are the sheets of like objects in the order of the manifest, *device* the profile of the scanner, None
    where it was a class.
    """

    scan: Path
    calipers: Path | None
    files: tuple[str, ...]
    instances: tuple[FoundSheet, ...] = ()
    device: Path | None = None


def find_inputs(
    manifest: Mapping[str, Any],
    folders: Iterable[Path],
    scan: Path | None = None,
    calipers: Path | None = None,
    instances: tuple[Path, ...] = (),
    device: Path | None = None,
) -> Found:
    """
    Return the scan, the sheets and the profile that *manifest* names: where the user says, else the first in *folders*
    that fits.

    Raises InvalidInputError where one is not found, or is no longer what was built from; it names the file.
    """
    inputs, folders = manifest["inputs"], tuple(folders)
    given = tuple(path.parent for path in (scan, calipers, *instances, device) if path is not None)
    places = tuple(dict.fromkeys((*given, *folders)))
    found = _find("scan", inputs["scan"], scan, places)
    like = _find_instances(inputs.get("instances", []), instances, places)
    profile = _find_profile(inputs.get("device", {}), device, places)
    if not inputs["calipers"]["name"]:
        if calipers is not None:
            what = f"the asset was built without a caliper sheet, and --calipers names {calipers}"
            raise InvalidInputError("R2S824", what, hint="leave --calipers out")
        return Found(found, None, (), like, profile)
    sheet = _with_files(_find("calipers", inputs["calipers"], calipers, places), inputs["calipers"]["files"])
    return Found(found, sheet.path, sheet.files, like, profile)


@dataclass(frozen=True, slots=True)
class Staged:
    """Paths of the inputs, each under the name that the manifest has."""

    scan: Path
    calipers: Path | None
    instances: tuple[Path, ...]
    device: Path | None


def staged(found: Found, manifest: Mapping[str, Any], folder: Path) -> Staged:
    """
    Return paths of the inputs under the names that the manifest has: they reach the report.

    A file that has its name stays where it is; another is put into *folder* under that name, a sheet with its files.
    """
    scan, inputs = found.scan, manifest["inputs"]
    if scan.name != inputs["scan"]["name"]:
        scan = folder / inputs["scan"]["name"]
        scan.symlink_to(found.scan.absolute())
    calipers = found.calipers
    if calipers is not None:
        calipers = _named(FoundSheet(calipers, found.files), inputs["calipers"]["name"], folder)
    like = (
        _named(sheet, entry["name"], folder / f"instance-{i}")  # two may have one name
        for i, (sheet, entry) in enumerate(zip(found.instances, inputs.get("instances", []), strict=True))
    )
    profile = found.device
    if profile is not None:
        profile = _named(FoundSheet(profile, ()), inputs["device"]["name"], folder / "device")
    return Staged(scan, calipers, tuple(like), profile)


def _named(sheet: FoundSheet, name: str, folder: Path) -> Path:
    """Return the path of *sheet* under *name*: where it is, or a copy in *folder*."""
    if sheet.path.name == name:
        return sheet.path
    for file in sheet.files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(sheet.path.parent / file, folder / file)
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copyfile(sheet.path, folder / name))


def _with_files(sheet: Path, files: Mapping[str, str]) -> FoundSheet:
    """Return *sheet* with its *files* (hashes by name), each still the one that the asset was built from."""
    for name, hash_ in files.items():
        _must_be_plain(name, PurePosixPath(name).parts)
        _must_be(sheet.parent / name, hash_, f"{sheet.parent / name}, which the sheet names,")
    return FoundSheet(sheet, tuple(files))


def _find_profile(entry: Mapping[str, str], given: Path | None, folders: tuple[Path, ...]) -> Path | None:
    """Return the profile of *entry*, None for a class of devices; raise where one is given that none was built with."""
    if entry.get("name"):
        return _find("device", entry, given, folders)
    if given is not None:
        what = f"the asset was built with a class of devices, and --device names {given}"
        raise InvalidInputError("R2S824", what, hint="leave --device out")
    return None


def _find_instances(
    entries: Sequence[Mapping[str, Any]], given: tuple[Path, ...], folders: tuple[Path, ...]
) -> tuple[FoundSheet, ...]:
    """
    Return the sheet of each of *entries*: of those *given* the one with its hash, under any name; without any, in
    *folders*.

    Sheets of like objects are often called alike, so the hash tells them apart.
    """
    hashes = {_hash(path): path for path in given}
    found = []
    for entry in entries:
        name, hash_ = entry["name"], entry["sha256"]
        _must_be_plain(name, (name,))
        there = [p for p in hashes.values() if p.name == name] if given else _there(name, folders)
        path = hashes.pop(hash_, None) or _same("instances", entry, there, folders)
        found.append(_with_files(path, entry["files"]))
    if hashes:
        what = f"the asset was not built from {next(iter(hashes.values()))}, which --instances names"
        raise InvalidInputError("R2S824", what, hint=f"name the {len(entries)} sheets that the manifest holds, or none")
    return tuple(found)


def _find(option: str, entry: Mapping[str, str], given: Path | None, folders: tuple[Path, ...]) -> Path:
    name, hash_ = entry["name"], entry["sha256"]
    _must_be_plain(name, (name,))
    if given is not None:
        _must_be(given, hash_, str(given))
        return given
    return _same(option, entry, _there(name, folders), folders)


def _there(name: str, folders: Iterable[Path]) -> list[Path]:
    return [folder / name for folder in folders if (folder / name).exists()]


def _same(option: str, entry: Mapping[str, str], there: Sequence[Path], folders: tuple[Path, ...]) -> Path:
    """Return which of the files *there* has the hash of *entry*; raise InvalidInputError where none has."""
    if not there:
        looked = " and ".join(dict.fromkeys(str(folder) for folder in folders))
        what = f"cannot find {entry['name']}, which the asset was built from, in {looked}"
        raise InvalidInputError("R2S824", what, hint=f"say where it is with --{option}")
    for path in there:
        if _hash(path) == entry["sha256"]:
            return path
    _must_be(there[0], entry["sha256"], str(there[0]))
    return there[0]


def _must_be_plain(name: str, parts: tuple[str, ...]) -> None:
    """Refuse a name that leads somewhere else: it comes from a file that anybody may have edited."""
    bad = not name or any(p in ("", ".", "..", "/") for p in parts) or "\\" in name or "\0" in name
    if bad or (len(parts) == 1 and "/" in name):
        what = f"the manifest names {name[:80]!r} as an input, which is no plain file name"
        raise InvalidInputError("R2S822", what, hint="build the asset again with this r2s")


def _must_be(path: Path, hash_: str, what: str) -> None:
    now = _hash(path)
    if now != hash_:
        said = f"{what} is not what the asset was built from: its hash is {now[:12]}, it was {hash_[:12]}"
        raise InvalidInputError("R2S825", said, hint="name the old file, or build the asset again from the new one")


def _hash(path: Path) -> str:
    try:
        return hash_regular(path)
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else "the name holds a zero byte"
        raise InvalidInputError("R2S824", f"cannot read {path}: {said}", hint="check the path") from None
