"""``--monte-carlo N --seed S``: how many recompiles, and from which seed."""

from __future__ import annotations

from r2s.compiler.errors import UsageError

LEAST, MOST = 2, 2_000
SEED = 1


def check_draws(count: int, seed: int) -> None:
    """Raise UsageError R2S055 for a *count* that has no spread or no end, and for a negative *seed*."""
    if not LEAST <= count <= MOST:
        what = f"--monte-carlo {count} asks for {count} recompiles; it takes {LEAST} to {MOST}"
        raise UsageError("R2S055", what, hint="20 tell a spread to a third, 50 to a fifth, 200 to a tenth")
    if seed < 0:
        raise UsageError("R2S055", f"--seed {seed} is below 0", hint="write --seed 1 or any other whole number from 0")
