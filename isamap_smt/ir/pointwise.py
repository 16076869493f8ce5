"""What an instruction of single elements computes, as a function of those that it reads, vectorised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.evaluate import Function, Functions
from isamap_smt.ir.expr import sym
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.scalar import IndexValue, Read, index_values, rewrite_reads

_REDUCE = {"+": np.add, "*": np.multiply, "max": np.maximum, "min": np.minimum}
POINT = sym("point_")


@dataclass(frozen=True)
class Pointwise:
    """op and dtype are the statement's; `tree` reads element number n of an operand as Read(operand, point_).

    indices: the index expressions that stand as values, over the kernel's axes; the tree names number k of them `index_k`.
    """

    op: str
    dtype: DType
    tree: Any
    kernel: Kernel
    indices: tuple[Any, ...] = ()

    def value(self, operands: Sequence[np.ndarray], indices: Sequence[np.ndarray] = ()) -> np.ndarray:
        """The statement's value at each point. operands: one vector for each that is read; indices: for each of these; all of
        one length."""
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
    """The function of an instruction that computes one element of others. Its value must not sum over axes of its own (Sum)."""
    contract = instruction.kernel
    statement = contract.statements[0]
    tree = rewrite_reads(statement.value, lambda r: Read(r.args[0], POINT))
    tensors = tuple(t for t in contract.tensors if t.name != statement.target.tensor)
    dtype = contract.tensor(statement.target.tensor).dtype
    indices = index_values(tree)
    tree = tree.xreplace({IndexValue(e): IndexValue(sym(f"index_{k}")) for k, e in enumerate(indices)})
    return Pointwise(statement.op, dtype, tree, Kernel("pointwise", tensors, ()), indices)
