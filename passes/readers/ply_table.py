"""What the readers of a PLY body hand over, however the body is written: the columns of an element that are wanted."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.errors import InvalidInputError
from r2s.passes.readers.ply_header import Element


@dataclass(frozen=True, eq=False)
class Lists:
    """A list property: row i has the next ``counts[i]`` of *values*."""

    values: NDArray[np.generic]
    counts: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Table:
    """The wanted columns of an element by name: scalars as (rows,) arrays of the stored type, and lists."""

    columns: dict[str, NDArray[np.generic]] = field(default_factory=dict)
    lists: dict[str, Lists] = field(default_factory=dict)

    def matrix(self, *names: str) -> NDArray[np.float64]:
        """Return the columns *names* side by side, (rows, k)."""
        first = self.columns[names[0]]
        matrix = np.zeros((len(first), len(names)))
        for i, name in enumerate(names):
            matrix[:, i] = self.columns[name]
        return matrix


def refuse_unless_it_fits(element: Element, least: int, left: int, room: int) -> None:
    """
    Raise InvalidInputError where the header counts more rows of *element* than the file has bytes for.

    *least* is the size in bytes that they need, *left* what is there, *room* how many rows fit.
    This comes before anything is allocated: the count is only a claim.
    """
    if least <= left:
        return
    raise InvalidInputError(
        "R2S121",
        f"the PLY header counts {element.rows:,} {element.name!r} rows (at least {least:,} bytes), "
        f"and the file has {left:,} bytes for them, so {room:,} rows at most",
        hint="the file is cut off or its header is wrong; export or copy it again",
    )
