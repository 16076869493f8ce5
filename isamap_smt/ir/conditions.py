"""Relations between numbers: a compiled kernel's checks of its sizes, and an instruction's demands on addresses.

    J % 8 == 0      J*K % 4 == 0      J >= 16

A proof takes the relation for granted and each call tests the same one; its text is made from it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.expr import FloorDiv, FloorMod, evaluate, sym, symbols_of, words

_COMPARE: dict[type[ast.cmpop], str] = {ast.Eq: "==", ast.LtE: "<=", ast.GtE: ">=", ast.Lt: "<", ast.Gt: ">"}
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: FloorDiv,
    ast.Mod: FloorMod,
}


@dataclass(frozen=True)
class Condition:
    """left <op> right, over names known to the caller.

    Raises LanguageError unless `op` is ==, <=, >=, < or >, and if a side is text.
    """

    left: Any
    op: str
    right: Any

    def __post_init__(self) -> None:
        if self.op not in _COMPARE.values():
            raise LanguageError(f"a condition compares by {', '.join(_COMPARE.values())}, not by {self.op!r}")
        for name, side in (("left", self.left), ("right", self.right)):
            try:
                object.__setattr__(self, name, sp.sympify(side, strict=True))
            except sp.SympifyError:
                raise LanguageError(f"a condition compares expressions, and {side!r} is none") from None

    @property
    def text(self) -> str:
        """As it is shown and written."""
        return f"{_side(self.left)} {self.op} {_side(self.right)}"

    @property
    def testable(self) -> bool:
        """Whether each side is made of whole numbers, names, + - * and // % by positive numbers, as code can test it."""
        return _plain(self.left) and _plain(self.right)

    @property
    def divides(self) -> tuple[Any, int] | None:
        """(e, n) of the condition e % n == 0, with a number n >= 1."""
        if self.op != "==" or self.right != 0 or not isinstance(self.left, FloorMod):
            return None
        e, n = self.left.args
        return (e, int(n)) if n.is_Integer and n > 0 else None

    @property
    def names(self) -> frozenset[str]:
        """The names it speaks of."""
        return frozenset(symbols_of([self.left, self.right]))

    @property
    def formula(self) -> tuple[Any, ...]:
        """As the encodings take it."""
        match self.op:
            case "==":
                return ("eq", self.left, self.right)
            case "<=" | "<":
                return ("le" if self.op == "<=" else "lt", self.left, self.right)
        return ("le" if self.op == ">=" else "lt", self.right, self.left)

    def holds(self, values: Mapping[str, int]) -> bool:
        """Whether it holds at these values of all its names."""
        left, right = int(evaluate(self.left, values)), int(evaluate(self.right, values))
        return {"==": left == right, "<=": left <= right, ">=": left >= right, "<": left < right, ">": left > right}[
            self.op
        ]


def parse_condition(text: str, calls: dict[str, Any] | None = None) -> Condition | None:
    """The relation in the text between whole numbers and names with + - * // %; None if it is no relation.

    calls: the value of each call `name(m)`, such as the row length of an operand.
    """
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or type(node.ops[0]) not in _COMPARE:
        return None
    left, right = expression(node.left, calls), expression(node.comparators[0], calls)
    if left is None or right is None:
        return None
    return Condition(left, _COMPARE[type(node.ops[0])], right)


def parse_expression(text: str) -> Any:
    """The number given by the text over names with + - * // %; None if it is none."""
    try:
        return expression(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError):
        return None


def expression(node: ast.expr, calls: dict[str, Any] | None = None) -> Any:
    """The number given by the node over names, with + - * // % and known calls; None for any other node."""
    match node:
        case ast.Constant(value=value) if type(value) is int:
            return sp.Integer(value)
        case ast.Name(id=name):
            return sym(name)
        case ast.Call() if calls and ast.unparse(node) in calls:
            return sp.sympify(calls[ast.unparse(node)])
        case ast.UnaryOp(op=ast.USub(), operand=x):
            inner = expression(x, calls)
            return None if inner is None else -inner
        case ast.BinOp(left=a, op=op, right=b) if type(op) in _BINARY:
            x, y = expression(a, calls), expression(b, calls)
            if x is None or y is None:
                return None
            if isinstance(op, ast.FloorDiv | ast.Mod) and not (y.is_Integer and y > 0):
                return None
            return _BINARY[type(op)](x, y)
    return None


def _side(e: Any) -> str:
    """One side; a dividend that is a product needs no brackets on the left of `%`."""
    if isinstance(e, FloorMod):
        body, by = map(words, e.args)
        return f"({body}) % {by}" if e.args[0].is_Add else f"{body} % {by}"
    return words(e)


def _plain(e: Any) -> bool:
    match sp.sympify(e):
        case sp.Integer() | sp.Symbol():
            return True
        case sp.Add(args=parts) | sp.Mul(args=parts):
            return all(map(_plain, parts))
        case FloorDiv(args=(a, by)) | FloorMod(args=(a, by)):
            return _plain(a) and bool(by.is_Integer and by > 0)
    return False


__all__ = ["Condition", "expression", "parse_condition", "parse_expression"]
