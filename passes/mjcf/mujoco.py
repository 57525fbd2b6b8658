"""The one door to MuJoCo: its wheel carries no type stubs, so what comes from it is Any and ends here."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def mujoco() -> Any:
    """
    Return the ``mujoco`` module, loaded on first use.

    Its own handler of warnings writes MUJOCO_LOG.TXT into the working folder, which is the user's; whoever steps a
    model reads them from its data instead.
    """
    import mujoco  # type: ignore[import-untyped]  # no stubs

    mujoco.set_mju_user_warning(_unsaid)
    return mujoco


def _unsaid(message: str) -> None:
    """Take a warning of MuJoCo without writing it anywhere."""
