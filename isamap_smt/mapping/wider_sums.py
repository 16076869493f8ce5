"""Sums of a narrow type carried in a wider one, and rounded once: a kernel of its own, then mapped and proved.

C[i,j] += A[i,k] * B[k,j]                  all bf16

temporary C_f32
C_f32: f32
C_f32[i,j] += A[i,k] * B[k,j]
C[i,j] += C_f32[i,j]
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import ml_dtypes
import sympy as sp

from isamap_smt.ir.dtypes import DTYPES, DType, dtype
from isamap_smt.ir.errors import DTypeError
from isamap_smt.ir.expr import sym, symbols_of
from isamap_smt.ir.fibres import fibres
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement, Tensor
from isamap_smt.ir.kinds import KERNEL, require_kind
from isamap_smt.ir.scalar import Read
from isamap_smt.mapping.substituted import in_place_of, new_name

WIDE = ("f32", "f64")


def accumulate(kernel: Kernel, kind: DType | str = "f32") -> Kernel:
    """The kernel with every sum of a narrower floating-point type carried in this one, and rounded once.

    A temporary carries it. kind: f32 or f64. Elements converted to the type of the sum without a written cast are
    converted to this one: products of bf16 are exact in f32. The result is another kernel, and is proved, run and
    certified as such. If a call accumulates into `out`, the whole sum is rounded, then added. Raises DTypeError for
    other types, if no sum is narrower, and if time steps share elements of one.

    >>> import isamap_smt as im
    >>> gemm = im.find_kernel("gemm").with_dtypes(dict.fromkeys("ABC", "bf16"))
    >>> print(accumulate(gemm, "f32").text.splitlines()[-2])
    C_f32[i, j] += A[i, k] * B[k, j]
    """
    require_kind("accumulate", kernel, Kernel, KERNEL)
    wide = dtype(kind)
    if wide.name not in WIDE:
        raise DTypeError(f"accumulate={wide}: sums are carried in f32 or f64")
    narrow = [n for n in range(len(kernel.statements)) if _is_narrower(kernel, n, wide)]
    if not narrow:
        raise DTypeError(
            f"no sum of {kernel.name} has a floating-point type narrower than {wide}: leave accumulate out"
        )
    for n in reversed(narrow):
        kernel = _carried(kernel, n, wide)
    return kernel


def _is_narrower(kernel: Kernel, n: int, wide: DType) -> bool:
    s = kernel.statements[n]
    kind = kernel.tensor(s.target.tensor).dtype
    reads_it = any(a.tensor == s.target.tensor for a in s.inputs)
    summed = s.op in ("+", "*") and kind.is_float and kind.bits < wide.bits and not reads_it
    return summed and not fibres(kernel, s).apart


def _carried(kernel: Kernel, n: int, wide: DType) -> Kernel:
    s, home = kernel.statements[n], kernel.tensor(kernel.statements[n].target.tensor)
    carried = Tensor(new_name(kernel, f"{home.name}_{wide}"), wide, home.shape)
    summed = replace(s, target=Access(carried.name, s.target.index), source="")
    rounded = _rounded(kernel, n, carried.name)
    if rounded is None:
        raise DTypeError(
            f"statement {n + 1} of {kernel.name} adds to elements of {home.name} in several time steps, and each may be read in "
            "between: such a sum is not rounded once; give its tensors wider types"
        )
    return in_place_of(kernel, n, (summed, rounded), (carried,))


def _rounded(kernel: Kernel, n: int, carried: str) -> Statement | None:
    """The statement that adds each element of the carried sum to its target once; None if time steps share elements."""
    s, home = kernel.statements[n], kernel.tensor(kernel.statements[n].target.tensor)

    def at(index: tuple[Any, ...], axes: tuple[Axis, ...]) -> Statement:
        return Statement(Access(home.name, index), s.op, Read(sp.Symbol(carried), *index), axes)

    used = symbols_of(s.target.index)
    alone = at(s.target.index, tuple(a for a in s.axes if a.name in used))
    if fibres(kernel, alone).apart:  # else several points of the axes may be one element
        return alone
    if kernel.recurrence_of(n) is not None:
        return None
    names = [new_name(kernel, f"{home.name.lower()}_at{d}") for d in range(len(home.shape))]
    return at(tuple(map(sym, names)), tuple(map(Axis, names, home.shape)))


def narrow_sums(kernel: Kernel) -> tuple[str, ...]:
    """Warnings on sums carried in so few bits that they may lose much of their terms."""
    told = []
    for n, s in enumerate(kernel.statements):
        if s.op != "+" or not _is_narrower(kernel, n, DTYPES["f32"]):
            continue
        kind = kernel.tensor(s.target.tensor).dtype
        most = 1 << (int(ml_dtypes.finfo(kind.numpy).nmant) + 1)  # type: ignore[no-untyped-call]
        terms = fibres(kernel, s).number or 0
        if 0 < terms <= most:
            continue
        lost = (
            f"{terms:,} equal terms add up to {most:,} of them, {1 - most / terms:.0%} lost"
            if terms
            else f"of more than {most:,} equal terms the rest is lost"
        )
        advice = "`--accumulate f32` (isamap_smt.accumulate(kernel, 'f32')) carries the sum in f32 and rounds it once"
        if _rounded(kernel, n, s.target.tensor) is None:
            advice = "Give it a wider type"
        told.append(
            f"{s.target.tensor} is summed up in {kind}, which keeps {most.bit_length() - 1} bits: one after the other, {lost}. "
            f"{advice}"
        )
    return tuple(told)


__all__ = ["accumulate", "narrow_sums"]
