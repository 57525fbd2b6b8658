"""The catalogue as a page of documentation: docs/troubleshooting.md, which ``make docs`` writes."""

from __future__ import annotations

from collections.abc import Iterator

from r2s.compiler.codes import GROUPS, Code, Group, catalogue, codes_of
from r2s.compiler.codes._symptoms import SYMPTOMS

_HEAD = """\
# Troubleshooting

Every line that r2s prints about something unusual ends in a code, such as `[R2S303]`. This page has them all, by the
stage at which they appear. `r2s-compile explain R2S303` prints one of them, `r2s-compile explain surface` lists those
of a stage. [Reading the report](reading-the-report.md) explains what a build says beside these.

<!-- Written by `make docs` from compiler/codes/; edit the texts there. -->

A **note** tells what was done or assumed, a **warning** asks for a look, and neither stops the build. An **error** ends
it with the exit code of its class: 2 the command, 3 an input, 4 over budget, 5 not reproducible, 6 the calipers
disagree, 7 MuJoCo refuses, 70 a bug of r2s. After an error nothing is half-written: an earlier asset is left as it was.
"""


def markdown() -> str:
    """Return the page: what it looks like from outside, then every code by the stage at which it appears."""
    return "\n".join((_HEAD, *_symptoms(catalogue()), *(line for group in GROUPS for line in _chapter(group))))


def _symptoms(known: dict[str, Code]) -> Iterator[str]:
    yield "## What it looks like\n"
    yield "| what you see | look at |\n|---|---|"
    for symptom in SYMPTOMS:
        looks = ", ".join(f"[{name}](#{name.lower()}) {known[name].title}" for name in symptom.codes)
        yield f"| {symptom.words} | {looks} |"
    yield ""


def _chapter(group: Group) -> Iterator[str]:
    yield f"## {group.title} (R2S{group.digit}xx)\n"
    yield f"{group.when} `r2s-compile explain {group.name}` lists these.\n"
    for code in codes_of(group):
        yield f'### <a id="{code.name.lower()}"></a>{code.name}: {_plain(code.title)}\n'
        yield f"*{code.ending}*\n"
        yield f"{_plain(code.meaning)}\n"
        yield f"**What to do.** {_plain(code.remedy)}\n"


def _plain(text: str) -> str:
    """Return *text* with the characters escaped that Markdown would take for its own."""
    return "".join(f"\\{c}" if c in r"\*_<>[]|`" else c for c in text)
