"""Reading a file that a user or another file names: never a pipe or a device, never more than a limit."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path


class NotRegularError(OSError):
    """What was named is a pipe, a socket or a device."""


def read_regular(path: Path, limit: int) -> bytes:
    """Return the bytes of the regular file *path*; OSError where it is none or is over *limit* bytes."""
    with _regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise OSError(errno.EFBIG, f"it is over {limit} bytes", str(path))
        return file.read(size)  # not the limit, which would be allocated at once


def hash_regular(path: Path) -> str:
    """Return the SHA-256 of the regular file *path*, of any size; OSError where it is none."""
    with _regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _regular(path: Path) -> Iterator[BufferedReader]:
    """
    Open *path* for reading, links followed.

    A pipe would make a reader wait for ever, so what is opened is looked at before a byte is read.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise NotRegularError(errno.EINVAL, "not a regular file", str(path))
        yield file
