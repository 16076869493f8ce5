"""Assumed values of inputs, as text: `A <= 127`, `-64 <= B <= 64`, `abs(B) <= 64`. Read with the language's own parser."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from isamap_smt.ir.errors import LanguageError, RangeError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.language.lines import Tree, parse_expression
from isamap_smt.language.source import Segment, Source

_HINT = "write `A <= 127`, `-64 <= B <= 64` or `abs(B) <= 64`"
# x op y with x a tensor: (is y a lower bound, is y an upper bound, what to add to y)
_BOUNDS = {
    ast.LtE: (False, True, 0),
    ast.Lt: (False, True, -1),
    ast.GtE: (True, False, 0),
    ast.Gt: (True, False, 1),
    ast.Eq: (True, True, 0),
}
_MIRRORED = {ast.LtE: ast.GtE, ast.Lt: ast.Gt, ast.GtE: ast.LtE, ast.Gt: ast.Lt, ast.Eq: ast.Eq}


def assume(kernel: Kernel, ranges: Iterable[str]) -> Kernel:
    """The kernel with these values of its inputs taken for granted: hypotheses of proofs, checked at every call.

    Each text compares one integer input with whole numbers; a bound left out is the element type's own. Raises
    LanguageError for other text, UnknownNameError, DTypeError and RangeError as Kernel.with_ranges does.

    >>> import isamap_smt as im
    >>> k = im.find_kernel("gemm").with_dtypes({"A": "u8", "B": "i8", "C": "i32"})
    >>> assume(k, ["A <= 127", "-64 <= B < 64"]).ranges
    (('A', 0, 127), ('B', -64, 63))
    """
    for text in ranges:
        try:
            kernel = assume_line(kernel, Segment(Source(text), text, tuple(range(len(text)))).cut(0))
        except LanguageError as error:
            error.args = (f"assume {text!r}: {error}",)  # a line and a column of it say little alone
            raise
    return kernel


def assume_line(kernel: Kernel, line: Segment) -> Kernel:
    """assume() for one range in a piece of text. Raises the same."""
    for name, low, high in _bounds(line):
        if name not in kernel.inputs or kernel.tensor(name).dtype.is_float:
            kernel = kernel.with_ranges({name: (0, 0)})  # raises: it says what is wrong with the name
        d = kernel.tensor(name).dtype
        kernel = kernel.with_ranges({name: (d.low if low is None else low, d.high if high is None else high)})
    return kernel


def _bounds(segment: Segment) -> list[tuple[str, int | None, int | None]]:
    """(tensor, low, high) for each comparison of the text; None where it sets no bound."""
    tree = parse_expression(segment)
    node = tree.node
    parts = node.values if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) else [node]
    found: list[tuple[str, int | None, int | None]] = []
    for part in parts:
        if not isinstance(part, ast.Compare):
            raise tree.error(part, "this is no range of values", _HINT)
        sides = [part.left, *part.comparators]
        for left, op, right in zip(sides, part.ops, sides[1:], strict=False):
            found += _comparison(tree, left, type(op), right)
    names = {name for name, _, _ in found}
    if len(names) != 1:
        raise RangeError(f"{segment.text!r} speaks of {' and '.join(sorted(names))}: give one range for each")
    return found


def _comparison(
    tree: Tree, left: ast.expr, op: type[ast.cmpop], right: ast.expr
) -> list[tuple[str, int | None, int | None]]:
    """The bounds that `left op right` sets, one side being a tensor (or its absolute value), the other a number."""
    if op not in _BOUNDS:
        raise tree.error(left, "a range compares with <=, <, >=, > or ==", _HINT)
    value = _number(right)
    subject = left
    if value is None:
        value, subject, op = _number(left), right, _MIRRORED[op]
    if value is None:
        raise tree.error(right, "one side of the comparison must be a whole number", _HINT)
    below, above, step = _BOUNDS[op]
    low, high = (value + step if below else None), (value + step if above else None)
    match subject:
        case ast.Name(id=name):
            return [(name, low, high)]
        case ast.Call(func=ast.Name(id="abs"), args=[ast.Name(id=name)], keywords=[]) if above and not below:
            assert high is not None
            return [(name, -high, high)]
        case ast.Subscript(value=ast.Name(id=name)):
            raise tree.error(subject, "a range holds for every element", f"write the tensor alone: {name}")
    raise tree.error(subject, "this is not the name of an input", _HINT)


def _number(node: ast.expr) -> int | None:
    """The whole number that a literal is, with its sign; None for anything else."""
    match node:
        case ast.Constant(value=value) if type(value) is int:
            return value
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            value = _number(inner)
            return None if value is None else -value
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _number(inner)
    return None
