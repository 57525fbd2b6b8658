"""Damage done on purpose: each kind does what it says, and nothing else, and the same every time."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from corruptions import SIZE, box_cloud, brick, write_obj, write_ply

from r2s.compiler.corruption import Corrupted, Corruption
from r2s.compiler.files import hash_regular
from r2s.compiler.ir import Source
from r2s.passes.corrupt import Corrupt


def done(path: Path, kind: Any, **options: Any) -> Corrupted:
    source = Source(path.suffix[1:], hash_regular(path), str(path))
    return Corrupt(Corruption(kind, **options)).run(source).value


def mesh_of(found: Corrupted) -> trimesh.Trimesh:
    return trimesh.load(io.BytesIO(found.data), file_type="ply", process=False)


def places(found: Corrupted) -> np.ndarray:
    return np.asarray(mesh_of(found).vertices)


@pytest.fixture
def mesh(tmp_path: Path) -> Path:
    return write_obj(tmp_path / "brick.obj", *brick())


@pytest.fixture
def cloud(tmp_path: Path) -> Path:
    return write_ply(tmp_path / "brick.ply", *box_cloud(4000))


def test_a_scale_is_of_all_axes_or_one(mesh: Path) -> None:
    before = brick()[0]
    assert places(done(mesh, "scale", size=1.01)) == pytest.approx(before * 1.01, abs=1e-12)
    one = done(mesh, "axis_scale", size=1.02, axis="y")
    assert places(one) == pytest.approx(before * [1, 1.02, 1], abs=1e-12)
    assert one.matrix == ((1, 0, 0, 0), (0, 1.02, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
    assert places(done(mesh, "unit", size=25.4)) == pytest.approx(before * 25.4, abs=1e-9)


def test_an_offset_moves_faces_outward(mesh: Path, cloud: Path) -> None:
    # a corner of a box moves along its three faces' mean direction, by the offset
    moved = places(done(mesh, "offset", size=0.5)) - brick()[0]
    assert np.linalg.norm(moved, axis=1) == pytest.approx(0.5)
    assert (np.sign(moved) == np.where(brick()[0] > np.array(SIZE) / 2, 1, -1)).all()
    points, normals = box_cloud(4000)
    assert places(done(cloud, "offset", size=0.5)) == pytest.approx(points + 0.5 * normals, abs=1e-9)


def test_an_offset_needs_an_outside(tmp_path: Path) -> None:
    bare = write_ply(tmp_path / "bare.ply", box_cloud(4000)[0])
    found = done(bare, "offset", size=0.5)
    assert found.impossible == "the cloud has no normals that say which side is outside"
    assert found.packed == ""


def test_a_mirror_reverses_handedness_and_keeps_the_outside_out(tmp_path: Path) -> None:
    tetra = trimesh.Trimesh([[0, 0, 0], [3, 0, 0], [0, 2, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    path = write_obj(tmp_path / "tetra.obj", np.asarray(tetra.vertices), np.asarray(tetra.faces))
    found = done(path, "mirror", axis="x")
    mirrored = mesh_of(found)
    assert mirrored.volume == pytest.approx(tetra.volume)  # positive: still outward
    assert np.linalg.det(np.array(found.matrix)[:3, :3]) == pytest.approx(-1)
    assert np.asarray(mirrored.vertices) == pytest.approx(np.asarray(tetra.vertices) * [-1, 1, 1] + [3, 0, 0])


def test_a_swap_turns_by_a_quarter_and_stays_the_same_object(mesh: Path) -> None:
    found = done(mesh, "swap", axis="z")
    turned = mesh_of(found)
    assert np.ptp(turned.vertices, axis=0) == pytest.approx([50, 80, 40])
    assert np.linalg.det(np.array(found.matrix)[:3, :3]) == pytest.approx(1)
    assert turned.volume == pytest.approx(80 * 50 * 40)


def test_whether_anything_changed_is_told_by_the_points(cloud: Path) -> None:
    """A box is its own mirror image; turned by a quarter it is not, and neither is it with a side missing."""
    same, turned = done(cloud, "mirror", axis="x"), done(cloud, "swap", axis="z")
    assert same.apart < same.alike
    assert turned.apart > 3 * turned.alike
    write_ply(cloud, *box_cloud(4000, bottom=False))
    assert done(cloud, "mirror", axis="x").apart < done(cloud, "mirror", axis="x").alike
    assert done(cloud, "mirror", axis="z").apart > 3 * done(cloud, "mirror", axis="z").alike


def test_a_missing_bottom_is_the_underside_and_no_wall(cloud: Path, mesh: Path) -> None:
    points, normals = box_cloud(4000)
    under = normals[:, 2] < 0
    found = done(cloud, "bottom", up="+z")
    assert (found.touched, found.points) == (int(under.sum()), 4000)
    assert places(found) == pytest.approx(points[~under], abs=1e-9)
    upper = done(cloud, "bottom", up="-z")
    assert places(upper) == pytest.approx(points[normals[:, 2] <= 0], abs=1e-9)
    cut = places(done(cloud, "bottom", size=0.25, up="+z"))
    assert cut == pytest.approx(points[~under & (points[:, 2] >= 10)], abs=1e-9)
    open_box = mesh_of(done(mesh, "bottom"))
    assert len(open_box.faces) == 10
    assert open_box.area == pytest.approx(2 * (80 * 40 + 50 * 40) + 80 * 50)


def test_a_floater_hangs_outside_and_is_as_dense_as_the_scan(cloud: Path, mesh: Path) -> None:
    points, _ = box_cloud(4000)
    found = done(cloud, "floater", size=0.01)
    added = places(found)[4000:]
    assert (found.touched, len(added)) == (40, 40)
    assert places(found)[:4000] == pytest.approx(points, abs=1e-9)
    assert added[:, 0].min() > 80 + 0.4 * np.linalg.norm(SIZE)
    island = mesh_of(done(mesh, "floater", size=0.01))
    parts = island.split(only_watertight=True)
    assert sorted(len(part.faces) for part in parts) == [8, 12]
    assert all(part.volume > 0 for part in parts)


def test_noise_is_of_its_size_and_the_same_every_time(cloud: Path) -> None:
    points, _ = box_cloud(4000)
    first, again = done(cloud, "noise", size=0.2), done(cloud, "noise", size=0.2)
    assert first.data == again.data
    assert np.std(places(first) - points, axis=0) == pytest.approx(0.2, rel=0.05)
    assert done(cloud, "noise", size=0.0).impossible.startswith("the scan's own noise is not known")
