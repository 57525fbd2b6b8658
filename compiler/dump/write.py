"""Writes the stages of a build, whole or as far as it got: ``<stage>.ply`` or ``.obj``, and ``<stage>.json`` each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from r2s.compiler.codec import canonical, sha256
from r2s.compiler.dump.frame import Frame, frame_of
from r2s.compiler.dump.place import INDEX, SCHEMA, Place, earlier
from r2s.compiler.dump.shapes import Drawing, draw, piece_of
from r2s.compiler.dump.stages import Stage, stages
from r2s.compiler.errors import R2SError
from r2s.compiler.ir import Asset, Floats
from r2s.compiler.manager import Manager, Trace
from r2s.compiler.outputs import write_one
from r2s.compiler.packed import unpack
from r2s.compiler.report import of_pass

STAGE_SCHEMA = "r2s-stage/1"


def write(
    manager: Manager, where: Place, traces: Sequence[Trace], *, name: str, failure: R2SError | None
) -> tuple[Path, ...]:
    """
    Write the wanted stages of *traces* and return the paths; a build that failed is written as far as it got.

    *name* is the asset's; *failure* is what ended the build, for the index.  Equal builds give equal bytes.
    """
    found = stages(traces)
    frame = frame_of(manager.store, traces)
    written: list[Path] = []
    index = []
    for stage in found:
        if where.wanted and stage.name not in where.wanted:
            continue
        drawing = _draw(manager, stage, found, frame)
        shape, facts = where.path(stage.name, drawing.suffix), where.path(stage.name, "json")
        text = canonical(_describe(stage, frame, drawing, shape.name, name)) + "\n"
        written += [write_one(shape, drawing.data), write_one(facts, text.encode())]
        index.append({"stage": stage.name, "files": {shape.name: sha256(drawing.data), facts.name: sha256(text)}})
    for path in earlier(where):
        if path not in written:
            path.unlink(missing_ok=True)
    if where.whole:
        ended = None if failure is None else asdict(failure.diagnostic)
        body = {"schema": SCHEMA, "name": name, "frame": _frame(frame), "stages": index, "failure": ended}
        written.append(write_one(where.folder / INDEX, (canonical(body) + "\n").encode()))
    return tuple(written)


def _draw(manager: Manager, stage: Stage, found: Sequence[Stage], frame: Frame) -> Drawing:
    value = manager.store.fields(stage.digest)
    if isinstance(value, Asset):
        pieces = [piece_of(dict(facts)) for facts in manager.ask("compiled", {}, stage.digest)]
        return draw(stage.name, pieces, frame, None)
    return draw(stage.name, value, frame, _distance(manager, stage.name, found))


def _distance(manager: Manager, name: str, found: Sequence[Stage]) -> Floats | None:
    """Return how far each vertex lies from the shape that it should match, where the build got to both."""
    digests = {stage.name: stage.digest for stage in found}
    about = digests.get("surface" if name == "scan" else name)
    if about is None or name not in ("scan", "surface", "simplified", "pieces"):
        return None
    return unpack(manager.ask("distances", {"stage": name}, about))


def _describe(stage: Stage, frame: Frame, drawing: Drawing, file: str, name: str) -> dict[str, Any]:
    return {
        "schema": STAGE_SCHEMA,
        "name": name,
        "stage": stage.name,
        "digest": stage.digest,
        "geometry": {"file": file, "sha256": sha256(drawing.data), "unit": "m", **drawing.facts},
        "frame": _frame(frame),
        "passes": [
            {**of_pass(t), "key": t.key, "diagnostics": [asdict(d) for d in t.diagnostics]} for t in stage.traces
        ],
    }


def _frame(frame: Frame) -> dict[str, Any]:
    return {
        "name": frame.name,
        "meaning": frame.meaning,
        "scan_file_to_here": frame.from_file.tolist(),
        "factor": frame.factor,
        "terms": "lengths in terms are those of the passes: times factor they are lengths here",
    }
