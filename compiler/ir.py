"""
The values that passes hand on: Scan, Surface, Hulls, Asset.

Metres, right-handed, z up, float64, read-only arrays; each value holds its source, so ``hulls.surface.scan`` works.
Everything is frozen.  ``verify()`` raises InvalidInputError where a value breaks its own rules;
``digest()`` is a SHA-256 over field names, dtypes, shapes and little-endian bytes, the sources' digests included.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.calibration import Calibration
from r2s.compiler.codec import digest_of
from r2s.compiler.errors import InternalError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

PieceKind = Literal["mesh", "box", "sphere", "capsule"]


def floats(value: object, *shape: int) -> Floats:
    """Return a read-only float64 copy of *value*; -1 in *shape* is any length."""
    return _frozen(np.array(value, dtype="<f8", order="C"), shape)


def ints(value: object, *shape: int) -> Ints:
    """Return a read-only int64 copy of *value*; -1 in *shape* is any length."""
    return _frozen(np.array(value, dtype="<i8", order="C"), shape)


def bools(value: object, *shape: int) -> Bools:
    """Return a read-only boolean copy of *value*; -1 in *shape* is any length."""
    return _frozen(np.array(value, dtype="?", order="C"), shape)


def _frozen(array: NDArray, shape: tuple[int, ...]) -> NDArray:  # type: ignore[type-arg]  # one helper for three dtypes
    if shape:
        array = array.reshape(shape)
    array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False)
class Source:
    """
    The input file, before anything was read: its suffix in lower case, and the SHA-256 of its bytes.

    *path* is where the bytes are now; it is no part of the digest, so a moved file is the same source.
    """

    format: str
    sha256: str
    path: str = field(default="", metadata={"digest": False})

    def digest(self) -> str:
        """SHA-256 over format and content."""
        return digest_of(self)


@dataclass(frozen=True, eq=False)
class Scan:
    """
    Points that an instrument saw, cleaned, in metres and z up.

    points      (n, 3); for a mesh its vertices
    normals     (n, 3) unit outward where the file had usable ones, else (0, 3)
    faces       (m, 3) into points; (0, 3) for a cloud
    from_source (4, 4) maps the file's numbers to *points* (unit, axes, and the offset that keeps numbers small)
    noise       standard deviation of one point along the surface normal, m, estimated from local fits; 0 if unknowable
    spacing     median distance to the nearest neighbour, m
    floor       resolution floor, m: smaller features are not trusted
    support     height z of the support plane, m, when the underside rests on one; nan otherwise
    """

    points: Floats
    normals: Floats
    faces: Ints
    from_source: Floats
    noise: float
    spacing: float
    floor: float
    support: float
    unit: str

    @property
    def is_mesh(self) -> bool:
        """Whether the scan came with faces."""
        return len(self.faces) > 0

    @property
    def diagonal(self) -> float:
        """Length of the axis-aligned box's diagonal, m."""
        return float(np.linalg.norm(np.ptp(self.points, axis=0)))

    def verify(self) -> None:
        """Raise InternalError if a rule of the class is broken."""
        _expect(self.points.ndim == 2 and self.points.shape[1] == 3, "Scan.points must be (n, 3)")
        _expect(bool(np.isfinite(self.points).all()), "Scan.points must be finite")
        _expect(len(self.normals) in (0, len(self.points)), "Scan.normals must be (n, 3) or (0, 3)")
        _expect(_indices_fit(self.faces, len(self.points)), "Scan.faces must index points")

    def digest(self) -> str:
        """SHA-256 over all fields."""
        return digest_of(self)


@dataclass(frozen=True, eq=False)
class Surface:
    """
    A closed, oriented, outward triangle mesh.

    vertices (n, 3) m, faces (m, 3), observed (m,) True where scan points support the face.
    *origin* is the surface that this one simplifies, None for the first.
    """

    vertices: Floats
    faces: Ints
    observed: Bools
    scan: Scan
    origin: Surface | None = None

    @property
    def first(self) -> Surface:
        """The surface before any simplification."""
        return self if self.origin is None else self.origin.first

    @property
    def diagonal(self) -> float:
        """Length of the axis-aligned box's diagonal, m."""
        return float(np.linalg.norm(np.ptp(self.vertices, axis=0)))

    @property
    def triangles(self) -> Floats:
        """(m, 3, 3) corner coordinates, m."""
        return self.vertices[self.faces]

    @property
    def volume(self) -> float:
        """Enclosed volume, m³, by the divergence theorem."""
        a, b, c = np.moveaxis(self.triangles - self.vertices.mean(axis=0), 1, 0)
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)

    @property
    def area(self) -> float:
        """Surface area, m²."""
        a, b, c = np.moveaxis(self.triangles, 1, 0)
        return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)

    def verify(self) -> None:
        """Raise InternalError unless closed (every edge once each way) and outward (positive volume)."""
        _expect(bool(np.isfinite(self.vertices).all()), "Surface.vertices must be finite")
        _expect(_indices_fit(self.faces, len(self.vertices)), "Surface.faces must index vertices")
        _expect(self.observed.shape == (len(self.faces),), "Surface.observed must have one entry a face")
        _expect(is_closed(self.faces), "Surface must be closed and consistently wound")
        _expect(self.volume > 0, "Surface must face outward")

    def digest(self) -> str:
        """SHA-256 over all fields and the sources."""
        return digest_of(self)


@dataclass(frozen=True, eq=False)
class Piece:
    """
    One convex collision geom.

    ``mesh``: vertices (k, 3) m and outward faces (f, 3).
    ``box``, ``sphere``, ``capsule``: center (3,) m, rotation (3, 3) with the piece's axes as columns, and size (3,) in
    MuJoCo's meaning: half-lengths; radius; radius and half-length of the z segment; unused entries are 0.
    """

    kind: PieceKind
    vertices: Floats
    faces: Ints
    center: Floats
    rotation: Floats
    size: Floats


@dataclass(frozen=True, eq=False)
class Anchor:
    """
    The scale that calipers gave: *factor* multiplies every coordinate of the chain to give the asset's metres.

    *u* is the standard uncertainty of ln factor (nan if nothing was measured), *dof* its degrees of freedom,
    *applied* whether the fitted scale was applied (else factor is 1 and *fitted* tells what the fit said).
    *calibration* is how the readings stood the test, None where there are none.
    """

    factor: float = 1.0
    fitted: float = 1.0
    u: float = float("nan")
    dof: float = float("inf")
    applied: bool = False
    method: Literal["measured", "declared", "assumed"] = "declared"
    reason: str = ""
    calibration: Calibration | None = None


@dataclass(frozen=True, eq=False)
class Hulls:
    """
    Convex pieces whose union stands for the surface in contact.

    Coordinates are those of ``surface``; ``anchor.factor`` takes both to the asset's metres.
    """

    pieces: tuple[Piece, ...]
    surface: Surface
    anchor: Anchor = Anchor()

    def verify(self) -> None:
        """Raise InternalError if there is no piece or a piece is not finite."""
        _expect(len(self.pieces) > 0, "Hulls must hold a piece")
        for piece in self.pieces:
            _expect(bool(np.isfinite(piece.vertices).all()), "Piece.vertices must be finite")

    def digest(self) -> str:
        """SHA-256 over all fields and the sources."""
        return digest_of(self)


@dataclass(frozen=True, eq=False)
class Asset:
    """
    The emitted files, as bytes, and the facts that MuJoCo read back from them.

    *files* are (name, bytes) pairs in the order of writing; names are within the meshes' folder and content-named.
    *xml* and *scene* are templates with ``{build_key}`` still to be filled by the manager.
    *to_asset* (4, 4) maps the scan's metric frame (``hulls.surface``) to the asset's frame, scale included.
    """

    name: str
    xml: str
    scene: str
    slots: str
    file_names: tuple[str, ...]
    file_bytes: tuple[bytes, ...]
    to_asset: Floats
    mass: float
    com: Floats
    inertia: Floats
    hulls: Hulls

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield (name, bytes) of each mesh file."""
        return zip(self.file_names, self.file_bytes, strict=True)

    def verify(self) -> None:
        """Raise InternalError unless mass and inertia are positive and finite."""
        _expect(self.mass > 0, "Asset.mass must be positive")
        _expect(bool(np.linalg.eigvalsh(self.inertia).min() > 0), "Asset.inertia must be positive definite")

    def digest(self) -> str:
        """SHA-256 over all fields and the sources."""
        return digest_of(self)


Value = Source | Scan | Surface | Hulls | Asset


def is_closed(faces: Ints) -> bool:
    """Return whether every directed edge occurs once and its reverse once."""
    if len(faces) == 0:
        return False
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    there = np.unique(edges, axis=0)
    back = np.unique(edges[:, ::-1], axis=0)
    return len(there) == len(edges) and np.array_equal(there, back)


def _indices_fit(faces: Ints, count: int) -> bool:
    return faces.ndim == 2 and faces.shape[1] == 3 and (len(faces) == 0 or (faces.min() >= 0 and faces.max() < count))


def _expect(holds: bool, rule: str) -> None:
    if not holds:
        raise InternalError("R2S901", f"broken value between passes: {rule}", hint="please report this with the scan")
