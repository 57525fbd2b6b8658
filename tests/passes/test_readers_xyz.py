"""The reader of columns: whatever parts the columns and stands above them, or one line that says what is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from r2s.compiler.errors import InvalidInputError
from r2s.passes.readers import RawScan, read

POINTS = [[0.5, 1.25, -2.0], [3.0, 4.0, 5.5], [1e-3, 7.0, 8.0]]


def xyz(folder: Path, text: str, suffix: str = ".xyz") -> RawScan:
    path = folder / f"a{suffix}"
    path.write_bytes(text.encode())
    return read(path)


def rows(separator: str, *more: str, end: str = "\n") -> str:
    return "".join(separator.join([*map(repr, p), *more]) + end for p in POINTS)


@pytest.mark.parametrize(
    "text",
    [
        rows(" "),
        rows("\t", "200", "100", "7"),
        rows(","),
        rows(", "),
        rows(";"),
        rows(" ; ", "12", end=" ;\r\n"),
        rows("  ", end="\r"),
        "3\n" + rows(" ", "-1035", "97", "59", "38"),
        "2\n" + rows(" ")[:-1].rsplit("\n", 1)[0] + "\n1\n" + rows(" ").splitlines()[2],
        "# x y z\n// made by hand\n\n" + rows(" ") + "# end\n",
        "X,Y,Z\n" + rows(","),
        '"x";"y";"z";"intensity"\n' + rows(";", "3"),
        "\ufeff" + rows(" "),
        rows(" ")[:-1],
    ],
)
def test_spellings_of_three_points(tmp_path: Path, text: str) -> None:
    scan = xyz(tmp_path, text)

    assert scan.points.tolist() == POINTS
    assert scan.normals.shape == (0, 3)
    assert scan.faces.shape == (0, 3)
    assert scan.diagnostics == ()


def test_named_columns_are_followed(tmp_path: Path) -> None:
    text = "id,nx,ny,nz,z,x,y\n" + "".join(f"7,0,0,1,{z},{x},{y}\n" for x, y, z in POINTS)

    scan = xyz(tmp_path, text, ".csv")

    assert scan.points.tolist() == POINTS
    assert scan.normals.tolist() == [[0, 0, 1]] * 3


@pytest.mark.parametrize(("third", "found"), [("0.8", True), ("0.806", True), ("0.9", False)])
def test_three_more_columns_are_normals_only_at_unit_length(tmp_path: Path, third: str, found: bool) -> None:
    text = rows(" ", "0", "0.6", "0.8").replace("0.8\n", f"{third}\n", 1)

    assert xyz(tmp_path, text).normals.shape == ((3, 3) if found else (0, 3))


@pytest.mark.parametrize("cut", ["9.5 1", "9.5 1 -", "9.5 1 2e", "9", "9.5 1\n"])
def test_a_cut_last_line_is_left_out_with_a_warning(tmp_path: Path, cut: str) -> None:
    scan = xyz(tmp_path, rows(" ") + cut)

    assert scan.points.tolist() == POINTS
    assert [(d.severity, d.code) for d in scan.diagnostics] == [("warning", "R2S161")]
    assert "line 4" in scan.diagnostics[0].message


@pytest.mark.parametrize(
    ("code", "names", "text"),
    [
        ("R2S125", "line 1 has a decimal comma in '0,5'", "0,5 1,25 2\n"),
        ("R2S125", "line 2 has a decimal comma in '0,5'", "x;y;z\n0,5;1,25;2\n"),
        ("R2S125", "line 4 has a decimal comma in '0,5'", rows(" ") + "0,5 1 2\n1 2 3\n"),
        ("R2S124", "line 4 has 'nothing'", rows(" ") + "1 2 nothing\n1 2 3\n"),
        ("R2S160", "line 4 has 2 columns, and the first row has 3", rows(" ") + "1 2\n1 2 3\n"),
        ("R2S160", "line 4 has 4 columns", rows(" ") + "1 2 3 4\n"),
        ("R2S160", "line 4 has 1 columns", rows(" ") + "1\n1 2 3\n"),
        ("R2S160", "none of the first lines", "p 1 2 3\n" * 60),
        ("R2S162", "says 4 points, and 3 follow", "4\n" + rows(" ")),
        ("R2S162", "says 2 points, and 3 follow", "2\n" + rows(" ")),
    ],
)
def test_what_cannot_be_is_refused_with_its_line(tmp_path: Path, code: str, names: str, text: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        xyz(tmp_path, text)

    assert (caught.value.code, names in caught.value.message) == (code, True), caught.value


def test_points_that_are_not_finite_stay_in_a_cloud(tmp_path: Path) -> None:
    scan = xyz(tmp_path, "0 0 0\nnan NaN -nan\n1 inf -inf\n1.#QNAN -1.#IND 1.#INF00\n")

    assert np.isfinite(scan.points).all(axis=1).tolist() == [True, False, False, False]


def test_line_numbers_hold_across_blocks(tmp_path: Path) -> None:
    many = "0.123456789 0.123456789 0.123456789\n" * 250_000  # 9 MB, three blocks

    with pytest.raises(InvalidInputError, match="line 250001 has 'x'"):
        xyz(tmp_path, many + "0 0 x\n" + many[:360])
    scan = xyz(tmp_path, many + "0.12")
    assert len(scan.points) == 250_000
    assert "line 250001" in scan.diagnostics[0].message
