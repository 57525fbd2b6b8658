"""
Points with normals to a closed surface: screened Poisson (Kazhdan and Hoppe 2013) by pymeshlab, one thread.

The grid's cell is set in metres: the library takes a depth and a scale, and cell = scale * extent / 2**depth.
"""

from __future__ import annotations

import math

import numpy as np

from r2s.compiler.errors import PassFailedError
from r2s.compiler.ir import Floats, Ints
from r2s.passes.meshes.edges import closed, shells_of, volume
from r2s.passes.meshes.holes import lids

_MARGIN = 1.1  # the grid must be larger than the points, or the surface runs into its wall
_DEPTHS = (5, 10)


def depth_for(points: Floats, cell: float) -> int:
    """Return the smallest depth at which a cell can have the side *cell*, m, between 5 and 10."""
    extent = float(np.ptp(points, axis=0).max())
    return int(np.clip(math.ceil(math.log2(_MARGIN * extent / cell)), *_DEPTHS))


def reconstruct(points: Floats, normals: Floats, cell: float, depth: int) -> tuple[Floats, Ints]:
    """
    Return the closed outward surface (vertices (n, 3) m, faces (m, 3)) of the largest part.

    Where the surface runs out of the grid, as it does over a large place without points, it gets a flat lid there.

    Raises PassFailedError R2S405 where Poisson leaves no closed surface.
    """
    import pymeshlab

    # Near 1 and around 0: the library's tolerances are absolute and parts of it are single precision.
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    extent = float(np.ptp(points, axis=0).max())
    meshes = pymeshlab.MeshSet(verbose=False)
    meshes.add_mesh(pymeshlab.Mesh(vertex_matrix=(points - middle) / extent, v_normals_matrix=normals))
    meshes.generate_surface_reconstruction_screened_poisson(
        depth=depth, scale=max(_MARGIN, cell * 2**depth / extent), threads=1, preclean=False
    )
    mesh = meshes.current_mesh()
    vertices = np.asarray(mesh.vertex_matrix(), dtype=np.float64) * extent + middle
    faces = np.asarray(mesh.face_matrix(), dtype=np.int64)
    faces = largest(vertices, faces) if len(faces) else faces
    if len(faces) and not closed(faces):
        vertices, rims = lids(vertices, faces)
        faces = np.concatenate([faces, *(lid.faces for lid in rims)])
    if not closed(faces):
        raise PassFailedError(
            "R2S405",
            f"the points do not bound a closed surface: {len(faces)} faces came out, with open edges",
            hint="scan more of the part, or give a closed mesh",
        )
    if volume(vertices, faces) < 0:
        faces = faces[:, ::-1].copy()
    return vertices, faces


def largest(vertices: Floats, faces: Ints) -> Ints:
    """Return the faces of the shell with the largest volume: the rest are bubbles in places without points."""
    count, label = shells_of(faces, len(vertices))
    sizes = [abs(volume(vertices, faces[label == i])) if count > 1 else 1.0 for i in range(count)]
    return np.asarray(faces[label == int(np.argmax(sizes))])
