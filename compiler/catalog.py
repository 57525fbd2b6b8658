"""
Which passes and analyses exist: names to classes, learnt from installed entry points, loaded only when used.

The core names no pass.  The group ``r2s.passes`` holds mappings of names to ``module:Class``; a name that two
distributions claim is an error that names both.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from r2s.compiler.errors import UsageError

PASSES, ANALYSES = "r2s.passes", "r2s.analyses"


@cache
def names(group: str = PASSES) -> dict[str, str]:
    """Return every name of the *group* with its ``module:Class``, in the order of the catalogues."""
    found: dict[str, str] = {}
    owners: dict[str, str] = {}
    for point in sorted(entry_points(group=group), key=lambda p: (p.name != "builtin", p.name)):
        for name, target in point.load().items():
            if name in found and found[name] != target:
                raise UsageError("R2S001", f"two packages define {name!r}: {owners[name]} and {point.value}")
            found[name], owners[name] = target, point.value
    return found


def load(name: str, group: str = PASSES) -> type[Any]:
    """Return the class called *name*; raise UsageError that lists what exists."""
    if name not in names(group):
        raise UsageError("R2S002", f"no pass is called {name!r}", hint=f"there are {', '.join(names(group))}")
    module, _, cls = names(group)[name].partition(":")
    found: type[Any] = getattr(import_module(module), cls)
    return found
