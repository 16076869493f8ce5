"""Addresses of an operand's cells in main memory: elements from its first cell, as its place says.

    memory                              row-major without gaps, in the contract's own shape
    memory[i*stride + k]                of m[i,k]: rows any distance apart, their elements next to each other
    memory[k//4*stride + 4*j + k%4]     of m[k//4,j,k%4]

The address is a sum of the operand's own indices, as the contract writes them, each once and times its step. A step is
a whole number of elements, or a stride: the name of a use parameter. A stride may be any integer, also 0 or less, and
is the same for all cells.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.conditions import expression
from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.expr import FloorDiv, FloorMod, is_constant, substitute, sym, symbols_of, words
from isamap_smt.ir.kernel import Kernel

Steps = tuple[int | str, ...]


@dataclass(frozen=True)
class Address:
    """axes: of the contract. index: of the operand, over these. steps: elements between neighbours along each index."""

    axes: tuple[str, ...]
    index: tuple[Any, ...]
    steps: Steps

    @property
    def form(self) -> Any:
        """Elements from the first cell, over axes and strides."""
        steps = (sym(s) if isinstance(s, str) else s for s in self.steps)
        return sum((i * s for i, s in zip(self.index, steps, strict=True)), sp.S.Zero)

    def strides(self, at: Any) -> dict[str, Any]:
        """Each stride's value, if the cells lie at the offset `at` over the axes."""
        here = dict.fromkeys(self.axes, sp.S.Zero)
        there = {s: here | _unit(i) for s, i in zip(self.steps, self.index, strict=True) if isinstance(s, str)}
        return {s: sp.expand(substitute(at, p) - substitute(at, here)) for s, p in there.items()}

    def apart(self, at: Any) -> Any:
        """Distance of the cell at the offset `at` from its address in this form, over the axes.

        Both are counted from the first cell. The distance is 0 if some strides serve all cells.
        """
        start = dict.fromkeys(self.axes, sp.S.Zero)
        own = substitute(self.form, self.strides(at))
        return sp.expand(at - substitute(at, start) - own + substitute(own, start))

    def offsets(self, index: Sequence[np.ndarray], found: np.ndarray) -> np.ndarray:
        """Offsets of the cells with these indices from the first cell.

        found: actual offsets of these cells, in its last dimension; the strides are taken from them.
        """
        moved = [i - i[0] for i in index]
        total = np.zeros(found.shape, np.int64)
        for n, step in enumerate(self.steps):
            by: Any = step
            if isinstance(step, str):
                unit = np.logical_and.reduce([m == (k == n) for k, m in enumerate(moved)])
                by = found[..., np.flatnonzero(unit)[:1]] if unit.any() else 0
            total = total + moved[n] * by
        return total

    def __str__(self) -> str:
        """Such as i*stride + k."""
        return " + ".join(_term(i, s) for i, s in zip(self.index, self.steps, strict=True)) or "0"


def address_of(contract: Kernel, operand: str, steps: Steps = ()) -> Address:
    """Of an operand of a contract of one statement. steps: () for row-major without gaps."""
    s = contract.statements[0]
    access = next(a for a in (s.target, *s.inputs) if a.tensor == operand)
    axes = tuple(a.name for a in contract.axes)
    return Address(axes, tuple(access.index), steps or row_major(contract.tensor(operand).shape))


def row_major(shape: Sequence[Any]) -> tuple[Any, ...]:
    """The steps of an array without gaps: numbers, or expressions if an extent holds machine parameters.

    >>> row_major((4, 3, 2))
    (6, 2, 1)
    """
    steps: list[Any] = [1]
    for extent in reversed(shape[1:]):
        steps.insert(0, steps[0] * (int(extent) if is_constant(extent) else extent))
    return tuple(steps[: len(shape)])


def offset(index: Sequence[Any], shape: Sequence[Any]) -> Any:
    """Elements from the start of a row-major array, of any extents."""
    total: Any = sp.S.Zero
    for i, extent in zip(index, shape, strict=True):
        total = total * extent + i
    return total


def collapsed(index: tuple[Any, ...], shape: tuple[Any, ...]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The same element with fewer dimensions: neighbouring digits of one value become one index.

    [.., x // n, x % n, ..] of shape [.., m, n, ..] is [.., x, ..] of shape [.., m * n, ..]: axes fused by a mapping are
    neighbours in memory, too.
    """
    whole: list[Any] = []
    extents: list[Any] = []
    for i, extent in zip(map(sp.sympify, index), shape, strict=True):
        if whole and isinstance(i, FloorMod) and i.args[1] == extent:
            quotient = FloorDiv(*i.args)
            rest = whole[-1] - quotient
            if not rest.has(quotient):
                whole[-1] = sp.expand(rest * extent) + i.args[0]
                extents[-1] = extents[-1] * extent
                continue
        whole.append(i)
        extents.append(extent)
    return tuple(whole), tuple(extents)


def serves(step: int | str, distance: Any) -> bool:
    """Whether the step fits elements so far apart. A stride, given by name, fits any distance."""
    return isinstance(step, str) or bool(distance == step)


def _unit(index: Any) -> dict[str, Any]:
    """The point {axis: value} giving index 1, for an axis or an axis // or % a number; {} for any other index.

    Of axis // n it is the axis at n, so axis % n is 0 there.
    """
    axis, unit = (index.args[0], index.args[1]) if isinstance(index, FloorDiv | FloorMod) else (index, 1)
    return {axis.name: unit if isinstance(index, FloorDiv) else 1} if axis.is_Symbol else {}


def _term(index: Any, step: int | str) -> str:
    text = words(index) if step == 1 or index.is_Symbol else f"({words(index)})"
    return text if step == 1 else f"{text}*{step}" if isinstance(step, str) else f"{step}*{text}"


def parsed(where: str, text: str, contract: Kernel, operand: str) -> Steps:
    """The steps of an address, given its text behind 'memory['; () if there are no gaps. where: for messages.

    Raises LanguageError unless it is a sum of the operand's indices, each once and times at most one number or name.
    """
    own = address_of(contract, operand)
    known = ", ".join(map(words, own.index))
    form = f"write its address as a sum of its indices ({known}), each once and times one number or one stride at most"
    text = text.strip()
    try:
        node = ast.parse(text.removesuffix("]"), mode="eval").body
    except (SyntaxError, ValueError):
        node = None
    if node is None or not text.endswith("]"):
        raise LanguageError(f"{where}: {form}")
    steps: dict[int, int | str] = {}
    for term in _parts(node, ast.Add, own.index):
        factors = _parts(term, ast.Mult, own.index)
        places = [n for f in factors if (n := _place(f, own.index)) is not None]
        others = [f for f in factors if _place(f, own.index) is None]
        if len(places) != 1 or len(others) > 1:
            raise LanguageError(f"{where}, and {ast.unparse(term)!r} is no index with its step; {form}")
        if places[0] in steps:
            raise LanguageError(f"{where}, and {words(own.index[places[0]])} stands there twice; {form}")
        steps[places[0]] = _step(where, others[0]) if others else 1
    if missing := [words(i) for n, i in enumerate(own.index) if symbols_of([i]) and n not in steps]:
        raise LanguageError(f"{where}, and {missing[0]} is missing; {form}")
    given = tuple(steps.get(n, step) for n, step in enumerate(own.steps))
    return () if given == own.steps else given


def _parts(node: ast.expr, operator: type[ast.operator], index: tuple[Any, ...]) -> list[ast.expr]:
    """The terms of a sum, or factors of a product. An index is not split."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, operator) and _place(node, index) is None:
        return [*_parts(node.left, operator, index), *_parts(node.right, operator, index)]
    return [node]


def _place(node: ast.expr, index: tuple[Any, ...]) -> int | None:
    """The dimension with this index; None if the node is no index of the operand."""
    e, names = expression(node), {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    return index.index(e) if names and e in index and names == symbols_of([e]) else None


def _step(where: str, node: ast.expr) -> int | str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Constant(value=value) if type(value) is int and value > 0:
            return value
    raise LanguageError(
        f"{where}, and {ast.unparse(node)!r} is no step: write a number of elements, 1 or more, or a name"
    )


def check_steps(name: str, contract: Kernel, far: Sequence[str], taken: Sequence[str], given: Any) -> None:
    """Raises LanguageError unless each step belongs to an operand in `far`, and each stride has a name of its own.

    far: operands in main memory. taken: names of parameters. A stride must go with an axis, or an axis // or % a
    number.
    """
    if not isinstance(given, tuple) or any(
        not isinstance(g, tuple)
        or len(g) != 2
        or not isinstance(g[1], tuple)
        or any(type(s) not in (int, str) for s in g[1])
        for g in given
    ):
        raise LanguageError(
            f"instruction {name}: steps={given!r}: pass (operand, steps along its indices) of each operand"
        )
    meant = {a.name: "an axis" for a in contract.axes} | {t.name: "an operand" for t in contract.tensors}
    meant |= dict.fromkeys(taken, "a number of active points")
    for operand, steps in given:
        if operand not in far or len(steps) != len(contract.tensor(operand).shape):
            raise LanguageError(
                f"instruction {name}: steps of {operand!r} are {steps!r}: it has other indices in memory"
            )
        for step, index in zip(steps, address_of(contract, operand).index, strict=True):
            if not isinstance(step, str):
                continue
            if step in meant:
                raise LanguageError(
                    f"instruction {name}: the stride {step!r} of {operand} is {meant[step]} already; each has a name of its own"
                )
            if not _unit(index):
                raise LanguageError(
                    f"instruction {name}: {operand} has the stride {step!r} along {words(index)}; strides stand with an axis, or "
                    "with one // or % by a number"
                )
            meant[step] = "a stride"
