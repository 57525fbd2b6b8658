"""The linear model against the GUM's double sum, and what its budgets promise for any state at all."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sampling import mean_limit, sd_limit

from r2s.compiler.ledger import Method
from r2s.compiler.uncertainty.budget import METHODS, Budget, Output
from r2s.compiler.uncertainty.distributions import Floats, Normal
from r2s.compiler.uncertainty.linear import propagate
from r2s.compiler.uncertainty.monte_carlo import propagate as draw
from r2s.compiler.uncertainty.state import Component, Correlation, State

LENGTH = Output("width", 0.08, "m")


def component(
    name: str, u: float, *, dof: float = math.inf, group: str = "", method: Method = "measured", by: str = "ingest"
) -> Component:
    return Component(name, u, "m", method, by, dof, group)


def budget(state: State, *row: float) -> Budget:
    return propagate(state, [LENGTH], [row]).budgets[0]


def double_sum(state: State, row: list[float]) -> float:
    """GUM equation 16, term by term."""
    r = {(c.first, c.second): c.r for c in state.correlations}
    total = 0.0
    for i, a in enumerate(state.components):
        for j, b in enumerate(state.components):
            same = i == j or (a.group != "" and a.group == b.group)
            coefficient = 1.0 if same else r.get((a.name, b.name), r.get((b.name, a.name), 0.0))
            total += row[i] * row[j] * a.u * b.u * coefficient
    return total


@st.composite
def states(draw: st.DrawFn) -> tuple[State, list[float]]:
    """A state of up to eight components, some of a group, two of them correlated, and a sensitivity for each."""
    count = draw(st.integers(2, 8))
    sizes = st.floats(1e-6, 1e3)
    components = tuple(
        component(
            f"c{i}",
            draw(sizes),
            dof=draw(st.sampled_from([1.0, 2.5, 9.0, 50.0, math.inf])),
            group=draw(st.sampled_from(["", "", "view", "scale"])) if i > 1 else "",
            method=draw(st.sampled_from(METHODS)),
            by=draw(st.sampled_from(["ingest", "surface", "scale"])),
        )
        for i in range(count)
    )
    correlated = (Correlation("c0", "c1", draw(st.floats(-1, 1))),) if draw(st.booleans()) else ()
    row = [draw(st.floats(-1e3, 1e3).filter(lambda c: c == 0 or abs(c) > 1e-6)) for _ in range(count)]
    return State(components, correlated), row


@given(states())
def test_u_is_that_of_the_double_sum(case: tuple[State, list[float]]) -> None:
    state, row = case
    largest = max(abs(c * z.u) for c, z in zip(row, state.components, strict=True))

    assert budget(state, *row).u ** 2 == pytest.approx(double_sum(state, row), rel=1e-9, abs=1e-9 * largest**2)


@given(states())
def test_shares_add_up_to_one(case: tuple[State, list[float]]) -> None:
    state, row = case
    found = budget(state, *row)
    largest = max(abs(c * z.u) for c, z in zip(row, state.components, strict=True))
    assume(found.u > 1e-3 * largest)  # what cancels wholly leaves nothing to share

    assert math.fsum(p.share for p in found.parts) == pytest.approx(1, abs=1e-12)
    assert math.fsum(c.share for c in found.contributions) == pytest.approx(1, abs=1e-6)
    assert math.fsum(found.by_method.values()) == pytest.approx(1, abs=1e-12)
    assert math.fsum(found.by_pass.values()) == pytest.approx(1, abs=1e-6)
    assert all(0 < p.share <= 1 + 1e-12 for p in found.parts)
    assert math.fsum(p.u**2 for p in found.parts) == pytest.approx(found.u**2, rel=1e-12)
    assert [p.share for p in found.parts] == sorted((p.share for p in found.parts), reverse=True)


@given(states(), st.permutations(range(8)))
def test_the_order_of_components_does_not_matter(case: tuple[State, list[float]], ranks: list[int]) -> None:
    state, row = case
    order = [i for i in ranks if i < len(row)]
    shuffled = State(tuple(state.components[i] for i in order), state.correlations)
    one, other = budget(state, *row), budget(shuffled, *(row[i] for i in order))
    largest = max(abs(c * z.u) for c, z in zip(row, state.components, strict=True))
    assume(one.u > 1e-3 * largest)

    assert other.u == pytest.approx(one.u, rel=1e-9)
    assert other.dof == pytest.approx(one.dof, rel=1e-9)
    assert other.assumed_share == pytest.approx(one.assumed_share, abs=1e-9)
    shares = {c.component.name: c.share for c in one.contributions}
    assert {c.component.name: c.share for c in other.contributions} == pytest.approx(shares, abs=1e-6)


@given(states(), st.floats(1e-9, 1e9), st.floats(1e-9, 1e9))
def test_units_change_figures_and_nothing_else(case: tuple[State, list[float]], inner: float, outer: float) -> None:
    """Errors in other units by *inner*, the output by *outer*; u in millimetres is a thousand times u in metres."""
    state, row = case
    rescaled = State(tuple(replace(c, u=c.u * inner) for c in state.components), state.correlations)
    one, other = budget(state, *row), budget(rescaled, *(c * outer / inner for c in row))
    largest = max(abs(c * z.u) for c, z in zip(row, state.components, strict=True))
    assume(one.u > 1e-3 * largest)

    assert other.u == pytest.approx(one.u * outer, rel=1e-9)
    assert other.dof == pytest.approx(one.dof, rel=1e-9)
    assert other.expanded == pytest.approx(one.expanded * outer, rel=1e-9)
    assert [c.share for c in other.contributions] == pytest.approx([c.share for c in one.contributions], abs=1e-6)


@given(states())
def test_taking_one_part_away_takes_its_share_of_u_squared(case: tuple[State, list[float]]) -> None:
    """What makes a difference of two budgets attributable: u² is additive over independent parts."""
    state, row = case
    whole = budget(state, *row)
    for part in whole.parts:
        names = {c.name for c in part.components}
        rest = budget(state, *(0.0 if z.name in names else c for c, z in zip(row, state.components, strict=True)))

        assert whole.u**2 - rest.u**2 == pytest.approx(part.u**2, rel=1e-6, abs=1e-9 * whole.u**2)


@given(states())
def test_effective_degrees_of_freedom_lie_between_the_smallest_and_the_sum(case: tuple[State, list[float]]) -> None:
    found = budget(case[0], *case[1])
    assume(found.parts)
    each = [p.dof for p in found.parts]

    assert min(each) * (1 - 1e-9) <= found.dof <= math.fsum(each) * (1 + 1e-9)


def test_welch_satterthwaite() -> None:
    state = State((component("a", 0.57, dof=9.0), component("b", 0.25)))

    assert budget(state, 1.0, 1.0).dof == pytest.approx(12.8, abs=0.05)


def test_one_group_adds_up_with_its_signs() -> None:
    """One offset of both faces widens by two and shifts by none; two offsets of their own add in squares."""
    one = State((component("left", 3e-4, group="offset"), component("right", 3e-4, group="offset")))
    two = State((component("left", 3e-4), component("right", 3e-4)))

    assert budget(one, 1.0, 1.0).u == pytest.approx(6e-4, rel=1e-12)
    assert budget(one, 1.0, -1.0).u == pytest.approx(0.0, abs=1e-18)
    assert budget(one, 1.0, -1.0).dominant is None
    assert budget(two, 1.0, -1.0).u == pytest.approx(math.sqrt(2) * 3e-4, rel=1e-12)


def test_a_part_that_cancels_another_has_a_negative_share_and_dominance_goes_by_sets() -> None:
    """10 and -9 of one group leave 1: neither of them dominates an independent 5."""
    components = (component("plus", 10.0, group="g"), component("minus", 9.0, group="g"), component("other", 5.0))
    found = budget(State(components), 1.0, -1.0, 1.0)

    assert found.u**2 == pytest.approx(26)
    assert [c.share for c in found.contributions] == pytest.approx([10 / 26, -9 / 26, 25 / 26])
    assert [c.signed_u for c in found.contributions] == [10.0, -9.0, 5.0]
    assert found.dominant is not None
    assert (found.dominant.name, found.dominant.share) == ("other", pytest.approx(25 / 26))


def test_scale_and_offset_of_one_fit() -> None:
    """
    A fit of both has them strongly against each other: a length in its range is known far better than either alone.

    Checked by hand, and by drawing the pair.
    """
    u_s, u_d, r, length = 0.004, 0.3, -0.89, 80.0
    components = (component("ln_s", u_s, dof=3), component("offset", u_d, dof=3), component("white", 0.01))
    state = State(components, (Correlation("ln_s", "offset", r),))
    found = budget(state, length, 2.0, 1.0)
    fitted = (length * u_s) ** 2 + (2 * u_d) ** 2 + 2 * length * u_s * 2 * u_d * r

    assert found.u**2 == pytest.approx(fitted + 0.01**2, rel=1e-12)
    assert found.u < 0.9 * math.hypot(length * u_s, 2 * u_d)
    assert [p.name for p in found.parts] == ["ln_s + offset", "white"]
    assert found.dof == pytest.approx(3 / (fitted / found.u**2) ** 2, rel=1e-12)

    def model(x: Mapping[str, Floats]) -> dict[str, Floats]:
        return {"L": length * x["ln_s"] + 2 * x["offset"] + x["white"]}

    inputs = {c.name: Normal(0.0, c.u) for c in components}
    drawn = draw(model, inputs, seed=3, draws=400_000, correlations=state.correlations).outputs["L"]

    assert drawn.u == pytest.approx(found.u, abs=sd_limit(drawn.values))
    assert drawn.mean == pytest.approx(0.0, abs=mean_limit(drawn.values))


def test_outputs_that_share_errors_covary() -> None:
    """Volume, mass at known density and a length all hang on one scale; two views' offsets are their own."""
    state = State((component("ln_s", 0.002), component("view a", 1e-4), component("view b", 2e-4)))
    outputs = [Output("V", 1e-3, "m^3"), Output("L", 0.1, "m"), Output("W", 0.1, "m")]
    jacobian = np.array([[3e-3, 0.0, 0.0], [0.1, 1.0, 0.0], [0.1, 0.0, 1.0]])
    found = propagate(state, outputs, jacobian)

    assert found.covariance == pytest.approx(jacobian @ np.diag([4e-6, 1e-8, 4e-8]) @ jacobian.T, rel=1e-12)
    assert np.sqrt(np.diag(found.covariance)) == pytest.approx([b.u for b in found.budgets], rel=1e-12)
    assert found.covariance[1, 2] == pytest.approx((0.1 * 0.002) ** 2, rel=1e-12)


def test_a_set_is_as_weak_as_its_weakest_component() -> None:
    components = (
        component("fit", 3.0, group="scale", dof=20.0, method="measured", by="scale"),
        component("promise", 1.0, group="scale", dof=8.0, method="assumed", by="ingest"),
        component("noise", 2.0, dof=9997.0, method="estimated"),
        component("limit", 0.0, method="assumed"),
    )
    found = budget(State(components), 1.0, 1.0, 1.0, 1.0)
    (scale, noise) = found.parts

    assert (scale.method, scale.dof, scale.share) == ("assumed", 8.0, pytest.approx(0.8))
    assert (noise.method, noise.share) == ("estimated", pytest.approx(0.2))
    assert found.assumed_share == pytest.approx(0.8)
    assert found.by_pass == pytest.approx({"scale": 12 / 20, "ingest": 8 / 20})


def test_a_component_that_an_output_does_not_feel_weakens_nothing() -> None:
    components = (
        component("fit", 3.0, group="scale", dof=20.0),
        component("promise", 1.0, group="scale", dof=2.0, method="assumed"),
    )
    found = budget(State(components), 1.0, 0.0)

    assert (found.dof, found.assumed_share) == (pytest.approx(20), 0.0)


def test_what_nothing_bounds_leaves_the_output_without_bounds() -> None:
    state = State((component("ln_s", math.inf, method="assumed"), component("noise", 1e-4, method="estimated")))
    outputs = [LENGTH, Output("ratio", 1.0, "1"), Output("volume", 1e-3, "m^3")]
    found = propagate(state, outputs, [[0.08, 1.0], [0.0, 2.0], [-3e-3, 0.0]])
    length, ratio, volume = found.budgets

    assert (length.u, length.expanded, length.dof) == (math.inf, math.inf, math.inf)
    assert length.dominant is not None
    assert (length.dominant.name, length.dominant.share, length.assumed_share) == ("ln_s", 1.0, 1.0)
    assert [c.share for c in length.contributions] == [1.0, 0.0]
    assert [c.signed_u for c in volume.contributions] == [-math.inf, 0.0]
    assert ratio.u == pytest.approx(2e-4)
    assert [c.signed_u for c in ratio.contributions] == [0.0, 2e-4]
    assert found.covariance[0, 2] == -math.inf
    assert found.covariance[0, 0] == found.covariance[2, 2] == math.inf
    assert found.covariance[0, 1] == pytest.approx(2e-8)


def test_two_unbounded_errors_share_alike_and_may_disagree() -> None:
    components = (component("ln_s", math.inf, group="g"), component("drift", math.inf, group="g"))
    state = State((*components, component("other", math.inf), component("noise", 1.0)))
    found = propagate(state, [LENGTH, LENGTH], [[1.0, -1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0]])

    assert [c.share for c in found.budgets[0].contributions] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0.0])
    assert [p.name for p in found.budgets[0].parts] == ["ln_s + drift", "other"]
    assert found.budgets[0].u == math.inf
    assert math.isnan(found.covariance[0, 1])


def test_an_output_of_nothing_uncertain_is_exact() -> None:
    found = budget(State((component("ln_s", 0.0),)), 3.0)

    assert (found.u, found.expanded, found.dof) == (0.0, 0.0, math.inf)
    assert (found.parts, found.dominant, found.assumed_share) == ((), None, 0.0)


def test_what_is_no_state_is_refused() -> None:
    a, b, c = component("a", 1.0, group="g"), component("b", 1.0, group="g"), component("c", 1.0)
    unbounded = component("d", math.inf)
    refused = [
        (lambda: component("a", -1.0), "standard uncertainty"),
        (lambda: component("a", math.nan), "standard uncertainty"),
        (lambda: component("a", 1.0, dof=0.0), "degrees of freedom"),
        (lambda: State((a, a)), "stands twice"),
        (lambda: State((a, c), (Correlation("a", "x", 0.5),)), "'x'"),
        (lambda: State((a, c), (Correlation("a", "c", 1.5),)), "1.5"),
        (lambda: State((a, c), (Correlation("a", "a", 0.5),)), "a and a"),
        (lambda: State((a, b), (Correlation("a", "b", 0.5),)), "already"),
        (lambda: State((c, unbounded), (Correlation("c", "d", 0.5),)), "unbounded"),
        (lambda: State((a, b, c), (Correlation("a", "c", 0.5),)), "all of its group"),
        (lambda: propagate(State((a,)), [LENGTH], [[1.0, 2.0]]), "Jacobian"),
        (lambda: propagate(State((a,)), [LENGTH], [[math.inf]]), "finite"),
    ]
    for make, words in refused:
        with pytest.raises(ValueError, match=words):
            make()


def test_a_whole_group_may_be_correlated_with_another_component() -> None:
    components = (component("a", 1.0, group="g"), component("b", 1.0, group="g"), component("c", 1.0))
    state = State(components, (Correlation("a", "c", 0.5), Correlation("b", "c", 0.5)))

    assert budget(state, 1.0, 1.0, 1.0).u ** 2 == pytest.approx(4 + 1 + 2 * 2 * 0.5)
