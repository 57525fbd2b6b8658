"""
Where the asset's mass comes from, how it is spread, and whether a material of that density exists.

The reading of a balance comes first, then a density times the volume, then 1000 kg/m³ with a warning.
How the object is filled decides the inertia at a given mass: a sphere gains 67 % from solid to shell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.errors import Diagnostic, InvalidInputError
from r2s.compiler.ir import Floats, Ints
from r2s.compiler.ledger import Method
from r2s.compiler.readings import NO_ACCURACY, Fill, Quantity
from r2s.compiler.slots import Distribution as Law
from r2s.compiler.slots import Keeps
from r2s.passes.mjcf import massprops as _massprops
from r2s.passes.mjcf.hollow import wall
from r2s.passes.mjcf.massprops import Distribution
from r2s.passes.mjcf.rotation import principal

ASSUMED_DENSITY = 1000.0
ASSUMED_RANGE = (300.0, 3000.0)

_COPPER, _STEEL, _FOAM, _HOLLOW = 8960.0, 7850.0, 30.0, 800.0  # kg/m³
_HARDLY_HOLLOW = 0.01  # of the inside: what a wall must leave


@dataclass(frozen=True, eq=False)
class Matter:
    """
    What the object is made of, geometrically, in the surface's frame and the asset's metres.

    *volume* is enclosed, *material* is the part of it that is filled, m³; *nominal* is the distribution of mass that
    the asset gets, *other* the one at the far end of what the fill allows (the same where the fill is known).
    """

    fill: Fill
    volume: float
    material: float
    nominal: Distribution
    other: Distribution

    @property
    def inertia_range(self) -> tuple[float, float]:
        """Smallest and largest factor on the nominal inertia that the fill allows, over the principal axes."""
        moments, axes = principal(self.nominal.gyration)
        ratios = np.diag(axes.T @ self.other.gyration @ axes) / moments
        return min(1.0, float(ratios.min())), max(1.0, float(ratios.max()))


@dataclass(frozen=True, eq=False)
class Mass:
    """The asset's mass, kg, its interval and where both come from; *keeps* as in a slot."""

    value: float
    lo: float
    hi: float
    law: Law
    method: Method
    provenance: str
    keeps: Keeps


def fill_with(vertices: Floats, faces: Ints, fill: Fill) -> Matter:
    """Return the matter of a closed mesh (metres) with that *fill*; raise InvalidInputError for a wall with no room."""
    triangles = vertices[faces]
    solid = _massprops.solid(triangles)
    if fill.kind != "shell":
        other = _massprops.shell(triangles) if fill.kind == "unknown" else solid
        return Matter(fill, solid.measure, solid.measure, solid, other)
    made = wall(vertices, faces, fill.thickness)
    hollow = 1 - made.measure / solid.measure
    if hollow < _HARDLY_HOLLOW:
        raise InvalidInputError(
            "R2S714",
            f"a wall of {fill.thickness * 1e3:.3g} mm is no shell of this object: "
            f"it leaves {100 * max(hollow, 0.0):.2g} % of the inside hollow",
            hint="give fill: solid, or the real wall thickness",
        )
    return Matter(fill, solid.measure, made.measure, made, made)


def weigh(matter: Matter, mass: Quantity | None, density: Quantity | None) -> Mass:
    """Return the mass by the first of: the reading, the density, the assumption."""
    if mass is not None:
        value = _twelve(mass.value)
        half, note = _half_width(mass, "mass")
        said = f"{mass.method} {mass.value * 1e3:.6g} g +- {half * 1e3:.3g} g{note}"
        return Mass(value, max(value - half, 0.0), value + half, "uniform", mass.method, said, "mass")
    if density is not None:
        half, note = _half_width(density, "density")
        value, spread = _twelve(density.value * matter.material), half * matter.material
        said = f"{density.method} density {density.value:.6g} +- {half:.3g} kg/m3{note}, times {_cm3(matter.material)}"
        method: Method = "assumed" if density.method == "assumed" else "declared"
        return Mass(value, max(value - spread, 0.0), value + spread, "uniform", method, said, "density")
    lo, hi = (r * matter.material for r in ASSUMED_RANGE)
    said = f"nobody weighed it: {ASSUMED_DENSITY:g} kg/m3 assumed, times {_cm3(matter.material)}"
    return Mass(_twelve(ASSUMED_DENSITY * matter.material), lo, hi, "log_uniform", "assumed", said, "density")


def judge_mass(matter: Matter, mass: Mass, density: Quantity | None, factor: float) -> tuple[Diagnostic, ...]:
    """Return what the user should know about the mass, its density, and the fill; *factor* is the anchor's."""
    found = []
    if mass.method == "assumed":
        low, high = ASSUMED_RANGE
        found.append(
            Diagnostic(
                "warning",
                "R2S701",
                f"nobody weighed the object: {_grams(mass.value)} assumed, {ASSUMED_DENSITY:g} kg/m3 "
                f"in {_cm3(matter.material)}; {low:g} to {high:g} kg/m3 make {_grams(mass.lo)} to {_grams(mass.hi)}",
                "add mass: {value: ..., unit: g} to the caliper sheet",
            )
        )
    found += _judge_density(matter, mass, density, factor)
    if matter.fill.kind == "unknown":
        lo, hi = (f * mass.value * float(principal(matter.nominal.gyration)[0].max()) for f in matter.inertia_range)
        found.append(
            Diagnostic(
                "note",
                "R2S703",
                f"nobody said how the object is filled: its largest moment of inertia is {lo:.2g} kg m2 if solid "
                f"and up to {hi:.2g} kg m2 if a thin shell, a slot",
                "add fill: solid, or fill: {shell: ..., unit: mm}",
            )
        )
    return tuple(found)


def _judge_density(matter: Matter, mass: Mass, density: Quantity | None, factor: float) -> list[Diagnostic]:
    real = mass.value / matter.material
    said = f"{_grams(mass.value)} in {_cm3(matter.material)} is {real / 1e3:.3g} g/cm3"
    if factor != 1:
        said += f" ({real * factor**3 / 1e3:.3g} g/cm3 before the scale was corrected by {100 * (factor - 1):+.1f} %)"
    if real > _COPPER:
        than = f"denser than steel ({_STEEL / 1e3:.3g} g/cm3)"
        text = f"{said}, {than}: the mesh is too thin or the mass is wrong"
        return [Diagnostic("warning", "R2S704", text, "check the unit of the mass and the thickness of the mesh")]
    if real < _FOAM:
        text = f"{said}, lighter than packing foam ({_FOAM / 1e3:.2g} g/cm3)"
        return [Diagnostic("warning", "R2S705", text, "check the unit of the mass or density")]
    if density is not None and mass.keeps == "mass" and real > 1.1 * density.value:
        text = f"{said}, more than the {density.value / 1e3:.3g} g/cm3 of its material"
        return [Diagnostic("warning", "R2S709", text, "check the mass, the density and the thickness of the mesh")]
    if matter.fill.kind == "unknown" and mass.keeps == "mass" and real < _HOLLOW:
        return [
            Diagnostic("note", "R2S706", f"{real:.3g} kg/m3 if solid: probably hollow", "add fill to the caliper sheet")
        ]
    return []


def _half_width(quantity: Quantity, kind: str) -> tuple[float, str]:
    if quantity.accuracy > 0:
        return quantity.accuracy, ""
    return NO_ACCURACY[kind] * quantity.value, f" ({NO_ACCURACY[kind]:.0%} assumed: the sheet gives no accuracy)"


def _twelve(value: float) -> float:
    """Return *value* to the twelve digits that the MJCF holds, so that XML, slots and asset say the same."""
    return float(f"{value:.12g}")


def _grams(kilograms: float) -> str:
    return f"{kilograms * 1e3:.3g} g" if kilograms < 1 else f"{kilograms:.4g} kg"


def _cm3(cubic_metres: float) -> str:
    return f"{cubic_metres * 1e6:.3g} cm3"
