"""
The mistakes that are made on purpose: each operator turns one node of the syntax tree into others.

They are the usual ones (a boundary moved, a sign swapped, a guard dropped), chosen so that each mutant is a slip that a
person could make and that a careful test should notice.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_TWINS = (("min", "max"), ("minimum", "maximum"), ("argmin", "argmax"), ("any", "all"), ("floor", "ceil"))
_SWAPS = {a: b for pair in _TWINS for a, b in (pair, pair[::-1])}
_NEUTRAL = {"bool": "False", "int": "0", "float": "0.0", "str": "''", "tuple": "()", "list": "[]", "dict": "{}"}
_CODE = re.compile(r"R2S\d{3}")

Edit = tuple[str, str]  # the operator's name and the new text


def edits(node: ast.AST, parent: ast.AST, returns: str) -> Iterator[Edit]:
    """
    Yield the edits of *node* itself, not of what is below it.

    *returns* is the return annotation of the function around it: it tells which value is neutral.
    """
    match node:
        case ast.Compare():
            yield from _compared(node)
        case ast.BinOp() | ast.AugAssign() if type(node.op) in _ARITHMETIC and not _joins_text(node):
            yield "arithmetic", _with(node, op=_ARITHMETIC[type(node.op)]())
        case ast.UnaryOp(op=ast.USub()) if not isinstance(node.operand, ast.Constant):
            yield "arithmetic", _text(node.operand)
        case ast.UnaryOp(op=ast.Not()):
            yield "negation", _text(node.operand)
        case ast.BoolOp():
            yield "boolean", _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        case ast.Constant():
            yield from _constant(node, parent)
        case ast.Name(id=name, ctx=ast.Load()) if name in _SWAPS and isinstance(parent, ast.Call):
            yield "swap", _SWAPS[name]
        case ast.Attribute(attr=name, ctx=ast.Load()) if name in _SWAPS and isinstance(parent, ast.Call):
            yield "swap", _with(node, attr=_SWAPS[name])
        case ast.Return(value=ast.expr()):
            yield from _returned(node, returns)
        case ast.Expr(value=ast.Call()) | ast.Raise() | ast.AugAssign():
            yield "deletion", "pass"
        case ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
            yield "deletion", "pass"
        case ast.Continue() | ast.Break():
            yield "deletion", "pass"
    if isinstance(node, ast.AugAssign) and type(node.op) in _ARITHMETIC:
        yield "deletion", "pass"
    if isinstance(parent, ast.If | ast.IfExp | ast.While) and node is parent.test and not _is_not(node):
        yield "condition", _text(ast.UnaryOp(ast.Not(), node))
    if isinstance(parent, ast.comprehension) and node in parent.ifs and not _is_not(node):
        yield "condition", _text(ast.UnaryOp(ast.Not(), node))


def _compared(node: ast.Compare) -> Iterator[Edit]:
    for place, operator in enumerate(node.ops):
        swapped = list(node.ops)
        swapped[place] = _COMPARISONS[type(operator)]()
        yield "comparison", _with(node, ops=swapped)


def _constant(node: ast.Constant, parent: ast.AST) -> Iterator[Edit]:
    value = node.value
    if isinstance(value, bool):
        yield "constant", str(not value)
    elif isinstance(value, int):
        yield "index" if isinstance(parent, ast.Subscript | ast.Slice) else "constant", str(value + 1)
    elif isinstance(value, float):
        yield "constant", repr(value * 1.5 if value else 1.0)
    elif isinstance(value, str) and value and (_CODE.fullmatch(value) or _decides(node, parent)):
        yield "text", repr(value + "X")


def _decides(node: ast.Constant, parent: ast.AST) -> bool:
    """Tell whether a text is a key or is compared with: all other text is for people."""
    match parent:
        case ast.Compare():
            return True
        case ast.Subscript():
            return node is parent.slice
        case ast.Dict():
            return node in parent.keys
        case ast.MatchValue():
            return True
        case ast.Tuple() | ast.Set():
            return False
    return False


def _returned(node: ast.Return, returns: str) -> Iterator[Edit]:
    neutral = _NEUTRAL.get(re.split(r"\W", returns, maxsplit=1)[0], "None")
    if node.value is not None and ast.unparse(node.value) not in {neutral, "''", "0", "None"}:
        yield "return", f"return {neutral}"


def _joins_text(node: ast.BinOp | ast.AugAssign) -> bool:
    """Tell whether one side is literally text, so that the swapped operator would only raise TypeError."""
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.value,)
    return any(isinstance(s, ast.JoinedStr) or isinstance(getattr(s, "value", None), str | bytes) for s in sides)


def _is_not(node: ast.AST) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _with(node: ast.AST, **changes: object) -> str:
    changed = copy.copy(node)
    for name, value in changes.items():
        setattr(changed, name, value)
    return _text(changed)


def _text(node: ast.AST) -> str:
    """Return the source of *node*, in brackets if it is an expression, so that its neighbours bind as before."""
    text = ast.unparse(node)
    return f"({text})" if isinstance(node, ast.expr) else text
