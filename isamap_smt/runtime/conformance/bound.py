"""The error bound of a sum of products in floating point, whatever its order: for roundings that words alone describe.

n products that are each rounded and added in any order, fused or not, differ from the exact sum by at most about (n + 1) u S,
with the unit roundoff u and the sum S of the magnitudes of all terms (Higham, Accuracy and Stability, section 4.2). Twice
that is allowed here, and so many flushed denormals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from isamap_smt.ir.dtypes import DTYPES, DType
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.interpret import run_instruction
from isamap_smt.ir.kernel import Kernel
from isamap_smt.ir.scalar import Cast, Read, SAdd, Scalar, SMul, SNeg, SSub, cast
from isamap_smt.ir.typed import typed_value

Arrays = dict[str, np.ndarray]
# distance from 1 to the next number, smallest normal number, largest number
_TYPES = {
    "f64": (2.0**-52, 2.0**-1022, 1.797e308), "f32": (2.0**-23, 2.0**-126, 3.4028e38),
    "f16": (2.0**-10, 2.0**-14, 65504.0), "bf16": (2.0**-7, 2.0**-126, 3.3895e38),
}  # fmt: skip


def has_bound(instruction: Instruction) -> bool:
    """Whether what it computes is a sum of products of floating-point elements."""
    kernel = _kernel(instruction)
    return kernel.statements[0].op in ("+", "=") and _is_sum(typed_value(kernel, kernel.statements[0]))


def bounded(instruction: Instruction, arrays: Arrays, got: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(which results lie within the bound, the sums in f64).

    Where an operand is not finite, NaN and infinities must be those of exact arithmetic. Where the finite terms by themselves may
    overflow, anything is allowed.
    """
    kernel = _kernel(instruction)
    s = kernel.statements[0]
    out = kernel.tensor(kernel.outputs[0]).dtype
    n = int(np.prod([int(a.extent) for a in s.axes if a.name in s.reduction_axes], dtype=float)) * _products(s.value)
    epsilon = max(_TYPES[d.name][0] for d in (out, *_casts(s.value)) if d.is_float)
    _, tiny, largest = _TYPES[out.name]
    exact = _in_f64(instruction, arrays, _precise)
    size = _in_f64(instruction, {k: _magnitude(kernel, k, a) for k, a in arrays.items()}, _positive)
    with np.errstate(all="ignore"):
        bound = 2 * (n + 2) * (epsilon * size + tiny)
        value = got.astype(np.float64)
        same = (np.isnan(value) & np.isnan(exact)) | (value == exact)
        near = np.abs(value - exact) <= bound
        return same | near | ~(size + bound < largest), exact


def _magnitude(kernel: Kernel, operand: str, cells: np.ndarray) -> np.ndarray:
    """Without signs, and without what is not finite; the lowest integer by the highest."""
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
    """How many terms the value itself adds up."""
    if isinstance(x, SAdd | SSub):
        return sum(map(_products, x.args))
    return max((_products(a) for a in x.args), default=1) if isinstance(x, Scalar) else 1


def _casts(x: Any) -> list[DType]:
    own = [DTYPES[x.args[0].name]] if isinstance(x, Cast) else []
    return own + [d for a in getattr(x, "args", ()) for d in _casts(a)]


def _precise(x: Any) -> Any:
    """Without the roundings of conversions to narrower types."""
    return cast("f64", x.args[1]) if isinstance(x, Cast) else x


def _positive(x: Any) -> Any:
    """The same, with nothing subtracted."""
    if isinstance(x, SSub):
        return SAdd(*x.args)
    if isinstance(x, SNeg):
        return x.args[0]
    return abs(x) if getattr(x, "is_number", False) else _precise(x)


def _in_f64(instruction: Instruction, arrays: Arrays, change: Callable[[Any], Any]) -> np.ndarray:
    """What the instruction gives in f64, with every part of its value changed."""
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
