"""Closure on drawn solids: honest assets close, every corruption of the files is seen, distances are the true ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scan_shapes import MM, box, mesh_scan, sphere

from r2s.compiler.closure import close
from r2s.compiler.closure import left_out as cutoff_of
from r2s.compiler.direct import Directs
from r2s.compiler.ir import Asset, Floats, Ints
from r2s.compiler.ledger import DirectedDistance, Term
from r2s.passes.closure import Closure
from r2s.passes.decompose import Decompose
from r2s.passes.emit import Emit
from r2s.passes.scale import Scale
from r2s.passes.simplify import Simplify
from r2s.passes.surface import ExtractSurface


@cache
def built(kind: str) -> tuple[Asset, tuple[Term, ...]]:
    """Run a drawn mesh through the passes; return the asset and all terms."""
    return made(*SHAPES[kind]())


def made(vertices: Floats, faces: Ints) -> tuple[Asset, tuple[Term, ...]]:
    value, terms = mesh_scan(vertices, faces), []
    for step in (ExtractSurface(), Simplify(), Decompose(), Scale(), Emit(model="part", stem="part")):
        outcome = step.run(value)  # type: ignore[attr-defined]  # each takes what the one before makes
        value = outcome.value
        terms += outcome.terms
    return value, tuple(terms)  # type: ignore[return-value]  # the last one makes an asset


def bracket() -> tuple[Floats, Ints]:
    """An L of 80 x 60 x 40 mm with legs of 20 mm, closed, every face flat."""
    outline = np.array([(0, 0), (80, 0), (80, 20), (20, 20), (20, 60), (0, 60)]) * MM
    low, high = (np.column_stack([outline, np.full(6, z)]) for z in (0.0, 40 * MM))
    caps = np.array([(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)])
    sides = [t for i in range(6) for t in ((i, (i + 1) % 6, (i + 1) % 6 + 6), (i, (i + 1) % 6 + 6, i + 6))]
    return np.concatenate([low, high]), np.concatenate([caps[:, ::-1], caps + 6, sides])


SHAPES: dict[str, Callable[[], tuple[Floats, Ints]]] = {
    "box": lambda: box((57 * MM, 33 * MM, 21 * MM)),
    "ball": lambda: sphere(30 * MM),
    "bracket": bracket,
}


def measured(asset: Asset, left_out: float = 0.0) -> Directs:
    return Closure(left_out).run(asset).value


def with_mesh(asset: Asset, number: int, change: Callable[[str], str]) -> Asset:
    """Return *asset* with the text of its collision mesh *number* changed; the XML names it as before."""
    pieces = [i for i, name in enumerate(asset.file_names) if name.startswith("piece_")]
    contents = list(asset.file_bytes)
    contents[pieces[number]] = change(contents[pieces[number]].decode()).encode()
    return replace(asset, file_bytes=tuple(contents))


def swapped(text: str) -> str:
    lines = text.splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if line.startswith("v "))
    last = max(i for i, line in enumerate(lines) if line.startswith("v "))
    lines[first], lines[last] = lines[last], lines[first]
    return "".join(lines)


def mirrored(text: str) -> str:
    lines = (line.split() for line in text.splitlines())
    return "\n".join(f"v {w[1]} {-float(w[2])} {w[3]}" if w[0] == "v" else " ".join(w) for w in lines) + "\n"


def geom(asset: Asset, number: int, words: str) -> Asset:
    """Return *asset* with *words* added to its collision geom *number*."""
    tag = f'<geom name="part_collision_{number:02d}"'
    assert tag in asset.xml
    return replace(asset, xml=asset.xml.replace(tag, f"{tag} {words}"))


def dropped(asset: Asset) -> Asset:
    kept = [line for line in asset.xml.splitlines() if 'name="part_collision_01"' not in line]
    return replace(asset, xml="\n".join(kept))


def scaled(asset: Asset) -> Asset:
    tag = '<mesh name="part_piece_000"'
    return replace(asset, xml=asset.xml.replace(tag, f'{tag} scale="1.01 1.01 1.01"'))


CORRUPTIONS: dict[str, Callable[[Asset], Asset]] = {
    "moved by 1 mm": lambda a: geom(a, 1, 'pos="0.001 0 0"'),
    "one piece dropped": dropped,
    "mesh scaled by 1.01": scaled,
    "mirrored": lambda a: with_mesh(a, 0, mirrored),
    "turned by 5 degrees": lambda a: geom(a, 0, 'quat="0.99904822 0 0 0.04361939"'),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_an_honest_asset_closes(kind: str) -> None:
    asset, terms = built(kind)
    directs = measured(asset)

    found = close(directs, terms, 1.0)

    assert found.failure is None
    assert directs.emitted == directs.pieces == (2 if kind == "bracket" else 1)
    assert directs.moved < 1e-9
    assert directs.folded < 1e-9
    assert directs.reference == "scan"


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_a_corrupted_file_is_a_bug_by_the_files_and_by_the_bound_alone(name: str) -> None:
    asset, terms = built("bracket")

    directs = measured(CORRUPTIONS[name](asset))
    found = close(directs, terms, 1.0)
    blind = replace(directs, emitted=directs.pieces, moved=0.0, folded=0.0)

    assert found.failure is not None
    assert found.failure.code == "R2S908"
    by_distance = close(blind, terms, 1.0).failure
    assert by_distance is not None
    assert by_distance.code == "R2S907"


@pytest.mark.parametrize("change", [swapped, lambda text: text.replace("f ", "f 1 1 1\nf ", 1)], ids=["swap", "sliver"])
def test_a_torn_mesh_of_the_right_points_is_seen(change: Callable[[str], str]) -> None:
    asset, terms = built("bracket")
    directs = measured(with_mesh(asset, 0, change))

    assert directs.moved < 1e-9
    verdict = close(directs, terms, 1.0).verdict
    assert (verdict == "bug") == (change is swapped)


def test_a_mesh_turned_inside_out_is_seen() -> None:
    asset, terms = built("bracket")

    def inside_out(text: str) -> str:
        rows = (line.split() for line in text.splitlines())
        return "\n".join(" ".join((w[0], w[1], w[3], w[2]) if w[0] == "f" else w) for w in rows) + "\n"

    failure = close(measured(with_mesh(asset, 1, inside_out)), terms, 1.0).failure

    assert failure is not None
    assert "part_collision_01 is inside out" in failure.message


@pytest.mark.parametrize("kind", ["box", "ball"])
def test_a_piece_outside_by_half_a_millimetre_reads_plus_half_a_millimetre(kind: str) -> None:
    asset, _ = built(kind)
    before = measured(asset)
    tag = '<body name="part"'
    assert tag in asset.xml
    moved = measured(replace(asset, xml=asset.xml.replace(tag, f'{tag} pos="{0.5 * MM} 0 0"')))

    assert moved.backward.maximum - before.backward.maximum == pytest.approx(0.5 * MM, abs=0.02 * MM)
    assert moved.forward.maximum == pytest.approx(0.5 * MM, abs=before.forward.maximum + 0.02 * MM)
    assert moved.backward.at[0] > before.diagonal / 8
    assert moved.forward.at[0] < -before.diagonal / 8
    assert moved.moved >= 0.5 * MM * (1 - 1e-6)


def test_faces_between_pieces_are_not_measured() -> None:
    asset, _ = built("bracket")
    directs = measured(asset)
    cut = 20 * 40 * MM**2
    whole = asset.hulls.surface.area

    assert directs.backward.maximum < 1e-6
    assert directs.hidden == pytest.approx(2 * cut / (whole + 2 * cut), rel=0.02)


def test_a_pass_that_says_less_than_it_lost_is_found_out() -> None:
    asset, terms = built("ball")
    directs = measured(asset)
    lost = max(directs.forward.maximum, directs.backward.maximum)
    assert lost > 1e-5

    hidden = tuple(replace(t, maximum=0.1 * t.maximum) if isinstance(t, DirectedDistance) else t for t in terms)

    failure = close(directs, hidden, 1.0).failure
    assert failure is not None
    assert f"{lost * 1e3:.3f} mm outside" in failure.message


def test_files_that_cannot_be_read_are_a_bug_and_no_traceback() -> None:
    asset, terms = built("bracket")

    for broken in (
        replace(asset, xml="<mujoco"),
        replace(asset, xml=asset.xml.replace('class="collision"', 'class="visual"')),
        with_mesh(asset, 0, lambda text: text.replace("v ", "w ", 1)),
        with_mesh(asset, 0, lambda text: text + "f 1 2 9999\n"),
        geom(asset, 0, 'euler="0 0 1"'),
    ):
        failure = close(measured(broken), terms, 1.0).failure
        assert failure is not None
        assert (failure.code, failure.exit_code) == ("R2S908", 70)


def test_a_mesh_with_a_hole_is_measured_to_its_faces_and_to_the_lid_where_it_has_none() -> None:
    vertices, faces = bracket()
    open_ = faces[~(vertices[faces][:, :, 2] == 0).all(axis=1)]  # no underside

    asset, terms = made(vertices, open_)
    directs = measured(asset, cutoff_of(terms))

    assert directs.unobserved == pytest.approx(2400 / 16000, rel=0.01)
    assert directs.backward.maximum < 1e-6
    assert close(directs, terms, 1.0).failure is None


def test_parts_left_out_on_purpose_do_not_count_and_are_counted() -> None:
    vertices, faces = bracket()
    crumb, crumb_faces = box((3 * MM, 3 * MM, 3 * MM), (100 * MM, 100 * MM, 20 * MM))

    asset, terms = made(np.concatenate([vertices, crumb]), np.concatenate([faces, crumb_faces + len(vertices)]))
    directs = measured(asset, cutoff_of(terms))

    assert directs.left_out == 8
    assert directs.forward.maximum < 1e-6
    assert close(directs, terms, 1.0).failure is None
    assert measured(asset).forward.maximum > 20 * MM
