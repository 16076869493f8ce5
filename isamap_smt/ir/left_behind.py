"""A reference for programs with results read by statements: each step begins at the program's own values.

    for t:
      H[t+1,j] = tanh(H[t,j] + X[t,j])

Two orbits of a recurrence may end far apart after a difference of one rounding, though every step of both is right. So
the reference of H[t+1] is computed from the program's own H[t]. After the last write to an element its reference is
noted, and later reads see the program's value. Temporaries, and elements written again, are the reference's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from isamap_smt.ir.evaluate import CHUNK, needs_single_points, points
from isamap_smt.ir.expr import evaluate, symbols_of
from isamap_smt.ir.indirect import writes_by_data
from isamap_smt.ir.kernel import Access, Kernel, Statement
from isamap_smt.ir.time_steps import in_order

Array = np.ndarray


def feeding(kernel: Kernel) -> tuple[str, ...]:
    """Results read by some statement, except for those written at an index made of data."""
    read = {a.tensor for s in kernel.statements for a in s.inputs}
    read -= {s.target.tensor for s in kernel.statements if writes_by_data(s)}
    return tuple(n for n in kernel.results if n in read)


class LeftBehind:
    """A program's values of results feeding others, and the reference of each of their elements."""

    def __init__(self, kernel: Kernel, left: Mapping[str, Array]) -> None:
        """kernel: with all sizes. left: results by name, as the program left them."""
        self._left = {n: np.ascontiguousarray(left[n]).reshape(-1) for n in feeding(kernel) if n in left}
        self._shapes = {n: left[n].shape for n in self._left}
        kinds = {n: np.float64 if kernel.tensor(n).dtype.is_float else a.dtype for n, a in self._left.items()}
        self._right = {n: np.zeros(a.size, kinds[n]) for n, a in self._left.items()}
        # how often each element is still to be written
        self._writes = {n: np.zeros(a.size, np.int64) for n, a in self._left.items()}
        for s in in_order(kernel) if self._left else ():
            for at in self.moments(s):
                self._writes[s.target.tensor][at] += 1
        self._ever = {n: writes > 0 for n, writes in self._writes.items()}

    def __contains__(self, tensor: str) -> bool:
        return tensor in self._left

    def moments(self, s: Statement) -> Iterator[Array]:
        """The elements, as offsets, written by the statement.

        They come point by point if points read earlier points' elements; else all at once, possibly with more elements.
        """
        name = s.target.tensor
        if name not in self._left:
            return
        shape = self._shapes[name]
        if needs_single_points(s):
            yield from (_offsets(s.target, env, shape) for env in points(s, 1))
            return
        moving = symbols_of(s.target.index)
        axes = tuple(a for a in s.axes if a.name in moving)
        names = {a.name for a in axes}
        guard = tuple(g for g in s.guard if not symbols_of([g]) - names)  # more elements than are written do no harm
        parts = [_offsets(s.target, env, shape) for env in points(replace(s, axes=axes, guard=guard), CHUNK)]
        yield np.unique(np.concatenate(parts)) if parts else np.zeros(0, np.int64)

    def written(self, name: str, at: Array, array: Array) -> None:
        """Elements of the (contiguous) array were written. Those with no write left take the program's values."""
        writes = self._writes[name]
        writes[at] -= 1
        last = at[writes[at] == 0]
        flat = array.reshape(-1)
        self._right[name][last] = flat[last]
        flat[last] = self._left[name][last].astype(array.dtype)

    def reference(self, name: str, array: Array) -> Array:
        """The array, with the reference of each element in place of the program's value."""
        if name not in self._left:
            return array
        return np.where(self._ever[name], self._right[name], array.reshape(-1)).reshape(array.shape)


def _offsets(target: Access, env: Mapping[str, Any], shape: tuple[int, ...]) -> Array:
    """The existing ones among the target's elements at these points, as offsets in the flattened array."""
    flat, inside = np.zeros(env["#"].shape, np.int64), np.ones(env["#"].shape, np.bool_)
    for i, n in zip(target.index, shape, strict=True):
        at = np.broadcast_to(np.asarray(evaluate(i, env)), flat.shape)
        inside &= (at >= 0) & (at < n)
        flat = flat * n + at
    return flat[inside]


__all__ = ["LeftBehind", "feeding"]
