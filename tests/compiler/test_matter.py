"""Mass and its spread as the account takes them from a caliper sheet, or from a finished asset and its slots."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from r2s.compiler.account import matter_of_asset, matter_of_sheet
from r2s.compiler.ledger import StandardUncertainty
from r2s.compiler.readings import Fill, Quantity, Sheet

VOLUME = 4.8e-4


def sheet(**changed: Any) -> Sheet:
    return replace(Sheet("", (), None, None, Fill(), (), (), ""), **changed)


GRAMS = Quantity(0.25, 0.002, "kg", "measured")
DENSITY = Quantity(1240.0, 20.0, "kg/m^3", "declared")


def test_a_sheet_tells_the_mass_before_there_is_an_asset() -> None:
    weighed, dense = matter_of_sheet(sheet(mass=GRAMS), VOLUME), matter_of_sheet(sheet(density=DENSITY), VOLUME)
    assert weighed is not None
    assert dense is not None

    assert (weighed.mass, weighed.keeps, weighed.method) == (0.25, "mass", "measured")
    assert weighed.u_mass == pytest.approx(0.002 / math.sqrt(3))
    assert (dense.mass, dense.keeps, dense.method) == (pytest.approx(1240 * VOLUME), "density", "declared")
    assert dense.u_mass == pytest.approx(20 * VOLUME / math.sqrt(3))
    assert matter_of_sheet(sheet(), VOLUME) is None
    assert matter_of_sheet(sheet(density=DENSITY, fill=Fill("shell", 0.002)), VOLUME) is None


def test_a_mass_without_an_accuracy_is_taken_to_one_percent_and_a_density_to_five() -> None:
    weighed = matter_of_sheet(sheet(mass=replace(GRAMS, accuracy=0.0)), VOLUME)
    dense = matter_of_sheet(sheet(density=replace(DENSITY, accuracy=0.0)), VOLUME)
    assert weighed is not None
    assert dense is not None

    assert weighed.u_mass / weighed.mass == pytest.approx(0.01 / math.sqrt(3))
    assert dense.u_mass / dense.mass == pytest.approx(0.05 / math.sqrt(3))


def test_an_asset_tells_its_spread_by_its_slots() -> None:
    said = StandardUncertainty("emit.mass.u", "mass", 0.002, "kg", "normal", 9.0, "declared", "weighed", "offset", "m")
    asset: Any = SimpleNamespace(mass=0.25, com=[0.0, 0.001, 0.05], inertia=np.eye(3).ravel() * 1e-4)
    slots = [
        {"name": "inertia", "nominal": 1.0, "lo": 0.9, "hi": 1.6, "method": "assumed"},
        {"name": "com/y", "nominal": 0.0, "lo": -0.004, "hi": 0.001, "method": "measured"},
    ]
    of = matter_of_asset(asset, sheet(mass=GRAMS), [said], slots)
    shell = matter_of_asset(asset, sheet(density=DENSITY, fill=Fill("shell", 0.002)), [said], [])
    assert of is not None
    assert shell is not None

    assert (of.mass, of.u_mass, of.keeps, of.method, of.power) == (0.25, 0.002, "mass", "declared", 1.0)
    assert of.fill_half == pytest.approx(0.6)
    assert of.com_half == (0.0, 0.004, 0.0)
    assert of.com_method == ("assumed", "measured", "assumed")
    assert (shell.keeps, shell.power, shell.fill_half) == ("density", pytest.approx(2 / 3), 0.0)
    assert matter_of_asset(asset, sheet(), [], []) is None
