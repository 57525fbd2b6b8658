"""Every mutant of a file: a walk that knows what is not worth breaking."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mutation.mutant import Mutant
from mutation.operators import edits

PACKAGES = ("compiler", "passes")


def population(root: Path) -> dict[str, list[Mutant]]:
    """Return the mutants of every file of the packages below *root*, by relative path; files without any are absent."""
    found = {}
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            module = path.relative_to(root).as_posix()
            if mutants := mutants_of(module, path.read_bytes()):
                found[module] = mutants
    return found


def mutants_of(module: str, source: bytes) -> list[Mutant]:
    """Return the mutants of one file in the order of its text."""
    tree = ast.parse(source)
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    made: dict[str, Mutant] = {}
    for node, operator, after, where in _walk(tree, _Where()):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        before = source[start:end].decode()
        mutant = Mutant(
            module, node.lineno, node.col_offset, operator, before, after, start, end, where.lines, where.scope
        )
        made.setdefault(mutant.name, mutant)
    return sorted(made.values(), key=lambda m: (m.start, m.end, m.operator, m.after))


@dataclass(frozen=True)
class _Where:
    """What a node must know of its surroundings."""

    prefix: str = ""  # of the names defined here
    scope: str = ""  # the function whose code this is
    returns: str = ""  # its return annotation
    lines: tuple[int, ...] = ()
    message: bool = False  # inside the making of an error or a diagnostic


_Found = tuple[ast.expr | ast.stmt, str, str, _Where]


def _walk(parent: ast.AST, where: _Where) -> Iterator[_Found]:
    for field, child in _children(parent):
        if _skipped(parent, field, child):
            continue
        here = _around(parent, field, child, where)
        if isinstance(child, ast.expr | ast.stmt):
            for operator, after in edits(child, parent, here.returns):
                if not here.message or operator == "text":
                    yield child, operator, after, here
        yield from _walk(child, here)


def _children(parent: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    for field, value in ast.iter_fields(parent):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield field, child


def _skipped(parent: ast.AST, field: str, child: ast.AST) -> bool:
    """Tell whether *child* is something whose change nobody could see, or that is not this project's behaviour."""
    if field in {"annotation", "returns", "decorator_list", "type_params"}:
        return True
    match child:
        case ast.Expr(value=ast.Constant()) | ast.JoinedStr() | ast.Assert() | ast.Import() | ast.ImportFrom():
            return True  # docstrings and messages; an assert tells the type checker something
        case ast.Assign(targets=[ast.Name(id="__all__" | "SCHEMA")]):
            return True
        case ast.AnnAssign(target=ast.Name(id="version")) | ast.Assign(targets=[ast.Name(id="version")]):
            return True  # raised by hand: any number is as good
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))) | ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Subscript(value=ast.Name(id="Literal" | "ClassVar" | "Callable")):
            return True  # a type that has a name
    return isinstance(parent, ast.Call) and field == "args" and _called(parent) == "cast" and child is parent.args[0]


def _around(parent: ast.AST, field: str, child: ast.AST, where: _Where) -> _Where:
    """Return what holds for *child*, given *where* its parent stands."""
    match parent:
        case ast.ClassDef(name=name) if field == "body":
            where = replace(where, prefix=f"{where.prefix}{name}.")
        case ast.FunctionDef(name=name) if field == "body":
            returns = ast.unparse(parent.returns) if parent.returns else ""
            where = replace(where, prefix=f"{where.prefix}{name}.", scope=where.prefix + name, returns=returns)
        case ast.Lambda() if field == "body":
            where = replace(where, scope=where.scope or f"{where.prefix}<lambda>")
        case ast.Call() if _called(parent) == "Diagnostic" or _called(parent).endswith("Error"):
            where = replace(where, message=True)
    # a block's header stands for itself, any other expression for its whole statement
    if isinstance(child, ast.stmt) or (isinstance(child, ast.expr) and _is_header(parent)):
        where = replace(where, lines=tuple(range(child.lineno, (child.end_lineno or child.lineno) + 1)))
    return where


def _is_header(parent: ast.AST) -> bool:
    """Tell whether the expressions of *parent* stand before a block."""
    return isinstance(parent, ast.withitem) or (isinstance(parent, ast.stmt) and hasattr(parent, "body"))


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
