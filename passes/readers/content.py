"""
The bytes of a scan file, mapped into memory once the path is known to lead to an ordinary file.

A path is not to be trusted either: a named pipe would block for ever, a device never ends, a link may lead to itself.
So the kind of file is asked before it is opened, and again of what was opened.
"""

from __future__ import annotations

import errno
import mmap
import os
import stat
from pathlib import Path
from typing import TypeAlias

from r2s.compiler.errors import InvalidInputError

Content: TypeAlias = mmap.mmap | bytes

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def open_content(path: Path) -> Content:
    """
    Return the bytes of the ordinary file at *path*, mapped and not copied.

    The map lives as long as anything uses it.
    Raises InvalidInputError for a path that is missing, leads nowhere, may not be read, is no file, or is empty.
    """
    try:
        _refuse_special(os.stat(path), path)
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            status = os.fstat(handle)
            _refuse_special(status, path)
            if status.st_size == 0:
                raise InvalidInputError("R2S104", "the scan file is empty (0 bytes)", hint="export the scan again")
            return mmap.mmap(handle, status.st_size, access=mmap.ACCESS_READ)
        finally:
            os.close(handle)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InvalidInputError("R2S101", f"there is no file {path}", hint="check the path") from error
    except PermissionError as error:
        raise InvalidInputError(
            "R2S103", f"{path} may not be read", hint="change its permissions or copy it"
        ) from error
    except OSError as error:
        raise InvalidInputError(
            "R2S103", f"{path} cannot be opened: {_reason(error)}", hint="check the path"
        ) from error
    except InvalidInputError:
        raise
    except ValueError as error:
        raise InvalidInputError("R2S101", f"{str(path)!r} is no path: {error}", hint="check the path") from error


def text_start(content: Content) -> int:
    """Return where the text begins: after a UTF-8 byte order mark, which some Windows editors write."""
    return len(BYTE_ORDER_MARK) if content[: len(BYTE_ORDER_MARK)] == BYTE_ORDER_MARK else 0


def _refuse_special(status: os.stat_result, path: Path) -> None:
    if stat.S_ISREG(status.st_mode):
        return
    kind = next((name for is_kind, name in _KINDS if is_kind(status.st_mode)), "no ordinary file")
    raise InvalidInputError("R2S102", f"{path} is {kind}, not a scan file", hint="name the scan file itself")


def _reason(error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "its symbolic links lead round in a circle"
    return error.strerror or type(error).__name__
