"""Tensors with rows any distance apart, as a kernel in the same language.

An input A: [I,K] becomes one-dimensional, A[i*A_pitch + k], exactly as long as the array's span from its first element
to its last. So every claim is about existing elements, and no stage behind kernels knows strides. An output C: [I,J]
keeps its axes and gets room behind each row, C: [I, J + C_gap]; the statements write the same elements, so tiles are
unchanged. The room behind the last row is not the caller's, so a program must not depend on it: see knows_no_gap().
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from isamap_smt.ir.errors import ArgumentError, LanguageError, NotProvedError, did_you_mean
from isamap_smt.ir.expr import elements, sym, symbols_of
from isamap_smt.ir.hypotheses import Finite, Range, Start
from isamap_smt.ir.kernel import Access, Kernel, Parameter, Statement, Tensor
from isamap_smt.ir.program import Block, Prefetch, Program, Role
from isamap_smt.ir.scalar import Read, reads, rewrite_reads
from isamap_smt.ir.traversal import own_parts, walk
from isamap_smt.language.printer import to_text


def pitches(tensor: Tensor) -> tuple[str, ...]:
    """Parameters for how many elements of an input lie between neighbours along each axis but the last, or along the only one.

    >>> from isamap_smt.language import kernel
    >>> pitches(kernel("y[i] += A[i,j] * x[j]").tensor("A"))
    ('A_pitch',)
    """
    return _numbered(tensor, "pitch")


def gaps(tensor: Tensor) -> tuple[str, ...]:
    """Parameters for how much longer each axis of an output but the first is in memory; of its one axis, how many elements lie
    between neighbours."""
    return _numbered(tensor, "gap")


def _numbered(tensor: Tensor, word: str) -> tuple[str, ...]:
    axes = max(1, len(tensor.shape) - 1)
    return (f"{tensor.name}_{word}",) if axes == 1 else tuple(f"{tensor.name}_{word}{d}" for d in range(axes))


def pitched(kernel: Kernel, names: Sequence[str]) -> Kernel:
    """The kernel that reads these inputs and writes these outputs in place, at any distance of their rows.

    Raises ArgumentError for a name that is neither or has no axis, LanguageError for a taken name and for an index made
    of data.
    """
    given = {n: kernel.tensor(n) for n in (*kernel.inputs, *kernel.results)}
    for n in names:
        if n not in given:
            raise ArgumentError(f"strided: {kernel.name} has no input or output {n!r}; {did_you_mean(n, given)}")
        if not given[n].shape:
            raise ArgumentError(f"strided: {n} is a single element, and has no rows")
    steps = {n: pitches(given[n]) for n in names if n in kernel.inputs}
    room = {n: gaps(given[n]) for n in names if n not in kernel.inputs}
    known = {*kernel.free_sizes, *given, *kernel.outputs, *(a.name for a in kernel.axes)}
    if taken := [p for found in (*steps.values(), *room.values()) for p in found if p in known]:
        raise LanguageError(f"strided: {kernel.name} has a {taken[0]} of its own; give it another name")
    accesses = [a for s in kernel.statements for a in (*reads(s.value), s.target)]
    if by_data := [a.tensor for a in accesses if a.tensor in names and elements(a.index)]:
        raise LanguageError(
            f"strided: an index of {by_data[0]} is data, and such elements are found in whole arrays alone"
        )

    def place(name: str, index: Sequence[Any]) -> tuple[Any, ...]:
        if name in steps:
            own = [sym(p) for p in steps[name]]
            return (sp.expand(sum(i * p for i, p in zip(index, [*own, sp.S.One], strict=False))),)
        return (*index, sp.S.Zero) if name in room and len(index) == 1 else tuple(index)

    def moved(s: Statement) -> Statement:
        value = rewrite_reads(s.value, lambda r: Read(r.args[0], *place(r.tensor, r.index)))
        return replace(s, value=value, target=Access(s.target.tensor, place(s.target.tensor, s.target.index)))

    def shape(t: Tensor) -> tuple[Any, ...]:
        if t.name in room:
            inner = t.shape[1:] or (sp.S.One,)
            return (t.shape[0], *(n + sym(g) for n, g in zip(inner, room[t.name], strict=True)))
        return tuple(n + 1 for n in place(t.name, [e - 1 for e in t.shape])) if t.name in steps else t.shape

    parameters = [Parameter(p, 1) for found in steps.values() for p in found]
    parameters += [Parameter(p, 0) for found in room.values() for p in found]
    made = replace(
        kernel,
        tensors=tuple(replace(t, shape=shape(t)) for t in kernel.tensors),
        statements=tuple(map(moved, kernel.statements)),
        parameters=(*kernel.parameters, *parameters),
    )
    return replace(made, text=to_text(made))


def knows_no_gap(program: Program, outputs: Sequence[Tensor]) -> None:
    """Raise NotProvedError if the program's actions, or its assumptions on elements, depend on the room behind rows.

    The program is proved for every such room, and for none at all; without room, each access is to an element of the
    kernel. An access independent of the room is therefore always to an element of the kernel.
    """
    told = {g for t in outputs for g in gaps(t)}
    for node, _ in walk(program):
        steps = [
            e for b in own_parts(node, Block) for e in (b.to_row, b.from_row)
        ]  # addresses, as the tensor's shape says
        steps += [p.distance for p in own_parts(node, Prefetch)]  # on which no value depends
        expressions = [e for e in own_parts(node, Role.EXPRESSION) if e is not None and e not in steps]
        if found := sorted(told & symbols_of(expressions)):
            raise NotProvedError(f"strided: the program depends on {found[0]}; leave this tensor out of strided=")
    looked_at = {*program.bools, *(h.tensor for h in program.hypotheses if isinstance(h, Finite | Range | Start))}
    for name in (t.name for t in outputs if t.name in looked_at):
        raise NotProvedError(
            f"strided: each call looks at all elements of {name} before it runs; "
            "leave it out of strided=, and it is computed in a copy"
        )
