"""
From entries to readings: repeats of one measurand become one reading, and contradictions are errors.

Two entries measure the same thing when their features are equal; both in different roles would let the asset be tuned
on what later checks it.  With different ids, or by different instruments, they stay two readings of that feature.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, count, pairwise

from r2s.compiler.readings import Feature, Reading
from r2s.compiler.sheet_fields import Amount
from r2s.compiler.sheet_readings import Entry
from r2s.compiler.units import format_length
from r2s.compiler.wording import shown
from r2s.compiler.yaml_tree import Document

_BLUNDER_ACCURACIES = 10.0
_BLUNDER_RATIO = 0.02
_TOLERANCE = 0.5e-3
_TOLERANCE_RATIO = 0.01

Group = list[Entry]


def merge_entries(document: Document, entries: Sequence[Entry]) -> tuple[Reading, ...]:
    """
    Return the readings in the order of their first entries.

    Raises InvalidInputError for a role leak, a blunder among repeats, one id for two features, an inside wider than its
    outside, and sorted extents in the wrong order.
    """
    same = _by_measurand(entries)
    for alike in same:
        _refuse_leak(document, alike)
        _refuse_blunder(document, alike)
    order = {id(entry): k for k, entry in enumerate(entries)}
    groups = sorted(chain.from_iterable(map(_by_hand, same)), key=lambda group: order[id(group[0])])
    _refuse_shared_ids(document, groups)
    _refuse_inside_out(document, entries)
    _refuse_unsorted(document, entries)
    return tuple(_reading(document, group, id_) for group, id_ in zip(groups, _ids(groups), strict=True))


def _measurand(feature: Feature, round_object: bool) -> Feature:
    """Return the feature that tells what was measured: without any diameter, ``height`` is ``extent_z``."""
    if feature.kind == "height" and not round_object and feature.axis in (None, "z"):
        return Feature("extent_z")
    if feature.kind in ("distance", "depth", "step") and feature.start and feature.end:
        low, high = sorted((feature.start, feature.end))
        return replace(feature, start=low, end=high)
    return feature


def _by_measurand(entries: Sequence[Entry]) -> list[Group]:
    round_object = any(entry.feature.kind in ("outer_diameter", "inner_diameter") for entry in entries)
    found: dict[Feature, Group] = {}
    for entry in entries:
        found.setdefault(_measurand(entry.feature, round_object), []).append(entry)
    return list(found.values())


def _by_hand(alike: Group) -> list[Group]:
    """Split entries of one measurand by instrument and id; entries without an id join the first of their instrument."""
    found: list[Group] = []
    first: dict[str, Group] = {}
    named: dict[tuple[str, str], Group] = {}
    labelled: set[str] = set()
    for entry in alike:
        group = named.get((entry.instrument, entry.given_id)) if entry.given_id else first.get(entry.instrument)
        if group is None and entry.instrument not in labelled:
            group = first.get(entry.instrument)
        if group is None:
            group = []
            found.append(group)
        group.append(entry)
        first.setdefault(entry.instrument, group)
        if entry.given_id:
            named[entry.instrument, entry.given_id] = group
            labelled.add(entry.instrument)
    return found


def _refuse_leak(document: Document, alike: Group) -> None:
    first = alike[0]
    for entry in alike[1:]:
        if entry.role != first.role:
            said = (
                f"{entry.label} is {entry.role} here and {first.role} on line {first.node.mark.line}: "
                "what tunes the asset cannot check it"
            )
            document.fail("R2S231", entry.role_node, said, hint="give both the same role")


def _refuse_blunder(document: Document, alike: Group) -> None:
    amounts = [amount for entry in alike for amount in entry.amounts]
    low, high = (pick(amounts, key=lambda a: a.value) for pick in (min, max))
    accuracy = max(entry.accuracy for entry in alike)
    if not _far_apart(low.value, high.value, accuracy):
        return
    first, second = sorted((low, high), key=lambda a: amounts.index(a))
    said = (
        f"{alike[0].label} is {format_length(second.value)} here and {format_length(first.value)} on line "
        f"{first.node.mark.line}: {format_length(high.value - low.value)} apart, for an accuracy of "
        f"{format_length(accuracy)}"
    )
    split = any({low.node, high.node} <= {a.node for a in entry.amounts} for entry in alike)
    hint = "measure again; was 57,02 written for 57.02?" if split else "measure again"
    document.fail("R2S230", second.node, said, hint=hint)


def _far_apart(low: float, high: float, accuracy: float) -> bool:
    return high - low > _BLUNDER_ACCURACIES * accuracy and high - low > _BLUNDER_RATIO * high


def _refuse_shared_ids(document: Document, groups: Sequence[Group]) -> None:
    seen: dict[str, Group] = {}
    for group in groups:
        for id_ in sorted({entry.given_id for entry in group if entry.given_id}):
            if id_ in seen:
                first = seen[id_][0]
                said = f"id {shown(id_)} is on line {first.node.mark.line} already, for another reading"
                document.fail("R2S232", group[0].node, said, hint="give each reading its own id")
            seen[id_] = group


def _refuse_inside_out(document: Document, entries: Sequence[Entry]) -> None:
    for inner in (e for e in entries if e.feature.kind == "inner_diameter"):
        for outer in (e for e in entries if e.feature.kind == "outer_diameter"):
            # At two heights a cone may be wider inside than out; no inside is wider than the widest outside.
            comparable = outer.feature.along is None or outer.feature.along == inner.feature.along
            if comparable and outer.feature.axis == inner.feature.axis and _largest(inner) >= _largest(outer):
                said = (
                    f"{inner.label} {format_length(_largest(inner))} is not under {outer.label} "
                    f"{format_length(_largest(outer))} of line {outer.node.mark.line}: inner exceeds outer"
                )
                document.fail("R2S233", inner.amounts[0].node, said, hint="were inside and outside jaws swapped?")


def _refuse_unsorted(document: Document, entries: Sequence[Entry]) -> None:
    order = ("extent_long", "extent_mid", "extent_short")
    sorted_extents = [e for kind in order for e in entries if e.feature.kind == kind]
    for longer, shorter in pairwise(sorted_extents):
        accuracy = max(longer.accuracy, shorter.accuracy)
        low, high = _largest(longer), _largest(shorter)
        if low < high and longer.feature != shorter.feature and _far_apart(low, high, accuracy):
            said = f"{shorter.label} {format_length(high)} exceeds {longer.label} {format_length(low)}"
            document.fail("R2S234", shorter.amounts[0].node, said, hint="sort them: long, mid, short")


def _largest(entry: Entry) -> float:
    return max(amount.value for amount in entry.amounts)


def _ids(groups: Sequence[Group]) -> list[str]:
    """Return the given ids, and for the others the feature's name, with -2, -3 ... where it is taken."""
    taken = {entry.given_id for group in groups for entry in group if entry.given_id}
    found = []
    for group in groups:
        given = next((entry.given_id for entry in group if entry.given_id), None)
        kind = group[0].feature.kind
        names = chain([kind], (f"{kind}-{k}" for k in count(2)))
        found.append(given or next(name for name in names if name not in taken))
        taken.add(found[-1])
    return found


def _reading(document: Document, group: Group, id_: str) -> Reading:
    first = group[0]
    amounts: tuple[Amount, ...] = tuple(chain.from_iterable(entry.amounts for entry in group))
    values = tuple(amount.value for amount in amounts)
    worst = max(group, key=lambda entry: entry.accuracy)
    mean = math.fsum(values) / len(values)
    tolerance = _agreed(document, group, "tolerance")
    return Reading(
        id=id_,
        feature=first.feature,
        values=values,
        accuracy=worst.accuracy,
        accuracy_method=worst.accuracy_method,
        resolution=max(entry.resolution for entry in group),
        role=first.role,
        tolerance=tolerance or max(_TOLERANCE, _TOLERANCE_RATIO * mean),
        compliant=any(entry.compliant for entry in group),
        instrument=first.instrument,
        temperature=_agreed(document, group, "temperature"),
        alpha=_agreed(document, group, "alpha"),
        tolerance_method="declared" if tolerance else "assumed",
    )


def _agreed(document: Document, group: Group, key: str) -> float | None:
    """Return what the entries that have *key* say; two answers are an error."""
    found: float | None = None
    for entry in group:
        said = getattr(entry, key)
        if found is not None and said is not None and said != found:
            message = f"{entry.label} is a repeated reading with another {key}"
            document.fail("R2S235", entry.node, message, hint=f"give the {key} once, or give them different ids")
        found = said if said is not None else found
    return found
