"""Whether the readings of two reports measure the same thing; differences of others would mean nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from r2s.compiler.errors import InvalidInputError

Row = Mapping[str, Any]


def common(a: Mapping[str, Any], b: Mapping[str, Any]) -> tuple[list[tuple[Row, Row]], list[str], list[str]]:
    """
    Return the rows that both reports have, matched by id, and the ids that only one has.

    Raises InvalidInputError where an id means another feature, or where both have readings and share none.  Picks are
    in each scan's own numbers, so other picks are no other measurand; nor is another role.
    """
    left, right = ({row["id"]: row for row in report["features"]} for report in (a, b))
    pairs = [(row, right[id_]) for id_, row in left.items() if id_ in right]
    if left and right and not pairs:
        raise InvalidInputError(
            "R2S846",
            f"no reading is in both reports: A has {_list(left)}, B has {_list(right)}",
            hint="give the readings that measure the same thing the same id",
        )
    other = [said for pair in pairs if (said := _otherwise(*pair))]
    if other:
        hint = "give readings of different things different ids"
        raise InvalidInputError("R2S845", f"the same id measures another thing: {'; '.join(other)}", hint=hint)
    return pairs, [i for i in left if i not in right], [i for i in right if i not in left]


def _otherwise(a: Row, b: Row) -> str:
    """Return in words how two rows of one id measure different things, empty if they do not."""
    one, two = a["definition"], b["definition"]
    if one["feature"] != two["feature"]:
        return f"{a['id']} is {one['feature']} in A and {two['feature']} in B"
    heights = one.get("at_height"), two.get("at_height")
    if heights == (None, None):
        return ""
    if None not in heights and math.isclose(*heights, rel_tol=1e-9):
        return ""
    said = ["at no height" if h is None else f"at {h * 1e3:.6g} mm" for h in heights]
    return f"{a['id']} is {one['feature']} {said[0]} in A and {said[1]} in B"


def _list(rows: Mapping[str, Any]) -> str:
    names = list(rows)
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
