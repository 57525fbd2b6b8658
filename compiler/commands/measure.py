"""``r2s-compile measure``: the virtual caliper alone."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("scan", type=click.Path(path_type=Path))
@click.option(
    "--calipers",
    type=click.Path(path_type=Path),
    required=True,
    metavar="YAML",
    help="The sheet that says what to read.",
)
@click.option("--unit", default="", help="Unit of the scan's numbers, or 'arbitrary' for a free scale.")
@click.option("--up", default="auto", help="Which way is up in the file: x, y, z, or a map such as +x-z+y.")
@click.option("--limit", "limits", multiple=True, metavar="120s|8GiB", help="CPU time and memory that a pass may use.")
@click.option(
    "--cache", type=click.Path(path_type=Path), help="Cache folder.  [default: R2S_CACHE or the user's cache]"
)
@click.option("--json", "as_json", is_flag=True, help="Print the readings as JSON (r2s-measure/1): metres.")
@click.option("-q", "--quiet", is_flag=True, help="No progress and no notes.")
def measure(
    scan: Path,
    calipers: Path,
    unit: str,
    up: str,
    limits: tuple[str, ...],
    cache: Path | None,
    as_json: bool,
    quiet: bool,
) -> int:
    """
    Read every feature of the caliper sheet on SCAN, beside what the calipers said.

    \b
      r2s-compile measure scan.ply --calipers measurements.yaml
      r2s-compile measure scan.obj --calipers measurements.yaml --unit mm --json

    The unit is settled from the calibrate readings, the scan is cleaned and closed, and each feature is read twice: on
    the raw scan, which a build's scale is fitted on, and on the closed surface.  No pieces are made and no file is
    written, so it is quick: try here what to measure and where, before you build.

    U95 is the expanded uncertainty (coverage factor 2).  A difference well beyond its U95 is a scale error of the scan,
    a slip of the pen on the sheet, or a pick on another face.  What cannot be read says why.
    """
    from r2s.compiler.limits import parse_limits
    from r2s.compiler.measuring import measure_scan, screen
    from r2s.compiler.progress import shown
    from r2s.compiler.request import Request

    request = Request(
        scan=scan,
        calipers=calipers,
        unit=unit,
        axes=up,
        cache=cache,
        limits=parse_limits(limits),
    )
    with shown(quiet=quiet) as observe:
        found, said = measure_scan(request, observe)
    for diagnostic in said:
        if not quiet or diagnostic.severity != "note":
            click.echo(str(diagnostic), err=True)
    if as_json:
        click.echo(json.dumps(found, sort_keys=True, indent=1, ensure_ascii=False))
    else:
        click.echo(screen(found))
    return 0
