"""
The command: draw a sample, try each mutant, print the score.

Results are kept as they come, so that a run that was stopped goes on where it was; a result holds for one state of the
packages, and a survivor can be tried again after tests were added.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import click

from mutation.mutant import Mutant
from mutation.population import population
from mutation.reach import Reach, measure, source_digest
from mutation.sample import draw
from mutation.score import scores, table, weighted
from mutation.scratch import Scratch
from mutation.trial import Result, tried

ROOT = Path(__file__).resolve().parent.parent.parent


@click.command()
@click.option("--sample", default=300, show_default=True, help="How many mutants to draw.")
@click.option("--seed", default=1, show_default=True, help="Of the draw.")
@click.option("--module", "prefix", default="", help="Only files whose path begins so, such as passes/caliper.")
@click.option("--only", default="", help="Of what was drawn, only files whose path begins so.")
@click.option("--root", default=ROOT, type=click.Path(path_type=Path, exists=True), help="The checkout to break.")
@click.option("--allow", default=20.0, show_default=True, help="CPU seconds of tests for one mutant, cheapest first.")
@click.option("--without", multiple=True, help="Test files whose path begins so take no part; may be repeated.")
@click.option("--slow", is_flag=True, help="Also run tests that are marked slow.")
@click.option("--again", is_flag=True, help="Try the survivors of an earlier run again.")
@click.option("--at-least", default=0.7, show_default=True, help="Share killed below which the exit status is 1.")
def main(
    sample: int,
    seed: int,
    prefix: str,
    only: str,
    root: Path,
    allow: float,
    without: tuple[str, ...],
    slow: bool,
    again: bool,
    at_least: float,
) -> None:
    """Break the compiler and its passes, one small thing at a time, and count how often a test notices."""
    root = root.resolve()
    everything = {m: found for m, found in population(root).items() if m.startswith(prefix)}
    if not everything:
        raise click.BadParameter(f"no file with anything to break begins with {prefix!r}", param_hint="--module")
    drawn = [mutant for mutant in draw(everything, sample, seed) if mutant.module.startswith(only)]
    count = sum(map(len, everything.values()))
    click.echo(f"{len(drawn)} of {count} mutants in {len(everything)} files, seed {seed}")
    store = root / "build" / "mutation"
    with Scratch(root) as scratch:
        reach = measure(scratch, root, store / "reach.json", left_out=without, slow=slow, say=click.echo)
        kept = store / f"results-{source_digest(root)[:12]}.jsonl"
        results = _try_all(scratch, drawn, reach, kept, allow, again)
    for result in results:
        if not result.dead:
            click.echo(f"{result.outcome}: {result.mutant}  [{result.before}]" + (" ..." if result.left else ""))
    by_package = scores((r.module.partition("/")[0], r.dead) for r in results)
    by_module = scores((r.module, r.dead) for r in results)
    click.echo(table(by_package, "package"))
    share = weighted(by_module, {module: len(found) for module, found in everything.items()})
    click.echo(f"{share:.1%} with every file weighing what it has of the population")
    sys.exit(by_package["total"].share < at_least)


def _try_all(
    scratch: Scratch, drawn: list[Mutant], reach: Reach, store: Path, allow: float, again: bool
) -> list[Result]:
    """Return the results of all that was drawn, trying what *store* does not know (or knows as alive, if *again*)."""
    known = {}
    if store.is_file():
        known = {tree["mutant"]: Result(**tree) for tree in map(json.loads, store.read_text().splitlines())}
    wanted = [m for m in drawn if m.name not in known or (again and not known[m.name].dead)]
    begun = time.monotonic()
    for number, mutant in enumerate(wanted, 1):
        result = tried(scratch, mutant, reach.tests(mutant), allow)
        known[mutant.name] = result
        with store.open("a") as file:
            file.write(json.dumps(result.tree(), sort_keys=True) + "\n")
        left = (time.monotonic() - begun) / number * (len(wanted) - number) / 60
        click.echo(f"{number}/{len(wanted)} {result.outcome} in {result.seconds} s, {left:.0f} min left: {mutant.name}")
    return [known[m.name] for m in drawn]


if __name__ == "__main__":
    main()
