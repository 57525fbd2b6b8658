"""
Which tests can see a mutant, measured once: every test file runs under the recorder, in a process of its own.

The map is kept by test file and source, so that an edited test file alone is measured again.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutation.importers import importers
from mutation.mutant import Mutant
from mutation.population import PACKAGES
from mutation.recorder import FOLDER, LINKS
from mutation.scratch import Scratch

# they look at the repository, not at what the packages do
_BLIND = ("tests/test_architecture.py", "tests/test_packaging.py", "tests/mutation", "tests/docs/test_add_a_pass.py")
_CATALOGUE = "compiler/codes/__init__.py"


@dataclass(frozen=True)
class Test:
    """One test: the CPU time it took under the recorder, and the lines it ran, by module."""

    name: str
    seconds: float
    lines: dict[str, frozenset[int]]


class Reach:
    """Answers which tests reach a mutant, the cheapest first."""

    def __init__(self, root: Path, tests: Iterable[Test]) -> None:
        self._tests = sorted(tests, key=_cost)
        self._importers = importers(root)

    def tests(self, mutant: Mutant) -> list[Test]:
        """
        Return the tests that run the statement around *mutant*.

        What runs at import reaches every user of the module: the tests of its own functions, or, where it has none,
        those of the modules that import it.  A code is also read by whoever compares the sources with the catalogue.
        """
        found = self._running(mutant.module, mutant.lines) if mutant.scope else self._of_module(mutant.module)
        if mutant.before.strip("\"'").startswith("R2S"):
            readers = self._of_module(_CATALOGUE)
            found = sorted({t.name: t for t in (*found, *readers)}.values(), key=_cost)
        return found

    def _running(self, module: str, lines: Iterable[int]) -> list[Test]:
        return [test for test in self._tests if not test.lines.get(module, frozenset()).isdisjoint(lines)]

    def _of_module(self, module: str) -> list[Test]:
        asked, seen = [module], {module}
        while asked:
            found = [t for t in self._tests if any(t.lines.get(name) for name in asked)]
            if found:
                return found
            asked = sorted({user for name in asked for user in self._importers.get(name, ())} - seen)
            seen |= set(asked)
        return []


def _cost(test: Test) -> tuple[float, str]:
    return test.seconds, test.name


def measure(
    scratch: Scratch, root: Path, store: Path, *, left_out: tuple[str, ...] = (), slow: bool, say: Callable[[str], None]
) -> Reach:
    """
    Return the reach of every test of *scratch*, a copy of *root*; what *store* holds is not measured again.

    Files whose relative path begins with one of *left_out* do not take part, nor tests marked slow unless *slow*, nor
    ever those marked long.
    """
    source = source_digest(root)
    known: dict[str, Any] = json.loads(store.read_text()) if store.is_file() else {}
    tests: list[Test] = []
    files = [
        path
        for path in sorted((root / "tests").rglob("test_*.py"), key=lambda p: ("builds" in p.parts, p))
        if not path.relative_to(root).as_posix().startswith((*_BLIND, *left_out))
    ]
    for path in files:
        name = path.relative_to(root).as_posix()
        key = hashlib.sha256(f"{source} {slow}\n".encode() + path.read_bytes()).hexdigest()
        if key not in known:
            known[key] = _measured(scratch, name, slow)
            store.parent.mkdir(parents=True, exist_ok=True)
            store.write_text(json.dumps(known, sort_keys=True))
            failed = [n for n, t in known[key].items() if not t["passed"]]
            say(f"{name}: {len(known[key])} tests measured" + (f", left out {failed}" if failed else ""))
        tests += [
            Test(n, t["seconds"], {m: frozenset(lines) for m, lines in t["lines"].items()})
            for n, t in known[key].items()
            if t["passed"]
        ]
    return Reach(root, tests)


def source_digest(root: Path) -> str:
    """Return a digest of every file of the packages."""
    hasher = hashlib.sha256()
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            hasher.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return hasher.hexdigest()


def _measured(scratch: Scratch, name: str, slow: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        words = ["-p", "mutation.plugin", name, "-m", "not long" if slow else "not slow and not long"]
        run = scratch.pytest(words, 3600, **{FOLDER: folder, LINKS: str(scratch.links)})
        index = Path(folder) / "index.json"
        if run.status not in (0, 1, 5) or not index.is_file():
            raise RuntimeError(f"{name} does not run in the copy:\n{run.text}")
        read = json.loads(index.read_text())
        lines = {context: _lines(Path(folder) / str(number)) for context, number in read["numbers"].items()}
    tests = {}
    for test, told in read["tests"].items():
        merged: dict[str, set[int]] = {}
        for context in told["contexts"]:
            for module, found in lines.get(context, {}).items():
                merged.setdefault(module, set()).update(found)
        tests[test] = {
            "seconds": told["seconds"],
            "passed": told["passed"],
            "lines": {module: sorted(found) for module, found in sorted(merged.items())},
        }
    return tests


def _lines(path: Path) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    if path.is_file():
        for row in path.read_text().split():
            module, _, line = row.rpartition(":")
            found.setdefault(module, set()).add(int(line))
    return found
