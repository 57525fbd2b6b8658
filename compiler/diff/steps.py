"""Two pipelines side by side: which pass differs in option, version or value, which is the first, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import PurePath
from typing import Any

from r2s.compiler.diff.leaves import leaves

Step = Mapping[str, Any]

_SHOWN = frozenset({"name", "digest", "options", "version", "libraries", "terms"})
UNEXPLAINED = "same input, options and versions: another machine, or not reproducible"


def steps(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[dict[str, Any]]:
    """
    Return one entry a pass, in the order of the pipelines.

    ``value`` is ``equal`` where the digests are, else ``differs``, ``only in A`` or ``only in B``; ``why`` lists what
    can have made it differ: the pass's own options, version and libraries, r2s's source, and its input.
    """
    found = []
    input_differs = _source(a) != _source(b)
    source_differs = a["tools"].get("r2s_source") != b["tools"].get("r2s_source")
    for one, two in _aligned(a["passes"], b["passes"]):
        entry = _entry(one, two)
        if entry["value"] == "differs":
            entry["why"] = _why(entry, input_differs=input_differs, source_differs=source_differs)
        found.append(entry)
        input_differs = entry["value"] != "equal"
    return found


def first(entries: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the name, value and causes of the first pass whose value is not equal, None if all are."""
    for entry in entries:
        if entry["value"] != "equal":
            return {"pass": entry["name"], "value": entry["value"], "why": entry["why"]}
    return None


def _source(report: Mapping[str, Any]) -> tuple[str, str]:
    scan = report["inputs"]["scan"]
    return scan["sha256"], PurePath(scan["name"]).suffix.lower()


def _aligned(a: list[Step], b: list[Step]) -> Iterator[tuple[Step | None, Step | None]]:
    matcher = SequenceMatcher(None, [s["name"] for s in a], [s["name"] for s in b], autojunk=False)
    for kind, i, i_end, j, j_end in matcher.get_opcodes():
        if kind == "equal":
            yield from zip(a[i:i_end], b[j:j_end], strict=True)
        else:
            yield from ((step, None) for step in a[i:i_end])
            yield from ((None, step) for step in b[j:j_end])


def _entry(a: Step | None, b: Step | None) -> dict[str, Any]:
    there = a or b
    assert there is not None
    if a is None or b is None:
        only = "only in B" if a is None else "only in A"
        return {"name": there["name"], "value": only, "text": there["text"], "why": [f"the pass is {only}"]}
    return {
        "name": there["name"],
        "value": "equal" if a["digest"] == b["digest"] else "differs",
        "a": a["digest"],
        "b": b["digest"],
        "options": leaves(a["options"], b["options"]),
        "version": leaves(a["version"], b["version"], "version"),
        "libraries": leaves(a["libraries"], b["libraries"]),
        "terms": leaves(a["terms"], b["terms"]),
        "other": leaves(_rest(a), _rest(b)),
        "why": [],
    }


def _rest(step: Step) -> dict[str, Any]:
    return {key: value for key, value in step.items() if key not in _SHOWN}


def _why(entry: dict[str, Any], *, input_differs: bool, source_differs: bool) -> list[str]:
    why = [f"option {leaf['at']}" for leaf in entry["options"]]
    why += ["version of the pass"] if entry["version"] else []
    why += [f"library {leaf['at']}" for leaf in entry["libraries"]]
    why += ["source of r2s"] if source_differs else []
    why += ["its input"] if input_differs else []
    return why or [UNEXPLAINED]
