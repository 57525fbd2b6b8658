"""Mass and its spread as the account sees them: from the asset where there is one, else from the caliper sheet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from r2s.compiler.account.known import Matter
from r2s.compiler.ir import Asset
from r2s.compiler.ledger import StandardUncertainty, Term
from r2s.compiler.readings import NO_ACCURACY, Sheet

_WALL = 2 / 3  # the volume of a wall goes with the area, which goes with the enclosed volume to this power


def matter_of_asset(
    asset: Asset, sheet: Sheet, terms: Iterable[Term], slots: Sequence[Mapping[str, Any]]
) -> Matter | None:
    """Return the matter of a finished *asset*, kg and m in its frame; *slots* are those of its file."""
    said = next((t for t in terms if isinstance(t, StandardUncertainty) and t.id == "emit.mass.u"), None)
    if said is None:
        return None
    by_name = {slot["name"]: slot for slot in slots}
    com = [by_name.get(f"com/{axis}") for axis in "xyz"]
    inertia = by_name.get("inertia")
    return Matter(
        mass=asset.mass,
        u_mass=said.u,
        keeps="mass" if sheet.mass is not None else "density",
        method=said.method,
        provenance=said.evidence,
        power=_power(sheet),
        inertia=np.array(asset.inertia, dtype=np.float64).reshape(3, 3),
        com=np.array(asset.com, dtype=np.float64),
        fill_half=inertia["hi"] - inertia["nominal"] if inertia is not None else 0.0,
        com_half=tuple(max(abs(s["lo"]), abs(s["hi"])) if s is not None else 0.0 for s in com),
        com_method=tuple(s["method"] if s is not None else "assumed" for s in com),
    )


def matter_of_sheet(sheet: Sheet, volume: float) -> Matter | None:
    """Return the mass of a body of that enclosed *volume*, m³, before an asset is made; None where nobody knows it."""
    if sheet.mass is not None:
        half = sheet.mass.accuracy or NO_ACCURACY["mass"] * sheet.mass.value
        said = f"{sheet.mass.method} {sheet.mass.value * 1e3:.6g} g"
        return Matter(sheet.mass.value, half / 3**0.5, "mass", sheet.mass.method, said)
    if sheet.density is None or sheet.fill.kind == "shell":
        return None
    density = sheet.density
    half = density.accuracy or NO_ACCURACY["density"] * density.value
    said = f"{density.method} density {density.value:.6g} kg/m3"
    return Matter(density.value * volume, half / 3**0.5 * volume, "density", density.method, said)


def _power(sheet: Sheet) -> float:
    return _WALL if sheet.fill.kind == "shell" else 1.0
