"""Whether the kernel itself, and no program for it, reaches out of a tensor: asked where a program is refuted, for better words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from isamap_encodings.program_implication import implied, value
from isamap_encodings.verdict import Refuted
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement
from isamap_smt.ir.scalar import bound_axes
from isamap_smt.ir.words import words
from isamap_smt.proof.program_sites import Formula, span


def reaches_out(kernel: Kernel, given: Sequence[Formula]) -> str | None:
    """An element that a statement has and its tensor has not, with sizes and axes at which that is so; None where none is found.

    given: what is known of sizes.
    """
    sizes = sorted({*kernel.free_sizes, *(p.name for p in kernel.parameters)})
    for s in kernel.statements:
        axes = (*s.axes, *(Axis(n, sp.Integer(count)) for n, count in bound_axes(s.value).items()))
        known = [*given, *(f for a in axes for f in span(a.symbol, a.extent)), *s.guard]
        for access in (s.target, *s.inputs):
            for n, (index, extent) in enumerate(zip(access.index, kernel.tensor(access.tensor).shape, strict=True)):
                if not _followed(index, axes, sizes):
                    continue
                verdict = implied(known, span(index, extent), sizes, f"reach {access.tensor}")
                if isinstance(verdict, Refuted):
                    return _told(s, access, n, sp.sympify(extent), verdict.witness)
    return None


def _followed(index: Any, axes: Sequence[Axis], sizes: Sequence[str]) -> bool:
    return {x.name for x in sp.sympify(index).free_symbols} <= {*sizes, *(a.name for a in axes)}


def _told(s: Statement, access: Access, n: int, extent: Any, witness: Mapping[str, Any]) -> str:
    index = words(access.index[n])
    at = " ".join(f"{name}={v}" for name, v in sorted(witness.items()))
    return (
        f"{s.place or 'a statement'}: {access.tensor} has no element where index {index} of dimension {n} is "
        f"{value(sp.sympify(access.index[n]), witness)}, outside [0, {value(extent, witness)}): at {at};\n"
        f"  correct the shape of {access.tensor}, say how long an axis is (`axis i < 2*N`), fix the sizes, or add a guard such as "
        f"`where 0 <= {index} < {words(extent)}`"
    )


__all__ = ["reaches_out"]
