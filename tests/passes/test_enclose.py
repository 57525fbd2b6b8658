"""One hull around everything, for runs that are after the estimate."""

from __future__ import annotations

import numpy as np
import pytest
from scan_shapes import box, mesh_scan, together

from r2s.compiler.errors import PassFailedError
from r2s.compiler.ir import Surface, bools
from r2s.passes.convex.pieces import volume
from r2s.passes.enclose import Enclose


def surface(vertices: np.ndarray, faces: np.ndarray) -> Surface:
    scan = mesh_scan(vertices, faces)
    return Surface(scan.points, scan.faces, bools(np.ones(len(faces))), scan)


def test_two_boxes_get_the_one_hull_that_bridges_them() -> None:
    """Two cubes of 2 cm with 2 cm between them: the hull is a box of 2 by 2 by 6 cm."""
    made = surface(*together(box((0.02, 0.02, 0.02)), box((0.02, 0.02, 0.02), at=(0.04, 0, 0))))
    (piece,) = Enclose().run(made).value.pieces

    assert volume(piece) == pytest.approx(0.02 * 0.02 * 0.06)
    assert np.array_equal(np.unique(piece.vertices[:, 0]), np.unique(made.vertices[:, 0])[[0, -1]])


def test_what_is_flat_has_no_hull_and_says_so() -> None:
    vertices, faces = box((0.02, 0.02, 0.02))

    with pytest.raises(PassFailedError, match="no solid part") as told:
        Enclose().run(surface(vertices * (1, 1, 0), faces))
    assert told.value.code == "R2S502"
