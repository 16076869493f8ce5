"""A compiled kernel that reads views in place: rows of an array that lie any distance apart, without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from isamap_smt.ir.errors import ArgumentError
from isamap_smt.ir.kernel import Kernel
from isamap_smt.mapping.pitched import pitches
from isamap_smt.runtime import arguments as check
from isamap_smt.runtime.compiled import Call, CompiledKernel


class StridedKernel:
    """Called as CompiledKernel is. Of its strided inputs it takes views whose last axis is contiguous, and whose rows lie a whole
    number of elements apart; of one with a single axis, every n-th element."""

    def __init__(self, compiled: CompiledKernel, kernel: Kernel, strided: tuple[str, ...]) -> None:
        """compiled: of pitched(kernel, strided)."""
        self.compiled, self.kernel, self.strided = compiled, kernel, strided
        self._signature = check.Signature.of(kernel)

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """As CompiledKernel. Raises ArgumentError, DTypeError and SizeError before anything is written."""
        call = self.prepare(*inputs, **options)
        call.run()
        return call.result

    def prepare(self, *inputs: Any, sizes: Any = None, **options: Any) -> Call:
        """As CompiledKernel.prepare()."""
        names = self._signature.inputs
        named = {n: options.pop(n) for n in list(options) if n in names}
        arrays = check.as_arrays(self._signature, inputs, named)
        free = self.compiled.kernel.free_sizes
        known = self.compiled.kernel.named_sizes(sizes)
        for n in self.strided:
            if n in arrays:
                check.check_type(self._signature, n, arrays[n])
        shaped = check.infer_sizes(
            self._signature, arrays, {k: v for k, v in known.items() if k in self._signature.free_sizes}
        )
        for n in self.strided:
            if n in arrays:
                arrays[n], steps = along(n, arrays[n])
                shaped |= dict(zip(pitches(self._signature.tensors[n]), steps, strict=True))
        given: dict[str, Any] = {**options, **arrays}
        return self.compiled.prepare(sizes={**known, **{n: v for n, v in shaped.items() if n in free}}, **given)

    def __str__(self) -> str:
        """As CompiledKernel's, and which inputs may be views."""
        return f"{self.compiled}\n  read in place, wherever their rows lie: {', '.join(self.strided)}"


def along(name: str, view: np.ndarray) -> tuple[np.ndarray, tuple[int, ...]]:
    """(all that lies between the first and the last element of the view, without a copy; elements from row to row along its axes).

    Raises ArgumentError for what is not read so.
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
