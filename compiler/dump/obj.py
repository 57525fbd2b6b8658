"""OBJ with one object a piece, which viewers list by name and colour apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from r2s.compiler.ir import Floats, Ints


def obj(objects: Iterable[tuple[str, Floats, Ints]], comments: Sequence[str] = ()) -> bytes:
    """Return the *objects* (name, vertices (k, 3) m, faces (f, 3)); floats keep every bit."""
    lines = [f"# {comment}" for comment in comments]
    before = 1  # OBJ counts from one, through all objects
    for name, vertices, faces in objects:
        lines.append(f"o {name}")
        lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
        lines += [f"f {a} {b} {c}" for a, b, c in (faces + before).tolist()]
        before += len(vertices)
    return ("\n".join(lines) + "\n").encode("ascii")
