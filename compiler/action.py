"""
The key of an action: everything that can change its output, and nothing that only judges it.

Key = digest of schema, name, options, version, the input's digest, the versions of the libraries that the pass uses,
r2s's own source, and the kind of machine.  *salt* disowns old results.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from r2s.compiler import catalog
from r2s.compiler.codec import canonical, sha256
from r2s.compiler.protocol import options_of

SCHEMA = 1


def action_key(step: Any, input_digest: str, salt: str = "") -> str:
    """Return the hex key of running *step* (a pass or an analysis) on the value with *input_digest*."""
    return key_of(
        name=step.name,
        version=step.version,
        options=options_of(step),
        libraries={name: library_version(name) for name in step.libraries},
        input_digest=input_digest,
        source=source_digest(),
        of_machine=machine(),
        salt=salt,
    )


def key_of(
    *,
    name: str,
    version: int,
    options: object,
    libraries: Mapping[str, str],
    input_digest: str,
    source: str,
    of_machine: str,
    salt: str,
) -> str:
    """Return the hex key of an action that is only described, as in a manifest that may come from another machine."""
    parts = {
        "schema": SCHEMA,
        "name": name,
        "version": version,
        "options": options,
        "input": input_digest,
        "libraries": libraries,
        "r2s": source,
        "machine": of_machine,
        "salt": salt,
    }
    return sha256(canonical(parts))


@cache
def library_version(name: str) -> str:
    """Return the installed version of a distribution, ``absent`` if there is none."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


@cache
def machine() -> str:
    """Return the kind of machine whose results may differ in the last bit: system, architecture and C library."""
    libc = "-".join(platform.libc_ver())
    return f"{platform.system()}-{platform.machine()}-{libc}".lower()


@cache
def source_digest() -> str:
    """
    Return a digest over the source of the core and of every package with passes.

    It enters every key, so that a changed pass never meets its old results.
    """
    modules = {
        target.partition(":")[0] for target in (*catalog.names().values(), *catalog.names(catalog.ANALYSES).values())
    }
    folders = [Path(__file__).parent]
    for package in sorted({module.rpartition(".")[0] or module for module in modules}):
        spec = find_spec(package)
        folders += map(Path, (spec.submodule_search_locations or [spec.origin or ""]) if spec else [])
    hasher = hashlib.sha256()
    for folder in folders:
        found = [path for path in folder.rglob("*") if path.suffix in (".py", ".yaml")]  # .yaml: figures of devices
        for path in sorted(found) if folder.is_dir() else [folder]:
            hasher.update(path.name.encode() + b"\0" + path.read_bytes())
    return hasher.hexdigest()
