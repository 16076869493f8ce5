"""Kernels with other statements: over other axes, in the place of one of theirs, and with temporaries of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from isamap_smt.ir.expr import free_name, substitute
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement, Tensor
from isamap_smt.ir.scalar import bound_axes, put_into_indices
from isamap_smt.language import to_text


def over_other_axes(s: Statement, axis: str, axes: Sequence[Axis], point: Any, guard: Sequence[Any]) -> Statement:
    """The statement with `point`, an expression over the new axes, for the axis, under this guard of its own axes."""
    table = {axis: point}
    return replace(
        s,
        target=Access(s.target.tensor, tuple(substitute(i, table) for i in s.target.index)),
        value=put_into_indices(s.value, table),
        axes=tuple(x for a in s.axes for x in (axes if a.name == axis else (a,))),
        guard=tuple(substitute(g, table) for g in guard),
        source="",
    )


def in_place_of(kernel: Kernel, position: int, made: Sequence[Statement], more: Sequence[Tensor] = ()) -> Kernel:
    """The kernel with these statements in the place of the one at the position, and with these temporaries."""
    every = (*kernel.statements[:position], *made, *kernel.statements[position + 1 :])
    return with_statements(kernel, every, position, more)


def with_statements(kernel: Kernel, every: tuple[Statement, ...], position: int, more: Sequence[Tensor]) -> Kernel:
    """The kernel with these statements; the additional ones stand behind the position."""
    added = len(every) - len(kernel.statements)
    new = replace(
        kernel,
        tensors=in_text((*kernel.tensors, *more), every) if more else kernel.tensors,
        statements=every,
        temporaries=(*kernel.temporaries, *(t.name for t in more)),
        recurrences=tuple(r.moved(position, added) for r in kernel.recurrences),
        file="",
    )
    return replace(new, text=to_text(new))


def in_text(tensors: tuple[Tensor, ...], statements: tuple[Statement, ...]) -> tuple[Tensor, ...]:
    """The tensors in the order of their first use in the statements, as they are read from a text."""
    names = [a.tensor for s in statements for a in (s.target, *s.inputs)]
    return tuple(sorted(tensors, key=lambda t: names.index(t.name)))


def new_name(kernel: Kernel, name: str) -> str:
    """The name, with enough `_` behind it to be new to the kernel."""
    taken = {t.name for t in kernel.tensors} | {a.name for a in kernel.axes} | set(kernel.free_sizes)
    taken |= {p.name for p in kernel.parameters} | {n for s in kernel.statements for n in bound_axes(s.value)}
    return free_name(name, taken)


__all__ = ["in_place_of", "in_text", "new_name", "over_other_axes", "with_statements"]
