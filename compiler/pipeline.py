"""
A pipeline of passes as a value and as text, which parse and print back to each other.

    ingest | surface{method=poisson} | simplify{max_error=0.2mm} | decompose | scale | emit

An option is a field of its pass; a length carries its unit (``max_error=0.2mm``) and prints in metres.  Fields marked
``given`` come from the caliper sheet, not from text.  Neighbours must meet: the output type of a pass is the input type
of the next, checked here and not after ten minutes of work.
"""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from r2s.compiler import catalog
from r2s.compiler.errors import UsageError
from r2s.compiler.protocol import ends
from r2s.compiler.suggest import did_you_mean

DEFAULT = "ingest | surface | simplify | decompose | scale | emit"
_STEP = re.compile(r"\s*(?P<name>[A-Za-z_][\w-]*)\s*(?:\{(?P<options>[^{}]*)\})?\s*")
_LARGEST = 10.0  # m; no scan is larger
_OPTION = re.compile(r"\s*(?P<key>[A-Za-z_]\w*)\s*=\s*(?P<value>\"[^\"]*\"|[^\s,\"{}|]+)\s*,?")


@dataclass(frozen=True)
class Pipeline:
    """Passes in the order they run; the first takes a Source."""

    steps: tuple[Any, ...]

    @classmethod
    def parse(cls, text: str) -> Pipeline:
        """Return the pipeline written as *text*; raise UsageError where a name, option, value or order is wrong."""
        steps = tuple(_parse_step(part) for part in text.split("|"))
        _check_ends(steps)
        return cls(steps)

    def __str__(self) -> str:
        return " | ".join(print_step(step) for step in self.steps)

    def names(self) -> tuple[str, ...]:
        """Names of the passes in order."""
        return tuple(step.name for step in self.steps)

    def with_options(self, changes: Iterable[tuple[str, str, str]]) -> Pipeline:
        """Return a pipeline with each (pass, field, text) set; raise UsageError if one is not there."""
        options: dict[str, dict[str, str]] = {}
        for name, key, value in changes:
            options.setdefault(name, {})[key] = value
        for name in options:
            if name not in self.names():
                raise UsageError("R2S003", f"pass {name!r} is not in this pipeline", hint=f"it runs {self}")
        return Pipeline(tuple(_set(step, options.get(step.name, {})) for step in self.steps))

    def given(self, values: Mapping[str, Mapping[str, object]]) -> Pipeline:
        """Return a pipeline whose passes hold the values that the sheet or the settling gave, by pass and field."""
        return Pipeline(
            tuple(
                dataclasses.replace(step, **{k: v for k, v in values.get(step.name, {}).items() if _has(step, k)})
                for step in self.steps
            )
        )

    def upto(self, name: str) -> Pipeline:
        """Return the steps up to and with *name*."""
        if name not in self.names():
            raise UsageError("R2S003", f"pass {name!r} is not in this pipeline", hint=f"it runs {self}")
        return Pipeline(self.steps[: self.names().index(name) + 1])


def print_step(step: Any) -> str:
    """Return ``name{field=value ...}`` with the fields that differ from their defaults."""
    pairs = []
    for f in text_fields(step):
        value = getattr(step, f.name)
        if value != f.default:
            pairs.append(f"{f.name}={_print(value)}{f.metadata.get('unit', '')}")
    return str(step.name) + (f"{{{' '.join(pairs)}}}" if pairs else "")


def text_fields(step: Any) -> tuple[dataclasses.Field[Any], ...]:
    """Return the fields of a pass (or its class) that text can set."""
    return tuple(f for f in dataclasses.fields(step) if not f.metadata.get("given"))


def _parse_step(text: str) -> Any:
    match = _STEP.fullmatch(text)
    if match is None:
        raise UsageError("R2S004", f"cannot read {text.strip()!r} as a pass", hint="write name{option=value ...}")
    cls = catalog.load(match["name"])
    options, rest = {}, match["options"] or ""
    while rest.strip():
        pair = _OPTION.match(rest)
        if pair is None:
            raise UsageError("R2S004", f"cannot read {rest.strip()!r} in {match['name']}", hint="write option=value")
        options[pair["key"]] = pair["value"].strip('"')
        rest = rest[pair.end() :]
    return _set(cls(), options)


def _set(step: Any, options: Mapping[str, str]) -> Any:
    if not options:
        return step
    fields = {f.name: f for f in text_fields(step)}
    hints = typing.get_type_hints(type(step))
    changes: dict[str, object] = {}
    for key, text in options.items():
        if key not in fields:
            raise UsageError(
                "R2S005",
                f"pass {step.name} has no option {key!r}",
                hint=did_you_mean(key, fields) or f"it has {', '.join(fields) or 'none'}",
            )
        if fields[key].metadata.get("unit") == "m":
            changes[key] = _read_length(text, f"{step.name}.{key}")
        else:
            changes[key] = _read(text, hints[key], f"{step.name}.{key}")
    return dataclasses.replace(step, **changes)


def _read_length(text: str, where: str) -> float:
    from r2s.compiler.units import parse_length

    value = 0.0 if text == "0" else parse_length(text, what=where)
    if not 0 <= value <= _LARGEST:
        raise UsageError(
            "R2S006", f"{where} is {text}, which is no error of a part", hint="write a length such as 0.5mm"
        )
    return value


def _read(text: str, hint: Any, where: str) -> object:
    if hint is bool:
        if text.lower() in ("true", "false"):
            return text.lower() == "true"
        raise UsageError("R2S006", f"{where} is true or false, not {text!r}")
    if hint is int:
        try:
            return int(text)
        except ValueError:
            raise UsageError("R2S006", f"{where} is a whole number, not {text!r}") from None
    if hint is float:
        try:
            value = float(text)
        except ValueError:
            from r2s.compiler.units import parse_length

            return parse_length(text)
        if value != value or value in (float("inf"), float("-inf")):
            raise UsageError("R2S006", f"{where} must be finite, not {text!r}")
        return value
    return text


def _print(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and not re.fullmatch(r"[^\s,\"{}|]+", value):
        return f'"{value}"'
    return repr(value) if isinstance(value, float) else str(value)


def _has(step: Any, name: str) -> bool:
    return any(f.name == name for f in dataclasses.fields(step))


def _check_ends(steps: tuple[Any, ...]) -> None:
    from r2s.compiler.ir import Source

    made: type = Source
    before = "the scan file"
    for step in steps:
        wants, makes = ends(type(step))
        if wants is not made:
            raise UsageError(
                "R2S007",
                f"{before} makes {made.__name__}, but {step.name} wants {wants.__name__}",
                hint=f"the usual order is {DEFAULT}",
            )
        made, before = makes, step.name
