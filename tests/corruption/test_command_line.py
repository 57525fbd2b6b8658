"""Words on the command line that are wrong: one line, its code, exit code 2 (or 3 for a file), and nothing written."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from corruptions import Ended
from tests_support import COMMAND

from r2s.compiler import catalog

Command = Callable[..., Ended]

GOOD = ("brick.obj", "--calipers", "brick.yaml", "-o", "out/brick.xml")


def without(word: str) -> tuple[str, ...]:
    """The good command without an option and its value."""
    at = GOOD.index(word)
    return GOOD[:at] + GOOD[at + 2 :]


@pytest.mark.parametrize(
    ("code", "words", "says"),
    [
        ("R2S002", (*GOOD, "--passes", "ingest | surfac"), "no pass is called 'surfac'; there are ingest, surface"),
        ("R2S003", (*GOOD, "--passes", "ingest | surface", "-p", "emit.body=static"), "pass 'emit' is not in this"),
        ("R2S003", (*GOOD, "--stop-after", "polish"), "pass 'polish' is not in this pipeline; it runs ingest | surf"),
        ("R2S004", (*GOOD, "--passes", "ingest || surface"), "cannot read '' as a pass; write name{option=value"),
        ("R2S005", (*GOOD, "-p", "decompose.max_eror=1mm"), "no option 'max_eror'; did you mean 'max_error'?"),
        (
            "R2S006",
            (*GOOD, "-p", "decompose.primitives=perhaps"),
            "decompose.primitives is true or false, not 'perhaps",
        ),
        ("R2S007", (*GOOD, "--passes", "ingest | emit"), "ingest makes Scan, but emit wants Hulls; the usual order is"),
        ("R2S010", (*GOOD, "--budget", "ingest=1mm"), "no budget exists for 'ingest'"),
        ("R2S011", (*GOOD, "--device", "phonelidar"), "no device is called 'phonelidar'; did you mean 'phone_lidar'?"),
        ("R2S012", (*without("-o"), "-o", "out/brick.obj"), "out/brick.obj is no name.xml; write -o build/name.xml"),
        ("R2S020", (*GOOD, "--calliper", "a.yaml"), "--calliper"),
        ("R2S020", (*GOOD, "--scale", "sometimes"), "'sometimes' is not one of 'auto', 'apply', 'verify'"),
        ("R2S021", without("-o"), "no output is named; add -o build/name.xml, or --stop-after PASS"),
        ("R2S022", (*GOOD, "-p", "max_error=1mm"), "cannot read 'max_error=1mm'; write -p pass.option=value"),
        ("R2S022", (*GOOD, "--budget", "decompose"), "cannot read 'decompose' after --budget; write name=value"),
        ("R2S023", (*GOOD, "--limit", "16 gigs"), "cannot read the limit '16 gigs'; write 120s, 5min, 8GiB or 500MiB"),
        ("R2S025", ("explain", "R2S9044"), "no code or stage 'R2S9044'; did you mean 'R2S904'?"),
        ("R2S026", ("cache", "prune"), "nothing says what to prune; add --older-than 30, --max-size 5000 or --all"),
        ("R2S041", (*without("-o"), "--stop-after", "ingest", "-MD"), "names the XML, and no output is named; add -o"),
        ("R2S041", (*GOOD, "-MD", "-MF", "brick.obj"), "the depfile would take the place of brick.obj"),
        ("R2S820", ("verify", "brick.obj"), "brick.obj is no asset; name its XML: r2s-compile verify build/name.xml"),
        ("R2S047", ("inject", *GOOD[:3], "--only", "scale,miror"), "damage is called 'miror'; did you mean 'mirror'?"),
        ("R2S051", ("inject", *GOOD[:3], "-o", "brick.yaml"), "the table would take the place of brick.yaml"),
        ("R2S055", (*GOOD, "--monte-carlo", "0"), "--monte-carlo 0 asks for 0 recompiles; it takes 2 to 2000"),
        ("R2S055", (*GOOD, "--monte-carlo", "1"), "it takes 2 to 2000; 20 tell a spread to a third, 50 to a fifth"),
        ("R2S055", (*GOOD, "--monte-carlo", "-4"), "--monte-carlo -4 asks for -4 recompiles"),
        ("R2S055", (*GOOD, "--monte-carlo", "2001"), "--monte-carlo 2001 asks for 2001 recompiles"),
        ("R2S055", (*GOOD, "--monte-carlo", "5", "--seed", "-1"), "--seed -1 is below 0; write --seed 1"),
        ("R2S055", (*GOOD, "--seed", "3"), "--seed says nothing without --monte-carlo; add --monte-carlo 50"),
        ("R2S055", (*GOOD, "--monte-carlo", "5", "--stop-after", "ingest"), "nothing to compare after ingest; let the"),
        ("R2S020", (*GOOD, "--monte-carlo", "many"), "'many' is not a valid integer"),
        ("R2S250", (*GOOD, "--within", "1"), "length '1' has no unit"),
        ("R2S311", (*GOOD, "--up", "sideways"), "sideways"),
        ("R2S312", (*GOOD, "--unit", "furlong"), "no unit is called 'furlong'; use "),
    ],
)
def test_a_wrong_word_is_a_usage_error(
    command: Command, place: Path, code: str, words: tuple[str, ...], says: str
) -> None:
    ended = command(*words)

    assert ended.exit_code == 2
    assert len(ended.errors) == 1
    assert says in ended.line(code)
    assert nothing_written(place)


@pytest.mark.parametrize(
    ("code", "words", "says"),
    [
        ("R2S101", ("brik.obj", *GOOD[1:]), "there is no file brik.obj; check the path"),
        ("R2S101", ("brick.obj/scan.obj", *GOOD[1:]), "there is no file brick.obj/scan.obj; check the path"),
        ("R2S102", (".", *GOOD[1:]), ". is a folder, not a scan file; name the scan file itself"),
        ("R2S102", ("/dev/zero", *GOOD[1:]), "/dev/zero is a pipe, a socket or a device, not a scan file"),
        ("R2S103", ("loop.obj", *GOOD[1:]), "loop.obj cannot be read: Too many levels of symbolic links"),
        ("R2S201", (*without("--calipers"), "--calipers", "brik.yaml"), "brik.yaml"),
        (
            "R2S048",
            (*GOOD, "--device", "none.yaml"),
            "the device profile none.yaml cannot be read: No such file or dir",
        ),
        ("R2S048", (*GOOD, "--device", "./rgbd"), "the device profile rgbd cannot be read"),
        ("R2S805", (*GOOD, "--recipe", "none.yaml"), "cannot read none.yaml: No such file or directory"),
        ("R2S808", (*without("-o"), "-o", "brick.obj/out/brick.xml"), "cannot write below brick.obj"),
        (
            "R2S841",
            ("diff", "none.report.json", "brick.obj"),
            "cannot read none.report.json: No such file",
        ),
        ("R2S851", ("measure", "brick.obj", "--calipers", "empty.yaml", "--unit", "mm"), "empty.yaml holds no reading"),
        ("R2S803", (*GOOD, "--cache", "brick.obj/cache"), "cannot write the cache at brick.obj/cache: Not a directory"),
    ],
)
def test_a_wrong_place_is_an_invalid_input(
    command: Command, place: Path, code: str, words: tuple[str, ...], says: str
) -> None:
    (place / "loop.obj").symlink_to("loop.obj")
    (place / "empty.yaml").write_text("schema: 1\nmeasurements: []\n")
    ended = command(*words)

    assert ended.exit_code == 3
    assert len(ended.errors) == 1
    assert says in ended.line(code)
    assert nothing_written(place)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("withn: 1mm", "r.yaml:1:1: unknown key 'withn'; did you mean 'within'?"),
        ("unit: mm\nscale: never", "r.yaml:2:8: scale is one of auto, apply, verify, not 'never'"),
        ("- unit: mm", "r.yaml:1:1: a recipe holds keys"),
    ],
)
def test_a_wrong_recipe_is_told_with_its_place_even_where_the_word_is_not_needed(
    command: Command, place: Path, text: str, says: str
) -> None:
    (place / "r.yaml").write_text(text)
    ended = command(*without("-o"), "--stop-after", "ingest", "--recipe", "r.yaml")

    assert ended.exit_code == 3
    assert says in ended.line("R2S024")


def test_a_scan_that_begins_with_a_dash_is_told_what_to_write(command: Command, place: Path) -> None:
    (place / "brick.obj").rename(place / "-rf brick.obj")
    refused = command("-rf brick.obj", *GOOD[1:])

    assert refused.exit_code == 2
    assert "a name that begins with a dash is written './-rf brick.obj'" in refused.line("R2S020")
    assert "see --help" in command("-rf no such.obj", *GOOD[1:]).line("R2S020")
    done = command("./-rf brick.obj", "--unit", "mm", "--stop-after", "ingest")
    assert (done.exit_code, done.errors) == (0, [])


@pytest.mark.parametrize(
    ("streams", "code"),
    [(">&-", 0), ("2>&-", 0), ("<&- >&- 2>&-", 0), (">/dev/full", 3), ("2>/dev/full", 3)],
)
def test_closed_and_full_streams_do_not_disturb_a_build(place: Path, streams: str, code: int) -> None:
    words = " ".join(shlex.quote(str(w)) for w in (COMMAND, *GOOD))
    ended = subprocess.run(f"{words} {streams}", shell=True, cwd=place, capture_output=True, text=True)

    assert ended.returncode == code, ended.stderr
    assert (place / "out" / "brick.xml").is_file()
    assert "bug" not in ended.stderr
    if streams == ">/dev/full":
        assert ended.stderr.splitlines()[-1].startswith("error: cannot print: No space left on device")


def test_a_misspelt_command_is_no_scan(command: Command, place: Path) -> None:
    refused = command("mesure", *GOOD)

    assert refused.exit_code == 2
    assert "no command and no file is called 'mesure'; did you mean 'measure'?" in refused.line("R2S020")
    (place / "mesure").write_text("")
    assert "mesure" not in command("mesure", *GOOD).line("R2S020")


def test_without_a_word_it_teaches(command: Command) -> None:
    taught = command()

    assert taught.exit_code == 2
    assert "r2s-compile scan.ply --calipers measurements.yaml -o build/cube.xml" in [
        line.strip() for line in taught.err.splitlines()
    ]


def test_the_good_command_is_not_refused(command: Command, place: Path) -> None:
    ended = command(*GOOD[:3], "--stop-after", "ingest")

    assert (ended.exit_code, ended.codes) == (0, ["R2S305", "R2S631"])
    assert nothing_written(place)


def test_two_packages_with_one_pass_are_both_named(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real second package beside ours: its entry point offers another class as ``surface``."""
    package = tmp_path / "site"
    info = package / "other_passes-1.0.dist-info"
    info.mkdir(parents=True)
    (package / "other_passes.py").write_text('CATALOG = {"surface": "other_passes:Surface"}\n')
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other-passes\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[r2s.passes]\nother = other_passes:CATALOG\n")
    monkeypatch.syspath_prepend(str(package))
    catalog.names.cache_clear()
    try:
        ended = command(*GOOD)
    finally:
        monkeypatch.undo()
        catalog.names.cache_clear()

    assert ended.exit_code == 2
    assert "two packages define 'surface': r2s.passes:CATALOG and other_passes:CATALOG" in ended.line("R2S001")


def nothing_written(place: Path) -> bool:
    """Whether nothing but the inputs lies in the working folder."""
    return {p.name for p in place.iterdir()} <= {"brick.obj", "brick.yaml", "r.yaml", "loop.obj", "empty.yaml"}
