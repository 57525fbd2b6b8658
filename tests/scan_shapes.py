"""Small shapes with known truth for the passes' tests: meshes by index, and clouds sampled from formulas."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from r2s.compiler.ir import Floats, Ints, Scan, floats, ints

MM = 1e-3


def mesh_scan(vertices: Floats, faces: Ints, noise: float = 0.0) -> Scan:
    """A scan with faces, metres."""
    return Scan(
        floats(vertices, -1, 3), floats([], 0, 3), ints(faces, -1, 3), floats(np.eye(4)), noise, MM, 0.0, np.nan, "m"
    )


def cloud_scan(points: Floats, normals: Floats | None = None, *, noise: float = 0.0, support: float = np.nan) -> Scan:
    """A scan without faces, metres; the spacing is measured."""
    from scipy.spatial import cKDTree

    spacing = float(np.median(cKDTree(points).query(points, k=2)[0][:, 1]))
    n = floats([], 0, 3) if normals is None else floats(normals, -1, 3)
    return Scan(floats(points, -1, 3), n, ints([], 0, 3), floats(np.eye(4)), noise, spacing, 0.0, support, "m")


def box(size: tuple[float, float, float], at: tuple[float, float, float] = (0, 0, 0)) -> tuple[Floats, Ints]:
    """A closed box of 8 vertices and 12 outward faces, its low corner *at*, metres."""
    corners = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)], dtype=float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return corners * size + np.array(at, dtype=float), np.array(faces, dtype=np.int64)


def sphere(radius: float, levels: int = 4) -> tuple[Floats, Ints]:
    """A closed sphere of 20 * 4**levels outward faces, metres."""
    import trimesh

    mesh = trimesh.creation.icosphere(subdivisions=levels, radius=radius)
    return np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=np.int64)


def together(*parts: tuple[Floats, Ints]) -> tuple[Floats, Ints]:
    """Several meshes as one, without shared vertices."""
    starts = np.cumsum([0, *(len(v) for v, _ in parts)])
    return np.concatenate([v for v, _ in parts]), np.concatenate(
        [f + s for (_, f), s in zip(parts, starts, strict=False)]
    )


def sphere_cloud(radius: float, count: int, noise: float, seed: int = 1) -> Floats:
    """Points all over a sphere with normal noise along the radius."""
    rng = np.random.default_rng(seed)
    ray = rng.normal(size=(count, 3))
    ray /= np.linalg.norm(ray, axis=1, keepdims=True)
    return ray * (radius + noise * rng.normal(size=(count, 1)))


def rounded_cube_distance(points: Floats, half: float, radius: float) -> Floats:
    """Signed distance to a cube of half-width *half* with edges of *radius*, about the origin."""
    q = np.abs(points) - (half - radius)
    return np.linalg.norm(np.maximum(q, 0), axis=1) + np.minimum(q.max(axis=1), 0) - radius


def cube_on_table(half: float, radius: float, count: int, noise: float, seed: int = 2) -> Floats:
    """Points on a rounded cube whose underside (below its edge radius) no one saw, with noise along the normal."""
    rng = np.random.default_rng(seed)
    rough = rng.uniform(-1, 1, size=(6 * count, 3))
    face = rng.integers(0, 6, size=len(rough))
    rough[np.arange(len(rough)), face % 3] = np.where(face < 3, -1.0, 1.0)
    core = np.clip(rough * half, -(half - radius), half - radius)
    ray = rough * half - core
    ray /= np.linalg.norm(ray, axis=1, keepdims=True)
    points = core + ray * (radius + noise * rng.normal(size=(len(ray), 1)))
    seen = points[ray[:, 2] > -0.7]
    return seen[:count]


def cup_cloud(radius: float, height: float, wall: float, pitch: float, noise: float, seed: int = 3) -> Floats:
    """Points on a cup that stands on a table: outer wall, rim, inner wall, inner floor; no underside."""
    rng = np.random.default_rng(seed)
    inner = radius - wall

    def tube(r: float, low: float) -> Floats:
        n = int(2 * np.pi * r * (height - low) / pitch**2)
        a, z = rng.uniform(0, 2 * np.pi, n), rng.uniform(low, height, n)
        s = r + noise * rng.normal(size=n)
        return np.stack([s * np.cos(a), s * np.sin(a), z], axis=1)

    def ring(low: float, high: float, z: float) -> Floats:
        n = int(np.pi * (high**2 - low**2) / pitch**2)
        r, a = np.sqrt(rng.uniform(low**2, high**2, n)), rng.uniform(0, 2 * np.pi, n)
        return np.stack([r * np.cos(a), r * np.sin(a), z + noise * rng.normal(size=n)], axis=1)

    return np.concatenate([tube(radius, 0.0), tube(inner, wall), ring(inner, radius, height), ring(0.0, inner, wall)])


def lathe(profile: list[tuple[float, float]], sides: int) -> tuple[Floats, Ints]:
    """
    A closed prism-like body of *sides* flat sides around z, from its *profile* of (radius, height), metres.

    The profile runs from axis to axis with the material on its left; the middles of the sides lie on its radii, and the
    edges between sides at multiples of a whole turn over *sides*.
    """
    turn = np.arange(sides) * 2 * np.pi / sides
    ring = np.column_stack([np.cos(turn), np.sin(turn)]) / np.cos(np.pi / sides)
    rings, vertices, faces = [], [], []
    for radius, height in profile:
        count = sides if radius > 0 else 1
        rings.append(sum(map(len, vertices)) + np.arange(sides) % count)
        vertices.append(np.column_stack([radius * ring[:count], np.full(count, height)]))
    for low, high in pairwise(rings):
        for a, b, c, d in zip(low, np.roll(low, -1), np.roll(high, -1), high, strict=True):
            faces += [t for t in ((a, b, c), (a, c, d)) if len(set(t)) == 3]
    return np.concatenate(vertices), np.array(faces, dtype=np.int64)


def ball(radius: float, levels: int = 2) -> tuple[Floats, Ints]:
    """A closed convex body of flat faces that all touch a sphere; three of them meet at each corner, metres."""
    from scipy.spatial import HalfspaceIntersection

    planes = np.column_stack([sphere(1.0, levels)[0], np.full(len(sphere(1.0, levels)[0]), -radius)])
    return hull(HalfspaceIntersection(planes, np.zeros(3)).intersections)


def hull(points: Floats) -> tuple[Floats, Ints]:
    """The convex hull as a closed outward mesh."""
    import trimesh

    mesh = trimesh.convex.convex_hull(points)
    return np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=np.int64)


def outward(vertices: Floats, faces: Ints) -> Floats:
    """Unit normals (m, 3) of a mesh's faces."""
    a, b, c = np.moveaxis(vertices[faces], 1, 0)
    cross = np.cross(b - a, c - a)
    return np.asarray(cross / np.linalg.norm(cross, axis=1)[:, None])


def moved(shape: tuple[Floats, Ints], out: Floats) -> tuple[Floats, Ints]:
    """
    The same body with the plane of each face moved outwards by its *out* (m,), metres, whatever that does to its edges.

    At each corner three planes must meet, or more that move alike: their new common point is the new corner.
    """
    vertices, faces = shape
    normals, new = outward(vertices, faces), vertices.copy()
    order = np.argsort(faces.ravel(), kind="stable")
    meeting = np.split(order // 3, np.cumsum(np.bincount(faces.ravel(), minlength=len(vertices)))[:-1])
    for corner, at in enumerate(meeting):
        step = np.linalg.lstsq(normals[at], out[at], rcond=1e-6)[0]
        assert np.allclose(normals[at] @ step, out[at], rtol=0, atol=1e-6 * np.abs(out).max()), "no common corner"
        new[corner] += step
    return new, faces
