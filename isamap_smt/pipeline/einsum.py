"""Einstein's sums of NumPy arrays, as np.einsum, by kernels planned and proved once for each shape.

    bhqd,bhkd->bhqk      one kernel
    ij,jk,kl->il         two, in the order of fewest multiplications
    ij->ji, ii->i        none: the result is a view, as NumPy's is

Kernels leave out dimensions of one element, and dimensions to which these are broadcast. An operand in another memory
order is read as it lies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy import ndarray

from isamap_smt.ir.dtypes import from_numpy
from isamap_smt.ir.errors import ArgumentError, DTypeError
from isamap_smt.ir.hardware import Hardware
from isamap_smt.ir.kernel import Kernel
from isamap_smt.language.subscripts import from_lists, read_subscripts
from isamap_smt.language.text import kernel
from isamap_smt.pipeline.build import compile
from isamap_smt.pipeline.contraction_order import Term, order_of, result_of

PLANNED = 256  # equations, each with types, shapes and strides, whose kernels are kept

Lies = tuple[tuple[np.dtype, tuple[int, ...], tuple[int, ...]], ...]  # types, shapes and strides of operands
Run = Callable[[Sequence[np.ndarray]], Any]
Show = Callable[[np.ndarray], Any]


def einsum(*operands: Any, out: Any = None, hardware: Hardware | str = "host", threads: int = 1) -> Any:
    """The result of np.einsum(*operands), by proved kernels: `im.einsum("bhqd,bhkd->bhqk", q, k)`.

    operands: an equation and arrays, or arrays each with its list of numbers, and the result's list: everything NumPy reads. The
    result has the type of the product of all; f16 is computed in f32, and rounded once. out: an array to take the result,
    of its shape and type. threads: of each kernel. Kernels are planned, proved and compiled once for each equation, shape, type and
    order in memory. An equation with one operand and no sum returns a view of it.
    Raises LanguageError with the column of the equation, ArgumentError for shapes that do not fit, and DTypeError for complex
    numbers and other types without kernels.
    """
    if len(operands) == 2 and out is None and type(operands[0]) is str and type(operands[1]) is ndarray:
        show = _shown.get((operands[0], operands[1].ndim))
        if show is not None:
            return show(operands[1])
    arrays: tuple[np.ndarray, ...] = operands[1:]
    run = None
    if operands and type(operands[0]) is str:  # as it mostly is: an equation and arrays
        asked: list[Any] = [hardware, threads, operands[0]]
        for array in arrays:
            if type(array) is not ndarray:
                break
            asked += (array.dtype, array.shape, array.strides)
        else:
            run = _known.get(tuple(asked))
    if run is None:
        equation, arrays = _given(operands)
        lies = tuple((a.dtype, a.shape, a.strides) for a in arrays)
        run = _kept(equation, lies, hardware, threads)
    made = run(arrays)
    if out is None:
        return made
    if not isinstance(out, np.ndarray) or out.shape != made.shape or out.dtype != made.dtype:
        what = f"{out.dtype}{list(out.shape)}" if isinstance(out, np.ndarray) else type(out).__name__
        raise ArgumentError(f"einsum: out is {what}, and the result {made.dtype}{list(made.shape)}")
    np.copyto(out, made)
    return out


def _given(operands: Sequence[Any]) -> tuple[str, tuple[np.ndarray, ...]]:
    if operands and isinstance(operands[0], str):
        if len(operands) == 1:
            raise ArgumentError("einsum got an equation without arrays")
        return operands[0], tuple(np.asarray(x) for x in operands[1:])
    if len(operands) < 2:
        raise ArgumentError("einsum takes an equation and arrays, or arrays each with a list of numbers")
    pairs, target = operands[: len(operands) // 2 * 2], operands[-1] if len(operands) % 2 else None
    lists = [*pairs[1::2], *([] if target is None else [target])]
    if wrong := [x for x in lists if not isinstance(x, list | tuple)]:
        raise ArgumentError(f"einsum got {type(wrong[0]).__name__} in place of a list of numbers")
    return from_lists(pairs[1::2], target), tuple(np.asarray(x) for x in pairs[::2])


# ---- Once for operands that lie so.


_known: dict[tuple[Any, ...], Run] = {}
_shown: dict[tuple[str, int], Show] = {}  # views, by equation and number of dimensions, whatever the shape


def _kept(equation: str, lies: Lies, hardware: Hardware | str, threads: int) -> Run:
    asked = (hardware, threads, equation, *(x for lie in lies for x in lie))
    if (run := _known.get(asked)) is None:
        run = _planned(equation, lies, hardware, threads)
        if len(_known) == PLANNED:
            _known.clear()
        _known[asked] = run
    return run


def _planned(equation: str, lies: Lies, hardware: Hardware | str, threads: int) -> Run:
    read = read_subscripts(equation, [len(shape) for _, shape, _ in lies])
    extents = read.extents([shape for _, shape, _ in lies])
    shape = tuple(extents[a] for a in read.target)
    if len(lies) == 1 and set(read.terms[0]) == set(read.target):
        (term,) = read.terms
        order = tuple(term.index(a) for a in read.target)
        if len(_shown) == PLANNED:
            _shown.clear()
        show: Show = partial(np.einsum, equation)
        if order and len(order) == len(term):
            show = _shown[equation, len(term)] = lambda array: array.transpose(order)
        elif len(term) == 2:
            show = _shown[equation, len(term)] = _diagonal
        return lambda arrays: show(arrays[0])
    for number, (kind, _, _) in enumerate(lies):
        if from_numpy(kind) is None:
            raise DTypeError(
                f"einsum: operand {number + 1} has type {kind}, which no kernel has; np.einsum computes it"
            )
    to = np.result_type(*(kind for kind, _, _ in lies))
    if 0 in extents.values():
        return lambda arrays: np.zeros(shape, to)[()]
    within = _computed_in(to)
    taken = [_taken(t, lie, within) for t, lie in zip(read.terms, lies, strict=True)]
    target = tuple(a for a in read.target if extents[a] > 1)
    steps = _steps([t.axes for t in taken], target, extents, within, to == np.bool_, hardware, threads)
    if len(steps) == 1 and (within, len(target)) == (to, len(shape)) and not any(t.changes for t in taken):
        kernel_itself = steps[0].run
        return (lambda arrays: kernel_itself(*arrays)) if shape else (lambda arrays: kernel_itself(*arrays)[()])

    def run(arrays: Sequence[np.ndarray]) -> Any:
        left: list[Any] = [take(a) if take.changes else a for take, a in zip(taken, arrays, strict=True)]
        for step in steps:
            made = step.run(*[left[n] for n in step.operands])
            if len(left) > len(step.operands):
                left = [*(a for n, a in enumerate(left) if n not in step.operands), made]
        return np.asarray(made, to).reshape(shape)[()]

    return run


def _diagonal(matrix: np.ndarray) -> np.ndarray:
    """Its diagonal as a writable view; np.diagonal's is read-only. Raises ArgumentError as all equations do."""
    n, m = matrix.shape
    if n == m and matrix.flags.c_contiguous:
        return matrix.ravel()[:: n + 1]
    read_subscripts("ii->i", [2]).extents([matrix.shape])
    return np.einsum("ii->i", matrix)


def _computed_in(to: np.dtype) -> np.dtype:
    """f32 for f16, and bytes for truth: its sum is the largest product."""
    return np.dtype(np.float32) if to == np.float16 else np.dtype(np.uint8) if to == np.bool_ else to


@dataclass(frozen=True)
class _Taken:
    """An operand as kernels read it, row by row. order: of its dimensions, if another.

    shape: without dimensions of one element, if it has any. axes: of the remaining dimensions. changes: whether it
    differs from the given array.
    """

    axes: Term
    within: np.dtype
    changes: bool
    order: tuple[int, ...] | None
    shape: tuple[int, ...] | None

    def __call__(self, array: np.ndarray) -> np.ndarray:
        if self.order is not None:
            array = array.transpose(self.order)
        if self.shape is not None:
            array = array.reshape(self.shape)
        return np.asarray(array, self.within, order="C")


def _taken(term: Term, lie: tuple[np.dtype, tuple[int, ...], tuple[int, ...]], within: np.dtype) -> _Taken:
    kind, shape, strides = lie
    near = tuple(range(len(shape)))
    far = tuple(sorted(near, key=lambda n: -strides[n]))
    order = far if _row_by_row([shape[n] for n in far], [strides[n] for n in far], kind.itemsize) else near
    kept = [n for n in order if shape[n] > 1]
    squeezed = tuple(shape[n] for n in kept) if len(kept) < len(shape) else None
    changes = kind != within or not _row_by_row(shape, strides, kind.itemsize) or squeezed is not None or not shape
    return _Taken(tuple(term[n] for n in kept), within, changes, None if order == near else order, squeezed)


def _row_by_row(shape: Sequence[int], strides: Sequence[int], size: int) -> bool:
    for n, stride in zip(reversed(shape), reversed(strides), strict=True):
        if n > 1 and stride != size:
            return False
        size *= n
    return True


# ---- Kernels.


@dataclass(frozen=True)
class _Step:
    """A kernel taking the operands of these numbers away, and putting its result behind the others."""

    operands: tuple[int, ...]
    run: Callable[..., Any]


def _steps(
    terms: Sequence[Term],
    target: Term,
    extents: Mapping[str, int],
    within: np.dtype,
    truth: bool,
    hardware: Hardware | str,
    threads: int,
) -> list[_Step]:
    left = list(terms)
    steps: list[_Step] = []
    for numbers in order_of(left, target, extents):
        some = [left[n] for n in numbers]
        left = [t for n, t in enumerate(left) if n not in numbers]
        result = result_of(some, {a for t in left for a in t} | set(target)) if left else target
        made = contraction(some, result, extents, within, truth)
        steps.append(_Step(numbers, compile(made, hardware, threads=threads)))
        left.append(result)
    return steps


def contraction(
    terms: Sequence[Term], target: Term, extents: Mapping[str, int], within: np.dtype, truth: bool = False
) -> Kernel:
    """The kernel summing the product of some operands over the axes missing from the target. truth: of 0 and 1, the largest."""
    kind = str(from_numpy(within))
    names = [f"X{n}" for n in range(len(terms))]
    lines = [f"{name}: {kind}[{','.join(str(extents[a]) for a in t)}]" for name, t in zip(names, terms, strict=True)]
    lines.append(f"Y: {kind}[{','.join(str(extents[a]) for a in target)}]")
    axes = dict.fromkeys([*target, *(a for t in terms for a in t)])
    lines += [f"axis {a} < {extents[a]}" for a in axes]
    sums = "=" if set(axes) == set(target) else "max=" if truth else "+="
    product = " * ".join(f"{name}[{','.join(t)}]" for name, t in zip(names, terms, strict=True))
    lines.append(f"Y[{','.join(target)}] {sums} {product}")
    return kernel("\n".join(lines), name="einsum")
