"""What instructions make of elements that lie side by side: the tree that a use with `across` computes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from isamap_smt.ir.expr import is_constant, substitute
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.pointwise import POINT
from isamap_smt.ir.program import Across, Ref, Use
from isamap_smt.ir.scalar import Read, reads, rewrite_reads
from isamap_smt.ir.typed import typed_value


def leaves(i: Instruction) -> int:
    """Lanes of the one register that it combines to one number; 0 of an instruction that does something else."""
    k = i.exact or i.kernel
    s = k.statements[0]
    plain = i.kind == "compute" and len(k.statements) == 1 and s.op == "=" and not s.guard and len(k.inputs) == 1
    plain = plain and not (i.numbered or i.cells_needed or i.may_fail or i.assume or i.preconditions)
    if not plain or [a.extent for a in s.axes] != [1] or s.target.index != (s.axes[0].symbol,):
        return 0
    shape = k.tensor(k.inputs[0]).shape
    return int(shape[0]) if len(shape) == 1 and is_constant(shape[0]) else 0


def in_a_row(use: Use) -> tuple[tuple[str, Ref], ...]:
    """What a point reads, element behind element in one row of memory; () where it is not so."""
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
    """What the steps compute of the elements of these names, in their order; None where they do not fit together."""
    lanes = leaves(across.last)
    if not lanes or len(names) % lanes or not _loads(across.load, across.last):
        return None
    values = [Read(sp.Symbol(n), POINT) for n in names]
    while len(values) > lanes:
        half = len(values) // 2
        if half % lanes or across.beside is None:
            return None
        made = [_both(across.beside, a, b) for a, b in zip(values[:half], values[half:], strict=True)]
        if any(m is None for m in made):
            return None
        values = made
    k = across.last.exact or across.last.kernel
    s = k.statements[0]
    at = {s.axes[0].name: 0}
    return rewrite_reads(typed_value(k, s), lambda r: values[int(substitute(r.index[0], at))])


def _loads(load: Instruction, last: Instruction) -> bool:
    """Whether it fills the register with elements side by side, the first one first."""
    s, register = load.kernel.statements[0], last.kernel.inputs[0]
    plain = load.kind == "load" and s.op == "=" and not s.guard and [a.extent for a in s.axes] == [leaves(last)]
    plain = plain and [r.index for r in reads(s.value)] == [s.target.index] == [tuple(a.symbol for a in s.axes)]
    plain = (
        plain and isinstance(s.value, Read) and not (load.active or load.preconditions or load.assume or load.numbered)
    )
    there = dict(load.places).get(s.target.tensor) == dict(last.places)[register]
    kind = dict(load.c_types).get(s.target.tensor) == dict(last.c_types).get(register)
    return plain and there and kind and load.kernel.tensor(s.target.tensor).dtype == last.kernel.tensor(register).dtype


def _both(i: Instruction, a: Any, b: Any) -> Any:
    """What it makes of a lane of its operands; None of one that does not compute each lane by itself."""
    k = i.exact or i.kernel
    s = k.statements[0]
    lane = tuple(x.symbol for x in s.axes)
    plain = i.kind == "compute" and s.op == "=" and len(lane) == 1 and not (s.guard or i.assume or i.preconditions)
    if not plain or any(x.index != lane for x in (s.target, *s.inputs)) or len(k.inputs) != 2:
        return None
    values = dict(zip(k.inputs, (a, b), strict=True))
    return rewrite_reads(typed_value(k, s), lambda r: values[r.tensor])


__all__ = ["combined", "in_a_row", "leaves"]
