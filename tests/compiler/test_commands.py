"""The command in this process: every word reaches the request, every ending has its exit code and its one line."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from r2s.compiler import cli as command
from r2s.compiler import driver
from r2s.compiler.codes import catalogue
from r2s.compiler.errors import (
    CalipersDisagreeError,
    Diagnostic,
    InvalidInputError,
    OverBudgetError,
    R2SError,
    UsageError,
)
from r2s.compiler.manager import Event
from r2s.compiler.progress import shown
from r2s.compiler.worker import Limits

RECIPE = """\
passes: ingest | surface{depth=7} | simplify | decompose | scale | emit
options: [simplify.max_error=0.5mm]
budget: {decompose: 0.8 mm, simplify: 0.3 mm}
within: 2mm
unit: in
up: y
device: laser
scale: verify
origin: com
body: static
level: 3
primitives: false
"""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[driver.Request]:
    """Requests that reached the driver, which builds nothing here."""
    found: list[driver.Request] = []

    def run(request: driver.Request, observe: Callable[[Event], None]) -> driver.Build:
        found.append(request)
        observe(Event("running", "ingest", seconds=1.0))
        told = (Diagnostic("note", "R2S306", "aside"), Diagnostic("warning", "R2S305", "told"))
        return driver.Build({"name": "told"}, told, (), request.output)

    monkeypatch.setattr(driver, "run", run)
    monkeypatch.setattr("r2s.compiler.summary.summary", lambda report, *, seconds, written: f"wrote {written}")
    return found


def invoked(*words: str) -> Result:
    return CliRunner().invoke(command.cli, words, standalone_mode=False)


def request(asked: list[driver.Request], *words: str) -> driver.Request:
    """Return what the driver was asked by *words*."""
    made = invoked("scan.ply", "-o", "out/part.xml", *words)
    assert made.exception is None, made.exception
    return asked[-1]


def option(asked: driver.Request, name: str, key: str) -> Any:
    (step,) = (s for s in asked.pipeline.steps if s.name == name)
    return getattr(step, key)


def test_without_words_the_request_is_the_default(asked: list[driver.Request]) -> None:
    assert request(asked) == driver.Request(Path("scan.ply"), Path("out/part.xml"))


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        (("--calipers", "m.yaml"), "calipers", Path("m.yaml")),
        (("--unit", "mm"), "unit", "mm"),
        (("--up", "-x"), "axes", "-x"),
        (("--scale", "verify"), "scale_mode", "verify"),
        (("--device", "rgbd"), "device", "rgbd"),
        (("--within", "1.5mm"), "within", 0.0015),
        (
            ("--budget", "simplify=0.2mm", "--budget", "decompose= 1 mm"),
            "budgets",
            {"simplify": 2e-4, "decompose": 1e-3},
        ),
        (("--stop-after", "surface"), "stop_after", "surface"),
        (("--cache", "c"), "cache", Path("c")),
        (("--salt", "s"), "salt", "s"),
        (("--limit", "2min", "--limit", "3GB"), "limits", Limits(120.0, 3 * 10**9)),
        (("--limit", "1.5h"), "limits", Limits(5400.0)),
        (("--limit", "2MB"), "limits", Limits(memory=2_000_000)),
        (("--limit", "3MiB"), "limits", Limits(memory=3 << 20)),
    ],
)
def test_each_word_reaches_its_field(
    asked: list[driver.Request], words: tuple[str, ...], field: str, value: object
) -> None:
    found = request(asked, *words)
    assert getattr(found, field) == (pytest.approx(value) if isinstance(value, float) else value)
    rest = {f: getattr(found, f) for f in found.__dataclass_fields__ if f != field}
    assert rest == {f: getattr(driver.Request(Path("scan.ply"), Path("out/part.xml")), f) for f in rest}


@pytest.mark.parametrize(
    ("words", "step", "key", "value"),
    [
        (("-O", "0"), "decompose", "share", 0.05),
        (("-O", "1"), "decompose", "share", 0.02),
        (("-O", "2"), "decompose", "share", 0.01),
        (("-O", "3"), "decompose", "share", 0.005),
        (("--no-primitives",), "decompose", "primitives", False),
        (("--origin", "com"), "emit", "origin", "com"),
        (("--body", "static"), "emit", "body", "static"),
        (("-p", "simplify.max_error=0.25mm"), "simplify", "max_error", 0.00025),
        (
            ("--passes", "ingest | surface | simplify | decompose{max_pieces=7} | scale | emit"),
            "decompose",
            "max_pieces",
            7,
        ),
    ],
)
def test_words_about_passes_reach_their_options(
    asked: list[driver.Request], words: tuple[str, ...], step: str, key: str, value: object
) -> None:
    assert option(request(asked, *words), step, key) == value


def test_a_recipe_says_the_same_and_the_command_line_wins(asked: list[driver.Request], tmp_path: Path) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(RECIPE)
    said = request(asked, "--recipe", str(path))
    assert (said.unit, said.axes, said.device, said.scale_mode, said.within) == ("in", "y", "laser", "verify", 0.002)
    assert said.budgets == pytest.approx({"decompose": 8e-4, "simplify": 3e-4})
    told = [("surface", "depth"), ("simplify", "max_error"), ("decompose", "share"), ("decompose", "primitives")]
    told += [("emit", "origin"), ("emit", "body")]
    assert [option(said, *key) for key in told] == [7, 0.0005, 0.005, False, "com", "static"]

    words = ["--unit", "mm", "--up", "z", "--device", "rgbd", "--scale", "apply", "--within", "1mm", "--origin", "base"]
    words += ["--budget", "decompose=0.1mm", "-O", "1", "--body", "free", "-p", "simplify.max_error=0.1mm"]
    over = request(asked, "--recipe", str(path), *words)
    assert (over.unit, over.axes, over.device, over.scale_mode, over.within) == ("mm", "z", "rgbd", "apply", 0.001)
    assert over.budgets == pytest.approx({"decompose": 1e-4, "simplify": 3e-4})
    assert [option(over, *key) for key in told] == [7, 0.0001, 0.02, False, "base", "free"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("scan.ply",), "R2S021"),
        (("scan.ply", "-o", "a.xml", "-p", "simplify=1"), "R2S022"),
        (("scan.ply", "-o", "a.xml", "-p", "simplify.max_error="), "R2S022"),
        (("scan.ply", "-o", "a.xml", "--budget", "=1mm"), "R2S022"),
        (("scan.ply", "-o", "a.xml", "--budget", "simplify"), "R2S022"),
        (("scan.ply", "-o", "a.xml", "--limit", "0s"), "R2S023"),
        (("scan.ply", "-o", "a.xml", "--limit", "5 parsecs"), "R2S023"),
        (("cache", "prune"), "R2S026"),
    ],
)
def test_words_that_say_nothing_are_refused(asked: list[driver.Request], words: tuple[str, ...], code: str) -> None:
    made = invoked(*words)
    assert isinstance(made.exception, UsageError)
    assert made.exception.code == code
    assert not asked


def test_no_output_is_needed_to_stop_early(asked: list[driver.Request]) -> None:
    assert invoked("scan.ply", "--stop-after", "surface").exception is None
    assert asked[-1].output is None


def test_what_is_printed_where(asked: list[driver.Request]) -> None:
    plain, quiet, machine = (invoked("s.ply", "-o", "o/p.xml", *more) for more in ((), ("-q",), ("--json",)))
    assert plain.stdout == "wrote o/p.xml\n"
    assert quiet.stdout == ""
    assert json.loads(machine.stdout)["report"] == {"name": "told"}
    assert quiet.stderr == "warning: told [R2S305]\n"
    assert {made.stderr for made in (plain, machine)} == {"note: aside [R2S306]\n" + quiet.stderr}


def test_a_failed_verdict_is_raised_after_the_summary(
    asked: list[driver.Request], monkeypatch: pytest.MonkeyPatch
) -> None:
    failure = OverBudgetError("R2S641", "lost")
    monkeypatch.setattr(driver, "run", lambda *_: driver.Build({}, (), (), None, failure))
    made = invoked("s.ply", "-o", "p.xml")
    assert made.exception is failure
    assert made.stdout == "wrote \n"


@pytest.mark.parametrize(
    ("words", "build"),
    [
        (["passes"], False),
        (["-q", "passes"], True),
        (["scan.ply", "passes"], True),
        (["./passes"], True),
        (["--unit"], True),
        (["--help"], False),
        (["-h"], False),
        (["--version"], False),
        ([], False),
    ],
)
def test_build_is_the_default_command(words: list[str], build: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[str]] = []
    monkeypatch.setattr(click.Group, "parse_args", lambda self, ctx, args: seen.append(args) or [])
    assert isinstance(command.cli, command.DefaultGroup)
    command.cli.parse_args(click.Context(command.cli), list(words))
    assert seen == [["build", *words] if build else words]


@pytest.mark.parametrize(
    ("ending", "status", "says"),
    [
        (3, 3, ""),
        (None, 0, ""),
        (UsageError("R2S021", "a", hint="b"), 2, "error: a; b [R2S021]"),
        (InvalidInputError("R2S805", "a"), 3, "error: a [R2S805]"),
        (OverBudgetError("R2S641", "a"), 4, "error: a [R2S641]"),
        (CalipersDisagreeError("R2S642", "a"), 6, "error: a [R2S642]"),
        (click.exceptions.Exit(5), 5, ""),
        (click.Abort(), 130, "error: interrupted"),
        (KeyboardInterrupt(), 130, "error: interrupted"),
        (click.UsageError("what?"), 2, "error: what?; see --help [R2S020]"),
        (BrokenPipeError(), 0, ""),
        (OSError(28, "No space left on device"), 3, "No space left on device"),
        (MemoryError(), 70, "[R2S906]"),
        (ZeroDivisionError("a\n b"), 70, "error: this is a bug of r2s: ZeroDivisionError: a b (test_commands.py:"),
    ],
)
def test_every_ending_has_its_exit_code(
    ending: Any, status: int, says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(**_: object) -> Any:
        if isinstance(ending, BaseException):
            raise ending
        return ending

    monkeypatch.setattr(sys, "argv", ["r2s-compile", "x"])
    monkeypatch.delenv("R2S_DEBUG", raising=False)
    monkeypatch.setattr(command.cli, "main", run)
    with pytest.raises(SystemExit) as ended:
        command.main()
    printed = capsys.readouterr()
    assert ended.value.code == status
    assert printed.out == ""
    assert says in printed.err
    assert printed.err.count("\n") == bool(says)


def test_a_bug_shows_its_traceback_on_request(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(**_: object) -> None:
        raise ZeroDivisionError("nothing")

    monkeypatch.setenv("R2S_DEBUG", "1")
    monkeypatch.setattr(command.cli, "main", run)
    with pytest.raises(SystemExit):
        command.main()
    assert "Traceback" in capsys.readouterr().err


def test_the_passes_are_described_from_their_fields() -> None:
    listed, one = (json.loads(invoked("passes", *words).stdout) for words in (("--json",), ("simplify", "--json")))
    assert [(p["name"], p["from"], p["to"]) for p in listed if p["name"] != "settle"][:3] == [
        ("ingest", "Source", "Scan"),
        ("surface", "Scan", "Surface"),
        ("simplify", "Surface", "Surface"),
    ]
    (simplify,) = one
    assert simplify == next(p for p in listed if p["name"] == "simplify")
    assert {"max_error", "prior_u"} & {o["name"] for o in simplify["options"]} == {"max_error"}
    assert simplify["does"] == simplify["text"].splitlines()[0]
    (error,) = (o for o in simplify["options"] if o["name"] == "max_error")
    assert error["type"].startswith("float")
    assert "0.0" in error["default"]


def test_the_passes_are_listed_for_people() -> None:
    every, one = invoked("passes").stdout, invoked("passes", "simplify").stdout
    assert every.startswith("default pipeline: ingest | surface | simplify | decompose | scale | emit\n\n")
    assert every.endswith("set an option with -p pass.option=value; r2s-compile passes NAME says more\n")
    assert "simplify  Surface -> Surface  (version " in every
    assert "ingest  " not in one
    assert len(one.splitlines()) > 5
    assert "    max_error: float" in one


def test_every_code_can_be_explained() -> None:
    for name, code in catalogue().items():
        said = invoked("explain", name.lower()).stdout
        assert said.startswith(f"{name}: {code.title}")
        assert code.meaning in said
        assert f"What to do: {code.remedy}" in said
    unknown = invoked("explain", "R2S99")
    assert isinstance(unknown.exception, R2SError)
    assert unknown.exception.code == "R2S025"


DAY = 86400


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A cache of four files of 1, 2, 4 and 8 MB, last used 40, 30, 20 and 0 days ago."""
    root = tmp_path / "cache"
    now = os.stat(tmp_path).st_mtime
    for number, (kind, days) in enumerate((("actions", 40), ("objects", 30), ("objects", 20), ("actions", 0))):
        path = root / kind / "ab" / f"file{number}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(2**number * 10**6))
        os.utime(path, (now - days * DAY, now - days * DAY))
    return root


def test_the_cache_is_counted(store: Path) -> None:
    assert invoked("cache", "list", "--cache", str(store)).stdout.splitlines() == [
        f"cache    {store}",
        "actions  2 files, 9.0 MB",
        "objects  2 files, 6.0 MB",
    ]


@pytest.mark.parametrize(
    ("words", "says", "left"),
    [
        (("--older-than", "25"), "removed 2 files, 3.0 MB", {2, 3}),
        (("--older-than", "100"), "removed 0 files, 0.0 MB", {0, 1, 2, 3}),
        (("--max-size", "12"), "removed 2 files, 3.0 MB", {2, 3}),
        (("--max-size", "14"), "removed 1 files, 1.0 MB", {1, 2, 3}),
        (("--max-size", "13", "--older-than", "35"), "removed 2 files, 3.0 MB", {2, 3}),
        (("--max-size", "0"), "removed 4 files, 15.0 MB", set()),
        (("--all",), "removed 4 files, 15.0 MB", set()),
    ],
)
def test_the_cache_is_pruned_from_the_oldest(store: Path, words: tuple[str, ...], says: str, left: set[int]) -> None:
    assert invoked("cache", "prune", "--cache", str(store), *words).stdout.strip() == says
    assert {int(path.name[-1]) for path in store.rglob("file*")} == left


def test_the_cache_of_the_environment_is_meant(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("R2S_CACHE", str(store))
    assert invoked("cache", "list").stdout.startswith(f"cache    {store}\n")


def test_progress_is_drawn_on_a_terminal_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawn(*, quiet: bool, terminal: bool) -> str:
        monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
        with shown(quiet=quiet) as observe:
            observe(Event("running", "surface", seconds=2.0))
            observe(Event("done", "surface", seconds=2.25))
            observe(Event("done", "ingest", hit=True, seconds=0.0))
            observe(Event("done", "settle", seconds=1.0))
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)

    assert drawn(quiet=False, terminal=False) == drawn(quiet=True, terminal=True) == ""
    lines = [line.strip() for line in drawn(quiet=False, terminal=True).splitlines() if "✓" in line]
    assert [" ".join(line.split("✓")[1].split()) for line in lines] == ["surface 2.2 s", "ingest from the store"]
