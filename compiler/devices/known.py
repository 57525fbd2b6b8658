"""Devices by name: a class of the data file ``classes.yaml``, or the path of a profile."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from r2s.compiler.devices.device import Device
from r2s.compiler.devices.reading import read_classes, read_profile
from r2s.compiler.errors import UsageError
from r2s.compiler.suggest import did_you_mean

_PROFILES = (".yaml", ".yml")


@cache
def classes() -> Mapping[str, Device]:
    """Return the classes of scanners by name, in the order of the data file."""
    return read_classes(Path(__file__).with_name("classes.yaml"))


def device(name_or_path: str) -> Device:
    """
    Return the class of that name, else the profile at that path; a file called like a class is written ``./rgbd``.

    Raises UsageError (R2S011) for what is neither, and what :func:`read_profile` raises.
    """
    if is_class(name_or_path):
        return classes()[name_or_path]
    path = Path(name_or_path)
    if path.suffix.lower() in _PROFILES or os.sep in name_or_path or path.is_file():
        return read_profile(path)
    hint = did_you_mean(name_or_path, classes()) or f"there are {', '.join(classes())}"
    raise UsageError("R2S011", f"no device is called {name_or_path!r}", hint=f"{hint}; a profile ends in .yaml")


def is_class(name_or_path: str) -> bool:
    """Return whether that is the name of a class, not the path of a profile."""
    return name_or_path in classes()


def label(name_or_path: str) -> str:
    """Return the name of the class, or that of the profile's file without its folder: files may hold no path."""
    return name_or_path if is_class(name_or_path) else Path(os.fspath(name_or_path)).name
