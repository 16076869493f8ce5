"""Assumed values of inputs, as text: `A <= 127`, `-64 <= B <= 64`, `abs(B) <= 64`. Read with the language's own parser."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from isamap_smt.ir.errors import LanguageError, RangeError, UnknownNameError, did_you_mean
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.kinds import KERNEL, require_kind
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


def assume(kernel: Kernel, ranges: str | Iterable[str]) -> Kernel:
    """The kernel with these values of its inputs taken for granted: hypotheses of proofs, checked at every call.

    One text is one range. Each compares one input with whole numbers, one of floating point with any; a bound left out is the
    element type's own. Raises LanguageError for other text, UnknownNameError, DTypeError and RangeError as Kernel.with_ranges does.

    >>> import isamap_smt as im
    >>> k = im.find_kernel("gemm").with_dtypes({"A": "u8", "B": "i8", "C": "i32"})
    >>> assume(k, ["A <= 127", "-64 <= B < 64"]).ranges
    (('A', 0, 127), ('B', -64, 63))
    """
    require_kind("assume", kernel, Kernel, KERNEL)
    for text in _texts(ranges):
        try:
            kernel = assume_line(kernel, Segment(Source(text), text, tuple(range(len(text)))).cut(0))
        except LanguageError as error:
            error.args = (f"assume {text!r}: {error}",)  # a line and a column of it say little alone
            raise
    return kernel


def _texts(assume: Any) -> list[str]:
    """Assumed ranges as a list; one text is one range. Raises RangeError for anything but text."""
    try:
        texts = [assume] if isinstance(assume, str) else list(assume)
    except TypeError:
        texts = [None]
    if not all(isinstance(t, str) for t in texts):
        raise RangeError(f"assume={assume!r}: pass ranges in text, such as ['A <= 127']")
    return texts


def assume_line(kernel: Kernel, line: Segment) -> Kernel:
    """assume() for one range in a piece of text. Raises the same."""
    for name, low, high in _bounds_of(kernel, line):
        if name not in kernel.inputs:
            kernel.with_ranges({name: (0, 0)})  # raises: it says what is wrong with the name
        least, most = kernel.tensor(name).dtype.ends
        kernel = kernel.with_ranges({name: (least if low is None else low, most if high is None else high)})
    return kernel


def _bounds_of(kernel: Kernel, line: Segment) -> list[tuple[str, Any, Any]]:
    """_bounds(), with any numbers for an input of floating point."""
    try:
        found = _bounds(line, _real)
    except LanguageError:
        return _bounds(line)  # raises, in its own words
    name = found[0][0]
    return found if name in kernel.inputs and kernel.tensor(name).dtype.is_float else _bounds(line)


def within(kernel: Kernel, ranges: Iterable[str]) -> dict[str, tuple[float, float]]:
    """The least and the greatest element of inputs, of any type, from texts such as `-4 <= x <= 4`, `abs(x) <= 0.5`.

    Nothing is assumed of the kernel. Raises LanguageError for other text, UnknownNameError for an unknown input,
    RangeError for a range without an end.

    >>> import isamap_smt as im
    >>> within(im.kernel("y[i] = x[i] * g[]", name="scaled"), ["-4 <= x <= 4", "g == 0.5"])
    {'x': (-4, 4), 'g': (0.5, 0.5)}
    """
    found: dict[str, tuple[float, float]] = {}
    for text in ranges:
        line = Segment(Source(text), text, tuple(range(len(text)))).cut(0)
        bounds = _bounds(line, _real)
        name = bounds[0][0]
        if name not in kernel.inputs:
            raise UnknownNameError(
                f"{text!r}: {kernel.name} has no input {name!r}; {did_you_mean(name, kernel.inputs)}"
            )
        low = max((b[1] for b in bounds if b[1] is not None), default=None)
        high = min((b[2] for b in bounds if b[2] is not None), default=None)
        if low is None or high is None:
            missing = "least" if low is None else "greatest"
            raise RangeError(
                f"{text!r} does not say the {missing} element of {name}; write such as `-4 <= {name} <= 4`"
            )
        found[name] = low, high
    return found


def _bounds(segment: Segment, number: Callable[[ast.expr], Any] | None = None) -> list[tuple[str, Any, Any]]:
    """(tensor, low, high) for each comparison of the text; None for a missing bound.

    number: reads a literal, by default whole ones; for others `<` is taken for `<=`.
    """
    tree = parse_expression(segment)
    node = tree.node
    parts = node.values if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) else [node]
    found: list[tuple[str, Any, Any]] = []
    for part in parts:
        if not isinstance(part, ast.Compare):
            raise tree.error(part, "this is no range of values", _HINT)
        sides = [part.left, *part.comparators]
        for left, op, right in zip(sides, part.ops, sides[1:], strict=False):
            found += _comparison(tree, left, type(op), right, number or _number)
    names = {name for name, _, _ in found}
    if len(names) != 1:
        raise RangeError(f"{segment.text!r} speaks of {' and '.join(sorted(names))}: give one range for each")
    return found


def _comparison(
    tree: Tree, left: ast.expr, op: type[ast.cmpop], right: ast.expr, number: Callable[[ast.expr], Any]
) -> list[tuple[str, Any, Any]]:
    """The bounds set by `left op right`, one side being a tensor (or its absolute value), the other a number."""
    if op not in _BOUNDS:
        raise tree.error(left, "a range compares with <=, <, >=, > or ==", _HINT)
    value = number(right)
    subject = left
    if value is None:
        value, subject, op = number(left), right, _MIRRORED[op]
    if value is None:
        a_number = "a whole number" if number is _number else "a number"
        raise tree.error(right, f"one side of the comparison must be {a_number}", _HINT)
    below, above, step = _BOUNDS[op]
    step = step if number is _number else 0
    low, high = (value + step if below else None), (value + step if above else None)
    match subject:
        case ast.Name(id=name):
            return [(name, low, high)]
        case ast.Call(func=ast.Name(id="abs"), args=[ast.Name(id=name)], keywords=[]) if above and not below:
            return [(name, -(value + step), high)]
        case ast.Subscript(value=ast.Name(id=name)):
            raise tree.error(subject, "a range holds for every element", f"write the tensor alone: {name}")
    raise tree.error(subject, "this is not the name of an input", _HINT)


def _number(node: ast.expr) -> int | None:
    """The whole number of a literal, with its sign; None for anything else."""
    value: Any = _real(node)
    return value if type(value) is int else None


def _real(node: ast.expr) -> float | None:
    """The same for any number."""
    match node:
        case ast.Constant(value=value) if type(value) in (int, float):
            return value  # type: ignore[return-value]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            negated = _real(inner)
            return None if negated is None else -negated
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _real(inner)
    return None
