"""From file to Scan: planted faults of each kind, the public cases, and real scans."""

from __future__ import annotations

import hashlib
import math
import time
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from r2s.compiler.codes import catalogue
from r2s.compiler.errors import InvalidInputError
from r2s.compiler.ir import Scan, Source
from r2s.compiler.ledger import Change, Scalar, StandardUncertainty, Term
from r2s.compiler.protocol import Outcome, ends, options_of
from r2s.passes.ingest import Ingest

Array = NDArray[np.float64]


def box(count: int, seed: int = 1, bottom: bool = True) -> tuple[Array, Array]:
    """Points on an 80 x 50 x 40 box at the origin, with outward normals."""
    rng = np.random.default_rng(seed)
    size = np.array([80.0, 50.0, 40.0])
    points, normals = [], []
    for axis in range(3):
        for side in (0, 1):
            if axis == 2 and side == 0 and not bottom:
                continue
            n = round(count * np.prod(np.delete(size, axis)) / 18_400)
            p = rng.uniform(0, size, (n, 3))
            p[:, axis] = side * size[axis]
            points.append(p)
            normals.append(np.tile(np.eye(3)[axis] * (2 * side - 1), (n, 1)))
    return np.concatenate(points), np.concatenate(normals)


def ply(folder: Path, points: Array, normals: Array | None = None, name: str = "scan", kind: str = "<f8") -> Source:
    """A binary PLY cloud of doubles (or of floats), and its source."""
    columns = ["x", "y", "z"] + (["nx", "ny", "nz"] if normals is not None else [])
    word = {"<f8": "double", "<f4": "float"}[kind]
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
    head += "".join(f"property {word} {c}\n" for c in columns) + "end_header\n"
    rows = points if normals is None else np.hstack([points, normals])
    data = head.encode() + rows.astype(kind).tobytes()
    path = folder / f"{name}.ply"
    path.write_bytes(data)
    return source_of(path)


def source_of(path: Path) -> Source:
    return Source(path.suffix[1:].lower(), hashlib.sha256(path.read_bytes()).hexdigest(), str(path))


def said(outcome: Outcome[Scan]) -> list[tuple[str, str]]:
    return [(d.severity, d.code) for d in outcome.diagnostics]


def term(outcome: Outcome[Scan], id_: str) -> Term:
    (found,) = [t for t in outcome.terms if t.id == id_]
    return found


MM = Ingest(unit="mm", factor=0.001)


def test_contract_of_the_pass() -> None:
    """Source to Scan, options as fields, and every code that is said is explained."""
    assert ends(Ingest) == (Source, Scan)
    assert set(options_of(Ingest())) == {"unit", "factor", "axes", "support", "strays", "limit"}
    assert len([c for c in catalogue() if "R2S301" <= c <= "R2S349"]) >= 29


def test_clean_cloud_passes_in_metres_without_a_word(tmp_path: Path) -> None:
    """Size, unit normals, map and terms of a clean cloud; no diagnostic at all."""
    points, normals = box(6_000)
    made = MM.run(ply(tmp_path, points, 3 * normals))
    scan = made.value

    assert said(made) == []
    assert np.ptp(scan.points, axis=0) == pytest.approx(np.ptp(points, axis=0) / 1000)
    assert np.linalg.norm(scan.normals, axis=1) == pytest.approx(1)
    assert scan.from_source == pytest.approx(np.diag([0.001, 0.001, 0.001, 1]))
    assert math.isnan(scan.support)
    assert (scan.noise, scan.floor) == (0, pytest.approx(5 * scan.spacing))
    noise = term(made, "ingest.noise")
    assert isinstance(noise, StandardUncertainty)
    assert (noise.shape, noise.method, noise.u) == ("white", "estimated", scan.noise)
    assert {"scale", "offset", "drift", "registration", "presmoothing"} <= set(noise.blind_to)
    net = term(made, "ingest.net_normal")
    assert isinstance(net, Scalar)
    assert net.value < 0.03


def test_row_order_and_repetition_do_not_change_the_digest(tmp_path: Path) -> None:
    """The same points in any order are the same scan, and a second run is the same to the bit."""
    points, normals = box(3_000)
    shuffle = np.random.default_rng(2).permutation(len(points))
    first = MM.run(ply(tmp_path, points, normals))
    again = MM.run(ply(tmp_path, points, normals))
    shuffled = MM.run(ply(tmp_path, points[shuffle], normals[shuffle], "shuffled"))

    assert first.value.digest() == again.value.digest() == shuffled.value.digest()
    assert first.terms == again.terms == shuffled.terms


def test_holes_are_counted_by_kind(tmp_path: Path) -> None:
    """300 NaN and 20 infinite points go, with one warning that says so; the size stays finite."""
    points, _ = box(3_000)
    bad = np.full((320, 3), np.nan)
    bad[300:] = np.inf
    mixed = np.random.default_rng(3).permutation(np.vstack([points, bad]))
    made = MM.run(ply(tmp_path, mixed))

    assert said(made) == [("warning", "R2S320")]
    assert (
        f"dropped 320 of {len(mixed)} points that have no place (300 NaN and 20 infinite)"
        in made.diagnostics[0].message
    )
    assert len(made.value.points) == len(points)
    assert term(made, "ingest.points") == Change(
        "ingest.points", "points", float(len(mixed)), float(len(points)), "1", "counted"
    )


def test_georeferenced_doubles_keep_their_digits(tmp_path: Path) -> None:
    """5.4e6 m from the origin: the offset goes into the map, and the map gives the file's numbers back."""
    points, normals = box(3_000)
    far = points / 1000 + [512434.25, 5405590.5, 348.5]
    made = Ingest(unit="m").run(ply(tmp_path, far, normals))
    scan = made.value

    assert said(made) == []
    assert np.abs(scan.points).max() < 1
    assert np.ptp(scan.points, axis=0) == pytest.approx(np.ptp(points, axis=0) / 1000, abs=2e-9)
    back = scan.points - scan.from_source[:3, 3]
    assert np.abs(np.sort(back[:, 0]) - np.sort(far[:, 0])).max() < 2e-9


def test_georeferenced_floats_are_refused(tmp_path: Path) -> None:
    """In single precision the same scan is stripes half a metre apart."""
    points, _ = box(3_000)
    with pytest.raises(InvalidInputError, match=r"step by 0\.5") as error:
        Ingest(unit="m").run(ply(tmp_path, points / 1000 + [512434.25, 5405590.5, 348.5], kind="<f4"))

    assert error.value.code == "R2S325"


@pytest.mark.parametrize("factor", [1.0, 1e-7])
def test_size_out_of_reason_is_a_wrong_unit(tmp_path: Path, factor: float) -> None:
    """80 m or 8 um are no objects: the message gives the size and asks for the unit."""
    with pytest.raises(InvalidInputError, match=r"80 m|0\.008 mm") as error:
        Ingest(unit="m", factor=factor).run(ply(tmp_path, box(1_000)[0]))

    assert error.value.code == "R2S326"
    assert "--unit" in error.value.hint


def test_forty_strays_go_or_stay_as_asked(tmp_path: Path) -> None:
    """Exactly the planted ones are dropped; strays=keep keeps them, and everything else."""
    points, _ = box(3_000)
    far = np.random.default_rng(4).uniform(400, 2_000, (40, 3)) * np.random.default_rng(5).choice([-1, 1], (40, 3))
    scan = ply(tmp_path, np.vstack([far, points]))
    made = MM.run(scan)

    assert said(made) == [("warning", "R2S327")]
    assert "dropped 40 of" in made.diagnostics[0].message
    assert np.array_equal(made.value.points, np.array(sorted(map(tuple, points))) * 0.001)
    assert len(Ingest(unit="mm", factor=0.001, strays="keep").run(scan).value.points) == len(points) + 40


def table(tilt: float = 0.0) -> tuple[Array, Array]:
    points, normals = box(5_000, bottom=False)
    rng = np.random.default_rng(6)
    flat = np.column_stack([rng.uniform(-160, 240, 5_000), rng.uniform(-175, 225, 5_000), rng.normal(0, 0.15, 5_000)])
    flat = flat[~((flat[:, :2] > 0) & (flat[:, :2] < [80, 50])).all(axis=1)]
    c, s = math.cos(tilt), math.sin(tilt)
    turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    every = np.vstack([points, flat]) @ turn.T
    return every, np.vstack([normals, np.tile([0.0, 0, 1], (len(flat), 1))]) @ turn.T


@pytest.mark.parametrize("tilt", [0.0, 0.2])
def test_table_is_cut_levelled_and_told(tmp_path: Path, tilt: float) -> None:
    """The object stands 40 mm above a level support, whether the table was tilted or not."""
    made = MM.run(ply(tmp_path, *table(tilt)))
    scan = made.value

    assert said(made) == [("warning", "R2S328")] + ([("warning", "R2S335")] if tilt else [])
    assert "the object stands 40" in made.diagnostics[0].message
    assert scan.points[:, 2].max() - scan.support == pytest.approx(0.040, abs=1e-4)
    assert np.ptp(scan.points[:, :2], axis=0) == pytest.approx([0.080, 0.050], abs=2e-4)
    assert np.linalg.det(scan.from_source[:3, :3]) == pytest.approx(1e-9)


def test_table_is_kept_or_demanded_as_asked(tmp_path: Path) -> None:
    """support=none keeps the plane; support=cut without one is an error."""
    points, normals = table()
    kept = Ingest(unit="mm", factor=0.001, support="none").run(ply(tmp_path, points, normals))

    assert len(kept.value.points) == len(points)
    with pytest.raises(InvalidInputError, match="no support plane"):
        Ingest(unit="mm", factor=0.001, support="cut").run(ply(tmp_path, *box(5_000)))


def test_two_objects_on_a_table_are_refused(tmp_path: Path) -> None:
    """An asset is one object: crop first."""
    points, _ = table()
    other, _ = box(5_000, seed=7, bottom=False)
    with pytest.raises(InvalidInputError, match="2 separate objects") as error:
        MM.run(ply(tmp_path, np.vstack([points, other + np.array([0, 130, 0])])))

    assert error.value.code == "R2S329"


def test_unseen_underside_is_noted_with_its_support(tmp_path: Path) -> None:
    """No warning, as nothing was changed; the support plane and the missing area are there for the surface."""
    points, normals = box(6_000, bottom=False)
    made = MM.run(ply(tmp_path, points + np.array([0, 0, 12]), normals))

    assert said(made) == [("note", "R2S334")]
    assert made.value.support == pytest.approx(0.012, abs=2e-4)
    net = term(made, "ingest.net_normal")
    assert isinstance(net, Scalar)
    area = float(net.evidence.split(" mm²")[0])
    assert area == pytest.approx(4_000, rel=0.08)


def test_noise_reaches_scan_term_and_floor(tmp_path: Path) -> None:
    """0.3 mm along the normals is read within 7 %, in metres, and the floor follows where noise rules."""
    points, normals = box(40_000)
    noisy = points + normals * np.random.default_rng(8).normal(0, 0.3, (len(points), 1))
    made = MM.run(ply(tmp_path, noisy, normals))

    assert made.value.noise == pytest.approx(0.3e-3, rel=0.07)
    assert made.value.floor == pytest.approx(max(5 * made.value.spacing, 3 * made.value.noise))


def test_spacing_is_told_in_metres_with_its_tail(tmp_path: Path) -> None:
    """Of uniform points a share exp(-density·π·r²) has no neighbour within r, which gives median and p95 by formula."""
    made = MM.run(ply(tmp_path, *box(20_000)))
    area = 0.0184  # m², of the whole box

    for name, left in (("ingest.spacing", 0.5), ("ingest.spacing_p95", 0.05)):
        told = term(made, name)
        assert isinstance(told, Scalar)
        assert told.value == pytest.approx(math.sqrt(-math.log(left) * area / (20_000 * math.pi)), rel=0.03)


def test_two_skins_enter_the_budget(tmp_path: Path) -> None:
    """A side scanned twice, 3 mm apart: a warning, and half the gap as a rectangle in the ledger."""
    points, normals = box(6_000)
    side = points[:, 0] == 80
    made = MM.run(ply(tmp_path, np.vstack([points, points[side] + [3, 0, 0]]), np.vstack([normals, normals[side]])))
    found = term(made, "ingest.registration")

    assert said(made) == [("warning", "R2S337")]
    assert isinstance(found, StandardUncertainty)
    assert found.u == pytest.approx(0.0015 / math.sqrt(3), rel=0.05)


def test_axes_turn_points_and_normals_together(tmp_path: Path) -> None:
    """y up becomes z up: a rotation of both, told in the map."""
    points, normals = box(3_000)
    flat = points[:, [0, 2, 1]] * [1, 1, -1]
    made = Ingest(unit="mm", factor=0.001, axes="+x-z+y").run(ply(tmp_path, flat, normals[:, [0, 2, 1]] * [1, 1, -1]))
    scan = made.value

    assert np.ptp(scan.points, axis=0) == pytest.approx([0.08, 0.05, 0.04], rel=1e-3)
    top = scan.points[:, 2] > 0.04 - 1e-9
    assert scan.normals[top].mean(axis=0) == pytest.approx([0, 0, 1])
    assert scan.from_source[:3, :3] @ [0, 1, 0] == pytest.approx([0, 0, 0.001])


def test_free_scale_leaves_its_rounding_to_the_scale_pass(tmp_path: Path) -> None:
    """A factor of two digits is up to 5 % off, and the unit's term says so; a named unit's is exact."""
    scan = ply(tmp_path, box(1_000)[0])
    free, named = term(Ingest(unit="free", factor=0.0027).run(scan), "ingest.unit"), term(MM.run(scan), "ingest.unit")

    assert isinstance(free, StandardUncertainty)
    assert isinstance(named, StandardUncertainty)
    assert (free.u, named.u) == (pytest.approx(0.05 / math.sqrt(3)), 0)
    assert (free.shape, free.unit) == ("discrete", "1")


def test_dense_cloud_is_thinned_and_keeps_its_size(tmp_path: Path) -> None:
    """Above the limit points are averaged in a grid: told, within the limit, less noisy, no smaller."""
    points, normals = box(60_000)
    noisy = points + np.random.default_rng(9).normal(0, 0.1, points.shape)
    made = Ingest(unit="mm", factor=0.001, limit=10_000).run(ply(tmp_path, noisy, normals))
    scan, raw = made.value, term(made, "ingest.raw_noise")

    assert said(made) == [("note", "R2S330")]
    assert 3_000 < len(scan.points) <= 10_000
    assert isinstance(raw, Scalar)
    assert raw.value == pytest.approx(1e-4, rel=0.1)
    assert scan.noise < 0.7 * raw.value
    top = scan.points[scan.normals[:, 2] > 0.99]
    assert top[:, 2].mean() == pytest.approx(0.040, abs=2e-5)


@pytest.mark.slow
def test_two_million_points_take_seconds(tmp_path: Path) -> None:
    """A phone's dense cloud is ready well within the patience that design promises."""
    points, _ = box(2_000_000)
    scan = ply(tmp_path, points, kind="<f4")
    begun = time.process_time()
    made = MM.run(scan)

    assert time.process_time() - begun < 15
    assert len(made.value.points) <= 200_000


@pytest.mark.parametrize(
    ("name", "scan", "codes"),
    [
        ("d-nan", "scan.ply", ["R2S320"]),
        ("d-inf", "scan.ply", ["R2S320"]),
        ("d-outliers", "scan.ply", ["R2S327"]),
        ("d-flip-half", "scan.ply", ["R2S331"]),
        ("d-double-layer", "scan.ply", ["R2S337"]),
        ("d-table", "scan.ply", ["R2S328"]),
        ("d-open-bottom", "scan.ply", []),
        ("a-offset", "scan.obj", []),
        ("u-obj-mm", "scan.obj", []),
        ("m-cup", "scan.obj", []),
        ("m-thin-plate", "scan.obj", []),
    ],
)
def test_cases_warn_of_their_fault_and_of_nothing_else(cases: Path, name: str, scan: str, codes: list[str]) -> None:
    """Each public case gets just the warning that its fault deserves."""
    made = MM.run(source_of(cases / name / scan))

    assert [d.code for d in made.diagnostics if d.severity == "warning"] == codes


@pytest.mark.parametrize(
    ("name", "scan", "code"),
    [
        ("d-one", "scan.ply", "R2S322"),
        ("d-line", "scan.ply", "R2S323"),
        ("d-plane", "scan.ply", "R2S324"),
        ("d-georef-f32", "scan.ply", "R2S325"),
        ("m-flat", "scan.obj", "R2S324"),
        ("m-one-tri", "scan.obj", "R2S322"),
        ("u-obj-m", "scan.obj", "R2S326"),
    ],
)
def test_cases_that_are_refused(cases: Path, name: str, scan: str, code: str) -> None:
    """What cannot make an object is refused by its own code (metres read as millimetres included)."""
    with pytest.raises(InvalidInputError) as error:
        MM.run(source_of(cases / name / scan))

    assert error.value.code == code


@pytest.mark.slow
def test_real_meshes_pass_without_a_warning(data: Path) -> None:
    """All fifteen YCB scans: metres, closed, faces kept, noise of tenths of a millimetre, no table, no stray."""
    scans = sorted((data / "ycb").glob("*/scan.ply"))
    assert len(scans) == 15
    for path in scans:
        made = Ingest(unit="m").run(source_of(path))
        loops = term(made, "ingest.boundary_loops")
        assert isinstance(loops, Scalar)
        assert said(made) == [], path
        assert len(made.value.faces) == 16384, path
        assert loops.value == 0, path
        assert 0 < made.value.noise < 0.4e-3, path
        assert math.isnan(made.value.support), path


@pytest.mark.parametrize(
    ("name", "unit", "factor"),
    [
        ("clouds/mocialov_data_18.ply", "mm", 0.001),
        ("clouds/open3d_fragment_000.ply", "m", 1.0),
        ("clouds/specular_structured_light.ply", "mm", 0.001),
        ("truth/Gym_Ball_iPad_1.xyz", "m", 1.0),
        ("truth/findsurface_sample.xyz", "m", 1.0),
    ],
)
def test_real_clouds_give_a_scan(data: Path, name: str, unit: str, factor: float) -> None:
    """Structured light, a room, a gym ball with a torn last line: a valid scan whose noise is small beside it."""
    scan = Ingest(unit=unit, factor=factor).run(source_of(data / name)).value
    scan.verify()

    assert 0 < scan.spacing < scan.diagonal
    assert 0 <= scan.noise < 0.05 * scan.diagonal
