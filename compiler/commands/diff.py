"""``r2s-compile diff``: what changed between two builds, and which pass changed it first."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the difference as JSON (r2s-diff/1): metres, kilograms.")
def diff(a: Path, b: Path, as_json: bool) -> int:
    """
    Show what changed from report A to report B, every change as B minus A.

    \b
      r2s-compile diff build/a.report.json build/b.report.json
      r2s-compile diff build/a.xml build/b.xml                 # the reports beside them
      r2s-compile diff old/cube.xml new/cube.failed.report.json

    First come the inputs, options and versions that differ, and the first pass whose value differs: all before it are
    equal to the byte.  Then, in mm, the change of each reading that both have: what the calipers said, the value on
    each stage from the raw scan to the compiled model, the estimate of the real object and the error of the asset, with
    the expanded uncertainty (U95) of both sides beside them.

    A table then judges lengths, volume, mass and inertia.  Errors that both builds share cancel (one scan, one sheet);
    z is the change over the standard uncertainty of all others, and significant over 2.  A change that no error can
    have made is exact, and material over 0.33 of U95 of A.  Last come the change of u2 by pass, what dominates now, and
    what turned over: a verdict, a bound, a blind spot.

    Readings are matched by id.  Two reports that share none, or in which one id means two features, are refused.

    \b
    Exit codes, as of diff(1):
      0 the reports are equal      1 they differ      2 or more: trouble, such as a file that is no report
    """
    from r2s.compiler.diff import diff as compare
    from r2s.compiler.diff import read_report, report_beside, screen

    found = compare(read_report(a), read_report(b))
    if as_json:
        click.echo(json.dumps(found, sort_keys=True, indent=1, ensure_ascii=False))
    else:
        click.echo(screen(found, str(report_beside(a)), str(report_beside(b))))
    return 0 if found["same"] else 1
