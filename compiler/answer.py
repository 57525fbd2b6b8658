"""
What ``--json`` prints: one document for every ending of a build (schema ``r2s-build/1``).

A script then needs neither the text on stderr nor a guess at which files there are.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from r2s.compiler.checklog import Asked
from r2s.compiler.errors import Diagnostic, R2SError

SCHEMA = "r2s-build/1"


def answer(
    report: Mapping[str, Any] | None,
    *,
    written: Iterable[Path] = (),
    diagnostics: Iterable[Diagnostic] = (),
    failure: R2SError | None = None,
    asked: Asked | None = None,
) -> dict[str, Any]:
    """
    Return the document.

    *report* is None where the build ended before there was one.  *written* are the paths as the user's ``-o`` has them,
    in the order of writing; *diagnostics* the lines on stderr; *failure* is what the exit code stands for; *asked* is
    how often the check readings had judged other builds before.
    """
    return {
        "schema": SCHEMA,
        "exit_code": 0 if failure is None else failure.exit_code,
        "failure": None if failure is None else asdict(failure.diagnostic),
        "diagnostics": [asdict(d) for d in diagnostics],
        "written": [os.fspath(path) for path in written],
        "check_reused": None if asked is None else asdict(asked),
        "report": report,
    }
