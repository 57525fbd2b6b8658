"""
Puts a build's files on disk so that a reader never meets half of them.

Content-named meshes first, then slots, report, manifest and scene, and the XML last, each by rename.  A killed run
leaves the old XML with every file it names, or the new one with every file it names.  Only then go the meshes that no
XML of this stem names.

The XML carries the moment at which its inputs were read as its time of change, also where no byte of it changed.
Make compares that with the inputs: one edited while the build ran is newer, and is built again; one that was built is
not.
"""

from __future__ import annotations

import fcntl
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from r2s.compiler.codec import canonical, sha256
from r2s.compiler.depfile import depfile
from r2s.compiler.errors import Diagnostic, InvalidInputError, UsageError
from r2s.compiler.store import write_aside

_NAME_LIMIT = 255  # bytes of one file name on Linux file systems
_ASIDE = re.compile(r"\.[0-9a-f]{8}\.tmp$")
_OURS = re.compile(r"(?:visual|piece_\d+)-[0-9a-f]{8}\.obj|\..*\.[0-9a-f]{8}\.tmp")


@dataclass(frozen=True)
class Layout:
    """Where the files of one asset go, from the path given with ``-o``."""

    xml: Path

    @property
    def stem(self) -> str:
        """Stem of every file of the asset."""
        return self.xml.stem

    @property
    def folder(self) -> Path:
        """Folder of the asset."""
        return self.xml.parent

    @property
    def assets(self) -> Path:
        """Folder of the meshes."""
        return self.folder / f"{self.stem}.assets"

    def beside(self, kind: str) -> Path:
        """Path of ``<stem>.<kind>``."""
        return self.folder / f"{self.stem}.{kind}"


def layout(output: Path) -> tuple[Layout, tuple[Diagnostic, ...]]:
    """Return the layout for ``-o``; raise UsageError where nothing can be written under that name."""
    if output.suffix.lower() != ".xml" or not output.stem.strip("."):
        raise UsageError("R2S012", f"the output {output} is no name.xml", hint="write -o build/name.xml")
    if output.is_dir():
        raise UsageError("R2S012", f"the output {output} is a folder", hint="write -o build/name.xml")
    if any(ord(c) < 32 for c in output.name):
        raise UsageError("R2S012", f"the output name {output.name!r} holds a control character")
    _must_be_writable(output)
    found = []
    if output.parent.is_symlink():
        what = f"the output folder {output.parent} is a link to {os.readlink(output.parent)}; files go there"
        found.append(Diagnostic("warning", "R2S806", what))
    if output.is_symlink():
        what = f"{output} is a link; it is replaced by a file, what it leads to stays as it is"
        found.append(Diagnostic("note", "R2S807", what))
    return Layout(output), tuple(found)


def _must_be_writable(output: Path) -> None:
    """Raise before hours of work where the files of this asset could not be put."""
    longest = len(os.fsencode(output.stem)) + len(".failed.report.json") + len("..01234567.tmp")
    if longest > _NAME_LIMIT:
        hint = f"shorten it by {longest - _NAME_LIMIT} bytes"
        raise UsageError("R2S012", f"the output's name is too long for the files beside it: {output.name}", hint=hint)
    for kind in ("assets", "scene.xml", "slots.json", "report.json", "manifest.json", "failed.report.json"):
        path = output.with_name(f"{output.stem}.{kind}")
        if path.exists() and path.is_dir() != (kind == "assets"):
            wrong = "a file" if kind == "assets" else "a folder"
            raise UsageError(
                "R2S012", f"{path} is {wrong}, but the asset needs that name", hint="remove it, or use another -o"
            )
    place = output.parent
    while not place.exists() and place != place.parent:
        place = place.parent
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        hint = "check the output folder"
        raise InvalidInputError("R2S808", f"cannot write below {place}: not a folder that you may write to", hint=hint)


def write(
    where: Layout, meshes: Mapping[str, bytes], texts: Mapping[str, str], xml: str, *, read_at: int | None = None
) -> tuple[Path, ...]:
    """
    Write *meshes* (names inside the assets folder), *texts* (by kind, in that order) and then *xml*; drop stale meshes.

    Return the paths in that order.

    Files that already hold the right bytes are left alone, so a build that changes nothing touches nothing but the
    XML's time of change, which becomes *read_at* (ns since the epoch; None is now).
    """
    try:
        where.assets.mkdir(parents=True, exist_ok=True)
        with _locked(where.assets):
            for name, data in meshes.items():
                _put(where.assets / name, data)
            for kind, text in texts.items():
                _put(where.beside(kind), text.encode())
            _put(where.xml, xml.encode(), read_at=time.time_ns() if read_at is None else read_at)
            where.beside("failed.report.json").unlink(missing_ok=True)
            for path in where.assets.iterdir():
                if _OURS.fullmatch(path.name) and path.name not in meshes:
                    path.unlink(missing_ok=True)
            for path in where.folder.iterdir():  # what a killed build had begun
                if path.name.startswith(f".{where.stem}.") and _ASIDE.search(path.name):
                    path.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidInputError(
            "R2S808", f"cannot write {error.filename or where.folder}: {error.strerror}", hint="check the output folder"
        ) from None
    return (*(where.assets / name for name in meshes), *map(where.beside, texts), where.xml)


def write_failed(where: Layout, text: str) -> Path:
    """Write the report of a build whose verdict failed; an earlier asset stays as it is."""
    return write_one(where.beside("failed.report.json"), text.encode())


def write_depfile(path: Path, xml: Path | None, read: Sequence[Path]) -> None:
    """
    Write make's dependencies of *xml* on the files *read*; see :mod:`r2s.compiler.depfile`.

    This is for the moment when all inputs were read and nothing is made yet: a build killed or failed later leaves an
    XML that make finds out of date.
    """
    if xml is None:
        raise UsageError("R2S041", "a depfile names the XML, and no output is named", hint="add -o build/name.xml")
    taken = next((p for p in (*read, xml) if same_file(p, path)), None)
    if taken is not None:
        raise UsageError("R2S041", f"the depfile would take the place of {taken}", hint="name another with -MF")
    write_one(path, depfile(xml, read))


def same_file(one: Path, other: Path) -> bool:
    """Return whether two paths name one file, by name or by what is there."""
    return one.absolute() == other.absolute() or (one.exists() and other.exists() and one.samefile(other))


def write_one(path: Path, data: bytes) -> Path:
    """Write one file, its folder too; raise InvalidInputError where that is impossible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _put(path, data)
    except OSError as error:
        raise InvalidInputError(
            "R2S808", f"cannot write {path}: {error.strerror}", hint="check the output folder"
        ) from None
    return path


def asset_hash(meshes: Mapping[str, bytes], slots: str, scene: str, xml: str) -> str:
    """Return the hash of the asset itself: XML, scene, slots and meshes, nothing that a check value can reach."""
    files = {f"assets/{n}": sha256(d) for n, d in meshes.items()}
    return combined_hash({**files, "xml": sha256(xml), "scene.xml": sha256(scene), "slots.json": sha256(slots)})


def combined_hash(files: Mapping[str, str]) -> str:
    """Return one hash of several: *files* are their hashes by name, meshes as ``assets/<name>``, others by kind."""
    return sha256(canonical(files))


def _put(path: Path, data: bytes, *, read_at: int | None = None) -> None:
    try:
        if not path.is_symlink() and path.read_bytes() == data:
            if read_at is not None:
                os.utime(path, ns=(read_at, read_at))
            return
    except OSError:  # not there, or another user's, whose times only they may set
        pass
    write_aside(path, data, durable=True, changed_at=read_at)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder against other builds of the same asset; the kernel lets go when this process ends."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
