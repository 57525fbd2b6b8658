"""device-check on what is no ball, no scan of it, or no size: one line, its code, and no profile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from artefact_clouds import ball, block
from corruptions import Ended, write_ply

from r2s.compiler.devices import device

Command = Callable[..., Ended]
GOOD = ("device-check", "ball.ply", "--sphere", "25.4mm", "-o", "mine.yaml")


@pytest.fixture
def lab(place: Path) -> Path:
    write_ply(place / "ball.ply", ball())
    write_ply(place / "cap.ply", ball(above=0.8))
    write_ply(place / "cube.ply", block((25.4, 25.4, 25.4)))
    return place


def test_the_good_command_writes_a_profile_that_a_build_takes(command: Command, lab: Path) -> None:
    ended = command(*GOOD)

    assert (ended.exit_code, ended.errors) == (0, [])
    assert "offset" in ended.out
    found = device("mine.yaml")
    assert [(e.name, e.of) for e in found.evidence] == [("ball.ply", "a sphere of 25.4 mm, u 0.002 mm assumed")]
    asset = ("brick.obj", "--calipers", "brick.yaml", "--stop-after", "ingest")
    assert command(*asset, "--device", "mine.yaml").exit_code == 0
    (lab / "mine.yaml").write_text((lab / "mine.yaml").read_text().replace("noise: {u: ", "noise: {u: -"))
    assert "noise u is -" in command(*asset, "--device", "mine.yaml").line("R2S049")


@pytest.mark.parametrize(
    ("code", "words", "exit_code", "says"),
    [
        ("R2S050", ("device-check", "ball.ply"), 2, "nothing says what was scanned; write device-check ball.ply"),
        ("R2S050", ("device-check", "ball.ply", "--block", "1x2mm"), 2, "'1x2mm' is no three sides of a block"),
        ("R2S250", ("device-check", "ball.ply", "--sphere", "25.4"), 2, "'25.4' has no unit"),
        ("R2S052", (*GOOD[:-1], "mine.json"), 2, "the profile mine.json is no name.yaml"),
        ("R2S011", (*GOOD, "--device", "rgdb"), 2, "no device is called 'rgdb'; did you mean 'rgbd'?"),
        ("R2S101", ("device-check", "bal.ply", *GOOD[2:]), 3, "there is no file bal.ply"),
        ("R2S340", ("device-check", "cube.ply", *GOOD[2:]), 3, "this is no sphere"),
        ("R2S340", ("device-check", "ball.ply", "--block", "1x2x3in"), 3, "this is no block"),
        ("R2S341", ("device-check", "cap.ply", *GOOD[2:]), 3, "of the sphere was seen"),
        ("R2S342", (*GOOD, "--unit", "m"), 3, "it fits in mm: give --unit mm"),
        ("R2S342", ("device-check", "ball.ply", "--sphere", "40mm"), 3, "is near no unit"),
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_is_written(
    command: Command, lab: Path, code: str, words: tuple[str, ...], exit_code: int, says: str
) -> None:
    ended = command(*words)

    assert ended.exit_code == exit_code
    assert len(ended.errors) == 1
    assert says in ended.line(code)
    assert not (lab / "mine.yaml").exists()
