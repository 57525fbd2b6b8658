"""
What an error of a closed surface does to volume, centre of mass and inertia, to first order.

An error is a signed displacement δ along the outward normal, linear over each triangle.  Then dV = ∫ δ dA, the centre
of mass moves by ∫ δ (x - c) dA / V and the second moment about it by ∫ δ (x - c)(x - c)ᵀ dA, each in closed form.
A solid's own volume and moments come from the same integrals for δ = x·n (Gauss), so nothing else has to be trusted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Response:
    """
    Derivatives by k errors, per unit of each (1 for a relative error, m for a distance).

    volume (k,)      of the volume, m³
    com    (k, 3)    of the centre of mass in the mesh's frame, m
    second (k, 3, 3) of the second moment ∫ (x - c)(x - c)ᵀ dV about the centre of mass, m⁵
    solid            that they are derivatives of
    """

    volume: Floats
    com: Floats
    second: Floats
    solid: Solid

    def inertia_at_density(self, density: float) -> Floats:
        """Return (k, 3, 3): of the inertia tensor about the centre of mass where the *density*, kg/m³, is known."""
        return density * _inertia(self.second)

    def inertia_at_mass(self, mass: float) -> Floats:
        """
        Return (k, 3, 3): of the same tensor where the *mass*, kg, was measured.

        The density then follows the volume: a body that is larger than believed is also lighter than believed.
        """
        density = mass / self.solid.volume
        grown = np.einsum("k,ij->kij", self.volume / self.solid.volume, self.solid.inertia(density))
        inertia: Floats = density * _inertia(self.second) - grown
        return inertia

    @classmethod
    def joined(cls, responses: Iterable[Response]) -> Response:
        """
        Return all errors of *responses* (at least one, all of one solid) as one response, in order.

        Raises ValueError where they are of more than one solid.
        """
        parts = list(responses)
        if any(part.solid is not parts[0].solid for part in parts):
            raise ValueError("errors of one solid go together")
        return cls(
            np.concatenate([p.volume for p in parts]),
            np.concatenate([p.com for p in parts]),
            np.concatenate([p.second for p in parts]),
            parts[0].solid,
        )


@dataclass(frozen=True, eq=False)
class Solid:
    """
    A homogeneous solid within a closed, outward triangle mesh: *vertices* (n, 3) in metres, *faces* (m, 3).

    Raises ValueError where an edge is not shared by two faces that run along it opposite ways, and where the mesh
    bounds no volume or bounds it inside out: the integrals over an open surface depend on where its origin lies.
    """

    vertices: Floats
    faces: Ints

    def __post_init__(self) -> None:
        edges = np.concatenate([self.faces[:, [0, 1]], self.faces[:, [1, 2]], self.faces[:, [2, 0]]])
        there, back = (np.sort(e[:, 0] * len(self.vertices) + e[:, 1]) for e in (edges, edges[:, ::-1]))
        if not np.array_equal(there, back):
            raise ValueError("the mesh is not closed: an edge has no face on its other side")
        if not self.volume > 0:
            raise ValueError(f"the mesh bounds a volume of {self.volume:.3g}: its faces look inwards")

    @property
    def volume(self) -> float:
        """Volume, m³."""
        return self._moments[0]

    @property
    def com(self) -> Floats:
        """(3,) centre of mass, m."""
        return self._moments[1]

    @property
    def second(self) -> Floats:
        """(3, 3) second moment ∫ (x - c)(x - c)ᵀ dV about the centre of mass, m⁵."""
        return self._moments[2]

    @cached_property
    def area(self) -> float:
        """Area of the surface, m²."""
        return float(self._areas.sum())

    def inertia(self, density: float) -> Floats:
        """Return the (3, 3) inertia tensor about the centre of mass, kg m², for a *density* in kg/m³."""
        inertia: Floats = density * _inertia(self.second[None])[0]
        return inertia

    def scale(self, origin: ArrayLike = (0, 0, 0)) -> Response:
        """Return the response to ln(scale) about *origin*, the point that a change of scale leaves in place."""
        return self.stretch(np.eye(3), origin)

    def stretch(self, strain: ArrayLike, origin: ArrayLike = (0, 0, 0)) -> Response:
        """
        Return the response to a linear map x → x + *strain* (3, 3) (x - *origin*), per unit of strain.

        diag(1, 0, 0) is the anisotropy E_x - E_z, diag(0, 1, 0) is E_y - E_z, with ln(scale) that of z.
        """
        moved = (self.vertices[self.faces] - np.asarray(origin)) @ np.asarray(strain, dtype=np.float64).T
        return self.field(np.einsum("mai,mi->ma", moved, self._normals))

    def offset(self) -> Response:
        """Return the response to a surface that lies outside the true one everywhere by one distance, per metre."""
        return self.field(np.ones((len(self.faces), 3)))

    def patches(self, labels: ArrayLike, count: int) -> Response:
        """
        Return the response to an offset of each of *count* patches by itself, per metre.

        *labels* (m,) give each face its patch (a face of the object, a view); a negative one is in none.
        """
        label = np.asarray(labels, dtype=np.int64)
        volume, first, second = (moment.sum(axis=1) for moment in self._corner_moments)
        member = label >= 0
        sums = [np.zeros((count, *part.shape[1:])) for part in (volume, first, second)]
        for total, part in zip(sums, (volume, first, second), strict=True):
            np.add.at(total, label[member], part[member])
        return self._response(*sums)

    def field(self, delta: ArrayLike) -> Response:
        """Return the response to one field: *delta* (m, 3) along the outward normal at each corner of each face."""
        at_corners = np.asarray(delta, dtype=np.float64)
        volume, first, second = (np.einsum("ma,ma...->...", at_corners, part) for part in self._corner_moments)
        return self._response(volume[None], first[None], second[None])

    def _response(self, volume: Floats, first: Floats, second: Floats) -> Response:
        return Response(volume, first / self.volume, second, self)

    @cached_property
    def _crosses(self) -> Floats:
        p = self.vertices[self.faces]
        crosses: Floats = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
        return crosses

    @cached_property
    def _areas(self) -> Floats:
        areas: Floats = np.linalg.norm(self._crosses, axis=1) / 2
        return areas

    @cached_property
    def _normals(self) -> Floats:
        """(m, 3) unit normals; those of a face without area are zero, as is all that they would weigh."""
        length = 2 * self._areas[:, None]
        return np.divide(self._crosses, length, out=np.zeros_like(self._crosses), where=length > 0)

    @cached_property
    def _moments(self) -> tuple[float, Floats, Floats]:
        """
        Volume, centre of mass and second moment about it.

        With δ = x·n, a third of ∫ δ dA, a quarter of ∫ δ x dA and a fifth of ∫ δ x xᵀ dA (Gauss), about the middle of
        the vertices, so that a mesh far from the origin loses no digits.
        """
        middle = self.vertices.mean(axis=0)
        p = self.vertices[self.faces] - middle
        heights = np.einsum("mi,mi->m", p[:, 0], self._normals)
        mass, first, second = (np.einsum("m,ma...->...", heights, part) for part in corner_moments(p, self._areas))
        volume = float(mass) / 3
        offset = first / 4 / volume
        return volume, middle + offset, second / 5 - volume * np.outer(offset, offset)

    @cached_property
    def _corner_moments(self) -> tuple[Floats, Floats, Floats]:
        return corner_moments(self.vertices[self.faces] - self.com, self._areas)


def moments_about(axes: Floats, tensors: Floats) -> Floats:
    """
    Return (k, 3): the moments of *tensors* (k, 3, 3) about fixed axes, the columns of *axes* (3, 3).

    About the principal axes of a solid these are the derivatives of its principal moments while those differ.  Where
    two are equal, the larger and the smaller of them have no derivative; moments about fixed axes always have one.
    """
    moments: Floats = np.einsum("ia,kij,ja->ka", axes, tensors, axes)
    return moments


def corner_moments(triangles: Floats, areas: Floats) -> tuple[Floats, Floats, Floats]:
    """
    Return the integrals of 1, x and x xᵀ over each of *triangles* (m, 3, 3), weighted by each of its corners in turn.

    The weight is the linear function λ that is one at the corner and zero at the others, so a field that is linear over
    each triangle needs these sums alone: (m, 3), (m, 3, 3) and (m, 3, 3, 3), the second axis being the corner.
    From ∫ λᵢ λⱼ λₖ dA = 2A i! j! k! / (i+j+k+2)! over the powers.
    """
    p = triangles
    s = p.sum(axis=1)
    zeroth = np.repeat(areas[:, None] / 3, 3, axis=1)
    first = areas[:, None, None] / 12 * (s[:, None] + p)
    same = np.einsum("mbi,mbj->mij", p, p) + np.einsum("mi,mj->mij", s, s)
    mixed = np.einsum("mai,mj->maij", p, s)
    own = 2 * np.einsum("mai,maj->maij", p, p)
    second = areas[:, None, None, None] / 60 * (same[:, None] + mixed + np.swapaxes(mixed, 2, 3) + own)
    return zeroth, first, second


def _inertia(second: Floats) -> Floats:
    """Return (k, 3, 3) tensors (tr S) 1 - S of second moments *second* (k, 3, 3)."""
    inertia: Floats = np.trace(second, axis1=1, axis2=2)[:, None, None] * np.eye(3) - second
    return inertia
