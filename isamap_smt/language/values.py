"""The value of a statement: element reads, arithmetic, casts and functions, kept in the order written."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping, Set
from functools import lru_cache
from typing import Any

import sympy as sp

from isamap_smt.ir.dtypes import DTYPES, bool_
from isamap_smt.ir.errors import did_you_mean
from isamap_smt.ir.expr import Inside, elements, sym
from isamap_smt.ir.expr import element as index_element
from isamap_smt.ir.heads import CONSTANTS, FUNCTIONS, HEADS, INFIX
from isamap_smt.ir.kernel import Access
from isamap_smt.ir.scalar import (
    Cast,
    Compare,
    IndexValue,
    Round,
    Saturate,
    Select,
    SInvert,
    SNeg,
    Sum,
    cast,
    read,
    round_to,
    saturate,
)
from isamap_smt.language.indices import noun
from isamap_smt.language.lines import Tree
from isamap_smt.language.shapes import extent_to_come

_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
          ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitXor: "^", ast.BitOr: "|"}  # fmt: skip
_BINARY = {of: INFIX[sign] for of, sign in _SIGNS.items()}
OPERATORS_OF_VALUES = "+ - * / // % ** << >> & | ^ ~"
_OF_INDICES = (
    ast.BinOp, ast.UnaryOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.USub, ast.UAdd, ast.Load,
)  # fmt: skip
_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_SATURATE = {f"sat_{n}": n for n, d in DTYPES.items() if not d.is_float and d != bool_}
_ROUND = {f"round_{n}": n for n, d in DTYPES.items() if not d.is_float and d != bool_ and d.bits <= 32}
_CALLED = {
    **{name: head.__name__ for name, head in FUNCTIONS.items()},
    **dict.fromkeys(DTYPES, Cast.__name__),
    **dict.fromkeys(_SATURATE, Saturate.__name__),
    **dict.fromkeys(_ROUND, Round.__name__),
}
KNOWN_FUNCTIONS = (*FUNCTIONS, *DTYPES, *_SATURATE, *_ROUND, "sum")


def _near_functions(name: str) -> str:
    """Near matches, or the functions without every cast."""
    family = _SATURATE if name.startswith("sat_") else _ROUND if name.startswith("round") else KNOWN_FUNCTIONS
    hint = did_you_mean(name, family)
    return hint if not hint.startswith("known") else f"known: {', '.join((*FUNCTIONS, 'sum'))}, f32 ..., sat_i16 ..."


def index_nodes(node: ast.Subscript) -> list[ast.expr]:
    """The indices written between the brackets."""
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def element(tree: Tree, node: ast.AST) -> ast.Subscript:
    """`node` as an element of a tensor. Raises LanguageError when it is something else."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        if isinstance(node, ast.Name):
            hint = f"write `{node.id}[i,j]`, or `{node.id}[]` for a tensor without dimensions"
            raise tree.error(node, f"{node.id} is not an element of a tensor", hint)
        named = node.value if isinstance(node, ast.Subscript) else node
        what = "this" if isinstance(named, ast.Subscript) else noun(named)
        raise tree.error(named, f"{what} is not the name of a tensor", "write `C[i,j]`")
    for i in index_nodes(node):
        if isinstance(i, ast.Slice):
            raise tree.error(node, "a slice is not an index", "write one axis per dimension, such as `A[i,k]`")
    return node


def _name(node: ast.Subscript) -> str:
    return node.value.id if isinstance(node.value, ast.Name) else ""


class Values:
    """Reads the value of one statement. `make_index(tree, node, bound, data)` gives an index tree; `known`: axes,
    sizes, parameters; `shapes`: the declared ones."""

    def __init__(
        self,
        tree: Tree,
        extents: Mapping[str, int],
        make_index: Callable[..., Any],
        known: Set[str] = frozenset(),
        shapes: Mapping[str, tuple[Any, ...]] | None = None,
    ) -> None:
        self.shapes = shapes or {}
        self.known = known
        self.tree = tree
        self.extents = extents
        self.make_index = make_index
        self.data: list[tuple[Access, ast.Subscript]] = []  # elements that indices are made of, and where they stand

    def value(self, node: ast.AST, bound: frozenset[str] = frozenset()) -> Any:
        """The scalar tree. `bound` holds the axes of the sums around `node`."""
        if self._is_index(node, bound):
            made = self.make_index(self.tree, node, bound)
            return made if made.is_Integer else IndexValue(made)
        match node:
            case ast.Subscript():
                e = element(self.tree, node)
                name = e.value.id if isinstance(e.value, ast.Name) else ""
                return read(name, *self.indices(name, e, bound))
            case ast.Constant():
                return self._literal(node)
            case ast.Name(id=name) if name in CONSTANTS:
                return CONSTANTS[name]()
            case ast.UnaryOp(op=ast.UAdd(), operand=x):
                return self.value(x, bound)
            case ast.UnaryOp(op=ast.USub(), operand=x):
                return negated(self.value(x, bound))
            case ast.UnaryOp(op=ast.Invert(), operand=x):
                return SInvert(self.value(x, bound))
            case ast.BinOp(left=a, op=op, right=b) if type(op) in _BINARY:
                return _BINARY[type(op)](self.value(a, bound), self.value(b, bound))
            case ast.Call():
                return self._call(node, bound)
        return self._refuse(node)

    def indices(self, tensor: str, node: ast.Subscript, bound: frozenset[str]) -> Iterator[Any]:
        """The index of each dimension: quasi-affine, or with elements of integer inputs in it."""
        nodes, shape = index_nodes(node), self.shapes.get(tensor, ())

        def data(inner: ast.Subscript) -> Any:
            name = _name(element(self.tree, inner))
            own = tuple(self.indices(name, inner, bound))
            self.data.append((Access(name, own), inner))
            return index_element(name, own)

        for dimension, i in enumerate(nodes):
            made = self.make_index(self.tree, i, bound, data)
            extent = shape[dimension] if dimension < len(shape) else extent_to_come(tensor, dimension)
            yield Inside(made, extent) if elements([made]) else made

    def _is_index(self, node: ast.AST, bound: frozenset[str]) -> bool:
        """Whether this is an index expression, made of axes, sizes, parameters and integers alone, and not one number."""
        if not any(isinstance(n, ast.Name) for n in ast.walk(node)):
            return False
        return all(
            n.id in self.known | bound
            if isinstance(n, ast.Name)
            else type(n.value) is int
            if isinstance(n, ast.Constant)
            else isinstance(n, _OF_INDICES)
            for n in ast.walk(node)
        )

    def _refuse(self, node: ast.AST) -> Any:
        hint = f"use {OPERATORS_OF_VALUES}, casts such as i32(x), and " + ", ".join((*FUNCTIONS, "sum"))
        match node:
            case ast.Name():
                element(self.tree, node)
            case ast.IfExp():
                hint = "write select(condition, a, b)"
            case ast.BinOp():
                raise self.tree.error(
                    node, "this operator is not part of a value", f"values have {OPERATORS_OF_VALUES}"
                )
        raise self.tree.error(node, f"{noun(node)} cannot stand in a value", hint)

    def _literal(self, node: ast.Constant) -> Any:
        match node.value:
            case bool():
                pass
            case int(n):
                return sp.Integer(n)
            case float(x) if math.isfinite(x):
                return sp.Float(x)
        raise self.tree.error(node, f"{node.value!r} is not a number of the language", "write 3, 0.5 or inf")

    def _call(self, node: ast.Call, bound: frozenset[str]) -> Any:
        if not isinstance(node.func, ast.Name):
            raise self.tree.error(node.func, f"{noun(node.func)} cannot be called", "call a function by its name")
        name = node.func.id
        if name not in KNOWN_FUNCTIONS:
            hint = _near_functions(name)
            raise self.tree.error(node.func, f"there is no function {name!r}", hint)
        if node.keywords:
            raise self.tree.error(node, f"{name} takes no named arguments", "write them in order")
        if name == "sum":
            return self._sum(node, bound)
        want = HEADS[FUNCTIONS[name]].arity if name in FUNCTIONS else 1
        if len(node.args) != want:
            example = f"{name}({', '.join('abc'[:want])})" if name != "select" else "select(a < b, x, y)"
            raise self.tree.error(
                node, f"{name} takes {want} argument{'s' * (want > 1)}, not {len(node.args)}", f"write {example}"
            )
        if name == "select":
            return Select(self._condition(node.args[0], bound), *[self.value(a, bound) for a in node.args[1:]])
        args = [self.value(a, bound) for a in node.args]
        if name in FUNCTIONS:
            return FUNCTIONS[name](*args)
        if name in _ROUND:
            return round_to(_ROUND[name], args[0])
        return saturate(_SATURATE[name], args[0]) if name in _SATURATE else cast(name, args[0])

    def _condition(self, node: ast.AST, bound: frozenset[str]) -> Any:
        if not isinstance(node, ast.Compare) or len(node.ops) != 1 or type(node.ops[0]) not in _COMPARE:
            raise self.tree.error(node, "this is no comparison of values", "write < <= > >= == or !=")
        op = sp.Symbol(_COMPARE[type(node.ops[0])])
        return Compare(op, self.value(node.left, bound), self.value(node.comparators[0], bound))

    def _sum(self, node: ast.Call, bound: frozenset[str]) -> Any:
        if len(node.args) not in (2, 3) or not isinstance(node.args[0], ast.Name):
            raise self.tree.error(node, "sum names its axis first", "write sum(e, 4, x)")
        axis = node.args[0].id
        if axis in bound:
            raise self.tree.error(node.args[0], f"{axis} is already summed over here", "use another name")
        if len(node.args) == 2:
            if axis not in self.extents:
                raise self.tree.error(
                    node, f"sum over {axis} needs its extent", f"write sum({axis}, 4, x), or declare `axis {axis} < 4`"
                )
            count = self.extents[axis]
        else:
            count = self._count(node.args[1])
        return Sum(sym(axis), sp.Integer(count), self.value(node.args[-1], bound | {axis}))

    def _count(self, node: ast.AST) -> int:
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value >= 1:
            return node.value
        raise self.tree.error(
            node, "the extent of a sum is a positive integer", "for a symbolic extent use `+=` and an axis"
        )


@lru_cache(maxsize=2048)
def heads_written(text: str) -> frozenset[str]:
    """Names of heads that surely stand in the value, from the text alone: those of elements, called or between them.

    Others may stand there, too. Empty for a text that is no expression of Python.

    >>> sorted(heads_written("max(a[l], 0) + b[]")), sorted(heads_written("a[l] + i32(2 * l)"))
    (['SAdd', 'SMax'], ['SAdd'])
    """
    try:
        whole = ast.parse(text.strip().replace("[]", "[0]"), mode="eval")
    except (SyntaxError, ValueError):
        return frozenset()
    found: set[str] = set()

    def has_elements(node: ast.AST) -> bool:
        inside = [has_elements(n) for n in ast.iter_child_nodes(node)]
        if any(inside):
            match node:
                case ast.BinOp(op=op) if type(op) in _BINARY:
                    found.add(str(_BINARY[type(op)].__name__))
                case ast.Call(func=ast.Name(id=name)) if name in _CALLED:
                    found.add(str(_CALLED[name]))
        return isinstance(node, ast.Subscript) or any(inside)

    has_elements(whole)
    return frozenset(found)


def negated(x: Any) -> Any:
    """-x. A literal keeps its sign itself, except 0.0: SymPy's floats have no -0.0."""
    return -x if isinstance(x, sp.Number) and x != 0 and x != sp.Float(0.0) else SNeg(x)
