"""
PLY, in every dialect that was met: Stanford's polygon format as scanners, MeshLab, Blender and Open3D write it.

Of all that a PLY may hold, the positions, normals and faces (or triangle strips) are read; the rest is stepped over.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from r2s.compiler.errors import Diagnostic, InvalidInputError
from r2s.passes.readers.assemble import NO_FACES, NO_NORMALS, Polygons, make_cloud, make_mesh
from r2s.passes.readers.content import Content
from r2s.passes.readers.later import refuse_radiance_field
from r2s.passes.readers.numbers import take_rows, whole_numbers
from r2s.passes.readers.ply_ascii import AsciiBody
from r2s.passes.readers.ply_binary import BinaryBody
from r2s.passes.readers.ply_header import Element, Header, parse_header
from r2s.passes.readers.ply_table import Lists, Table
from r2s.passes.readers.polygons import expand_strips
from r2s.passes.readers.quantum import stored_quantum, written_quantum
from r2s.passes.readers.raw import RawScan

_POSITION = ("x", "y", "z")
_NORMAL = ("nx", "ny", "nz")
_CORNERS = ("vertex_indices", "vertex_index")
_SURFACES = ("face", "tristrips")
_SAMPLE_ROWS = 1000


def read_ply(content: Content) -> RawScan:
    """Return the cloud or mesh of a PLY file.  Raises InvalidInputError where header and body are not sound."""
    header = parse_header(content)
    vertex = _vertex_element(header)
    body = AsciiBody(content, header) if header.layout == "ascii" else BinaryBody(content, header.body, header.layout)
    sample: list[list[bytes]] = []
    vertices = Table()
    surfaces: list[tuple[Element, Lists]] = []
    for element in header.elements:
        if element is vertex:
            sample = _sample(body, element) if isinstance(body, AsciiBody) else []
            vertices = body.read(element, frozenset(_POSITION + _NORMAL))
            continue
        corners = _corner_property(element)
        table = body.read(element, frozenset([corners] if corners else []))
        if corners:
            surfaces.append((element, table.lists[corners]))
    rest = _rest_of_text(body, header) if isinstance(body, AsciiBody) else _rest_of_bytes(body, header, vertex)
    return _assemble(vertex, vertices, surfaces, sample if header.layout == "ascii" else None, rest)


def _vertex_element(header: Header) -> Element:
    found = [e for e in header.elements if e.name == "vertex"]
    if any(p.name.startswith(("f_dc_", "packed_position")) for e in found for p in e.properties):
        refuse_radiance_field()
    if len(found) != 1 or not found[0].has(*_POSITION):
        names = ", ".join(f"{e.name} ({' '.join(p.name for p in e.properties)})" for e in header.elements[:8]) or "none"
        raise InvalidInputError(
            "R2S120",
            f"the PLY header does not describe one element 'vertex' with x, y and z; its elements: {names[:200]}",
            hint="export the scan again",
        )
    if found[0].rows == 0:
        raise InvalidInputError("R2S123", "the scan has no points (0 vertices)", hint="export the scan again")
    used = [p for p in found[0].properties if p.name in _POSITION + _NORMAL]
    if len({p.name for p in used}) != len(used) or any(p.count for p in used):
        raise InvalidInputError(
            "R2S120", "the PLY header declares a coordinate twice or as a list", hint="export the scan again"
        )
    return found[0]


def _corner_property(element: Element) -> str | None:
    """Return the name of the list of vertices of each row; None where the element is no surface."""
    if element.name not in _SURFACES or element.rows == 0:
        return None
    found = [p.name for p in element.properties if p.name in _CORNERS and p.count is not None]
    if len(found) == 1:
        return found[0]
    raise InvalidInputError(
        "R2S120",
        f"the PLY element {element.name!r} has no single list vertex_indices or vertex_index; its properties: "
        f"{' '.join(p.name for p in element.properties)[:200]}",
        hint="export the scan again",
    )


def _assemble(
    vertex: Element,
    vertices: Table,
    surfaces: list[tuple[Element, Lists]],
    sample: list[list[bytes]] | None,
    rest: tuple[Diagnostic, ...],
) -> RawScan:
    points = vertices.matrix(*_POSITION)
    normals = vertices.matrix(*_NORMAL) if vertex.has(*_NORMAL) else NO_NORMALS
    kind = max((p.kind for p in vertex.properties if p.name in _POSITION), key=_coarseness)
    quantum = stored_quantum(points, kind) if sample is None else written_quantum(points, sample)
    if not surfaces:
        return make_cloud(points, normals, quantum, rest)
    faces = [lists for element, lists in surfaces if element.name == "face"]
    strips = [_triangles(element, lists, len(points)) for element, lists in surfaces if element.name != "face"]
    polygons = Polygons(
        np.concatenate([np.zeros(0, dtype=np.int64), *map(_indices, faces)]),
        np.concatenate([np.zeros(0, dtype=np.int64), *(lists.counts for lists in faces)]),
    )
    return make_mesh(points, normals, polygons, quantum, rest, triangles=np.concatenate([NO_FACES, *strips]))


def _coarseness(kind: str) -> tuple[bool, bool]:
    return kind[0] in "iu", kind == "f4"


def _indices(lists: Lists) -> NDArray[np.int64]:
    indices, broken = whole_numbers(lists.values)
    if broken.any():
        first = int(np.flatnonzero(broken)[0])
        face = int(np.searchsorted(np.cumsum(lists.counts), first, side="right"))
        raise InvalidInputError(
            "R2S126",
            f"face {face + 1} names vertex {lists.values[first]}, which is no whole number",
            hint="the file is damaged; export the scan again",
        )
    return indices


def _triangles(element: Element, strips: Lists, vertices: int) -> NDArray[np.int64]:
    indices = _indices(strips)
    kind = next(p.kind for p in element.properties if p.name in _CORNERS)
    if kind[0] == "u":  # an unsigned type writes the restart as its largest number
        indices[indices == np.iinfo(kind).max] = -1
    bad = np.flatnonzero((indices < -1) | (indices >= vertices))
    if len(bad):
        raise InvalidInputError(
            "R2S126",
            f"a triangle strip names vertex {indices[bad[0]]}; the file has {vertices:,} vertices, 0 to {vertices - 1}",
            hint="the file is damaged; export the scan again",
        )
    return expand_strips(indices, strips.counts)


def _sample(body: AsciiBody, vertex: Element) -> list[list[bytes]]:
    """Return the three coordinates of the first vertices as they are written; lines that do not fit are passed over."""
    columns = [i for name in _POSITION for i, p in enumerate(vertex.properties) if p.name == name]
    lines = body.lines.peek(1 << 16).splitlines()[: min(vertex.rows, _SAMPLE_ROWS)]
    rows = [line.split() for line in lines]
    return [[row[i] for i in columns] for row in rows if len(row) == len(vertex.properties)]


def _rest_of_text(body: AsciiBody, header: Header) -> tuple[Diagnostic, ...]:
    """Refuse rows of numbers after the last one that the header counts; note anything else."""
    while block := body.lines.peek():
        if block.strip():
            break
        body.lines.advance(block)
    else:
        return ()
    line, left = body.lines.line + block[: len(block) - len(block.lstrip())].count(b"\n"), body.lines.left
    try:
        rows = take_rows(body.lines, 1)
    except InvalidInputError:
        return (
            Diagnostic("note", "R2S131", f"passed over {left:,} bytes of text after the data, from line {line} on"),
        )
    counts = " and ".join(f"{e.rows:,} {e.name!r} rows" for e in header.elements)
    raise InvalidInputError(
        "R2S122",
        f"the PLY header counts {counts}, and line {rows.lines[0]} is one row more",
        hint="the header and the rows disagree; export the scan again",
    )


def _rest_of_bytes(body: BinaryBody, header: Header, vertex: Element) -> tuple[Diagnostic, ...]:
    """Note bytes after the data; warn where they may be points that the header does not count."""
    if body.left == 0:
        return ()
    row = vertex.least_row
    if header.elements[-1] is vertex and body.left % row == 0:
        message = (
            f"{body.left:,} bytes follow the last point: {body.left // row:,} points that the header does not count?"
        )
        return (Diagnostic("warning", "R2S131", message, "export the scan again if points are missing"),)
    return (Diagnostic("note", "R2S131", f"passed over {body.left:,} bytes after the data"),)
