"""Takes apart a statement that no instruction computes at once: proposes the part of its value to compute first.

    Y[i,j] = (X[i,j] - m[i]) * r[i]         Y_part[i,j] = X[i,j] - m[i]         by y[r,c] = a[r,c] - m[r]
                                            Y[i,j] = Y_part[i,j] * r[i]         by y[r,c] = a[r,c] * m[r]

The value is covered by the contracts of instructions, as few as possible; operands that are no elements are parts. Only
the part is proposed here: isamap_smt.mapping.staged_values makes the statements, and these are mapped and proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from math import inf
from typing import Any

import sympy as sp

from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.errors import DTypeError
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.scalar import Read, Relu, Saturate, Scalar, SMax
from isamap_smt.ir.typed import type_of
from isamap_smt.mapping.instances import alike
from isamap_smt.mapping.patterns import Known, bindings_of
from isamap_smt.mapping.staged_values import parts_of


@dataclass
class Covering:
    """The values of a kernel's statements over contracts of computing instructions, each of one value for a cell."""

    instructions: Sequence[Instruction]
    types: Mapping[str, DType]
    known: dict[Any, float] = field(default_factory=dict)

    def next_part(self, kernel: Kernel, statement: int) -> int | None:
        """The number of the part to compute first, for a statement not computed at once; None if there is none."""
        s = kernel.statements[statement]
        every = parts_of(s)
        ways = (w for w in self.ways(s.value, s.op) if w[1])
        best, parts = min(ways, key=lambda w: w[0], default=(inf, ()))
        if best == inf:
            return None
        (first, *_) = parts
        return every.index(first) + 1 if first in every else None

    def parts_at_once(self, kernel: Kernel, statement: int) -> Iterator[int]:
        """Numbers of an assigned value's parts computed by one instruction from elements, the innermost first."""
        s = kernel.statements[statement]
        for n, part in reversed(list(enumerate(parts_of(s), 1))):
            if s.op == "=" and part != s.value and self.count(part) == 1:
                yield n

    def missing(self, kernel: Kernel, statement: int) -> Any:
        """The innermost part of a statement's value that no instruction computes from elements; None if there is none."""
        s = kernel.statements[statement]
        for e in reversed(parts_of(s)):
            if not isinstance(e, Read) and self.count(e) == inf:
                return e
        return None if min((n for n, _ in self.ways(s.value, s.op)), default=inf) < inf else s.value

    def count(self, tree: Any) -> float:
        """How many instructions compute an element of this value."""
        if isinstance(tree, Read):
            return 0
        if tree not in self.known:
            self.known[tree] = inf  # a part is smaller than the whole
            self.known[tree] = min((n for n, _ in self.ways(tree, "=")), default=inf)
        return self.known[tree]

    def ways(self, tree: Any, op: str) -> Iterator[tuple[float, tuple[Any, ...]]]:
        """(instructions, parts computed first), for each instruction that computes the whole from its operands."""
        for i in self.instructions:
            if i.combines != op:
                continue
            for found in bindings_of(i, i.kernel.statements[0].value, tree, Known(partial(self._taken, i), _spellings)):
                bound = {o: e for o, e in found if o not in i.immediates}
                parts = tuple(dict.fromkeys(e for e in bound.values() if not isinstance(e, Read)))
                if _mappable(i, bound) and (tree not in parts or op != "="):
                    yield 1 + sum(map(self.count, parts)), parts

    def _taken(self, i: Instruction, operand: str, tree: Any, _: bool) -> Any:
        return tree if self._type(tree) == i.types[operand] else None

    def _type(self, tree: Any) -> DType | None:
        try:
            return type_of(tree, dict(self.types)) if isinstance(tree, Scalar) else None
        except DTypeError:
            return None


def _mappable(i: Instruction, bound: Mapping[str, Any]) -> bool:
    """Whether operands are distinct values, except for one pair of alike operands."""
    same = [(a, b) for a, b in combinations(bound, 2) if bound[a] == bound[b]]
    return not same or (len(same) == 1 and alike(i, *same[0]))


def _spellings(tree: Any) -> tuple[Any, ...]:
    """The tree, and a maximum with 0 as relu or the other way round; nothing for a saturation."""
    if isinstance(tree, Relu):
        return tree, SMax(tree.args[0], sp.S.Zero)
    if isinstance(tree, SMax) and sp.S.Zero in tree.args:
        return tree, Relu(next(a for a in (*tree.args, sp.S.Zero) if a != 0))
    return () if isinstance(tree, Saturate) else (tree,)


__all__ = ["Covering"]
