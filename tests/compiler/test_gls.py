"""Least squares with shared errors, against dense matrices and against fitting again."""

from __future__ import annotations

import numpy as np
import pytest

from r2s.compiler.gls import Errors, Weighing, deleted, least_favourable, regress

CASES = [(n, seed) for n in (1, 2, 3, 5, 9) for seed in range(4)]


def some(n: int, seed: int) -> tuple[Errors, np.ndarray, np.ndarray]:
    """Errors of *n* observations by up to three instruments, observations, and a column beside the ones."""
    rng = np.random.default_rng([n, seed])
    alone, shared = rng.uniform(0.5, 2, n), rng.uniform(0, 3, n)
    groups = tuple("abc"[k] for k in rng.integers(0, 3, n))
    return Errors(tuple(alone.tolist()), tuple(shared.tolist()), groups), rng.normal(size=n), rng.normal(size=n)


def dense(errors: Errors, correlation: float) -> np.ndarray:
    """The covariance written out."""
    alone, shared = np.array(errors.alone), np.array(errors.shared)
    same = np.array([[a == b for b in errors.groups] for a in errors.groups])
    off = correlation * np.outer(shared, shared) * same
    return np.diag(alone**2 + (1 - correlation) * shared**2) + off


@pytest.mark.parametrize(("n", "seed"), CASES)
@pytest.mark.parametrize("correlation", [0.0, 0.4, 1.0])
def test_the_inverse_is_that_of_the_matrix(n: int, seed: int, correlation: float) -> None:
    errors, y, x = some(n, seed)
    inverse, weighing = np.linalg.inv(dense(errors, correlation)), Weighing(errors, correlation)

    assert weighing.of(y.tolist()) == pytest.approx((inverse @ y).tolist(), rel=1e-9, abs=1e-12)
    assert weighing.dot(x.tolist(), y.tolist()) == pytest.approx(x @ inverse @ y, rel=1e-9, abs=1e-12)
    assert weighing.diagonal() == pytest.approx(np.diag(inverse).tolist(), rel=1e-9)


@pytest.mark.parametrize(("n", "seed"), [c for c in CASES if c[0] > 2])
@pytest.mark.parametrize("priors", [(None, None), (0.7, None), (None, 0.3)])
def test_a_fit_is_that_of_the_textbook(n: int, seed: int, priors: tuple[float | None, ...]) -> None:
    """A prior is one more observation of the parameter itself, at 0."""
    errors, y, x = some(n, seed)
    made = regress(y.tolist(), ([1.0] * n, x.tolist()), priors, Weighing(errors, 1.0))
    inverse, design = np.linalg.inv(dense(errors, 1.0)), np.column_stack([np.ones(n), x])
    known = np.diag([0.0 if p is None else p**-2 for p in priors])
    covariance = np.linalg.inv(design.T @ inverse @ design + known)
    values = covariance @ design.T @ inverse @ y
    left = y - design @ values
    assert made is not None

    assert made.values == pytest.approx(values.tolist(), rel=1e-8)
    assert np.array(made.covariance) == pytest.approx(covariance, rel=1e-8)
    assert made.u(1) == pytest.approx(np.sqrt(covariance[1, 1]))
    assert made.chi2 == pytest.approx(left @ inverse @ left + values @ known @ values, rel=1e-8)


@pytest.mark.parametrize(("n", "seed"), [c for c in CASES if c[0] > 2])
def test_a_deleted_residual_is_that_of_fitting_the_others(n: int, seed: int) -> None:
    errors, y, _ = some(n, seed)
    covariance = dense(errors, 1.0)
    columns, weighing = ([1.0] * n,), Weighing(errors, 1.0)
    made = regress(y.tolist(), columns, (None,), weighing)
    assert made is not None

    for i, (residual, u) in enumerate(deleted(made, columns, weighing)):
        kept = [k for k in range(n) if k != i]
        inverse = np.linalg.inv(covariance[np.ix_(kept, kept)])
        ones, to_rest = np.ones(n - 1), covariance[i, kept] @ inverse
        mean = (ones @ inverse @ y[kept]) / (ones @ inverse @ ones)
        expected = mean + to_rest @ (y[kept] - mean)  # what the others know of the error that they share with it
        own = covariance[i, i] - to_rest @ covariance[kept, i]
        own += (1 - to_rest @ ones) ** 2 / (ones @ inverse @ ones)
        assert residual == pytest.approx(y[i] - expected, rel=1e-7)
        assert u == pytest.approx(np.sqrt(own), rel=1e-7)


def test_what_nothing_predicts_has_no_deleted_residual() -> None:
    columns, weighing = ([1.0],), Weighing(Errors((1.0,), (0.0,), ("a",)), 0.0)
    alone, promised = (regress([2.0], columns, (prior,), weighing) for prior in (None, 0.5))
    assert alone is not None
    assert promised is not None

    assert deleted(alone, columns, weighing) == [(0.0, np.inf)]
    assert deleted(promised, columns, weighing)[0] == pytest.approx((2.0, np.hypot(1, 0.5)))


@pytest.mark.parametrize("column", [[0.0, 0.0, 0.0], [3.0, 3.0, 3.0]])
def test_columns_that_tell_nothing_apart_have_no_solution(column: list[float]) -> None:
    weighing = Weighing(Errors((1.0,) * 3, (0.0,) * 3, ("a",) * 3), 0.0)

    assert regress([1.0, 2.0, 3.0], ([1.0] * 3, column), (None, None), weighing) is None
    assert regress([1.0, 2.0, 3.0], ([1.0] * 3, column), (None, 1.0), weighing) is not None


@pytest.mark.parametrize(("n", "seed"), [c for c in CASES if c[0] > 2])
def test_the_reconciling_correlation_is_that_of_a_grid(n: int, seed: int) -> None:
    errors, y, _ = some(n, seed)

    def chi2(correlation: float) -> float:
        made = regress(y.tolist(), ([1.0] * n,), (None,), Weighing(errors, correlation))
        assert made is not None
        return made.chi2

    grid = np.linspace(0, 1, 201)
    values = np.array([chi2(float(c)) for c in grid])
    assert (values[:-2] + values[2:] >= 2 * values[1:-1] - 1e-9).all()  # convex, which the search relies on
    assert chi2(least_favourable(chi2, errors)) <= values.min() + 1e-9


def test_own_instruments_share_nothing() -> None:
    assert not Errors((1.0, 1.0), (1.0, 1.0), ("a", "b")).sharing
    assert not Errors((1.0, 1.0), (0.0, 0.0), ("a", "a")).sharing
    assert Errors((1.0, 1.0), (1.0, 1.0), ("a", "a")).sharing
    assert least_favourable(lambda c: -c, Errors((1.0, 1.0), (1.0, 1.0), ("a", "b"))) == 0.0
