"""
Volume, centre of mass and inertia of a closed triangle mesh, as a solid or as a shell.

All integrals are closed forms over tetrahedra (solid) or prisms (shell), taken about the mesh's own middle so that a
mesh far from the origin loses no digits.  Results are per unit mass: a measured mass multiplies them later.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.errors import SimulationError
from r2s.compiler.ir import Floats, Ints

_SMALLEST_MOMENT = 2e-15  # kg m²; MuJoCo refuses 1e-15


@dataclass(frozen=True, eq=False)
class Distribution:
    """
    How mass is spread.

    measure   volume m³ (solid), or volume by thickness m² (shell: the area where it is thin)
    com       (3,) centre of mass, m
    gyration  (3, 3) inertia tensor about *com* per unit mass, m²
    """

    measure: float
    com: Floats
    gyration: Floats


def solid(triangles: Floats) -> Distribution:
    """
    Return the mass distribution of a homogeneous solid bounded by *triangles* (m, 3, 3), outward, m.

    Each triangle spans a signed tetrahedron with a common apex; for a tetrahedron with corners p_k,
    ∫ x xᵀ = V/20 (Σ p_k p_kᵀ + s sᵀ) with s = Σ p_k, which a monomial check on the unit tetrahedron confirms.
    """
    middle = triangles.mean(axis=(0, 1))
    p = triangles - middle
    s = p.sum(axis=1)
    v = np.einsum("ni,ni->n", p[:, 0], np.cross(p[:, 1], p[:, 2])) / 6
    first = np.einsum("n,ni->i", v, s) / 4
    second = (np.einsum("n,nki,nkj->ij", v, p, p) + np.einsum("n,ni,nj->ij", v, s, s)) / 20
    return _about_com(float(v.sum()), first, second, middle)


def shell(vertices: Floats, faces: Ints, thickness: float = 0.0) -> Distribution:
    """
    Return the mass distribution of a wall of *thickness* m inside a closed mesh (outward, m).

    Each triangle carries a prism that reaches inwards.  Two prisms overlap along a convex edge, and gape at a concave
    one, by a kite that is taken out, or put in.  Left out are the corners and the kites' own width, third order in
    thickness / size: for a cube 6a²t - 12at² stands for 6a²t - 12at² + 8t³.
    """
    triangles = vertices[faces]
    middle = triangles.mean(axis=(0, 1))
    p = triangles - middle
    normal = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
    double = np.linalg.norm(normal, axis=1)
    a = double / 2
    n = normal / np.where(double > 0, double, 1)[:, None]
    s, t = p.sum(axis=1), thickness
    first = np.einsum("n,ni->i", a, s / 3 - t / 2 * n)
    flat = (np.einsum("n,nki,nkj->ij", a, p, p) + np.einsum("n,ni,nj->ij", a, s, s)) / 12
    tilt = np.einsum("n,ni,nj->ij", a, s, n) / 3
    second = flat - t / 2 * (tilt + tilt.T) + t * t / 3 * np.einsum("n,ni,nj->ij", a, n, n)
    kites = _kites(vertices - middle, faces, n, t)
    return _about_com(float(a.sum()) - kites.mass, first - kites.first, second - kites.second, middle)


@dataclass(frozen=True, eq=False)
class _Kites:
    """Zeroth, first and second moments of the prisms' overlaps, over the thickness."""

    mass: float
    first: Floats
    second: Floats


def _kites(vertices: Floats, faces: Ints, n: Floats, t: float) -> _Kites:
    """
    Return what prisms of height *t* on faces with unit normals *n* count twice.

    Across an edge with exterior dihedral angle θ (negative where concave) the overlap is a kite with corners at the
    edge, -t n₁, -t n₂ and -t (n₁ + n₂) / (1 + cos θ): its area is t² tan(θ/2), its centroid that of two triangles.
    """
    owner = np.tile(np.arange(len(faces)), 3)
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    there = np.lexsort((edges[:, 1], edges[:, 0]))
    back = np.lexsort((edges[:, 0], edges[:, 1]))
    once = edges[there, 0] < edges[there, 1]
    near, far = n[owner[there[once]]], n[owner[back[once]]]
    start, end = np.moveaxis(vertices[edges[there[once]]], 1, 0)
    # A knife edge has no finite kite, so the cosine is held off -1.
    bend = 1 + np.maximum(np.einsum("ni,ni->n", near, far), -0.9)
    weight = t * np.einsum("ni,ni->n", np.cross(near, far), end - start) / bend  # ℓ sin θ / (1 + cos θ) = ℓ tan(θ/2)
    inward = t / 3 * (0.5 + 1 / bend)[:, None] * (near + far)
    start, end = start - inward, end - inward
    s = start + end
    ends = np.einsum("n,ni,nj->ij", weight, start, start) + np.einsum("n,ni,nj->ij", weight, end, end)
    second = (ends + np.einsum("n,ni,nj->ij", weight, s, s)) / 6
    return _Kites(float(weight.sum()), np.einsum("n,ni->i", weight, s) / 2, second)


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


def _about_com(measure: float, first: Floats, second: Floats, middle: Floats) -> Distribution:
    offset = first / measure
    spread = second / measure - np.outer(offset, offset)
    spread = (spread + spread.T) / 2
    return Distribution(measure, middle + offset, np.trace(spread) * np.eye(3) - spread)
