"""
The inputs of a build, read once and hashed: the scan file, the caliper sheet and the files that it names, the sheets of
like objects, and the profile of the scanner.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from r2s.compiler.codec import canonical, sha256
from r2s.compiler.devices import Device, device, is_class
from r2s.compiler.errors import Diagnostic, InvalidInputError, UsageError
from r2s.compiler.files import NotRegularError, hash_regular
from r2s.compiler.instances import Instance, like_objects, read_instances
from r2s.compiler.intervals.plan import plan
from r2s.compiler.ir import Source
from r2s.compiler.population import Choice, Objects
from r2s.compiler.readings import Fill, Sheet

NO_SHEET = Sheet("", (), None, None, Fill(), (), (), "")


@dataclass(frozen=True)
class Inputs:
    """
    A scan and a sheet; sheets of like objects, what they say of the kind, and which slots get intervals from that; what
    is known of the scanner.

    *scan_name* and *sheet_name* are file names without folders, since a report may hold no path of a machine.
    *files* are the paths of all that was read, as they were given; *newest* is the latest time of change among them
    when reading began (ns since the epoch).  Both are for whoever decides when to build again, and enter nothing else.
    """

    source: Source
    scan_name: str
    sheet: Sheet
    sheet_name: str
    diagnostics: tuple[Diagnostic, ...]
    device: Device
    files: tuple[Path, ...] = ()
    newest: int = 0
    instances: tuple[Instance, ...] = ()
    objects: Objects = field(default=Objects())
    intervals: tuple[Choice, ...] = ()

    @property
    def stem(self) -> str:
        """The scan's file name without its suffix."""
        return Path(self.scan_name).stem

    @property
    def calibrate_digest(self) -> str:
        """Digest of everything on the sheet that may tune the asset."""
        s = self.sheet
        return sha256(canonical([s.object, s.of_role("calibrate"), s.mass, s.density, s.fill, s.com, s.friction]))

    @property
    def check_digest(self) -> str:
        """Digest of the check readings, values included."""
        return sha256(canonical(self.sheet.of_role("check")))

    @property
    def roles_digest(self) -> str:
        """Digest of ids, features and roles without values: who is to judge, fixed before anything is built."""
        return sha256(canonical([(r.id, r.feature, r.role) for r in self.sheet.readings]))


def read_inputs(
    scan: Path,
    calipers: Path | None,
    like: tuple[Path, ...] = (),
    intervals: Mapping[str, str] | None = None,
    scanner: str = "unknown",
) -> Inputs:
    """
    Return the inputs: *like* are sheets of like objects, *intervals* recipes as text by slot, *scanner* a class of
    devices or the path of a profile.

    Raises InvalidInputError where a file cannot be read, a sheet is wrong, or a recipe asks for more than was measured;
    UsageError (R2S046) for sheets of like objects without one of the scanned object, R2S011 for no device at all.
    """
    if like and calipers is None:
        what = "--instances compares like objects with the scanned one, and no sheet says what that measures"
        raise UsageError("R2S046", what, hint="add --calipers measurements.yaml")
    given = (scan,) if calipers is None else (scan, calipers)
    profiles = () if is_class(scanner) else (Path(scanner),)
    # before they are read: whatever changes from now on is newer than what is read
    newest = _newest((*given, *like, *profiles))
    known = device(scanner)
    source = Source(scan.suffix.lower().lstrip("."), _hash_file(scan), os.fspath(scan.absolute()))
    sheet, name = NO_SHEET, ""
    said: tuple[Diagnostic, ...] = ()
    if calipers is not None:
        from r2s.compiler.measurements import load_sheet

        (sheet, said), name = load_sheet(calipers), calipers.name
    instances = read_instances(like, sheet, name)
    objects, missing = like_objects(sheet, instances)
    choices, told = plan(objects, intervals or {}, missing)
    sheets = [(calipers, sheet)] if calipers is not None else []
    sheets += [(one.path, one.sheet) for one in instances]
    named = tuple(path.parent / file for path, of in sheets for file, _ in of.files)
    return Inputs(
        source=source,
        scan_name=scan.name,
        sheet=sheet,
        sheet_name=name,
        diagnostics=(*said, *told),
        device=known,
        files=(*given, *like, *named, *profiles),
        newest=max(newest, _newest(named)),
        instances=instances,
        objects=objects,
        intervals=choices,
    )


def _newest(paths: Iterable[Path]) -> int:
    times = [0]
    for path in paths:
        with suppress(OSError):  # whoever reads it says what is wrong
            times.append(path.stat().st_mtime_ns)
    return max(times)


def _hash_file(path: Path) -> str:
    """Return the hash of the scan; what is no readable file is told in the words of the readers, which come later."""
    try:
        return hash_regular(path)
    except NotRegularError:
        raise _no_scan(path, "a pipe, a socket or a device") from None
    except IsADirectoryError:
        raise _no_scan(path, "a folder") from None
    except (FileNotFoundError, NotADirectoryError):
        raise InvalidInputError("R2S101", f"there is no file {path}", hint="check the path") from None
    except OSError as error:
        raise InvalidInputError("R2S103", f"{path} cannot be read: {error.strerror}", hint="check the path") from None


def _no_scan(path: Path, kind: str) -> InvalidInputError:
    return InvalidInputError("R2S102", f"{path} is {kind}, not a scan file", hint="name the scan file itself")
