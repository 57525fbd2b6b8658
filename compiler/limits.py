"""``--limit``: what one pass may use, as ``120s``, ``5min``, ``8GiB`` or ``500MiB``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from r2s.compiler.errors import UsageError
from r2s.compiler.worker import Limits

_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}
_BYTES = {"MiB": 1 << 20, "GiB": 1 << 30, "MB": 10**6, "GB": 10**9}


def parse_limits(texts: Iterable[str]) -> Limits:
    """
    Return the limits; each text sets one of them, the last of a kind wins.

    >>> parse_limits(["5min", "2GiB"])
    Limits(seconds=300.0, memory=2147483648)
    """
    default = Limits()
    seconds, memory = default.seconds, default.memory
    for text in texts:
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*", text)
        number, unit = (float(match[1]), match[2]) if match else (0.0, "")
        if number > 0 and unit in _SECONDS:
            seconds = number * _SECONDS[unit]
        elif number > 0 and unit in _BYTES:
            memory = int(number * _BYTES[unit])
        else:
            raise UsageError("R2S023", f"cannot read the limit {text!r}", hint="write 120s, 5min, 8GiB or 500MiB")
    return Limits(seconds, memory)
