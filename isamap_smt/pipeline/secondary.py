"""Statements besides the main one worth an instruction of their own."""

from __future__ import annotations

from collections.abc import Iterable

from isamap_smt.ir.heads import FUNCTION_ROWS
from isamap_smt.ir.indirect import by_data
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.rows import REGROUPED


def secondary_statements(kernel: Kernel, every: bool = False) -> tuple[int, ...]:
    """Statements besides the main one that reduce over an axis, or assign elements that do not follow from a finished sum.

    Elements that follow from one are computed beside it, element by element, unless their function takes many steps, such as
    exp. every: these, too, as on a machine that has nothing else.
    """
    return tuple(n for n in range(len(kernel.statements)) if n != kernel.main and _by_itself(kernel, n, every))


def follows_a_sum(kernel: Kernel, n: int) -> bool:
    """Whether statement `n` assigns elements that follow from a finished sum, beside which they are computed."""
    return kernel.statements[n].op == "=" and n not in secondary_statements(kernel) and _behind_a_sum(kernel, n)


def _behind_a_sum(kernel: Kernel, n: int) -> bool:
    return any(_ends(kernel, m, n) for m in range(n))


def _by_itself(kernel: Kernel, n: int, every: bool) -> bool:
    s = kernel.statements[n]
    if by_data(s) or any(a.tensor == s.target.tensor for a in s.inputs):
        return False
    if s.reduction_axes:
        return s.op in REGROUPED
    apart = every or (_by_steps(s) and kernel.recurrence_of(n) is None)
    return s.op == "=" and (apart or not _behind_a_sum(kernel, n))


def _by_steps(s: Statement) -> bool:
    """Whether it calls a function computed by portable C in many steps, by looks into tables."""
    return bool(s.value.has(*(head for head, row in FUNCTION_ROWS.items() if row.steps)))


def _ends(kernel: Kernel, m: int, n: int) -> bool:
    """Whether statement `n` computes an element from each one that `m` sums up, and waits for no later sum."""
    s, sums = kernel.statements[n], kernel.statements[m]
    axes = {a.name for a in s.axes}
    read = [a for a in s.inputs if a.tensor == sums.target.tensor]
    behind = {x.target.tensor for x in kernel.statements[m + 1 : n] if x.op != "="}
    waits = any(a.tensor in behind for a in s.inputs)
    return (
        bool(sums.reduction_axes) and not waits and any({str(i) for i in a.index if i.is_Symbol} == axes for a in read)
    )


def constants_of(kernel: Kernel, statement: int, constant: Iterable[str]) -> tuple[str, ...]:
    """The constant inputs read by a statement."""
    read = {a.tensor for a in kernel.statements[statement].inputs}
    return tuple(c for c in constant if c in read)
