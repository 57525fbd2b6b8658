"""How far two assets are apart: exact where it must be, and never less than what sampling finds."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from r2s.compiler.errors import NotReproducibleError
from r2s.compiler.verify import Rebuilt, must_be_near
from r2s.compiler.verify.equivalence import Distance, Shape, Solid, distance, read_shape

XML = """<mujoco>
  <asset><mesh name="v" file="v.obj"/><mesh name="p" file="p.obj"/></asset>
  <worldbody><body name="x">
    <inertial pos="{com}" mass="{mass}" diaginertia="{inertia}" quat="{quat}"/>
    <geom class="visual" mesh="v"/>
    {geoms}
  </body></worldbody>
</mujoco>"""
CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1)) + "f 1 2 3\n"
MESH = '<geom class="collision" mesh="p"/>'


def shape(
    geoms: str = MESH,
    piece: str = CUBE,
    visual: str = CUBE,
    com: str = "0 0 0",
    mass: float = 1.0,
    inertia: str = "1 2 3",
    quat: str = "1 0 0 0",
) -> Shape:
    xml = XML.format(geoms=geoms, com=com, mass=mass, inertia=inertia, quat=quat)
    return read_shape(xml.encode(), {"v.obj": visual.encode(), "p.obj": piece.encode()})


def moved(text: str, by: float) -> str:
    """The OBJ *text* with its first vertex moved by *by* along x."""
    first, rest = text.split("\n", 1)
    x, y, z = map(float, first.split()[1:])
    return f"v {x + by} {y} {z}\n{rest}"


def test_a_shape_is_at_no_distance_from_itself() -> None:
    assert distance(shape(), shape()) == Distance(0.0, 0.0, 0.0, 0.0, 0.0)


def test_each_number_tells_of_its_own_change() -> None:
    assert distance(shape(), shape(piece=moved(CUBE, -1e-3))).pieces == pytest.approx(1e-3)
    assert distance(shape(), shape(visual=moved(CUBE, 1e-3))).visual == pytest.approx(1e-3)
    assert distance(shape(), shape(com="0 3e-3 4e-3")).com == pytest.approx(5e-3)
    assert distance(shape(), shape(mass=1.01)).mass == pytest.approx(0.01)
    assert distance(shape(), shape(inertia="1 2 3.3")).inertia == pytest.approx(0.3 / np.sqrt(14))


def test_axes_of_inertia_may_be_written_otherwise() -> None:
    """A quarter turn about z exchanges the moments about x and y: the same tensor."""
    turned = shape(inertia="2 1 3", quat=f"{np.sqrt(0.5)} 0 0 {np.sqrt(0.5)}")

    assert distance(shape(), turned).inertia == pytest.approx(0, abs=1e-15)


def test_other_triangles_have_no_distance() -> None:
    assert distance(shape(), shape(visual=CUBE + "f 2 3 4\n")).visual is None


def test_a_box_equals_its_mesh_and_a_turned_one_does_not() -> None:
    box = '<geom class="collision" type="box" size="0.5 0.5 0.5" pos="0.5 0.5 0.5"{}/>'
    eighth = f' quat="{np.cos(np.pi / 8)} 0 0 {np.sin(np.pi / 8)}"'

    assert distance(shape(), shape(box.format(""))).pieces == pytest.approx(0, abs=1e-15)
    assert distance(shape(), shape(box.format(eighth))).pieces == pytest.approx(np.sqrt(1 - 1 / np.sqrt(2)))


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ('type="sphere" size="0.5" pos="0 0 0"', 'type="sphere" size="0.6" pos="0 0 0"', 0.1),
        ('type="sphere" size="0.5" pos="0 0 0"', 'type="sphere" size="0.5" pos="0 0 0.2"', 0.2),
        ('type="capsule" size="0.5 1" pos="0 0 0"', 'type="capsule" size="0.5 1.3" pos="0 0 0"', 0.3),
        ('type="capsule" size="0.5 1" pos="0 0 0"', 'type="capsule" size="0.5 1" quat="0 1 0 0" pos="0 0 0"', 0.0),
    ],
)
def test_round_pieces(one: str, other: str, apart: float) -> None:
    a, b = (shape(f'<geom class="collision" {text}/>') for text in (one, other))

    assert distance(a, b).pieces == pytest.approx(apart, abs=1e-12)


def solids(*points: np.ndarray) -> Shape:
    base = shape()
    return Shape(tuple(Solid(p, 0.0) for p in points), base.visual, base.faces, 1.0, base.com, base.inertia)


def test_the_order_and_number_of_pieces_do_not_matter_where_the_shape_is_one() -> None:
    rng = np.random.default_rng(1)
    clouds = [rng.normal(size=(12, 3)) + 5 * i for i in range(6)]

    assert distance(solids(*clouds), solids(*clouds[::-1])).pieces == 0
    assert distance(solids(*clouds), solids(*clouds, clouds[2])).pieces == 0
    assert distance(solids(*clouds), solids(*clouds[:5])).pieces > 4
    assert distance(solids(*clouds[:5]), solids(*clouds)).pieces > 4


@pytest.mark.parametrize("seed", range(6))
def test_no_nearer_piece_is_passed_over(seed: int) -> None:
    """Against all pairs; sizes and places are mixed so that the order of boxes is not that of distances."""
    rng = np.random.default_rng(seed)
    ones, others = ([rng.normal(size=(9, 3)) * rng.uniform(0.5, 2) for _ in range(5)] for _ in range(2))

    def apart(p: np.ndarray, q: np.ndarray) -> float:
        gaps = np.linalg.norm(p[:, None] - q[None], axis=2)
        return max(gaps.min(axis=0).max(), gaps.min(axis=1).max())

    there = max(min(apart(p, q) for q in others) for p in ones)
    back = max(min(apart(p, q) for q in ones) for p in others)
    assert distance(solids(*ones), solids(*others)).pieces == pytest.approx(max(there, back))


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_is_never_less_than_what_sampling_finds(seed: int) -> None:
    """Two random hulls, and a sampled Hausdorff distance by a library that the code does not use."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(20, 3))
    b = a + 0.2 * rng.normal(size=a.shape)
    one, two = (trimesh.convex.convex_hull(p) for p in (a, b))
    spots, _ = trimesh.sample.sample_surface(one, 3000, seed=seed)
    outside = np.maximum(((spots[:, None] - two.triangles[None, :, 0]) * two.face_normals).sum(axis=2).max(axis=1), 0)

    assert outside.max() <= distance(solids(a), solids(b)).pieces


def test_without_a_limit_any_measured_distance_is_an_answer() -> None:
    far = Rebuilt("equivalent", (), 6, "", ("numpy 1 -> 2",), Distance(3e-6, None, 0.0, 0.0, 0.0))

    must_be_near(far)
    must_be_near(far, 4e-6)
    with pytest.raises(NotReproducibleError, match="3 um away, and 2 um are allowed"):
        must_be_near(far, 2e-6)
    with pytest.raises(NotReproducibleError, match=r"2 of 7 files differ \(a, b\); scale is the first pass"):
        must_be_near(Rebuilt("differs", ("a", "b"), 7, "scale", (), None))
