"""The names of axes, sizes, parameters and definitions. Tensors have a namespace of their own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from isamap_smt.ir.arguments import LARGEST
from isamap_smt.ir.errors import did_you_mean
from isamap_smt.ir.expr import substitute, sym, symbols_of
from isamap_smt.ir.kernel import Parameter
from isamap_smt.language.indices import Names, index
from isamap_smt.language.lines import BoundLine, DefinitionLine, StatementLine, Tree
from isamap_smt.language.values import index_nodes


def default_size(axis: str) -> str:
    """The size symbol of an axis whose extent is not declared.

    >>> default_size("i"), default_size("i0"), default_size("M")
    ('I', 'I0', 'M_')
    """
    return axis.upper() if axis != axis.upper() else axis + "_"


@dataclass
class Declarations:
    """The content of the declaration lines. `lows` gives the lowest value of each parameter."""

    parameters: dict[str, Parameter] = field(default_factory=dict)
    definitions: dict[str, Any] = field(default_factory=dict)
    extents: dict[str, Any] = field(default_factory=dict)
    sizes: set[str] = field(default_factory=set)
    axes: dict[str, None] = field(default_factory=dict)

    @property
    def lows(self) -> dict[str, int]:
        """Lowest value by name; any other size is at least 1."""
        return {n: p.low for n, p in self.parameters.items()}

    def extent(self, axis: str) -> Any:
        """The number of points of an axis: declared, defined, or its own size symbol."""
        if axis in self.extents:
            return self.extents[axis]
        name = default_size(axis)
        return self.definitions.get(name, sym(name))

    def declare(self, lines: list[BoundLine]) -> None:
        """Take over param, size and axis lines. Raises LanguageError for names declared twice and odd bounds."""
        for line in lines:
            for n in line.names:
                if n in self.parameters or n in self.sizes or n in self.extents:
                    raise line.segment.error(line.segment.text.index(n), f"{n} is declared twice", "remove one", len(n))
                if line.kind == "param":
                    most = None if line.most is None else _integer(line.most, 0)
                    self.parameters[n] = p = Parameter(n, _integer(line.bound, 0), most)
                    if p.high is not None and p.high < max(1, p.low):
                        raise line.segment.refuse(f"no {n} is from {p.low} to {p.high}", f"write `param 1 <= {n} <= 8`")
                elif line.kind == "size":
                    self.sizes.add(n)
                    if line.bound is not None and _integer(line.bound, 1) != 1:
                        raise line.bound.error(line.bound.node, "a size is at least 1", f"write `size {n}`")
                else:
                    self.extents[n] = None
        for line in lines:
            if line.kind == "axis" and line.bound is not None:
                names = Names(frozenset(self.extents), {}, self.lows)
                for n in line.names:
                    self.extents[n] = self._positive(line.bound, names)

    def _positive(self, bound: Tree, names: Names) -> Any:
        extent = index(bound, bound.node, names)
        if extent.is_Integer and extent < 1:
            raise bound.error(bound.node, f"an axis of {extent} points is empty", "write a positive extent")
        if used := sorted(symbols_of([extent]) & names.axes):
            raise bound.error(
                bound.node, f"the extent depends on axis {used[0]}", "the domain is a box; cut it with `where`"
            )
        self.sizes |= symbols_of([extent]) - set(self.parameters)
        return extent

    def define(self, lines: list[DefinitionLine]) -> None:
        """Take over definitions, each put into the others and into the extents. Raises LanguageError for a circle."""
        names = Names(frozenset(), {}, self.lows)
        trees: dict[str, Any] = {}
        for line in lines:
            if line.name in trees or line.name in self.parameters or line.name in self.extents:
                raise line.segment.error(0, f"{line.name} is declared twice", "remove one", len(line.name))
            trees[line.name] = index(line.value, line.value.node, names)
        for _ in trees:
            trees = {n: substitute(e, trees) for n, e in trees.items()}
        for line in lines:
            if symbols_of([trees[line.name]]) & set(trees):
                hint = "define it by sizes and parameters"
                raise line.segment.refuse(f"{line.name} is defined by itself", hint)
        self.definitions = trees
        self.extents = {n: substitute(e, trees) for n, e in self.extents.items()}
        self.sizes |= symbols_of(trees.values())
        self.sizes -= {*self.parameters, *trees}


def _integer(bound: Tree | None, default: int) -> int:
    if bound is None:
        return default
    sign, node = 1, bound.node
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        sign, node = -1, node.operand
    match node:
        case ast.Constant(value=int(n)) if n > LARGEST:
            raise bound.error(node, "this bound is too large", "numbers are at most 2^31")
        case ast.Constant(value=int(n)):
            return sign * n
    raise bound.error(bound.node, "a bound is an integer", "write `param s >= 1`")


def names_in_index(tree: Tree, node: ast.AST, bound: frozenset[str] = frozenset()) -> Iterator[str]:
    """Names inside the brackets of element reads, left to right, without the axes of sums around them."""
    if isinstance(node, ast.Subscript):
        for i in index_nodes(node):
            for n in _bare_names(i):
                if n not in bound:
                    yield n
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sum" and node.args:
        first = node.args[0]
        bound = bound | {first.id} if isinstance(first, ast.Name) else bound
        node_args: list[ast.AST] = list(node.args[1:])
    else:
        node_args = list(ast.iter_child_nodes(node))
    for child in node_args:
        yield from names_in_index(tree, child, bound)


def _bare_names(node: ast.AST) -> Iterator[str]:
    """Names of integers: not the tensor of a nested element, not a function."""
    match node:
        case ast.Subscript():
            for i in index_nodes(node):
                yield from _bare_names(i)
        case ast.Name(id=name):
            yield name
        case ast.BinOp(left=a, right=b):
            yield from _bare_names(a)
            yield from _bare_names(b)
        case ast.UnaryOp(operand=x):
            yield from _bare_names(x)
        case ast.Call(args=parts) | ast.BoolOp(values=parts):
            for part in parts:
                yield from _bare_names(part)
        case ast.Compare(left=left, comparators=rights):
            for part in (left, *rights):
                yield from _bare_names(part)


def axis_names(statements: list[StatementLine], known: Declarations) -> dict[str, None]:
    """The axes: names in indices without a declaration. Raises LanguageError if two things share a name."""
    candidates: dict[str, Tree] = {}
    for s in statements:
        for tree in (s.target, s.value):
            for n in names_in_index(tree, tree.node):
                candidates.setdefault(n, tree)
        for n in s.over or ():
            candidates.setdefault(n, s.target)
    lower = {n for n in candidates if n != n.upper()}
    sizes_of_lower = {default_size(n) for n in lower}
    axes: dict[str, None] = {}
    for n, tree in candidates.items():
        if n in known.extents:
            axes[n] = None
            continue
        if n in known.parameters or n in known.definitions:
            continue
        if n in known.sizes and n != n.upper():
            hint = f"call the size {n.upper()}, or write `param {n}` if it is a constant"
            raise _at_name(tree, n, f"{n} is both a size and an axis", hint)
        if n in known.sizes or n in sizes_of_lower:
            continue
        axes[n] = None
    _check_sizes(axes, candidates, known)
    _check_guards(statements, axes, known)
    return axes


def _check_sizes(axes: dict[str, None], trees: dict[str, Tree], known: Declarations) -> None:
    owner: dict[str, str] = {}
    for n in axes:
        if n in known.extents:
            continue
        size = default_size(n)
        if size in owner or size in known.parameters or size in axes:
            other = f"axis {owner[size]}" if size in owner else f"parameter or axis {size}"
            raise _at_name(
                trees[n], n, f"axis {n} and {other} would share the size {size}", f"declare `axis {n} < ...`"
            )
        owner[size] = n


def _check_guards(statements: list[StatementLine], axes: dict[str, None], known: Declarations) -> None:
    """An undeclared name in a guard is a new size; one in lower case is more likely a slip."""
    sizes = {default_size(n) for n in axes}
    for s in statements:
        if not s.guard:
            continue
        tensors = {
            x.value for x in ast.walk(s.guard.node) if isinstance(x, ast.Subscript)
        }  # refused where the guard is read
        for node in ast.walk(s.guard.node):
            if isinstance(node, ast.Name) and node not in tensors:
                n = node.id
                declared = n in axes or n in known.parameters or n in known.definitions or n in known.sizes
                if not declared and n not in sizes and n != n.upper():
                    near = did_you_mean(n, {*axes, *known.parameters, *known.definitions, *known.sizes})
                    raise s.guard.error(node, f"{n} is neither an axis nor declared", near)


def _at_name(tree: Tree, name: str, message: str, hint: str) -> Exception:
    node = next((x for x in ast.walk(tree.node) if isinstance(x, ast.Name) and x.id == name), tree.node)
    return tree.error(node, message, hint)
