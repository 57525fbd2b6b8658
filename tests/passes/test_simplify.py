"""Fewer triangles within an error in metres: proven, closed, and nothing unseen becomes seen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scan_shapes import MM, box, mesh_scan, sphere

from r2s.compiler.errors import UsageError
from r2s.compiler.ir import Floats, Ints, Surface
from r2s.compiler.ledger import Change, DirectedDistance
from r2s.compiler.protocol import Outcome
from r2s.passes.shapes.distance import Solid, samples
from r2s.passes.shapes.farthest import Target, bounded
from r2s.passes.simplify import Simplify, automatic_error
from r2s.passes.surface import ExtractSurface


def surface(vertices: Floats, faces: Ints, noise: float = 0.0) -> Surface:
    return ExtractSurface().run(mesh_scan(vertices, faces, noise)).value


def simplified(source: Surface, **options: float | int) -> Outcome[Surface]:
    found = Simplify(**options).run(source)  # type: ignore[arg-type]  # options by name
    found.value.verify()
    assert found.value.origin is source
    return found


def distances(found: Outcome[Surface]) -> dict[str, DirectedDistance]:
    return {t.role: t for t in found.terms if isinstance(t, DirectedDistance)}


def fine_box() -> tuple[Floats, Ints]:
    import trimesh

    mesh = trimesh.Trimesh(*box((80 * MM, 50 * MM, 40 * MM)), process=False)
    for _ in range(4):
        mesh = mesh.subdivide()
    return np.asarray(mesh.vertices), np.asarray(mesh.faces, dtype=np.int64)


def ball() -> tuple[Floats, Ints]:
    return sphere(40 * MM, 4)


@pytest.fixture(scope="module")
def found() -> Outcome[Surface]:
    return simplified(surface(*ball()), max_error=0.3 * MM)


def test_error_holds_both_ways_on_many_points(found: Outcome[Surface]) -> None:
    fine, coarse = found.value.first, found.value
    there = Solid(coarse.vertices, coarse.faces).unsigned(samples(fine.vertices, fine.faces, 200_000)[0])
    back = Solid(fine.vertices, fine.faces).unsigned(samples(coarse.vertices, coarse.faces, 200_000)[0])
    told = distances(found)

    assert len(coarse.faces) < len(fine.faces) / 3
    assert told["forward"].certified
    assert told["backward"].certified
    assert there.max() <= told["forward"].maximum <= 0.3 * MM
    assert back.max() <= told["backward"].maximum <= 0.3 * MM
    assert told["forward"].rms == pytest.approx(float(np.sqrt((there**2).mean())), rel=0.05)


def test_signed_means_say_which_surface_lies_outside(found: Outcome[Surface]) -> None:
    told = distances(found)

    assert told["forward"].signed_mean is not None
    assert told["backward"].signed_mean is not None
    assert np.sign(told["forward"].signed_mean) == -np.sign(told["backward"].signed_mean)


def test_changes_are_told(found: Outcome[Surface]) -> None:
    volume, faces = (
        next(t for t in found.terms if isinstance(t, Change) and t.id == f"simplify.{k}") for k in ("volume", "faces")
    )

    assert (faces.before, faces.after) == (5120.0, float(len(found.value.faces)))
    assert volume.after == pytest.approx(found.value.volume)
    assert abs(volume.after / volume.before - 1) < 0.01


def test_larger_error_gives_fewer_faces(found: Outcome[Surface]) -> None:
    coarser = simplified(found.value.first, max_error=1.0 * MM)

    assert len(coarser.value.faces) < len(found.value.faces)


def test_flat_sides_cost_nothing() -> None:
    result = simplified(surface(*fine_box()), max_error=0.01 * MM)

    assert len(result.value.faces) <= 260
    assert result.value.volume == pytest.approx(160_000 * MM**3, rel=1e-4)


def test_what_nobody_saw_stays_unseen() -> None:
    vertices, faces = fine_box()
    source = surface(vertices, faces)
    below = source.triangles[:, :, 2].max(axis=1) < 1e-9
    unseen = Surface(source.vertices, source.faces, ~below, source.scan)

    result = simplified(unseen, max_error=0.01 * MM).value

    flat = result.triangles[:, :, 2].max(axis=1) < 0.01 * MM
    assert flat.any()
    assert np.array_equal(result.observed, ~flat)


def test_small_mesh_is_left_alone() -> None:
    source = surface(*box((80 * MM, 50 * MM, 40 * MM)))

    result = simplified(source)

    assert result.diagnostics == ()
    assert np.array_equal(result.value.faces, source.faces)
    assert all(t.maximum == 0 and t.certified for t in distances(result).values())


def test_nothing_within_the_error_keeps_the_surface_with_a_note() -> None:
    result = simplified(surface(*ball()), max_error=0.0001 * MM)

    assert [(d.severity, d.code) for d in result.diagnostics] == [("note", "R2S425")]
    assert len(result.value.faces) == 5120


def test_automatic_error_follows_size_wall_and_noise() -> None:
    vertices, faces = fine_box()
    thin = vertices * [1, 1, 0.01]

    assert automatic_error(surface(vertices, faces)) == pytest.approx(0.0015 * np.linalg.norm([80, 50, 40]) * MM)
    assert automatic_error(surface(thin, faces)) == pytest.approx(0.2 * 0.4 * MM, rel=0.01)
    assert automatic_error(surface(thin, faces, noise=0.3 * MM)) == pytest.approx(0.3 * MM)


@pytest.mark.parametrize("options", [{"max_error": -1.0}, {"max_error": float("nan")}, {"min_faces": 3}])
def test_option_out_of_range_is_a_usage_error(options: dict[str, float | int]) -> None:
    with pytest.raises(UsageError) as caught:
        simplified(surface(*ball()), **options)

    assert caught.value.code == "R2S408"


def test_bound_is_tight_and_never_below_the_truth() -> None:
    """Two concentric spheres: the gap is known, a little larger where a fine one's vertex stands over a coarse face."""
    inner, outer = sphere(30 * MM, 2), sphere(31 * MM, 4)
    target = Target.of(*inner)
    dense = target.solid.unsigned(samples(*outer, 200_000)[0]).max()

    bound = bounded(*outer, target, 1.05 * dense)

    assert bound is not None
    assert dense <= bound <= 1.05 * dense
    assert bounded(*outer, target, 0.98 * dense) is None


def test_own_triangle_distance_agrees_with_the_general_one() -> None:
    rng = np.random.default_rng(10)
    vertices = rng.normal(size=(60, 3))
    faces = np.concatenate([np.arange(57)[:, None] + np.arange(3), [[0, 0, 1], [2, 2, 2]]])
    points, face = rng.normal(size=(590, 3)) * 2, np.repeat(np.arange(59), 10)
    from r2s.passes.shapes.distance import closest_on_triangles

    expected = np.linalg.norm(points - closest_on_triangles(points, vertices[faces][face]), axis=1)

    assert Target.of(vertices, faces).gap(points, face) == pytest.approx(expected, abs=1e-7)


@pytest.mark.slow
def test_fresh_process_gives_the_same_bytes(found: Outcome[Surface]) -> None:
    script = (
        "from scan_shapes import *; from r2s.passes.surface import ExtractSurface;"
        "from r2s.passes.simplify import Simplify;"
        "s = ExtractSurface().run(mesh_scan(*sphere(40 * MM, 4))).value;"
        "print(Simplify(max_error=0.3 * MM).run(s).value.digest())"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], cwd=Path(__file__).parent.parent, capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == found.value.digest()


@pytest.mark.parametrize(
    "name",
    [
        "025_mug",
        pytest.param("011_banana", marks=pytest.mark.slow),
        pytest.param("058_golf_ball", marks=pytest.mark.slow),
    ],
)
def test_real_scan_keeps_its_shape(data: Path, name: str) -> None:
    import trimesh

    file = data / "ycb" / name / "scan.ply"
    if not file.is_file():
        pytest.skip(f"{name} is absent from R2S_DATA")
    mesh = trimesh.load(file, process=False, maintain_order=True)
    source = surface(np.asarray(mesh.vertices), np.asarray(mesh.faces, dtype=np.int64))

    result = simplified(source)

    told = distances(result)
    assert max(told["forward"].maximum, told["backward"].maximum) <= automatic_error(source)
    assert result.value.volume == pytest.approx(source.volume, rel=2e-3)  # a mug whose cavity closes triples it
