"""``r2s-compile explain``: what a diagnostic means and what to do, one by one, by stage, or all of them as a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from r2s.compiler.errors import UsageError
from r2s.compiler.suggest import did_you_mean

if TYPE_CHECKING:
    from r2s.compiler.codes import Code


@click.command()
@click.argument("what", required=False, metavar="[CODE|STAGE]")
@click.option("--markdown", is_flag=True, help="Print docs/troubleshooting.md: every code, by stage.")
def explain(what: str | None, markdown: bool) -> None:
    """
    Explain a code such as R2S631, or list the codes of a stage.

    \b
      r2s-compile explain              # the stages
      r2s-compile explain surface      # the codes of a stage
      r2s-compile explain R2S420       # one code: what it means and what to do
    """
    if markdown:
        from r2s.compiler.codes.page import markdown as page

        click.echo(page(), nl=False)
        return
    for line in _stages() if what is None else _answer(what):
        click.echo(line)


def _stages() -> Iterator[str]:
    from r2s.compiler.codes import GROUPS, codes_of

    for group in GROUPS:
        yield f"{group.name:<10}R2S{group.digit}xx  {len(codes_of(group)):>3} codes  {group.title}"
    yield "\nr2s-compile explain STAGE lists the codes of a stage, explain CODE explains one."


def _answer(what: str) -> Iterator[str]:
    from r2s.compiler.codes import GROUPS, catalogue, codes_of

    known = catalogue()
    if what.upper() in known:
        yield from _one(known[what.upper()])
        return
    stages = {word: group for group in GROUPS for word in (group.name, *group.also)}
    if what.lower() not in stages:
        hint = did_you_mean(what.upper(), known) or did_you_mean(what.lower(), stages)
        raise UsageError(
            "R2S025", f"there is no code or stage {what!r}", hint=hint or "r2s-compile explain lists the stages"
        )
    group = stages[what.lower()]
    yield f"{group.title}: {group.when}\n"
    for code in codes_of(group):
        yield f"{code.name}  {code.severity.replace('note or warning', 'note'):<8} {code.title}"


def _one(code: Code) -> Iterator[str]:
    yield f"{code.name}: {code.title} ({code.ending})\n\n{code.meaning}\n\nWhat to do: {code.remedy}"
