"""A value between passes as a file that viewers open, and the facts that its numbers need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from r2s.compiler.codec import plain
from r2s.compiler.drawn import drawn
from r2s.compiler.dump.colour import coloured, full_scale
from r2s.compiler.dump.frame import Frame
from r2s.compiler.dump.obj import obj
from r2s.compiler.dump.ply import ply
from r2s.compiler.errors import InternalError
from r2s.compiler.ir import Floats, Hulls, Piece, Scan, Surface, floats, ints

_TO = {"scan": "surface", "surface": "scan", "simplified": "surface", "pieces": "surface"}


@dataclass(frozen=True)
class Drawing:
    """The bytes of a geometry file, its suffix, and what its JSON says of it."""

    suffix: str
    data: bytes
    facts: dict[str, Any]


def draw(stage: str, value: Any, frame: Frame, distance: Floats | None) -> Drawing:
    """
    Return *value* of *stage* in *frame*; *distance* (n,) m, in the frame of the passes, is of its vertices if known.

    A stage that MuJoCo compiled is a sequence of pieces, which are in the asset's frame already.
    """
    away = None if distance is None else distance * frame.factor
    comments = [f"r2s {stage}; metres; frame: {frame.name}"]
    match value:
        case Scan():
            return _scan(value, frame, away, comments)
        case Surface():
            return _surface(stage, value, frame, away, comments)
        case Hulls():
            return _pieces([_placed(piece, frame) for piece in value.pieces], comments, stage, away)
        case [*pieces]:
            return _pieces(pieces, comments, stage, None)
    raise InternalError("R2S904", f"stage {stage!r} is a {type(value).__name__}, which has no shape")


def piece_of(facts: dict[str, Any]) -> Piece:
    """Return the piece that the analysis ``compiled`` tells by its fields."""
    return Piece(
        facts["kind"],
        floats(facts["vertices"], -1, 3),
        ints(facts["faces"], -1, 3),
        floats(facts["center"]),
        floats(facts["rotation"]),
        floats(facts["size"]),
    )


def _scan(scan: Scan, frame: Frame, away: Floats | None, comments: Sequence[str]) -> Drawing:
    points = frame.place(scan.points)
    colour = None if away is None else coloured(away, np.ones(len(points), dtype=bool))
    comments = [*comments, *_legend("scan", away)]
    data = ply(points, scan.faces, comments=comments, normals=scan.normals, distance=away, colour=colour)
    facts = {"points": len(points), "faces": len(scan.faces), "normals": len(scan.normals) > 0}
    return Drawing("ply", data, facts | _scale("scan", away))


def _surface(stage: str, surface: Surface, frame: Frame, away: Floats | None, comments: Sequence[str]) -> Drawing:
    seen = np.zeros(len(surface.vertices), dtype=bool)
    seen[surface.faces[surface.observed].ravel()] = True
    judged = None if away is None else away[seen]  # how far off an unseen part is, nobody knows
    data = ply(
        frame.place(surface.vertices),
        surface.faces,
        comments=[*comments, *_legend(stage, judged)],
        observed=surface.observed,
        distance=away,
        colour=None if away is None else coloured(away, seen),
    )
    facts = {
        "vertices": len(surface.vertices),
        "faces": len(surface.faces),
        "observed_faces": int(surface.observed.sum()),
        "volume": surface.volume * frame.factor**3,
        "area": surface.area * frame.factor**2,
    }
    return Drawing("ply", data, facts | _scale(stage, judged))


def _pieces(pieces: Sequence[Piece], comments: Sequence[str], stage: str, away: Floats | None) -> Drawing:
    shapes = [drawn(piece) for piece in pieces]
    names = [f"piece_{i:03d}_{piece.kind}" for i, piece in enumerate(pieces)]
    data = obj([(name, *shape) for name, shape in zip(names, shapes, strict=True)], comments)
    ends = np.cumsum([len(vertices) for vertices, _ in shapes])
    told = []
    for i, (name, piece, shape) in enumerate(zip(names, pieces, shapes, strict=True)):
        one = {"name": name, "kind": piece.kind, "vertices": len(shape[0]), "faces": len(shape[1])}
        if piece.kind != "mesh":
            one |= {k: plain(getattr(piece, k)) for k in ("center", "rotation", "size")}
        if away is not None:
            of_piece = away[ends[i] - len(shape[0]) : ends[i]]
            one["distance"] = {"lowest": float(of_piece.min()), "highest": float(of_piece.max())}
        told.append(one)
    facts: dict[str, Any] = {"pieces": told}
    if away is not None:
        facts["distance"] = {"to": _TO[stage], "unit": "m", "of": "the vertices of each piece; positive is outside"}
    return Drawing("obj", data, facts)


def _placed(piece: Piece, frame: Frame) -> Piece:
    if piece.kind == "mesh":
        return Piece("mesh", frame.place(piece.vertices), piece.faces, piece.center, piece.rotation, piece.size)
    centre = frame.place(piece.center[None])[0]
    return Piece(piece.kind, piece.vertices, piece.faces, centre, piece.rotation, floats(piece.size * frame.factor))


def _legend(stage: str, away: Floats | None) -> list[str]:
    if away is None:
        return []
    return [f"distance to the {_TO[stage]} in metres; full colour from {full_scale(away) * 1e3:.3f} mm"]


def _scale(stage: str, away: Floats | None) -> dict[str, Any]:
    if away is None:
        return {}
    highest, lowest = (float(away.max()), float(away.min())) if len(away) else (0.0, 0.0)
    of = {
        "scan": "each point; positive is outside",
        "surface": "each observed vertex to the nearest point, or face, without a side",
    }.get(stage, "each observed vertex; positive is outside")
    said = {"to": _TO[stage], "unit": "m", "of": of, "lowest": lowest, "highest": highest}
    return {"distance": said | {"full_colour": full_scale(away)}}
