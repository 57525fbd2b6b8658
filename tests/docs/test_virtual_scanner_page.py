"""Every example of docs/virtual-scanner.md runs."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest
from tests_support import ROOT

from r2s.virtual_scanner.command import main
from r2s.virtual_scanner.presets import PRESETS
from r2s.virtual_scanner.recipes import RECIPES

PAGE = (ROOT / "docs" / "virtual-scanner.md").read_text()
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
BLOCKS = [text for language, text in FENCED.findall(PAGE) if language == "python"]
COMMANDS = [line for language, text in FENCED.findall(PAGE) if language == "sh" for line in text.splitlines()]


@pytest.mark.slow
def test_python_examples_run() -> None:
    """One after the other, as they are read: later ones use what earlier ones imported."""
    assert len(BLOCKS) >= 4
    # A dataclass looks its module up by name.
    module = type(sys)("page")
    sys.modules["page"] = module
    try:
        for block in BLOCKS:
            exec(compile(block, "docs/virtual-scanner.md", "exec"), module.__dict__)
    finally:
        del sys.modules["page"]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    python, module, name, *words = shlex.split(command)
    assert (python, module, name) == ("python", "-m", "r2s.virtual_scanner")
    assert main(words) == 0
    assert (tmp_path / words[words.index("-o") + 1] / "truth.json").exists()


def test_the_help_shows_the_same_commands(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    assert COMMANDS
    for command in COMMANDS:
        assert command in shown


def test_presets_and_fixtures_are_told() -> None:
    readme = (ROOT / "fixtures" / "README.md").read_text()
    for name, preset in PRESETS.items():
        (row,) = [line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |")]
        noise = preset.noise
        assert f"{noise.sigma * 1e3:g} mm at {noise.reference:g} m" in row
        assert f"{noise.max_incidence:g}°" in row
        assert f"{noise.registration * 1e3:g} mm" in row
        assert f"{noise.step * 1e3:g} mm" in row or (not noise.step and "none" in row)
    for name in RECIPES:
        assert f"| `{name}` |" in readme
