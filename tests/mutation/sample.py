"""A small, fair and repeatable part of a population that would take days."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from mutation.mutant import Mutant


def draw(population: Mapping[str, Sequence[Mutant]], size: int, seed: int) -> list[Mutant]:
    """
    Return *size* mutants, each as likely as the others but for the modules that would get none: they get one.

    Where *size* is less than there are modules it is a plain sample of the whole.  The same population, size and seed
    give the same mutants.
    """
    if size < len(population):
        every = [mutant for mutants in population.values() for mutant in mutants]
        return random.Random(seed).sample(every, size)
    shares = allot({module: len(mutants) for module, mutants in population.items()}, size)
    drawn: list[Mutant] = []
    for module, count in shares.items():
        drawn += random.Random(f"{seed} {module}").sample(list(population[module]), count)
    return drawn


def allot(sizes: Mapping[str, int], size: int) -> dict[str, int]:
    """
    Return how many of each stratum to draw so that they make *size*, by largest remainder, but one at least.

    >>> allot({"a": 70, "b": 29, "c": 1}, 10)
    {'a': 6, 'b': 3, 'c': 1}
    """
    total = sum(sizes.values())
    if size >= total:
        return dict(sizes)
    exact = {name: size * count / total for name, count in sizes.items()}
    shares = {name: max(1, int(share)) for name, share in exact.items()}
    for name in sorted(exact, key=lambda n: (int(exact[n]) - exact[n], n)):
        if sum(shares.values()) >= size:
            break
        if exact[name] > 1:
            shares[name] += 1
    return shares
