"""
Points that say nothing or cannot be used: not finite, doubled, unused, stray; and sets of points that enclose nothing.

Everything works in whatever unit the points have, since the unit is settled on cleaned points.
Each step is a pure function that returns what stays and tells how much went.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from r2s.compiler.errors import Diagnostic, InvalidInputError
from r2s.compiler.ir import Bools, Floats, Ints
from r2s.passes.points.nearest import nearest, tree_of

# A box of 1/250 of the object's diagonal is coarser than any caliper feature worth compiling.
COARSEST_STEP = 1 / 250
# Flatter than this fraction of its length, a set of points is a plane up to rounding; a 0.05 mm sheet is 1/2000.
FLAT = 1e-6
# Two clusters of points belong together if a gap of this many typical neighbour distances separates them.
LINK = 4.0
NEIGHBOURS = 8
# A cluster that holds more than this share of the points is a part of the object, however far away.
STRAY_SHARE = 0.005


@dataclass(frozen=True, eq=False)
class Points:
    """Points with the normals (or none) and faces (or none) that belong to them, in one unit."""

    points: Floats
    normals: Floats
    faces: Ints

    @property
    def is_mesh(self) -> bool:
        """Whether faces join the points."""
        return len(self.faces) > 0

    @property
    def diagonal(self) -> float:
        """Length of the axis-aligned box's diagonal."""
        return float(np.linalg.norm(np.ptp(self.points, axis=0)))

    def keep(self, mask: Bools) -> Points:
        """Return the points where *mask* holds; a face stays if all its corners do."""
        normals = self.normals[mask] if len(self.normals) else self.normals
        if not self.is_mesh:
            return replace(self, points=self.points[mask], normals=normals)
        renumber = np.cumsum(mask) - 1
        whole = mask[self.faces].all(axis=1)
        return Points(self.points[mask], normals, renumber[self.faces[whole]])


def without_holes(cloud: Points) -> tuple[Points, tuple[Diagnostic, ...]]:
    """Return the finite points, and a warning with the counts if any were not."""
    finite: Bools = np.asarray(np.isfinite(cloud.points).all(axis=1))
    lost = int(len(finite) - finite.sum())
    if lost == 0:
        return cloud, ()
    nan = int(np.isnan(cloud.points).any(axis=1).sum())
    kinds = " and ".join(f"{n} {name}" for n, name in ((nan, "NaN"), (lost - nan, "infinite")) if n)
    said = Diagnostic("warning", "R2S320", f"dropped {lost} of {len(finite)} points that have no place ({kinds})")
    return cloud.keep(finite), (said,)


def in_order(cloud: Points) -> tuple[Points, tuple[Diagnostic, ...]]:
    """
    Return the distinct points sorted by x, y, z, with a note on the exact copies.

    The order makes a scan with shuffled rows the same scan.  A mesh keeps its order and its doubled vertices: texture
    seams need them, and welding is the surface's business.  Of equal points the first in the file stays.
    """
    if cloud.is_mesh or len(cloud.points) == 0:
        return cloud, ()
    order = np.lexsort(cloud.points.T[::-1])
    ranked = cloud.points[order]
    new = np.concatenate([[True], (ranked[1:] != ranked[:-1]).any(axis=1)])
    kept = order[new]
    copies = len(order) - len(kept)
    normals = cloud.normals[kept] if len(cloud.normals) else cloud.normals
    distinct = replace(cloud, points=cloud.points[kept], normals=normals)
    if copies == 0:
        return distinct, ()
    return distinct, (Diagnostic("note", "R2S321", f"dropped {copies} exact copies among {len(order)} points"),)


def clusters(points: Floats) -> Ints:
    """
    Return the label of each point's cluster, the largest first.

    Points within LINK typical neighbour distances always share a cluster; points over 2√3 times that far apart, with
    nothing between, never do.  Cells of a grid stand for their points, so the cost follows the area, not the count.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    count = min(NEIGHBOURS + 1, len(points))
    sample = points[:: max(1, len(points) // 20_000)]
    reach = float(np.median(nearest(tree_of(points), sample, count)[0][:, -1])) * LINK
    if not reach > 0:
        return np.zeros(len(points), dtype=np.int64)
    cells, cell_of = np.unique(np.floor((points - points.min(axis=0)) / reach), axis=0, return_inverse=True)
    pairs = cKDTree(cells).query_pairs(1.5, p=np.inf, output_type="ndarray")
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(len(cells), len(cells)))
    _, part = connected_components(graph, directed=False)
    labels = part[cell_of.reshape(-1)]
    by_size = np.argsort(-np.bincount(labels), kind="stable")
    rank = np.zeros(len(by_size), dtype=np.int64)
    rank[by_size] = np.arange(len(by_size))
    return rank[labels]


def without_strays(cloud: Points) -> tuple[Points, tuple[Diagnostic, ...]]:
    """
    Return the cloud without small clusters far from everything, and a warning with their number and distance.

    A mesh keeps its parts: what to do with islands of triangles is the surface's business.
    """
    if cloud.is_mesh or len(cloud.points) < 2 * NEIGHBOURS:
        return cloud, ()
    labels = clusters(cloud.points)
    sizes = np.bincount(labels)
    small = sizes <= max(3, STRAY_SHARE * len(labels))
    small[0] = False
    large = cloud.points[~small[labels]]
    inside = ((cloud.points >= large.min(axis=0)) & (cloud.points <= large.max(axis=0))).all(axis=1)
    # A cluster that reaches into the object's box is not far: a ridge in a groove, a half-seen inner wall.
    small[np.unique(labels[inside])] = False
    stray = small[labels]
    count = int(stray.sum())
    if count == 0:
        return cloud, ()
    kept = cloud.keep(~stray)
    middle = (kept.points.min(axis=0) + kept.points.max(axis=0)) / 2
    far = float(np.linalg.norm(cloud.points[stray] - middle, axis=1).max() / max(kept.diagonal, 1e-300))
    said = f"dropped {count} of {len(labels)} points that float apart, up to {far:.2g} times the object's size from it"
    return kept, (Diagnostic("warning", "R2S327", said),)


def refuse_lost_precision(points: Floats, quantum: float) -> None:
    """
    Raise InvalidInputError where the step between representable coordinates is a visible part of the object.

    Points in one place have no size to lose; that they are too few is another refusal.
    """
    if not _spread(points):
        return
    low, high = np.quantile(points, [0.01, 0.99], axis=0)
    size = float(np.linalg.norm(high - low))
    if quantum <= COARSEST_STEP * size:
        return
    raise InvalidInputError(
        "R2S325",
        f"coordinates step by {quantum:.2g}, and the object spans {size:.2g} of the file's numbers: its shape is lost",
        hint="subtract the offset before the export, or export in double precision",
    )


def refuse_too_few(points: Floats, usable: int) -> None:
    """Raise InvalidInputError for fewer than four different ones among the *usable* points of the scan."""
    different = len(points) if _spread(points) else min(len(points), 1)
    if different >= 4:
        return
    noun = "point" if usable == 1 else "points"
    where = "" if usable == different else ", all in one place" if different == 1 else f" in {different} places"
    raise InvalidInputError(
        "R2S322",
        f"the scan holds {usable} usable {noun}{where}; at least 4 different ones are needed",
        hint="export the whole scan",
    )


def refuse_flat(points: Floats, noise: float = 0.0) -> None:
    """
    Raise InvalidInputError for points on a line or a plane.

    Exactly so up to rounding, or with a spread about the plane that the points' own *noise* explains.
    """
    centred = points - points.mean(axis=0)
    axes = np.linalg.svd(centred.T @ centred)[0]
    _, width, thickness = np.ptp(centred @ axes, axis=0)
    limit = FLAT * float(np.linalg.norm(np.ptp(points, axis=0)))
    if width <= limit:
        raise InvalidInputError("R2S323", f"all {len(points)} points lie on one line", hint="look for a lost column")
    if thickness <= limit:
        raise InvalidInputError(
            "R2S324",
            f"all {len(points)} points lie on one plane: no thickness, no volume",
            hint="scan the other side, or use a box with a measured thickness",
        )
    scatter = float(np.std(centred @ axes[:, 2]))
    if len(points) >= 100 and scatter < 1.5 * noise:
        raise InvalidInputError(
            "R2S324",
            f"all {len(points)} points lie on one plane within their noise: no thickness can be seen, so no volume",
            hint="scan the other side, or use a box with a measured thickness",
        )


def _spread(points: Floats) -> bool:
    """Return whether the points lie in more than one place."""
    return len(points) > 0 and bool(np.ptp(points, axis=0).any())
