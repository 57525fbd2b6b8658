"""The emitted OBJ files read back: only what they may hold, and by no code that reads scans or that MuJoCo uses."""

from __future__ import annotations

import re

import numpy as np

from r2s.compiler.ir import Floats, Ints

_LINE = re.compile(r"(?P<key>[vf]) (?P<a>\S+) (?P<b>\S+) (?P<c>\S+)")
_IGNORED = ("o ", "#")


def read_obj(content: bytes) -> tuple[Floats, Ints]:
    """
    Return vertices (n, 3) and triangles (m, 3), counted from 0, of one object.

    Raises ValueError, with the number of the line, for anything that an emitted file does not hold.
    """
    corners: list[tuple[float, ...]] = []
    faces: list[tuple[int, ...]] = []
    for number, line in enumerate(content.decode("ascii").splitlines(), start=1):
        found = _LINE.fullmatch(line)
        if found is None:
            if line and not line.startswith(_IGNORED):
                raise ValueError(f"line {number} is neither a vertex nor a triangle")
            continue
        words = found.group("a", "b", "c")
        if found["key"] == "v":
            corners.append(tuple(float(word) for word in words))
        else:
            faces.append(tuple(int(word) - 1 for word in words))
    vertices = np.array(corners, dtype=np.float64).reshape(-1, 3)
    triangles = np.array(faces, dtype=np.int64).reshape(-1, 3)
    if not np.isfinite(vertices).all():
        raise ValueError("a coordinate is not finite")
    if len(triangles) and not 0 <= triangles.min() <= triangles.max() < len(vertices):
        raise ValueError("a triangle names a vertex that does not exist")
    return vertices, triangles
