"""The results an instruction may leave in its output: the interpreter's, or all those its rounding allows.

Integers and the roundings 'exact', 'unfused' and 'fused' have one result for each accumulator. Intel's and Arm's sums of
products of bf16 flush denormals, and their words for this are known here. With any other words the error of a sum is held to its
bound.

n products, each rounded and added in any order, fused or not, differ from the exact sum by at most about (n + 1) u S,
with the unit roundoff u and the sum S of the magnitudes of all terms (Higham, Accuracy and Stability, section 4.2). Twice
as much is allowed here, and so many flushed denormals. If values multiply sums and products further, each operation is followed
(isamap_smt.ir.rounding_error). A value that leaves the type or its normal numbers on the way does so in the description's own
arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.fibres import fibres
from isamap_smt.ir.fused import fma
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.interpret import batched, fused_exactly, run_instruction
from isamap_smt.ir.kernel import Access, Kernel, Statement
from isamap_smt.ir.near import Near
from isamap_smt.ir.odd import dot_odd
from isamap_smt.ir.rounding_error import rounding_error
from isamap_smt.ir.scalar import Cast, Read, Relu, SAdd, Scalar, SMax, SMin, SMul, SNeg, SSub, cast
from isamap_smt.ir.typed import typed_value
from isamap_smt.runtime.conformance.operands import same_bits

# distance from 1 to the next number, smallest normal number, largest number
_TYPES = {
    "f64": (2.0**-52, 2.0**-1022, 1.797e308), "f32": (2.0**-23, 2.0**-126, 3.4028e38),
    "f16": (2.0**-10, 2.0**-14, 65504.0), "bf16": (2.0**-7, 2.0**-126, 3.3895e38),
}  # fmt: skip


def has_bound(instruction: Instruction) -> bool:
    """Whether it computes a sum of products of floating-point elements."""
    kernel = _kernel(instruction)
    return kernel.statements[0].op in ("+", "=") and _is_sum(typed_value(kernel, kernel.statements[0]))


def bounded(instruction: Instruction, arrays: Arrays, got: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(mask of the results within the bound, the sums in f64).

    If an operand is not finite, NaN and infinities must be those of exact arithmetic. If the finite terms by themselves, or
    their parts, may overflow, anything is allowed.
    """
    kernel = _kernel(instruction)
    s = kernel.statements[0]
    out = kernel.tensor(kernel.outputs[0]).dtype
    n = int(fibres(kernel, s).most) * _products(s.value)
    epsilon = max(_TYPES[d.name][0] for d in (out, *_casts(s.value)) if d.is_float)
    _, tiny, largest = _TYPES[out.name]
    arrays = _clamped(kernel, arrays)
    exact = _in_f64(instruction, arrays, _precise)
    size = _in_f64(instruction, {k: _magnitude(kernel, k, a) for k, a in arrays.items()}, _positive)
    with np.errstate(all="ignore"):
        bound = 2 * (n + 2) * (epsilon * size + tiny)
        value = got.astype(np.float64)
        same = (np.isnan(value) & np.isnan(exact)) | (value == exact)
        near = np.abs(value - exact) <= bound
        finite = {k: np.where(np.isfinite(a.astype(np.float64)), a, a.dtype.type(0)) for k, a in arrays.items()}
        followed = _followed(kernel, finite)
        near |= np.isfinite(exact) & (np.abs(value - followed.value) <= followed.error)
        return same | near | ~np.isfinite(followed.error) | ~(size + bound < largest), exact


def _followed(kernel: Kernel, arrays: Arrays) -> Near:
    """The value and error of the result from the rounding of each operation, for a batch of executions."""
    name = kernel.outputs[0]
    begun, whole = f"{'_'.join(t.name for t in kernel.tensors)}_", batched(kernel, len(arrays[name]))
    (s,), t = whole.statements, whole.tensor(name)
    axes = tuple(a for a in s.axes if a.symbol in s.target.index)
    copy = Statement(Access(begun, s.target.index), "=", Read(sp.Symbol(name), *s.target.index), axes)
    sums = replace(s, target=Access(begun, s.target.index))
    made = replace(whole, tensors=(*whole.tensors, replace(t, name=begun)), statements=(copy, sums))
    return rounding_error(made, arrays)[begun]


def _magnitude(kernel: Kernel, operand: str, cells: np.ndarray) -> np.ndarray:
    """Magnitudes, 0 for elements that are not finite; the lowest integer counts as the highest."""
    kind = kernel.tensor(operand).dtype
    if not kind.is_float:
        return np.abs(np.maximum(cells, -kind.high)) if kind.kind == "i" else cells
    with np.errstate(all="ignore"):
        return np.asarray(np.abs(np.where(np.isfinite(cells.astype(np.float64)), cells, cells.dtype.type(0))))


def _kernel(instruction: Instruction) -> Kernel:
    return instruction.exact or instruction.kernel


def _is_sum(x: Any) -> bool:
    match x:
        case Read():
            return True
        case Cast():
            return _is_sum(x.args[1])
        case SAdd() | SSub() | SMul() | SNeg():
            return all(map(_is_sum, x.args))
    return bool(x.is_number)


def _products(x: Any) -> int:
    """The number of terms the value itself adds up."""
    if isinstance(x, SAdd | SSub):
        return sum(map(_products, x.args))
    return max((_products(a) for a in x.args), default=1) if isinstance(x, Scalar) else 1


def _casts(x: Any) -> list[DType]:
    own = [DTYPES[x.args[0].name]] if isinstance(x, Cast) else []
    return own + [d for a in getattr(x, "args", ()) for d in _casts(a)]


def _clamped(kernel: Kernel, arrays: Arrays) -> Arrays:
    """The arrays with the largest finite numbers for infinities that are only converted to integers: to the same ones."""
    value = kernel.statements[0].value
    inside, apart = set[str](), set[str]()
    for x in sp.preorder_traversal(sp.Tuple(value)):
        into = inside if isinstance(x, Cast) and not DTYPES[x.args[0].name].is_float else apart
        into |= {a.tensor for a in x.args if isinstance(a, Read)}
    found = dict(arrays)
    for k in inside - apart:
        if kernel.tensor(k).dtype.is_float:
            most = _TYPES[kernel.tensor(k).dtype.name][2]
            ends = np.where(arrays[k] > 0, most, -most).astype(arrays[k].dtype)
            found[k] = np.where(np.isinf(arrays[k].astype(np.float64)), ends, arrays[k])
    return found


def _precise(x: Any) -> Any:
    """Without the roundings of conversions to narrower types of floating point."""
    return cast("f64", x.args[1]) if isinstance(x, Cast) and DTYPES[x.args[0].name].is_float else x


def _positive(x: Any) -> Any:
    """The same, with nothing subtracted."""
    if isinstance(x, SSub):
        return SAdd(*x.args)
    if isinstance(x, SNeg):
        return x.args[0]
    return abs(x) if isinstance(x, sp.Number) else _precise(x)


def _in_f64(instruction: Instruction, arrays: Arrays, change: Callable[[Any], Any]) -> np.ndarray:
    """The instruction's result in f64, with every part of its value changed."""
    kernel = _kernel(instruction)
    s = kernel.statements[0]

    def changed(x: Any) -> Any:
        if isinstance(x, Scalar) and not isinstance(x, Read):
            x = x.func(*map(changed, x.args))
        return change(x)

    floats = {t.name: "f64" for t in kernel.tensors if t.dtype.is_float}
    wide = replace(kernel, statements=(replace(s, value=changed(typed_value(kernel, s))),)).with_dtypes(floats)
    with np.errstate(all="ignore"):  # a quiet NaN of a loud one
        held = {n: a.astype(np.float64) if n in floats else a for n, a in arrays.items()}
    return run_instruction(replace(instruction, exact=wide, rounding="unfused"), held)[kernel.outputs[0]]


Arrays = dict[str, np.ndarray]
Model = Callable[[Instruction, Arrays], list[np.ndarray]]


def flushed(x: np.ndarray) -> np.ndarray:
    """Denormals as zeros of the same sign."""
    return np.where(np.abs(x) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), x), x)


def stepped(a: np.ndarray, b: np.ndarray, acc: np.ndarray) -> np.ndarray:
    """a * b + acc, fused. A result rounding to less than the smallest normal number, with an unbounded exponent, is flushed.

    Seen on an Intel core: 2^-126 less 0.86 of the distance to the next such number gives 0, and not 2^-126.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        near = a.astype(np.float64) * b + acc
    whole = fma(a, b, acc)
    return np.where(np.abs(near) < 2.0**-126 - 2.0**-151, np.copysign(np.float32(0), whole), whole)


def _operands(instruction: Instruction, arrays: Arrays) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The two factors in f32, denormals flushed, and the accumulator."""
    target = instruction.kernel.outputs[0]
    a, b = (flushed(arrays[n].astype(np.float32)) for n in instruction.kernel.inputs if n != target)
    return a, b, arrays[target]


def pairs_in_either_order(instruction: Instruction, arrays: Arrays) -> list[np.ndarray]:
    """acc plus two products in both orders, each step fused, denormals flushed: the two possible results of vdpbf16ps."""
    a, b, start = _operands(instruction, arrays)
    found = []
    for order in ((1, 0), (0, 1)):
        acc = flushed(start)
        for e in order:
            acc = stepped(a[..., e], b[..., e], acc)
        found.append(acc)
    return found


def even_and_odd_apart(instruction: Instruction, arrays: Arrays) -> list[np.ndarray]:
    """c plus even and odd products, summed apart, each step fused, denormals flushed: the result of tdpbf16ps."""
    a, b, c = _operands(instruction, arrays)
    sums = [np.zeros(c.shape, np.float32), np.zeros(c.shape, np.float32)]
    for k in range(a.shape[-1]):
        left, right = (np.broadcast_to(x, c.shape) for x in (a[:, :, k, None], b[:, k, None, :]))
        sums[k % 2] = stepped(left, right, sums[k % 2])
    one = np.ones(c.shape, np.float32)
    both = stepped(sums[0], one, sums[1])
    return [stepped(both, one, flushed(c))]


def pairs_to_odd(instruction: Instruction, arrays: Arrays) -> list[np.ndarray]:
    """The accumulator plus sums of two products, in order, each operation rounded to odd: the result of bfdot and bfmmla."""
    target = instruction.kernel.outputs[0]
    a, b = (arrays[n] for n in instruction.kernel.inputs if n != target)
    acc = arrays[target]
    if acc.ndim == a.ndim:  # tiles: the rows of both factors
        a, b = a[:, :, None, :], b[:, None, :, :]
    for k in range(0, a.shape[-1], 2):
        left, right = (np.broadcast_to(x[..., k : k + 2], (*acc.shape, 2)) for x in (a, b))
        acc = dot_odd(acc, left, right)
    return [acc]


# (words of a description, contract they are known for) -> the results they allow
_LANES, _TILES = "acc[l] += f32(a[l,e]) * f32(b[l,e])", "c[i,j] += f32(a[i,k]) * f32(b[k,j])"
_ROWS = "c[i,j] += f32(a[i,k]) * f32(b[j,k])"
_ODD = "{}each product and each sum rounded to odd, flushes denormals"
WORDS: dict[tuple[str, str], Model] = {
    ("two fused steps in either order, to nearest even, flushes denormals", _LANES): pairs_in_either_order,
    (
        "even and odd products summed apart, each step fused and to nearest even, then added; flushes denormals",
        _TILES,
    ): even_and_odd_apart,
    (_ODD.format("adds the sum of two products, "), _LANES): pairs_to_odd,
    (_ODD.format("adds sums of two products in order, "), _ROWS): pairs_to_odd,
}


def model_of(instruction: Instruction) -> Model | None:
    """All results the rounding allows, one array for each possibility; None if only a bound is known."""
    contract = instruction.kernel
    if not contract.tensor(contract.outputs[0]).dtype.is_float or instruction.rounding in ("exact", "unfused"):
        return _interpreted
    if instruction.rounding == "fused":
        return _interpreted if fused_exactly(instruction) else None
    return WORDS.get((instruction.rounding, contract.text.strip()))


def _interpreted(instruction: Instruction, arrays: Arrays) -> list[np.ndarray]:
    return [run_instruction(instruction, arrays)[instruction.kernel.outputs[0]]]


def right(instruction: Instruction, arrays: Arrays, got: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(mask of the right results, one right result). The contract must have a model or a bound; see judged_by()."""
    model = model_of(instruction)
    if model is not None:
        allowed = model(instruction, arrays)
        return np.logical_or.reduce([same_bits(got, a) | _zeros(instruction, got, a) for a in allowed]), allowed[0]
    return bounded(instruction, arrays, got)


def only_rounding(instruction: Instruction, arrays: Arrays, got: np.ndarray, found: np.ndarray) -> bool:
    """Whether another rounding would allow each wrong result. found: mask of the right ones."""
    kernel = instruction.exact or instruction.kernel
    if not kernel.tensor(kernel.outputs[0]).dtype.is_float or not has_bound(instruction):
        return False
    return bool((found | bounded(instruction, arrays, got)[0]).all())


def judged_by(instruction: Instruction) -> str:
    """How results are compared, in words; '' if no rule is known for the rounding."""
    if model_of(instruction) is not None:
        return "bit for bit"
    return "within the error bound of its sum" if has_bound(instruction) else ""


def _zeros(instruction: Instruction, got: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Of +0 and -0, maxima and minima may give either; see docs/trust.md."""
    kernel = instruction.exact or instruction.kernel
    s = kernel.statements[0]
    if s.op not in ("max", "min") and not s.value.has(SMax, SMin, Relu):
        return np.zeros(got.shape, bool)
    with np.errstate(all="ignore"):
        return (got == 0) & (wanted == 0)
