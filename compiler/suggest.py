"""``did you mean ...`` for names that do not exist."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """
    Return a question that names the closest of *known*, or nothing.

    >>> did_you_mean("acuracy", ["accuracy", "unit"])
    "did you mean 'accuracy'?"
    >>> did_you_mean("zzz", ["accuracy"])
    ''
    """
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), n=1)
    return f"did you mean {close[0]!r}?" if close else ""
