"""Indices made of data, `E[idx[i] + 1, j]`: the inputs in them, and their elements at a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from isamap_smt.ir.errors import LanguageError
from isamap_smt.ir.expr import WIDEST, Element, elements, insides, is_constant
from isamap_smt.ir.kernel import Kernel, Statement
from isamap_smt.ir.scalar import reads


class Held:
    """The elements of an index at a run. `at` gives -1 for a place outside of it."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def at(self, *index: Any) -> Any:
        """The elements at these places, as i64; beyond WIDEST they are WIDEST, or -WIDEST."""
        if not index:
            return _narrowed(self._array).reshape(())[()]
        places = np.broadcast_arrays(*map(np.asarray, index))
        inside = np.ones(places[0].shape, bool)
        for i, n in zip(places, self._array.shape, strict=True):
            inside &= (i >= 0) & (i < n)
        if not self._array.size:
            return np.full(inside.shape, -1, np.int64)
        found = _narrowed(self._array[tuple(np.where(inside, i, 0) for i in places)])
        return np.where(inside, found, -1)


def _narrowed(array: np.ndarray) -> np.ndarray:
    if array.dtype.itemsize < 8:
        return array.astype(np.int64)
    return np.clip(array, -WIDEST if array.dtype.kind == "i" else 0, WIDEST).astype(np.int64)


def by_data(statement: Statement) -> bool:
    """Whether the statement reads or writes an element at an index made of data."""
    return bool(elements(indices_of(statement)))


def writes_by_data(statement: Statement) -> bool:
    """Whether the statement writes at an index made of data: any two of its points may write the same element."""
    return bool(elements(statement.target.index))


def indices_of(statement: Statement) -> Iterator[Any]:
    """Every index of the statement's target and reads."""
    return (i for a in (statement.target, *reads(statement.value)) for i in a.index)


def index_tensors(kernel: Kernel) -> dict[str, tuple[Any, ...]]:
    """Each input with elements in indices -> the extents of dimensions indexed by one such element alone, each once."""
    found: dict[str, dict[Any, None]] = {}
    for s in kernel.statements:
        indices = list(indices_of(s))
        for e in elements(indices):
            found.setdefault(e.tensor, {})
        for i in insides(indices):
            if isinstance(i.args[0], Element):
                found[i.args[0].tensor][i.args[1]] = None
    return {n: tuple(extents) for n, extents in found.items()}


def check_indices(kernel: Kernel) -> None:
    """Raises LanguageError if a statement writes a tensor used in indices: each call looks at these before it computes."""
    for n in index_tensors(kernel):
        if n in kernel.outputs:
            raise LanguageError(
                f"{n} is written by a statement, and its elements are indices: each call looks at them before it computes; compute "
                f"{n} in a kernel of its own, and give it to this one as an input"
            )


def drawn(kernel: Kernel, name: str, low: int, high: int) -> tuple[int, int]:
    """The same range of values, or for an index the one left by its extents. Sizes are numbers."""
    extents = [int(e) for e in index_tensors(kernel).get(name, ()) if is_constant(e)]
    return (0, min(extents) - 1) if extents else (low, high)


__all__ = ["Held", "by_data", "check_indices", "drawn", "index_tensors", "indices_of", "writes_by_data"]
