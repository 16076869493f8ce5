"""Combine elements that lie side by side: the tree computed by a use with `across`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.evaluate import Function, Functions
from isamap_smt.ir.expr import is_constant, substitute, sym
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.program import Across, Point, Ref
from isamap_smt.ir.scalar import IndexValue, Read, index_values, reads, rewrite_reads
from isamap_smt.ir.typed import typed_value


def leaves(i: Instruction) -> int:
    """Number of lanes in the register reduced to one number by `i`; 0 for any other instruction."""
    if i.shapes[i.target] != (1,) or len(i.types) != 2:
        return 0
    k = i.exact or i.kernel
    s = k.statements[0]
    if (
        not _plain(i, "compute")
        or len(k.inputs) != 1
        or [a.extent for a in s.axes] != [1]
        or s.target.index != (s.axes[0].symbol,)
    ):
        return 0
    shape = k.tensor(k.inputs[0]).shape
    return int(shape[0]) if len(shape) == 1 and is_constant(shape[0]) else 0


def _plain(i: Instruction, kind: str) -> bool:
    """Whether `i` is of this kind, makes one assignment at every point, and needs nothing but its operands."""
    if i.kind != kind:
        return False
    k = i.exact or i.kernel
    s = k.statements[0]
    free = not (i.numbered or i.cells_needed or i.may_fail or i.assume or i.preconditions or i.active)
    return free and len(k.statements) == 1 and s.op == "=" and not s.guard


def _is_register(i: Instruction, operand: str, last: Instruction) -> bool:
    """Whether the operand matches the register read by `last` in place, type, length and C type."""
    (there,) = last.kernel.inputs
    same = (i.types[operand], i.shapes[operand]) == (last.types[there], last.shapes[there])
    return same and all(
        dict(x).get(operand) == dict(y).get(there) for x, y in ((i.places, last.places), (i.c_types, last.c_types))
    )


def in_a_row(use: Point) -> tuple[tuple[str, Ref], ...]:
    """The reads of a point in order of address, if they are consecutive elements of one row of memory; else ()."""
    reads_of = use.operands[1:]
    first = reads_of[0][1] if reads_of else None
    if first is None or not first.index:
        return ()
    found: dict[int, tuple[str, Ref]] = {}
    for name, r in reads_of:
        if (r.name, r.version, r.index[:-1]) != (first.name, first.version, first.index[:-1]) or not r.index:
            return ()
        along = sp.expand(sp.sympify(r.index[-1]) - first.index[-1])
        if not along.is_Integer:
            return ()
        found[int(along)] = (name, r)
    start = min(found)
    return (
        tuple(found[start + n] for n in range(len(found)))
        if sorted(found) == list(range(start, start + len(reads_of)))
        else ()
    )


def combined(across: Across, names: Sequence[str]) -> Any:
    """The value computed by the steps from the named elements, in their order; None if they do not fit together."""
    lanes = leaves(across.last)
    if not lanes or not names or len(names) % lanes or not _loads(across.load, across.last):
        return None
    values = [Read(sp.Symbol(n), POINT) for n in names]
    between = across.beside
    if len(values) > lanes and (between is None or not lane_by_lane(between, across.last)):
        return None
    while between is not None and len(values) > lanes:
        half = len(values) // 2
        if half % lanes:
            return None
        values = [_both(between, a, b) for a, b in zip(values[:half], values[half:], strict=True)]
    k = across.last.exact or across.last.kernel
    s = k.statements[0]
    at = {s.axes[0].name: 0}
    return rewrite_reads(typed_value(k, s), lambda r: values[int(substitute(r.index[0], at))])


def _loads(load: Instruction, last: Instruction) -> bool:
    """Whether it fills the register with consecutive elements, the first one first."""
    s = load.kernel.statements[0]
    whole = [a.extent for a in s.axes] == [leaves(last)] and isinstance(s.value, Read)
    in_order = [r.index for r in reads(s.value)] == [s.target.index] == [tuple(a.symbol for a in s.axes)]
    return _plain(load, "load") and whole and in_order and _is_register(load, s.target.tensor, last)


def lane_by_lane(i: Instruction, last: Instruction) -> bool:
    """Whether `i` combines two registers of the kind read by `last`, each lane by itself."""
    if len(i.types) != 3 or not all(_is_register(i, o, last) for o in i.types):
        return False
    k = i.exact or i.kernel
    s = k.statements[0]
    lane = tuple(x.symbol for x in s.axes)
    every = [x.extent for x in s.axes] == [leaves(last)] and all(x.index == lane for x in (s.target, *s.inputs))
    return _plain(i, "compute") and every and len(k.inputs) == 2


def _both(i: Instruction, a: Any, b: Any) -> Any:
    """The value computed by `i` from one lane of each of two registers."""
    k = i.exact or i.kernel
    values = dict(zip(k.inputs, (a, b), strict=True))
    return rewrite_reads(typed_value(k, k.statements[0]), lambda r: values[r.tensor])


# ---- An instruction of single elements as a function of its operands, vectorised.


_REDUCE = {"+": np.add, "*": np.multiply, "max": np.maximum, "min": np.minimum}
POINT = sym("point_")


@dataclass(frozen=True)
class Pointwise:
    """op and dtype are the statement's; `tree` reads element number n of an operand as Read(operand, point_).

    indices: the index expressions used as values, over the kernel's axes; the tree calls the k-th one `index_k`.
    """

    op: str
    dtype: DType
    tree: Any
    kernel: Kernel
    indices: tuple[Any, ...] = ()

    def value(self, operands: Sequence[np.ndarray], indices: Sequence[np.ndarray] = ()) -> np.ndarray:
        """The statement's value at each point.

        operands, indices: one vector for each operand read and for each index expression, all of one length.
        """
        count = len([*operands, *indices][0]) if operands or indices else 1
        function = self._functions.get(count)
        if function is None:
            function = self._functions[count] = self._function(count)
        with np.errstate(all="ignore"):
            held = {t.name: np.asarray(v) for t, v in zip(self.kernel.tensors, operands, strict=True)}
            found = function(held | {f"index_{k}": v for k, v in enumerate(indices)})
        return np.broadcast_to(found, (count,)).astype(self.dtype.numpy)

    @cached_property
    def _functions(self) -> dict[int, Function]:
        """By the number of points; a program that runs asks for one point at a time."""
        return {}

    def _function(self, count: int) -> Function:
        env = {"#": np.arange(count), "point_": np.arange(count)}
        shapes = {t.name: (count,) for t in self.kernel.tensors}
        return Functions(self.kernel, shapes).value(self.tree, env, self.dtype)

    def reduce(self, old: np.ndarray, value: np.ndarray) -> np.ndarray:
        """One more value reduced into each element."""
        with np.errstate(all="ignore"):
            return np.asarray(_REDUCE[self.op](old, value)).astype(self.dtype.numpy)


@lru_cache(maxsize=512)
def pointwise(instruction: Instruction) -> Pointwise:
    """The function of an instruction computing one element from others.

    Its value must not sum over axes of its own (Sum).
    """
    contract = instruction.kernel
    statement = contract.statements[0]
    tree = rewrite_reads(statement.value, lambda r: Read(r.args[0], POINT))
    tensors = tuple(t for t in contract.tensors if t.name != statement.target.tensor)
    dtype = contract.tensor(statement.target.tensor).dtype
    indices = index_values(tree)
    tree = tree.xreplace({IndexValue(e): IndexValue(sym(f"index_{k}")) for k, e in enumerate(indices)})
    return Pointwise(statement.op, dtype, tree, Kernel("pointwise", tensors, ()), indices)


__all__ = ["POINT", "Pointwise", "combined", "in_a_row", "lane_by_lane", "leaves", "pointwise"]
