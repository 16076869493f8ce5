"""Operands read by data, as tiles: what lies in a tile of the operand, whichever of its cells data names.

    c[i,j] += v[i,k] * b[4*(k//2) + idx[i,k] % 4, j]        b: [16,8], in 'scratchpad[h,j]'
    C[i,j] += V[i,k] * B[4*(k//2) + P[i,k], j]              k = 8*k_tile + k: rows 16*k_tile + h of B

Whoever moves tiles has to know only that. So the mapping for tiles has an axis h more in the instruction and one more in
the kernel, and reads b[h,j] and B[h',j]. Where a tile begins is taken from the index at data 0; the program's proof
claims that the cell named there is the element.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import FloorDiv, elements, free_name, substitute, sym
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.scalar import Read, SMul, cast, rewrite_reads


@lru_cache(maxsize=512)
def of_tiles(mapping: Mapping) -> Mapping:
    """The mapping for whoever moves tiles; itself if no operand is read by data. Its value means nothing."""
    named = [o for o, _ in mapping.binding if elements(mapping.cells(o))]
    if not named:
        return mapping
    s, taken = mapping.statement, {a.name for a in mapping.statement.axes} | set(mapping.kernel.free_sizes)
    axes, forward, groups = list(s.axes), list(mapping.forward), list(mapping.groups)
    reads: dict[Access, Access] = {}
    for o in named:
        access, own = mapping.operand_access(o), _names(mapping.instruction, o)
        index = list(access.index)
        for d, cell in enumerate(mapping.cells(o)):
            if elements([cell]):
                axis = free_name(f"{access.tensor}{d}", taken)
                taken.add(axis)
                axes.append(Axis(axis, mapping.kernel.tensor(access.tensor).shape[d]))
                forward.append((axis, _begin(mapping, access.index[d], cell) + sym(own[d])))
                groups.append((own[d], (axis,)))
                index[d] = sym(axis)
        reads[access] = Access(access.tensor, tuple(index))
    used = [mapping.operand_access(o) for o, _ in mapping.binding]
    statement = _reading(s, tuple(axes), reads, used, mapping.kernel)
    kernel = replace(
        mapping.kernel,
        statements=tuple(statement if x is s else x for x in mapping.kernel.statements),
        recurrences=(),
        text="",
    )
    binding = tuple((o, reads.get(a, a)) for o, a in mapping.binding)
    return replace(
        mapping, kernel=kernel, instruction=whole_tiles(mapping.instruction), binding=binding, forward=tuple(forward),
        groups=tuple(groups),
    )  # fmt: skip


@lru_cache(maxsize=512)
def whole_tiles(instruction: Instruction) -> Instruction:
    """The instruction that reads each cell of a tile where the contract reads one named by data."""
    s = instruction.kernel.statements[0]
    named = [a for a in s.inputs if elements(a.index)]
    if not named:
        return instruction
    axes, reads = list(s.axes), {}
    for a in named:
        own, shape = _names(instruction, a.tensor), instruction.shapes[a.tensor]
        index = list(a.index)
        for d, i in enumerate(a.index):
            if elements([i]):
                axes.append(Axis(own[d], sp.sympify(shape[d])))
                index[d] = sym(own[d])
        reads[a] = Access(a.tensor, tuple(index))
    statement = _reading(s, tuple(axes), reads, list(s.inputs), instruction.kernel)
    return replace(instruction, kernel=replace(instruction.kernel, statements=(statement,), text=""), exact=None)


def _names(instruction: Instruction, operand: str) -> list[str]:
    """The names that count the operand's dimensions, by its place."""
    o = instruction.operand(operand)
    return [str(e) for e in (o.row, o.column) if e != 0]


def _reading(
    s: Statement, axes: tuple[Axis, ...], reads: dict[Access, Access], used: list[Access], kernel: Kernel
) -> Statement:
    """The statement that reads these instead; what was read in an index alone is read beside."""

    def change(r: Any) -> Any:
        now = reads.get(Access(r.tensor, tuple(r.index)))
        return r if now is None else Read(r.args[0], *now.index)

    value, out = rewrite_reads(s.value, change), kernel.tensor(s.target.tensor).dtype
    there = {reads.get(a, a) for a in replace(s, value=value).inputs} | {s.target}
    for a in used:
        if a not in reads and a not in there:
            value = SMul(value, cast(out, Read(sp.Symbol(a.tensor), *a.index)))
    return replace(s, value=value, axes=axes, source="")


def _begin(mapping: Mapping, index: Any, cell: Any) -> Any:
    """The first element of a tile along a dimension: the index less the cell, at the first point and at data 0."""
    zero = dict.fromkeys(mapping.instruction.axes, sp.S.Zero)
    at = substitute(index, dict(mapping.forward))
    plain = [sp.sympify(substitute(e, zero)) for e in (at, cell)]
    plain = [e.xreplace(dict.fromkeys(elements([e]), sp.S.Zero)) for e in plain]
    plain = [e.replace(lambda x: type(x).__name__ == "Inside", lambda x: x.args[0]) for e in plain]
    return sp.expand(_divided(plain[0]) - _divided(plain[1]))


def _divided(e: Any) -> Any:
    """Quotients of multiples, such as `8*k // 2`, without a division."""

    def whole(x: Any) -> Any:
        n = sp.expand(x.args[0] / x.args[1]) if x.args[1].is_Integer else x
        coefficients = [t.as_coeff_Mul()[0] for t in sp.Add.make_args(n)]
        return n if x.args[1].is_Integer and all(c.is_Integer for c in coefficients) else x

    return e.replace(lambda x: isinstance(x, FloorDiv), whole)


__all__ = ["of_tiles", "whole_tiles"]
