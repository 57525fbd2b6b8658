"""How messages quote what the user wrote, and propose what was meant."""

from __future__ import annotations

from collections.abc import Iterable

from r2s.compiler.suggest import did_you_mean

_LONGEST = 40


def shown(text: str) -> str:
    """
    Return *text* in quotes, safe for one terminal line: control characters escaped, long text cut.

    >>> shown("80,0"), shown("a\\x1b[2J")
    ("'80,0'", "'a\\\\x1b[2J'")
    """
    cut = text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
    return "'" + "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in cut) + "'"


def proposal(word: str, known: Iterable[str]) -> str:
    """
    Return the hint for an unknown *word*: the closest of *known*, or else all of them.

    >>> proposal("acuracy", ["value", "accuracy"])
    "did you mean 'accuracy'?"
    >>> proposal("zzz", ["value", "accuracy"])
    'known here: accuracy, value'
    """
    options = sorted(set(known))
    return did_you_mean(word[:_LONGEST].lower(), options) or f"known here: {', '.join(options)}"
