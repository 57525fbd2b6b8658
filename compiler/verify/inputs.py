"""Finds the inputs that a manifest names, and makes sure that they are the ones it was built from."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.files import hash_regular


@dataclass(frozen=True, slots=True)
class Found:
    """Where the inputs are; *files* are those that the sheet names, relative to its folder."""

    scan: Path
    calipers: Path | None
    files: tuple[str, ...]


def find_inputs(
    manifest: Mapping[str, Any], folders: Iterable[Path], scan: Path | None = None, calipers: Path | None = None
) -> Found:
    """
    Return the scan and the sheet that *manifest* names: where the user says, else the first in *folders* that fits.

    Raises InvalidInputError where one is not found, or is no longer what was built from; it names the file.
    """
    inputs, folders = manifest["inputs"], tuple(folders)
    given = tuple(path.parent for path in (scan, calipers) if path is not None)
    places = tuple(dict.fromkeys((*given, *folders)))
    found = _find("scan", inputs["scan"], scan, places)
    if not inputs["calipers"]["name"]:
        if calipers is not None:
            what = f"the asset was built without a caliper sheet, and --calipers names {calipers}"
            raise InvalidInputError("R2S824", what, hint="leave --calipers out")
        return Found(found, None, ())
    sheet = _find("calipers", inputs["calipers"], calipers, places)
    files = inputs["calipers"]["files"]
    for name, hash_ in files.items():
        _must_be_plain(name, PurePosixPath(name).parts)
        _must_be(sheet.parent / name, hash_, f"{sheet.parent / name}, which the sheet names,")
    return Found(found, sheet, tuple(files))


def staged(found: Found, manifest: Mapping[str, Any], folder: Path) -> tuple[Path, Path | None]:
    """
    Return paths of scan and sheet under the names that the manifest has for them, as names reach the report.

    A file that has its name stays where it is; another is put into *folder* under that name, a sheet with its files.
    """
    scan, calipers = found.scan, found.calipers
    inputs = manifest["inputs"]
    if scan.name != inputs["scan"]["name"]:
        scan = folder / inputs["scan"]["name"]
        scan.symlink_to(found.scan.absolute())
    if calipers is not None and calipers.name != inputs["calipers"]["name"]:
        for name in found.files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(calipers.parent / name, folder / name)
        calipers = Path(shutil.copyfile(calipers, folder / inputs["calipers"]["name"]))
    return scan, calipers


def _find(option: str, entry: Mapping[str, str], given: Path | None, folders: tuple[Path, ...]) -> Path:
    name, hash_ = entry["name"], entry["sha256"]
    _must_be_plain(name, (name,))
    if given is not None:
        _must_be(given, hash_, str(given))
        return given
    there = [folder / name for folder in folders if (folder / name).exists()]
    if not there:
        looked = " and ".join(dict.fromkeys(str(folder) for folder in folders))
        what = f"cannot find {name}, which the asset was built from, in {looked}"
        raise InvalidInputError("R2S824", what, hint=f"say where it is with --{option}")
    for path in there:
        if _hash(path) == hash_:
            return path
    _must_be(there[0], hash_, str(there[0]))
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
