"""Bytes of a scan changed in one place: what the readers let through, they count and tell; the rest is refused."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from corruptions import box_cloud, brick, write_obj, write_ply

from r2s.compiler.errors import InvalidInputError
from r2s.compiler.ir import Scan, Source
from r2s.compiler.ledger import StandardUncertainty
from r2s.compiler.protocol import Outcome
from r2s.passes.ingest import Ingest
from r2s.passes.readers import read
from r2s.passes.readers.lines import LONGEST_LINE
from r2s.passes.readers.polygons import MOST_CORNERS
from r2s.passes.surface import ExtractSurface

GOOD_PLY = (
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0\n9 0 0\n0 9 0\n0 0 9\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n"
)


def ingest(path: Path, **options: object) -> Outcome[Scan]:
    """The brick's numbers are millimetres."""
    source = Source(path.suffix[1:], hashlib.sha256(path.read_bytes()).hexdigest(), str(path))
    return Ingest(unit="mm", factor=0.001, **options).run(source)  # type: ignore[arg-type]  # options by name


def said(outcome: Outcome[Scan]) -> list[tuple[str, str]]:
    return [(d.severity, d.code) for d in outcome.diagnostics]


def noise(outcome: Outcome[Scan]) -> StandardUncertainty:
    (term,) = [t for t in outcome.terms if t.id == "ingest.noise"]
    assert isinstance(term, StandardUncertainty)
    return term


# --- what is between the bytes and the points --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "severity", "code", "says"),
    [
        ("3 1 2 3\n", "3 1 2 3\n", "", "", ""),
        ("element face 4", "element face 5", "", "", "refused"),
        ("3 0 2 1\n", "2 0 2\n", "warning", "R2S129", "left out 1 of 4 faces, which have fewer than three corners"),
        ("3 1 2 3\n", "3 1 2 3\nwritten by hand\n", "note", "R2S131", "passed over 16 bytes of text after the data"),
        ("3 0 2 1\n", "3 0 2 4\n", "", "", "refused"),
    ],
)
def test_one_change_in_a_ply(tmp_path: Path, old: str, new: str, severity: str, code: str, says: str) -> None:
    path = tmp_path / "scan.ply"
    assert GOOD_PLY.count(old) == 1
    path.write_text(GOOD_PLY.replace(old, new))
    if says == "refused":
        with pytest.raises(InvalidInputError):
            read(path)
        return

    assert [(d.severity, d.code) for d in read(path).diagnostics] == ([(severity, code)] if code else [])
    assert all(says in d.message for d in read(path).diagnostics)


def test_points_that_the_header_does_not_count_are_a_warning(tmp_path: Path) -> None:
    path = write_ply(tmp_path / "scan.ply", box_cloud(500)[0])
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"element vertex 500", b"element vertex 490"))
    (warning,) = read(path).diagnostics
    path.write_bytes(whole + b"tail")
    (note,) = read(path).diagnostics

    assert (warning.severity, warning.code, note.severity, note.code) == ("warning", "R2S131", "note", "R2S131")
    assert "10 points that the header does not count?" in warning.message
    assert "passed over 4 bytes after the data" in note.message


def test_a_star_of_too_many_corners_is_refused(tmp_path: Path) -> None:
    """A convex polygon of any size is a fan; a star must be cut ear by ear."""

    def star(corners: int, inner: float) -> Path:
        turn = np.arange(corners) * 2 * np.pi / corners
        radius = np.where(np.arange(corners) % 2, inner, 1.0)
        points = np.column_stack([radius * np.cos(turn), radius * np.sin(turn), np.zeros(corners)])
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()]
        path = tmp_path / "scan.obj"
        path.write_text("\n".join([*lines, "f " + " ".join(str(i + 1) for i in range(corners))]) + "\n")
        return path

    many = MOST_CORNERS + 2
    assert len(read(star(1_000, 1.0)).faces) == 998
    assert len(read(star(100, 0.5)).faces) == 98
    with pytest.raises(InvalidInputError, match=rf"face 1 has {many:,} corners, and {MOST_CORNERS:,} is the most") as e:
        read(star(many, 0.5))
    assert (e.value.code, e.value.exit_code) == ("R2S132", 3)


def test_a_line_without_an_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "scan.obj"
    write_obj(path, *brick())
    path.write_bytes(path.read_bytes() + b"# " + b"x" * (LONGEST_LINE + 10))
    with pytest.raises(InvalidInputError, match=r"line 21 is longer than 8 MiB") as caught:
        read(path)

    assert caught.value.code == "R2S133"


# --- points ------------------------------------------------------------------------------------------------------


def test_the_good_cloud_says_nothing(tmp_path: Path) -> None:
    assert said(ingest(write_ply(tmp_path / "scan.ply", *box_cloud(6_000)))) == []


def test_doubled_points_are_the_same_scan(tmp_path: Path) -> None:
    points, normals = box_cloud(6_000)
    once = ingest(write_ply(tmp_path / "once.ply", points, normals))
    twice = ingest(write_ply(tmp_path / "twice.ply", np.vstack([points, points]), np.vstack([normals, normals])))

    assert said(twice) == [("note", "R2S321")]
    assert "dropped 6000 exact copies among 12000 points" in twice.diagnostics[0].message
    assert twice.value.digest() == once.value.digest()


@pytest.mark.parametrize(
    ("points", "says"),
    [
        (np.tile([[5.0, 6.0, 7.0]], (500, 1)), "the scan holds 500 usable points, all in one place; at least 4"),
        (
            np.tile([[5.0, 6.0, 7.0], [5.0, 6.0, 8.0]], (9, 1)),
            "the scan holds 18 usable points in 2 places; at",
        ),
        (
            np.array([[1.0, 2.0, 3.0], [np.nan, 0, 0], [0, np.inf, 0], [0, 0, np.nan]]),
            "the scan holds 1 usable point; at",
        ),
        (np.full((7, 3), np.nan), "the scan holds 0 usable points; at least 4 different ones are needed"),
        (np.eye(3), "the scan holds 3 usable points; at least 4 different ones are needed"),
    ],
    ids=["one place", "two places", "one left", "none left", "three"],
)
def test_points_that_are_too_few_say_how_few(tmp_path: Path, points: np.ndarray, says: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        ingest(write_ply(tmp_path / "scan.ply", points))

    assert caught.value.code == "R2S322"
    assert caught.value.message.startswith(says)


def test_a_mesh_in_one_place_is_told_the_same(tmp_path: Path) -> None:
    vertices, faces = brick()
    with pytest.raises(InvalidInputError, match="8 usable points, all in one place") as caught:
        ingest(write_obj(tmp_path / "scan.obj", 0 * vertices + 3, faces))

    assert caught.value.code == "R2S322"


def test_one_nan_is_dropped_from_a_cloud_and_refused_in_a_mesh(tmp_path: Path) -> None:
    points, normals = box_cloud(6_000)
    points[17, 1] = np.nan
    made = ingest(write_ply(tmp_path / "scan.ply", points, normals))
    vertices, faces = brick()
    vertices[5, 2] = np.nan

    assert said(made) == [("warning", "R2S320")]
    assert "dropped 1 of 6000 points that have no place (1 NaN)" in made.diagnostics[0].message
    with pytest.raises(InvalidInputError, match=r"vertex 6 of the mesh is \(80, 0, nan\); 1 of 8 vertices") as caught:
        ingest(write_obj(tmp_path / "scan.obj", vertices, faces))
    assert caught.value.code == "R2S128"


@pytest.mark.parametrize(
    ("spoil", "severity", "code", "says"),
    [
        (lambda n: -n, "warning", "R2S332", "all 6000 normals pointed inward and were reversed"),
        (lambda n: n * np.where(np.arange(len(n)) % 2, 1, -1)[:, None], "warning", "R2S331", "normals dropped: 5"),
        (
            lambda n: np.vstack([0 * n[:3], n[3:]]),
            "note",
            "R2S333",
            "3 of 6000 normals have no direction; all are dropped",
        ),
    ],
    ids=["all flipped", "half flipped", "three zero"],
)
def test_wrong_normals(
    tmp_path: Path, spoil: Callable[[np.ndarray], np.ndarray], severity: str, code: str, says: str
) -> None:
    points, normals = box_cloud(6_000)
    made = ingest(write_ply(tmp_path / "scan.ply", points, spoil(normals)))

    assert said(made) == [(severity, code)]
    assert says in made.diagnostics[0].message


def test_normals_turned_inward_give_the_same_normals(tmp_path: Path) -> None:
    points, normals = box_cloud(6_000)
    good = ingest(write_ply(tmp_path / "good.ply", points, normals))
    turned = ingest(write_ply(tmp_path / "turned.ply", points, -normals))

    assert turned.value.digest() == good.value.digest()


def test_three_times_the_noise_is_three_times_the_term(tmp_path: Path) -> None:
    quiet = noise(ingest(write_ply(tmp_path / "quiet.ply", *box_cloud(20_000, noise=0.1))))
    loud = noise(ingest(write_ply(tmp_path / "loud.ply", *box_cloud(20_000, noise=0.3))))

    assert quiet.u == pytest.approx(0.1e-3, rel=0.1)
    assert loud.u == pytest.approx(0.3e-3, rel=0.1)
    assert loud.method == "estimated"


def test_a_missing_bottom_is_noted_and_its_area_measured(tmp_path: Path) -> None:
    made = ingest(write_ply(tmp_path / "scan.ply", *box_cloud(6_000, bottom=False)))
    (term,) = [t for t in made.terms if t.id == "ingest.net_normal"]

    assert said(made) == [("note", "R2S334")]
    missing = float(term.evidence.split(" mm²")[0])
    assert missing == pytest.approx(80 * 50, rel=0.1)


def table(points: np.ndarray) -> np.ndarray:
    """Points of a table at z = 0 that reaches 100 mm beyond the brick, without those under it."""
    flat = np.random.default_rng(6).uniform([-100, -100, 0], [180, 150, 0], (9_000, 3))
    flat += [0, 0, 1] * np.random.default_rng(7).normal(0, 0.1, (len(flat), 1))
    return np.vstack([points, flat[~((flat[:, :2] > 0) & (flat[:, :2] < [80, 50])).all(axis=1)]])


def test_a_table_left_in_is_cut_and_told(tmp_path: Path) -> None:
    points, _ = box_cloud(5_000, bottom=False)
    made = ingest(write_ply(tmp_path / "scan.ply", table(points)))

    assert said(made) == [("warning", "R2S328")]
    assert "the object stands 40" in made.diagnostics[0].message
    assert np.ptp(made.value.points, axis=0)[:2] == pytest.approx([0.080, 0.050], abs=3e-4)


def test_insisting_on_a_table_that_is_not_there(tmp_path: Path) -> None:
    points, _ = box_cloud(5_000, bottom=False)
    assert said(ingest(write_ply(tmp_path / "with.ply", table(points)), support="cut")) == [("warning", "R2S328")]
    with pytest.raises(InvalidInputError, match="no support plane was found to cut") as caught:
        ingest(write_ply(tmp_path / "without.ply", points), support="cut")

    assert caught.value.code == "R2S338"


def test_a_floating_island_is_dropped_and_counted(tmp_path: Path) -> None:
    points, _ = box_cloud(6_000)
    island = np.random.default_rng(8).uniform([298, 23, 18], [302, 27, 22], (12, 3))
    made = ingest(write_ply(tmp_path / "scan.ply", np.vstack([points, island])))

    assert said(made) == [("warning", "R2S327")]
    assert "dropped 12 of 6012 points that float apart" in made.diagnostics[0].message
    assert np.ptp(made.value.points, axis=0) == pytest.approx([0.080, 0.050, 0.040], abs=1e-4)


@pytest.mark.slow
def test_one_skin_too_many_is_warned_of_once(tmp_path: Path) -> None:
    """Ingest warns of it, by the normals; surface then notes which it kept.  Without normals only surface sees it."""
    points, normals = box_cloud(9_000)
    half = (points[:, 0] == 80) & (np.random.default_rng(7).random(len(points)) < 0.5)
    points[half, 0] += 3
    seen = ingest(write_ply(tmp_path / "scan.ply", points, normals))
    blind = ingest(write_ply(tmp_path / "bare.ply", points))

    def severities(made: Outcome[Scan]) -> list[tuple[str, str]]:
        found = [*made.diagnostics, *ExtractSurface().run(made.value).diagnostics]
        return [(d.severity, d.code) for d in found if d.code in ("R2S337", "R2S432")]

    assert severities(seen) == [("warning", "R2S337"), ("note", "R2S432")]
    assert severities(blind) == [("warning", "R2S432")]
