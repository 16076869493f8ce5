"""Indices made of data, in a mapping: an element used as an index becomes a coordinate of its own, with any value.

    contract  d[l] = t[idx[l]]                               kernel  Y[i] = T[X[i]]
    contract  c[i,j] += v[i,k] * b[4*(k//2) + idx[i,k], j]   kernel  C[i,j] += V[i,k] * B[4*(k//2) + P[i,k], j]

If idx is bound to X, both sides see one value. So the claims about t are those of `t[x]` and `T[x]`, with one more axis
x on either side, the same for both: a claim that holds for any x at any point holds for the value of X there. The
opened mapping expresses only this; it computes nothing, and its other claims are never asked.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping as Dict
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import (
    WIDEST,
    Element,
    Inside,
    element,
    elements,
    free_name,
    insides,
    is_constant,
    sym,
    words,
    written,
)
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Axis, Statement, Tensor
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.scalar import Read, reads, rewrite_reads
from isamap_smt.ir.used import uses
from isamap_smt.mapping.fuse import fuse_groups

Change = Callable[[Any], Any]


@dataclass(frozen=True)
class Data:
    """One operand used as an index: its element and the kernel's, and its range of values, from `low` to `high`.

    axis, point: names of the kernel's and of the instruction's axis for the value. plain: extents of the dimensions
    indexed by the kernel's element alone; none if it also stands in a sum.
    """

    operand: str
    mine: Element
    theirs: Element
    low: int
    high: int
    axis: str
    point: str
    plain: tuple[Any, ...]

    @property
    def count(self) -> int:
        """How many values there are."""
        return self.high - self.low + 1


def follows(mapping: Mapping, operand: str) -> bool:
    """Whether data determines the operand's cell, or the element of its tensor."""
    return bool(elements((*mapping.cells(operand), *mapping.operand_access(operand).index)))


def any_follows(mapping: Mapping) -> bool:
    """Whether one of its operands is found by data."""
    return any(follows(mapping, o) for o, _ in mapping.binding)


def unbound(mapping: Mapping) -> str:
    """The obstacle to opening the mapping, in words; '' without one."""
    ours = {e.tensor: e for e in elements(i for o, _ in mapping.binding for i in mapping.cells(o))}
    bound = dict(mapping.binding)
    read = [element(bound[o].tensor, bound[o].index) for o in ours]
    for e in elements(i for _, a in mapping.binding for i in a.index):
        if e not in read:
            return f"{e} is an index, and no operand of {mapping.instruction.name} that is one is bound to it"
    used = [u for u in uses(mapping.kernel) if u.statement == mapping.statement_index]
    if seldom := next((u for u in used if u.conditions), None):
        return (
            f"`{words(written(seldom.index))}` is an index where a condition holds, and no call looks at it elsewhere"
        )
    if len(set(read)) < len(read):
        return "two operands that are indices are bound to one element"
    return "" if mapping.groups else "it is given by expressions, and an index made of data is followed for axes alone"


def data_of(mapping: Mapping, ranges: Dict[str, tuple[int, int]]) -> tuple[Data, ...]:
    """The operands used as indices. ranges: tensor -> its assumed values. The padding 0 is always among the values."""
    ours = {e.tensor: e for e in elements(i for o, _ in mapping.binding for i in mapping.cells(o))}
    used = {a.name for a in mapping.statement.axes} | set(mapping.instruction.axes) | set(mapping.kernel.free_sizes)
    indices = [i for _, a in mapping.binding for i in a.index]
    found = []
    for operand, mine in ours.items():
        access = mapping.operand_access(operand)
        theirs, kind = element(access.tensor, access.index), mapping.kernel.tensor(access.tensor).dtype
        low, high = ranges.get(access.tensor, (kind.low, kind.high))
        around = [x for x in insides(indices) if elements([x.args[0]])]
        plain = tuple(dict.fromkeys(x.args[1] for x in around if x.args[0] == theirs))
        if any(x.args[0] != theirs and theirs in elements([x.args[0]]) for x in around):
            plain = ()
        low, high = (0 if plain else max(min(low, 0), -WIDEST)), min(max(high, 0), WIDEST)
        found.append(Data(operand, mine, theirs, low, high, _named(access.tensor, used), _named(operand, used), plain))
    return tuple(found)


def _named(of: str, used: set[str]) -> str:
    name = free_name(f"{of}_value", used)
    used.add(name)
    return name


def opened(mapping: Mapping, data: tuple[Data, ...], used: bool, cells_of: str = "") -> Mapping:
    """The mapping with each value of an index as an axis.

    used: take only valid indices, as the kernel uses them and each call checks them; else take all values of the type,
    and ask about cells alone, not elements.
    cells_of: an operand whose cells take the place of its elements, so its claim of bounds is about cells.
    """
    return _opened(mapping, data, used, cells_of)


@lru_cache(maxsize=512)
def _opened(mapping: Mapping, data: tuple[Data, ...], used: bool, cells_of: str) -> Mapping:
    s, contract = mapping.statement, mapping.instruction.kernel.statements[0]
    ours = _changing({d.theirs: sym(d.axis) + d.low for d in data}) if used else _left_out
    mine = _changing({d.mine: sym(d.point) + d.low for d in data})
    axes = [Axis(d.axis, d.plain[0] if used and len(d.plain) == 1 else sp.Integer(d.count)) for d in data]
    guard = [*s.guard]
    if used:  # an open extent may be more than the type has values
        guard += [sp.Lt(sym(d.axis), d.count, evaluate=False) for d in data if d.plain and not is_constant(d.plain[0])]
    for i in insides(i for _, a in mapping.binding for i in a.index) if used else ():
        within, extent = ours(i.args[0]), i.args[1]
        if not any(d.plain == (extent,) and i.args[0] == d.theirs for d in data):
            guard += [sp.Le(0, within, evaluate=False), sp.Lt(within, extent, evaluate=False)]
    statement = _statement(s, (*s.axes, *axes), tuple(guard), ours)
    kernel = replace(mapping.kernel, statements=(statement,), recurrences=(), text="")
    read = {contract.target.tensor, *(r.tensor for r in reads(contract.value))}  # an index may be nothing else
    binding = tuple((o, Access(a.tensor, tuple(map(ours, a.index)))) for o, a in mapping.binding if o in read)
    instruction = _instruction(mapping.instruction, contract, data, mine)
    groups = (*mapping.groups, *((d.point, (d.axis,)) for d in data))
    found = fuse_groups(kernel, instruction, groups, binding)
    return _of_cells(found, cells_of) if cells_of else found


def _left_out(e: Any) -> Any:
    """The index, or 0 if it is made of data: another claim asks for its element, and no size has to hold it."""
    return sp.S.Zero if elements([e]) else e


def _changing(table: dict[Any, Any]) -> Change:
    def change(e: Any) -> Any:
        found = sp.sympify(e).xreplace(table)
        return found.replace(lambda x: isinstance(x, Inside), lambda x: x.args[0])

    return change


def _statement(s: Statement, axes: tuple[Axis, ...], guard: tuple[Any, ...], change: Change) -> Statement:
    value = rewrite_reads(s.value, lambda r: Read(r.args[0], *map(change, r.index)))
    return replace(s, value=value, axes=axes, guard=guard, source="")


def _instruction(i: Instruction, contract: Statement, data: tuple[Data, ...], change: Change) -> Instruction:
    axes = (*contract.axes, *(Axis(d.point, sp.Integer(d.count)) for d in data))
    kernel = replace(i.kernel, statements=(_statement(contract, axes, contract.guard, change),), text="")
    return replace(i, kernel=kernel, exact=None, emit="")


def _of_cells(m: Mapping, operand: str) -> Mapping:
    """The operand bound to its own cell, as an element of a tensor of its shape, at the kernel's point."""
    cells = tuple(sp.sympify(c).xreplace({sym(t): e for t, e in dict(m.inverse).items()}) for c in m.cells(operand))
    old = m.operand_access(operand)
    name = free_name(operand, {t.name for t in m.kernel.tensors})
    new, cell = Access(name, cells), m.instruction.kernel.tensor(operand)
    s = m.statement

    def change(r: Any) -> Any:
        return Read(sp.Symbol(name), *cells) if Access(r.tensor, r.index) == old else r

    statement = replace(s, value=rewrite_reads(s.value, change), source="")
    tensors = (*m.kernel.tensors, Tensor(name, m.kernel.tensor(old.tensor).dtype, cell.shape))
    kernel = replace(m.kernel, statements=(statement,), tensors=tensors)
    binding = tuple((o, new if o == operand else a) for o, a in m.binding)
    return fuse_groups(kernel, m.instruction, m.groups, binding)


def padded_cells(mapping: Mapping, data: tuple[Data, ...], operand: str) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """(cells of the operand with each index at the padding 0, its shape), for lanes without a point of the kernel."""
    zero = _changing({d.mine: sp.S.Zero for d in data})
    return tuple(map(zero, mapping.cells(operand))), mapping.instruction.kernel.tensor(operand).shape


__all__ = ["Data", "any_follows", "data_of", "follows", "opened", "padded_cells", "unbound"]
