"""The geometry of closure against oracles that share no code with it: formulas, brute force, MuJoCo."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
import trimesh
from scan_shapes import MM, box, sphere, together

from r2s.compiler.ir import Floats, Ints, floats, ints
from r2s.passes.closing.mjcf import Emitted, emitted, turned
from r2s.passes.closing.obj import read_obj
from r2s.passes.closing.shape import Shape
from r2s.passes.closing.solids import Solid
from r2s.passes.closing.triangles import Nearest, cut, distances
from r2s.passes.closing.union import Union
from r2s.passes.closing.winding import Winding, surrounded


def solid(core: Floats, radius: float = 0.0) -> Solid:
    return Solid.of(Emitted("part", floats(core), radius, ints(np.zeros((0, 3)))))


def rough_ball(seed: int) -> tuple[Floats, Ints]:
    """A sphere whose radius changes from place to place: many sizes and shapes of triangles."""
    vertices, faces = sphere(30 * MM, 3)
    waves = np.random.default_rng(seed).normal(size=(3, 3)) * 4
    return vertices * (1 + 0.2 * np.sin(vertices / (30 * MM) @ waves).sum(axis=1, keepdims=True) / 3), faces


def by_hand(point: Floats, triangle: Floats) -> float:
    """The nearest of a fine barycentric grid: never below the true distance, and above it by at most a step."""
    steps = np.linspace(0, 1, 200)
    s, t = (g.reshape(-1) for g in np.meshgrid(steps, steps))
    s, t = s[s + t <= 1], t[s + t <= 1]
    a, b, c = triangle
    spots = a + s[:, None] * (b - a) + t[:, None] * (c - a)
    return float(np.linalg.norm(spots - point, axis=1).min())


def test_the_distance_to_a_triangle_is_that_of_a_fine_grid() -> None:
    rng = np.random.default_rng(1)
    triangles = rng.normal(size=(200, 3, 3))
    triangles[:20, 2] = triangles[:20, 0] + 1e-9 * rng.normal(size=(20, 3))  # next to no area
    points = 2 * rng.normal(size=(200, 3))

    found = distances(points, triangles)

    grid = np.array([by_hand(p, t) for p, t in zip(points, triangles, strict=True)])
    assert (found <= grid + 1e-12).all()
    assert (grid - found).max() < 0.02


def test_nearest_is_the_least_over_all_triangles_near_and_far() -> None:
    vertices, faces = rough_ball(2)
    triangles = np.concatenate([vertices[faces], [[(0.2, 0, 0), (0.3, 0.2, 0), (0.2, 0, 0.1)]]])  # one much larger
    points = np.random.default_rng(3).uniform(-0.15, 0.25, size=(300, 3))

    away, owner = Nearest(triangles, 3 * MM).distance(points)

    brute = np.stack([distances(points, np.broadcast_to(t, (300, 3, 3))) for t in triangles], axis=1)
    assert np.abs(away - brute.min(axis=1)).max() < 1e-15
    assert np.abs(brute[np.arange(300), owner] - away).max() < 1e-15


def test_cutting_keeps_area_and_side_and_reaches_no_further() -> None:
    vertices, faces = rough_ball(4)
    parts = cut(vertices[faces], 1 * MM)

    assert parts.reach <= 1 * MM
    assert parts.areas.sum() == pytest.approx(trimesh.Trimesh(vertices, faces).area, rel=1e-12)
    whole = np.cross(*(vertices[faces][:, k] - vertices[faces][:, 0] for k in (1, 2)))
    part = np.cross(*(parts.corners[:, k] - parts.corners[:, 0] for k in (1, 2)))
    assert (np.einsum("ij,ij->i", part, whole[parts.parent]) > 0).all()


@pytest.mark.parametrize("kind", ["rough", "hollow", "crossing"])
def test_winding_agrees_with_the_solid_angle(kind: str) -> None:
    vertices, faces = {
        "rough": lambda: rough_ball(5),
        "hollow": lambda: together(sphere(30 * MM, 3), (sphere(20 * MM, 3)[0], sphere(20 * MM, 3)[1][:, ::-1])),
        "crossing": lambda: together(box((40 * MM,) * 3), box((40 * MM,) * 3, (20 * MM, 20 * MM, 20 * MM))),
    }[kind]()
    points = np.random.default_rng(6).uniform(-40 * MM, 70 * MM, size=(500, 3))
    triangles = vertices[faces]

    inside = Winding(cut(triangles, 4 * MM)).inside(points)

    assert 20 < inside.sum() < 480
    assert inside.tolist() == [surrounded(p, triangles) for p in points]


def test_signed_distances_to_a_box_are_the_formula() -> None:
    vertices, faces = box((60 * MM, 40 * MM, 20 * MM), (-30 * MM, -20 * MM, -10 * MM))
    points = np.random.default_rng(7).uniform(-50 * MM, 50 * MM, size=(2000, 3))
    beyond = np.abs(points) - [30 * MM, 20 * MM, 10 * MM]
    true = np.linalg.norm(np.maximum(beyond, 0), axis=1) + np.minimum(beyond.max(axis=1), 0)

    found = Shape(vertices[faces]).sided(points)

    assert np.abs(found.signed - true).max() < 1e-15


def test_the_distance_to_a_union_is_the_formula() -> None:
    """A box, a capsule across it and a ball beside it."""
    corners = box((60 * MM, 40 * MM, 20 * MM), (-30 * MM, -20 * MM, -10 * MM))[0]
    ends, ball = np.array([[0, 0, -40 * MM], [0, 0, 40 * MM]]), np.array([[60 * MM, 0, 0]])
    union = Union((solid(corners), solid(ends, 8 * MM), solid(ball, 12 * MM)))
    points = np.random.default_rng(8).uniform(-90 * MM, 90 * MM, size=(4000, 3))

    found = union.outside(points, 2 * MM)

    to_box = np.linalg.norm(np.maximum(np.abs(points) - [30 * MM, 20 * MM, 10 * MM], 0), axis=1)
    along = points[:, 2].clip(-40 * MM, 40 * MM)
    to_capsule = np.linalg.norm(points - along[:, None] * [0, 0, 1], axis=1) - 8 * MM
    to_ball = np.linalg.norm(points - ball, axis=1) - 12 * MM
    true = np.maximum(np.minimum(np.minimum(to_box, to_capsule), to_ball), 0)
    assert np.abs(found - true).max() < 1e-15


@pytest.mark.parametrize("kind", ["box", "ball", "capsule"])
def test_samples_lie_on_the_solid_and_none_is_far(kind: str) -> None:
    one = {
        "box": lambda: solid(box((60 * MM, 40 * MM, 20 * MM))[0]),
        "ball": lambda: solid(np.array([[5 * MM, 0, 0]]), 12 * MM),
        "capsule": lambda: solid(np.array([[0, 0, 0], [30 * MM, 10 * MM, 5 * MM]]), 8 * MM),
    }[kind]()
    found = one.samples(2 * MM)

    length = float(np.linalg.norm(one.core[-1] - one.core[0]))
    area = 2 * (60 * 40 + 40 * 20 + 60 * 20) * MM**2 if kind == "box" else 2 * np.pi * one.radius * length
    area += 4 * np.pi * one.radius**2
    assert np.abs(one.level(found.points)).max() < 1e-12
    assert found.areas.sum() == pytest.approx(area, rel=2e-3)
    assert one.level(found.points + 1e-6 * found.normals).min() > 0.9e-6
    from scipy.spatial import cKDTree

    middle, far = one.core.mean(axis=0), 200 * MM
    rays = np.random.default_rng(9).normal(size=(3000, 3))
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    low, high = np.zeros(3000), np.full(3000, far)
    for _ in range(60):  # where each ray from the middle leaves the solid
        half = (low + high) / 2
        out = one.level(middle + half[:, None] * rays) > 0
        low, high = np.where(out, low, half), np.where(out, half, high)
    assert cKDTree(found.points).query(middle + low[:, None] * rays)[0].max() <= found.reach <= 2.1 * MM


def test_faces_that_meet_are_hidden_and_faces_in_one_plane_are_not() -> None:
    """Two boxes side by side, flush on four sides: one box with an inner wall."""
    one, two = box((20 * MM, 20 * MM, 20 * MM))[0], box((30 * MM, 20 * MM, 20 * MM), (20 * MM, 0, 0))[0]
    found = Union((solid(one), solid(two))).exposed(2 * MM)

    whole = 2 * (50 * 20 + 20 * 20 + 50 * 20) * MM**2
    assert found.samples.areas[found.open].sum() == pytest.approx(whole, rel=1e-9)
    shut = found.samples.points[~found.open]
    assert np.abs(shut[:, 0] - 20 * MM).max() < 1e-12


MODEL = """
<mujoco>
  <compiler angle="radian"/>
  <default>
    <default class="visual"><geom type="mesh" contype="0" conaffinity="0"/></default>
    <default class="collision"><geom type="mesh" group="3"/>
      <default class="round"><geom type="capsule" size="0.01 0.02"/></default>
    </default>
  </default>
  <asset>
    <mesh name="wedge" file="wedge.obj" scale="1.5 -1 2" refpos="0.01 0.02 0.03" refquat="0.8 0.1 -0.5 0.3"/>
  </asset>
  <worldbody>
    <body pos="0.1 0.2 0.3" quat="0.9 0.2 0.3 -0.1">
      <geom class="visual" mesh="wedge"/>
      <geom name="wedge" class="collision" mesh="wedge" pos="0.01 0 -0.02" quat="1 0 0.4 0"/>
      <body pos="0 0 0.1" quat="0.5 0.5 -0.1 0.7" childclass="collision">
        <geom name="inner" mesh="wedge"/>
        <geom name="pill" class="round" quat="0.7 0.7 0 0.1"/>
        <geom name="block" type="box" size="0.01 0.02 0.03" pos="0 0.1 0" quat="0.3 0.4 0.5 0.6"/>
        <geom name="ball" type="sphere" size="0.015" pos="0.2 0 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
WEDGE = b"o wedge\nv 0 0 0\nv 0.05 0 0\nv 0 0.04 0\nv 0.01 0.01 0.03\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"


def test_places_are_those_that_mujoco_compiles() -> None:
    model = mujoco.MjModel.from_xml_string(MODEL, {"wedge.obj": WEDGE})
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)

    found = {geom.name: geom for geom in emitted(MODEL, {"wedge.obj": WEDGE})}

    assert list(found) == ["wedge", "inner", "pill", "block", "ball"]
    for name, geom in found.items():
        index = model.geom(name).id
        turn, place = data.geom_xmat[index].reshape(3, 3), data.geom_xpos[index]
        size = model.geom_size[index]
        if name in ("wedge", "inner"):
            mesh = model.geom_dataid[index]
            start, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            local, radius = model.mesh_vert[start : start + count].astype(float), 0.0
        elif name == "block":
            local, radius = (box(tuple(2 * size))[0] - size), 0.0
        else:
            local, radius = np.array([[0, 0, s * size[1]] for s in (-1, 1)]), size[0]
        expected = local @ turn.T + place
        gap = np.linalg.norm(expected[:, None] - geom.core[None], axis=2)
        assert gap.min(axis=0).max() < 1e-7
        assert gap.min(axis=1).max() < 1e-7
        assert geom.radius == radius


def test_a_mirroring_scale_keeps_faces_outward() -> None:
    geom = emitted(MODEL, {"wedge.obj": WEDGE})[0]
    a, b, c = np.moveaxis((geom.core - geom.core.mean(axis=0))[geom.faces], 1, 0)

    assert float(np.einsum("ij,ij->", a, np.cross(b, c))) > 0


def test_a_quaternion_turns_as_mujoco_says() -> None:
    for q in np.random.default_rng(10).normal(size=(20, 4)):
        expected = np.zeros(9)
        mujoco.mju_quat2Mat(expected, q / np.linalg.norm(q))
        assert np.abs(turned(q) - expected.reshape(3, 3)).max() < 1e-14


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("v 0 0\n", "line 1"),
        ("v 0 0 0\nf 1 1 2\n", "does not exist"),
        ("v 0 0 0\nvn 0 0 1\n", "line 2"),
        ("v 0 0 nan\n", "not finite"),
        ("v 0 0 0\nf 0 1 1\n", "does not exist"),
        ("v 0 0 0\nf 1/1 1/1 1/1\n", "invalid literal"),
    ],
)
def test_obj_that_no_asset_holds_is_refused(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read_obj(text.encode())


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('pos="0.01 0 -0.02" quat="1 0 0.4 0"', 'euler="0 0 1"', "euler is not read"),
        ('type="box"', 'type="cylinder"', "block is a cylinder"),
        ('size="0.01 0.02 0.03"', 'size="0.01 0.02"', "is not 3 numbers"),
        ("<default>\n", '<default><mesh scale="2 2 2"/>\n', "defaults of meshes"),
    ],
)
def test_mjcf_that_is_not_read_is_refused(old: str, new: str, says: str) -> None:
    assert old in MODEL
    with pytest.raises(ValueError, match=says):
        emitted(MODEL.replace(old, new, 1), {"wedge.obj": WEDGE})
