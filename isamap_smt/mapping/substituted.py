"""A statement over other axes in the place of one of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from isamap_smt.ir.expr import substitute
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement
from isamap_smt.ir.scalar import put_into_indices
from isamap_smt.language import to_text


def over_other_axes(s: Statement, axis: str, axes: Sequence[Axis], point: Any, guard: Sequence[Any]) -> Statement:
    """The statement with `point`, which is over the new axes, for the axis, under this guard of its own axes."""
    table = {axis: point}
    return replace(
        s,
        target=Access(s.target.tensor, tuple(substitute(i, table) for i in s.target.index)),
        value=put_into_indices(s.value, table),
        axes=tuple(x for a in s.axes for x in (axes if a.name == axis else (a,))),
        guard=tuple(substitute(g, table) for g in guard),
        source="",
    )


def with_statement(kernel: Kernel, position: int, made: Statement) -> Kernel:
    """The kernel with this statement at the position."""
    every = (*kernel.statements[:position], made, *kernel.statements[position + 1 :])
    new = replace(kernel, statements=every, file="")
    return replace(new, text=to_text(new))


__all__ = ["over_other_axes", "with_statement"]
