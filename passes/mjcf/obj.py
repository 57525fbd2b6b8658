"""OBJ files whose bytes depend on the geometry alone: one object, fixed decimals, named by content."""

from __future__ import annotations

import hashlib

import numpy as np

from r2s.compiler.ir import Floats, Ints

GRID = 1e-9  # m; MuJoCo reads float32, whose step at 0.1 m is 7e-9 m


def obj_bytes(name: str, vertices: Floats, faces: Ints) -> bytes:
    """
    Return one object with coordinates rounded to a nanometre, written without exponent or trailing zeros.

    Vertices that no face uses are left out.
    """
    used, compact = np.unique(faces, return_inverse=True)
    corners = np.round(vertices[used], 9) + 0.0
    lines = [f"o {name}"]
    lines += [f"v {_decimal(x)} {_decimal(y)} {_decimal(z)}" for x, y, z in corners.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (compact.reshape(-1, 3) + 1).tolist()]
    return ("\n".join(lines) + "\n").encode("ascii")


def content_name(prefix: str, content: bytes) -> str:
    """Return ``prefix-<hash8>.obj``: another content is another file, so an old XML never meets a new mesh."""
    return f"{prefix}-{hashlib.sha256(content).hexdigest()[:8]}.obj"


def _decimal(value: float) -> str:
    return f"{value:.9f}".rstrip("0").rstrip(".")
