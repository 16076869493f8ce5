"""A kernel's sum(e, 4, x) stands for x at e = 0, plus x at e = 1 and so on, in this order: it is written out when the text is read.

So a kernel holds nothing but sums of two, and what maps, proves, schedules and prints it needs no case of its own. An
instruction keeps its sums: their axes are those that a proof speaks of.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from isamap_smt.ir.expr import substitute
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.scalar import Read, SAdd, Scalar, Sum, bound_axes, rewrite_reads

LARGEST = 64  # terms of the sums in one value: each is written into the code


def terms(value: Any) -> int:
    """How many terms sums stand for where they are nested most: at least as many as are written out on one way down."""
    return prod(bound_axes(value).values())


def written_out(kernel: Kernel) -> Kernel:
    """The kernel without Sum in its values, of the same meaning to the last bit.

    >>> from isamap_smt.language import kernel, to_text
    >>> to_text(kernel("y[i] = sum(e, 3, x[3*i+e])")).splitlines()[-1]
    'y[i] = x[3*i] + x[3*i + 1] + x[3*i + 2]'
    """
    if not any(bound_axes(s.value) for s in kernel.statements):
        return kernel
    return replace(kernel, statements=tuple(replace(s, value=_written_out(s.value)) for s in kernel.statements))


def _written_out(x: Any) -> Any:
    if isinstance(x, Read) or not isinstance(x, Scalar):
        return x
    if not isinstance(x, Sum):
        return x.func(*map(_written_out, x.args))
    axis, count, body = x.args
    body = _written_out(body)
    made = _at(body, axis.name, 0)
    for n in range(1, int(count)):
        made = SAdd(made, _at(body, axis.name, n))
    return made


def _at(body: Any, axis: str, value: int) -> Any:
    return rewrite_reads(body, lambda r: Read(r.args[0], *(substitute(i, {axis: value}) for i in r.index)))
