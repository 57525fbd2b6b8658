"""Real scans and public failure cases: read rightly, or refused in one plain line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from r2s.compiler.errors import InvalidInputError
from r2s.passes.readers import RawScan, read


def extents(scan: RawScan) -> NDArray[np.float64]:
    size: NDArray[np.float64] = np.ptp(scan.points, axis=0)
    return size


def volume(scan: RawScan) -> float:
    a, b, c = (scan.points[scan.faces[:, i]] for i in range(3))
    return float((a * np.cross(b, c)).sum() / 6)


def area(scan: RawScan) -> float:
    a, b, c = (scan.points[scan.faces[:, i]] for i in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2)


def is_closed(scan: RawScan) -> bool:
    """Whether each directed edge has its opposite exactly once."""
    edges = np.concatenate([scan.faces[:, [0, 1]], scan.faces[:, [1, 2]], scan.faces[:, [2, 0]]])
    codes = edges[:, 0] * len(scan.points) + edges[:, 1]
    return len(np.unique(codes)) == len(codes) and np.array_equal(
        np.sort(codes), np.sort(edges[:, 1] * len(scan.points) + edges[:, 0])
    )


BRACKET = ((80, 50, 40), 64000, None)
BOX = ((80, 50, 40), 160000, 18400)
READ = {
    **dict.fromkeys(["p-ascii", "p-typenames", "p-int-count", "p-vertex_index", "p-extra-element"], BRACKET),
    **dict.fromkeys(["p-crlf-ascii", "p-crlf-binary", "p-comment-endheader", "p-comment-utf8"], BRACKET),
    **dict.fromkeys(["p-tristrips", "p-texcoord", "o-map-options", "o-missing-mtl", "o-multi"], BRACKET),
    **dict.fromkeys(["o-tex-spaces", "m-uvseam", "f-space-name", "u-stl-nocal", "a-offset"], BRACKET),
    "p-polygons": BOX,
    "o-neg-index": BOX,
    "o-ngon": ((80, 50, 20), 44000, 9600),
}


@pytest.mark.parametrize("case", READ)
def test_cases_that_can_be_read(cases: Path, case: str) -> None:
    path = next(p for p in sorted((cases / case).iterdir()) if p.suffix in {".ply", ".obj", ".stl"})
    size, cubic, square = READ[case]

    scan = read(path)

    assert extents(scan) == pytest.approx(size, abs=1e-4)
    assert volume(scan) == pytest.approx(cubic, rel=1e-6)
    assert square is None or area(scan) == pytest.approx(square, rel=1e-6)
    assert is_closed(scan)
    assert [d.code for d in scan.diagnostics] == (["R2S151"] if b"mtllib" in path.read_bytes() else [])


@pytest.mark.parametrize(
    ("case", "code"),
    {
        "p-count-more": "R2S122",
        "p-count-fewer": "R2S122",
        "p-index-neg": "R2S126",
        "p-zero-verts": "R2S123",
        "p-huge-count": "R2S121",
        "p-huge-list": "R2S127",
        "p-comma": "R2S125",
        "m-stl-count": "R2S140",
        "m-nan-vertex": "R2S128",
        "d-pcd-width": "R2S109",
        "g-draco": "R2S107",
        "g-uri-traversal/in": "R2S108",
        "f-long-line": "R2S124",
        "z-mm": "R2S106",
    }.items(),
)
def test_cases_that_must_be_refused(cases: Path, case: str, code: str) -> None:
    skipped = {".yaml", ".mtl", ".png"}
    path = next(p for p in sorted((cases / case).iterdir()) if p.is_file() and p.suffix not in skipped)

    with pytest.raises(InvalidInputError) as caught:
        read(path)

    assert caught.value.code == code


@pytest.mark.parametrize(("case", "least", "most"), [("d-georef-f32", 0.5, 0.5), ("d-georef-f64", 0, 1e-8)])
def test_the_precision_that_is_left(cases: Path, case: str, least: float, most: float) -> None:
    assert least <= read(cases / case / "scan.ply").quantum <= most


@pytest.mark.parametrize(("case", "lost"), [("d-nan", 300), ("d-inf", 20)])
def test_clouds_keep_their_holes(cases: Path, case: str, lost: int) -> None:
    scan = read(cases / case / "scan.ply")

    assert (~np.isfinite(scan.points).all(axis=1)).sum() == lost


def test_ycb_meshes_are_closed_and_have_normals(data: Path) -> None:
    paths = sorted((data / "ycb").glob("*/scan.ply"))
    assert len(paths) >= 15

    for path in paths:
        scan = read(path)
        assert scan.faces.shape == (16384, 3), path
        assert is_closed(scan), path
        assert (np.abs(np.linalg.norm(scan.normals, axis=1) - 1) < 1e-3).mean() > 0.999, path
        assert scan.diagnostics == (), path


def test_both_exports_of_a_ycb_scan_are_the_same_surface(data: Path) -> None:
    for textured in sorted((data / "ycb").glob("*/textured/textured.obj")):
        colourless, coloured = read(textured.parents[1] / "scan.ply"), read(textured)
        assert volume(coloured) == pytest.approx(volume(colourless), rel=1e-4), textured
        assert extents(coloured) == pytest.approx(extents(colourless), abs=2e-6), textured


def test_the_cut_cloud_of_a_phone(data: Path) -> None:
    scan = read(data / "truth" / "Gym_Ball_iPad_1.xyz")

    assert scan.points.shape == (35935, 3)
    assert [d.code for d in scan.diagnostics] == ["R2S161"]


def test_whatever_lies_in_the_data_is_read_or_refused(data: Path) -> None:
    """Count what is read, so that a reader which refuses everything fails."""
    folders = ("weird", "clouds", "phone", "truth", "splat", "nerf")
    paths = [p for folder in folders for p in sorted((data / folder).rglob("*")) if p.is_file() and p.suffix != ".md"]
    outcomes: dict[str, list[str]] = {}

    for path in paths:
        try:
            scan = read(path)
        except InvalidInputError as error:
            outcomes.setdefault(error.code, []).append(path.name)
            continue
        assert scan.points.dtype == np.float64
        assert scan.faces.dtype == np.int64
        assert not len(scan.faces) or 0 <= scan.faces.min() <= scan.faces.max() < len(scan.points)
        assert len(scan.normals) in {0, len(scan.points)}
        outcomes.setdefault("read", []).append(path.name)

    assert len(outcomes["read"]) >= 70
    sound = {".ply", ".obj", ".stl", ".xyz"}
    refused = {
        n for code, names in outcomes.items() if code != "read" for n in names if Path(n).suffix.lower() in sound
    }
    assert refused == {
        "gshairlod_donut_fused.ply",  # Gaussians
        "invalid_empty.obj",
        "invalid_empty.ply",
        "emptyIO_obj_empty.obj",
        "no_vertex.obj",
        "no_vertex.ply",
        "unsized_dims.ply",  # no z
        "fuze_ascii.ply",  # rows of 21 numbers where its header says 15
        "points_emptyascii.ply",  # 13 rows where its header says 12
    }
