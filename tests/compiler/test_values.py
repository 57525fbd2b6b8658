"""Values between passes: a broken rule is refused, a change changes the digest, what is stored reads back."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import trimesh
from scan_shapes import box, sphere

from r2s.compiler.codec import canonical, decode, digest_of, encode, plain, references, sha256
from r2s.compiler.decision import Decision
from r2s.compiler.errors import Diagnostic, InternalError
from r2s.compiler.ir import Anchor, Hulls, Piece, Scan, Source, Surface, bools, floats, ints, is_closed
from r2s.compiler.ledger import DirectedDistance
from r2s.compiler.readings import Fill


def scan(**changes: Any) -> Scan:
    points, faces = box((0.3, 0.4, 1.2))
    whole = Scan(floats(points), floats([], 0, 3), ints(faces), floats(np.eye(4)), 1e-4, 0.1, 2e-3, float("nan"), "mm")
    return replace(whole, **changes)


def surface(**changes: Any) -> Surface:
    vertices, faces = box((0.3, 0.4, 1.2))
    whole = Surface(floats(vertices), ints(faces), bools(np.ones(len(faces))), scan())
    return replace(whole, **changes)


def piece(**changes: Any) -> Piece:
    vertices, faces = box((0.3, 0.4, 1.2))
    whole = Piece("mesh", floats(vertices), ints(faces), floats(np.zeros(3)), floats(np.eye(3)), floats(np.zeros(3)))
    return replace(whole, **changes)


def test_sizes_of_a_box_are_those_of_school() -> None:
    assert scan().diagonal == surface().diagonal == pytest.approx(1.3)
    assert surface().volume == pytest.approx(0.3 * 0.4 * 1.2)
    assert surface().area == pytest.approx(2 * (0.3 * 0.4 + 0.4 * 1.2 + 0.3 * 1.2))
    assert surface().triangles.shape == (12, 3, 3)
    assert scan().is_mesh
    assert not scan(faces=ints([], 0, 3)).is_mesh


def test_sizes_do_not_depend_on_where_the_shape_lies() -> None:
    vertices, faces = sphere(0.05, 3)
    away = surface(vertices=floats(vertices + 7), faces=ints(faces), observed=bools(np.ones(len(faces))))
    told = trimesh.Trimesh(vertices, faces)
    assert away.volume == pytest.approx(told.volume, rel=1e-9)
    assert away.area == pytest.approx(told.area, rel=1e-9)


def test_the_first_surface_is_at_the_end_of_the_chain() -> None:
    first = surface()
    later = surface(origin=surface(origin=first))
    assert later.first is first
    assert first.first is first


def shrunk(array: np.ndarray) -> Any:
    return floats(array[:-1])


@pytest.mark.parametrize(
    "broken",
    [
        scan(points=floats(np.zeros((8, 2)))),
        scan(points=floats(np.zeros(24))),
        scan(points=floats(np.full((8, 3), np.inf))),
        scan(normals=shrunk(scan().points)),
        scan(faces=ints([[0, 1, 8]])),
        scan(faces=ints([[0, 1, -1]])),
        scan(faces=ints([[0, 1, 2, 3]])),
        surface(vertices=floats(np.full((8, 3), np.nan))),
        surface(faces=ints([[0, 1, 8]]), observed=bools([True])),
        surface(observed=bools(np.ones(11))),
        surface(faces=ints(surface().faces[:-1]), observed=bools(np.ones(11))),
        surface(faces=ints(surface().faces[:, ::-1])),
        Hulls((), surface()),
        Hulls((piece(vertices=floats(np.full((8, 3), np.nan))),), surface()),
    ],
)
def test_a_value_that_breaks_its_rules_is_a_bug_of_ours(broken: Scan | Surface | Hulls) -> None:
    with pytest.raises(InternalError) as error:
        broken.verify()
    assert error.value.code == "R2S901"


@pytest.mark.parametrize(
    "sound",
    [
        scan(),
        scan(normals=scan().points),
        scan(faces=ints([], 0, 3)),
        scan(faces=ints([[0, 1, 7]])),
        surface(),
        Hulls((piece(),), surface()),
    ],
)
def test_a_sound_value_passes(sound: Scan | Surface | Hulls) -> None:
    sound.verify()


def test_closed_is_every_edge_once_each_way() -> None:
    faces = box((1, 1, 1))[1]
    assert is_closed(faces)
    assert is_closed(np.concatenate([faces, faces + 8]))
    assert not is_closed(faces[:-1])
    assert not is_closed(np.concatenate([faces[:-1], faces[-1:, ::-1]]))  # one face turned
    assert not is_closed(np.concatenate([faces, faces]))
    assert not is_closed(faces[:0])


def test_arrays_are_copies_that_nobody_can_change() -> None:
    given = np.array([1.0, 2.0, 3.0])
    kept = floats(given, 3)
    given[0] = 9
    assert kept[0] == 1
    assert (floats([1]).dtype.str, ints([1]).dtype.str, bools([1]).dtype.str) == ("<f8", "<i8", "|b1")
    assert floats([1, 2, 3, 4, 5, 6], -1, 3).shape == (2, 3)
    for made in (floats([1.0]), ints([1]), bools([1])):
        with pytest.raises(ValueError, match="read-only"):
            made[0] = 0


def test_every_field_enters_the_digest_but_those_left_out() -> None:
    whole = scan()
    for field in dataclasses.fields(Scan):
        value = getattr(whole, field.name)
        if isinstance(value, np.ndarray):
            other: Any = floats(value + 1) if value.dtype.kind == "f" and value.size else ints([[0, 1, 2]])
        else:
            other = "in" if isinstance(value, str) else 0.5
        assert replace(whole, **{field.name: other}).digest() != whole.digest(), field.name
    assert scan().digest() == whole.digest()
    assert Source("ply", "ab", "/here").digest() == Source("ply", "ab", "/there").digest()
    assert Source("ply", "ab").digest() != Source("stl", "ab").digest()
    assert surface(scan=scan(noise=0.0)).digest() != surface().digest()
    assert surface(origin=surface()).digest() != surface().digest()


@dataclass(frozen=True)
class Thing:
    value: Any


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.zeros((2, 3)), np.zeros((3, 2))),
        (np.zeros(3), np.zeros(3, dtype=np.int64)),
        (b"a", b"b"),
        (("a", "b"), ("ab",)),
        (("a", ("b",)), (("a",), "b")),
        ((1.0,), (1.5,)),
        (1.0, 1.0000000000000002),
        (None, ""),
        (True, "true"),
        (Anchor(1.0), Anchor(2.0)),
        (Thing(1), Thing(2)),
    ],
)
def test_what_differs_has_another_digest(one: Any, other: Any) -> None:
    assert digest_of(Thing(one)) != digest_of(Thing(other))
    assert digest_of(Thing(one)) == digest_of(Thing(one))


def test_byte_order_and_layout_are_not_part_of_a_value() -> None:
    grid = np.arange(6.0).reshape(2, 3)
    for same in (grid.astype(">f8"), np.asfortranarray(grid), grid[:, ::-1][:, ::-1]):
        assert digest_of(Thing(same)) == digest_of(Thing(grid))


def test_canonical_text() -> None:
    value = {
        "z": [np.float64(0.1), np.int64(3), np.bool_(True), float("nan"), -math.inf],
        "a": (None, "é", b"bytes"),
        "m": np.array([[1, 2], [3, 4]]),
        3: Diagnostic("note", "R2S305", "told"),
    }
    assert canonical(value) == (
        '{"3":{"code":"R2S305","hint":"","message":"told","severity":"note"},'
        f'"a":[null,"é","{sha256(b"bytes")}"],"m":[[1,2],[3,4]],"z":[0.1,3,true,"nan","-inf"]}}'
    )
    with pytest.raises(TypeError, match="no canonical form for set"):
        plain({1})
    with pytest.raises(TypeError, match="no canonical form for type"):
        plain(Anchor)


def back(value: Any, resolve: Any = str) -> Any:
    arrays, tree = encode(value)
    return decode(tree, arrays, resolve)


def test_what_is_encoded_reads_back() -> None:
    term = DirectedDistance("a", "forward", "x", "y", 1.0, True, 0.5, 0.25, 0.125, None, 10, "told")
    decision = Decision("mm", 1e-3, "+x+y+z", False, "measured", "told", (Diagnostic("note", "R2S305", "a"),))
    anchor = Anchor(u=float("nan"), dof=math.inf)
    assert back(term) == term
    assert back(decision) == decision
    assert math.isnan(back(anchor).u)
    assert back(anchor).dof == math.inf
    assert back(Fill()) == Fill()


def test_a_value_refers_to_what_it_was_made_from() -> None:
    whole = surface(origin=surface())
    assert [type(v) for v in references(whole)] == [Scan, Surface]
    assert references(scan()) == ()
    kept = {v.digest(): v for v in references(whole)}
    again = back(whole, kept.__getitem__)
    assert again.scan is whole.scan
    assert again.origin is whole.origin
    assert again.digest() == whole.digest()
    assert back(whole).scan == whole.scan.digest()
    with pytest.raises(ValueError, match="read-only"):
        again.vertices[0] = 0


def test_bytes_and_nested_values_read_back() -> None:
    hulls = Hulls((piece(), piece(kind="sphere")), surface(), Anchor(2.0))
    again = back(hulls, {surface().digest(): surface()}.__getitem__)
    assert [p.kind for p in again.pieces] == ["mesh", "sphere"]
    assert again.digest() == hulls.digest()
    arrays, tree = encode(Thing(b"raw"))
    assert tree["value"] == {"$bytes": "value"}
    assert decode(tree["value"], arrays, str) == b"raw"
    assert decode({"a": [1, {"$float": "-inf"}]}, {}, str) == {"a": (1, -math.inf)}


@pytest.mark.parametrize(
    "name", ["os:system", "codec:sha256", "errors:R2SError", "a.b:C", "ir:Scan.x", ":", "builtins"]
)
def test_a_shared_cache_makes_only_dataclasses_of_the_core(name: str) -> None:
    with pytest.raises((ValueError, ImportError, AttributeError)):
        decode({"$type": name}, {}, str)
