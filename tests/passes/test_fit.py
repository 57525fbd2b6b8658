"""What the surface pass says of its distance from the scan: maxima that no point passes."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from scan_shapes import MM, box, sphere, sphere_cloud, together

from r2s.compiler.ledger import DirectedDistance, Scalar, Term
from r2s.passes.clouds.fit import cloud_fit, drawn_fit, mesh_fit
from r2s.passes.shapes.distance import Solid, samples

NOISE = 0.2 * MM


def of_role(terms: tuple[Term, ...], role: str) -> DirectedDistance:
    return next(t for t in terms if isinstance(t, DirectedDistance) and t.role == role)


def test_the_mean_and_the_scatter_together_bound_every_point() -> None:
    vertices, faces = sphere(30 * MM, 4)
    points = sphere_cloud(30.3 * MM, 50_000, NOISE)

    terms = cloud_fit(points, vertices, faces, np.ones(len(faces), dtype=bool))

    away = np.abs(Solid(vertices, faces).signed(points))
    forward, scatter = of_role(terms, "forward"), of_role(terms, "scatter")
    assert forward.certified
    assert scatter.certified
    assert away.max() <= forward.maximum + scatter.maximum
    assert away.max() > forward.maximum + 2 * NOISE
    assert forward.maximum == pytest.approx(0.3 * MM, abs=5 * NOISE / 4)
    assert scatter.rms == pytest.approx(NOISE, rel=0.15)  # nearest in space means alike in noise


def test_no_observed_place_is_further_from_a_point_than_said() -> None:
    vertices, faces = sphere(30 * MM, 4)
    points = sphere_cloud(30 * MM, 2000, NOISE)
    observed = vertices[faces].mean(axis=1)[:, 2] > 0

    reach = next(t for t in cloud_fit(points, vertices, faces, observed) if isinstance(t, Scalar))

    from scipy.spatial import cKDTree

    spots, _ = samples(vertices, faces[observed], 50_000)
    furthest = cKDTree(points).query(spots)[0].max()
    assert reach.id == "surface.reach"
    assert furthest <= reach.value <= 1.5 * furthest


def coarse_and_fine() -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """A ball as 320 and as 5,120 faces: the coarse one lies inside by its sagitta."""
    return sphere(30 * MM, 2), sphere(30 * MM, 4)


def test_the_maxima_between_meshes_are_proven_and_tight() -> None:
    (given, given_faces), (vertices, faces) = coarse_and_fine()

    terms = mesh_fit(given, given_faces, vertices, faces, np.ones(len(faces), dtype=bool), excluded=False)

    for role, start, end in (
        ("forward", (given, given_faces), (vertices, faces)),
        ("backward", (vertices, faces), (given, given_faces)),
    ):
        term = of_role(terms, role)
        attained = Solid(*end).unsigned(np.concatenate([start[0], samples(*start, 400_000)[0]])).max()
        assert term.certified
        assert attained <= term.maximum <= 1.1 * attained


def test_parts_left_out_on_purpose_are_named_with_the_distance_that_tells_them() -> None:
    vertices, faces = box((80 * MM, 50 * MM, 40 * MM))
    given, given_faces = together((vertices, faces), box((5 * MM,) * 3, (100 * MM, 0, 0)))
    all_seen = np.ones(len(faces), dtype=bool)

    terms = mesh_fit(given, given_faces, vertices, faces, all_seen, excluded=True)

    cutoff = next(t for t in terms if isinstance(t, Scalar) and t.id == "surface.left_out")
    assert 0 < cutoff.value < 0.1 * MM
    assert cutoff.evidence == "8 of 16 vertices"
    assert of_role(terms, "forward").maximum < 1e-6
    assert of_role(terms, "forward").certified
    counted = mesh_fit(given, given_faces, vertices, faces, all_seen, excluded=False)
    assert of_role(counted, "forward").maximum == pytest.approx(np.hypot(25 * MM, 0), rel=0.01)


def test_a_face_that_runs_into_a_part_it_was_joined_to_is_sampled_and_says_so() -> None:
    post, arm = box((10 * MM, 10 * MM, 40 * MM)), box((40 * MM, 4 * MM, 4 * MM), (-15 * MM, 3 * MM, 20 * MM))
    given, given_faces = together(post, arm)
    whole = trimesh.boolean.union([trimesh.Trimesh(*post), trimesh.Trimesh(*arm)], engine="manifold")
    seen = np.ones(len(whole.faces), dtype=bool)

    terms = mesh_fit(given, given_faces, np.array(whole.vertices), np.array(whole.faces), seen, excluded=True)

    forward = of_role(terms, "forward")
    assert not forward.certified
    assert forward.maximum < 0.1 * MM
    assert "largest of vertices and area samples" in forward.evidence


def test_a_surface_drawn_anew_is_bound_to_the_faces_it_was_drawn_for() -> None:
    (given, given_faces), (vertices, faces) = coarse_and_fine()
    points, _ = samples(given, given_faces, 4000)

    terms = drawn_fit(given, given_faces, points, vertices, faces, np.ones(len(faces), dtype=bool))

    assert [t.id for t in terms] == ["surface.forward", "surface.backward", "surface.smoothing"]
    attained = Solid(given, given_faces).unsigned(vertices).max()
    assert of_role(terms, "backward").maximum >= attained
    assert of_role(terms, "backward").signed_mean == pytest.approx(0.2 * MM, abs=0.2 * MM)
