"""A compiled kernel reading and writing views in place: rows of an array at any distance, without a copy."""

from __future__ import annotations

from collections.abc import Mapping as Dict
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from isamap_smt.ir.arguments import yes_or_no
from isamap_smt.ir.errors import ArgumentError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.mapping.pitched import gaps, pitches
from isamap_smt.runtime import arguments as check
from isamap_smt.runtime.compiled import Call, CompiledKernel
from isamap_smt.runtime.memory import aligned_empty


class StridedKernel:
    """Called as CompiledKernel is, with views as strided inputs and outputs.

    A strided input is a view whose last axis is contiguous, and whose rows lie a whole number of elements apart; with a single
    axis, it may be every n-th element. A strided output is such a view, with no row inside another; without `out=` outputs are
    made as ever. An output is computed in a copy if another array lies between its rows, or behind the last one at the place of
    a further row.
    """

    def __init__(
        self, compiled: CompiledKernel, kernel: Kernel, strided: tuple[str, ...], filled: tuple[str, ...] = ()
    ) -> None:
        """compiled: of pitched(kernel, strided). filled: outputs that do not assign all of their elements first."""
        self.compiled, self.kernel, self.strided, self.filled = compiled, kernel, strided, filled
        self._signature = check.Signature.of(kernel)
        self._results = tuple(n for n in strided if n in kernel.results)

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """As CompiledKernel. Raises ArgumentError, DTypeError and SizeError before anything is written."""
        call = self.prepare(*inputs, **options)
        call.run()
        return call.result

    def prepare(
        self, *inputs: Any, out: Any = None, sizes: Any = None, accumulate: bool = True, **options: Any
    ) -> Call | StridedCall:
        """As CompiledKernel.prepare()."""
        signature = self._signature
        named = {n: options.pop(n) for n in list(options) if n in signature.inputs}
        arrays, own = check.as_arrays(signature, inputs, named), check.outputs_of(signature, out)
        free = self.compiled.kernel.free_sizes
        known = self.compiled.kernel.named_sizes(sizes)
        held = {**arrays, **own}
        for n in (*arrays, *self._results):
            if n in held and n in self.strided:
                check.check_type(signature, n, held[n])
        shaped = check.infer_sizes(
            signature,
            {**arrays, **{n: own[n] for n in self._results if n in own}},
            {k: v for k, v in known.items() if k in signature.free_sizes},
        )
        as_given = dict(arrays)
        for n in self.strided:
            if n in arrays:
                arrays[n], steps = along(n, arrays[n])
                shaped |= dict(zip(pitches(signature.tensors[n]), steps, strict=True))
        given: dict[str, Any]
        if not self._results:
            given = {"out": out, "accumulate": accumulate, **options, **arrays}
            return self.compiled.prepare(sizes={**known, **{n: v for n, v in shaped.items() if n in free}}, **given)
        for n in self._results:
            if n in own:
                check.check_writable(signature, n, own[n])
                check.check_shapes(signature, {n: own[n]}, shaped)
            else:
                check.missing_sizes(signature, arrays, shaped)
        add = yes_or_no(accumulate, "accumulate", ArgumentError) and bool(own)
        known |= {n: v for n, v in shaped.items() if n in free}
        given = {**options, **arrays}
        try:
            return self._written(own, {}, add, known, shaped, given)
        except ArgumentError:
            views = {n: own[n] for n in self._results if n in own}
            for n, view in views.items():
                with_gaps(n, view)  # says what is wrong with it, if it is that
            copies = check.copies(signature, views, as_given)
            if not copies:
                raise
            return self._written(own, copies, add, known, shaped, given)

    def _written(
        self, own: Dict[str, np.ndarray], copies: Dict[str, np.ndarray], add: bool, sizes: Dict[str, int], shaped: Dict[str, int],
        given: Dict[str, Any],
    ) -> StridedCall:  # fmt: skip
        """A call writing the caller's arrays in place, except those with a copy."""
        signature, wide, steps = self._signature, {**own, **copies}, dict(sizes)
        views = dict(wide)
        for n in self._results:
            if n not in own:
                shape = check.tensor_shape(signature.tensors[n], dict(shaped))
                views[n] = aligned_empty(shape, signature.tensors[n].dtype.numpy)
            wide[n], lengths = with_gaps(n, views[n])
            steps |= dict(zip(gaps(signature.tensors[n]), lengths, strict=True))
        begun = {
            n: (view, self.compiled.first(n)[()])
            for n, view in views.items()
            if n in self.filled and not (add and n in own)
        }
        call = self.compiled.prepare(sizes=steps, out=wide, **given)
        pairs = tuple((own[n], copy) for n, copy in copies.items())
        return StridedCall(call, begun, pairs, {**call.arguments.results, **views, **own}, signature.outputs)

    def __str__(self) -> str:
        """As CompiledKernel's, with the arrays that may be views."""
        read = [n for n in self.strided if n not in self._results]
        told = [f"{verb} in place, wherever their rows lie: {', '.join(names)}" for verb, names in
                (("read", read), ("written", self._results)) if names]  # fmt: skip
        return "\n  ".join([str(self.compiled), *told])


@dataclass(frozen=True)
class StridedCall:
    """One checked call; run() may be repeated. begun: views filled with an element before each run.

    copied: the caller's arrays, each with the copy written in its place.
    """

    call: Call
    begun: Dict[str, tuple[np.ndarray, Any]]
    copied: tuple[tuple[np.ndarray, np.ndarray], ...]
    arrays: Dict[str, np.ndarray]
    outputs: tuple[str, ...]

    def run(self) -> None:
        """As Call.run()."""
        for array, copy in self.copied:
            copy[...] = array
        for view, first in self.begun.values():
            view[...] = first
        self.call.run()
        for array, copy in self.copied:
            array[...] = copy

    @property
    def result(self) -> Any:
        """The output array, or a dictionary of them when the kernel has several."""
        found = {n: self.arrays[n] for n in self.outputs if n in self.arrays}
        return found[self.outputs[0]] if len(self.outputs) == 1 else found


def along(name: str, view: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
    """(everything between the first and the last element of the view, without a copy; elements from row to row along its axes).

    Raises ArgumentError for other layouts.
    """
    size, strides = view.itemsize, [s if n > 1 else 0 for n, s in zip(view.shape, view.strides, strict=True)]
    rows, last = (strides, size) if view.ndim == 1 else (strides[:-1], strides[-1] or size)
    if last != size:
        raise ArgumentError(
            f"{name}: neighbours along its last axis lie {last} bytes apart, and rows that are read in place have theirs side by "
            f"side; try np.ascontiguousarray({name}), or, of {name}.T, a kernel with the axes of {name} the other way round"
        )
    lone = [n == 1 for n in view.shape[: len(rows)]]
    if bad := [s for s, only in zip(rows, lone, strict=True) if not only and (s < size or s % size)]:
        raise ArgumentError(
            f"{name}: its rows lie {bad[0]} bytes apart, and are read in place where they lie at least one element apart, "
            f"onwards, and a whole number of them; try np.ascontiguousarray({name})"
        )
    if not view.size:
        return view.reshape(-1), (1,) * len(rows)
    steps = tuple(1 if only else s // size for s, only in zip(rows, lone, strict=True))
    inner = 1 if view.ndim == 1 else view.shape[-1]
    length = sum((n - 1) * s for n, s in zip(view.shape, steps, strict=False)) + inner
    return np.lib.stride_tricks.as_strided(view, (length,), (size,), writeable=False), steps


def with_gaps(name: str, view: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
    """(the view's rows with the room behind each, as an array of the kernel's rank; elements so added to each axis but the first).

    The room behind the last row may not be the caller's. Raises ArgumentError for other layouts.
    """
    size, shape = view.itemsize, view.shape if view.ndim > 1 else (*view.shape, 1)
    strides = view.strides if view.ndim > 1 else (*view.strides, size)
    hint = f"try `whole = np.ascontiguousarray({name})`, out=whole and `{name}[...] = whole`"
    if shape[-1] > 1 and strides[-1] != size:
        raise ArgumentError(
            f"{name}: neighbours along its last axis lie {strides[-1]} bytes apart, and rows that are written in place have theirs "
            f"side by side; {hint}"
        )
    lengths: list[int] = []
    inner = size
    for d in reversed(range(1, len(shape))):
        least = shape[d] * inner
        step = next((strides[o] for o in reversed(range(d)) if shape[o] > 1), least)
        if step % inner or step < least:
            raise ArgumentError(
                f"{name}: along axis {d - 1} neighbours lie {step} bytes apart, and are written in place where these are a "
                f"multiple of {inner}, and {least} at least; {hint}"
            )
        lengths.insert(0, step // inner)
        inner = step
    whole = np.lib.stride_tricks.as_strided(view, (shape[0], *lengths), _dense((shape[0], *lengths), size))
    return whole, tuple(n - m for n, m in zip(lengths, shape[1:], strict=True))


def _dense(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """The strides of an array without gaps."""
    return tuple(size * prod(shape[d + 1 :]) for d in range(len(shape)))
