"""``r2s-compile build``: a scan and a caliper sheet to a MuJoCo asset."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import click

from r2s.compiler.commands.sheets import ListsSheets
from r2s.compiler.errors import R2SError, UsageError
from r2s.compiler.recipe import LEVELS, WORDS, read_recipe


@click.command(cls=ListsSheets, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("scan", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="The asset's XML; everything else goes beside it."
)
@click.option(
    "--calipers", type=click.Path(path_type=Path), metavar="YAML", help="What you measured: measurements.yaml."
)
@click.option(
    "--instances",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="YAML...",
    help="Sheets of objects like this one, one an object, measured and not scanned.",
)
@click.option(
    "--interval",
    "intervals",
    multiple=True,
    metavar="[SLOT=]RECIPE",
    help="How the slots' intervals are made, see above.  [default: prediction from 3 objects on, else budget]",
)
@click.option(
    "--unit", default="", help="Unit of the scan's numbers (mm, m, in, ...), or 'arbitrary' for a free scale."
)
@click.option("--up", help="Which way is up in the file: x, y, z, or a map such as +x-z+y.  [default: auto]")
@click.option(
    "--scale",
    type=click.Choice(WORDS["scale"]),
    help="auto: correct a scale that is over 2 u from 1; apply: always; verify: never.  [default: auto]",
)
@click.option(
    "--device", help="Class of scanner, or the profile of yours: my_scanner.yaml, see device-check.  [default: unknown]"
)
@click.option(
    "--within", metavar="LENGTH", help="Total loss allowed, split over the passes (p99), e.g. 1mm; else exit 4."
)
@click.option("--budget", multiple=True, metavar="PASS=LENGTH", help="Loss allowed to one pass, e.g. decompose=0.8mm.")
@click.option(
    "-O", "level", type=click.Choice(WORDS["level"]), help="Fineness of the pieces: 5, 2, 1, 0.5 % of the diagonal."
)
@click.option("--no-primitives", is_flag=True, help="Meshes only: no box, sphere or capsule geom.")
@click.option("--origin", type=click.Choice(WORDS["origin"]), help="Origin of the asset's frame.  [default: base]")
@click.option("--body", type=click.Choice(WORDS["body"]), help="A free joint, or fixed to the world.  [default: free]")
@click.option(
    "-p", "options", multiple=True, metavar="PASS.OPTION=VALUE", help="Set an option; see r2s-compile passes."
)
@click.option(
    "--passes", "text", metavar="TEXT", help="The whole pipeline as text: 'ingest | surface{method=poisson} | ...'."
)
@click.option(
    "--recipe", type=click.Path(path_type=Path), help="YAML file with any of these options; the command line wins."
)
@click.option("-MD", "wants_depfile", is_flag=True, help="Write what was read as a depfile for make: name.d.")
@click.option("-MF", "depfile", type=click.Path(path_type=Path), metavar="FILE", help="The same to another file.")
@click.option("--stop-after", metavar="PASS", default="", help="Stop after this pass and report; writes no asset.")
@click.option(
    "--monte-carlo",
    "draws",
    type=int,
    metavar="N",
    help="Compile N times more under errors drawn from the account, and judge its spread, see above.",
)
@click.option("--seed", type=int, metavar="S", help="Of the draws of --monte-carlo.  [default: 1]")
@click.option(
    "--dump",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write every stage to a folder of its own, also where the build fails: scan, surface and simplified as PLY, "
    "pieces and model as OBJ, each with a JSON of what the pass said.",
)
@click.option(
    "--emit",
    multiple=True,
    metavar="STAGE,...",
    help="Only these stages, to --dump's folder if it is given, else beside the output: name.surface.ply, ...",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="120s|8GiB",
    help="CPU time and memory that a pass may use.  [default: 120s, 8GiB]",
)
@click.option(
    "--cache", type=click.Path(path_type=Path), help="Cache folder.  [default: R2S_CACHE or the user's cache]"
)
@click.option("--salt", default="", help="Any text; results of another salt are not reused.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document, report and failure in it.")
@click.option("-q", "--quiet", is_flag=True, help="No progress, notes or summary; warnings and errors still show.")
def build(scan: Path, quiet: bool, as_json: bool, **given: Any) -> int:
    """
    Compile SCAN (PLY, OBJ, STL or XYZ) into a MuJoCo asset.

    \b
      r2s-compile scan.ply --calipers measurements.yaml -o build/cube.xml
      r2s-compile scan.stl --unit mm -o build/part.xml            # no calipers: size is declared
      r2s-compile scan.ply --calipers m.yaml --within 1mm -o build/part.xml
      r2s-compile scan.ply --calipers m.yaml -p decompose.max_error=0.5mm -o build/part.xml

    The asset is build/cube.xml with cube.scene.xml (opens in the viewer), cube.assets/, cube.slots.json,
    cube.report.json (the error budget) and cube.manifest.json beside it.

    One object says how well it is known, not how the next one differs.  Measure more of them, a sheet each:

    \b
      r2s-compile scan.ply --calipers m.yaml --instances like/*.yaml -o build/part.xml
      r2s-compile scan.ply --calipers m.yaml --instances b.yaml c.yaml d.yaml --interval tolerance -o build/part.xml

    \b
    Mass, friction and size then get intervals over objects of the kind.  RECIPE is one of
      prediction[:0.95]                 the next object, with that probability; from 3 objects on
      tolerance[:0.95,0.95]             a share of all objects, with a confidence; better from 6 on
      minmax_margin:0.3g:REASON         smallest to largest, widened: a rule of thumb
      declared:90g..98g:REASON          somebody's word, such as a data sheet's
      budget                            this object alone
    for every slot, or for one: --interval 'mass=tolerance:0.9,0.95' --interval size=budget

    Does the account hold? --monte-carlo lays errors as large as it says onto the scan and the readings, compiles that
    anew, and judges the spread of every output against what was predicted:

    \b
      r2s-compile scan.ply --calipers m.yaml --monte-carlo 50 -o build/part.xml

    It takes N times as long as a build without its pieces, may be stopped, and goes on where it was.

    Stages of --dump and --emit are in the asset's frame, metres and z up, so that they lie on one another and on the
    XML; where the build stopped or failed before the asset, in the scan's. Colours show the distance to the shape
    before.
    """
    from r2s.compiler.answer import answer
    from r2s.compiler.driver import run
    from r2s.compiler.progress import shown
    from r2s.compiler.summary import summary

    begun = time.monotonic()
    try:
        request = _request(scan, given)
        with shown(quiet=quiet) as observe:
            made = run(request, observe)
    except R2SError as error:
        if as_json:
            _print(answer(None, failure=error))
        raise
    for diagnostic in made.diagnostics:
        if not quiet or diagnostic.severity != "note":
            click.echo(str(diagnostic), err=True)
    if as_json:
        told, failed = made.diagnostics, made.failure
        _print(answer(made.report, written=made.files, diagnostics=told, failure=failed, asked=made.asked))
    elif not quiet:
        written = str(request.output) if made.written is not None else ""
        click.echo(summary(made.report, seconds=time.monotonic() - begun, written=written))
    if made.failure is not None:
        raise made.failure
    sys.stdout.flush()
    return 0


def _print(document: dict[str, Any]) -> None:
    # ASCII: a path need not be text, and stdout need not be UTF-8
    click.echo(json.dumps(document, sort_keys=True, indent=1, allow_nan=False))


def _request(scan: Path, given: dict[str, Any]) -> Any:
    from r2s.compiler.driver import Request
    from r2s.compiler.intervals.asked import read_choices
    from r2s.compiler.limits import parse_limits
    from r2s.compiler.pipeline import DEFAULT, Pipeline
    from r2s.compiler.units import parse_length

    recipe = read_recipe(given["recipe"]) if given["recipe"] is not None else {}
    pipeline = Pipeline.parse(given["text"] or recipe.get("passes", DEFAULT))
    changes = [_option(text) for text in (*recipe.get("options", ()), *given["options"])]
    for flag, target in (("origin", "emit.origin"), ("body", "emit.body")):
        value = given[flag] or recipe.get(flag)
        if value:
            changes.append(_option(f"{target}={value}"))
    level = given["level"] or recipe.get("level")
    if level is not None:
        changes.append(_option(f"decompose.share={LEVELS[level]!r}"))
    if given["no_primitives"] or recipe.get("primitives") is False:
        changes.append(_option("decompose.primitives=false"))
    intervals = read_choices((*recipe.get("interval", ()), *given["intervals"]))
    budgets = {**recipe.get("budget", {}), **dict(_pair(text, "--budget") for text in given["budget"])}
    within = given["within"] or recipe.get("within")
    draws, seed = _draws(given["draws"], given["seed"])
    if given["output"] is None and not given["stop_after"] and given["dump"] is None:
        raise UsageError(
            "R2S021", "no output is named", hint="add -o build/name.xml, or --stop-after PASS to write none"
        )
    return Request(
        scan=scan,
        output=given["output"],
        calipers=given["calipers"],
        instances=given["instances"],
        pipeline=pipeline.with_options(changes),
        unit=given["unit"] or recipe.get("unit", ""),
        axes=given["up"] or recipe.get("up", "auto"),
        scale_mode=given["scale"] or recipe.get("scale", "auto"),
        device=given["device"] or recipe.get("device", "unknown"),
        within=parse_length(within) if within else None,
        budgets={name: parse_length(text) for name, text in budgets.items()},
        intervals=intervals,
        stop_after=given["stop_after"],
        cache=given["cache"],
        limits=parse_limits(given["limits"]),
        salt=given["salt"],
        monte_carlo=draws,
        seed=seed,
        depfile=_depfile(given["depfile"], given["output"], wanted=given["wants_depfile"]),
        recipe=given["recipe"],
        dump=given["dump"],
        emit=tuple(word for words in given["emit"] for word in words.replace(",", " ").split()),
    )


def _depfile(named: Path | None, output: Path | None, *, wanted: bool) -> Path | None:
    """Return where the depfile goes: as named, else beside the XML, None where nobody wants one."""
    if named is not None or not wanted:
        return named
    if output is None:
        raise UsageError("R2S041", "-MD names the XML, and no output is named", hint="add -o build/name.xml")
    return output.with_suffix(".d")


def _draws(count: int | None, seed: int | None) -> tuple[int, int]:
    """Return how many recompiles from which seed; raise UsageError for a number that shows nothing."""
    from r2s.compiler.experiment import SEED, check_draws

    if count is None:
        if seed is not None:
            raise UsageError("R2S055", "--seed says nothing without --monte-carlo", hint="add --monte-carlo 50")
        return 0, SEED
    check_draws(count, SEED if seed is None else seed)
    return count, SEED if seed is None else seed


def _option(text: str) -> tuple[str, str, str]:
    target, value = _pair(text, "-p")
    name, dot, key = target.partition(".")
    if not dot:
        raise UsageError("R2S022", f"cannot read {text!r}", hint="write -p pass.option=value")
    return name, key, value


def _pair(text: str, flag: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key or not value:
        raise UsageError("R2S022", f"cannot read {text!r} after {flag}", hint="write name=value")
    return key.strip(), value.strip()
