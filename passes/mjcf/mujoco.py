"""The one door to MuJoCo: its wheel carries no type stubs, so what comes from it is Any and ends here."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def mujoco() -> Any:
    """Return the ``mujoco`` module, loaded on first use."""
    import mujoco  # type: ignore[import-untyped]  # no stubs

    return mujoco
