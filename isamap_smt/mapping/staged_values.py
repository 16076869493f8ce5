"""Names an intermediate value of a statement: a part of its value becomes an element of a temporary. Nothing here is
trusted: proof/rewrite_claims.py shows that both kernels compute the same.

    S[i] += exp(A[i,j] - B[j]) where j <= i         Y[i,j] = (X[i,j] - m[i]) * r[i]

    S_values[i,j] = exp(A[i,j] - B[j]) where j <= i         Y_part[i,j] = X[i,j] - m[i]
    S[i] += S_values[i,j] where j <= i                      Y[i,j] = Y_part[i,j] * r[i]

A masked load fills left-out lanes with the neutral number of the reduction. Values computed from it need not be
neutral: exp(0 - 0) is 1. Elements of S_values are reduced as they are. A part is one instruction's work on elements,
for a machine whose instructions compute no more at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

from isamap_smt.ir.boxes import left_to_inputs
from isamap_smt.ir.errors import ScheduleError
from isamap_smt.ir.expr import symbols_of
from isamap_smt.ir.kernel import Access, Kernel, Statement, Tensor
from isamap_smt.ir.rewrite import Again, Rewrite, Valued
from isamap_smt.ir.rows import REGROUPED, Staged
from isamap_smt.ir.scalar import Read, Saturate, Scalar, Sum, index_values, read, reads
from isamap_smt.ir.typed import type_of
from isamap_smt.mapping.substituted import in_place_of, new_name


def has_values(kernel: Kernel, statement: int) -> bool:
    """Whether the statement reduces computed values, under a guard decided by elements of its inputs."""
    s = kernel.statements[statement]
    free = s.op in REGROUPED and not s.ordered and all(a.tensor != s.target.tensor for a in s.inputs)
    inside = kernel.recurrence_of(statement) is not None
    return free and not inside and not isinstance(s.value, Read) and bool(s.reduction_axes and left_to_inputs(s))


def parts_of(s: Statement) -> tuple[Any, ...]:
    """The parts of a statement's value that may have a name of their own, numbered from 1: the whole value, for a
    reduction, then the intermediate values, outermost first."""

    def inside(e: Any) -> Iterator[Any]:
        if isinstance(e, Scalar) and not isinstance(e, Read | Sum | Saturate):
            if any(True for _ in reads(e)):
                yield e
            for a in e.args:
                yield from inside(a)

    return tuple(dict.fromkeys((s.value, *inside(s.value))))


def stage_values(kernel: Kernel, statement: int, part: int = 0) -> Rewrite:
    """The kernel with a part of the statement's value in a temporary; part 0 is the value of a guarded reduction.
    Raises ScheduleError if it has no such part of its own."""
    s = kernel.statements[statement]
    if part:
        made, values = _of_part(kernel, s, part)
    elif not has_values(kernel, statement):
        raise ScheduleError(f"statement {statement + 1} of {kernel.name} reduces no values that a guard leaves out")
    else:
        name = new_name(kernel, f"{s.target.tensor}_values")
        values = Tensor(name, kernel.tensor(s.target.tensor).dtype, tuple(a.extent for a in s.axes))
        place = tuple(a.symbol for a in s.axes)
        made = (
            Statement(Access(name, place), "=", s.value, s.axes, s.guard),
            replace(s, value=read(name, *place), source=""),
        )
    roles = (Valued(statement, values.name), Again(statement + 1, statement))
    return Rewrite(kernel, in_place_of(kernel, statement, made, (values,)), Staged(statement, parts=part), roles)


def _of_part(kernel: Kernel, s: Statement, part: int) -> tuple[tuple[Statement, Statement], Tensor]:
    """(statement for the part, over the axes it depends on; statement that reads it), and the part's tensor."""
    found = parts_of(s)
    tree = found[part - 1] if 0 < part <= len(found) else None
    dtype = None if tree is None else type_of(tree, {t.name: t.dtype for t in kernel.tensors})
    whole = tree == s.value and (s.op == "=" or isinstance(tree, Read))
    if tree is None or dtype is None or whole or s.guard or any(a.tensor == s.target.tensor for a in s.inputs):
        raise ScheduleError(f"a statement of {kernel.name} has no part {part} that is computed by itself")
    used = symbols_of([i for r in reads(tree) for i in r.index]) | symbols_of(index_values(tree))
    axes = tuple(a for a in s.axes if a.name in used)
    name = _named(kernel, s.target.tensor)
    place = tuple(a.symbol for a in axes)
    values = Tensor(name, dtype, tuple(a.extent for a in axes))
    rest = replace(s, value=_with(s.value, tree, read(name, *place)), source="")
    return (Statement(Access(name, place), "=", tree, axes), rest), values


def _named(kernel: Kernel, target: str) -> str:
    """Names a part of a tensor's value: `Y_part1`, and `Y_part2` for a part of `Y_part1` or another part of Y."""
    whole = target.partition("_part")[0]
    numbered = (f"{whole}_part{n}" for n in count(1))
    return next(name for name in numbered if new_name(kernel, name) == name)


def _with(e: Any, part: Any, instead: Any) -> Any:
    """The tree with `instead` for each occurrence of a part, except below a saturation, where nothing wraps."""
    if e == part:
        return instead
    if not isinstance(e, Scalar) or isinstance(e, Read | Saturate):
        return e
    return e.func(*(_with(a, part, instead) for a in e.args))


__all__ = ["has_values", "parts_of", "stage_values"]
