"""Index expressions: + - * // % over axes, sizes and parameters, quasi-affine in the axes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from isamap_smt.ir.arguments import LARGEST
from isamap_smt.ir.expr import FloorDiv, FloorMod, IMax, IMin, ISelect, elements, sym, symbols_of
from isamap_smt.language.lines import Tree
from isamap_smt.language.shapes import is_positive

# `a > b` is kept as b < a: a guard has one form, whichever way round it was written.
_RELATIONS = {
    ast.Lt: sp.Lt,
    ast.LtE: sp.Le,
    ast.Gt: lambda a, b: sp.Lt(b, a),
    ast.GtE: lambda a, b: sp.Le(b, a),
    ast.Eq: sp.Eq,
    ast.NotEq: sp.Ne,
}
_NOUNS: dict[type[ast.AST], str] = {
    ast.Call: "a call",
    ast.Attribute: "an attribute",
    ast.Subscript: "an element of a tensor",
    ast.Compare: "a comparison",
    ast.BoolOp: "a condition",
    ast.Slice: "a slice",
    ast.Tuple: "a list of indices",
    ast.IfExp: "an `if`",
    ast.Lambda: "a `lambda`",
    ast.Name: "a name alone",
    ast.BinOp: "a sum or product",
    ast.UnaryOp: "a sign",
    ast.Constant: "a number or string",
    ast.GeneratorExp: "a comprehension",
    ast.ListComp: "a comprehension",
}


def noun(node: ast.AST) -> str:
    """The name of a piece of syntax in an error."""
    return _NOUNS.get(type(node), f"this ({type(node).__name__})")


@dataclass(frozen=True)
class Names:
    """The meaning of names inside an index: a definition's value, an axis, or else a size or parameter."""

    axes: frozenset[str]
    definitions: Mapping[str, Any]
    lows: Mapping[str, int]  # parameter -> its lowest value; sizes are at least 1
    data: Callable[[ast.Subscript], Any] | None = None  # the element that data is, where an index may be made of it


def index(tree: Tree, node: ast.AST, names: Names) -> Any:
    """The SymPy tree of an index expression.

    Raises LanguageError when it is not quasi-affine in the axes, and for numbers beyond 2^31.
    """
    made = _index(tree, node, names)
    if any(abs(int(n)) > LARGEST for n in made.atoms(sp.Integer)):
        hint = "generated code counts in 64 bits: numbers in an index are at most 2^31"
        raise tree.error(node, "a number in this index is too large", hint)
    return made


def _index(tree: Tree, node: ast.AST, names: Names) -> Any:
    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return sp.Integer(value)
        case ast.Name(id=name):
            return names.definitions[name] if name in names.definitions else sym(name)
        case ast.UnaryOp(op=ast.USub(), operand=x):
            return -index(tree, x, names)
        case ast.UnaryOp(op=ast.UAdd(), operand=x):
            return index(tree, x, names)
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(tree, node, op, index(tree, left, names), index(tree, right, names), names)
        case ast.Call(func=ast.Name(id="min" | "max" as name), args=[left, right], keywords=[]):
            return (IMin if name == "min" else IMax)(index(tree, left, names), index(tree, right, names))
        case ast.Constant(value=value):
            raise tree.error(node, f"{value!r} is not an integer", "an index is made of integers")
        case ast.Subscript() if names.data is not None:
            return names.data(node)
        case ast.Call(func=ast.Name(id="select"), args=[condition, yes, no], keywords=[]) if names.data is not None:
            return _chosen(tree, condition, index(tree, yes, names), index(tree, no, names), names)
    hint = "an index is made of + - * // %, min(a,b) and max(a,b) over axes, sizes, parameters and integers"
    if isinstance(node, ast.Subscript):
        hint = "data stands in the indices of what a statement reads and writes: `E[idx[i] + 1, j]`; it is not compared in `where`"
    raise tree.error(node, f"{noun(node)} cannot stand in an index", hint)


def _chosen(tree: Tree, node: ast.expr, yes: Any, no: Any, names: Names) -> Any:
    """yes if the condition holds, else no, by comparisons with `<` alone."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=rights):
            sides = [index(tree, side, names) for side in (left, *rights)]
            for a, op, b in reversed(list(zip(sides, ops, sides[1:], strict=False))):
                yes = _compared(tree, node, op, a, b, yes, no)
            return yes
        case ast.BoolOp(op=op, values=parts):
            for part in reversed(parts):
                found = _chosen(tree, part, yes, no, names)
                yes, no = (found, no) if isinstance(op, ast.And) else (yes, found)
            return yes if isinstance(op, ast.And) else no
        case ast.UnaryOp(op=ast.Not(), operand=x):
            return _chosen(tree, x, no, yes, names)
    raise tree.error(
        node, f"{noun(node)} is no condition in an index", "compare: `select(idx[i] < 0, idx[i] + N, idx[i])`"
    )


def _compared(tree: Tree, node: ast.expr, op: ast.cmpop, a: Any, b: Any, yes: Any, no: Any) -> Any:
    match op:
        case ast.Lt():
            return ISelect(a, b, yes, no)
        case ast.GtE():
            return ISelect(a, b, no, yes)
        case ast.Gt():
            return ISelect(b, a, yes, no)
        case ast.LtE():
            return ISelect(b, a, no, yes)
        case ast.Eq():
            return ISelect(a, b, no, ISelect(b, a, no, yes))
        case ast.NotEq():
            return ISelect(a, b, yes, ISelect(b, a, yes, no))
    raise tree.error(node, "this comparison is not part of an index", "use < <= > >= == or !=")


def _binary(tree: Tree, node: ast.BinOp, op: ast.operator, a: Any, b: Any, names: Names) -> Any:
    match op:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult():
            left, right = symbols_of([a]) & names.axes, symbols_of([b]) & names.axes
            if (elements([a]) and (right or elements([b]))) or (left and elements([b])):
                hint = "multiply data by sizes, parameters and integers; or compute the product before, as an input"
                raise tree.error(node, "this multiplies data by data or by an axis", hint)
            if left and right:
                _not_affine(tree, node, sorted(left)[0], sorted(right)[0])
            return a * b
        case ast.FloorDiv() | ast.Mod():
            _check_divisor(tree, node.right, b, names)
            return FloorDiv(a, b) if isinstance(op, ast.FloorDiv) else FloorMod(a, b)
        case ast.Div():
            raise tree.error(node, "`/` does not give an integer", "write `//` for the quotient rounded down")
    raise tree.error(node, "this operator is not part of an index", "use + - * // and %")


def _not_affine(tree: Tree, node: ast.BinOp, a: str, b: str) -> None:
    text = ast.unparse(node).replace(" ", "")
    hint = f"declare `param {b} >= 1` if {b} is a constant such as a stride"
    raise tree.error(node, f"{text} is not affine: it multiplies axis {a} by axis {b}", hint)


def _check_divisor(tree: Tree, node: ast.AST, divisor: Any, names: Names) -> None:
    if elements([divisor]):
        raise tree.error(node, "the divisor is data, which may be zero", "divide by a size, a parameter or an integer")
    used = sorted(symbols_of([divisor]) & names.axes)
    if used:
        hint = f"divide by a constant; declare `param {used[0]} >= 1` if {used[0]} is one"
        raise tree.error(node, f"the divisor depends on axis {used[0]}: not quasi-affine", hint)
    if not is_positive(divisor, names.lows):
        low = next((n for n in sorted(symbols_of([divisor])) if names.lows.get(n, 1) < 1), None)
        hint = f"declare `param {low} >= 1`" if low else "divide by a positive number"
        raise tree.error(node, "the divisor may be zero or negative", hint)


def guard(tree: Tree, names: Names) -> tuple[Any, ...]:
    """The relations of a `where`, left to right, without those that always hold."""
    return tuple(r for r in _conjunction(tree, tree.node, names) if r is not sp.true)


def _conjunction(tree: Tree, node: ast.AST, names: Names) -> list[Any]:
    match node:
        case ast.BoolOp(op=ast.And(), values=values):
            return [r for v in values for r in _conjunction(tree, v, names)]
        case ast.BoolOp():
            raise tree.error(node, "`or` is not part of a guard", "write one statement for each case")
        case ast.UnaryOp(op=ast.Not()):
            raise tree.error(node, "`not` is not part of a guard", "turn the comparison round: `not i < n` is `i >= n`")
        case ast.Compare(left=left, ops=ops, comparators=rest):
            sides = [index(tree, x, names) for x in (left, *rest)]
            return [_relation(tree, node, op)(a, b) for op, a, b in zip(ops, sides, sides[1:], strict=False)]
    raise tree.error(node, f"{noun(node)} is not a comparison", "write `where 0 <= p+r-1 < H and ...`")


def _relation(tree: Tree, node: ast.AST, op: ast.cmpop) -> Any:
    if type(op) not in _RELATIONS:
        raise tree.error(node, "this comparison is not part of a guard", "use < <= > >= == or !=")
    return _RELATIONS[type(op)]
