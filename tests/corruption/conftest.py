"""A folder with the good brick in it, and the command line run there, worker and all, in this process."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from corruptions import SHEET, Ended, brick, write_obj

from r2s.compiler import manager
from r2s.compiler.cli import main
from r2s.compiler.errors import error_class
from r2s.compiler.serve import Server
from r2s.compiler.worker import Limits

Command = Callable[..., Ended]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for all: what a corruption does not reach is not made again."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def place(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder with brick.obj and brick.yaml."""
    write_obj(tmp_path / "brick.obj", *brick())
    (tmp_path / "brick.yaml").write_text(SHEET)
    monkeypatch.chdir(tmp_path)
    shutil.rmtree(cache / "checks", ignore_errors=True)  # what another test asked of the same check is not this one's
    monkeypatch.setenv("R2S_CACHE", str(cache))
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


class WorkerHere:
    """
    The worker's work without its process: what is under test is what the compiler says, not how it is contained.

    Libraries load once for all tests of a file, so a whole build takes a second.
    """

    def __init__(self, root: Path, limits: Limits) -> None:
        self._server = Server(root)

    def run(self, name: str, request: dict[str, Any], tick: Callable[[float], None] | None = None) -> dict[str, Any]:
        """Answer as the worker does: through JSON, errors by name."""
        answer = json.loads(json.dumps(self._server.answer(json.loads(json.dumps(request)))))
        if "error" in answer:
            error = answer["error"]
            raise error_class(error["class"])(error["code"], error["message"], hint=error["hint"])
        return answer

    def close(self) -> None:
        """There is nothing to end."""


@pytest.fixture
def command(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run ``r2s-compile`` with these words in *place*: its real entry, so exit codes and lines are the user's."""

    monkeypatch.setattr(manager, "Worker", WorkerHere)

    def run(*words: str | Path) -> Ended:
        monkeypatch.setattr(sys, "argv", ["r2s-compile", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Ended(int(ended.value.code or 0), out, err)

    return run
