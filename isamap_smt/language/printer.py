"""A kernel as text that parses to an equal kernel: declarations written out, definitions put in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import (
    INDEX_HEADS,
    RELATIONS,
    Element,
    FloorDiv,
    FloorMod,
    IMax,
    IMin,
    Inside,
    ISelect,
    symbols_of,
)
from isamap_smt.ir.heads import ATOM, CONVERSIONS, HEADS, PRODUCT, SIGN, SUM
from isamap_smt.ir.kept import per_object
from isamap_smt.ir.kernel import REDUCTIONS, Access, Kernel, Statement
from isamap_smt.ir.kinds import KERNEL, require_kind
from isamap_smt.ir.scalar import Compare, IndexValue, Read, Sum
from isamap_smt.language.lines import parse_expression
from isamap_smt.language.names import default_size, names_in_index
from isamap_smt.language.source import Source, logical_lines


def to_text(kernel: Kernel) -> str:
    """Kernel text such that kernel(to_text(k), name=k.name) == k.

    >>> from isamap_smt.language import kernel
    >>> print(to_text(kernel("y[i] += A[i,k] * x[k]", sizes={"k": 8})))
    y: f32[I]
    A: f32[I, 8]
    x: f32[8]
    axis k < 8
    y[i] += A[i, k] * x[k]
    """
    require_kind("to_text", kernel, Kernel, KERNEL)
    lines = [f"param {p}" for p in kernel.parameters]
    lines += [f"{t.name}: {t.dtype}[{_list(t.shape)}]" for t in kernel.tensors]
    axes = kernel.axes
    lines += [f"axis {a.name} < {index_text(a.extent)}" for a in axes if str(a.extent) != default_size(a.name)]
    if loose := _undeclared_sizes(kernel):
        lines.append(f"size {', '.join(loose)}")
    if kernel.temporaries:
        lines.append(f"temporary {', '.join(kernel.temporaries)}")
    if kernel.order:
        lines.append(f"input {', '.join(kernel.order)}")
    lines += [f"assume {low} <= {n} <= {high}" for n, low, high in kernel.ranges]
    return "\n".join([*lines, *statement_lines(kernel)])


def statement_lines(kernel: Kernel) -> list[str]:
    """The statements as lines of kernel text, those of a recurrence further in, below its `for`."""
    return _in_blocks(kernel, list(map(statement_text, kernel.statements)))


def source_lines(kernel: Kernel) -> list[str]:
    """The same, with each statement as it was written, if this is known."""
    return _in_blocks(kernel, [" ".join(s.source.split()) or statement_text(s) for s in kernel.statements])


def _in_blocks(kernel: Kernel, texts: list[str]) -> list[str]:
    lines = []
    for position, text in enumerate(texts):
        recurrence = kernel.recurrence_of(position)
        if recurrence is not None and position == recurrence.first:
            lines.append(f"for {recurrence.axis}:")
        lines.append(f"{'  ' if recurrence else ''}{text}")
    return lines


def _undeclared_sizes(kernel: Kernel) -> list[str]:
    """Sizes used only in indices and guards: without a line of their own they would be taken for axes."""
    said = symbols_of([e for t in kernel.tensors for e in t.shape] + [a.extent for a in kernel.axes])
    said |= {p.name for p in kernel.parameters}
    return [n for n in kernel.free_sizes if n not in said]


@per_object(most=1024)
def statement_text(s: Statement) -> str:
    """One statement as a line of kernel text."""
    line = f"{access_text(s.target)} {REDUCTIONS[s.op]} {value_text(s.value)}"
    axes = [a.name for a in s.axes]
    if axes != _axes_by_appearance(s, set(axes)):
        line += f" over {', '.join(axes)}"
    if s.guard:
        line += " where " + " and ".join(map(relation_text, s.guard))
    return line + (" ordered" if s.ordered else "")


def _axes_by_appearance(s: Statement, axes: set[str]) -> list[str]:
    """The axes in the order of the printed statement, as a reader would take them."""
    source = Source(f"{access_text(s.target)} + {value_text(s.value)}")
    tree = parse_expression(logical_lines(source)[0])
    return [n for n in dict.fromkeys(names_in_index(tree, tree.node)) if n in axes]


def access_text(access: Access) -> str:
    """An element, such as A[i, k]."""
    return f"{access.tensor}[{_list(access.index)}]"


def _list(exprs: tuple[Any, ...]) -> str:
    return ", ".join(map(index_text, exprs))


def relation_text(relation: Any) -> str:
    """One comparison of a guard."""
    if relation is sp.false:
        return "0 < 0"
    return f"{index_text(relation.lhs)} {RELATIONS[type(relation)].sign} {index_text(relation.rhs)}"


def index_text(expr: Any) -> str:
    """An index expression, in the language's own operators."""
    return _index(sp.sympify(expr))[0]


def _index(expr: Any) -> tuple[str, int]:
    match expr:
        case Inside():
            return _index(expr.args[0])
        case ISelect(args=(a, b, x, y)):
            return f"select({_index(a)[0]} < {_index(b)[0]}, {_index(x)[0]}, {_index(y)[0]})", ATOM
        case Element():
            return access_text(Access(expr.tensor, expr.index)), ATOM
        case sp.Integer() | sp.Symbol():
            return str(expr), ATOM if expr.is_Symbol or expr >= 0 else SIGN
        case sp.Add():
            return _index_sum(expr), SUM
        case sp.Mul():
            return _index_product(expr)
        case sp.Pow(args=(base, sp.Integer() as n)) if n > 0:
            return "*".join([_wrap(_index(base), ATOM)] * int(n)), PRODUCT
        case IMin(args=(a, b)) | IMax(args=(a, b)):
            return f"{INDEX_HEADS[type(expr)].sign}({_index(a)[0]}, {_index(b)[0]})", ATOM
        case FloorDiv(args=(a, d)) | FloorMod(args=(a, d)):
            sign = INDEX_HEADS[type(expr)].sign
            return f"{_wrap(_index(a), ATOM)} {sign} {_wrap(_index(d), ATOM)}", PRODUCT
    raise TypeError(f"not an index expression of the language: {expr!r}")


def _index_sum(expr: Any) -> str:
    text = ""
    for term in expr.as_ordered_terms():
        written, binds = _index(term)
        if not text:
            text = written
        elif written.startswith("-"):
            text += f" - {written[1:]}"
        else:
            text += f" + {_wrap((written, binds), PRODUCT)}"
    return text


def _index_product(expr: Any) -> tuple[str, int]:
    coefficient, rest = expr.as_coeff_Mul()
    # `//` and `%` bind as `*` does, from the left: they keep their brackets inside a product.
    factors = [
        f"({_index(f)[0]})" if isinstance(f, FloorDiv | FloorMod) else _wrap(_index(f), PRODUCT)
        for f in sp.Mul.make_args(rest)
    ]
    text = "*".join(factors)
    if coefficient == -1:
        return f"-{text}", SIGN
    return (text if coefficient == 1 else f"{coefficient}*{text}"), PRODUCT if coefficient > 0 else SIGN


def _wrap(written: tuple[str, int], least: int) -> str:
    text, binds = written
    return text if binds >= least else f"({text})"


def value_text(
    value: Any, element: Callable[[Any], str] | None = None, index: Callable[[Any], str] | None = None
) -> str:
    """A value, with brackets only if the tree needs them.

    element: text of a Read; index: of an index expression used as a value. Both as kernel text if they are None.
    """
    return _Values(element or _read_text, index)._of(value)[0]


def _read_text(x: Any) -> str:
    return access_text(Access(x.tensor, x.index))


@dataclass(frozen=True)
class _Values:
    """Trees as (text, how tightly it binds)."""

    element: Callable[[Any], str]
    index: Callable[[Any], str] | None

    def _of(self, x: Any) -> tuple[str, int]:
        match x:
            case Read():
                return self.element(x), ATOM
            case sp.Symbol():  # a value that somebody has named
                return x.name, ATOM
            case sp.Integer():
                return str(int(x)), ATOM if x >= 0 else SIGN
            case sp.Float() | sp.core.numbers.Infinity() | sp.core.numbers.NegativeInfinity():
                return repr(float(x)), ATOM if x >= 0 else SIGN
            case IndexValue():
                return (self.index(x.args[0]), ATOM) if self.index else _index(x.args[0])
            case Sum():
                return f"sum({x.args[0].name}, {int(x.args[1])}, {self._of(x.args[2])[0]})", ATOM
            case Compare():
                return f"{self._of(x.args[1])[0]} {x.args[0].name} {self._of(x.args[2])[0]}", SUM
        row, head = HEADS[type(x)], type(x)
        if head in CONVERSIONS:
            return f"{row.text}{x.args[0].name}({self._of(x.args[1])[0]})", ATOM
        parts = [self._of(a) for a in x.args]
        if row.infix:
            return f"{_wrap(parts[0], row.binds)} {row.text} {_wrap(parts[1], row.binds + 1)}", row.binds
        if not parts:
            return row.text, ATOM
        if row.binds < ATOM:
            return f"{row.text}{_wrap(parts[0], ATOM)}", row.binds
        return f"{row.text}({', '.join(text for text, _ in parts)})", ATOM
