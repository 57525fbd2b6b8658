"""A command whose ``--instances`` takes several sheets at once, as a shell's wildcard gives them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import click

OPTION = "--instances"
_SHEETS = (".yaml", ".yml")


class ListsSheets(click.Command):
    """A command with the option ``--instances``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read ``--instances a.yaml b.yaml`` as the option given twice; no scan is called so."""
        return super().parse_args(ctx, list(repeated(args)))


def repeated(words: Iterable[str]) -> Iterator[str]:
    """
    Yield *words* with the option before each further sheet behind it.

    >>> list(repeated(["--instances", "a.yaml", "b.yaml", "scan.ply", "c.yaml"]))
    ['--instances', 'a.yaml', '--instances', 'b.yaml', 'scan.ply', 'c.yaml']
    """
    wanted, listing = False, False  # the option's own value comes next; a further one may
    for word in words:
        if listing and not word.startswith("-") and word.lower().endswith(_SHEETS):
            yield OPTION
        else:
            listing = wanted or word.startswith(f"{OPTION}=")
        wanted = word == OPTION
        yield word
