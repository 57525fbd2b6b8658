"""What errors of a scan do to a solid, against trimesh's integrals over the same body with its faces moved."""

from __future__ import annotations

from dataclasses import replace
from math import pi
from typing import NamedTuple

import numpy as np
import pytest
import scan_shapes
import trimesh

from r2s.compiler.ir import Floats, Hulls, Ints, Surface, bools, floats, ints
from r2s.compiler.measured import VIEWS
from r2s.compiler.responses import COLUMNS, SolidResponse
from r2s.passes.caliper.response import view_of
from r2s.passes.respond import Respond

Shape = tuple[Floats, Ints]

STEP, STRAIN = 1e-6, 1e-6  # m, 1
CUP = [(0.0, 0.0), (0.025, 0.0), (0.035, 0.09), (0.031, 0.09), (0.022, 0.01), (0.0, 0.01)]
STAIR = [(0.0, 0.0), (0.03, 0.0), (0.03, 0.05), (0.012, 0.05), (0.012, 0.09), (0.0, 0.09)]
FILE_ORIGIN = np.array([0.012, -0.3, 0.45])  # where the zero of the scan's file lies in the surface's frame


def turned(shape: Shape, vector: tuple[float, float, float]) -> Shape:
    from scipy.spatial.transform import Rotation

    return shape[0] @ Rotation.from_rotvec(vector).as_matrix().T, shape[1]


def placed(shape: Shape) -> Shape:
    """Away from zero, so that what is about the origin and what about the middle are told apart."""
    return shape[0] + (0.2, -0.1, 0.05), shape[1]


# a block with a step, square to the axes and one lying anyhow, a cup on a cone, a ball
BODIES = {
    "stair": placed(turned(scan_shapes.lathe(STAIR, 4), (0, 0, pi / 4))),
    "box": placed(scan_shapes.box((0.06, 0.08, 0.1))),
    "yawed": placed(turned(scan_shapes.box((0.06, 0.08, 0.1)), (0, 0, 0.5))),
    "leaning": placed(turned(scan_shapes.box((0.06, 0.08, 0.1)), (0.2, -0.15, 0.1))),
    "cup": placed(scan_shapes.lathe(CUP, 36)),
    "ball": placed(scan_shapes.ball(0.03)),
}


class Facts(NamedTuple):
    """Volume, centre of mass from the frame's origin, and second moment about the centre of mass."""

    volume: float
    com: Floats
    second: Floats


def facts(shape: Shape, origin: Floats) -> Facts:
    mesh = trimesh.Trimesh(*shape, process=False)
    inertia = np.array(mesh.moment_inertia)
    return Facts(float(mesh.volume), mesh.center_mass - origin, np.trace(inertia) / 2 * np.eye(3) - inertia)


def origin_of(kind: str, shape: Shape) -> Floats:
    low, high = shape[0].min(axis=0), shape[0].max(axis=0)
    if kind == "base":
        return np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
    return np.array(trimesh.Trimesh(*shape, process=False).center_mass) if kind == "com" else FILE_ORIGIN


def seen(shape: Shape, unseen: str) -> np.ndarray:
    """(m,) whether somebody saw the face: all but those that look along the view *unseen*."""
    return view_of(scan_shapes.outward(*shape)) != (VIEWS.index(unseen) if unseen else -1)


def surface(shape: Shape, unseen: str = "", noise: float = 0.0) -> Surface:
    matrix = np.eye(4)
    matrix[:3, 3] = FILE_ORIGIN
    scan = replace(scan_shapes.mesh_scan(*shape, noise), from_source=floats(matrix))
    return Surface(floats(shape[0]), ints(shape[1]), bools(seen(shape, unseen)), scan)


def wrong(shape: Shape, column: str, amount: float, unseen: str) -> Shape:
    """The body with the error *column* of size *amount*; a strain leaves the scan's zero where it is."""
    if column in ("scale", "drift.x", "drift.y"):
        axes = np.array({"scale": (1, 1, 1), "drift.x": (1, 0, 0), "drift.y": (0, 1, 0)}[column])
        return shape[0] + amount * axes * (shape[0] - FILE_ORIGIN), shape[1]
    there, views = seen(shape, unseen), view_of(scan_shapes.outward(*shape))
    which = {"offset": there, "unseen": ~there}.get(column)
    if which is None:
        which = there & (views == VIEWS.index(column))
    return scan_shapes.moved(shape, amount * which) if which.any() else shape


def differences(shape: Shape, column: str, origin: str, unseen: str) -> Facts:
    """Central differences of the facts; the frame's origin moves with the body."""
    step = STRAIN if column in ("scale", "drift.x", "drift.y") else STEP
    ends = [wrong(shape, column, sign * step, unseen) for sign in (1, -1)]
    more, less = (facts(body, origin_of(origin, body)) for body in ends)
    return Facts(*((np.asarray(a) - np.asarray(b)) / (2 * step) for a, b in zip(more, less, strict=True)))


def respond(shape: Shape, origin: str = "base", unseen: str = "", noise: float = 0.0) -> SolidResponse:
    found = Respond(origin).run(surface(shape, unseen, noise)).value
    assert len(found.d_volume) == len(found.d_com) == len(found.d_second) == len(COLUMNS)
    return found


@pytest.mark.parametrize(
    ("body", "origin", "unseen"),
    [
        ("stair", "base", ""),
        ("stair", "base", "-z"),
        ("stair", "base", "+x"),
        ("stair", "com", "-y"),
        ("box", "scan", "-z"),
        ("yawed", "base", "-z"),
        ("leaning", "base", ""),
        ("leaning", "scan", "+z"),
        ("cup", "base", "-z"),
        ("ball", "base", ""),
    ],
)
def test_every_column_is_the_difference_on_a_body_that_is_wrong_so(body: str, origin: str, unseen: str) -> None:
    shape = BODIES[body]
    found, true = respond(shape, origin, unseen), facts(shape, origin_of(origin, shape))
    size = true.volume ** (1 / 3)
    # the corners of a faceted round body lie where facets of two views meet, or not
    near = 1e-6 if body not in ("cup", "ball") else 0.02

    assert found.volume == pytest.approx(true.volume, rel=1e-9)
    assert found.area == pytest.approx(trimesh.Trimesh(*shape, process=False).area, rel=1e-9)
    assert found.com == pytest.approx(true.com, abs=1e-9 * size)
    assert np.reshape(found.second, (3, 3)) == pytest.approx(true.second, abs=1e-9 * size**5)
    for k, column in enumerate(COLUMNS):
        told = differences(shape, column, origin, unseen)
        unit = size if column in ("scale", "drift.x", "drift.y") else 1.0  # metres per one, or per metre
        assert found.d_volume[k] == pytest.approx(told.volume, abs=1e-6 * size**2 * unit), column
        assert found.d_com[k] == pytest.approx(told.com, abs=near * unit), column
        assert np.reshape(found.d_second[k], (3, 3)) == pytest.approx(told.second, abs=1e-6 * size**4 * unit), column


def test_the_offset_is_all_that_was_seen_and_the_rest_is_unseen() -> None:
    found = respond(BODIES["cup"], unseen="-z")
    views = [COLUMNS.index(view) for view in VIEWS]
    by = dict(zip(COLUMNS, found.d_volume, strict=True))

    for table in (found.d_volume, found.d_com, found.d_second):
        columns = np.array(table)
        assert columns[COLUMNS.index("offset")] == pytest.approx(columns[views].sum(axis=0), abs=1e-9)
    assert by["offset"] + by["unseen"] == pytest.approx(found.area)
    assert by["unseen"] == pytest.approx(36 * 0.025**2 * np.tan(pi / 36), rel=1e-9)
    assert by["-z"] == 0


def test_a_frame_that_rests_on_an_unseen_underside_does_not_rise_with_it() -> None:
    """Seen: the base a metre lower, the middle half a metre.  Unseen, an offset lifts the middle alone."""
    box = BODIES["box"]
    seen, unseen = (dict(zip(COLUMNS, respond(box, unseen=view).d_com, strict=True)) for view in ("", "-z"))

    assert seen["-z"] == pytest.approx((0, 0, 0.5))
    assert seen["offset"] == pytest.approx((0, 0, 1), abs=1e-9)
    assert (unseen["-z"], unseen["unseen"]) == (pytest.approx((0, 0, 0)), pytest.approx((0, 0, 0.5)))
    assert unseen["offset"] == pytest.approx((0, 0, 0.5), abs=1e-9)


def test_the_span_is_that_of_what_touches_the_floor() -> None:
    foot = 0.05 / np.cos(pi / 36)

    assert respond(BODIES["box"]).span == pytest.approx((0.06, 0.08))
    assert respond(BODIES["cup"]).span == pytest.approx((foot, foot), rel=0.01)
    assert max(respond(BODIES["ball"]).span) < 0.02
    # a block that leans touches with one edge, and with its next one only where noise is as large as that is high
    edge = placed(turned(scan_shapes.box((0.06, 0.08, 0.1)), (0.0, 0.02, 0.0)))
    assert respond(edge).span == pytest.approx((0.0, 0.08), abs=1e-9)
    assert respond(edge, noise=0.5e-3).span == pytest.approx((0.06 * np.cos(0.02), 0.08))


def test_the_pieces_answer_for_their_surface() -> None:
    of = surface(BODIES["box"])

    assert Respond().run(Hulls((), of)).value == Respond().run(of).value
