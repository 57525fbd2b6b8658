"""A finished asset, or what it was built from, changed afterwards: verify and a rebuild see it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from corruptions import Ended

from r2s.compiler.errors import InvalidInputError, NotReproducibleError
from r2s.compiler.verify import must_be_near
from r2s.compiler.verify.equivalence import Distance
from r2s.compiler.verify.inputs import find_inputs
from r2s.compiler.verify.rebuild import Rebuilt

Command = Callable[..., Ended]


@pytest.mark.parametrize("kind", ["xml", "slots.json", "report.json", "scene.xml"])
def test_one_changed_byte_of_an_output_is_found(command: Command, place: Path, kind: str) -> None:
    """The whole of it: built, verified, one digit changed, verified again."""
    assert command("brick.obj", "--calipers", "brick.yaml", "-o", "out/brick.xml", "-q").exit_code == 0
    good = command("verify", "out/brick.xml")
    path = place / "out" / f"brick.{kind}"
    before = path.read_text()
    at = next(i for i, c in enumerate(before) if c.isdigit() and i > len(before) // 2)
    path.write_text(before[:at] + ("1" if before[at] != "1" else "2") + before[at + 1 :])
    ended = command("verify", "out/brick.xml")

    assert (good.exit_code, good.err) == (0, "")
    assert ended.exit_code == 5
    assert "out/brick.xml is not as it was built: 1 finding" in ended.line("R2S823")
    assert f"brick.{kind}" in ended.out


def test_a_scan_that_changed_since_is_no_ground_for_a_rebuild(place: Path) -> None:
    scan = place / "brick.obj"
    entry = {"name": "brick.obj", "sha256": hashlib.sha256(scan.read_bytes()).hexdigest()}
    manifest = {"inputs": {"scan": entry, "calipers": {"name": "", "sha256": "", "files": []}}}
    assert find_inputs(manifest, (place,), None, None).scan == scan
    scan.write_text(scan.read_text().replace("80.0", "80.1", 1))
    now = hashlib.sha256(scan.read_bytes()).hexdigest()
    with pytest.raises(InvalidInputError) as caught:
        find_inputs(manifest, (place,), None, None)

    assert (caught.value.code, caught.value.exit_code) == ("R2S825", 3)
    assert f"its hash is {now[:12]}, it was {entry['sha256'][:12]}" in caught.value.message


def test_a_rebuild_that_differs_names_files_and_pass() -> None:
    must_be_near(Rebuilt("equal", (), 7, "", (), None))
    with pytest.raises(NotReproducibleError) as caught:
        must_be_near(Rebuilt("differs", ("brick.xml", "brick.slots.json"), 7, "surface", (), None))

    assert (caught.value.code, caught.value.exit_code) == ("R2S826", 5)
    assert "2 of 7 files differ (brick.xml, brick.slots.json)" in caught.value.message
    assert "surface is the first pass whose value differs" in caught.value.message


def test_a_rebuild_elsewhere_that_is_further_than_allowed() -> None:
    five = Distance(pieces=5e-6, visual=None, com=1e-6, mass=0.0, inertia=0.0)
    apart = Rebuilt("equivalent", (), 7, "", ("mujoco 3.3 and 3.4",), five)
    must_be_near(apart)
    must_be_near(apart, furthest=6e-6)
    with pytest.raises(NotReproducibleError, match="the asset is 5 um away, and 4 um are allowed") as caught:
        must_be_near(apart, furthest=4e-6)

    assert (caught.value.code, caught.value.exit_code) == ("R2S827", 5)
