"""Indices that are data, `E[idx[i], j]`: which inputs are such indices, what is asked of them, and their elements at a run."""

from __future__ import annotations

from typing import Any

import numpy as np

from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.expr import elements, is_constant
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.scalar import reads


class Held:
    """The elements of an index at a run. `at` gives -1, which is no index, for a place outside of it."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def at(self, *index: Any) -> Any:
        """The elements at these places, as i64; what i64 does not hold becomes negative."""
        if not index:
            return self._array.astype(np.int64).reshape(())[()]
        places = np.broadcast_arrays(*map(np.asarray, index))
        inside = np.ones(places[0].shape, bool)
        for i, n in zip(places, self._array.shape, strict=True):
            inside &= (i >= 0) & (i < n)
        if not self._array.size:
            return np.full(inside.shape, -1, np.int64)
        found = self._array[tuple(np.where(inside, i, 0) for i in places)].astype(np.int64)
        return np.where(inside, found, -1)


def by_data(statement: Statement) -> bool:
    """Whether an element that the statement reads is found by an index that is data."""
    return bool(elements(i for r in reads(statement.value) for i in r.index))


def index_tensors(kernel: Kernel) -> dict[str, tuple[Any, ...]]:
    """Inputs whose elements are indices -> the extents that these stay below, each once."""
    found: dict[str, dict[Any, None]] = {}
    for s in kernel.statements:
        for e in elements(i for r in reads(s.value) for i in r.index):
            found.setdefault(e.tensor, {})[e.extent] = None
    return {n: tuple(extents) for n, extents in found.items()}


def check_indices(kernel: Kernel) -> None:
    """Raise LanguageError for an index that a statement writes: it is looked at when the kernel is called."""
    for n in index_tensors(kernel):
        if n in kernel.outputs:
            raise LanguageError(
                f"{n} is written by a statement, and its elements are indices: each call looks at them before it computes; compute "
                f"{n} in a kernel of its own, and give it to this one as an input"
            )


def drawn(kernel: Kernel, name: str, low: int, high: int) -> tuple[int, int]:
    """The same range of values, or for an index the one that its extents leave. Sizes are numbers."""
    extents = [int(e) for e in index_tensors(kernel).get(name, ()) if is_constant(e)]
    return (0, min(extents) - 1) if extents else (low, high)


__all__ = ["Held", "by_data", "check_indices", "drawn", "index_tensors"]
