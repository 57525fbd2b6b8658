"""``r2s-compile explain CODE``: what a diagnostic means and what to do."""

from __future__ import annotations

import click

from r2s.compiler.errors import UsageError
from r2s.compiler.suggest import did_you_mean


@click.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Explain a code such as R2S631; without CODE list them all."""
    from r2s.compiler.codes import catalogue

    known = catalogue()
    if code is None:
        for entry in known.values():
            click.echo(f"{entry.name}  {entry.title}")
        return
    if code.upper() not in known:
        hint = did_you_mean(code.upper(), known) or "r2s-compile explain lists all codes"
        raise UsageError("R2S025", f"there is no code {code!r}", hint=hint)
    entry = known[code.upper()]
    click.echo(f"{entry.name}: {entry.title}\n\n{entry.meaning}\n\nWhat to do: {entry.remedy}")
