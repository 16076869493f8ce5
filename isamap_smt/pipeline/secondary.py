"""Statements besides the main one that are worth an instruction of their own."""

from __future__ import annotations

from collections.abc import Iterable

from isamap_smt.ir.boxes import left_to_inputs
from isamap_smt.ir.indirect import by_data
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.split import REGROUPED


def secondary_statements(kernel: Kernel, every: bool = False) -> tuple[int, ...]:
    """Statements besides the main one that reduce over an axis of theirs, or compute elements that are none of a finished sum's;
    the others are computed element by element, where the sum is. every: these, too, as on a machine that has nothing else."""
    return tuple(n for n in range(len(kernel.statements)) if n != kernel.main and _by_itself(kernel, n, every))


def _by_itself(kernel: Kernel, n: int, every: bool) -> bool:
    s = kernel.statements[n]
    if by_data(s) or (s.op != "+" and left_to_inputs(s)) or any(a.tensor == s.target.tensor for a in s.inputs):
        return False
    if s.reduction_axes:
        return s.op in REGROUPED
    return s.op == "=" and (every or not any(_ends(m, s) for m in kernel.statements[:n]))


def _ends(m: Statement, s: Statement) -> bool:
    """Whether `s` computes an element of each one that `m` sums up."""
    axes = {a.name for a in s.axes}
    read = [a for a in s.inputs if a.tensor == m.target.tensor]
    return bool(m.reduction_axes) and any({str(i) for i in a.index if i.is_Symbol} == axes for a in read)


def constants_of(kernel: Kernel, statement: int, constant: Iterable[str]) -> tuple[str, ...]:
    """The constant inputs that a statement reads."""
    read = {a.tensor for a in kernel.statements[statement].inputs}
    return tuple(c for c in constant if c in read)
