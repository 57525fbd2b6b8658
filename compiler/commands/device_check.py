"""``r2s-compile device-check``: what scans of known artefacts say of one's own scanner."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from r2s.compiler.errors import UsageError

_ARTEFACTS = ("--sphere", "--block", "--plate")


class TakesScansThenArtefact(click.Command):
    """A command in which ``--sphere``, ``--block`` and ``--plate`` say what the scans before them are of."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Note in which order scans and artefacts came; click itself forgets it."""
        valued = {o for p in self.params if isinstance(p, click.Option) and not p.is_flag for o in p.opts}
        ctx.meta[_ORDER] = ordered(args, valued)
        return super().parse_args(ctx, args)


_ORDER = "r2s.device_check.order"


def ordered(args: Sequence[str], valued: set[str]) -> list[tuple[str, str]]:
    """
    Return scans as ("", path) and artefacts as (option, value) in the order of the command line.

    *valued* are the options that take a value.

    >>> ordered(["a.ply", "--sphere", "25mm", "--unit=mm", "b.ply", "--plate"], {"--sphere", "--unit"})
    [('', 'a.ply'), ('--sphere', '25mm'), ('', 'b.ply'), ('--plate', '')]
    """
    found: list[tuple[str, str]] = []
    words = iter(args)
    plain = False
    for word in words:
        if plain or not word.startswith("-") or word == "-":
            found.append(("", word))
            continue
        plain = word == "--"
        option, equals, value = word.partition("=")
        if option in valued and not equals:
            value = next(words, "")
        if option in _ARTEFACTS:
            found.append((option, value))
    return found


@click.command(
    cls=TakesScansThenArtefact, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.argument("scans", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="SCAN...")
@click.option("--sphere", multiple=True, metavar="DIAMETER", help="The scans before it are of a sphere: 25.400mm.")
@click.option("--block", multiple=True, metavar="AxBxC", help="... of a block, e.g. a 1-2-3 block: 25.4x50.8x76.2mm.")
@click.option("--plate", multiple=True, is_flag=True, help="... of a flat plate: noise and flatness alone.")
@click.option(
    "--u",
    "reference_u",
    metavar="LENGTH",
    help="Standard uncertainty of these sizes.  [default: 0.002mm sphere, 0.005mm block and plate, assumed]",
)
@click.option("--unit", default="", help="Unit of the scans' numbers.  [default: the artefact's size tells]")
@click.option("--device", help="Class of the scanner: what the scans cannot tell is taken from it, as assumed.")
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="YAML", help="Write the profile here.")
@click.option("--limit", "limits", multiple=True, metavar="120s|8GiB", help="CPU time and memory for each scan.")
@click.option(
    "--cache", type=click.Path(path_type=Path), help="Cache folder.  [default: R2S_CACHE or the user's cache]"
)
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON (r2s-device-check/1): metres.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@click.pass_context
def device_check(
    ctx: click.Context,
    /,
    scans: tuple[Path, ...],
    reference_u: str | None,
    unit: str,
    device: str | None,
    output: Path | None,
    limits: tuple[str, ...],
    cache: Path | None,
    as_json: bool,
    quiet: bool,
    **_: Any,
) -> int:
    """
    Measure your scanner on something of known size, and write a profile of it for --device.

    \b
      r2s-compile device-check ball.ply --sphere 25.400mm --u 0.001mm -o my_scanner.yaml
      r2s-compile device-check a.ply b.ply c.ply --sphere 25.400mm d.ply --sphere 50.800mm -o my_scanner.yaml
      r2s-compile device-check block.ply --block 25.4x50.8x76.2mm --device structured_light -o my_scanner.yaml
      r2s-compile scan.ply --calipers measurements.yaml --device my_scanner.yaml -o build/cube.xml

    A scan cannot tell its own scale, offset or registration; a ball bearing for the price of a coffee can:

    \b
      offset        how far every face lies outward: probing size, from the diameter (two sizes tell it from scale)
      scale         relative error of all lengths: from lengths that differ, such as two balls or a block's sides
      registration  how far a region or view lies off as a whole: probing form; also what repeats differ by
      drift         lengths along one axis against another: a ball that comes out oval
      noise         scatter of one point along the normal

    Scan as you scan your objects: the same views, range and settings, the ball dulled as they are.  A table under it is
    cut away.  One size leaves scale and offset joined; a scan of 25 mm and one of 50 mm or more part them.  Three scans
    or more tell what changes from one to the next.

    \b
    Exit codes:
      0 measured      2 usage      3 the scan is no such artefact, or shows too little of it
    """
    from r2s.compiler.device_check import Job, artefact, check_device, parse_u, refuse_name, screen, write_profile
    from r2s.compiler.device_check import as_json as data_of
    from r2s.compiler.devices import device as device_of
    from r2s.compiler.limits import parse_limits
    from r2s.compiler.progress import shown

    u = math.nan if reference_u is None else parse_u(reference_u)
    kinds: dict[str, Any] = {"--sphere": "sphere", "--block": "block", "--plate": "plate"}
    jobs = [Job(scan, artefact(kinds[option], value), u) for scan, option, value in paired(ctx.meta[_ORDER])]
    assert len(jobs) == len(scans), "every scan is of something"
    known = device_of(device) if device is not None else None
    if output is not None:
        refuse_name(output, scans)
    with shown(quiet=quiet) as observe:
        found = check_device(jobs, unit=unit, known=known, cache=cache, limits=parse_limits(limits), observe=observe)
    written = "" if output is None else str(write_profile(output, found))
    click.echo(json.dumps(data_of(found), sort_keys=True, indent=1) if as_json else screen(found, written))
    return 0


def paired(order: Sequence[tuple[str, str]]) -> list[tuple[Path, str, str]]:
    """
    Return each scan with the artefact that follows it; one artefact alone goes with all, wherever it stands.

    Raises UsageError (R2S050) where there is none, or a scan or an artefact is left without the other.
    """
    hint = "write device-check ball.ply --sphere 25.400mm, or --block 25.4x50.8x76.2mm, or --plate"
    artefacts = [word for word in order if word[0]]
    if not artefacts:
        raise UsageError("R2S050", "nothing says what was scanned", hint=hint)
    if len(artefacts) == 1:
        return [(Path(word), *artefacts[0]) for option, word in order if not option]
    found: list[tuple[Path, str, str]] = []
    waiting: list[Path] = []
    for option, word in order:
        if not option:
            waiting.append(Path(word))
            continue
        if not waiting:
            raise UsageError("R2S050", f"no scan stands before {option} {word}".rstrip(), hint=hint)
        found += [(scan, option, word) for scan in waiting]
        waiting = []
    if waiting:
        raise UsageError("R2S050", f"nothing says what {waiting[0]} is a scan of", hint=hint)
    return found
