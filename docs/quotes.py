"""
Refresh the lines that docs/reading-the-report.md quotes from a build of fixtures/cube.

    python docs/quotes.py build/cube.report.json

A quote is a fenced block below a marker: ``<!-- screen: check scale -->`` takes the lines of the terminal summary that
begin with these words, ``<!-- report: features.1.error -->`` the value at that path of the report, its floats rounded
to six significant digits and keys left out as ``-key``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from r2s.compiler.summary import summary

PAGE = Path(__file__).with_name("reading-the-report.md")
_QUOTE = re.compile(r"(<!-- (screen|report): ([^>]+) -->\n```\w+\n)(.*?)(```)", re.DOTALL)


def refreshed(page: str, report: Mapping[str, Any]) -> str:
    """Return *page* with every quote taken anew from *report*."""
    said = _by_word(summary(report, seconds=0.0).splitlines())

    def quote(found: re.Match[str]) -> str:
        words = found[3].split()
        if found[2] == "screen":
            text = "\n".join(line for word in words for line in said[word])
        else:
            text = _excerpt(report, words[0], words[1:])
        return f"{found[1]}{text}\n{found[5]}"

    return _QUOTE.sub(quote, page)


def _by_word(lines: list[str]) -> dict[str, list[str]]:
    """Return the lines of the screen by the word that quotes them; the headline without its seconds."""
    start = next(i for i, line in enumerate(lines) if line.startswith("mm "))
    stop = next(i for i, line in enumerate(lines) if "inherited" in line) + 1
    said = {"headline": [lines[0].rpartition("   ")[0]], "waterfall": lines[start:stop]}
    word = ""
    for line in (*lines[1:start], *lines[stop:]):
        if not line.startswith(" "):  # a table goes with the line above it
            word = line.split(maxsplit=1)[0]
        said.setdefault(word, []).append(line)
    return said


def _excerpt(report: Mapping[str, Any], path: str, left_out: Iterable[str]) -> str:
    value: Any = report
    for key in path.split("."):
        value = value[int(key)] if isinstance(value, list) else value[key]
    if isinstance(value, dict):
        value = {k: v for k, v in value.items() if f"-{k}" not in left_out}
    return json.dumps({path.rpartition(".")[2]: _rounded(value)}, indent=2, ensure_ascii=False, sort_keys=True)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {k: _rounded(v) for k, v in value.items()}
    return [_rounded(v) for v in value] if isinstance(value, list) else value


if __name__ == "__main__":
    PAGE.write_text(refreshed(PAGE.read_text(), json.loads(Path(sys.argv[1]).read_text())))
