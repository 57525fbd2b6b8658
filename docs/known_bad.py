"""
Refresh the tables of docs/known-bad.md from what ``inject`` wrote.

    r2s-compile inject fixtures/cube/scan.ply --calipers fixtures/cube/measurements.yaml -o build/cube.inject.json
    python docs/known_bad.py build/cube.inject.json build/bracket.inject.json

A table stands below a marker that names its object: ``<!-- inject: cube -->``; it ends at the next empty line.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("known-bad.md")
HEAD = "| damage | tried | smallest seen | seen by | which shares | not seen |\n|---|---|---|---|---|---|\n"


def refreshed(page: str, documents: Iterable[Mapping[str, Any]]) -> str:
    """Return *page* with the table of every object in *documents* taken anew."""
    for found in documents:
        table = HEAD + "".join(f"{row(line)}\n" for line in found["table"])
        marker = re.compile(rf"(<!-- inject: {re.escape(found['name'])} -->\n\n).*?(\n(?=\n)|\Z)", re.DOTALL)
        page = marker.sub(lambda m, table=table: f"{m[1]}{table.rstrip()}{m[2]}", page)  # type: ignore[misc]
    return page


def row(line: Mapping[str, Any]) -> str:
    """Return one line of a table."""
    by = line["seen_by"]
    tried = ", ".join(line["tried"]) or "-"
    seen = line["smallest_seen"] or ("not tried" if not line["tried"] else "harmless" if line["harmless"] else "-")
    words = line["why"] if by is None else f"{by['how']}: {by['words']}" + (f" ({by['code']})" if by["code"] else "")
    missed = ", ".join(line["missed"]) or "-"
    cells = (line["corruption"], tried, seen, words, by["shares"] if by else "", missed)
    return "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"


if __name__ == "__main__":
    PAGE.write_text(refreshed(PAGE.read_text(), [json.loads(Path(name).read_text()) for name in sys.argv[1:]]))
