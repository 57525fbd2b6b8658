"""The step that a file can tell apart: from the stored type, from what doubles really hold, from the printed places."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from r2s.passes.readers import read
from r2s.passes.readers.quantum import stored_quantum

PART = np.random.default_rng(5).random((200, 3)) * np.array([0.08, 0.05, 0.04])
FAR = PART + np.array([5.4e6, 6.6e5, 240.0])


def printed(folder: Path, points: NDArray[np.float64], form: str) -> float:
    path = folder / "a.xyz"
    path.write_text("".join(" ".join(form % v for v in p) + "\n" for p in points))
    return read(path).quantum


def test_float32_far_away_steps_by_half() -> None:
    assert stored_quantum(FAR, "f4") == 0.5


def test_doubles_that_went_through_float32_are_no_finer() -> None:
    assert stored_quantum(FAR.astype(np.float32).astype(np.float64), "f8") == 0.5
    assert stored_quantum(FAR, "f8") == np.spacing(5.4e6)


def test_integers_step_by_one_and_holes_do_not_count() -> None:
    assert stored_quantum(PART, "i2") == 1.0
    assert stored_quantum(np.array([[1.0, np.nan, np.inf]]), "f4") == np.spacing(np.float32(1))


@pytest.mark.parametrize(
    ("points", "form", "step"),
    [
        (PART, "%.6f", 1e-6),
        (PART, "%.2f", 0.01),
        (PART * 1000, "%.1f", 0.1),
        (FAR, "%.6f", 1e-6),
        (FAR + 99 * PART, "%g", 1.0),  # 5.40001e+06 660004 242.061: the finest of the large ones
        (FAR.astype(np.float32).astype(np.float64), "%.6f", 0.5),
    ],
)
def test_printed_places_of_a_scan(tmp_path: Path, points: NDArray[np.float64], form: str, step: float) -> None:
    assert printed(tmp_path, points, form) == pytest.approx(step)


def test_short_numbers_of_a_few_points_are_exact(tmp_path: Path) -> None:
    assert printed(tmp_path, np.array([[0, 0, 0], [80, 50, 40], [80, 0, 0]], dtype=float), "%g") < 1e-4
