"""The meaning of kernels and instructions: run on NumPy arrays, bit for bit as their types say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Mapping as Dict
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from isamap_smt.ir.convert import single
from isamap_smt.ir.dtypes import DType, check_bools
from isamap_smt.ir.engines import KEPT, LEAST, MOST, ZERO
from isamap_smt.ir.errors import DTypeError, WrongKindError
from isamap_smt.ir.evaluate import CHUNK, Function, Functions, needs_single_points, points
from isamap_smt.ir.expr import element, elements, evaluate, sym
from isamap_smt.ir.fused import fma
from isamap_smt.ir.indirect import drawn
from isamap_smt.ir.instruction import Instruction
from isamap_smt.ir.kernel import Access, Axis, Kernel, Statement
from isamap_smt.ir.kinds import KERNEL, require_kind
from isamap_smt.ir.reference import reference
from isamap_smt.ir.scalar import Read, SAdd, SMul, SNeg, SSub, reads, rewrite_reads, terms_of
from isamap_smt.ir.sizes import check_array, fix_sizes
from isamap_smt.ir.time_steps import in_order
from isamap_smt.ir.typed import typed_value
from isamap_smt.ir.used import fitting, require_used

Array = np.ndarray
_REDUCE = {"+": np.add, "*": np.multiply, "max": np.maximum, "min": np.minimum}


def run_kernel(
    kernel: Kernel,
    arrays: Mapping[str, Array],
    out: Mapping[str, Array] | None = None,
    sizes: Mapping[str, int] | None = None,
) -> dict[str, Array]:
    """The outputs, by name. Inputs are left as they are, and so are the arrays in `out`.

    Each statement runs over its points in the order of its axes, so a floating-point reduction adds one element after
    the other in this order. The statements of a recurrence run together, one time step after the other. An output
    starts as a copy of `out[name]`, else at the neutral element of the first reduction into it (zeros under `=`);
    temporaries always start there, and are not among the outputs. Sizes follow from the shapes and `sizes`. Raises
    SizeError, DTypeError, UnknownNameError.
    """
    require_kind("run_kernel", kernel, Kernel, KERNEL)
    fixed, held = prepare(kernel, arrays, out, sizes)
    for s in in_order(fixed):
        run_statement(fixed, s, held)
    return {n: held[n] for n in fixed.results}


def prepare(
    kernel: Kernel,
    arrays: Mapping[str, Array],
    out: Mapping[str, Array] | None,
    sizes: Mapping[str, int] | None,
) -> tuple[Kernel, dict[str, Array]]:
    """The kernel with all sizes known, and every tensor's array: inputs as given, outputs copied or begun.

    Raises SizeError if an index made of data is out of range at its use, and the errors of run_kernel().
    """
    out = {} if out is None else out
    for what, value in (("arrays", arrays), ("out", out)):
        if not isinstance(value, Mapping):
            raise WrongKindError(f"{what} is {type(value).__name__}: pass arrays by name, such as {{'A': array}}")
    alone = {t.name: t.dtype for t in kernel.tensors if t.name in kernel.inputs and not t.shape}
    arrays = {n: single(a, alone[n]) if n in alone else a for n, a in arrays.items()}
    shapes = {n: np.shape(a) for n, a in {**arrays, **out}.items()}
    fixed = fix_sizes(kernel, shapes, sizes)
    held: dict[str, Array] = {}
    for n in fixed.inputs:
        if n not in arrays:
            raise DTypeError(f"{kernel.name}: input {n} is missing; it needs {', '.join(fixed.inputs)}")
        check_array(fixed, n, arrays[n])
        check_bools(n, arrays[n])
        held[n] = arrays[n]
    for n in fixed.outputs:
        given = None if n in fixed.temporaries else out.get(n)
        if given is not None:
            check_array(fixed, n, given)
            if any(s.op != "=" for s in fixed.statements if s.target.tensor == n):
                check_bools(n, given)
            held[n] = np.array(given, order="C")
        else:
            t = fixed.tensor(n)
            first = next(s for s in fixed.statements if s.target.tensor == n)
            shape = tuple(int(e) for e in t.shape)
            held[n] = np.full(shape, neutral(first.op, t.dtype), dtype=t.dtype.numpy)
    require_used(fixed, {n: np.asarray(held[n]) for n in fixed.inputs})
    return fixed, held


def neutral(op: str, kind: DType) -> Any:
    """The first value of a reduction: 0, 1, the lowest or the highest value; 0 under `=`."""
    match op:
        case "*":
            return 1
        case "max":
            return -np.inf if kind.has_infinities else kind.ends[0]
        case "min":
            return np.inf if kind.has_infinities else kind.ends[1]
    return 0


Action = Callable[[Mapping[str, Array]], None]


def run_statement(kernel: Kernel, statement: Statement, held: dict[str, Array], *, fused: bool = False) -> None:
    """Carry the statement out on the (contiguous, in the outputs' case) arrays in `held`, in place."""
    with np.errstate(all="ignore"):
        for act in actions(kernel, statement, {n: a.shape for n, a in held.items()}, fused=fused):
            act(held)


def actions(
    kernel: Kernel, statement: Statement, shapes: Mapping[str, tuple[int, ...]], *, fused: bool = False
) -> Iterator[Action]:
    """The statement as steps: each changes the output (contiguous) of the arrays passed to it.

    The steps may be kept and used again on other arrays of these shapes. They let NumPy warn.
    """
    value = typed_value(kernel, statement)
    functions = Functions(kernel, shapes)
    name, op = statement.target.tensor, statement.op
    kind = kernel.tensor(name).dtype
    size = int(np.prod(shapes[name]))
    for env in points(statement, 1 if needs_single_points(statement) else CHUNK):
        at = functions.place(name, statement.target.index, env)
        if callable(at):
            yield _action(name, op, at, functions.value(value, env, kind))
        elif fused:
            product = value.args[0] if isinstance(value, SNeg) else value
            a, b = (functions.value(v, env, kind) for v in product.args)
            yield _fused_action(name, at, a, b, negated=product is not value)
        elif at.size == size and (at == np.arange(size)).all():
            yield _whole_action(name, op, functions.value(value, env, kind))
        else:
            yield _action(name, op, at, functions.value(value, env, kind))


def _action(name: str, op: str, at: Array | Function, value: Function) -> Action:
    """Points in order: if several assign one element, the last one wins."""

    def act(held: Mapping[str, Array]) -> None:
        target = held[name].reshape(-1)  # outputs are contiguous: a view
        to = at(held) if callable(at) else at
        if op == "=":
            target[to] = value(held)
        else:
            _REDUCE[op].at(target, to, value(held))

    return act


def _whole_action(name: str, op: str, value: Function) -> Action:
    """Every element of the output once, in order."""

    def act(held: Mapping[str, Array]) -> None:
        target = held[name].reshape(-1)
        if op == "=":
            target[:] = value(held)
        else:
            _REDUCE[op](target, value(held), out=target)

    return act


def _fused_action(name: str, at: Array, a: Function, b: Function, negated: bool) -> Action:
    """target[at] = fma(a, b, target[at]), points in order: each round takes the next point of every element."""
    rounds = [(now, at[now]) for now in _rounds(at)]
    whole = len(rounds) == 1 and (rounds[0][0] == np.arange(at.size)).all()

    def act(held: Mapping[str, Array]) -> None:
        target, left, right = held[name].reshape(-1), a(held), b(held)
        left = -left if negated else left
        if whole:
            target[at] = fma(left, right, target[at])
            return
        for now, to in rounds:
            target[to] = fma(left[now], right[now], target[to])

    return act


def _rounds(at: Array) -> Iterator[Array]:
    """The points in parts, each with every element at most once: the first points of all elements, the second ones, and so on."""
    left = np.arange(at.size)
    while left.size:
        _, first = np.unique(at[left], return_index=True)
        yield left[first]
        left = np.delete(left, first)


def run_instruction(instruction: Instruction, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """The instruction's output, by name, given its operands' cells (under `exact` if it has one).

    `arrays` also holds the accumulator's old value; without it the output starts at the neutral element. Arrays with
    one more, leading dimension are a batch of executions. `c += a * b` and `c += -(a * b)` with rounding 'fused' are
    rounded once.
    """
    require_kind("run_instruction", instruction, Instruction, "isamap_smt.find_instruction('avx2.fmadd_ps')")
    kernel = instruction.exact or instruction.kernel
    rank = {t.name: len(t.shape) for t in kernel.tensors}
    extra = {n for n, a in arrays.items() if n in rank and np.ndim(a) == rank[n] + 1}
    if extra and extra == set(arrays) & set(rank):
        kernel = batched(kernel, np.shape(arrays[min(extra)])[0])
    outputs = {n: a for n, a in arrays.items() if n in kernel.outputs}
    inputs = {n: a for n, a in arrays.items() if n not in kernel.outputs}
    fixed, held = prepare(kernel, inputs, outputs, None)
    run_statement(fixed, fixed.statements[0], held, fused=_is_fused(instruction, fixed))
    return {n: held[n] for n in fixed.outputs}


def instruction_actions(instruction: Instruction) -> tuple[Action, ...]:
    """The steps of run_instruction() on one set of operands, to be kept; see actions()."""
    fixed = fix_sizes(instruction.exact or instruction.kernel, {})
    shapes = {t.name: tuple(int(e) for e in t.shape) for t in fixed.tensors}
    return tuple(actions(fixed, fixed.statements[0], shapes, fused=_is_fused(instruction, fixed)))


def fused_exactly(instruction: Instruction) -> bool:
    """Whether run_instruction() rounds once for each product: `c += a * b` or `c += -(a * b)` with rounding 'fused'."""
    return _is_fused(instruction, instruction.exact or instruction.kernel)


def _is_fused(instruction: Instruction, kernel: Kernel) -> bool:
    """Whether a multiply-add with one rounding computes the kernel's first statement."""
    statement = kernel.statements[0]
    kind = kernel.tensor(statement.target.tensor).dtype
    value = typed_value(kernel, statement)
    product = value.args[0] if isinstance(value, SNeg) else value
    fusable = kind.name in ("f16", "f32", "f64") and statement.op == "+" and isinstance(product, SMul)
    return instruction.rounding == "fused" and fusable and not _has_inner_sum(product)


def _has_inner_sum(product: Any) -> bool:
    """Whether it contains a sum of products. One of these may be fused, too, and no description says which."""
    return any(isinstance(x, SAdd | SSub) and x.has(SMul) for x in sp.preorder_traversal(product))


def batched(kernel: Kernel, count: int) -> Kernel:
    """The kernel run `count` times, on operands with one more, leading dimension."""
    name = "batch_"
    axis = sym(name)

    def own(i: Any) -> Any:
        return sp.sympify(i).xreplace({e: element(e.tensor, (axis, *e.index)) for e in elements([i])})

    def change(s: Statement) -> Statement:
        return replace(
            s,
            target=Access(s.target.tensor, (axis, *s.target.index)),
            value=rewrite_reads(s.value, lambda r: Read(r.args[0], axis, *map(own, r.index))),
            axes=(Axis(name, count), *s.axes),
        )

    tensors = tuple(replace(t, shape=(count, *t.shape)) for t in kernel.tensors)
    return replace(kernel, tensors=tensors, statements=tuple(map(change, kernel.statements)))


def random_arrays(
    kernel: Kernel,
    sizes: Mapping[str, int] | None = None,
    rng: np.random.Generator | None = None,
    *,
    outputs: bool = False,
) -> dict[str, Array]:
    """Arrays for the inputs (and the outputs, if asked), within the kernel's assumed ranges.

    Floats lie in [-1, 1), powers of two in [1/4, 1]; weights of layers feeding others are divided by the root of their
    number of terms. Integers of up to 8 bits cover their whole range, wider ones [-1000, 1000] (unsigned [0, 1000]).
    Indices cover their whole range.
    """
    rng = rng or np.random.default_rng(0)
    fixed = fix_sizes(kernel, {}, sizes)
    ranges = {n: (low, high) for n, low, high in fixed.ranges}
    scales = _scales(fixed)
    arrays = {}
    for n in (*fixed.inputs, *(fixed.outputs if outputs else ())):
        t = fixed.tensor(n)
        shape = tuple(int(e) for e in t.shape)
        if t.dtype.is_float:
            least, most = ranges.get(n, (0.25, 1) if t.dtype.is_scale else (-1, 1))
            low, high = (max(least, -1), min(most, 1)) if least <= 1 and most >= -1 else (least, most)
            values = np.asarray(rng.uniform(low, high, shape) * scales.get(n, 1.0))
            arrays[n] = np.asarray(np.clip(values, least, most)).astype(t.dtype.numpy)
        else:
            low, high = max(t.dtype.low, -1000), min(t.dtype.high, 1000)
            if n in ranges:
                low, high = max(ranges[n][0], low), min(ranges[n][1], high)
                low, high = (low, high) if low <= high else ranges[n]
            low, high = drawn(fixed, n, low, high)
            arrays[n] = rng.integers(low, high, shape, endpoint=True).astype(t.dtype.numpy)
    return fitting(fixed, arrays, rng)


def _scales(kernel: Kernel) -> dict[str, float]:
    """Of the weights in sums of products read by other statements: 1 / sqrt(terms), the usual start of layers.

    So sums are no larger than their terms. Larger ones would saturate functions, and make recurrences chaotic.

    >>> from isamap_smt.language import kernel
    >>> _scales(kernel("H[i,j] += X[i,k] * W[k,j]\\nY[i,j] = tanh(H[i,j])").with_sizes({"i": 2, "j": 2, "k": 4}))
    {'W': 0.5}
    """
    read = {a.tensor for s in kernel.statements for a in s.inputs}
    found: dict[str, float] = {}
    for s in kernel.statements:
        if s.op != "+" or s.target.tensor not in read:
            continue
        elements = prod(int(e) for e in kernel.tensor(s.target.tensor).shape)
        terms = max(1.0, prod(int(a.extent) for a in s.axes) / max(1, elements))
        for _, term in terms_of(s.value):
            names = [r.tensor for r in reads(term)]
            weights = [n for n in names if n in kernel.inputs and names.count(n) == 1]
            if isinstance(term, SMul) and len(names) > 1 and weights:
                found[weights[-1]] = min(found.get(weights[-1], 1.0), terms**-0.5)
    return found


# ---- One execution of an instruction: its points, the cells they touch, and its result.


@dataclass(frozen=True)
class Cells:
    """points: axis -> vector with one entry per point ('' numbers them); target and read: cell indices per point.

    first: the value of the first axis (all zero without axes), for comparison with `active`.
    """

    points: dict[str, np.ndarray]
    target: tuple[np.ndarray, ...]
    read: tuple[np.ndarray, ...]
    first: np.ndarray

    @staticmethod
    def of(kernel: Kernel) -> Cells:
        """The points of a kernel with one statement, axes in written order, first axis outermost."""
        return _cells(kernel)


@lru_cache(maxsize=256)
def _cells(kernel: Kernel) -> Cells:
    statement = kernel.statements[0]
    points = _points(statement, [a.name for a in statement.axes])
    read = next((a.index for a in statement.inputs if not elements(a.index)), ())
    first = points[statement.axes[0].name] if statement.axes else np.zeros(1, int)
    return Cells(points, _index(statement.target.index, points), _index(read, points), first)


def _points(statement: Statement, names: list[str]) -> dict[str, np.ndarray]:
    extents = [int(statement.axis(n).extent) for n in names]
    grids: Any = np.indices(extents).reshape(len(extents), -1) if extents else []
    total = int(np.prod(extents)) if extents else 1
    return {**dict(zip(names, grids, strict=True)), "": np.arange(total)}


def _index(index: tuple[Any, ...], points: Dict[str, Any]) -> tuple[np.ndarray, ...]:
    return tuple(np.broadcast_to(np.asarray(evaluate(i, points)), (len(points[""]),)) for i in index)


def execute(instruction: Instruction, values: Dict[str, np.ndarray]) -> np.ndarray:
    """The accumulator after one execution, bit for bit as `exact` (or else the contract) says. Inputs are kept."""
    return run_instruction(instruction, values)[instruction.kernel.statements[0].target.tensor]


# ---- An operand's elements at points left out by a guard: these numbers leave a reduction unchanged.
#
#     D[q] += E[q,k] where k <= q          0: over the reals, since a sum that is -0 may become +0
#     M[q] max= S[q,k] where k <= q        the least number of the accumulator's own type
#
# This holds if elements are reduced by themselves; nothing is known here of values computed from them first. The number is
# one of the accumulator's type, not of a narrower one: an element without a point keeps its first value.


_OF = {
    ZERO: "+",
    KEPT: "+",
    LEAST: "max",
    MOST: "min",
}  # the number left by a load in other cells -> the reduction starting from it
_BEYOND = {"+": ZERO, "max": LEAST, "min": MOST}


def left_beyond(beyond: str, dtype: DType) -> Any:
    """The number left by a load with this `beyond` in the cells it does not bring, of the register's type."""
    return sp.sympify(neutral(_OF[beyond], dtype))


def beyond_for(s: Statement) -> str:
    """The `beyond` for loads into this reduction: cells filled with it change nothing.

    '' if there is none: the reduced value is more than an element, or the order is kept.

    >>> from isamap_smt.language import kernel
    >>> [beyond_for(kernel(f"M[i] {x}").statements[0]) for x in ("max= A[i,k]", "+= A[i,k]", "max= 2 * A[i,k]")]
    ['least', 'zero', '']
    """
    return _BEYOND.get(s.op, "") if isinstance(s.value, Read) and not s.ordered else ""


__all__ = [
    "Cells",
    "batched",
    "beyond_for",
    "execute",
    "fused_exactly",
    "instruction_actions",
    "left_beyond",
    "neutral",
    "prepare",
    "random_arrays",
    "reference",
    "run_instruction",
    "run_kernel",
    "run_statement",
]
