"""Binary PLY: doubles for places, so that nothing is lost, and properties that MeshLab, Blender and Open3D show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.ir import Bools, Floats, Ints

Bytes = NDArray[np.uint8]


def ply(
    points: Floats,
    faces: Ints,
    *,
    comments: Sequence[str] = (),
    normals: Floats | None = None,
    observed: Bools | None = None,
    distance: Floats | None = None,
    colour: Bytes | None = None,
) -> bytes:
    """
    Return a PLY of *points* (n, 3) m and *faces* (m, 3), of which there may be none.

    Per vertex *normals* (n, 3), *distance* (n,) m and *colour* (n, 3); per face *observed* (m,) as 1 or 0.
    *comments* are lines of ASCII for the header.
    """
    columns: list[tuple[str, str, str, NDArray[np.generic]]] = []
    columns += [("double", "<f8", name, points[:, i]) for i, name in enumerate("xyz")]
    if normals is not None and len(normals):
        columns += [("float", "<f4", f"n{name}", normals[:, i]) for i, name in enumerate("xyz")]
    if colour is not None:
        columns += [("uchar", "u1", name, colour[:, i]) for i, name in enumerate(("red", "green", "blue"))]
    if distance is not None:
        columns.append(("float", "<f4", "distance", distance))
    vertices = np.zeros(len(points), dtype=[(name, dtype) for _, dtype, name, _ in columns])
    for _, _, name, values in columns:
        vertices[name] = values
    lines = ["ply", "format binary_little_endian 1.0", *(f"comment {c}" for c in comments)]
    lines += [f"element vertex {len(points)}", *(f"property {type_} {name}" for type_, _, name, _ in columns)]
    body = vertices.tobytes()
    if len(faces):
        lines += [f"element face {len(faces)}", "property list uchar int vertex_indices"]
        lines += ["property uchar observed"] if observed is not None else []
        fields = [("count", "u1"), ("corners", "<i4", 3), *([("observed", "u1")] if observed is not None else [])]
        triangles = np.zeros(len(faces), dtype=fields)
        triangles["count"], triangles["corners"] = 3, faces
        if observed is not None:
            triangles["observed"] = observed
        body += triangles.tobytes()
    return "\n".join([*lines, "end_header\n"]).encode("ascii") + body
