"""
Volume, centre of mass and inertia of a closed triangle mesh, as a solid or as a thin shell.

All integrals are closed forms over tetrahedra (solid) or triangles (shell), taken about the mesh's own middle so that a
mesh far from the origin loses no digits.  Results are per unit mass: a measured mass multiplies them later.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.errors import SimulationError
from r2s.compiler.ir import Floats

_SMALLEST_MOMENT = 2e-15  # kg m²; MuJoCo refuses 1e-15


@dataclass(frozen=True, eq=False)
class Distribution:
    """
    How mass is spread.

    measure   volume, m³, or the area of a thin shell, m²
    com       (3,) centre of mass, m
    gyration  (3, 3) inertia tensor about *com* per unit mass, m²
    """

    measure: float
    com: Floats
    gyration: Floats


@dataclass(frozen=True, eq=False)
class Moments:
    """Zeroth, first (3,) and second (3, 3) moment of a volume or an area about an origin: ∫ 1, ∫ x and ∫ x xᵀ."""

    mass: float
    first: Floats
    second: Floats

    @classmethod
    def none(cls) -> Moments:
        """Return the moments of nothing."""
        return cls(0.0, np.zeros(3), np.zeros((3, 3)))

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.mass + other.mass, self.first + other.first, self.second + other.second)

    def __sub__(self, other: Moments) -> Moments:
        return Moments(self.mass - other.mass, self.first - other.first, self.second - other.second)


def solid(triangles: Floats) -> Distribution:
    """Return the mass distribution of a homogeneous solid bounded by *triangles* (m, 3, 3), outward, m."""
    middle = triangles.mean(axis=(0, 1))
    return distribution(moments(triangles - middle), middle)


def moments(p: Floats) -> Moments:
    """
    Return the moments about the origin of the solid bounded by triangles *p* (m, 3, 3), outward, m.

    Each triangle spans a signed tetrahedron with a common apex; for a tetrahedron with corners p_k,
    ∫ x xᵀ = V/20 (Σ p_k p_kᵀ + s sᵀ) with s = Σ p_k, which a monomial check on the unit tetrahedron confirms.
    """
    s = p.sum(axis=1)
    v = np.einsum("ni,ni->n", p[:, 0], np.cross(p[:, 1], p[:, 2])) / 6
    first = np.einsum("n,ni->i", v, s) / 4
    second = (np.einsum("n,nki,nkj->ij", v, p, p) + np.einsum("n,ni,nj->ij", v, s, s)) / 20
    return Moments(float(v.sum()), first, second)


def shell(triangles: Floats) -> Distribution:
    """
    Return the mass distribution of a thin shell on *triangles* (m, 3, 3), m: mass by area.

    Over a triangle ∫ x xᵀ dA = A/12 (Σ p_k p_kᵀ + s sᵀ).
    """
    middle = triangles.mean(axis=(0, 1))
    p = triangles - middle
    a = np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1) / 2
    s = p.sum(axis=1)
    first = np.einsum("n,ni->i", a, s) / 3
    second = (np.einsum("n,nki,nkj->ij", a, p, p) + np.einsum("n,ni,nj->ij", a, s, s)) / 12
    return distribution(Moments(float(a.sum()), first, second), middle)


def physical(inertia: Floats) -> Floats:
    """
    Return *inertia* (3, 3) kg m², with the roundoff of a flat or line-like body removed.

    No moment of a real body exceeds the sum of the others; MuJoCo refuses one that does, by however little, and the
    text of the MJCF keeps twelve digits, so a little room is left.
    Raises SimulationError where that is more than roundoff, or where a moment is too small for MuJoCo.
    """
    moments, axes = np.linalg.eigh(inertia)
    excess = float(moments[2] - moments[0] - moments[1])
    if not moments[0] > 0 or excess > 1e-9 * moments[2]:
        said = " ".join(f"{m:.3g}" for m in moments)
        text = f"no body has the principal moments of inertia {said} kg m2"
        raise SimulationError("R2S712", text, hint="the closed surface intersects itself; repair it")
    if moments[0] < _SMALLEST_MOMENT:
        text = (
            f"the moment of inertia {moments[0]:.2g} kg m2 is too small for MuJoCo (limit {_SMALLEST_MOMENT:g} kg m2)"
        )
        raise SimulationError("R2S713", text, hint="check the unit of the scan and of the mass")
    room = 5e-12 * moments[2]
    if excess <= -room:
        return inertia
    moments[2] -= excess + room
    lowered: Floats = axes @ np.diag(moments) @ axes.T
    return lowered


def distribution(of: Moments, origin: Floats) -> Distribution:
    """Return the distribution with the moments *of* about *origin* (3,), m."""
    offset = of.first / of.mass
    spread = of.second / of.mass - np.outer(offset, offset)
    spread = (spread + spread.T) / 2
    return Distribution(of.mass, origin + offset, np.trace(spread) * np.eye(3) - spread)
