"""What an instruction may leave in its output: the interpreter's results, or all that its rounding allows.

Integers and the roundings 'exact', 'unfused' and 'fused' have one result for each accumulator. Three instructions of Intel's
flush denormals and say so in words that are known here. Of any other words the error of a sum is held to its bound.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from isamap_smt.ir.fused import fma
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.interpret import fused_exactly, run_instruction
from isamap_smt.ir.scalar import Relu, SMax, SMin
from isamap_smt.runtime.conformance.bound import bounded, has_bound
from isamap_smt.runtime.conformance.operands import same_bits

Arrays = dict[str, np.ndarray]
Model = Callable[[Instruction, Arrays], list[np.ndarray]]


def flushed(x: np.ndarray) -> np.ndarray:
    """Denormals as zeros of the same sign."""
    return np.where(np.abs(x) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), x), x)


def stepped(a: np.ndarray, b: np.ndarray, acc: np.ndarray) -> np.ndarray:
    """a * b + acc, fused; what rounds to less than the smallest normal number with an exponent without bound is flushed.

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
    """acc plus two products in both orders, each step fused, denormals flushed: what vdpbf16ps may return."""
    a, b, start = _operands(instruction, arrays)
    found = []
    for order in ((1, 0), (0, 1)):
        acc = flushed(start)
        for e in order:
            acc = stepped(a[..., e], b[..., e], acc)
        found.append(acc)
    return found


def even_and_odd_apart(instruction: Instruction, arrays: Arrays) -> list[np.ndarray]:
    """c plus even and odd products that are summed apart, each step fused, denormals flushed: what tdpbf16ps returns."""
    a, b, c = _operands(instruction, arrays)
    sums = [np.zeros(c.shape, np.float32), np.zeros(c.shape, np.float32)]
    for k in range(a.shape[-1]):
        left, right = (np.broadcast_to(x, c.shape) for x in (a[:, :, k, None], b[:, k, None, :]))
        sums[k % 2] = stepped(left, right, sums[k % 2])
    one = np.ones(c.shape, np.float32)
    both = stepped(sums[0], one, sums[1])
    return [stepped(both, one, flushed(c))]


# the words of a description -> what they allow, with the contract and the element type of the factors that they are known for
_LANES, _TILES = "acc[l] += f32(a[l,e]) * f32(b[l,e])", "c[i,j] += f32(a[i,k]) * f32(b[k,j])"
WORDS: dict[tuple[str, str], Model] = {
    ("two fused steps in either order, to nearest even, flushes denormals", _LANES): pairs_in_either_order,
    (
        "even and odd products summed apart, each step fused and to nearest even, then added; flushes denormals",
        _TILES,
    ): even_and_odd_apart,
}


def model_of(instruction: Instruction) -> Model | None:
    """All that the rounding allows, one array for each possibility; None where only a bound is known."""
    contract = instruction.kernel
    if not contract.tensor(contract.outputs[0]).dtype.is_float or instruction.rounding in ("exact", "unfused"):
        return _interpreted
    if instruction.rounding == "fused":
        return _interpreted if fused_exactly(instruction) else None
    return WORDS.get((instruction.rounding, contract.text.strip()))


def _interpreted(instruction: Instruction, arrays: Arrays) -> list[np.ndarray]:
    return [run_instruction(instruction, arrays)[instruction.kernel.outputs[0]]]


def right(instruction: Instruction, arrays: Arrays, got: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(which results are right, one result that is). The contract must have a model or a bound; see judged_by()."""
    model = model_of(instruction)
    if model is not None:
        allowed = model(instruction, arrays)
        return np.logical_or.reduce([same_bits(got, a) | _zeros(instruction, got, a) for a in allowed]), allowed[0]
    return bounded(instruction, arrays, got)


def only_rounding(instruction: Instruction, arrays: Arrays, got: np.ndarray, found: np.ndarray) -> bool:
    """Whether each result that is not right (`found`) is one that another rounding would allow."""
    kernel = instruction.exact or instruction.kernel
    if not kernel.tensor(kernel.outputs[0]).dtype.is_float or not has_bound(instruction):
        return False
    return bool((found | bounded(instruction, arrays, got)[0]).all())


def judged_by(instruction: Instruction) -> str:
    """How results are compared, in words; '' where no rule is known for the rounding."""
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
