"""What the results say: the share that was killed, with the interval that a sample of this size allows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_Z = 1.959963984540054  # two-sided 95 %


@dataclass(frozen=True)
class Score:
    """*killed* of *drawn* mutants, and the ends of the 95 % interval of the share in the population."""

    killed: int
    drawn: int

    @property
    def share(self) -> float:
        """Share killed; 0 of an empty sample."""
        return self.killed / self.drawn if self.drawn else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """
        Wilson's interval (E. B. Wilson, JASA 22, 1927): it keeps its level near 0 and 1 and for small samples.

        >>> [round(end, 3) for end in Score(70, 100).interval]
        [0.604, 0.781]
        """
        n, p = self.drawn, self.share
        if not n:
            return 0.0, 1.0
        middle = p + _Z**2 / (2 * n)
        half = _Z * math.sqrt(p * (1 - p) / n + (_Z / (2 * n)) ** 2)
        return max(0.0, (middle - half) / (1 + _Z**2 / n)), min(1.0, (middle + half) / (1 + _Z**2 / n))


def scores(killed: Iterable[tuple[str, bool]]) -> dict[str, Score]:
    """Return the score of each group, and of all under ``total``, from pairs of group and whether it was killed."""
    counts: dict[str, list[int]] = {}
    for group, dead in killed:
        for name in (group, "total"):
            count = counts.setdefault(name, [0, 0])
            count[0] += dead
            count[1] += 1
    return {name: Score(*count) for name, count in sorted(counts.items(), key=lambda kv: (kv[0] == "total", kv[0]))}


def weighted(of_module: Mapping[str, Score], sizes: Mapping[str, int]) -> float:
    """Return the share killed with each module weighing what it has of the population: small ones were over-drawn."""
    known = {name: size for name, size in sizes.items() if name in of_module}
    return sum(of_module[n].share * size for n, size in known.items()) / max(1, sum(known.values()))


def table(found: Mapping[str, Score], head: str) -> str:
    """Return *found* as lines of text, one a group."""
    wide = max(map(len, (head, *found)))
    lines = [f"{head:<{wide}}  killed  drawn   share   95 % interval"]
    for name, score in found.items():
        low, high = score.interval
        row = f"{name:<{wide}}  {score.killed:6d}  {score.drawn:5d}  {score.share:6.1%}   {low:.1%} to {high:.1%}"
        lines.append(row)
    return "\n".join(lines)
