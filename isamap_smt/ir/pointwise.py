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
from isamap_smt.ir.scalar import Read, rewrite_reads

_REDUCE = {"+": np.add, "*": np.multiply, "max": np.maximum, "min": np.minimum}
_POINT = sym("point_")


@dataclass(frozen=True)
class Pointwise:
    """op and dtype are the statement's; `tree` reads element number n of an operand as Read(operand, point_)."""

    op: str
    dtype: DType
    tree: Any
    kernel: Kernel

    def value(self, operands: Sequence[np.ndarray]) -> np.ndarray:
        """The statement's value at each point. operands: one vector for each that is read, all of one length."""
        count = len(operands[0]) if operands else 1
        function = self._functions.get(count)
        if function is None:
            function = self._functions[count] = self._function(count)
        with np.errstate(all="ignore"):
            found = function({t.name: np.asarray(v) for t, v in zip(self.kernel.tensors, operands, strict=True)})
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
    tree = rewrite_reads(statement.value, lambda r: Read(r.args[0], _POINT))
    tensors = tuple(t for t in contract.tensors if t.name != statement.target.tensor)
    dtype = contract.tensor(statement.target.tensor).dtype
    return Pointwise(statement.op, dtype, tree, Kernel("pointwise", tensors, ()))
