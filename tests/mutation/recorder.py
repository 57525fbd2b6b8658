"""
Which lines of the packages run, written down as they run: by test, and in every process that a test starts.

A worker is killed rather than ended, so a line is written the first time that it runs and nothing waits for an exit.
Lines that run at import are left out: which test imports a module first is chance.
"""

from __future__ import annotations

import os
import sys
import threading
from inspect import CO_OPTIMIZED
from types import CodeType, FrameType
from typing import Any

FOLDER = "R2S_MUTATION_LINES"  # where to write; recording is off without it
LINKS = "R2S_MUTATION_LINKS"  # the import root that holds r2s
CONTEXT = "R2S_MUTATION_CONTEXT"  # the number of what runs now


class Recorder:
    """Writes ``module:line`` into the file of the current context; one a process."""

    def __init__(self, folder: str, links: str) -> None:
        self._folder = folder
        self._roots = tuple(f"{links}/r2s/{package}/" for package in ("compiler", "passes"))
        self._cut = len(f"{links}/r2s/")
        self._codes: dict[int, CodeType] = {}  # every code seen; held, so that no other gets its id
        self._ours: dict[int, frozenset[int]] = {}  # the lines of those of the packages, by the id of their code
        self._left: dict[int, set[int]] = {}  # of these, lines that have not run yet in this context
        self._file: int | None = None

    def start(self) -> None:
        """Trace this thread and those to come."""
        self.switch(os.environ.get(CONTEXT, "0"))
        threading.settrace(self._call)
        sys.settrace(self._call)

    def switch(self, context: str) -> None:
        """Write to the file of *context* from now on; processes started from now on do so too."""
        if self._file is not None:
            os.close(self._file)
        os.environ[CONTEXT] = context
        self._file = os.open(os.path.join(self._folder, context), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        for number in list(self._ours):
            self._left[number] = set(self._ours[number])

    def _call(self, frame: FrameType, event: str, arg: object) -> Any:
        code = frame.f_code
        left = self._left.get(id(code))
        if left is None:
            self._codes[id(code)] = code
            lines = self._lines(code)
            if lines:
                self._ours[id(code)] = lines
            left = self._left[id(code)] = set(lines)
        return self._line if left else None

    def _line(self, frame: FrameType, event: str, arg: object) -> Any:
        left = self._left[id(frame.f_code)]
        if frame.f_lineno in left:
            left.discard(frame.f_lineno)
            module = frame.f_code.co_filename[self._cut :]
            assert self._file is not None
            os.write(self._file, f"{module}:{frame.f_lineno}\n".encode())
        return self._line if left else None

    def _lines(self, code: CodeType) -> frozenset[int]:
        """Return the lines of a function of the packages; none of any other code, of a module or of a class body."""
        if not code.co_filename.startswith(self._roots) or not code.co_flags & CO_OPTIMIZED:
            return frozenset()
        return frozenset(line for _, _, line in code.co_lines() if line is not None)
