"""The OBJ reader: all objects together, indices of either sign, and what an exporter may add."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from r2s.compiler.errors import InvalidInputError
from r2s.passes.readers import RawScan, read

SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"


def obj(path: Path, text: str | bytes) -> RawScan:
    file = path / "a.obj"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(file)


@pytest.mark.parametrize(
    "faces",
    [
        "f 1 2 3\nf 1 3 4\n",
        "f -4 -3 -2\nf -4 -2 -1\n",
        "f 1/1 2/2 3/3\nf 1//1 3//1 4//2\n",
        "o a\ng b c\nusemtl m\nf 1/1/1 2/2/1 3/3/1\no d\ns off\nf 1/5/1 3/6/1 4/7/1\n",
        "f 1 2 \\\n3\nf 1 3 \\\r\n4\n",
        "f\t1\t2\t3\n  f 1 3 4  \nl 1 2\np 3\n",
        "# C:\\scans\\\nf 1 2 3\r\nf 1 3 4",
    ],
)
def test_spellings_of_two_triangles(tmp_path: Path, faces: str) -> None:
    scan = obj(tmp_path, SQUARE + faces)

    assert scan.faces.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert scan.points.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    assert scan.diagnostics == ()


def test_negative_indices_count_back_from_their_own_line(tmp_path: Path) -> None:
    scan = obj(tmp_path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf -3 -2 -1\n")

    assert scan.faces.tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("extra", [" 1.0", " 0.5 0.5 0.5", " 1 0.5 0.5 0.5", " 0.1 0.2 0.3 1 1"])
def test_colours_and_weights_are_passed_over(tmp_path: Path, extra: str) -> None:
    scan = obj(tmp_path, f"v 0 0 0{extra}\nv 1 0 0{extra}\nv 0 1 0\nf 1 2 3\n")

    assert scan.points.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


def test_a_file_of_vertices_is_a_cloud_with_its_normals(tmp_path: Path) -> None:
    scan = obj(tmp_path, "vn 0 0 1\nv 1 2 3\nvn 0 1 0\nv 4 5 6\n")

    assert scan.faces.shape == (0, 3)
    assert scan.points.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert scan.normals.tolist() == [[0, 0, 1], [0, 1, 0]]


def test_normals_that_are_broken_do_not_harm_a_mesh(tmp_path: Path) -> None:
    assert len(obj(tmp_path, SQUARE + "vn 1\nvn a b c\nf 1 2 3 4\n").faces) == 2


def test_loose_vertices_are_left_out_and_counted(tmp_path: Path) -> None:
    scan = obj(tmp_path, "v nan 0 9\n" + SQUARE + "f 2 3 4 5\n")

    assert len(scan.points) == 4
    assert np.isfinite(scan.points).all()
    assert [(d.severity, d.code) for d in scan.diagnostics] == [("note", "R2S130")]
    assert "1 of 5" in scan.diagnostics[0].message


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize(
    ("libraries", "says"),
    [
        (["my scan file.mtl"], "material file 'my scan file.mtl' is not read"),
        (["a.mtl", "b.mtl"], "2 material files ('a.mtl', ...) are not read"),
        (["gone\0.mtl"], "material file 'gone"),
        (["x" * 5000], f"material file '{'x' * 80}' is not read"),
    ],
)
def test_material_files_are_not_read_wherever_they_are(
    tmp_path: Path, libraries: list[str], says: str, there: bool
) -> None:
    """What lies beside the scan is in no key, so a build from the cache must say what a fresh one says."""
    if there and len(libraries) == 2:
        for name in libraries:
            (tmp_path / name).write_text("newmtl a\nKa 0\nmap_Kd -s 1 1 1 no such picture.png\n")
    lines = "".join(f"mtllib {library}\n" for library in libraries)

    scan = obj(tmp_path, SQUARE + "f 1 2 3 4\n" + lines)

    assert len(scan.faces) == 2
    assert [(d.severity, d.code) for d in scan.diagnostics] == [("note", "R2S151")]
    assert scan.diagnostics[0].message.startswith(says)
    assert obj(tmp_path, SQUARE + "f 1 2 3 4\n").diagnostics == ()


@pytest.mark.parametrize(
    ("code", "names", "text"),
    [
        ("R2S123", "no vertices", "# nothing\n"),
        ("R2S124", "line 2 has 'x'", "v 0 0 0\nv 0 x 0\n"),
        ("R2S124", "line 5 has 'b'", SQUARE + "f 1 b/1 2\n"),
        ("R2S125", "line 1 has a decimal comma in '0,5'", "v 0,5 0 1\n"),
        ("R2S126", "line 6: a face names vertex 5", SQUARE + "f 1 2 3\nf 1 2 5\n"),
        ("R2S126", "line 5: a face names vertex 0", SQUARE + "f 0 1 2\n"),
        ("R2S126", "line 5: a face names vertex -", SQUARE + "f -9 1 2\n"),
        ("R2S126", "1.5", SQUARE + "f 1 1.5 2\n"),
        ("R2S128", "vertex 2 of the mesh is (nan, 0, 0)", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n"),
        ("R2S128", "vertex 2 of the mesh is (inf, 0, 0)", "v 0 0 0\nv inf 0 0\nv 0 1 0\nf 1 2 3\n"),
        ("R2S150", "line 2 of the OBJ file gives a vertex 2 numbers", "v 0 0 0\nv 1 2\n"),
        ("R2S150", "line 2 of the OBJ file gives a vertex 0 numbers", "v 0 0 0\nv \nv 0 0 0\n"),
        ("R2S152", "line 2", "v 0 0 0\nsurf 0 1 0 1 1 2 3\n"),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(tmp_path: Path, code: str, names: str, text: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        obj(tmp_path, text)

    assert caught.value.code == code
    assert names in caught.value.message


def test_line_numbers_hold_across_blocks_and_continued_lines(tmp_path: Path) -> None:
    text = "v 0 0 \\\n0\n" * 100_000 + "v 0 0 0,5\n"

    with pytest.raises(InvalidInputError, match="line 200001 has a decimal comma"):
        obj(tmp_path, text)


def test_a_long_line_is_no_trouble_and_an_endless_one_is_refused(tmp_path: Path) -> None:
    assert len(obj(tmp_path, "# " + "x" * 5_000_000 + "\n" + SQUARE + "f 1 2 3 4\n").faces) == 2
    with pytest.raises(InvalidInputError, match="line 1 is longer than 8 MiB"):
        obj(tmp_path, "# " + "x" * 9_000_000 + "\n" + SQUARE)
