"""
Everything r2s says when something is wrong: one tree of errors, and diagnostics that do not stop a build.

Each class of error has its own exit code.
A message is one line: what, by how much; the hint says what to do.
The code (``R2S101``) is explained by ``r2s-compile explain R2S101``; the texts live in :mod:`r2s.compiler.codes`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

Severity = Literal["note", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One line for the user that goes to stderr and into the report's ``diagnostics``."""

    severity: Severity
    code: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        hint = f"; {self.hint}" if self.hint else ""
        return f"{self.severity}: {self.message}{hint} [{self.code}]"


class R2SError(Exception):
    """
    The root of the tree; catch this to catch all that r2s raises on purpose.

    *code* is a key of the catalogue, *message* says what and by how much, *hint* what to do about it.
    """

    exit_code: ClassVar[int] = 70

    def __init__(self, code: str, message: str, *, hint: str = "") -> None:
        super().__init__(code, message, hint)
        self.code = code
        self.message = " ".join(message.split())
        self.hint = " ".join(hint.split())

    @property
    def diagnostic(self) -> Diagnostic:
        """The same as a diagnostic of severity ``error``."""
        return Diagnostic("error", self.code, self.message, self.hint)

    def __str__(self) -> str:
        return str(self.diagnostic)


class UsageError(R2SError):
    """The command, an option or a pipeline makes no sense."""

    exit_code = 2


class InvalidInputError(R2SError, ValueError):
    """A scan, a caliper sheet or a value between passes cannot be used."""

    exit_code = 3


class PassFailedError(R2SError):
    """A pass broke, ran over its time or memory, or could not do its work on this input."""

    exit_code = 3


class OverBudgetError(R2SError):
    """A pass lost more than its budget allows."""

    exit_code = 4


class NotReproducibleError(R2SError):
    """One action key gave two outputs, or a rebuild differs."""

    exit_code = 5


class CalipersDisagreeError(R2SError):
    """A check reading says that the asset does not conform."""

    exit_code = 6


class SimulationError(R2SError):
    """MuJoCo does not do with the asset what it must."""

    exit_code = 7


class InternalError(R2SError):
    """A bug of r2s."""

    exit_code = 70


def error_class(name: str) -> type[R2SError]:
    """Return the class of the tree called *name*; the worker sends errors by name."""
    known: tuple[type[R2SError], ...] = (R2SError, *_descendants(R2SError))
    return {c.__name__: c for c in known}.get(name, InternalError)


def _descendants(cls: type[R2SError]) -> tuple[type[R2SError], ...]:
    return tuple(d for c in cls.__subclasses__() for d in (c, *_descendants(c)))
