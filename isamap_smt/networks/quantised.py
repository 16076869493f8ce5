"""Quantised values: bytes standing for numbers by a scale and a zero point, and sums of products of bytes.

Exporters write DequantizeLinear, an operator of floating point and QuantizeLinear. They are computed in whole numbers
if the operator allows it: its sum of products is exact, and rounded once on becoming bytes. A graph remembers the bytes
or the sum behind a value of floating point; the step converting them is dropped if nothing else reads it.

Bytes between steps are unsigned, and weights signed, as instructions multiply them: signed bytes are stored with 128
added to them and to their zero point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isamap_smt.ir.dtypes import DType, dtype
from isamap_smt.networks import operators as do
from isamap_smt.networks.graph import Var

U8, I8, I32 = map(dtype, ("u8", "i8", "i32"))
HALF = 128  # what is added to signed bytes


@dataclass(frozen=True)
class Quantised:
    """(x - zero) * scale, as a node's inputs say it."""

    x: Var
    scale: Var
    zero: Var | None


@dataclass(frozen=True)
class Bytes:
    """(x - zero) * scale, x being unsigned bytes, or signed ones of a constant. scale: f32, of one element, or one for each of the
    dimension `axis`. of: the type as the model has it."""

    x: Var
    scale: Var
    zero: int
    axis: int | None
    of: DType

    def same_numbers(self, other: Bytes) -> bool:
        """Whether equal bytes stand for equal numbers."""
        mine, theirs = self.scale.constant, other.scale.constant
        return (
            mine is not None
            and theirs is not None
            and self.axis is other.axis is None
            and mine.reshape(-1)[0] == theirs.reshape(-1)[0]
            and (self.zero, self.of) == (other.zero, other.of)
        )


@dataclass(frozen=True)
class Sum:
    """(total + terms) * scale in a shape of its own, in i32 before the scale. terms, and scale in f32, broadcast against total.
    low: the sum is not below 0 any more."""

    total: Var
    terms: tuple[Var, ...]
    scale: Var
    shape: tuple[Any, ...]
    low: bool = False


# ---- Bytes


def unsigned(x: Var) -> Var:
    """Signed bytes with 128 added, as unsigned ones."""
    if (known := x.graph.unsigned.get(x.name)) is not None:
        return known
    return do.pointwise(lambda a: f"{a} + {HALF}", x, to=U8, within=dtype("i16"))


def as_declared(x: Var, of: DType) -> Var:
    """The opposite, if the model has signed bytes; the unsigned ones are known from then on."""
    if of == U8:
        return x
    made = do.pointwise(lambda a: f"{a} - {HALF}", x, to=I8, within=dtype("i16"))
    x.graph.unsigned[made.name] = x
    return made


def bytes_of(x: Var, scale: Var, zero: Var | None, axis: int) -> Bytes | None:
    """The bytes behind a dequantised value; None unless they have a known scale and zero point."""
    if x.dtype not in (U8, I8) or scale.dtype != do.F32 or scale.constant is None:
        return None
    if zero is not None and zero.constant is None:
        return None
    zeros = (
        np.zeros(1, np.int64) if zero is None or zero.constant is None else zero.constant.reshape(-1).astype(np.int64)
    )
    if (zeros != zeros[0]).any() or scale.rank > 1:
        return None
    along = None if scale.elements == 1 else axis
    scale = x.graph.view(scale, [] if along is None else [scale.elements])
    if x.constant is not None and x.dtype == I8:
        return Bytes(x, scale, int(zeros[0]), along, I8)
    if x.dtype == U8:
        return Bytes(x, scale, int(zeros[0]), along, U8)
    return Bytes(unsigned(x), scale, int(zeros[0]) + HALF, along, I8)


def number(b: Bytes) -> Var:
    """The numbers meant by bytes, in f32."""
    shape = [] if b.axis is None else [b.scale.elements if n == b.axis else 1 for n in range(b.x.rank)]
    scale = b.x.graph.view(b.scale, shape)
    if not b.zero:
        return do.pointwise("{} * {}".format, b.x, scale, to=do.F32, within=do.F32, written=False)
    zero = b.x.graph.constant(np.array(b.zero, np.float32))
    return do.pointwise("({} - {}) * {}".format, b.x, zero, scale, to=do.F32, within=do.F32, written=False)


def total(x: Sum) -> Var:
    """The number meant by a sum, in f32."""
    return _finished(x, x.scale, do.F32, "{}")


def exact(x: Sum) -> Var:
    """The sum before its scale, in i32."""
    made = x.total
    for term in x.terms:
        made = do.pointwise(lambda a, b: f"{a} + {b}", made, term)
    return x.total.graph.view(made, x.shape)


def _finished(x: Sum, factor: Var, to: DType, text: str, **reads: Var) -> Var:
    """text of f32(sum) * factor, at each point."""
    shape = x.total.shape
    index = do.names(len(shape))
    terms = {f"B{n}": t for n, t in enumerate(x.terms)}
    whole = " + ".join(do.element(v, n, index) for n, v in {"T": x.total, **terms}.items())
    whole = f"max({whole}, 0)" if x.low else whole
    value = text.format(f"f32({whole}) * {do.element(factor, 'S', index)}")
    line = f"Y[{','.join(index)}] = {value}"
    given = {"T": x.total, **terms, "S": factor, **reads}
    made = x.total.graph.step(line, given, {"Y": (to, shape)}, dict(zip(index, shape, strict=True)))[0]
    return x.total.graph.view(made, x.shape)


def rounded(x: Sum, scale: Var, zero: int, of: DType) -> Var:
    """A sum as bytes: rint(it * (its scale / scale)) + zero, clamped to the type."""
    factor = do.pointwise(lambda a, b: f"{a} / {b}", x.scale, scale)
    moved = zero + (HALF if of == I8 else 0)
    if not moved:
        made = _finished(x, factor, U8, "round_u8({})")
    else:
        zeros = x.total.graph.constant(np.array(moved, np.float32))
        made = _finished(x, factor, U8, "round_u8(rint({}) + Z[])", Z=zeros)
    return as_declared(made, of)


# ---- Sums of products


def _signed(w: Bytes) -> tuple[Var, int]:
    """Bytes as the second operand of a product: signed, and their zero point."""
    if w.x.dtype == I8:
        return w.x, w.zero
    if w.x.constant is not None:
        return w.x.graph.constant((w.x.constant.astype(np.int16) - HALF).astype(np.int8)), w.zero - HALF
    return do.pointwise(lambda a: f"{a} - {HALF}", w.x, to=I8, within=dtype("i16")), w.zero - HALF


def _scale(x: Bytes, w: Bytes, shape: Sequence[int]) -> Var:
    """The product of both scales; shape: of the second one's, if there are several."""
    second = w.scale if w.axis is None else w.x.graph.view(w.scale, shape)
    return do.pointwise(lambda a, b: f"{a} * {b}", x.scale, second)


NO_BIAS = np.zeros(1, np.int64)


def bias_of(x: Bytes, w: Bytes, bias: Var | None) -> np.ndarray | None:
    """A bias in units of the sum, as whole numbers; None if it was dequantised with another scale than the product's."""
    if bias is None:
        return NO_BIAS
    held = x.x.graph.quantised.get(bias.name)
    scale = _scale(x, w, (w.scale.elements,)).constant
    if not isinstance(held, tuple) or scale is None:
        return None
    whole, unit = (v.constant for v in held)
    alike = (
        whole is not None and unit is not None and np.allclose(unit.reshape(-1), scale.reshape(-1), rtol=1e-5, atol=0)
    )
    return whole.reshape(-1).astype(np.int64) if alike else None


def convolved(
    x: Bytes, w: Bytes, bias: np.ndarray, before: Sequence[int], after: Sequence[int],
    convolve: Callable[[Var, Var, Sequence[int], Sequence[int]], Var],
) -> Sum | None:  # fmt: skip
    """The sums of a convolution with constant weights, plus a bias in their units; None if they are none of bytes."""
    if w.x.constant is None or x.axis is not None or w.axis not in (None, 0):
        return None
    weights, zero = _signed(w)
    if zero or weights.constant is None:
        return None
    scale = _scale(x, w, (w.scale.elements, *[1] * (x.x.rank - 2)))
    image, sides = x.x, (list(before), list(after))
    if x.zero and any((*before, *after)):
        image = do.pad(image, [0, 0, *before], [0, 0, *after], value=x.zero)
        sides = [0] * len(before), [0] * len(after)
    sums = weights.constant.astype(np.int64).reshape(weights.shape[0], -1).sum(1)
    shift = (bias - x.zero * sums).reshape(-1, *[1] * (x.x.rank - 2))
    made = convolve(image, weights, *sides)
    return Sum(made, _terms(image, shift), scale, made.shape)


def _terms(x: Var, fixed: np.ndarray) -> tuple[Var, ...]:
    """Whole numbers as terms of a sum, wrapped to i32; none if they are 0."""
    return (x.graph.constant((fixed & 0xFFFFFFFF).astype(np.uint32).view(np.int32)),) if fixed.any() else ()


def multiplied(a: Bytes, b: Bytes, bias: np.ndarray = NO_BIAS) -> Sum | None:
    """The sums of a product of matrices, plus a bias in their units; None if they are none of bytes."""
    if a.axis is not None or a.x.rank < 2 or b.x.rank < 2 or b.axis not in (None, b.x.rank - 1):
        return None
    if a.x.dtype != U8:
        return None
    right, zero = _signed(b)
    scale = _scale(a, b, (b.scale.elements,))
    inner, left = a.x.shape[-1], a.x
    shape = (*do.broadcast(left.shape[:-2], right.shape[:-2]), left.shape[-2], right.shape[-1])
    if right.rank == 2 and right.constant is not None:  # one product of all rows
        left = left.graph.view(left, (math.prod(left.shape[:-1]), inner))
    made = do.matmul(left, right, I32)
    fixed = bias + inner * a.zero * zero
    if right.constant is not None:
        fixed = fixed - a.zero * right.constant.astype(np.int64).sum(-2, keepdims=right.rank > 2)
    terms: tuple[Var, ...] = ()
    if right.constant is None and a.zero:
        columns = do.reduction("ReduceSum", do.converted(right, I32), (right.rank - 2,), True)
        terms += (do.pointwise(lambda c: f"{c} * {do.literal(-a.zero)}", columns),)
    if zero:
        rows = do.reduction("ReduceSum", do.converted(left, I32), (left.rank - 1,), True)
        terms += (do.pointwise(lambda r: f"{r} * {do.literal(-zero)}", rows),)
    return Sum(made, (*terms, *_terms(a.x, np.asarray(fixed))), scale, shape)


def averaged(x: Bytes, axes: Sequence[int]) -> Sum | None:
    """The mean along axes; None if there are several scales."""
    if x.axis is not None:
        return None
    count = math.prod(x.x.shape[n] for n in axes)
    total = do.reduction("ReduceSum", do.converted(x.x, I32), axes, True)
    scale = do.pointwise(lambda s: f"{s} / {count}", x.scale)
    return Sum(total, _terms(x.x, np.full([1] * x.x.rank, -count * x.zero, np.int64)), scale, total.shape)


def averages(x: Bytes, sums: Var, counts: np.ndarray, divisors: np.ndarray) -> Sum:
    """Means of windows. sums: of the bytes in each, in i32.

    For each place of the result, counts: the number of summands; divisors: the divisor of the sum.
    """
    scale = do.pointwise("{} / {}".format, x.scale, x.x.graph.constant(divisors.astype(np.float32)))
    return Sum(sums, _terms(x.x, -x.zero * counts.astype(np.int64)), scale, sums.shape)


def product(a: Bytes, b: Bytes) -> Sum | None:
    """The products of elements at the same place; None if there are several scales."""
    if a.axis is not None or b.axis is not None:
        return None
    text = f"({{}} - {do.literal(a.zero)}) * ({{}} - {do.literal(b.zero)})"
    made = do.pointwise(text.format, a.x, b.x, to=I32, within=I32)
    return Sum(made, (), _scale(a, b, ()), made.shape)
