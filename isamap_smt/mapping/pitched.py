"""Inputs whose rows lie any distance apart, as a kernel in the same language: A[i,k] becomes A[i*A_pitch + k].

The tensor is one-dimensional then, and just as long as what the array spans, from its first element to its last. So every claim is
about elements that there are, and nothing behind kernels had to learn of strides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sympy as sp

from isamap_smt.ir.errors import ArgumentError, LanguageError, did_you_mean
from isamap_smt.ir.expr import elements, sym
from isamap_smt.ir.kernel import Kernel, Parameter, Tensor
from isamap_smt.ir.scalar import Read, reads, rewrite_reads
from isamap_smt.language.printer import to_text


def pitches(tensor: Tensor) -> tuple[str, ...]:
    """Parameters for how many elements lie between neighbours along each axis but the last; along the one axis there is.

    >>> from isamap_smt.language import kernel
    >>> pitches(kernel("y[i] += A[i,j] * x[j]").tensor("A"))
    ('A_pitch',)
    """
    axes = max(1, len(tensor.shape) - 1)
    return (f"{tensor.name}_pitch",) if axes == 1 else tuple(f"{tensor.name}_pitch{d}" for d in range(axes))


def pitched(kernel: Kernel, names: Sequence[str]) -> Kernel:
    """The kernel that reads these inputs in place, wherever their rows lie. Raises ArgumentError for what is no input with an axis,
    LanguageError for a name that is taken and for an index that is data."""
    given = {n: kernel.tensor(n) for n in kernel.inputs}
    for n in names:
        if n not in given:
            raise ArgumentError(f"strided: {kernel.name} has no input {n!r}; {did_you_mean(n, given)}")
        if not given[n].shape:
            raise ArgumentError(f"strided: {n} is a single element, and has no rows")
    steps = {n: pitches(given[n]) for n in names}
    known = {*kernel.free_sizes, *given, *kernel.outputs, *(a.name for a in kernel.axes)}
    if taken := [p for found in steps.values() for p in found if p in known]:
        raise LanguageError(f"strided: {kernel.name} has a {taken[0]} of its own; give it another name")
    if by_data := [
        r.tensor for s in kernel.statements for r in reads(s.value) if r.tensor in steps and elements(r.index)
    ]:
        raise LanguageError(
            f"strided: an index of {by_data[0]} is data, and such elements are read from whole arrays alone"
        )

    def place(index: Sequence[Any], name: str) -> Any:
        own = [sym(p) for p in steps[name]]
        return sp.expand(sum(i * p for i, p in zip(index, [*own, sp.S.One], strict=False)))

    def length(t: Tensor) -> Any:
        return place([e - 1 for e in t.shape], t.name) + 1

    tensors = tuple(replace(t, shape=(length(t),)) if t.name in steps else t for t in kernel.tensors)
    statements = tuple(
        replace(
            s,
            value=rewrite_reads(
                s.value, lambda r: Read(r.args[0], place(r.index, r.tensor)) if r.tensor in steps else r
            ),
        )
        for s in kernel.statements
    )
    parameters = (*kernel.parameters, *(Parameter(p, 1) for n in names for p in steps[n]))
    made = replace(kernel, tensors=tensors, statements=statements, parameters=parameters)
    return replace(made, text=to_text(made))
