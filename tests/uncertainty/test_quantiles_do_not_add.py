"""Why the bound ledger adds maxima and nothing else: quantiles of two passes say nothing about both together."""

from __future__ import annotations

import numpy as np

from r2s.compiler.bounds import compose
from r2s.compiler.ledger import DirectedDistance

# Two passes that each lose 10 mm at 4 % of the points, at different ones.
FIRST = np.repeat([10.0, 0.0, 0.0], [4, 4, 92])
SECOND = np.repeat([0.0, 10.0, 0.0], [4, 4, 92])


def p95(values: np.ndarray) -> float:
    return float(np.quantile(values, 0.95))


def lost(name: str, values: np.ndarray) -> DirectedDistance:
    return DirectedDistance(
        name, "forward", "a", "b", float(values.max()), True, 0.0, p95(values), 0.0, None, len(values), "by hand"
    )


def test_two_passes_with_a_p95_of_zero_have_one_of_ten_together() -> None:
    assert (p95(FIRST), p95(SECOND)) == (0.0, 0.0)
    assert p95(FIRST + SECOND) == 10.0


def test_the_sum_of_maxima_holds_where_the_sum_of_quantiles_does_not() -> None:
    forward, _ = compose([lost("first", FIRST), lost("second", SECOND)], 1.0)

    assert forward.total == 20.0
    assert forward.total >= (FIRST + SECOND).max()
    assert p95(FIRST) + p95(SECOND) < p95(FIRST + SECOND)


def test_a_tail_that_is_split_among_the_passes_does_add() -> None:
    """P(X + Y > a + b) is at most P(X > a) + P(Y > b): p97.5 of each bounds p95 of the sum."""
    split = float(np.quantile(FIRST, 0.975, method="higher") + np.quantile(SECOND, 0.975, method="higher"))

    assert split >= p95(FIRST + SECOND)
