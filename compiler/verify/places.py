"""Which files are an asset's: from the path a user gives, and from names that a manifest gives and nobody can trust."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from r2s.compiler.errors import UsageError

OUTPUTS = ("xml", "scene.xml", "slots.json", "report.json")
_KINDS = (".manifest.json", ".scene.xml", ".xml")
LIMIT = 1 << 30  # bytes of one output


@dataclass(frozen=True)
class Place:
    """The folder of an asset and the stem of its files."""

    folder: Path
    stem: str

    def beside(self, kind: str) -> Path:
        """Path of ``<stem>.<kind>``."""
        return self.folder / f"{self.stem}.{kind}"

    def belongs(self, name: str) -> bool:
        """
        Return whether an output may be called *name*: one of the four beside the manifest, or in the assets folder.

        Everything else leads elsewhere or is no output, and is not followed.
        """
        parts = PurePosixPath(name).parts
        if "/".join(parts) != name or "\\" in name or "\0" in name or ".." in parts:
            return False
        if len(parts) == 2:
            return parts[0] == f"{self.stem}.assets"
        return name in {f"{self.stem}.{kind}" for kind in OUTPUTS}

    def inside(self, path: Path) -> bool:
        """Return whether *path*, links followed, lies in the folder of the asset; a loop of links lies nowhere."""
        try:
            return path.resolve().is_relative_to(self.folder.resolve())
        except (OSError, RuntimeError):
            return False


def place_of(named: Path) -> Place:
    """Return the place of the asset whose XML (or scene or manifest) is *named*; UsageError for another name."""
    for kind in _KINDS:
        if named.name.endswith(kind) and len(named.name) > len(kind):
            return Place(named.parent, named.name[: -len(kind)])
    raise UsageError("R2S820", f"{named} is no asset", hint="name its XML: r2s-compile verify build/name.xml")
