"""Ordered reductions: floating point added one product at a time, in the kernel's order, each operation rounded.

An instruction that adds several points in one execution, or rounds a*b + c once instead of twice, gives other bits; a
concrete example of numbers is the witness.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from isamap_encodings.verdict import Proved, Refuted, Unknown, Verdict
from isamap_smt.ir.dtypes import DType
from isamap_smt.ir.fibres import fibres
from isamap_smt.ir.fused import fma
from isamap_smt.ir.mapping import Mapping
from isamap_smt.ir.scalar import Cast, Read, SMul
from isamap_smt.proof.scalar_trees import accumulation


def order_verdict(mapping: Mapping) -> Verdict:
    """Whether one execution adds one point to each cell, with the kernel's rounding."""
    contract = mapping.instruction.kernel.statements[0]
    groups = dict(mapping.groups)
    for axis in fibres(mapping.instruction.kernel, contract).axes:
        n = mapping.instruction.axes[axis]
        single = (axis in groups and not groups[axis]) or n == 1
        if not single and accumulation(mapping.kernel, mapping.statement)[0] in ("+", "*"):
            return _several(mapping, axis, n)
    out = mapping.kernel.tensor(mapping.statement.target.tensor).dtype
    match mapping.instruction.rounding:
        case "exact" | "unfused":
            return Proved()
        case "fused":
            return _fused(mapping, out)
    return Unknown(
        f"{mapping.instruction.name} rounds in a way that is not described exactly: {mapping.instruction.rounding}"
    )


def _several(mapping: Mapping, axis: str, n: int) -> Verdict:
    """A sum whose value depends on the order, among the terms of one execution."""
    out = mapping.kernel.tensor(mapping.statement.target.tensor).dtype
    kind = out.numpy.type
    big, one = kind(2.0 ** {64: 53, 32: 24, 16: 11}[out.bits] if out.name != "bf16" else 2.0**8), kind(1)
    left, right = kind(kind(big + one) + one), kind(big + kind(one + one))
    if left == right:
        return Unknown(f"{mapping.instruction.name} adds {n} points of {axis} at once, in an order it does not state")
    text = (
        f"the kernel adds one product at a time, {mapping.instruction.name} adds {n} points of {axis} in one execution\n"
        f"  kernel       ({float(big):.0f} + 1) + 1 = {float(left):.0f}\n"
        f"  instruction  {float(big):.0f} + (1 + 1) = {float(right):.0f}   in {out}, as it may add them"
    )
    return Refuted(
        {"accumulator": float(big), "products": "1, 1", "kernel": float(left), "instruction": float(right)}, text
    )


def _fused(mapping: Mapping, out: DType) -> Verdict:
    """a*b + c rounded once against rounded twice, in the type of the accumulator."""
    _, value = accumulation(mapping.kernel, mapping.statement)
    if not isinstance(value, SMul):
        return Unknown("a fused rounding is compared for products only")
    if all(_narrow(a, mapping) for a in value.args):
        return Proved()  # f16 * f16 is exact in f32: 11 + 11 bits fit 24, and the exponents fit, too
    if out.name not in ("f32", "f64"):
        return Unknown(f"no fused multiply-add is described for {out}")
    kind = out.numpy.type
    a = kind(1 + 2.0 ** -(27 if out.bits == 64 else 12))
    c = kind(-(a * a))
    once = fma(np.array([a]), np.array([a]), np.array([c]))[0]
    twice = kind(kind(a * a) + c)
    exact = Fraction(float(a)) ** 2 + Fraction(float(c))
    if once == twice or Fraction(float(once)) != exact or not _any_value(value, mapping, out):
        return Unknown("no example was found where rounding once differs from rounding twice")
    text = (
        f"{mapping.instruction.name} rounds a*b + c once, the kernel rounds a*b first\n"
        f"  a = b = {float(a)!r}, c = {float(c)!r}\n"
        f"  kernel       {float(twice)!r}\n  instruction  {float(once)!r}"
    )
    return Refuted(
        {"a": float(a), "b": float(a), "c": float(c), "kernel": float(twice), "instruction": float(once)}, text
    )


def _narrow(e: Any, mapping: Mapping) -> bool:
    return (
        isinstance(e, Cast)
        and str(e.args[0]) == "f32"
        and isinstance(e.args[1], Read)
        and mapping.kernel.tensor(e.args[1].tensor).dtype.name == "f16"
    )


def _any_value(e: Any, mapping: Mapping, out: DType) -> bool:
    """Whether both factors are plain elements of the accumulator's type, so that the example can occur."""
    return all(isinstance(a, Read) and mapping.kernel.tensor(a.tensor).dtype == out for a in e.args)


__all__ = ["order_verdict"]
