"""``r2s-compile inject``: damage on purpose, to see what the checks see."""

from __future__ import annotations

import json
from pathlib import Path

import click

from r2s.compiler.errors import UsageError


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("scan", type=click.Path(path_type=Path))
@click.option("--calipers", type=click.Path(path_type=Path), required=True, metavar="YAML", help="The caliper sheet.")
@click.option("--only", metavar="KIND,...", default="", help="Only these kinds of damage.  [default: all]")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the table as JSON too: cube.inject.json.")
@click.option("--unit", default="", help="As for build.")
@click.option("--up", default="auto", help="As for build.")
@click.option("--device", default="unknown", help="As for build.")
@click.option("--passes", "text", metavar="TEXT", help="The pipeline to build with.  [default: a quick one]")
@click.option("--limit", "limits", multiple=True, metavar="120s|8GiB", help="CPU time and memory that a pass may use.")
@click.option(
    "--cache", type=click.Path(path_type=Path), help="Cache folder.  [default: R2S_CACHE or the user's cache]"
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole table as JSON (r2s-inject/1).")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def inject(
    scan: Path,
    calipers: Path,
    only: str,
    output: Path | None,
    unit: str,
    up: str,
    device: str,
    text: str | None,
    limits: tuple[str, ...],
    cache: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """
    Damage SCAN and its sheet on purpose and table which check sees it, from which size on.

    \b
      r2s-compile inject scan.ply --calipers measurements.yaml
      r2s-compile inject scan.ply --calipers measurements.yaml --only scale,mirror,mass -o build/cube.inject.json

    Checks that agree prove little until they were seen to disagree. Each damage is done to a copy in a scratch folder,
    built like a user's file, and compared with the sound build: a new error or warning, a check turned down, a coverage
    figure or a correction that was not there before is "seen". What nothing saw is listed, with the blind spot that
    every report of this scan and sheet names for it.

    \b
    Kinds, with the sizes tried:
      scale 0.1 to 5 %       axis_scale 0.5 to 2 %     offset 0.1 to 1 mm         unit x25.4, x1000
      mirror, mirror_all     swap (two axes)           bottom (underside cut)     floater 0.1 to 3 % of the points
      noise x3               piece (one dropped)       swapped_readings           leak (check to calibrate)
      mass /2.2 to x1000

    All of them take about a quarter of an hour a scan. Stop it when you like: what was built is kept, and the same
    command goes on from there. Nothing is written beside the scan, and check readings do not count as asked.
    """
    from r2s.compiler.known_bad import inject as try_all
    from r2s.compiler.known_bad import screen
    from r2s.compiler.known_bad.run import QUICK
    from r2s.compiler.limits import parse_limits
    from r2s.compiler.outputs import same_file, write_one
    from r2s.compiler.pipeline import Pipeline
    from r2s.compiler.progress import counted
    from r2s.compiler.request import Request

    request = Request(
        scan=scan,
        calipers=calipers,
        pipeline=Pipeline.parse(text or QUICK),
        unit=unit,
        axes=up,
        device=device,
        limits=parse_limits(limits),
        cache=cache,
    )
    chosen = _kinds(only)
    taken = next((path for path in (scan, calipers) if output is not None and same_file(path, output)), None)
    if taken is not None:
        raise UsageError("R2S051", f"the table would take the place of {taken}", hint="name another file with -o")
    with counted(quiet=quiet) as begun:
        found = try_all(request, chosen, begun)
    document = json.dumps(found, sort_keys=True, indent=1, allow_nan=False)
    if output is not None:
        write_one(output, f"{document}\n".encode())
    click.echo(document if as_json else screen(found))
    return 0


def _kinds(only: str) -> tuple[str, ...]:
    """Return the kinds that *only* names; raise UsageError for one that there is not."""
    from r2s.compiler.known_bad.trials import KINDS
    from r2s.compiler.suggest import did_you_mean

    chosen = tuple(word for word in only.replace(",", " ").split() if word)
    for word in chosen:
        if word not in KINDS:
            hint = did_you_mean(word, KINDS) or f"there are {', '.join(KINDS)}"
            raise UsageError("R2S047", f"no kind of damage is called {word!r}", hint=hint)
    return chosen
