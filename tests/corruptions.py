"""
What tests of planted corruption share: one good input, and the command line run in this process.

The good input is a brick of 80 x 50 x 40 mm with its sheet; each test changes one thing in it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scan_shapes import box

from r2s.compiler.ir import Floats, Ints

SIZE = (80.0, 50.0, 40.0)  # mm
SHEET = """\
schema: 1
object: brick
instrument: {kind: digital_caliper, id: A, unit: mm}
measurements:
  - {feature: extent_x, value: 80.0, role: calibrate}
  - {feature: extent_y, value: 50.0, role: check}
  - {feature: extent_z, value: 40.0, role: calibrate}
mass: {value: 198.4, unit: g, accuracy: 0.5}
fill: solid
friction: {slide: {value: 0.6, lo: 0.5, hi: 0.7}}
"""


@dataclass(frozen=True)
class Ended:
    """A command that has ended: its exit code and what it printed."""

    exit_code: int
    out: str
    err: str

    @property
    def errors(self) -> list[str]:
        """The lines of stderr that begin with ``error``."""
        return [line for line in self.err.splitlines() if line.startswith("error")]

    @property
    def codes(self) -> list[str]:
        """The codes at the ends of the lines of stderr."""
        return re.findall(r"\[(R2S\d{3})\]$", self.err, re.MULTILINE)

    def line(self, code: str) -> str:
        """The one line of stderr that ends in *code*."""
        (found,) = [line for line in self.err.splitlines() if line.endswith(f"[{code}]")]
        return found


def brick() -> tuple[Floats, Ints]:
    """The brick as a closed mesh, its numbers millimetres."""
    vertices, faces = box(SIZE)
    return vertices, faces


def write_obj(path: Path, vertices: Floats, faces: Ints) -> Path:
    """Write a mesh as OBJ, every number in full."""
    lines = [*(f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist())]
    lines += [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
    path.write_text("\n".join(lines) + "\n")
    return path


def write_ply(path: Path, points: Floats, normals: Floats | None = None) -> Path:
    """Write a cloud as binary PLY in double precision."""
    names = ["x", "y", "z", *(["nx", "ny", "nz"] if normals is not None else [])]
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
    head += "".join(f"property double {name}\n" for name in names) + "end_header\n"
    rows = points if normals is None else np.hstack([points, normals])
    path.write_bytes(head.encode() + rows.astype("<f8").tobytes())
    return path


def box_cloud(count: int, *, bottom: bool = True, noise: float = 0.0, seed: int = 1) -> tuple[Floats, Floats]:
    """Points all over the brick, mm, uniform by area, with outward normals; *noise* along the normal."""
    rng = np.random.default_rng(seed)
    size = np.array(SIZE)
    area = np.array([size[1] * size[2], size[0] * size[2], size[0] * size[1]])
    sides = [(axis, end) for axis in range(3) for end in (0, 1) if bottom or (axis, end) != (2, 0)]
    weights = np.array([area[axis] for axis, _ in sides])
    which = rng.choice(len(sides), count, p=weights / weights.sum())
    points, normals = rng.uniform(0, 1, (count, 3)) * size, np.zeros((count, 3))
    for index, (axis, end) in enumerate(sides):
        here = which == index
        points[here, axis] = end * size[axis]
        normals[here, axis] = 2 * end - 1
    return points + normals * rng.normal(0, noise, (count, 1)) if noise else points, normals
