"""``r2s-compile verify``: whether an asset is as it was built, and whether building it again gives the same."""

from __future__ import annotations

import json
from pathlib import Path

import click

from r2s.compiler.commands.sheets import ListsSheets
from r2s.compiler.errors import NotReproducibleError


@click.command(cls=ListsSheets, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("xml", type=click.Path(path_type=Path))
@click.option("--rebuild", "again", is_flag=True, help="Build again from the inputs and compare; takes as long.")
@click.option("--scan", type=click.Path(path_type=Path), help="Where the scan is now.")
@click.option("--calipers", type=click.Path(path_type=Path), metavar="YAML", help="Where the caliper sheet is now.")
@click.option(
    "--instances",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="YAML...",
    help="Where the sheets of like objects are now, under any names.",
)
@click.option("--device", type=click.Path(path_type=Path), metavar="YAML", help="Where the scanner's profile is now.")
@click.option(
    "--within",
    metavar="LENGTH",
    help="On another platform, fail (exit 5) where the rebuild is further away, e.g. 10um.",
)
@click.option(
    "--limit", "limits", multiple=True, metavar="120s|8GiB", help="CPU time and memory that a pass may use to rebuild."
)
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON (r2s-verify/1).")
@click.option("-q", "--quiet", is_flag=True, help="Only the exit code and errors.")
def verify(
    xml: Path,
    again: bool,
    scan: Path | None,
    calipers: Path | None,
    instances: tuple[Path, ...],
    device: Path | None,
    within: str | None,
    limits: tuple[str, ...],
    as_json: bool,
    quiet: bool,
) -> int:
    """
    Check the asset XML and all files beside it against its manifest.

    \b
      r2s-compile verify build/cube.xml
      r2s-compile verify build/cube.xml --rebuild
      r2s-compile verify build/cube.xml --rebuild --scan scans/cube.ply --calipers sheets/cube.yaml

    Every output must be there with its hash, nothing else may lie in cube.assets, the manifest must hold its own hash,
    and every key must follow from the inputs, options and versions that the manifest names.  One changed byte is found.

    With --rebuild the inputs are looked for beside the XML, then in the working folder, or where --scan, --calipers,
    --instances and --device say; they must have the hashes of the manifest.  The same options run in an empty
    cache and an empty folder.  On the same platform and versions every byte must be equal; on others the answer is
    equal, or equivalent within so many um, by measuring both.

    \b
    Exit codes:
      0 it holds      2 usage      3 no manifest, or an input is missing or was changed
      5 something is damaged, or rebuilding gives something else
    """
    from r2s.compiler.units import parse_length
    from r2s.compiler.verify import as_json as data_of
    from r2s.compiler.verify import check, place_of, screen

    if not again and (scan or calipers or instances or device or within):
        raise click.UsageError("--scan, --calipers, --instances, --device and --within are for --rebuild")
    furthest = parse_length(within, what="--within") if within else None
    place = place_of(xml)
    checked = check(place)
    rebuilt = None
    if again and checked.holds and checked.manifest is not None:
        from r2s.compiler.limits import parse_limits
        from r2s.compiler.progress import shown
        from r2s.compiler.verify import rebuild
        from r2s.compiler.verify.inputs import find_inputs

        folders = (place.folder, Path())
        found = find_inputs(checked.manifest, folders, scan, calipers, instances, device)
        with shown(quiet=quiet) as observe:
            rebuilt = rebuild(place, checked.manifest, found, parse_limits(limits), observe)
    if as_json:
        click.echo(json.dumps(data_of(checked, rebuilt), sort_keys=True, indent=1, ensure_ascii=False))
    elif not quiet:
        click.echo(screen(checked, rebuilt))
    if not checked.holds:
        count = len(checked.findings)
        what = f"{place.beside('xml')} is not as it was built: {count} finding{'s' if count != 1 else ''}"
        if quiet:
            what += f": {checked.findings[0]}"
        raise NotReproducibleError("R2S823", what, hint="restore the files, or build again")
    if rebuilt is not None:
        from r2s.compiler.verify import must_be_near

        must_be_near(rebuilt, furthest)
    return 0
