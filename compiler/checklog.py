"""
How often a set of check readings has judged a scan: a log beside the cache, by the hash of both.

A check confirms as long as nobody chose by it.  Whoever changes options until it passes has calibrated with it, and no
single report can show that, so the builds that it has judged are counted here.  The count stands in no report: equal
builds give equal bytes, however often they are made.  Another scan starts anew, as does a check that was measured
again: that is what a failed check asks for.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from r2s.compiler.codec import canonical, sha256
from r2s.compiler.errors import Diagnostic
from r2s.compiler.store import write_aside

_TURNED_DOWN = frozenset({"FAIL", "INCONCLUSIVE"})


@dataclass(frozen=True, slots=True)
class Asked:
    """How many other *builds* a set of check readings had judged before, and how many of them it *turned_down*."""

    builds: int = 0
    turned_down: int = 0

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """A note once a build was turned down and another is judged by the same readings."""
        if not self.turned_down:
            return ()
        said = (
            f"these check readings have judged {self.builds} other build{'s' if self.builds != 1 else ''} of this scan "
            f"and turned {self.turned_down} down: chosen by, they become calibration"
        )
        return (Diagnostic("note", "R2S636", said, "check with a fresh reading once the options are settled"),)


def scored(root: Path, scan: str, check: str, build: str, verdict: str) -> Asked:
    """
    Note in the cache at *root* that the readings with the digest *check* judged the build with the key *build*.

    *scan* is the hash of the scan that it was built from.

    Return what they had judged before.  The same build again counts once: nothing was chosen between.  A log that
    cannot be read or written is none, and ends no build.
    """
    name = sha256(canonical([scan, check]))
    folder = root / "checks" / name[:2] / name
    found: dict[str, str] = {}
    with suppress(OSError):
        for path in sorted(folder.glob("*.json")):
            with suppress(OSError, ValueError, KeyError, TypeError):
                found[path.stem] = str(json.loads(path.read_bytes())["verdict"])
    if found.pop(build, None) != verdict:
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            write_aside(folder / f"{build}.json", canonical({"verdict": verdict}).encode())
    return Asked(len(found), sum(v in _TURNED_DOWN for v in found.values()))
