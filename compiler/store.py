"""
A content-addressed store that many processes share: objects by digest, and the outcome of each action by key.

    objects/ab/<digest>.npz, .json     a value of the IR: arrays, and a tree that refers to the values it was made from
    actions/cd/<key>.json              what an action gave: the digest of its value, terms, diagnostics

Everything is written aside and renamed, the JSON last, so an entry exists whole or not at all.  Nothing is pickled.
Bytes are checked against their hash on every load; a damaged entry is dropped and made again.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from r2s.compiler.codec import canonical, decode, encode, references, sha256
from r2s.compiler.errors import Diagnostic, InvalidInputError, NotReproducibleError, PassFailedError
from r2s.compiler.ledger import Term

SCHEMA = 1


class DamagedEntryError(PassFailedError):
    """A stored entry does not hold the bytes it was stored with; it was dropped and the build can start again."""


# whatever damaged bytes can raise on their way through json, numpy and the types of the core
_DAMAGE = (OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, RecursionError)


@dataclass(frozen=True, slots=True)
class Record:
    """
    What one action gave.

    *value* is the digest of the IR value (a pass), *facts* the answer itself (an analysis); one of them is None.
    """

    key: str
    name: str
    value: str | None
    facts: Any
    terms: tuple[Term, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def digest(self) -> str:
        """Digest of all that the action gave; two runs of one action must agree on it."""
        return sha256(canonical([self.value, self.facts, self.terms, self.diagnostics]))


class Store:
    """The cache at *root*; the folder is made when something is first written."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._loaded: dict[str, Any] = {}
        self._sound: set[str] = set()

    def put(self, value: Any) -> str:
        """Store *value* and all it was made from; return its digest."""
        digest: str = value.digest()
        for source in references(value):
            self.put(source)
        path = self._object(digest)
        self._loaded[digest] = value
        if self._whole(digest):
            return digest
        import numpy as np

        arrays, tree = encode(value)
        buffer = BytesIO()
        # numbered, as savez has a keyword of its own and a path may hold dots
        np.savez(buffer, **{f"a{i}": array for i, array in enumerate(arrays.values())})  # type: ignore[arg-type]  # stubs read ** as allow_pickle
        data = buffer.getvalue()
        self._write(path.with_suffix(".npz"), data)
        body = {"schema": SCHEMA, "tree": tree, "arrays": list(arrays), "npz": sha256(data)}
        body["check"] = _check(body)
        self._write(path.with_suffix(".json"), canonical(body).encode())
        return digest

    def load(self, digest: str) -> Any:
        """Return the value with *digest*, sources included; raise DamagedEntryError if bytes are missing or changed."""
        if digest not in self._loaded:
            value = self.fields(digest, self.load)
            if value.digest() != digest:
                self._drop(digest)
                raise _damaged(digest)
            self._loaded[digest] = value
        return self._loaded[digest]

    def fields(self, digest: str, resolve: Any = str) -> Any:
        """Return the value with *digest* whose sources are only their digests (or what *resolve* makes of them)."""
        import numpy as np

        path = self._object(digest)
        try:
            body = json.loads(path.with_suffix(".json").read_bytes())
            data = path.with_suffix(".npz").read_bytes()
            if body["check"] != _check(body) or body["npz"] != sha256(data):
                raise ValueError("hash of the tree or of the arrays")
            with np.load(BytesIO(data), allow_pickle=False) as file:
                arrays = {name: file[f"a{i}"] for i, name in enumerate(body["arrays"])}
            return decode(body["tree"], arrays, resolve)
        except _DAMAGE as error:
            self._drop(digest)
            raise _damaged(digest) from error

    def find(self, key: str) -> Record | None:
        """Return what the action *key* gave, or None; an unreadable record counts as none."""
        path = self._action(key)
        try:
            body = json.loads(path.read_bytes())
            if body["schema"] != SCHEMA or body["check"] != sha256(canonical(body["record"])):
                return None
            record: Record = decode(body["record"], {}, str)
        except _DAMAGE:
            return None
        if record.value is not None and not self._whole(record.value):
            return None
        with suppress(OSError):
            os.utime(path)  # prune drops what was not used for long
        return record

    def record(self, record: Record) -> None:
        """Keep what an action gave; raise NotReproducibleError if the same action gave something else before."""
        before = self.find(record.key)
        if before is not None:
            if before.digest != record.digest:
                raise NotReproducibleError(
                    "R2S802",
                    f"{record.name} gave two different results for the same input and options",
                    hint="run with another --cache to compare, and report it",
                )
            return
        _, tree = encode(record)
        body = {"schema": SCHEMA, "record": tree, "check": sha256(canonical(tree))}
        self._write(self._action(record.key), canonical(body).encode())

    def entries(self) -> Iterator[tuple[Path, int, float]]:
        """Yield (path, bytes, time of last use) of every file of the store, in a stable order."""
        for folder in ("actions", "objects"):
            for path in sorted((self.root / folder).glob("*/*")):
                try:
                    stat = path.stat()
                except OSError:
                    continue
                yield path, stat.st_size, max(stat.st_mtime, stat.st_atime)

    def prune(self, *, older_than: float | None = None, max_bytes: int | None = None) -> tuple[int, int]:
        """
        Remove entries not used since the time *older_than* (seconds since the epoch), then the oldest until the rest
        fits *max_bytes*; return (files removed, bytes removed).

        A build that runs meanwhile makes again what it misses.
        """
        found = sorted(self.entries(), key=lambda e: (e[2], e[0]))
        total = sum(size for _, size, _ in found)
        files = freed = 0
        for path, size, used in found:
            too_old = older_than is not None and used < older_than
            too_much = max_bytes is not None and total - freed > max_bytes
            if too_old or too_much:
                try:
                    path.unlink(missing_ok=True)
                except OSError as error:
                    what = f"cannot remove {path}: {error.strerror}"
                    raise InvalidInputError("R2S803", what, hint="check the cache folder's permissions") from None
                files, freed = files + 1, freed + size
        return files, freed

    def _whole(self, digest: str) -> bool:
        """Return whether the object and all it was made from are there with the bytes they were stored with."""
        if digest not in self._sound:
            path = self._object(digest)
            try:
                body = json.loads(path.with_suffix(".json").read_bytes())
                sound = body["check"] == _check(body) and body["npz"] == sha256(path.with_suffix(".npz").read_bytes())
                if not (sound and all(self._whole(ref) for ref in _refs(body["tree"]))):
                    return False
            except _DAMAGE:
                return False
            self._sound.add(digest)
        return True

    def _drop(self, digest: str) -> None:
        self._sound.discard(digest)
        for suffix in (".json", ".npz"):
            with suppress(OSError):  # a cache that may only be read is still a cache
                self._object(digest).with_suffix(suffix).unlink(missing_ok=True)

    def _object(self, digest: str) -> Path:
        return self.root / "objects" / digest[:2] / digest

    def _action(self, key: str) -> Path:
        return self.root / "actions" / key[:2] / f"{key}.json"

    def _write(self, path: Path, data: bytes) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_aside(path, data)
        except OSError as error:
            raise InvalidInputError(
                "R2S803", f"cannot write the cache at {self.root}: {error.strerror}", hint="name another with --cache"
            ) from error


def write_aside(path: Path, data: bytes, *, durable: bool = False, changed_at: int | None = None) -> None:
    """
    Write *data* to a temporary name beside *path* and rename it there; a link at *path* is replaced,
    not followed.  *changed_at* is the time of change that the file gets, ns since the epoch; None is now.
    """
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(aside, "xb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if changed_at is not None:
            os.utime(aside, ns=(changed_at, changed_at))
        os.replace(aside, path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def _check(body: dict[str, Any]) -> str:
    return sha256(canonical({k: v for k, v in body.items() if k != "check"}))


def _refs(tree: Any) -> Iterator[str]:
    if isinstance(tree, dict):
        if "$ref" in tree:
            yield tree["$ref"]
        else:
            for child in tree.values():
                yield from _refs(child)
    elif isinstance(tree, list):
        for child in tree:
            yield from _refs(child)


def _damaged(digest: str) -> DamagedEntryError:
    return DamagedEntryError("R2S801", f"cache entry {digest[:12]} is damaged", hint="it was dropped; run again")
