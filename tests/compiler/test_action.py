"""The key of an action: whatever can change an output changes it, and nothing else does."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests_support import ROOT

from r2s.compiler import action, catalog

INPUT = "ab" * 32


@dataclass(frozen=True)
class Step:
    """A pass with what a key is made of."""

    name: ClassVar[str] = "told"
    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy",)

    depth: int = 8
    ratio: float = 0.5


class Renamed(Step):
    name = "tale"


class Newer(Step):
    version = 2


class OnMore(Step):
    libraries = ("numpy", "scipy")


@pytest.mark.parametrize("other", [Renamed(), Newer(), OnMore(), Step(depth=9), Step(ratio=0.5000001)])
def test_another_step_has_another_key(other: Any) -> None:
    assert action.action_key(other, INPUT) != action.action_key(Step(), INPUT)
    assert action.action_key(replace(other), INPUT) == action.action_key(other, INPUT)


def test_another_input_and_another_salt_have_another_key() -> None:
    keys = [
        action.action_key(Step(), INPUT),
        action.action_key(Step(), "cd" * 32),
        action.action_key(Step(), INPUT, "s"),
    ]
    assert len(set(keys)) == 3
    assert all(len(key) == 64 for key in keys)


@pytest.mark.parametrize("what", ["library_version", "machine", "source_digest"])
def test_other_tools_have_another_key(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = action.action_key(Step(), INPUT)
    monkeypatch.setattr(action, what, lambda *_: "another")
    assert action.action_key(Step(), INPUT) != before


def test_what_is_not_installed_is_absent() -> None:
    assert action.library_version("numpy")[0].isdigit()
    assert action.library_version("there-is-no-such-thing") == "absent"


def test_the_kind_of_machine_is_told_in_lower_case() -> None:
    told = action.machine()
    assert told == told.lower()
    assert told.count("-") >= 2


def digest(*folders: Path) -> str:
    hasher = hashlib.sha256()
    for folder in folders:
        found = [*folder.rglob("*.py"), *folder.rglob("*.yaml")] if folder.is_dir() else [folder]
        assert len(folders) < 2 or folder != folders[0] or "classes.yaml" in {path.name for path in found}
        for path in sorted(found):
            hasher.update(path.name.encode() + b"\0" + path.read_bytes())
    return hasher.hexdigest()


def test_the_source_of_the_core_and_of_every_pass_is_in_the_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    core, passes = Path(action.__file__).parent, ROOT / "passes"
    fresh = action.source_digest.__wrapped__
    assert core.resolve() == (ROOT / "compiler").resolve()
    assert fresh() == digest(core, passes)

    (tmp_path / "told_apart.py").write_text("x = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    known = {catalog.PASSES: {"a": "r2s.passes.ingest:Ingest"}, catalog.ANALYSES: {"b": "told_apart:Told"}}
    monkeypatch.setattr(catalog, "names", lambda group=catalog.PASSES: known[group])
    assert fresh() == digest(core, passes, tmp_path / "told_apart.py")
