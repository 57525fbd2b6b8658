"""
A depfile: which files a build read, as a rule that GNU make includes (``-MD``, like gcc's ``-MD -MP``).

    build/cube.xml: scan.ply \\
      measurements.yaml

    scan.ply:

    measurements.yaml:

The target is the XML as it was typed, since make compares names and not files.  Every prerequisite is also the target
of an empty rule, so that one which was deleted or renamed makes the asset again instead of stopping make.
gcc writes the file also where compilation fails, once all inputs were found, and so does a build: what it read is
known, and the next run has to look at all of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from r2s.compiler.errors import UsageError

# what no quoting carries through make's reader: control characters, ; (it begins a recipe) and \ (it quotes, and
# doubles by rules that differ between a target and a prerequisite)
_LOST = re.compile(r"[\x00-\x1f\x7f;\\]")
_GLOB = re.compile(r"[*?[]")
_QUOTED = re.compile(r"[ #:*?\[]")


def depfile(target: Path, prerequisites: Iterable[Path]) -> bytes:
    """
    Return the bytes of the depfile; prerequisites keep their order, and one named twice stands once.

    Raises UsageError (R2S040) for a name that make cannot hold.
    """
    names = list(dict.fromkeys(map(_name, prerequisites)))
    rule = " \\\n  ".join([f"{_as_target(_name(target))}:", *map(_as_prerequisite, names)])
    rules = [rule, *(f"{_as_target(name)}:" for name in names)]
    return os.fsencode("\n\n".join(rules) + "\n")


def _name(path: Path) -> str:
    """Return the path as text that make takes for a file name and for nothing else."""
    name = os.fspath(path)
    lost = _LOST.search(name)
    if lost is not None:
        raise _impossible(name, f"it holds {lost.group()!r}")
    if name.endswith(")"):
        raise _impossible(name, "make takes a name with ) at its end for a member of an archive")
    if name.startswith("~"):
        raise _impossible(name, "make takes ~ at its beginning for a home folder")
    if "%" in name and _GLOB.search(name):
        raise _impossible(name, "make cannot quote both % and *, ? or [")
    if name.endswith((" ", "&")):
        raise _impossible(name, f"it ends with {name[-1]!r}")
    return name


def _impossible(name: str, why: str) -> UsageError:
    return UsageError("R2S040", f"make cannot hold the name {name!r}: {why}", hint="rename the file, or leave out -MD")


def _as_target(name: str) -> str:
    return _quoted(name).replace("%", "\\%")  # bare, it would make a pattern of the rule


def _as_prerequisite(name: str) -> str:
    return _quoted(name).replace("|", "\\|")  # bare, it would begin the order-only ones


def _quoted(name: str) -> str:
    text = _QUOTED.sub(r"\\\g<0>", name.replace("$", "$$"))
    # bare, = makes a variable of the line, and no backslash prevents that
    return text.replace("=", "$(subst e,=,e)")
