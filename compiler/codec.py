"""
Frozen dataclasses to arrays and JSON and back, and the digests of both.

A value of the IR becomes a flat dict of arrays, a JSON tree, and references to the values it was made from, so that a
chain (hulls → surface → scan) is stored once each.  Floats keep every bit: JSON carries them by repr.
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

    A field that holds a value with a ``digest`` of its own enters by that digest; ``metadata={"digest": False}`` keeps
    a field out.  The result is remembered on the object: values are frozen and their arrays read-only.
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


def encode(value: Any) -> tuple[Arrays, Any]:
    """
    Return (arrays, tree) of a dataclass: arrays and bytes by path, everything else in a JSON tree.

    A field that is itself a stored value (it has a ``digest``) becomes ``{"$ref": digest}``;
    the caller stores it apart.
    """
    arrays: Arrays = {}
    tree = {"$type": _type_name(type(value))}
    for f in dataclasses.fields(value):
        tree[f.name] = _encode(getattr(value, f.name), f.name, arrays)
    return arrays, tree


def references(value: Any) -> tuple[Any, ...]:
    """Return the values that *value* was made from: its direct fields that have a digest of their own."""
    fields = (getattr(value, f.name) for f in dataclasses.fields(value))
    return tuple(v for v in fields if dataclasses.is_dataclass(v) and hasattr(v, "digest"))


def _encode(value: Any, path: str, arrays: Arrays) -> Any:
    if isinstance(value, np.ndarray):
        arrays[path] = value
        return {"$array": path}
    if isinstance(value, bytes):
        arrays[path] = np.frombuffer(value, dtype=np.uint8)
        return {"$bytes": path}
    if isinstance(value, tuple):
        return [_encode(v, f"{path}.{i}", arrays) for i, v in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        return {"$float": repr(value)}
    if dataclasses.is_dataclass(value):
        if hasattr(value, "digest"):
            return {"$ref": value.digest()}
        inner = {f.name: _encode(getattr(value, f.name), f"{path}.{f.name}", arrays) for f in dataclasses.fields(value)}
        return {"$type": _type_name(type(value)), **inner}
    return plain(value)


def decode(tree: Any, arrays: Mapping[str, np.ndarray], resolve: Callable[[str], Any]) -> Any:
    """
    Return the value of a *tree*;
    *resolve* turns a reference's digest into the value (or into whatever stands for it).
    """
    if isinstance(tree, list):
        return tuple(decode(t, arrays, resolve) for t in tree)
    if not isinstance(tree, dict):
        return tree
    if "$array" in tree:
        array = arrays[tree["$array"]]
        array.setflags(write=False)
        return array
    if "$bytes" in tree:
        return arrays[tree["$bytes"]].tobytes()
    if "$float" in tree:
        return float(tree["$float"])
    if "$ref" in tree:
        return resolve(tree["$ref"])
    if "$type" not in tree:
        return {k: decode(v, arrays, resolve) for k, v in tree.items()}
    fields = {k: decode(v, arrays, resolve) for k, v in tree.items() if k != "$type"}
    return _type_of(tree["$type"])(**fields)


def _type_name(cls: type) -> str:
    return f"{cls.__module__.removeprefix('r2s.compiler.')}:{cls.__qualname__}"


def _type_of(name: str) -> Any:
    # A shared cache must not run code: only dataclasses of the core are ever made from it.
    module, _, qualname = name.partition(":")
    if not module.isidentifier() or not qualname.isidentifier():
        raise ValueError(f"not a type of the core: {name!r}")
    from importlib import import_module

    cls = getattr(import_module(f"r2s.compiler.{module}"), qualname)
    if not (isinstance(cls, type) and dataclasses.is_dataclass(cls)):
        raise ValueError(f"not a dataclass of the core: {name!r}")
    return cls
