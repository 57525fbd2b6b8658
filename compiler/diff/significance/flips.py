"""What turned over: a verdict, a bound that came or went, a blind spot; each an answer of another kind than before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from r2s.compiler.diff.leaves import leaves

Report = Mapping[str, Any]

_SAID = ("verdict", "status")  # keys of words that judge


def flips(a: Report, b: Report) -> list[dict[str, Any]]:
    """Return each flip as ``{what, of, a, b}``; *of* is empty where it is of the whole report."""
    return list(_flips(a, b))


def _flips(a: Report, b: Report) -> Iterator[dict[str, Any]]:
    yield from _flip("verdict", "", a["verdict"]["check"], b["verdict"]["check"])
    yield from _each("verdict", _by(a["features"], "id", "verdict"), _by(b["features"], "id", "verdict"))
    yield from _each("capable", _by(a["features"], "id", "capable"), _by(b["features"], "id", "capable"))
    unbounded = [{n: o["unbounded"] for n, o in r["uncertainty"]["outputs"].items()} for r in (a, b)]
    yield from _each("unbounded", *unbounded)
    linear = [{n: o["lpu"] for n, o in r["uncertainty"]["outputs"].items() if "lpu" in o} for r in (a, b)]
    yield from _each("linear model", *linear)
    for section, key, of in (("bounds", "direction", "certified"), ("budgets", "name", "held")):
        yield from _each(of, _by(a[section], key, of), _by(b[section], key, of))
    for section in ("closure", "coverage"):
        for leaf in leaves(a.get(section), b.get(section)):
            one, two = leaf.get("a"), leaf.get("b")
            if leaf["at"].rpartition(".")[2] in _SAID or all(isinstance(side, bool) for side in (one, two)):
                yield from _flip(section, leaf["at"], one, two)
    for spot in dict.fromkeys((*a["blind_spots"], *b["blind_spots"])):
        yield from _flip("blind spot", spot, spot in a["blind_spots"], spot in b["blind_spots"])


def _by(items: Any, key: str, of: str) -> dict[str, Any]:
    return {item[key]: item[of] for item in items if of in item}


def _each(what: str, a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name in a:
        if name in b:
            yield from _flip(what, name, a[name], b[name])


def _flip(what: str, of: str, a: Any, b: Any) -> Iterator[dict[str, Any]]:
    if a != b:
        yield {"what": what, "of": of, "a": a, "b": b}
