"""A statement as a function of the elements it reads: what a program's Compute node does at one point, vectorised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.evaluate import Function, Functions
from isamap_smt.ir.expr import sym
from isamap_smt.ir.kernel import Access, Kernel, Tensor
from isamap_smt.ir.scalar import Read, rewrite_reads
from isamap_smt.ir.typed import typed_value

_REDUCE = {"+": np.add, "*": np.multiply, "max": np.maximum, "min": np.minimum}
_POINT = sym("point_")


@dataclass(frozen=True)
class Pointwise:
    """op and dtype are the statement's; `tree` reads element number n of operand k as Read(operand_k, point_)."""

    op: str
    dtype: DType
    tree: Any
    kernel: Kernel

    def value(self, operands: Sequence[np.ndarray]) -> np.ndarray:
        """The statement's value at each point. operands: one vector per Statement.inputs, all of one length."""
        count = len(operands[0]) if operands else 1
        function = self._functions.get(count)
        if function is None:
            function = self._functions[count] = self._function(count)
        with np.errstate(all="ignore"):
            found = function({f"operand_{k}": np.asarray(v) for k, v in enumerate(operands)})
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
def pointwise(kernel: Kernel, position: int) -> Pointwise:
    """The function of statement number `position`. Its value must not sum over axes of its own (Sum)."""
    statement = kernel.statements[position]
    inputs = statement.inputs
    tensors = tuple(Tensor(f"operand_{k}", kernel.tensor(a.tensor).dtype, ()) for k, a in enumerate(inputs))

    def operand(r: Any) -> Any:
        return Read(sp.Symbol(f"operand_{inputs.index(Access(r.tensor, r.index))}"), _POINT)

    tree = rewrite_reads(typed_value(kernel, statement), operand)
    dtype = kernel.tensor(statement.target.tensor).dtype
    return Pointwise(statement.op, dtype, tree, Kernel("pointwise", tensors, ()))
