"""Where the files of a dump go, and that nothing of anybody else lies there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from r2s.compiler.errors import UsageError
from r2s.compiler.outputs import same_file

INDEX, SCHEMA = "stages.json", "r2s-stages/1"
_OURS = re.compile(r"[\w-]+\.(?:ply|obj|json)")


@dataclass(frozen=True)
class Place:
    """
    A folder, what every name begins with, and the stages that are wanted there; none named is all of them.

    A *whole* folder belongs to the dump: it has an index, and what an earlier dump left goes.
    """

    folder: Path
    prefix: str
    wanted: tuple[str, ...]
    whole: bool

    def path(self, stage: str, suffix: str) -> Path:
        """Path of a file of *stage*."""
        return self.folder / f"{self.prefix}{stage}.{suffix}"

    def refuse(self, read: Iterable[Path]) -> None:
        """Raise UsageError (R2S043) if a wanted stage would take the place of a file that the build reads."""
        for path in read:
            if any(same_file(path, self.path(s, kind)) for s in self.wanted for kind in ("ply", "obj", "json")):
                raise UsageError("R2S043", f"a stage would take the place of {path}", hint="name another place")


def place(dump: Path | None, wanted: tuple[str, ...], output: Path | None) -> Place | None:
    """
    Return where ``--dump`` and ``--emit`` write, None if neither was given.

    Raises UsageError (R2S043) for a folder with other files in it, and where ``--emit`` has no place.
    """
    if dump is not None:
        _must_be_free(dump)
        return Place(dump, "", wanted, whole=True)
    if not wanted:
        return None
    if output is None:
        raise UsageError("R2S043", "--emit has no place to write to", hint="add -o build/name.xml or --dump FOLDER")
    return Place(output.parent, f"{output.stem}.", wanted, whole=False)


def earlier(where: Place) -> tuple[Path, ...]:
    """Return the files of an earlier dump in a folder that belongs to the dump."""
    if not where.whole:
        return ()
    try:
        body = json.loads((where.folder / INDEX).read_bytes())
        listed = [str(name) for stage in body["stages"] for name in stage["files"]]
    except (OSError, ValueError, KeyError, TypeError):
        return ()
    return tuple(where.folder / name for name in listed if _OURS.fullmatch(name))


def _must_be_free(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise UsageError("R2S043", f"{folder} is a file, not a folder", hint="name a folder after --dump")
    if not folder.is_dir() or (folder / INDEX).is_file() or not any(folder.iterdir()):
        return
    said = f"the folder {folder} holds files, and they are not of an earlier dump"
    raise UsageError("R2S043", said, hint="name a new folder after --dump, or empty this one")
