"""
One spelling for each mesh: rounded coordinates, sorted vertices, rotated and sorted faces.

Libraries return the same mesh in an order that can depend on their version or thread count; hashing needs one order.
"""

from __future__ import annotations

import math

import numpy as np

from r2s.compiler.ir import Bools, Floats, Ints


def canonical(vertices: Floats, faces: Ints, observed: Bools, *, exact: bool = False) -> tuple[Floats, Ints, Bools]:
    """
    Return the mesh without unused vertices, vertices in lexicographic order, each face from its smallest index on.

    Coordinates are rounded to about a millionth of the size (0.1 µm for a 100 mm part), which hides the last bits that
    differ between processors; *exact* keeps them, for a mesh that passes through unchanged.
    """
    used, compact = np.unique(faces, return_inverse=True)
    kept = vertices[used] if exact else rounded(vertices[used])
    order = np.lexsort((kept[:, 2], kept[:, 1], kept[:, 0]))
    rank = np.zeros_like(order)
    rank[order] = np.arange(len(order))
    renamed = rank[compact.reshape(faces.shape)]
    first = renamed.argmin(axis=1)[:, None]
    turned = np.take_along_axis(renamed, (first + np.arange(3)) % 3, axis=1)
    face_order = np.lexsort((turned[:, 2], turned[:, 1], turned[:, 0]))
    return kept[order], turned[face_order], observed[face_order]


def rounded(vertices: Floats) -> Floats:
    """Return coordinates rounded to a decimal grid of 1e-6 to 1e-7 of the box diagonal, without negative zeros."""
    diagonal = float(np.linalg.norm(np.ptp(vertices, axis=0)))
    decimals = 6 - math.floor(math.log10(diagonal)) if diagonal > 0 else 6
    return np.round(vertices, decimals) + 0.0
