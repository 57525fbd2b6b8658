"""Closure's arithmetic: what is within, what is vacuous, what is a bug, and in which words."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from r2s.compiler.closure import Closure, close, left_out
from r2s.compiler.direct import Direct, Directs
from r2s.compiler.ledger import DirectedDistance, Scalar

MM = 1e-3
REACH = 2 * MM


def distance(name: str, role: str, mm: float, start: str, end: str, *, certified: bool = True) -> DirectedDistance:
    figures = (mm * MM, certified, mm * MM / 2, mm * MM / 4, mm * MM / 8, None, 100)
    return DirectedDistance(name, role, start, end, *figures, "drawn for a test")  # type: ignore[arg-type]


TERMS = (
    distance("surface.scatter", "scatter", 0.2, "scan", "scan"),
    distance("surface.forward", "forward", 0.1, "scan", "surface"),
    distance("surface.backward", "backward", 0.4, "surface", "scan", certified=False),
    distance("simplify.forward", "forward", 0.1, "surface", "simplified"),
    distance("simplify.backward", "backward", 0.2, "simplified", "surface"),
    distance("decompose.inflation", "inflation", 0.8, "pieces", "simplified"),
    distance("decompose.deficit", "deficit", 0.1, "simplified", "pieces"),
)


def direct(mm: float) -> Direct:
    return Direct(mm * MM, mm * MM / 2, mm * MM / 3, mm * MM / 4, 0.0, 1000, REACH, (0.01, 0.02, 0.03))


def directs(forward: float = 0.3, backward: float = 0.6, **other: object) -> Directs:
    facts = Directs(
        pieces=2, emitted=2, diagonal=0.1, forward=direct(forward), backward=direct(backward), reference="surface",
        within=0.5, left_out=0, hidden=0.1, unobserved=0.0, unsupported=math.nan,
        moved=9e-10, moved_name="part_collision_01", folded=1e-9, folded_name="part_collision_00",
    )  # fmt: skip
    return replace(facts, **other)  # type: ignore[arg-type]


def closed(found: Directs, factor: float = 1.0) -> Closure:
    return close(found, TERMS, factor)


def test_within_when_both_ways_hold_and_use_the_bound() -> None:
    found = closed(directs())

    assert (found.verdict, found.failure, found.diagnostics) == ("within", None, ())
    forward, backward = found.ways
    assert forward.bound.total == pytest.approx(0.5 * MM)
    assert forward.tightness == pytest.approx(0.6)
    assert backward.tightness == pytest.approx(0.6)


def test_the_way_back_of_a_cloud_ends_at_the_surface_and_of_a_mesh_at_the_scan() -> None:
    to_surface, to_scan = closed(directs()).ways[1], closed(directs(reference="scan")).ways[1]

    assert (to_surface.bound.total, to_surface.bound.certified) == (pytest.approx(1.0 * MM), True)
    assert (to_scan.bound.total, to_scan.bound.certified) == (pytest.approx(1.4 * MM), False)


def test_only_a_sampled_sum_is_allowed_the_spacing_of_samples() -> None:
    certified, sampled = closed(directs()).ways[1], closed(directs(reference="scan")).ways[1]

    assert certified.allowed == pytest.approx(1.0 * MM, abs=1e-6)
    assert sampled.allowed == pytest.approx(1.4 * MM + REACH, abs=1e-6)


@pytest.mark.parametrize(("forward", "backward"), [(0.5002, 0.6), (0.3, 1.0002)])
def test_beyond_the_sum_is_a_bug_that_says_how_much_and_where(forward: float, backward: float) -> None:
    failure = closed(directs(forward, backward)).failure

    assert failure is not None
    assert (failure.code, failure.exit_code) == ("R2S907", 70)
    assert f"{max(forward, backward):.3f} mm" in failure.message or "0.500 mm outside" in failure.message
    assert "at (10.0, 20.0, 30.0) mm" in failure.message
    assert closed(directs(0.49999, 0.99999)).verdict == "within"


def test_the_sum_is_anchored_with_the_asset() -> None:
    assert closed(directs(0.55, 1.05)).verdict == "bug"
    assert closed(directs(0.55, 1.05), factor=1.2).verdict == "within"


def test_little_used_is_vacuous_and_a_note() -> None:
    found = closed(directs(0.09, 0.6))

    assert found.verdict == "vacuous"
    (note,) = found.diagnostics
    assert (note.severity, note.code) == ("note", "R2S651")
    assert "0.090 mm measured of the 0.500 mm bound (18 %)" in note.message
    assert closed(directs(0.11, 0.6)).verdict == "within"


def test_a_bound_that_is_next_to_nothing_is_never_vacuous() -> None:
    small = tuple(replace(t, maximum=t.maximum / 100) for t in TERMS)

    assert close(directs(0.0, 0.0), small, 1.0).verdict == "within"
    assert close(directs(0.0, -0.1), (), 1.0).verdict == "within"
    assert math.isnan(close(directs(0.0, 0.0), (), 1.0).ways[0].tightness)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"emitted": 1}, "1 pieces are emitted of 2"),
        ({"moved": 1e-8}, "part_collision_01 is 0.000010 mm off"),
        ({"folded": 1e-6}, "part_collision_00 folds 0.001000 mm"),
        ({"folded": math.inf}, "part_collision_00 is inside out"),
        ({"fault": "line 3 is neither"}, "line 3 is neither"),
    ],
)
def test_files_that_are_not_the_pieces_are_a_bug_whatever_the_bound(wrong: dict[str, object], says: str) -> None:
    found = closed(directs(**wrong))

    assert found.verdict == "bug"
    assert found.failure is not None
    assert (found.failure.code, found.failure.exit_code) == ("R2S908", 70)
    assert says in found.failure.message


def test_observed_places_must_have_points_within_the_reach_that_the_surface_claims() -> None:
    terms = (*TERMS, Scalar("surface.reach", "reach", 1.0 * MM, "m", "measured", "drawn"))

    assert close(directs(unsupported=0.9 * MM), terms, 1.0).verdict == "within"
    found = close(directs(unsupported=1.1 * MM), terms, 1.0)
    assert found.failure is not None
    assert "1.100 mm from every scan point" in found.failure.message
    assert close(directs(unsupported=1.1 * MM), terms, 1.2).verdict == "within"


def test_what_was_left_out_is_read_from_the_terms() -> None:
    assert left_out(TERMS) == 0.0
    assert left_out((*TERMS, Scalar("surface.left_out", "cutoff", 0.01, "m", "declared", "drawn"))) == 0.01
