"""Reading a file that a user or another file names: never a pipe or a device, never more than a limit."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def read_regular(path: Path, limit: int) -> bytes:
    """
    Return the bytes of the regular file *path*, links followed; OSError where it is none or is over *limit* bytes.

    A pipe would make a reader wait for ever, so what is opened is looked at before a byte is read.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        data = file.read(limit + 1)
        if len(data) > limit:
            raise OSError(errno.EFBIG, f"it is over {limit} bytes", str(path))
        return data
