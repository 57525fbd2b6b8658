"""A good closed mesh or cloud changed in one place: what the surface pass says of it, and what it makes of it."""

from __future__ import annotations

import numpy as np
import pytest
from scan_shapes import MM, box, cloud_scan, mesh_scan, sphere_cloud, together

from r2s.compiler.errors import Diagnostic
from r2s.compiler.ir import Scan, Surface, bools, floats, ints
from r2s.passes.meshes.doubts import doubts
from r2s.passes.meshes.edges import areas
from r2s.passes.surface import ExtractSurface

BRICK = (80 * MM, 50 * MM, 40 * MM)
VOLUME = 80 * 50 * 40 * MM**3


def made(scan: Scan) -> tuple[Surface, list[tuple[str, str]], str]:
    """The surface, severities with codes, and all messages."""
    found = ExtractSurface().run(scan)
    found.value.verify()
    told = list(found.diagnostics)
    return found.value, [(d.severity, d.code) for d in told], " / ".join(d.message for d in told)


def test_the_good_mesh_passes_through() -> None:
    surface, codes, _ = made(mesh_scan(*box(BRICK)))

    assert codes == []
    assert surface.volume == pytest.approx(VOLUME)


def test_one_of_two_bodies_inside_out() -> None:
    """The other tells which side is out; all of them inside out would be a mirror."""
    vertices, faces = together(box(BRICK), box((30 * MM, 30 * MM, 30 * MM), at=(200 * MM, 0, 0)))
    good, good_codes, _ = made(mesh_scan(vertices, faces))
    faces = np.concatenate([faces[:12], faces[12:, ::-1]])
    surface, codes, says = made(mesh_scan(vertices, faces))

    assert good_codes == [("note", "R2S434")]
    assert codes == [("warning", "R2S412"), ("note", "R2S434")]
    assert "1 separate shell of up to 27000.0 mm^3 faced inward and was turned" in says
    assert surface.volume == pytest.approx(good.volume) == pytest.approx(VOLUME + (30 * MM) ** 3)


def test_all_faces_inside_out_may_be_a_mirror() -> None:
    vertices, faces = box(BRICK)
    surface, codes, says = made(mesh_scan(vertices * [-1, 1, 1], faces))

    assert codes == [("warning", "R2S413")]
    assert "its volume is -160000.0 mm^3" in says
    assert surface.volume == pytest.approx(VOLUME)


def test_a_missing_face_is_closed_and_its_area_told() -> None:
    """The lid of the underside is told apart from a hole at the side; both are in the budget as unobserved."""
    vertices, faces = box(BRICK)
    normal = np.cross(*(vertices[faces][:, k] - vertices[faces][:, 0] for k in (1, 2)))
    bottomless, codes, says = made(mesh_scan(vertices, faces[normal[:, 2] >= 0]))

    assert codes == [("warning", "R2S420")]
    assert "closed flat: 4000 mm^2 that nobody measured" in says
    assert bottomless.volume == pytest.approx(VOLUME)
    assert float(areas(bottomless.vertices, bottomless.faces)[~bottomless.observed].sum()) == pytest.approx(
        4000 * MM**2
    )


def test_a_floating_crumb_is_dropped() -> None:
    crumb = box((0.5 * MM, 0.5 * MM, 0.5 * MM), at=(200 * MM, 0, 0))
    open_crumb = crumb[0], crumb[1][:-2]
    surface, codes, says = made(mesh_scan(*together(box(BRICK), open_crumb)))

    assert ("warning", "R2S419") in codes
    assert "dropped" in says
    assert np.ptp(surface.vertices[:, 0]) == pytest.approx(80 * MM)


def test_doubled_faces_are_taken_once() -> None:
    vertices, faces = box(BRICK)
    surface, codes, _ = made(mesh_scan(vertices, np.concatenate([faces, faces[:4]])))

    assert codes == [("warning", "R2S411")]
    assert surface.volume == pytest.approx(VOLUME)


# --- what looks odd about a finished surface ---------------------------------------------------------------------


def told(surface: Surface) -> list[Diagnostic]:
    return list(doubts(surface))


def closed(vertices: np.ndarray, faces: np.ndarray, scan: Scan | None = None) -> Surface:
    return Surface(floats(vertices), ints(faces), bools(np.ones(len(faces))), scan or mesh_scan(vertices, faces))


def test_a_surface_wider_than_its_points() -> None:
    """Points 3 mm narrower than the surface that was drawn through them: over 2 % of their diagonal."""
    vertices, faces = box(BRICK)
    narrow = cloud_scan(np.clip(vertices, [3 * MM, 0, 0], None))
    (warning,) = told(closed(vertices, faces, narrow))

    assert told(closed(vertices, faces)) == []
    assert (warning.severity, warning.code) == ("warning", "R2S433")
    assert warning.message.startswith("the surface is 3 mm wider in x than its points (77 mm), which lie ")


def test_two_bodies_are_noted_and_two_that_touch_are_not() -> None:
    one, other = box(BRICK), box((40 * MM, 50 * MM, 40 * MM), at=(100 * MM, 0, 0))
    touching = box((40 * MM, 50 * MM, 40 * MM), at=(80 * MM, 50 * MM, 0))
    (note,) = told(closed(*together(one, other)))

    assert (note.severity, note.code) == ("note", "R2S434")
    assert note.message.startswith("the surface is 2 separate bodies (the second has 50 % of the first's volume)")
    assert told(closed(*together(one, touching))) == []


def test_normals_turned_inward_are_named() -> None:
    points = sphere_cloud(30 * MM, 3000, 0.0)
    outward = points / np.linalg.norm(points, axis=1, keepdims=True)
    good, good_codes, _ = made(cloud_scan(points, outward))
    turned, codes, says = made(cloud_scan(points, -outward))

    assert good_codes == []
    assert codes == [("warning", "R2S431")]
    assert "100 % of the file's normals point inward" in says
    assert turned.volume == pytest.approx(good.volume, rel=1e-3)
