"""What tests of whole builds share: the installed command, the cube fixture, and the files of a folder as bytes."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import pytest

from r2s.compiler import judge as _judge
from r2s.compiler.account import Known, account_of
from r2s.compiler.devices import Device
from r2s.compiler.ir import Anchor
from r2s.compiler.measured import StageReadings
from r2s.compiler.readings import Reading

ROOT = Path(__file__).parent.parent
CUBE = ROOT / "fixtures" / "cube"
BARE = Device("bare", metric=True, priors={}, source="a scanner of which nothing is known", sha256="")
COMMAND = Path(sys.executable).with_name("r2s-compile")


def but_long(names: Iterable[str], long: Collection[str]) -> list[Any]:
    """Return *names* as values of a parameter, of which those in *long* are marked so: CI runs the others."""
    return [pytest.param(name, marks=pytest.mark.long if name in long else ()) for name in names]


def files(folder: Path) -> dict[str, bytes]:
    """Return every file below *folder* by its relative name."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def judge_bare(readings: tuple[Reading, ...], stages: tuple[StageReadings, ...], anchor: Anchor) -> _judge.Judgement:
    """Return the judgement of readings by a scanner that promises nothing, whose scans err only in what was read."""
    scan = next((s.values for s in stages if s.stage == "scan"), ())
    return _judge.judge(readings, stages, anchor, account_of(Known(scan, None, anchor, BARE, 0.0, ())))
