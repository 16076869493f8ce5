"""Conditions on sizes and addresses that a compiled kernel checks at entry, as text among a program's assumptions.

    J % 8 == 0      J*K % 4 == 0      J >= 16      A starts at a multiple of 32 bytes

The same text is what the proof takes for granted and what each call tests, so neither can mean something else.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import FloorDiv, FloorMod, evaluate, sym, symbols_of

_START = re.compile(r"(\w+) starts at a multiple of (\d+) bytes\Z")
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
    """left <op> right, over names that the caller knows."""

    text: str
    left: Any
    op: str
    right: Any

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
    """The relation that the text says between whole numbers and names with + - * // %; None when it is no relation.

    calls: `name(m)` -> what it stands for, such as the row length of an operand.
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
    return Condition(text.strip(), left, _COMPARE[type(node.ops[0])], right)


def parse_expression(text: str) -> Any:
    """The number that the text says over names with + - * // %; None when it is none."""
    try:
        return expression(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError):
        return None


def expression(node: ast.expr, calls: dict[str, Any] | None = None) -> Any:
    """The number that it says over names, with + - * // % and calls that are known; None where it says something else."""
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


def start_condition(tensor: str, multiple: int) -> str:
    """The text that a tensor's first element lies at a multiple of so many bytes."""
    return f"{tensor} starts at a multiple of {multiple} bytes"


def parse_start(text: str) -> tuple[str, int] | None:
    """(tensor, bytes) of such a text."""
    found = _START.match(text)
    return (found[1], int(found[2])) if found else None


__all__ = ["Condition", "expression", "parse_condition", "parse_expression", "parse_start", "start_condition"]
