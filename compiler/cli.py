"""
The command ``r2s-compile``: a click group whose default command is ``build``.

Thin on purpose: it reads words into a Request, calls the driver, prints, and turns errors into one line and an exit
code.
Heavy imports stay inside the commands, so that ``--help`` answers at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from r2s.compiler import __version__
from r2s.compiler.errors import R2SError, UsageError

COMMANDS = {
    "build": "r2s.compiler.commands.build:build",
    "measure": "r2s.compiler.commands.measure:measure",
    "verify": "r2s.compiler.commands.verify:verify",
    "diff": "r2s.compiler.commands.diff:diff",
    "inject": "r2s.compiler.commands.inject:inject",
    "device-check": "r2s.compiler.commands.device_check:device_check",
    "passes": "r2s.compiler.commands.passes:passes",
    "explain": "r2s.compiler.commands.explain:explain",
    "cache": "r2s.compiler.commands.cache:cache",
}


class DefaultGroup(click.Group):
    """A group that runs ``build`` unless the first word names another command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """
        Insert ``build`` where the first word is no command;
        a file that is really called ``passes`` is written ``./passes``.
        """
        if args and args[0] not in (*COMMANDS, "--help", "-h", "--version"):
            _refuse_misspelt(args[0])
            args = ["build", *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        """Names in the order in which a user meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  # click's signature
        """Import and return one command."""
        if cmd_name not in COMMANDS:
            return None
        from importlib import import_module

        module, _, name = COMMANDS[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command


@click.group(cls=DefaultGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="r2s-compile")
def cli() -> None:
    """
    Compile a 3D scan and caliper readings into a MuJoCo asset with an error budget.

    \b
    The main job (build is the default command):
      r2s-compile scan.ply --calipers measurements.yaml -o build/cube.xml

    \b
    Around it:
      r2s-compile measure scan.ply --calipers measurements.yaml    # the virtual caliper alone
      r2s-compile verify build/cube.xml --rebuild                  # as built? and built again, equal?
      r2s-compile diff build/a.xml build/b.xml                     # what changed, and which pass first
      r2s-compile inject scan.ply --calipers measurements.yaml     # damage on purpose: which check sees it?
      r2s-compile device-check ball.ply --sphere 25.400mm          # how good is this scanner?

    \b
    Exit codes (diff: 0 the same, 1 differs, 2 or more trouble):
      0 done            2 usage             3 input cannot be used    4 over budget
      5 not reproducible   6 calipers disagree   7 simulation refuses   70 a bug of r2s   130 interrupted

    See r2s-compile build --help for the options of a build.
    """


def main() -> None:
    """Run the command line; every ending is an exit code and at most one line that begins with ``error``."""
    _open_streams()
    sys.exit(_exit_code(lambda: cli.main(standalone_mode=False)))


def _open_streams() -> None:
    """
    Give stdin, stdout and stderr that were closed at the start (``>&-``) to nothing.

    Else the next file opened would get their number, and whoever prints would write into it.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number free, which is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115  # lives as long as the process


def _exit_code(run: Callable[[], Any]) -> int:
    try:
        result = run()
        return result if isinstance(result, int) else 0
    except R2SError as error:
        return _say(str(error), error.exit_code)
    except click.exceptions.Exit as error:
        return int(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return _say("error: interrupted", 130)
    except click.exceptions.NoArgsIsHelpError as error:
        return _say(error.ctx.get_help() if error.ctx else "error: say what to compile; see --help [R2S020]", 2)
    except click.ClickException as error:
        return _say(str(UsageError("R2S020", error.format_message().rstrip("."), hint=_way_out(sys.argv[1:]))), 2)
    except BrokenPipeError:
        return 0  # the reader of stdout has seen enough
    except OSError as error:  # of files the compiler speaks itself
        what, hint = f"cannot print: {error.strerror or error}", "files that were to be written are in place"
        return _say(f"error: {what}; see where stdout and stderr go; {hint} [R2S809]", 3)
    except MemoryError:
        return _say("error: out of memory outside the worker [R2S906]", 70)
    except Exception as error:  # a traceback is a bug; this is the line it becomes
        import traceback

        if os.environ.get("R2S_DEBUG"):
            traceback.print_exc()
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(frame.filename).name}:{frame.lineno}"
        what = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        return _say(
            f"error: this is a bug of r2s: {what} ({where}); please report it, R2S_DEBUG=1 shows more [R2S900]", 70
        )


def _refuse_misspelt(word: str) -> None:
    """Raise UsageError where *word* is neither a file nor an option, and one letter or two from a command."""
    from r2s.compiler.suggest import did_you_mean

    meant = did_you_mean(word, COMMANDS)
    if meant and word.isalpha() and not Path(word).exists():
        raise UsageError("R2S020", f"no command and no file is called {word!r}", hint=meant)


def _way_out(words: list[str]) -> str:
    """Return what to do about *words* that click cannot read: a file's name may look like an option."""
    files = [word for word in words if word.startswith("-") and Path(word).is_file()]
    return f"a name that begins with a dash is written './{files[0]}'" if files else "see --help"


def _say(line: str, code: int) -> int:
    with suppress(OSError):
        click.echo(line, err=True)
    return code


if __name__ == "__main__":
    main()
