"""What the terminal says after ``inject``: a table of damages and of the checks that saw them, then what none saw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_WIDE = 64  # of a finding's words


def screen(found: Mapping[str, Any]) -> str:
    """Return the screen for the document of :func:`~r2s.compiler.known_bad.run.inject`."""
    head = ["corruption", "tried", "smallest seen", "seen by", "which shares"]
    rows = [_row(line) for line in found["table"]]
    width = [max(len(row[i]) for row in [head, *rows]) for i in range(4)]
    lines = [f"{found['name']}   {found['scan']['name']}   {len(found['trials'])} trials of {found['pipeline']}"]
    for row in (head, *rows):
        cells = [f"{cell:<{w}}" for cell, w in zip(row, width, strict=False)]
        lines.append("  ".join([*cells, row[4]]).rstrip())
    lines += _missed(found)
    lines += [f"blind    {spot}" for spot in found["blind_spots"]]
    return "\n".join(lines)


def _row(line: Mapping[str, Any]) -> list[str]:
    smallest, by = line["smallest_seen"], line["seen_by"]
    if smallest is None:
        outcome = "not tried" if not line["tried"] else "not seen" if line["missed"] else "harmless"
        return [line["corruption"], _sizes(line["tried"]), outcome, line["why"] if outcome != "not seen" else "", ""]
    words = "" if by is None else f"{by['how']}: {_short(by['words'])}" + (f" [{by['code']}]" if by["code"] else "")
    return [line["corruption"], _sizes(line["tried"]), smallest, words, "" if by is None else by["shares"]]


def _sizes(tried: list[str]) -> str:
    return f"{tried[0]} .. {tried[-1]}" if len(tried) > 2 else ", ".join(tried) or "-"


def _short(words: str) -> str:
    return words if len(words) <= _WIDE else f"{words[: _WIDE - 2].rstrip()} …"


def _missed(found: Mapping[str, Any]) -> Iterator[str]:
    for line in found["table"]:
        if line["missed"]:
            spots = [
                row["blind_spot"].partition(": ")[0] or "NO BLIND SPOT SAYS SO"
                for row in found["trials"]
                if row["outcome"] == "missed" and row["told"] in line["missed"] and _of(row, line)
            ]
            sizes, named = ", ".join(line["missed"]), ", ".join(dict.fromkeys(spots))
            yield f"missed   {line['corruption']}: {sizes} (blind: {named})"


def _of(row: Mapping[str, Any], line: Mapping[str, Any]) -> bool:
    from r2s.compiler.known_bad.trials import KINDS

    return line["corruption"] in (KINDS[row["kind"]], f"{KINDS[row['kind']]} {row['of']}")
