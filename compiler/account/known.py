"""What a build knows when its account is made."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.devices import Device, Name, Prior
from r2s.compiler.ir import Anchor
from r2s.compiler.ledger import Method, Term
from r2s.compiler.measured import Measured
from r2s.compiler.responses import SolidResponse


@dataclass(frozen=True, eq=False)
class Matter:
    """
    Mass of the asset, kg, with *u_mass*; *keeps* tells whether mass or density was given.

    *power* is how the filled volume goes with the enclosed one: 1 for a solid, 2/3 for a wall of given thickness.
    *inertia* (3, 3) kg m² and *com* (3,) m are the asset's, None before there is one.  *fill_half* is by how much of
    itself the inertia may be larger with another fill; *com_half* (3,) m how far the centre of mass may be elsewhere.
    """

    mass: float
    u_mass: float
    keeps: str
    method: Method
    provenance: str
    power: float = 1.0
    inertia: NDArray[np.float64] | None = None
    com: NDArray[np.float64] | None = None
    fill_half: float = 0.0
    com_half: tuple[float, ...] = ()
    com_method: tuple[Method, ...] = ()


@dataclass(frozen=True, eq=False)
class Known:
    """
    The readings of the raw scan, the closed surface as a solid, the anchor, the device, and what the passes said.

    *noise* is that of one point, *prior_noise* what a device's multiples of noise are multiples of, m.
    *stopped* says that there are calibrate readings, but the build ended before the scale was fitted on them.
    The sources are digests: of the scan file, of what the scale was fitted on, of the sheet.
    """

    scan: tuple[Measured, ...]
    solid: SolidResponse | None
    anchor: Anchor
    device: Device
    noise: float
    terms: tuple[Term, ...]
    prior_noise: float = 0.0
    matter: Matter | None = None
    stopped: bool = False
    scan_source: str = ""
    scale_source: str = ""
    sheet_source: str = ""

    def prior(self, name: Name) -> Prior | None:
        """
        Return what the device promises of *name*, in units of length where it says it in multiples of noise.

        None where it says nothing, or multiples of a noise that the scan does not have: a drawn mesh.
        """
        found = self.device.prior(name)
        if found is None:
            return None
        resolved = found.resolved(self.prior_noise)
        return resolved if resolved.whole > 0 else None

    @property
    def calibrated(self) -> tuple[tuple[Measured, float], ...]:
        """The scan's readings that the scale was fitted on, with their weights."""
        if self.anchor.calibration is None:
            return ()
        weights = {r.id: r.weight for r in self.anchor.calibration.readings}
        return tuple((m, weights[m.id]) for m in self.scan if m.id in weights and m.there)

    @property
    def u_read(self) -> float:
        """
        What the fitted ln scale owes to the scan, as a standard uncertainty: reading and registration of each length.

        As the fit counts it, so that it can be taken out again: lengths that rest on one face share more than that.
        """
        prior = self.prior("registration")
        face = 0.0 if prior is None else math.hypot(prior.u, prior.value)
        of_each = (w / m.value * math.hypot(m.u, face * math.hypot(*m.views)) for m, w in self.calibrated)
        return math.hypot(*of_each)
