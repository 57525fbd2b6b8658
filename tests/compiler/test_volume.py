"""The volume's uncertainty: its parts are independent, the scale counts three times, and the largest part is named."""

from __future__ import annotations

import math

import pytest

from r2s.compiler.ir import Anchor
from r2s.compiler.ledger import Scalar, StandardUncertainty
from r2s.compiler.volume import volume_of

CLOSED = Scalar("surface.volume", "volume of the closed surface", 2e-4, "m^3", "measured", "divergence")


def doubt(name: str, u: float, quantity: str = "volume") -> StandardUncertainty:
    return StandardUncertainty(
        f"surface.volume.{name}", quantity, u, "m^3", "rectangular", math.inf, "assumed", "x", "offset", name
    )


def test_parts_combine_in_root_sum_square_and_the_largest_is_named() -> None:
    found = volume_of([CLOSED, doubt("offset", 3e-7), doubt("underside", 4e-7), doubt("x", 1.0, "mass")], Anchor())

    assert found is not None
    assert found.u == pytest.approx(5e-7)
    assert found.dominant is not None
    assert found.dominant.term == "surface.volume.underside"


def test_the_scale_counts_three_times_and_everything_grows_with_its_cube() -> None:
    found = volume_of([CLOSED, doubt("offset", 3e-7)], Anchor(factor=2.0, u=1e-3, method="measured"))

    assert found is not None
    assert found.value == pytest.approx(16e-4)
    assert {p.term: p.u for p in found.parts} == pytest.approx(
        {"surface.volume.offset": 24e-7, "scale.ln_scale": 3e-3 * 16e-4}
    )
    assert found.parts[-1].method == "measured"


def test_a_scale_that_nobody_measured_adds_no_part_and_no_surface_no_volume() -> None:
    found = volume_of([CLOSED], Anchor())

    assert found is not None
    assert (found.u, found.dominant) == (0.0, None)
    assert volume_of([doubt("offset", 1.0)], Anchor()) is None
