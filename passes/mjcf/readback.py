"""
What MuJoCo made of the emitted files, against what the compiler meant.

The files are written to a scratch folder and loaded as a user would load them: the parser, the decoder of OBJ, single
precision and the compiler's own frames all lie between the XML and the model that moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal
from xml.etree import ElementTree as ET

import numpy as np

from r2s.compiler.errors import SimulationError
from r2s.compiler.ir import Asset, Floats, Piece, PieceKind, floats, ints
from r2s.compiler.ledger import Change, DirectedDistance, Scalar, Term
from r2s.passes.mjcf.document import PRIMITIVE_SIZES, Body
from r2s.passes.mjcf.form import reach
from r2s.passes.mjcf.mujoco import mujoco
from r2s.passes.mjcf.obj import GRID
from r2s.passes.mjcf.rotation import matrix

MASS_LIMIT, COM_LIMIT, INERTIA_LIMIT = 1e-9, 1e-6, 1e-6  # relative: to the mass, the diagonal, the largest moment
FORM_LIMIT = 1e-5  # of the diagonal; single precision leaves a hundredth of it near the origin

_KINDS: dict[str, PieceKind] = {
    "mjGEOM_MESH": "mesh",
    "mjGEOM_BOX": "box",
    "mjGEOM_SPHERE": "sphere",
    "mjGEOM_CAPSULE": "capsule",
}
_ORIGIN = floats(np.zeros(3))
_EVIDENCE = "MuJoCo {} compiled the files; every vertex and primitive against the pieces, in the body's frame"


def compile_texts(stem: str, xml: str, scene: str, meshes: Mapping[str, bytes]) -> tuple[Any, Any]:
    """
    Return the ``mujoco.MjModel`` of the asset and of its scene; *meshes* are named within ``<stem>.assets``.

    Raises SimulationError with MuJoCo's reason if one does not load.
    """
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / f"{stem}.assets").mkdir()
        for name, content in meshes.items():
            (folder / f"{stem}.assets" / name).write_bytes(content)
        for name, text in ((f"{stem}.xml", xml), (f"{stem}.scene.xml", scene)):
            (folder / name).write_text(text, encoding="utf-8")
        try:
            load = mujoco().MjModel.from_xml_path
            return load(str(folder / f"{stem}.xml")), load(str(folder / f"{stem}.scene.xml"))
        except ValueError as error:
            reason = " ".join(str(error).replace(scratch, "").split())
            raise SimulationError(
                "R2S721", f"MuJoCo refuses the asset: {reason}", hint="a piece may be flat; try another decomposition"
            ) from None


def compiled_pieces(asset: Asset) -> tuple[Piece, ...]:
    """Return the collision geoms that MuJoCo makes of the emitted texts, in the asset's frame."""
    folder = ET.fromstring(asset.xml).findall("compiler")[0].get("meshdir", "")
    stem = folder.removesuffix(".assets")
    model, _ = compile_texts(stem, asset.xml, asset.scene, dict(asset.files()))
    return tuple(
        _piece(model, geom) for geom in range(model.ngeom) if model.geom_contype[geom] or model.geom_conaffinity[geom]
    )


def compare(model: Any, body: Body) -> tuple[Term, ...]:
    """Return how the compiled asset differs from *body*, as terms; raise SimulationError past the limits."""
    _flags(model, body)
    evidence = _EVIDENCE.format(mujoco().__version__)
    return (*_matter(model, body), *_form(model, body, evidence), *_size(model, body))


def _matter(model: Any, body: Body) -> tuple[Term, ...]:
    index = model.body(body.name).id
    mass = float(model.body_mass[index])
    off = float(np.linalg.norm(model.body_ipos[index] - body.com))
    axes = matrix(model.body_iquat[index])
    inertia = axes @ np.diag(model.body_inertia[index]) @ axes.T
    turned = float(np.abs(inertia - body.inertia).max() / np.abs(body.inertia).max())
    for quantity, differs, limit in (
        ("mass", abs(mass - body.mass) / body.mass, MASS_LIMIT),
        ("centre of mass", off / body.form.diagonal, COM_LIMIT),
        ("inertia", turned, INERTIA_LIMIT),
    ):
        if not differs <= limit:
            text = f"the compiled {quantity} differs from the emitted one by {differs:.2g} relative (limit {limit:g})"
            raise SimulationError("R2S722", text, hint="report it with the MuJoCo version")
    said = "body_mass, body_ipos, body_iquat and body_inertia of the compiled model"
    return (
        Change("emit.mass", "mass", body.mass, mass, "kg", said),
        Scalar("emit.com", "distance of the compiled centre of mass", off, "m", "measured", said),
        Scalar("emit.inertia", "largest relative difference of the compiled inertia", turned, "1", "measured", said),
    )


def _form(model: Any, body: Body, evidence: str) -> tuple[Term, ...]:
    forth, back = [], []
    for part in body.form.parts:
        geom = model.geom(part.geom).id
        if part.piece.kind == "mesh":
            there, again = _nearest(part.piece.vertices, compiled_vertices(model, geom))
        else:
            there = again = np.array([_primitive(model, geom, part.piece)])
        forth.append(there)
        back.append(again)
    drawn = _nearest(body.form.visual, compiled_vertices(model, model.geom(f"{body.name}_visual").id))
    terms = (
        _rounding("forward", "pieces", "compiled", np.concatenate(forth), evidence),
        _rounding("backward", "compiled", "pieces", np.concatenate(back), evidence),
    )
    seen = float(max(d.max() for d in drawn))
    worst, size = max(seen, *(t.maximum for t in terms)), body.form.diagonal
    if not worst <= FORM_LIMIT * size + GRID:
        text = (
            f"the compiled geometry lies up to {worst * 1e3:.3g} mm from the emitted one, {size * 1e3:.3g} mm in size"
        )
        raise SimulationError("R2S723", text, hint="single precision loses it far from the origin; use --origin base")
    return (
        *terms,
        Scalar("emit.visual", "largest distance of a compiled visual vertex", seen, "m", "measured", evidence),
    )


def _size(model: Any, body: Body) -> tuple[Scalar, ...]:
    pieces = [_piece(model, model.geom(part.geom).id) for part in body.form.parts]
    said = "support widths of the compiled pieces along the asset's axes"
    widths = [max(reach(p, a) for p in pieces) + max(reach(p, -a) for p in pieces) for a in np.eye(3)]
    return tuple(
        Scalar(f"emit.size_{letter}", f"width along {letter}", width, "m", "measured", said)
        for letter, width in zip("xyz", widths, strict=True)
    )


def _rounding(
    role: Literal["forward", "backward"], start: str, end: str, distances: Floats, evidence: str
) -> DirectedDistance:
    return DirectedDistance(
        id=f"emit.rounding.{role}",
        role=role,
        start=start,
        end=end,
        maximum=float(distances.max()),
        certified=True,  # the hull of moved points moves no further than they do
        p99=float(np.quantile(distances, 0.99)),
        p95=float(np.quantile(distances, 0.95)),
        rms=float(np.sqrt(np.mean(distances**2))),
        signed_mean=None,
        samples=len(distances),
        evidence=evidence,
    )


def compiled_vertices(model: Any, geom: int) -> Floats:
    """
    Return the vertices (k, 3) m of a mesh geom in its body's frame.

    MuJoCo moves each mesh to its own centre and principal axes and the geom the other way, so only the product counts.
    """
    mesh = int(model.geom_dataid[geom])
    start, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    local = np.asarray(model.mesh_vert[start : start + count], dtype=np.float64)
    found: Floats = local @ matrix(model.geom_quat[geom]).T + model.geom_pos[geom]
    return found


def _piece(model: Any, geom: int) -> Piece:
    kind = _KINDS[mujoco().mjtGeom(int(model.geom_type[geom])).name]
    if kind == "mesh":
        mesh = int(model.geom_dataid[geom])
        start, count = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
        faces = ints(model.mesh_face[start : start + count])
        return Piece(kind, floats(compiled_vertices(model, geom)), faces, _ORIGIN, floats(np.eye(3)), _ORIGIN)
    size = np.zeros(3)
    size[: PRIMITIVE_SIZES[kind]] = model.geom_size[geom][: PRIMITIVE_SIZES[kind]]
    turn = floats(matrix(model.geom_quat[geom]))
    return Piece(kind, floats([], 0, 3), ints([], 0, 3), floats(model.geom_pos[geom]), turn, floats(size))


def _nearest(ours: Floats, theirs: Floats) -> tuple[Floats, Floats]:
    from scipy.spatial import cKDTree

    return floats(cKDTree(theirs).query(ours)[0]), floats(cKDTree(ours).query(theirs)[0])


def _primitive(model: Any, geom: int, piece: Piece) -> float:
    """Return a bound on how far a surface point of the compiled primitive lies from the emitted one, m."""
    used = PRIMITIVE_SIZES[piece.kind]
    shift = float(np.linalg.norm(model.geom_pos[geom] - piece.center))
    size = float(np.linalg.norm(model.geom_size[geom][:used] - piece.size[:used]))
    if piece.kind == "sphere":
        return shift + size
    turn = float(np.linalg.norm(matrix(model.geom_quat[geom]) - piece.rotation))
    return shift + size + turn * float(np.linalg.norm(piece.size))


def _flags(model: Any, body: Body) -> None:
    """Raise SimulationError unless every geom is there and only the pieces collide, with the asset's own friction."""
    wanted = len(body.form.parts) + 1
    _expect(model.ngeom == wanted, f"{model.ngeom} geoms instead of {wanted - 1} pieces and a visual")
    visual = model.geom(f"{body.name}_visual")
    _expect(not visual.contype[0] and not visual.conaffinity[0], "a visual mesh that collides")
    for part in body.form.parts:
        geom = model.geom(part.geom)
        collides = geom.contype[0] and geom.conaffinity[0] and geom.priority[0] == 1 and geom.condim[0] == 4
        _expect(collides, f"a geom {part.geom} that does not collide as emitted")
        _expect(bool(np.allclose(geom.friction, body.friction, rtol=1e-12, atol=0)), f"another friction on {part.geom}")


def _expect(holds: bool, what: str) -> None:
    if not holds:
        raise SimulationError("R2S724", f"the compiled model has {what}", hint="report it with the MuJoCo version")
