"""
Holes of a consistently wound mesh: their loops, and lids with as few triangles as the loop has corners.

Loops in one plane are closed flat, rings included; a crooked loop gets the triangulation of least area
(dynamic programming over the polygon, after Barequet and Sharir 1995); what neither can do gets a fan from its middle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2s.compiler.ir import Bools, Floats, Ints
from r2s.passes.meshes.edges import areas, edges_of

_FLAT = 2e-3  # a loop is planar if no corner leaves the plane by more than this share of the loop's size
_LEAST_AREA_LIMIT = 300  # corners; the cost grows with the cube


@dataclass(frozen=True, eq=False)
class Lid:
    """Faces (k, 3) that close one hole, their area m², the unit normal, whether it is flat, corners of its loops."""

    faces: Ints
    area: float
    normal: Floats
    height: float
    flat: bool
    corners: int


def loops_of(faces: Ints) -> list[list[int]]:
    """
    Return the boundary loops as vertex lists, in the direction that faces filling them must run.

    Where loops touch in a vertex, walking round that vertex through its faces tells which edges belong together.
    """
    edges, count = edges_of(faces), len(faces)
    open_rows = np.flatnonzero(edges.boundary)
    if len(open_rows) == 0:
        return []
    on_rim = np.isin(edges.directed, np.unique(edges.directed[open_rows])).any(axis=1)
    owner = {(int(a), int(b)): int(r) for r, (a, b) in zip(np.flatnonzero(on_rim), edges.directed[on_rim], strict=True)}
    waiting = {(int(b), int(a)) for a, b in edges.directed[open_rows]}
    loops = []
    for start in sorted(waiting):
        if start not in waiting:
            continue
        loop, here = [], start
        while here in waiting:
            waiting.remove(here)
            loop.append(here[0])
            here = _next_rim_edge(here, owner, faces, count)
        loops += _simple(loop)
    return loops


def _next_rim_edge(
    edge: tuple[int, int], owner: dict[tuple[int, int], int], faces: Ints, count: int
) -> tuple[int, int]:
    """Walk round the end of a rim edge, face by face, to the rim edge that starts there."""
    previous, pivot = edge[1], edge[0]
    previous, pivot = pivot, previous
    # The face beside rim edge (b, a) holds (a, b); turn about *pivot* = a until an edge into it has no face beyond.
    after = previous
    while True:
        row = owner[(pivot, after)]
        before = int(faces[row % count, (row // count + 2) % 3])
        if (pivot, before) not in owner:
            return (pivot, before)
        after = before


def _simple(loop: list[int]) -> list[list[int]]:
    """Cut a loop that passes a vertex twice into loops that do not."""
    done: list[list[int]] = []
    path: list[int] = []
    for vertex in loop:
        if vertex in path:
            at = path.index(vertex)
            done.append(path[at:])
            path = path[:at]
        path.append(vertex)
    return [part for part in [*done, path] if len(part) > 2]


def lids(vertices: Floats, faces: Ints) -> tuple[Floats, list[Lid]]:
    """Return the vertices (with the middles of fans appended) and a lid for every hole, rings closed as one."""
    result: list[Lid] = []
    known = {tuple(sorted(map(int, e))) for e in edges_of(faces).undirected}
    for group in _coplanar_groups(vertices, loops_of(faces)):
        corners = [v for loop in group for v in loop]
        normal, flat = _plane(vertices, group)
        triangles = _flat_lid(vertices, group, normal) if flat or len(corners) > _LEAST_AREA_LIMIT else None
        if triangles is None and len(group) == 1 and len(corners) <= _LEAST_AREA_LIMIT:
            triangles = _least_area_lid(vertices, group[0])
        if triangles is None or _meets_itself(triangles, group, known):
            vertices, triangles = _fans(vertices, group)
        known |= {tuple(sorted(map(int, e))) for e in edges_of(triangles).undirected}
        height = float(vertices[corners, 2].mean())
        result.append(Lid(triangles, float(areas(vertices, triangles).sum()), normal, height, flat, len(corners)))
    return vertices, result


def _area_vector(vertices: Floats, loop: list[int]) -> Floats:
    ring = vertices[loop] - vertices[loop].mean(axis=0)
    return np.asarray(np.cross(ring, np.roll(ring, -1, axis=0)).sum(axis=0) / 2)


def _plane(vertices: Floats, group: list[list[int]]) -> tuple[Floats, bool]:
    """Return the unit normal of the loops' area and whether every corner lies in its plane."""
    vector = sum((_area_vector(vertices, loop) for loop in group), np.zeros(3))
    corners = vertices[[v for loop in group for v in loop]]
    size = float(np.linalg.norm(np.ptp(corners, axis=0)))
    length = float(np.linalg.norm(vector))
    if length <= 1e-9 * size**2:
        return np.array([0.0, 0.0, 1.0]), False
    normal = vector / length
    return normal, float(np.ptp(corners @ normal)) <= _FLAT * size


def _coplanar_groups(vertices: Floats, loops: list[list[int]]) -> list[list[list[int]]]:
    """Put a loop that runs the other way round inside a larger one in the same plane into its group: a ring."""
    sizes = [float(np.linalg.norm(_area_vector(vertices, loop))) for loop in loops]
    order = sorted(range(len(loops)), key=lambda i: (-sizes[i], loops[i]))
    groups: list[list[list[int]]] = []
    for i in order:
        home = next((g for g in groups if _is_island(vertices, g[0], loops[i])), None)
        if home is None:
            groups.append([loops[i]])
        else:
            home.append(loops[i])
    return groups


def _is_island(vertices: Floats, outer: list[int], inner: list[int]) -> bool:
    normal, flat = _plane(vertices, [outer])
    if not flat or set(outer) & set(inner) or float(_area_vector(vertices, inner) @ normal) >= 0:
        return False
    size = float(np.linalg.norm(np.ptp(vertices[outer], axis=0)))
    middle = vertices[outer].mean(axis=0)
    if float(np.abs((vertices[inner] - middle) @ normal).max()) > _FLAT * size:
        return False
    across = _axes(normal)
    return bool(_inside((vertices[inner] - middle) @ across.T, (vertices[outer] - middle) @ across.T).all())


def _inside(points: Floats, polygon: Floats) -> Bools:
    """Return for each point of the plane whether the polygon winds around it, by crossings of a ray to the right."""
    (x, y), (x1, y1) = points.T, polygon.T
    x2, y2 = np.roll(polygon, -1, axis=0).T
    spans = (y1 > y[:, None]) != (y2 > y[:, None])
    rise = np.where(y2 == y1, 1.0, y2 - y1)
    right = x1 + (y[:, None] - y1) * (x2 - x1) / rise > x[:, None]
    return np.asarray((spans & right).sum(axis=1) % 2 == 1)


def _axes(normal: Floats) -> Floats:
    """Return (2, 3) unit axes that make a right-handed frame with *normal*."""
    first = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(normal, first)])


def _flat_lid(vertices: Floats, group: list[list[int]], normal: Floats) -> Ints | None:
    """Return a triangulation of the loops seen along *normal*, or None if it folds over."""
    from manifold3d import triangulate

    corners = np.array([v for loop in group for v in loop])
    flat = (vertices[corners] - vertices[corners].mean(axis=0)) @ _axes(normal).T
    flat = flat / np.abs(flat).max()  # the library's tolerances are absolute
    cuts = np.cumsum([len(loop) for loop in group])[:-1]
    local = np.asarray(triangulate([np.ascontiguousarray(p) for p in np.split(flat, cuts)]), dtype=np.int64)
    if len(local) == 0:
        return None
    a, b, c = np.moveaxis(flat[local], 1, 0)
    doubled = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    folds = float(np.abs(doubled).sum() - doubled.sum()) > 1e-6 * float(np.abs(doubled).sum())
    return None if folds else corners[local]


def _least_area_lid(vertices: Floats, loop: list[int]) -> Ints:
    """Return the triangulation (n - 2, 3) of one loop with the least area."""
    corners = vertices[loop]
    n = len(loop)
    best, split = np.zeros((n, n)), np.zeros((n, n), dtype=np.int64)
    for gap in range(2, n):
        for i in range(n - gap):
            j = i + gap
            middle = np.arange(i + 1, j)
            cross = np.cross(corners[middle] - corners[i], corners[j] - corners[i])
            cost = best[i, middle] + best[middle, j] + np.linalg.norm(cross, axis=1) / 2
            split[i, j] = middle[cost.argmin()]
            best[i, j] = cost.min()
    triangles, stack = [], [(0, n - 1)]
    while stack:
        i, j = stack.pop()
        if j - i > 1:
            k = int(split[i, j])
            triangles.append((loop[i], loop[k], loop[j]))
            stack += [(i, k), (k, j)]
    return np.array(triangles, dtype=np.int64)


def _meets_itself(triangles: Ints, group: list[list[int]], known: set[tuple[int, ...]]) -> bool:
    """Return whether a lid's inner edge already exists in the mesh: a third face at one edge would open it again."""
    rim = {tuple(sorted(e)) for loop in group for e in zip(loop, [*loop[1:], loop[0]], strict=True)}
    inner = {tuple(sorted(map(int, e))) for e in edges_of(triangles).undirected} - rim
    return bool(inner & known)


def _fans(vertices: Floats, group: list[list[int]]) -> tuple[Floats, Ints]:
    """Return the vertices with the middle of each loop appended, and fans around them: always closes."""
    faces = []
    for loop in group:
        middle = len(vertices)
        vertices = np.concatenate([vertices, vertices[loop].mean(axis=0)[None]])
        faces += [(a, b, middle) for a, b in zip(loop, [*loop[1:], loop[0]], strict=True)]
    return vertices, np.array(faces, dtype=np.int64)
