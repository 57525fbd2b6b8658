"""Passes for tests of the machine around passes: a tiny ingest, and one that misbehaves on request."""

from __future__ import annotations

import ctypes
import os
import time
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from r2s.compiler.errors import Diagnostic, InvalidInputError
from r2s.compiler.ir import Scan, Source, Surface, floats, ints
from r2s.compiler.ledger import Scalar
from r2s.compiler.protocol import Outcome

CATALOG = {
    "tiny_ingest": "r2s_test_plugin:TinyIngest",
    "misbehave": "r2s_test_plugin:Misbehave",
    "shift": "r2s_test_plugin:Shift",
}


@dataclass(frozen=True)
class TinyIngest:
    """Read lines of ``x y z``."""

    name: ClassVar[str] = "tiny_ingest"
    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy",)

    factor: float = 1.0

    def run(self, source: Source, /) -> Outcome[Scan]:
        """Return the points times *factor*."""
        points = np.loadtxt(source.path, ndmin=2) * self.factor
        none = floats(np.zeros((0, 3)))
        scan = Scan(floats(points), none, ints(np.zeros((0, 3))), floats(np.eye(4)), 0.0, 1e-3, 5e-3, float("nan"), "m")
        return Outcome(scan, (Scalar("tiny.points", "points", len(points), "1", "measured", "count"),))


@dataclass(frozen=True)
class Misbehave:
    """Do what no pass may do."""

    name: ClassVar[str] = "misbehave"
    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()

    how: str = "not"
    by: float = 0.0
    title: str = "a b"
    loud: bool = False

    def run(self, source: Scan, /) -> Outcome[Scan]:
        """Return the scan, unless asked for something worse."""
        match self.how:
            case "crash":
                ctypes.string_at(0)
            case "exit":
                os._exit(9)
            case "hang":
                time.sleep(600)
            case "print":
                os.write(1, b"from native code\n")
                print("from python")  # noqa: T201  # the point of the test
            case "memory":
                np.ones(int(4e9))
            case "refuse":
                raise InvalidInputError("R2S101", "refused on purpose", hint="ask for less")
            case "bug":
                raise KeyError("nobody foresaw this")
            case "impure":
                moved = floats(source.points + time.time_ns() % 1000)
                return Outcome(replace(source, points=moved))
            case "broken":
                return Outcome(replace(source, points=floats(np.full((4, 3), np.nan))))
            case "threads":
                threads = os.environ["OMP_NUM_THREADS"], len(os.sched_getaffinity(0))
                return Outcome(source, (), (Diagnostic("note", "R2S900", f"{threads}"),))
        return Outcome(source)


@dataclass(frozen=True)
class Shift:
    """Move the surface *by* along x, m, and say nothing of it."""

    name: ClassVar[str] = "shift"
    version: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("numpy",)

    by: float = field(default=0.0, metadata={"unit": "m"})

    def run(self, source: Surface, /) -> Outcome[Surface]:
        """Return the moved surface and no term."""
        return Outcome(replace(source, vertices=floats(source.vertices + np.array([self.by, 0, 0])), origin=source))
