"""
Frozen dataclasses to arrays and JSON and back, and the digests of both.

A value of the IR becomes a flat dict of arrays, a JSON tree, and references to the values it was made from, so that a
chain (hulls → surface → scan) is stored once each.  Floats keep every bit: JSON carries them by shortest round-trip repr.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]


def canonical(value: object) -> str:
    """
    Return JSON with sorted keys, no spaces and no NaN: equal values give equal text.

    >>> canonical({"b": 1.5, "a": [True, None]})
    '{"a":[true,null],"b":1.5}'
    """
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def plain(value: object) -> Any:
    """Return *value* as dicts, lists and scalars; dataclasses become dicts, non-finite floats become strings."""
    match value:
        case np.ndarray():
            return [plain(v) for v in value.tolist()]
        case np.generic():
            return plain(value.item())
        case bool() | None | str() | int():
            return value
        case float():
            return value if math.isfinite(value) else repr(value)
        case Mapping():
            return {str(k): plain(v) for k, v in value.items()}
        case list() | tuple():
            return [plain(v) for v in value]
        case bytes():
            return hashlib.sha256(value).hexdigest()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    raise TypeError(f"no canonical form for {type(value).__name__}")


def sha256(text: str | bytes) -> str:
    """Return the hex SHA-256 of *text* (UTF-8)."""
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def digest_of(value: Any) -> str:
    """
    Return the SHA-256 of a dataclass over field names, dtypes, shapes and little-endian bytes.

    A field that holds a value with a ``digest`` of its own enters by that digest; ``metadata={"digest": False}`` keeps a
    field out.  The result is remembered on the object: values are frozen and their arrays read-only.
    """
    known = value.__dict__.get("_digest") if hasattr(value, "__dict__") else None
    if known is not None:
        return str(known)
    hasher = hashlib.sha256()
    hasher.update(type(value).__name__.encode())
    for f in dataclasses.fields(value):
        if f.metadata.get("digest", True):
            hasher.update(f"\x00{f.name}\x00".encode())
            _feed(hasher.update, getattr(value, f.name))
    found = hasher.hexdigest()
    if hasattr(value, "__dict__"):
        object.__setattr__(value, "_digest", found)
    return found


def _feed(update: Callable[[bytes], None], value: Any) -> None:
    if isinstance(value, np.ndarray):
        array = np.ascontiguousarray(value).astype(value.dtype.newbyteorder("<"), copy=False)
        update(f"{array.dtype.str}{array.shape}".encode())
        update(array.tobytes())
    elif isinstance(value, bytes):
        update(b"bytes" + hashlib.sha256(value).digest())
    elif isinstance(value, tuple):
        update(f"({len(value)}".encode())
        for item in value:
            _feed(update, item)
    elif hasattr(value, "digest"):
        update(value.digest().encode())
    elif dataclasses.is_dataclass(value):
        update(digest_of(value).encode())
    elif isinstance(value, float):
        update(repr(value).encode())
    else:
        update(canonical(value).encode())
