"""``r2s-compile cache``: what the store holds, and how to make it smaller."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from r2s.compiler.store import Store

_DAY = 86400.0
_AMOUNT = click.IntRange(0, 10**9)


@click.group()
def cache() -> None:
    """List or prune the cache."""


def _store(folder: Path | None) -> Store:
    from r2s.compiler.manager import default_cache
    from r2s.compiler.store import Store

    return Store(folder or default_cache())


_FOLDER = click.option("--cache", "folder", type=click.Path(path_type=Path), help="Cache folder.")


@cache.command("list")
@_FOLDER
def list_(folder: Path | None) -> None:
    """Show where the cache is, how many entries it holds and their size."""
    store = _store(folder)
    counts: dict[str, list[int]] = {"actions": [0, 0], "objects": [0, 0]}
    for path, size, _ in store.entries():
        kind = counts[path.parent.parent.name]
        kind[0] += 1
        kind[1] += size
    click.echo(f"cache    {store.root}")
    for name, (files, size) in counts.items():
        click.echo(f"{name:<9}{files} files, {size / 1e6:.1f} MB")


@cache.command()
@_FOLDER
@click.option("--older-than", type=_AMOUNT, metavar="DAYS", help="Remove what was not used for this many days.")
@click.option("--max-size", type=_AMOUNT, metavar="MB", help="Then remove the oldest until the rest fits.")
@click.option("--all", "everything", is_flag=True, help="Remove everything but the log of checks.")
def prune(folder: Path | None, older_than: int | None, max_size: int | None, everything: bool) -> None:
    """Remove old entries; a build that needs one makes it again."""
    from r2s.compiler.errors import UsageError

    if older_than is None and max_size is None and not everything:
        raise UsageError("R2S026", "nothing says what to prune", hint="add --older-than 30, --max-size 5000 or --all")
    store = _store(folder)
    limit = 0 if everything else (max_size * 10**6 if max_size is not None else None)
    before = time.time() - older_than * _DAY if older_than is not None else None
    files, freed = store.prune(older_than=before, max_bytes=limit)
    click.echo(f"removed {files} files, {freed / 1e6:.1f} MB")
