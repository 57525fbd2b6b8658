"""
What the worker does with a request: run one pass or analysis on stored values, store the outcome,
answer its record.
"""

from __future__ import annotations

import hashlib
import traceback
from pathlib import Path
from typing import Any

from r2s.compiler import catalog
from r2s.compiler.action import action_key
from r2s.compiler.codec import decode, encode
from r2s.compiler.errors import InternalError, InvalidInputError, PassFailedError, R2SError
from r2s.compiler.ir import Source
from r2s.compiler.store import Record, Store


class Server:
    """
    Answers ``{"group", "name", "options", "input" | "source", "salt"}`` with ``{"key"}`` or ``{"error"}``.

    The outcome itself goes to the store; a pass that is not pure shows there as NotReproducibleError.
    """

    def __init__(self, root: Path) -> None:
        self._store = Store(root)

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to *request*; every exception becomes an error that the manager raises again."""
        try:
            return {"key": self._run(request)}
        except R2SError as error:
            return _failure(type(error).__name__, error)
        except MemoryError:
            what = f"{request['name']} ran out of memory"
            return _failure("PassFailedError", PassFailedError("R2S813", what, hint="allow more with --limit 16GiB"))
        except Exception as error:  # whatever breaks here is a bug of ours, said in one line
            where = traceback.extract_tb(error.__traceback__)[-1]
            what = (
                f"{request['name']} broke: {type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
            )
            bug = InternalError("R2S903", what[:400], hint="please report it with the scan and the sheet")
            traceback.print_exc()
            return _failure("InternalError", bug)

    def _run(self, request: dict[str, Any]) -> str:
        cls = catalog.load(request["name"], request["group"])
        step = cls(**{k: decode(v, {}, str) for k, v in request["options"].items()})
        source = Source(**request["source"]) if "source" in request else self._store.load(request["input"])
        key = action_key(step, source.digest(), request["salt"])
        outcome = step.run(source)
        value, facts = None, outcome.value
        if request["group"] == catalog.PASSES:
            outcome.value.verify()
            value, facts = self._store.put(outcome.value), None
        if isinstance(source, Source):
            _unchanged(source)
        self._store.record(Record(key, step.name, value, facts, outcome.terms, outcome.diagnostics))
        return key


def options_tree(step: Any) -> dict[str, Any]:
    """Return the options of *step* as the JSON that a request carries; ``Server`` makes the same step from it."""
    _, tree = encode(step)
    return {name: value for name, value in tree.items() if name != "$type"}


def _unchanged(source: Source) -> None:
    """Raise InvalidInputError if the scan file is no longer the one that was hashed: its result must not be kept."""
    with open(source.path, "rb") as file:
        now = hashlib.file_digest(file, "sha256").hexdigest()
    if now != source.sha256:
        raise InvalidInputError("R2S804", "the scan file changed while it was being read", hint="run again")


def _failure(name: str, error: R2SError) -> dict[str, Any]:
    return {"error": {"class": name, "code": error.code, "message": error.message, "hint": error.hint}}
