"""
The contract of a pass, and what it gives back.

A pass is a frozen dataclass: its fields are its options, and they are the whole of its state.
``run`` is a pure function of its argument and those options, so equal inputs give equal outputs and the store may
answer in its place.  The value is valid before and after (``verify``).  Raise *version* when the output for the same
input changes.  *libraries* names the distributions whose version can change the output; they enter the action key.
"""

from __future__ import annotations

import dataclasses
import typing
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from r2s.compiler.errors import Diagnostic, InternalError
from r2s.compiler.ledger import Term

In = TypeVar("In", contravariant=True)
Out = TypeVar("Out", covariant=True)


@dataclass(frozen=True)
class Outcome(Generic[Out]):
    """What a pass made, the error it measured while making it, and what the user should know."""

    value: Out
    terms: tuple[Term, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()


class Pass(Protocol[In, Out]):
    """A pure step from one value to the next; see the module for the rules."""

    name: ClassVar[str]
    version: ClassVar[int]
    libraries: ClassVar[tuple[str, ...]]

    def run(self, source: In, /) -> Outcome[Out]:
        """Return the next value with its terms; raise a child of R2SError where that is impossible."""
        ...


def ends(cls: type) -> tuple[type, type]:
    """
    Return the input and output type of a pass class, read from the hints of ``run``.

    Raises InternalError for a class that is no frozen dataclass, or whose run does not say what it takes and gives.
    """
    if not (dataclasses.is_dataclass(cls) and cls.__dataclass_params__.frozen):  # type: ignore[attr-defined]  # not in the stubs
        raise InternalError("R2S902", f"pass {cls.__name__} is no frozen dataclass", hint="see docs/add-a-pass.md")
    try:
        hints = typing.get_type_hints(cls.run)  # type: ignore[attr-defined]  # asked for right here
        result = hints.pop("return")
        (source,) = hints.values()
        (value,) = typing.get_args(result)
    except (AttributeError, KeyError, NameError, TypeError, ValueError):
        what = f"pass {cls.__name__} has no run(self, source: In, /) -> Outcome[Out] with both types named"
        raise InternalError("R2S902", what, hint="see docs/add-a-pass.md") from None
    return source, value


def options_of(step: Any) -> dict[str, object]:
    """Return the options of a pass as a plain dict, in the order of its fields."""
    return {f.name: getattr(step, f.name) for f in dataclasses.fields(step)}
