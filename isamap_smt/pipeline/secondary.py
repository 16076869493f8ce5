"""Statements besides the main one that are worth an instruction of their own: secondary sums of products of the kernel."""

from __future__ import annotations

from collections.abc import Iterable

from isamap_smt.ir.kernel import Kernel


def secondary_statements(kernel: Kernel) -> tuple[int, ...]:
    """Statements besides the main one that sum over an axis of theirs; the others are computed element by element."""
    return tuple(
        n
        for n, s in enumerate(kernel.statements)
        if n != kernel.main and s.reduction_axes and s.op == "+" and all(a.tensor != s.target.tensor for a in s.inputs)
    )


def constants_of(kernel: Kernel, statement: int, constant: Iterable[str]) -> tuple[str, ...]:
    """The constant inputs that a statement reads."""
    read = {a.tensor for a in kernel.statements[statement].inputs}
    return tuple(c for c in constant if c in read)
