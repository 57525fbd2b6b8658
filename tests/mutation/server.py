"""
A process that has pytest and the heavy libraries loaded and forks for every run of tests.

Loading them takes longer than most tests.  Nothing of this project is imported before the fork, so each run imports the
packages as they are then.  Requests and answers are lines of JSON on stdin and stdout.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import resource
import select
import signal
import sys
import tempfile
from contextlib import suppress
from typing import Any

_CLOCK, _PATIENCE = 120, 8  # seconds on the clock, and so many to one of CPU time
_MEMORY = 16 << 30  # bytes of address space: a mutant may ask for any amount, and the machine is shared


def main() -> None:
    """
    Answer ``{"words", "limit", "output", "environment"}`` with ``{"status"}`` until stdin closes.

    The arguments are the libraries to load.
    """
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints while it loads
    for name in sys.argv[1:]:
        with suppress(ImportError):
            importlib.import_module(name)
    for line in sys.stdin:
        answers.write(json.dumps({"status": _run(json.loads(line))}) + "\n")
        answers.flush()


def _run(request: dict[str, Any]) -> int | None:
    """
    Return the exit status of pytest on the request's words, None if it had to be stopped.

    The limit is CPU time, so that a busy machine stops no test that a quiet one lets finish; what waits is ended by the
    clock, much later.
    """
    child = os.fork()
    if child == 0:
        _become_pytest(request)
    ended = os.pidfd_open(child)
    try:
        in_time = select.select([ended], [], [], _CLOCK + _PATIENCE * request["limit"])[0]
    finally:
        os.close(ended)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # with all that it started
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return None if not in_time or status == -signal.SIGXCPU else status


def _become_pytest(request: dict[str, Any]) -> None:
    status = 3
    try:
        os.setsid()
        output = os.open(request["output"], os.O_WRONLY | os.O_CREAT, 0o600)
        for stream in (1, 2):
            os.dup2(output, stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        # the hard limits stay, as the worker sets one of its own
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(request["limit"]), resource.RLIM_INFINITY))
        os.environ.update(request["environment"])
        tempfile.tempdir = None  # found again from the new environment
        import pytest

        status = int(pytest.main(request["words"]))
    finally:
        sys.stdout.flush()
        os._exit(status)


if __name__ == "__main__":
    main()
